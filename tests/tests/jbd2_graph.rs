//! The machines' graphs are TLC's, state for state and step for step.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use conformance::corpus;
use conformance::difference::{assert_equal, assert_offered};
use interlock_checker::manifest::Manifest;
use interlock_traces::machines::counterpart::{Counterpart, reached};
use interlock_traces::machines::jbd2::Jbd2;
use interlock_traces::machines::reserve_wait::ReserveWait;

const CREDITS: [&str; 15] = [
    "Abort-P-6-graph",
    "CkptHoldsMutex-W-12-graph",
    "ExtendUntested-P-12-extra-graph",
    "HandOver-W-12-half-graph",
    "NoAbort-P-6-graph",
    "NoReserve-W-12-graph",
    "NoReserveOrdered-W-12-graph",
    "Ordered-W-12-graph",
    "ReservedCannotJoinLocked-W-12-graph",
    "RestartKeeps-P-12-extra-graph",
    "Upstream-P-12-large-graph",
    "Upstream-PW-12-3-extra-graph",
    "Upstream-W-12-graph",
    "Upstream-W-12-half-graph",
    "UserMaxIgnoresOverhead-P-12-large-graph",
];

const RESERVE_WAIT: [&str; 5] = [
    "HandOff-SSL-graph",
    "Untested-SSL-graph",
    "WakeAll-SSL-graph",
    "WakeChain-SSL-graph",
    "WakeOne-SSL-graph",
];

/// Larger graphs take too long here.
const MOST_STATES: u64 = 150_000;

#[test]
fn the_machine_is_the_specification() -> Result<()> {
    assert_eq!(corpus::graphs("MCJbd2Credits")?, CREDITS);
    for model in CREDITS {
        let graph = corpus::graph(model)?;
        assert_equal(&Jbd2::new(&graph.constants)?, model, &graph)?;
    }
    assert_eq!(corpus::graphs("MCReserveWait")?, RESERVE_WAIT);
    for model in RESERVE_WAIT {
        let graph = corpus::graph(model)?;
        assert_equal(&ReserveWait::new(&graph.constants)?, model, &graph)?;
    }
    Ok(())
}

/// The machine offers exactly the actions that TLC takes, and each is taken in some graph.
#[test]
fn the_actions_offered_are_the_steps() -> Result<()> {
    let mut names = BTreeSet::new();
    for model in CREDITS {
        let graph = corpus::graph(model)?;
        let jbd2 = Jbd2::new(&graph.constants)?;
        assert_offered(&jbd2, model, &graph, |state| jbd2.machine.actions(state))?;
        names.extend(graph.steps.iter().map(|(_, how, _)| how.action.clone()));
    }
    let all = [
        "AskCommit",
        "CommitEnd",
        "CommitFlush",
        "CommitLock",
        "CommitSwitch",
        "CommitWrite",
        "Convert",
        "Extend",
        "Fail",
        "FindCommitting",
        "FindNewer",
        "LockCheckpoint",
        "Look",
        "MakeSpace",
        "Refuse",
        "Restart",
        "Start",
        "Stop",
        "Submit",
        "Try",
        "TryReserved",
        "Undo",
        "Unreserve",
    ];
    assert!(names.iter().eq(all), "{names:?}");

    let mut names = BTreeSet::new();
    for model in RESERVE_WAIT {
        let graph = corpus::graph(model)?;
        let wait = ReserveWait::new(&graph.constants)?;
        assert_offered(&wait, model, &graph, |state| wait.machine.actions(state))?;
        names.extend(graph.steps.iter().map(|(_, how, _)| how.action.clone()));
    }
    assert!(
        names
            .iter()
            .eq(["Fail", "Release", "Retry", "Sleep", "Start", "Take", "Undo"]),
        "{names:?}"
    );
    Ok(())
}

/// For the sizes and variants that have no graph in the corpus: as many states as TLC counts, and no more steps.
#[test]
fn the_machine_has_as_many_states_as_the_manifest_says() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = Manifest::load(&root.join("specs"))?;
    let mut graphs = BTreeMap::new();
    for model in &manifest.models {
        let whole = model.module == "MCJbd2Credits" && model.symmetry.is_none();
        let (Some(distinct), Some(total), true) = (model.distinct, model.total, whole) else {
            continue;
        };
        if distinct <= MOST_STATES {
            let mut constants = corpus::constants(model);
            constants.remove("State");
            graphs.insert(constants, (distinct, total, &model.name));
        }
    }
    assert!(graphs.len() >= 20, "only {} graphs", graphs.len());
    for (constants, (distinct, total, name)) in graphs {
        let jbd2 = Jbd2::new(&constants)?;
        let (states, steps) = reached(&jbd2, |state, action| jbd2.step(state, action));
        let states = states.len() as u64;
        println!("{name}: {states} states, {steps} steps");
        assert_eq!(states, distinct, "{name}");
        // TLC generates a step twice that two disjuncts of its action allow, and one state at the start.
        assert!(
            steps < total,
            "{name}: {steps} steps, but TLC generates {total} states"
        );
    }
    Ok(())
}
