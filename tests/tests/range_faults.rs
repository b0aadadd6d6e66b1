//! The comparison with TLC's graphs tells a fault of one line in the tree of ranges: what differs, and where.

use anyhow::Result;
use conformance::corpus;
use conformance::difference::assert_told;
use interlock::range::machine::{Action, Machine, State};
use interlock::range::policy::Policy;
use interlock::range::tree::Mode;
use interlock_traces::machines::counterpart::Counterpart as _;
use interlock_traces::machines::range::RangeTree;

type Step = fn(&RangeTree, &State, Action) -> Option<State>;

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
    tree: &RangeTree,
    state: &State,
    action: Action,
) -> Option<State> {
    let mut machine = tree.machine.clone();
    change(&mut machine);
    machine.step(state, action)
}

const FAULTS: [Fault; 9] = [
    Fault {
        name: "no sequence numbers",
        model: "TreeFifo-chain-killed-graph",
        step: |tree, state, action| {
            with(
                |machine| machine.policy = Policy::INTERRUPT_NO_SEQ,
                tree,
                state,
                action,
            )
        },
        tells: "in [w holds; c waits for 1; b waits for 2], Interrupt(b): TLC [w holds; c waits for 1]; the machine [w holds; c holds]",
    },
    Fault {
        name: "a range that is parted counts as one",
        model: "TreeFifo-parts-killed-graph",
        step: |tree, state, action| {
            with(
                |machine| machine.policy = Policy::NARROW_COUNTS_ONE,
                tree,
                state,
                action,
            )
        },
        tells: "in [w holds; r waits for 1; a waits for 2], Narrow(w): TLC [w holds, narrowed 1; r waits for 2; a waits for 2]; the machine [w holds, narrowed 1; r waits for 1; a waits for 2]",
    },
    Fault {
        name: "who waits for what is released is not woken",
        model: "TreeFifo-parts-killed-graph",
        step: |tree, state, action| {
            with(
                |machine| machine.policy = Policy::NARROW_WAKES_NOBODY,
                tree,
                state,
                action,
            )
        },
        tells: "in [w holds, narrowed 2; r waits for 1; a waits for 1], Narrow(w): TLC [w holds, narrowed 3; r holds; a waits for 1]; the machine [w holds, narrowed 3; r waits for 1; a waits for 1]",
    },
    Fault {
        name: "who waits for what is kept is woken",
        model: "TreeFifo-parts-killed-graph",
        step: |tree, state, action| {
            with(
                |machine| machine.policy = Policy::NARROW_WAKES_ALL,
                tree,
                state,
                action,
            )
        },
        tells: "in [v holds; r waits for 1], Narrow(v): TLC [v holds, narrowed 1; r waits for 1]; the machine [v holds, narrowed 1; r holds]",
    },
    Fault {
        name: "one passes",
        model: "TreeFifo-W3-killed-graph",
        step: |tree, state, action| with(|machine| machine.policy.passes = 1, tree, state, action),
        tells: "in [c holds; b holds; w waits for 2], Pass(a): TLC is not enabled; the machine [c holds; b holds; w waits for 3, passed by 1; a holds]",
    },
    Fault {
        name: "two pass",
        model: "PassOne-W3-killed-graph",
        step: |tree, state, action| with(|machine| machine.policy.passes = 2, tree, state, action),
        tells: "in [b holds; w waits for 2, passed by 1; c holds], Pass(a): TLC is not enabled; the machine [b holds; w waits for 3, passed by 2; c holds; a holds]",
    },
    Fault {
        name: "ranges that share their last cell do not overlap",
        model: "TreeFifo-chain-killed-graph",
        step: |tree, state, action| {
            let shorter = |machine: &mut Machine| {
                for ask in &mut machine.asks {
                    let range = &mut ask.part.0;
                    range.end -= u64::from(range.end - range.start > 1);
                }
            };
            with(shorter, tree, state, action)
        },
        tells: "in [w holds; c waits for 1], Wait(b): TLC [w holds; c waits for 1; b waits for 2]; the machine [w holds; c waits for 1; b waits for 1]",
    },
    Fault {
        name: "readers exclude each other",
        model: "TreeFifo-share-graph",
        step: |tree, state, action| {
            let writers = |machine: &mut Machine| {
                for ask in &mut machine.asks {
                    ask.part.1 = Mode::Write;
                }
            };
            with(writers, tree, state, action)
        },
        tells: "in [x holds; w holds; b waits for 2], Wait(a): TLC [x holds; w holds; b waits for 2; a waits for 1]; the machine [x holds; w holds; b waits for 2; a waits for 2]",
    },
    Fault {
        name: "who leaves is not taken off an account",
        model: "TreeFifo-share-graph",
        step: |tree, state, action| {
            let mut next = tree.step(state, action)?;
            if let (Action::Unlock(_), Some(account)) = (action, next.last_mut()) {
                let before = state.iter().find(|before| before.task == account.task);
                account.blocking = before?.blocking;
            }
            Some(next)
        },
        tells: "in [x holds; w holds; b waits for 2], Unlock(w): TLC [x holds; b waits for 1]; the machine [x holds; b waits for 2]",
    },
];

#[test]
fn each_fault_is_told() -> Result<()> {
    for fault in FAULTS {
        let graph = corpus::graph(fault.model)?;
        let tree = RangeTree::new(&graph.constants)?;
        let step = |state: &State, action| (fault.step)(&tree, state, action);
        assert_told(&tree, &graph, (fault.name, fault.tells), step)?;
    }
    Ok(())
}
