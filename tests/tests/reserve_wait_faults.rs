//! The comparison with TLC's graphs tells a fault of one line in the machine of the wait: what differs, and where.

use anyhow::Result;
use conformance::corpus;
use conformance::difference::assert_told;
use interlock::jbd2::reserve_wait::{Action, Machine, Pc, State, Wake};
use interlock_traces::machines::counterpart::Counterpart;
use interlock_traces::machines::reserve_wait::ReserveWait;

type Step = fn(&ReserveWait, &State, Action) -> Option<State>;

/// A machine with one wrong line, and the first thing that tells it from TLC's graph.
struct Fault {
    name: &'static str,
    model: &'static str,
    step: Step,
    tells: &'static str,
}

/// The step of the same threads with another way to wake.
fn waking(wake: Wake, wait: &ReserveWait, state: &State, action: Action) -> Option<State> {
    let machine = Machine {
        wake,
        ..wait.machine.clone()
    };
    machine.step(state, action)
}

const FAULTS: [Fault; 11] = [
    Fault {
        name: "a release hands over without adding the credits",
        model: "HandOff-SSL-graph",
        step: |wait, state, action| {
            let mut next = wait.step(state, action)?;
            if let Action::Release(t) = action {
                next.reserved = state.reserved - wait.machine.needs[t];
            }
            Some(next)
        },
        tells: "in [s1 Idle, s2 Sleep, l1 Hold; queue s2; reserved 2], Release(l1): \
                TLC [s1 Idle, s2 Hold woken, l1 Idle; queue ; reserved 1]; the machine [s1 Idle, s2 Hold woken, l1 Idle; queue ; reserved 0]",
    },
    Fault {
        name: "a release hands over to the first alone",
        model: "HandOff-SSL-graph",
        step: |wait, state, action| {
            let Action::Release(t) = action else {
                return wait.step(state, action);
            };
            let mut next = waking(Wake::One, wait, state, action)?;
            let first = state.queue.first();
            if let Some(&first) = first.filter(|first| **first != t) {
                next.pc[first] = Pc::Hold;
                next.reserved += wait.machine.needs[first];
            }
            Some(next)
        },
        tells: "in [s1 Hold, s2 Hold woken, l1 Sleep; queue l1; reserved 2], Release(s1): \
                TLC [s1 Idle, s2 Hold woken, l1 Sleep; queue l1; reserved 1]; the machine [s1 Idle, s2 Hold woken, l1 Hold woken; queue ; reserved 3]",
    },
    Fault {
        name: "the last to come is the first in the queue",
        model: "HandOff-SSL-graph",
        step: |wait, state, action| {
            let mut next = wait.step(state, action)?;
            if let Action::Sleep(_) = action {
                next.queue.rotate_right(1);
            }
            Some(next)
        },
        tells: "in [s1 Hold, s2 Test, l1 Sleep; queue l1; reserved 1], Sleep(s2): \
                TLC [s1 Hold, s2 Sleep, l1 Sleep; queue l1 s2; reserved 1]; the machine [s1 Hold, s2 Sleep, l1 Sleep; queue s2 l1; reserved 1]",
    },
    Fault {
        name: "an arrival takes what fits past the sleepers",
        model: "HandOff-SSL-graph",
        step: |wait, state, action| match action {
            Action::Take(_) => waking(Wake::All, wait, state, action),
            _ => wait.step(state, action),
        },
        tells: "in [s1 Hold, s2 Test, l1 Sleep; queue l1; reserved 1], Take(s2): \
                TLC is not enabled; the machine [s1 Hold, s2 Hold, l1 Sleep; queue l1; reserved 2]",
    },
    Fault {
        name: "a release wakes one alone",
        model: "WakeAll-SSL-graph",
        step: |wait, state, action| waking(Wake::One, wait, state, action),
        tells: "in [s1 Sleep, s2 Sleep woken, l1 Undo woken; queue s2 s1; reserved 2], Undo(l1): \
                TLC [s1 Look woken, s2 Look woken, l1 Look woken; queue ; reserved 0]; the machine [s1 Sleep, s2 Look woken, l1 Look woken; queue s1; reserved 0]",
    },
    Fault {
        name: "an attempt that fails wakes nobody",
        model: "WakeAll-SSL-graph",
        step: |wait, state, action| waking(Wake::Quiet, wait, state, action),
        tells: "in [s1 Idle, s2 Undo, l1 Sleep; queue l1; reserved 1], Undo(s2): \
                TLC [s1 Idle, s2 Look, l1 Look woken; queue ; reserved 0]; the machine [s1 Idle, s2 Look, l1 Sleep; queue l1; reserved 0]",
    },
    Fault {
        name: "an attempt that fails adds nothing",
        model: "WakeAll-SSL-graph",
        step: |wait, state, action| {
            let mut next = wait.step(state, action)?;
            if let Action::Fail(_) = action {
                next.reserved = state.reserved;
            }
            Some(next)
        },
        tells: "in [s1 Idle, s2 Test, l1 Hold; queue ; reserved 2], Fail(s2): \
                TLC [s1 Idle, s2 Undo, l1 Hold; queue ; reserved 3]; the machine [s1 Idle, s2 Undo, l1 Hold; queue ; reserved 2]",
    },
    Fault {
        name: "whoever is woken tries again without a look",
        model: "WakeAll-SSL-graph",
        step: |wait, state, action| {
            let Action::Retry(t) = action else {
                return wait.step(state, action);
            };
            let mut next = state.clone();
            next.pc[t] = Pc::Test;
            (state.pc[t] == Pc::Look).then_some(next)
        },
        tells: "in [s1 Idle, s2 Undo, l1 Look; queue ; reserved 1], Retry(l1): \
                TLC is not enabled; the machine [s1 Idle, s2 Undo, l1 Test; queue ; reserved 1]",
    },
    Fault {
        name: "whoever has got its credits wakes nobody",
        model: "WakeChain-SSL-graph",
        step: |wait, state, action| waking(Wake::One, wait, state, action),
        tells: "in [s1 Test woken, s2 Sleep woken, l1 Test; queue s2; reserved 0], Take(s1): \
                TLC [s1 Hold woken, s2 Look woken, l1 Test; queue ; reserved 1]; the machine [s1 Hold woken, s2 Sleep woken, l1 Test; queue s2; reserved 1]",
    },
    Fault {
        name: "a start does not forget who was woken before",
        model: "WakeChain-SSL-graph",
        step: |wait, state, action| {
            let mut next = wait.step(state, action)?;
            if let Action::Start(_) = action {
                next.woken.clone_from(&state.woken);
            }
            Some(next)
        },
        tells: "in [s1 Idle, s2 Look, l1 Idle woken; queue ; reserved 0], Start(l1): \
                TLC [s1 Idle, s2 Look, l1 Test; queue ; reserved 0]; the machine [s1 Idle, s2 Look, l1 Test woken; queue ; reserved 0]",
    },
    Fault {
        name: "a release wakes the last to come",
        model: "WakeOne-SSL-graph",
        step: |wait, state, action| {
            let mut seen = state.clone();
            if let Action::Release(_) = action {
                seen.queue.reverse();
            }
            let mut next = wait.step(&seen, action)?;
            if let Action::Release(_) = action {
                next.queue.reverse();
            }
            Some(next)
        },
        tells: "in [s1 Sleep, s2 Sleep woken, l1 Hold woken; queue s1 s2; reserved 2], Release(l1): \
                TLC [s1 Look woken, s2 Sleep woken, l1 Idle woken; queue s2; reserved 0]; the machine [s1 Sleep, s2 Look woken, l1 Idle woken; queue s1; reserved 0]",
    },
];

#[test]
fn a_fault_is_told() -> Result<()> {
    for fault in FAULTS {
        let graph = corpus::graph(fault.model)?;
        let wait = ReserveWait::new(&graph.constants)?;
        let step = |state: &State, action| (fault.step)(&wait, state, action);
        assert_told(&wait, &graph, (fault.name, fault.tells), step)?;
    }
    Ok(())
}
