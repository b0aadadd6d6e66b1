//! The comparison with TLC's graph tells a fault of one line in the machine: what differs, and where.

use anyhow::Result;
use conformance::corpus;
use conformance::difference::assert_told;
use interlock::dio::machine::{Action, Content, Machine, Mode, Outcome, Part, State};
use interlock::dio::policy::{Drain, Grow, Overwrite, Policy};
use interlock_traces::machines::dio::Dio;

type Step = fn(&Machine, &State, Action) -> Option<State>;

/// A machine with one wrong line, and the first thing that tells it from TLC's graph.
struct Fault {
    name: &'static str,
    model: &'static str,
    step: Step,
    tells: &'static str,
}

/// The step of the same machine under another policy.
fn under(policy: Policy, machine: &Machine, state: &State, action: Action) -> Option<State> {
    let other = Machine {
        policy,
        ..machine.clone()
    };
    other.step(state, action)
}

const FAULTS: [Fault; 20] = [
    Fault {
        name: "the drain is no barrier",
        model: "Final65-ABC-unwritten-graph",
        step: |machine, state, action| {
            let undisturbed = State {
                dio: 0,
                ..state.clone()
            };
            let seen = if let Action::Drain(_) = action {
                &undisturbed
            } else {
                state
            };
            let next = machine.step(seen, action)?;
            Some(State {
                dio: next.dio + state.dio - seen.dio,
                ..next
            })
        },
        tells: "in [a Idle, b Drain holds Exclusive wants Exclusive drain wait, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 1], Drain(b): \
                TLC is not enabled; the machine [a Idle, b Begin holds Exclusive wants Exclusive drain wait, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 1]",
    },
    Fault {
        name: "an exclusive writer does not drain",
        model: "Final65-ABC-unwritten-graph",
        step: |machine, state, action| {
            let policy = Policy {
                drain: Drain::Never,
                ..machine.policy
            };
            under(policy, machine, state, action)
        },
        tells: "in [a Idle, b Check holds Shared, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 1], Check(b): \
                TLC [a Idle, b Lock wants Exclusive drain wait, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 1]; the machine [a Idle, b Lock wants Exclusive wait, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 1]",
    },
    Fault {
        name: "an overwrite means mapped blocks",
        model: "RfcOn63-ABCs-unwritten-graph",
        step: |machine, state, action| {
            let policy = Policy {
                overwrite: Overwrite::Mapped,
                ..machine.policy
            };
            under(policy, machine, state, action)
        },
        tells: "in [a Idle, b Idle, C Check holds Shared; Unwritten Written: Stale Stale Old Old; size 4, dio 0], Check(C): \
                TLC [a Idle, b Idle, C Begin holds Shared; Unwritten Written: Stale Stale Old Old; size 4, dio 0]; the machine [a Idle, b Idle, C Lock wants Exclusive; Unwritten Written: Stale Stale Old Old; size 4, dio 0]",
    },
    Fault {
        name: "an exclusive writer enters beside readers",
        model: "Final65-ABC-unwritten-graph",
        step: |machine, state, action| {
            let Action::Lock(r) = action else {
                return machine.step(state, action);
            };
            let mut unheld = state.clone();
            for other in &mut unheld.requests {
                other.held = other.held.filter(|mode| *mode == Mode::Exclusive);
            }
            let mut next = machine.step(&unheld, action)?;
            for (other, (now, before)) in next.requests.iter_mut().zip(&state.requests).enumerate()
            {
                now.held = if other == r { now.held } else { before.held };
            }
            Some(next)
        },
        tells: "in [a Check holds Shared, b Lock wants Exclusive drain wait, C Done Ended got Ok; Written Written: C C Old Old; size 4, dio 0], Lock(b): \
                TLC is not enabled; the machine [a Check holds Shared, b Check holds Exclusive wants Exclusive drain wait, C Done Ended got Ok; Written Written: C C Old Old; size 4, dio 0]",
    },
    Fault {
        name: "an upgrade keeps the lock",
        model: "Final65-ABC-unwritten-graph",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            if let Action::Check(r) = action {
                next.requests[r].held = state.requests[r].held;
            }
            Some(next)
        },
        tells: "in [a Idle, b Check holds Shared, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 1], Check(b): \
                TLC [a Idle, b Lock wants Exclusive drain wait, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 1]; the machine [a Idle, b Lock holds Shared wants Exclusive drain wait, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 1]",
    },
    Fault {
        name: "the head is not zeroed",
        model: "Final65-ABC-unwritten-graph",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            if let Action::Map(r) = action {
                next.requests[r].bios.retain(|bio| bio.part != Part::Head);
            }
            Some(next)
        },
        tells: "in [a Idle, b Map holds Exclusive wants Exclusive drain wait Flying, C Lock; Unwritten Written: Stale Stale Old Old; size 4, dio 1], Map(b): \
                TLC [a Idle, b Io holds Exclusive wants Exclusive drain wait next 1 Head/0 Data/0 convert {0} Flying, C Lock; Unwritten Written: Stale Stale Old Old; size 4, dio 1]; the machine [a Idle, b Io holds Exclusive wants Exclusive drain wait next 1 Data/0 convert {0} Flying, C Lock; Unwritten Written: Stale Stale Old Old; size 4, dio 1]",
    },
    Fault {
        name: "the tail is not zeroed at EOF",
        model: "Final65-AC-eof-graph",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            if let Action::Map(r) = action {
                next.requests[r].bios.retain(|bio| bio.part != Part::Tail);
            }
            Some(next)
        },
        tells: "in [a Map holds Shared Flying, C Lock wants Exclusive; Written: Old Zero; size 1, dio 1], Map(a): \
                TLC [a Unlock holds Shared next 1 Data/0 Tail/0 Flying, C Lock wants Exclusive; Written: Old Zero; size 1, dio 1]; the machine [a Unlock holds Shared next 1 Data/0 Flying, C Lock wants Exclusive; Written: Old Zero; size 1, dio 1]",
    },
    Fault {
        name: "the blocks are converted only after i_dio_count is down",
        model: "Final65-AE-unwritten-graph",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            match action {
                Action::EndIo(_) => next.dio -= 1,
                Action::DioEnd(_) => next.dio += 1,
                _ => {}
            }
            Some(next)
        },
        tells: "in [a Idle, b Io holds Exclusive wants Exclusive drain wait next 1 convert {0} Flying; Unwritten Written: Zero b Old Old; size 4, dio 1], EndIo(b): \
                TLC [a Idle, b Io holds Exclusive wants Exclusive drain wait Converted; Written Written: Zero b Old Old; size 4, dio 1]; the machine [a Idle, b Io holds Exclusive wants Exclusive drain wait Converted; Written Written: Zero b Old Old; size 4, dio 0]",
    },
    Fault {
        name: "a failed write converts its blocks",
        model: "Final65-AE-unwritten-graph",
        step: |machine, state, action| {
            let Action::EndIo(r) = action else {
                return machine.step(state, action);
            };
            let mut unfailed = state.clone();
            unfailed.requests[r].failed = false;
            let mut next = machine.step(&unfailed, action)?;
            next.requests[r].failed = state.requests[r].failed;
            Some(next)
        },
        tells: "in [a Io holds Exclusive wants Exclusive drain wait next 1 convert {0} Flying failed, b Lock wants Exclusive drain wait; Unwritten Written: Stale Stale Old Old; size 4, dio 1], EndIo(a): \
                TLC [a Io holds Exclusive wants Exclusive drain wait Converted failed, b Lock wants Exclusive drain wait; Unwritten Written: Stale Stale Old Old; size 4, dio 1]; the machine [a Io holds Exclusive wants Exclusive drain wait Converted failed, b Lock wants Exclusive drain wait; Written Written: Stale Stale Old Old; size 4, dio 1]",
    },
    Fault {
        name: "an error is not told",
        model: "Final65-AE-unwritten-graph",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            for request in &mut next.requests {
                if request.result == Outcome::Eio {
                    request.result = Outcome::Ok;
                }
            }
            Some(next)
        },
        tells: "in [a Unlock holds Shared Converted failed, b Done Ended got Ok; Written Written: Zero b Old Old; size 4, dio 1], DioEnd(a): \
                TLC [a Unlock holds Shared Ended failed got Eio, b Done Ended got Ok; Written Written: Zero b Old Old; size 4, dio 0]; the machine [a Unlock holds Shared Ended failed got Ok, b Done Ended got Ok; Written Written: Zero b Old Old; size 4, dio 0]",
    },
    Fault {
        name: "the second try is shared again",
        model: "XfsOptimistic-ABC-unwritten-graph",
        step: |machine, state, action| {
            under(
                Policy {
                    retry: Policy::XFS_RETRY_SHARED.retry,
                    ..machine.policy
                },
                machine,
                state,
                action,
            )
        },
        tells: "in [a Idle, b Again holds Shared Flying, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 2], Retry(b): \
                TLC [a Idle, b Lock wants Exclusive retries 1, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 1]; the machine [a Idle, b Lock retries 1, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 1]",
    },
    Fault {
        name: "a try is not counted",
        model: "XfsOptimistic-ABC-unwritten-graph",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            if let Action::Retry(r) = action {
                next.requests[r].retries = 0;
            }
            Some(next)
        },
        tells: "in [a Idle, b Again holds Shared Flying, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 2], Retry(b): \
                TLC [a Idle, b Lock wants Exclusive retries 1, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 1]; the machine [a Idle, b Lock wants Exclusive, C Queued next 1 convert {0} Flying; Unwritten Written: C C Old Old; size 4, dio 1]",
    },
    Fault {
        name: "what the first check saw is forgotten",
        model: "NoRecheckAfterUpgrade-AB-unwritten-graph",
        step: |machine, state, action| {
            let Action::Map(r) = action else {
                return machine.step(state, action);
            };
            let mut forgotten = state.clone();
            forgotten.requests[r].plan.saw.clear();
            let mut next = machine.step(&forgotten, action)?;
            next.requests[r].plan.clone_from(&state.requests[r].plan);
            Some(next)
        },
        tells: "in [a Map holds Exclusive wants Exclusive drain wait saw {0: Unwritten} Flying, b Done Ended got Ok; Written Written: Zero b Old Old; size 4, dio 1], Map(a): \
                TLC [a Io holds Exclusive wants Exclusive drain wait saw {0: Unwritten} next 1 Data/0 Tail/0 convert {0} Flying, b Done Ended got Ok; Written Written: Zero b Old Old; size 4, dio 1]; the machine [a Io holds Exclusive wants Exclusive drain wait saw {0: Unwritten} next 1 Data/0 Flying, b Done Ended got Ok; Written Written: Zero b Old Old; size 4, dio 1]",
    },
    Fault {
        name: "a read sees nothing in a hole",
        model: "Final65-CR-hole-graph",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            if let Action::Map(r) = action {
                next.requests[r].buffer.clear();
            }
            Some(next)
        },
        tells: "in [C Idle, R Map holds Shared Flying; Hole Written: Stale Stale Old Old; size 4, dio 1], Map(R): \
                TLC [C Idle, R Io holds Shared next 1 Flying 0:Zero 1:Zero; Hole Written: Stale Stale Old Old; size 4, dio 1]; the machine [C Idle, R Io holds Shared next 1 Flying; Hole Written: Stale Stale Old Old; size 4, dio 1]",
    },
    Fault {
        name: "a punch does not drain",
        model: "Final65-ACP-written-graph",
        step: |machine, state, action| under(Policy::PUNCH_NO_DIO_WAIT, machine, state, action),
        tells: "in [a Idle, C Idle, P Lock wants Exclusive; Written Written: Old Old Old Old; size 4, dio 0], Lock(P): \
                TLC [a Idle, C Idle, P Drain holds Exclusive wants Exclusive; Written Written: Old Old Old Old; size 4, dio 0]; the machine [a Idle, C Idle, P Free holds Exclusive wants Exclusive; Written Written: Old Old Old Old; size 4, dio 0]",
    },
    Fault {
        name: "a freed block keeps its data on the disk",
        model: "Final65-ACP-written-graph",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            if let Action::Free(_) = action {
                next.disk.clone_from(&state.disk);
            }
            Some(next)
        },
        tells: "in [a Idle, C Idle, P Free holds Exclusive wants Exclusive; Written Written: Old Old Old Old; size 4, dio 0], Free(P): \
                TLC [a Idle, C Idle, P Unlock holds Exclusive wants Exclusive; Hole Written: Stale Stale Old Old; size 4, dio 0]; the machine [a Idle, C Idle, P Unlock holds Exclusive wants Exclusive; Hole Written: Old Old Old Old; size 4, dio 0]",
    },
    Fault {
        name: "a fallback zeroes what it does not write",
        model: "Drained72-FB-written-graph",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            if let Action::Fill(r) = action {
                for content in next.cache.values_mut() {
                    if *content != Content::Of(r) {
                        *content = Content::Zero;
                    }
                }
            }
            Some(next)
        },
        tells: "in [f Fill holds Exclusive wants Exclusive buffered, b Done Ended got Ok; Written Written: Old b Old Old; size 4, dio 0], Fill(f): \
                TLC [f Unlock holds Exclusive wants Exclusive buffered, b Done Ended got Ok; Written Written: Old b Old Old; size 4, dio 0, dirty 0:f 1:b]; the machine [f Unlock holds Exclusive wants Exclusive buffered, b Done Ended got Ok; Written Written: Old b Old Old; size 4, dio 0, dirty 0:f 1:Zero]",
    },
    Fault {
        name: "a buffered write that begins behind EOF leaves the rest of EOF's block",
        model: "Final612-AV-eof-graph",
        step: |machine, state, action| {
            let policy = Policy {
                grow: Grow::Size,
                ..machine.policy
            };
            under(policy, machine, state, action)
        },
        tells: "in [a Idle, v Fill holds Exclusive wants Exclusive buffered; Written Hole: Old Zero Stale Stale; size 1, dio 0], Fill(v): \
                TLC [a Idle, v Unlock holds Exclusive wants Exclusive buffered; Written Hole: Old Zero Stale Stale; size 4, dio 0, dirty 0:Old 1:Zero 2:v 3:v]; the machine [a Idle, v Unlock holds Exclusive wants Exclusive buffered; Written Hole: Old Zero Stale Stale; size 4, dio 0, dirty 2:v 3:v]",
    },
    Fault {
        name: "the file grows before the data are there",
        model: "SkipBeyondEOF-AB-eof-hole-graph",
        step: |machine, state, action| {
            let mut next = machine.step(state, action)?;
            if let Action::Begin(r) = action {
                next.size = next.size.max(machine.calls[r].to + 1);
            }
            Some(next)
        },
        tells: "in [a Idle, b Begin holds Exclusive wants Exclusive wait; Hole: Stale Stale; size 1, dio 0], Begin(b): \
                TLC [a Idle, b Map holds Exclusive wants Exclusive wait Flying; Hole: Stale Stale; size 1, dio 1]; the machine [a Idle, b Map holds Exclusive wants Exclusive wait Flying; Hole: Stale Stale; size 2, dio 1]",
    },
    Fault {
        name: "NOWAIT waits for the lock",
        model: "Pre61-NC-unwritten-graph",
        step: |machine, state, action| match action {
            Action::LockFails(_) => None,
            _ => machine.step(state, action),
        },
        tells: "in [n Lock wants Exclusive, C Unlock holds Exclusive wants Exclusive Ended got Ok; Written Written: C C Old Old; size 4, dio 0], LockFails(n): \
                TLC [n Done got Eagain, C Unlock holds Exclusive wants Exclusive Ended got Ok; Written Written: C C Old Old; size 4, dio 0]; the machine is not enabled",
    },
];

#[test]
fn a_fault_is_told() -> Result<()> {
    for fault in FAULTS {
        let graph = corpus::graph(fault.model)?;
        let dio = Dio::new(&graph.constants)?;
        let step = |state: &State, action| (fault.step)(&dio.machine, state, action);
        assert_told(&dio, &graph, (fault.name, fault.tells), step)?;
    }
    Ok(())
}
