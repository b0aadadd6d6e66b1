//! The list's machine has TLC's graphs, state for state and step for step.

use std::collections::BTreeSet;

use anyhow::Result;
use conformance::corpus;
use conformance::difference::assert_equal;
use interlock_traces::machines::range_list::RangeList;

const GRAPHS: [&str; 6] = [
    "FreeBsd15-behind-once-graph",
    "FreeBsd15-pair-graph",
    "ListImpatient-behind-once-graph",
    "ListImpatient-pair-graph",
    "ListRW-behind-once-graph",
    "ListRW-pair-graph",
];

#[test]
fn the_machine_is_the_specification() -> Result<()> {
    assert_eq!(corpus::graphs("MCRangeList")?, GRAPHS);
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        assert_equal(&RangeList::new(&graph.constants)?, model, &graph)?;
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
        [
            "Insert",
            "Lock",
            "Meet",
            "Pass",
            "Retreat",
            "Retry",
            "Sleep",
            "Unlink",
            "Unlock",
            "Validated"
        ]
    );
    Ok(())
}
