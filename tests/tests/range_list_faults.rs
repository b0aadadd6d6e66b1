//! The comparison with TLC's graphs tells a fault of one line in the list of ranges: what differs, and where. Each control of the
//! specification is one.

use anyhow::Result;
use conformance::corpus;
use conformance::difference::assert_told;
use interlock::range::list_machine::{Action, Machine, Pc, State};
use interlock::range::list_policy::{Ends, Policy};
use interlock_traces::machines::counterpart::Counterpart as _;
use interlock_traces::machines::range_list::RangeList;

type Step = fn(&RangeList, &State, Action) -> Option<State>;

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
    list: &RangeList,
    state: &State,
    action: Action,
) -> Option<State> {
    let mut machine = list.machine.clone();
    change(&mut machine);
    machine.step(state, action)
}

/// The step of the same machine, and something done to the state before.
fn after(
    change: fn(&mut State, Action),
    list: &RangeList,
    state: &State,
    action: Action,
) -> Option<State> {
    let mut state = state.clone();
    change(&mut state, action);
    list.step(&state, action)
}

const FAULTS: [Fault; 11] = [
    Fault {
        name: "NoReaderValidate",
        model: "ListRW-behind-once-graph",
        step: |list, state, action| {
            with(
                |machine| machine.policy = Policy::NO_READER_VALIDATE,
                list,
                state,
                action,
            )
        },
        tells: "in <> [x insert head..nil], Insert(x): TLC <x1> [x validate x1..nil]; the machine <x1> [x hold]",
    },
    Fault {
        name: "NoWriterValidate",
        model: "ListRW-behind-once-graph",
        step: |list, state, action| {
            with(
                |machine| machine.policy = Policy::NO_WRITER_VALIDATE,
                list,
                state,
                action,
            )
        },
        tells: "in <> [w insert head..nil], Insert(w): TLC <w1> [w validate head..w1]; the machine <w1> [w hold]",
    },
    Fault {
        name: "BothWait",
        model: "ListRW-behind-once-graph",
        step: |list, state, action| {
            with(
                |machine| machine.policy = Policy::BOTH_WAIT,
                list,
                state,
                action,
            )
        },
        tells: "in <r1, x1 marked, w1> [r validate r1..x1; w validate head..r1], Meet(w): TLC <r1, x1 marked, w1> [r validate r1..x1; w met inside head..r1]; the machine is not enabled",
    },
    Fault {
        name: "BothRetreat",
        model: "ListRW-behind-once-graph",
        step: |list, state, action| {
            with(
                |machine| machine.policy = Policy::BOTH_RETREAT,
                list,
                state,
                action,
            )
        },
        tells: "in <r1, w1> [r validate r1..w1; w hold], Meet(r): TLC is not enabled; the machine <r1, w1> [r met inside r1..w1; w hold]",
    },
    Fault {
        name: "SleepNoRecheck",
        model: "FreeBsd15-pair-graph",
        step: |list, state, action| {
            with(
                |machine| machine.policy = Policy::SLEEP_NO_RECHECK,
                list,
                state,
                action,
            )
        },
        tells: "in <r1> [r validate r1..nil; w insert head..r1], Meet(w): TLC is not enabled; the machine <r1> [r validate r1..nil; w met head..r1]",
    },
    Fault {
        name: "EndsStrictly",
        model: "ListRW-behind-once-graph",
        step: |list, state, action| {
            with(
                |machine| machine.policy.ends = Ends::Strictly,
                list,
                state,
                action,
            )
        },
        tells: "in <x1> [r insert head..nil; w insert head..x1; x hold], Pass(w): TLC <x1> [r insert head..nil; w insert x1..nil; x hold]; the machine is not enabled",
    },
    Fault {
        name: "EndsLaxly",
        model: "ListRW-pair-graph",
        step: |list, state, action| {
            with(
                |machine| machine.policy.ends = Ends::Laxly,
                list,
                state,
                action,
            )
        },
        tells: "in <r1> [r validate r1..nil; w insert head..r1], Pass(w): TLC is not enabled; the machine <r1> [r validate r1..nil; w insert r1..nil]",
    },
    Fault {
        name: "SwapsMarked",
        model: "ListRW-behind-once-graph",
        step: |list, state, action| {
            let unmark = |state: &mut State, action| {
                if let Action::Insert(task) = action
                    && let Some(prev) = state.tasks[task].prev
                {
                    state.marked.remove(&prev);
                }
            };
            after(unmark, list, state, action)
        },
        tells: "in <r1 marked> [w insert head..r1; x insert r1..nil], Insert(x): TLC <r1 marked> [w insert head..r1; x insert head..r1]; the machine <r1, x1> [w insert head..r1; x validate x1..nil]",
    },
    Fault {
        name: "who has lost its patience does not queue",
        model: "ListImpatient-pair-graph",
        step: |list, state, action| {
            with(
                |machine| machine.policy = Policy::LIST_RW,
                list,
                state,
                action,
            )
        },
        tells: "in <> [r insert head..r1; w insert head..nil], Unlink(r): TLC <> [r insert head..nil, lost 1; w insert head..nil] aux r; the machine <> [r insert head..nil; w insert head..nil]",
    },
    Fault {
        name: "who begins a try minds nobody's patience",
        model: "ListImpatient-pair-graph",
        step: |list, state, action| {
            let aux = state.aux.clone();
            let mut next = after(
                |state, action| {
                    if let Action::Lock(_) | Action::Retry(_) = action {
                        state.aux.clear();
                    }
                },
                list,
                state,
                action,
            )?;
            if let Action::Lock(_) | Action::Retry(_) = action {
                next.aux = aux;
            }
            Some(next)
        },
        tells: "in <w1 marked> [r insert head..nil, lost 1] aux r, Lock(w): TLC is not enabled; the machine <w1 marked> [r insert head..nil, lost 1; w insert head..w1] aux r",
    },
    Fault {
        name: "a mark wakes nobody",
        model: "FreeBsd15-pair-graph",
        step: |list, state, action| {
            let mut next = list.step(state, action)?;
            for (task, before) in next.tasks.iter_mut().zip(&state.tasks) {
                if before.pc == Pc::Sleep {
                    task.pc = Pc::Sleep;
                }
            }
            Some(next)
        },
        tells: "in <r1> [r hold; w sleep], Unlock(r): TLC <r1 marked> [w again]; the machine <r1 marked> [w sleep]",
    },
];

#[test]
fn each_fault_is_told() -> Result<()> {
    for fault in FAULTS {
        let graph = corpus::graph(fault.model)?;
        let list = RangeList::new(&graph.constants)?;
        let step = |state: &State, action| (fault.step)(&list, state, action);
        assert_told(&list, &graph, (fault.name, fault.tells), step)?;
    }
    Ok(())
}
