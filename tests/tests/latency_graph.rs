//! The machine's graphs are TLC's, state for state and step for step.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use conformance::corpus;
use conformance::difference::{assert_equal, assert_offered};
use interlock::latency::machine::Action;
use interlock_checker::manifest::Manifest;
use interlock_traces::machines::counterpart::{Counterpart, reached};
use interlock_traces::machines::latency::Latency;

const GRAPHS: [&str; 12] = [
    "BetweenHandles-N5-graph",
    "NoPoint-N5-graph",
    "NoResched-N5-graph",
    "NoResched-voluntary-N5-graph",
    "PerExtent-N5-graph",
    "PerExtent-full-N5-graph",
    "PerExtent-voluntary-N5-graph",
    "PerExtentPagevec-N5-graph",
    "ReschedPerPagevec-N5-graph",
    "SyncStopEarly-N5-graph",
    "SyncStopLate-N5-graph",
    "SyncStopLate-voluntary-N5-graph",
];

#[test]
fn the_machine_is_the_specification() -> Result<()> {
    assert_eq!(corpus::graphs("MCMpageLatency")?, GRAPHS);
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        assert_equal(&Latency::new(&graph.constants)?, model, &graph)?;
    }
    Ok(())
}

/// The machine offers exactly the actions that TLC takes, and each is taken in some graph.
#[test]
fn the_actions_offered_are_the_steps() -> Result<()> {
    let mut taken = BTreeSet::new();
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        let latency = Latency::new(&graph.constants)?;
        assert_offered(&latency, model, &graph, |state| {
            latency.machine.actions(state)
        })?;
        for (_, how, _) in &graph.steps {
            taken.insert(latency.action(how)?);
        }
    }
    assert_eq!(Vec::from_iter(taken), Action::ALL);
    Ok(())
}

/// The histories tell no states apart where nothing is counted: at the larger sizes the machine has at most as many as TLC.
#[test]
fn no_larger_model_has_fewer_states_than_the_machine() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = Manifest::load(&root.join("specs"))?;
    let models = manifest.models.iter();
    let mut compared = 0;
    for model in models.filter(|model| model.module == "MCMpageLatency") {
        let Some(distinct) = model.distinct else {
            continue;
        };
        let latency = Latency::new(&corpus::constants(model))?;
        let (states, _) = reached(&latency, |state, action| latency.step(state, action));
        assert!(states.len() as u64 <= distinct, "{}", model.name);
        compared += 1;
    }
    assert!(compared > 50, "{compared} models are compared");
    Ok(())
}
