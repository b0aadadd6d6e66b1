//! The machine's graphs are TLC's, state for state and step for step.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use conformance::corpus;
use conformance::difference::{assert_equal, assert_offered};
use interlock::writeback::plug_policy::Policy;
use interlock_checker::manifest::Manifest;
use interlock_traces::machines::counterpart::{Counterpart, reached};
use interlock_traces::machines::wb_plug::WbPlug;

const GRAPHS: [&str; 9] = [
    "CachesNext-F2-moved-graph",
    "DropRetake-F2-graph",
    "FinishUnderLock-F2-graph",
    "FlushBeforeResched-F2-graph",
    "NeverFinished-F2-graph",
    "PlugOutside-F2-graph",
    "PlugPerInode-F2-graph",
    "PlugPerInode-merges-F2-graph",
    "SleepKeepsPlug-F2-graph",
];

#[test]
fn the_machine_is_the_specification() -> Result<()> {
    assert_eq!(corpus::graphs("MCWbPlug")?, GRAPHS);
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        assert_equal(&WbPlug::new(&graph.constants)?, model, &graph)?;
    }
    Ok(())
}

/// The machine offers exactly the actions that TLC takes, and each is taken in some graph.
#[test]
fn the_actions_offered_are_the_steps() -> Result<()> {
    let mut names = BTreeSet::new();
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        let plug = WbPlug::new(&graph.constants)?;
        assert_offered(&plug, model, &graph, |state| plug.machine.actions(state))?;
        names.extend(graph.steps.iter().map(|(_, how, _)| how.action.clone()));
    }
    let all = [
        "Begin", "Complete", "End", "Finish", "GoOn", "Issue", "Lock", "Move", "Pick", "Resched",
        "Resume", "Sleep", "Submit", "Throttle", "Want",
    ];
    assert!(names.iter().eq(all), "{names:?}");
    Ok(())
}

/// For the sizes that have no graph in the corpus: as many states as TLC counts, and as many steps.
#[test]
fn the_machine_has_as_many_states_as_the_manifest_says() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = Manifest::load(&root.join("specs"))?;
    let mut graphs = BTreeMap::new();
    for model in &manifest.models {
        let (Some(distinct), Some(total)) = (model.distinct, model.total) else {
            continue;
        };
        if model.module == "MCWbPlug" && corpus::is_of_machine(model, &Policy::NAMED) {
            let mut constants = corpus::constants(model);
            for not_ours in ["State", "MaxRequests"] {
                constants.remove(not_ours);
            }
            graphs.insert(constants, (distinct, total, &model.name));
        }
    }
    assert!(graphs.len() >= 12, "only {} graphs", graphs.len());
    for (constants, (distinct, total, name)) in graphs {
        let plug = WbPlug::new(&constants)?;
        let (states, steps) = reached(&plug, |state, action| plug.step(state, action));
        println!("{name}: {} states, {steps} steps", states.len());
        assert_eq!(states.len() as u64, distinct, "{name}");
        // TLC generates one state at the start.
        assert_eq!(steps + 1, total, "{name}");
    }
    Ok(())
}
