//! The machine's graphs are TLC's, state for state and step for step.

use std::collections::BTreeSet;

use anyhow::Result;
use conformance::corpus;
use conformance::difference::assert_equal;
use conformance::file_atomicity::MODULE;
use interlock_traces::machines::file_atomicity::FileAtomicity;

const GRAPHS: [&str; 13] = [
    "Ext4-direct-writes-graph",
    "Ext4-truncates-graph",
    "FolioBatch-across-graph",
    "FolioBatch-mixed-writes-graph",
    "FolioLocks-mixed-graph",
    "FolioLocks-within-graph",
    "NoLock-writes-graph",
    "RangeLock-direct-graph",
    "RangeLock-truncates-graph",
    "SegmentBits-File-near-graph",
    "SegmentBits-File-truncates-graph",
    "TwoState-mixed-writes-graph",
    "Xfs-truncates-graph",
];

#[test]
fn the_machine_is_the_specification() -> Result<()> {
    assert_eq!(corpus::graphs(MODULE)?, GRAPHS);
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        assert_equal(&FileAtomicity::new(&graph.constants)?, model, &graph)?;
    }
    Ok(())
}

/// No action is missing from the graphs, and no way to take a lock.
#[test]
fn each_action_and_each_lock_is_taken_in_some_graph() -> Result<()> {
    let (mut taken, mut kinds) = (BTreeSet::new(), BTreeSet::new());
    let [mut inode, mut folio, mut range, mut segments] = [const { BTreeSet::new() }; 4];
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        let machine = FileAtomicity::new(&graph.constants)?.machine;
        taken.extend(graph.steps.into_iter().map(|(_, how, _)| how.action));
        for op in machine.ops {
            let kind = op.kind as usize;
            kinds.insert(format!("{:?}", op.kind));
            inode.insert(format!("{:?}", machine.policy.inode[kind]));
            folio.insert(format!("{:?}", machine.policy.folio[kind]));
            range.insert(format!("{:?}", machine.policy.range[kind]));
            segments.insert(format!("{:?}", machine.policy.segments[kind]));
        }
    }
    let shown = |of: BTreeSet<String>| Vec::from_iter(of).join(" ");
    assert_eq!(shown(taken), "Begin Copy End LockFolio");
    assert_eq!(shown(kinds), "DirectRead DirectWrite Read Space Write");
    assert_eq!(
        shown(inode),
        "None Some(Buffered) Some(Direct) Some(Exclusive) Some(Shared)"
    );
    assert_eq!(shown(folio), "All Each Unlocked");
    assert_eq!(shown(range), "None Some(Read) Some(Write)");
    assert_eq!(shown(segments), "false true");
    Ok(())
}
