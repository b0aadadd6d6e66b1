//! The machine's graphs are TLC's, state for state and step for step.

use std::collections::BTreeSet;

use anyhow::Result;
use conformance::corpus;
use conformance::difference::assert_equal;
use interlock_traces::machines::range::RangeTree;

const GRAPHS: [&str; 9] = [
    "PassOne-W3-killed-graph",
    "PassOne-chain-killed-graph",
    "PassOne-parts-graph",
    "PassOne-share-graph",
    "PassTwo-chain-killed-graph",
    "TreeFifo-W3-killed-graph",
    "TreeFifo-chain-killed-graph",
    "TreeFifo-parts-killed-graph",
    "TreeFifo-share-graph",
];

#[test]
fn the_machine_is_the_specification() -> Result<()> {
    assert_eq!(corpus::graphs("MCRangeTree")?, GRAPHS);
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        assert_equal(&RangeTree::new(&graph.constants)?, model, &graph)?;
    }
    Ok(())
}

/// No action is missing from the graphs.
#[test]
fn each_action_is_taken_in_some_graph() -> Result<()> {
    let mut taken = BTreeSet::new();
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        taken.extend(graph.steps.into_iter().map(|(_, how, _)| how.action));
    }
    assert_eq!(
        Vec::from_iter(taken),
        ["Interrupt", "Lock", "Narrow", "Pass", "Unlock", "Wait"]
    );
    Ok(())
}
