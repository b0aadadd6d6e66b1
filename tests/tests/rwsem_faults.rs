//! The comparison with TLC's graph tells a fault of one line in the machine: what differs, and where.

use anyhow::Result;
use conformance::corpus;
use conformance::difference::assert_told;
use interlock::rwsem::machine::{Action, Kind, Machine, Pc, State};
use interlock::rwsem::policy::{Enqueue, Policy};
use interlock_traces::machines::rwsem::Rwsem;

type Step = fn(&Machine, &State, Action) -> Option<State>;

/// A machine with one wrong line, and the first thing that tells it from TLC's graph.
struct Fault {
    name: &'static str,
    model: &'static str,
    step: Step,
    tells: &'static str,
}

const FAULTS: [Fault; 14] = [
    Fault {
        name: "a batch of readers is one too short",
        model: "BatchQueue-RRW-safety",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            let woken = |task: &usize| next.pc[*task] != state.pc[*task];
            let batch: Vec<usize> = state.queue.iter().copied().filter(woken).collect();
            if let (Action::Wake(_), [_, .., last]) = (action, &batch[..]) {
                next.pc[*last] = Pc::Wait;
                next.queue.insert(0, *last);
            }
            Some(next)
        },
        tells: "in [r1 Wait, r2 Wait, w1 Wake; queue r2 r1], Wake(w1): \
                TLC [r1 Hold, r2 Hold, w1 Idle; queue ]; the machine [r1 Wait, r2 Hold, w1 Idle; queue r1]",
    },
    Fault {
        name: "a reader does not join the pending readers",
        model: "BatchQueue-RRWW-safety",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            if let Action::Queue(task) = action {
                next.queue.retain(|other| *other != task);
                next.queue.push(task);
            }
            Some(next)
        },
        tells: "in [r1 Idle, r2 Wait, w1 Hold, w2 Wait; queue r2 w2], Queue(r1): \
                TLC [r1 Wait, r2 Wait, w1 Hold, w2 Wait; queue r2 r1 w2]; the machine [r1 Wait, r2 Wait, w1 Hold, w2 Wait; queue r2 w2 r1]",
    },
    Fault {
        name: "the lock goes to the wrong end of the queue",
        model: "BatchQueue-RWW-safety",
        step: |machine, state, action| {
            let Action::Wake(_) = action else {
                return machine.step(state, action);
            };
            let mut mirrored = state.clone();
            mirrored.queue.reverse();
            let mut next = machine.step(&mirrored, action)?;
            next.queue.reverse();
            Some(next)
        },
        tells: "in [r1 Wait, w1 Wait, w2 Wake; queue w1 r1], Wake(w2): \
                TLC [r1 Wait, w1 Hold, w2 Idle; queue r1]; the machine [r1 Hold, w1 Wait, w2 Idle; queue w1]",
    },
    Fault {
        name: "an arrival enters although others wait",
        model: "BatchQueue-RRW-safety",
        step: |machine, state, action| {
            let Action::Enter(_) = action else {
                return machine.step(state, action);
            };
            let unqueued = State {
                queue: Vec::new(),
                ..state.clone()
            };
            let next = machine.step(&unqueued, action)?;
            Some(State {
                queue: state.queue.clone(),
                ..next
            })
        },
        tells: "in [r1 Idle, r2 Wait, w1 Wake; queue r2], Enter(r1): \
                TLC is not enabled; the machine [r1 Hold, r2 Wait, w1 Wake; queue r2]",
    },
    Fault {
        name: "the last holder does not go on to wake the queue",
        model: "BatchQueue-RWW-safety",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            if let Action::Release(task) = action {
                next.pc[task] = Pc::Idle;
            }
            Some(next)
        },
        tells: "in [r1 Idle, w1 Wait, w2 Hold; queue w1], Release(w2): \
                TLC [r1 Idle, w1 Wait, w2 Wake; queue w1]; the machine [r1 Idle, w1 Wait, w2 Idle; queue w1]",
    },
    Fault {
        name: "every holder wakes the queue, not the last one",
        model: "BatchQueue-RRWW-safety",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            if let (Action::Release(task), [_, ..]) = (action, &state.queue[..]) {
                next.pc[task] = Pc::Wake;
            }
            Some(next)
        },
        tells: "in [r1 Hold, r2 Hold, w1 Idle, w2 Wait; queue w2], Release(r1): \
                TLC [r1 Idle, r2 Hold, w1 Idle, w2 Wait; queue w2]; the machine [r1 Wake, r2 Hold, w1 Idle, w2 Wait; queue w2]",
    },
    Fault {
        name: "a wake-up does not look whether the lock is held",
        model: "Xadd420-RWW-safety",
        step: |machine, state, action| {
            let Action::Wake(_) = action else {
                return machine.step(state, action);
            };
            let mut unheld = state.clone();
            for pc in &mut unheld.pc {
                *pc = if *pc == Pc::Hold { Pc::Idle } else { *pc };
            }
            let mut next = machine.step(&unheld, action)?;
            for (pc, before) in next.pc.iter_mut().zip(&state.pc) {
                *pc = if *before == Pc::Hold { Pc::Hold } else { *pc };
            }
            Some(next)
        },
        tells: "in [r1 Wait, w1 Hold, w2 Wake; queue r1], Wake(w2): \
                TLC [r1 Wait, w1 Hold, w2 Idle; queue r1]; the machine [r1 Hold, w1 Hold, w2 Idle; queue ]",
    },
    Fault {
        name: "a late writer joins the running batch of writers",
        model: "BatchQueue-RWWW-safety",
        step: |machine, state, action| {
            let joining = Machine {
                policy: Policy::RULE5_IGNORED,
                ..machine.clone()
            };
            joining.step(state, action)
        },
        tells: "in [r1 Wait, w1 Wait, w2 Idle, w3 Hold; queue w1 r1], Queue(w2): \
                TLC [r1 Wait, w1 Wait, w2 Wait, w3 Hold; queue w1 r1 w2]; the machine [r1 Wait, w1 Wait, w2 Wait, w3 Hold; queue w1 w2 r1]",
    },
    Fault {
        name: "a downgrade lets nobody in",
        model: "BatchQueue-Downgrade-RRWW-safety",
        step: |machine, state, action| {
            let next = machine.step(state, action)?;
            let Action::Downgrade(task) = action else {
                return Some(next);
            };
            let mut alone = state.clone();
            alone.pc[task] = Pc::Shared;
            Some(alone)
        },
        tells: "in [r1 Idle, r2 Wait, w1 Hold, w2 Idle; queue r2], Downgrade(w1): \
                TLC [r1 Idle, r2 Hold, w1 Shared, w2 Idle; queue ]; the machine [r1 Idle, r2 Wait, w1 Shared, w2 Idle; queue r2]",
    },
    Fault {
        name: "the wake-up after a downgrade is lost",
        model: "Handoff511-Downgrade-RWW-safety",
        step: |machine, state, action| {
            let next = machine.step(state, action)?;
            let Action::DowngradeWake(task) = action else {
                return Some(next);
            };
            let mut alone = state.clone();
            alone.pc[task] = Pc::Shared;
            Some(alone)
        },
        tells: "in [r1 Wait, w1 Dwake, w2 Wake; queue r1, expired, handoff], DowngradeWake(w1): \
                TLC [r1 Hold, w1 Shared, w2 Wake; queue ]; the machine [r1 Wait, w1 Shared, w2 Wake; queue r1, expired, handoff]",
    },
    Fault {
        name: "a steal does not look at the hand-off",
        model: "Handoff511-RWW-safety",
        step: |machine, state, action| {
            let Action::Steal(_) = action else {
                return machine.step(state, action);
            };
            let unseen = State {
                handoff: false,
                ..state.clone()
            };
            machine.step(&unseen, action)
        },
        tells: "in [r1 Idle, w1 Try, w2 Spin; queue w1, expired, handoff], Steal(w2): \
                TLC is not enabled; the machine [r1 Idle, w1 Try, w2 Hold; queue w1, expired]",
    },
    Fault {
        name: "the timer goes on for the next waiter",
        model: "Handoff511-RWW-safety",
        step: |machine, state, action| {
            let next = machine.step(state, action)?;
            Some(State {
                expired: next.expired || state.expired,
                ..next
            })
        },
        tells: "in [r1 Idle, w1 Try, w2 Idle; queue w1, expired], Take(w1): \
                TLC [r1 Idle, w1 Hold, w2 Idle; queue ]; the machine [r1 Idle, w1 Hold, w2 Idle; queue , expired]",
    },
    Fault {
        name: "a writer queues only if it cannot take the lock, and then sleeps",
        model: "Handoff511-RWW-safety",
        step: |machine, state, action| {
            let barred = Policy {
                enqueue: Enqueue::Barred,
                ..machine.policy
            };
            let sleeps = Machine {
                policy: barred,
                ..machine.clone()
            };
            sleeps.step(state, action)
        },
        tells: "in [r1 Idle, w1 Spin, w2 Hold; queue ], Queue(w1): \
                TLC [r1 Idle, w1 Try, w2 Hold; queue w1]; the machine [r1 Idle, w1 Wait, w2 Hold; queue w1]",
    },
    Fault {
        name: "a reader that steals leaves the queued readers behind",
        model: "ReaderSpin53-RRW-safety",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            if let Action::Steal(task) = action
                && machine.kinds[task] == Kind::Reader
            {
                next = state.clone();
                next.pc[task] = Pc::Hold;
            }
            Some(next)
        },
        tells: "in [r1 Wait, r2 Spin, w1 Wake; queue r1, expired], Steal(r2): \
                TLC [r1 Hold, r2 Hold, w1 Wake; queue ]; the machine [r1 Wait, r2 Hold, w1 Wake; queue r1, expired]",
    },
];

#[test]
fn a_fault_is_told() -> Result<()> {
    for fault in FAULTS {
        let graph = corpus::graph(fault.model)?;
        let rwsem = Rwsem::new(&graph.constants)?;
        let step = |state: &State, action| (fault.step)(&rwsem.machine, state, action);
        assert_told(&rwsem, &graph, (fault.name, fault.tells), step)?;
    }
    Ok(())
}
