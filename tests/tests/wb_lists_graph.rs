//! The machine's graphs are TLC's, state for state and step for step.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use conformance::corpus;
use conformance::difference::{assert_equal, assert_offered};
use interlock::writeback::list_policy::Policy;
use interlock_checker::manifest::Manifest;
use interlock_traces::machines::counterpart::{Counterpart, reached};
use interlock_traces::machines::wb_lists::WbLists;

const GRAPHS: [&str; 5] = [
    "NoFsyncRequeue-ATF-tag-graph",
    "NoSyncQueued-ATF-graph",
    "SyncFirst-ATF-tag-graph",
    "Upstream-AAF-graph",
    "Upstream-ATF-tag-graph",
];

/// Larger graphs take too long here.
const MOST_STATES: u64 = 30_000;

#[test]
fn the_machine_is_the_specification() -> Result<()> {
    assert_eq!(corpus::graphs("MCWbLists")?, GRAPHS);
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        assert_equal(&WbLists::new(&graph.constants)?, model, &graph)?;
    }
    Ok(())
}

/// The machine offers exactly the actions that TLC takes, and each is taken in some graph.
#[test]
fn the_actions_offered_are_the_steps() -> Result<()> {
    let mut names = BTreeSet::new();
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        let lists = WbLists::new(&graph.constants)?;
        assert_offered(&lists, model, &graph, |state| lists.machine.actions(state))?;
        names.extend(graph.steps.iter().map(|(_, how, _)| how.action.clone()));
    }
    let all = [
        "Dirty",
        "DirtyTime",
        "FinishWork",
        "Fsync",
        "FsyncEnd",
        "Mark",
        "Pick",
        "PickBusy",
        "QueueIo",
        "Requeue",
        "Return",
        "StartBackground",
        "StartSync",
        "Sync",
        "WriteInode",
        "WritePage",
        "Yield",
    ];
    assert!(names.iter().eq(all), "{names:?}");
    Ok(())
}

/// For the sizes and variants that have no graph in the corpus: as many states as TLC counts, and no more steps.
#[test]
fn the_machine_has_as_many_states_as_the_manifest_says() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = Manifest::load(&root.join("specs"))?;
    let mut graphs = BTreeMap::new();
    for model in &manifest.models {
        let (Some(distinct), Some(total)) = (model.distinct, model.total) else {
            continue;
        };
        let is_ours = model.module == "MCWbLists" && corpus::is_of_machine(model, &Policy::NAMED);
        if is_ours && distinct <= MOST_STATES {
            let mut constants = corpus::constants(model);
            constants.remove("State");
            graphs.insert(constants, (distinct, total, &model.name));
        }
    }
    assert!(graphs.len() >= 15, "only {} graphs", graphs.len());
    for (constants, (distinct, total, name)) in graphs {
        let lists = WbLists::new(&constants)?;
        let (states, steps) = reached(&lists, |state, action| lists.step(state, action));
        println!("{name}: {} states, {steps} steps", states.len());
        assert_eq!(states.len() as u64, distinct, "{name}");
        assert!(
            steps < total,
            "{name}: {steps} steps, but TLC generates {total} states"
        );
    }
    Ok(())
}
