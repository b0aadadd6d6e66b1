//! The comparison with TLC's graphs tells a fault of one line in the machine of a file: what differs, and where.

use anyhow::Result;
use conformance::corpus;
use conformance::difference::assert_told;
use interlock::range::atomicity::machine::{Action, Machine, State, Step as Does};
use interlock::range::atomicity::policy::{Folios, Hold, Kind};
use interlock_traces::machines::counterpart::Counterpart as _;
use interlock_traces::machines::file_atomicity::FileAtomicity;

type Step = fn(&FileAtomicity, &State, Action) -> Option<State>;

/// A machine with one wrong line, and the first thing that tells it from TLC's graph.
struct Fault {
    name: &'static str,
    model: &'static str,
    step: Step,
    tells: &'static str,
}

/// The step of the same machine with something changed.
fn with(
    change: fn(&mut Machine),
    file: &FileAtomicity,
    state: &State,
    action: Action,
) -> Option<State> {
    let mut machine = file.machine.clone();
    change(&mut machine);
    machine.step(state, action)
}

const FAULTS: [Fault; 10] = [
    Fault {
        name: "what takes space away leaves the inode alone",
        model: "Ext4-truncates-graph",
        step: |file, state, action| {
            with(
                |machine| machine.policy.inode[Kind::Space as usize] = None,
                file,
                state,
                action,
            )
        },
        tells: "in [r idle, w idle, t at 2], Begin(w): TLC is not enabled; the machine [r idle, w at 2, t at 2]",
    },
    Fault {
        name: "the two shared states are one",
        model: "TwoState-mixed-writes-graph",
        step: |file, state, action| {
            let shared = |machine: &mut Machine| {
                machine.policy.inode = [Some(Hold::Shared); 5];
            };
            with(shared, file, state, action)
        },
        tells: "in [w idle, d at 2], Begin(w): TLC is not enabled; the machine [w at 2, d at 2; w has folio 0; w has folio 1]",
    },
    Fault {
        name: "direct I/O takes i_rwsem exclusively",
        model: "Ext4-direct-writes-graph",
        step: |file, state, action| {
            let exclusive = |machine: &mut Machine| {
                machine.policy.inode = [Some(Hold::Exclusive); 5];
            };
            with(exclusive, file, state, action)
        },
        tells: "in [d idle, e at 2], Begin(d): TLC [d at 2, e at 2]; the machine is not enabled",
    },
    Fault {
        name: "a batch is locked folio by folio",
        model: "FolioBatch-across-graph",
        step: |file, state, action| {
            with(
                |machine| machine.policy.folio = [Folios::Each; 5],
                file,
                state,
                action,
            )
        },
        tells: "in [r idle, w idle], Begin(r): TLC [r at 2, w idle; r has folio 0; r has folio 1]; the machine [r at 2, w idle]",
    },
    Fault {
        name: "a batch without the last cell's folio",
        model: "FolioBatch-across-graph",
        step: |file, state, action| {
            let mut next = file.step(state, action)?;
            if action.step == Does::Begin {
                *next.owner.last_mut()? = None;
            }
            Some(next)
        },
        tells: "in [r idle, w idle], Begin(r): TLC [r at 2, w idle; r has folio 0; r has folio 1]; the machine [r at 2, w idle; r has folio 0]",
    },
    Fault {
        name: "the lock of a folio goes with each cell",
        model: "FolioLocks-within-graph",
        step: |file, state, action| {
            let mut next = file.step(state, action)?;
            if action.step == Does::Copy {
                next.owner[0] = None;
            }
            Some(next)
        },
        tells: "in [r idle, w at 1; w has folio 0], Copy(w): TLC [r idle, w at 2; w has folio 0; 1: w]; the machine [r idle, w at 2; 1: w]",
    },
    Fault {
        name: "a folio's lock stays when its last cell is copied",
        model: "FolioLocks-mixed-graph",
        step: |file, state, action| {
            let mut next = file.step(state, action)?;
            if action.step == Does::Copy {
                next.owner.clone_from(&state.owner);
            }
            Some(next)
        },
        tells: "in [r at 2, d done; r has folio 0; 2: d; 3: d], Copy(r): TLC [r at 3, d done; 2: d; 3: d; r saw d in 2]; the machine [r at 3, d done; r has folio 0; 2: d; 3: d; r saw d in 2]",
    },
    Fault {
        name: "no range is locked",
        model: "RangeLock-direct-graph",
        step: |file, state, action| {
            with(
                |machine| machine.policy.range = [None; 5],
                file,
                state,
                action,
            )
        },
        tells: "in [s idle, d at 2], Begin(s): TLC is not enabled; the machine [s at 2, d at 2]",
    },
    Fault {
        name: "a segment is a cell",
        model: "SegmentBits-File-near-graph",
        step: |file, state, action| with(|machine| machine.segment_cells = 1, file, state, action),
        tells: "in [w idle, x at 2], Begin(w): TLC is not enabled; the machine [w at 1, x at 2]",
    },
    Fault {
        name: "a cell knows the last write alone",
        model: "NoLock-writes-graph",
        step: |file, state, action| {
            let mut next = file.step(state, action)?;
            for content in &mut next.content {
                content.drain(..content.len().saturating_sub(1));
            }
            Some(next)
        },
        tells: "in [w at 2, x done; 2: x; 3: x], Copy(w): TLC [w at 3, x done; 2: xw; 3: x]; the machine [w at 3, x done; 2: w; 3: x]",
    },
];

#[test]
fn each_fault_is_told() -> Result<()> {
    for fault in FAULTS {
        let graph = corpus::graph(fault.model)?;
        let file = FileAtomicity::new(&graph.constants)?;
        let step = |state: &State, action| (fault.step)(&file, state, action);
        assert_told(&file, &graph, (fault.name, fault.tells), step)?;
    }
    Ok(())
}
