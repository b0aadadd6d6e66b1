//! The comparison with TLC's graphs tells a fault of one line in the machine: what differs, and where.

use std::path::Path;

use anyhow::{Context as _, Result};
use conformance::corpus;
use conformance::difference::assert_told;
use interlock::jbd2::machine::{Action, Machine, Pc, Sizes, State, TState};
use interlock::jbd2::policy::{Data, Extend, Mutex, Policy, Wait, Wake};
use interlock_checker::manifest::Manifest;
use interlock_traces::machines::counterpart::{Counterpart, reached};
use interlock_traces::machines::jbd2::Jbd2;

type Step = fn(&Jbd2, &State, Action) -> Option<State>;

/// A machine with one wrong line, and the first thing that tells it from TLC's graph.
struct Fault {
    name: &'static str,
    model: &'static str,
    step: Step,
    tells: &'static str,
}

/// The step of the same machine under another policy.
fn under(policy: Policy, jbd2: &Jbd2, state: &State, action: Action) -> Option<State> {
    let machine = Machine {
        policy,
        ..jbd2.machine.clone()
    };
    machine.step(state, action)
}

const FAULTS: [Fault; 26] = [
    Fault {
        name: "the credits are given back to nobody",
        model: "HandOver-W-12-half-graph",
        step: |jbd2, state, action| under(Policy::UPSTREAM, jbd2, state, action),
        tells: "in [w1 Try, <<\"kworker\", w1>> Try; running Running out 2 updates 0 log 0; free 8; checkpoint [4]; reserved 1; w1 under writeback], Try(w1): \
                TLC [w1 WaitReserved, <<\"kworker\", w1>> Try; running Running out 2 updates 0 log 0; free 8; checkpoint [4]; reserved 1; queue [0]; w1 under writeback]; the machine is not enabled",
    },
    Fault {
        name: "what is handed over stays promised",
        model: "HandOver-W-12-half-graph",
        step: |jbd2, state, action| {
            let mut next = jbd2.step(state, action)?;
            next.promised.extend(&state.promised);
            Some(next)
        },
        tells: "in [w1 Try, <<\"kworker\", w1>> Attached; running Running out 2 updates 1 log 0; free 8; checkpoint [4]; promised {0}; w1 under writeback], Try(w1): \
                TLC [w1 Attached, <<\"kworker\", w1>> Attached; running Running out 4 updates 2 log 0; free 8; checkpoint [4]; reserved 1; w1 under writeback]; the machine [w1 Attached, <<\"kworker\", w1>> Attached; running Running out 4 updates 2 log 0; free 8; checkpoint [4]; reserved 1; promised {0}; w1 under writeback]",
    },
    Fault {
        name: "what is handed over is charged at once",
        model: "HandOver-W-12-half-graph",
        step: |jbd2, state, action| {
            let mut next = jbd2.step(state, action)?;
            if next.promised.len() > state.promised.len() {
                next.reserved += jbd2.machine.load.reserve;
            }
            Some(next)
        },
        tells: "in [w1 WaitReserved, <<\"kworker\", w1>> Try; running Running out 2 updates 0 log 0; free 8; checkpoint [4]; reserved 1; queue [0]; w1 under writeback], TryReserved(<<\"kworker\", w1>>): \
                TLC [w1 Try, <<\"kworker\", w1>> Attached; running Running out 2 updates 1 log 0; free 8; checkpoint [4]; promised {0}; w1 under writeback]; the machine [w1 Try, <<\"kworker\", w1>> Attached; running Running out 2 updates 1 log 0; free 8; checkpoint [4]; reserved 1; promised {0}; w1 under writeback]",
    },
    Fault {
        name: "test 1 is left out",
        model: "Upstream-PW-12-3-extra-graph",
        step: |jbd2, state, action| {
            let mut policy = jbd2.machine.policy;
            policy.tests[0] = false;
            under(policy, jbd2, state, action)
        },
        tells: "in [p1 Try, w1 WaitLocked; running Switch out 3 updates 0 log 1 asked; free 9; checkpoint [3]], Try(p1): \
                TLC [p1 WaitLocked, w1 WaitLocked; running Switch out 3 updates 0 log 1 asked; free 9; checkpoint [3]]; the machine [p1 Attached, w1 WaitLocked; running Switch out 4 updates 1 log 1 asked; free 9; checkpoint [3]]",
    },
    Fault {
        name: "test 3 is left out",
        model: "Upstream-PW-12-3-extra-graph",
        step: |jbd2, state, action| {
            let mut policy = jbd2.machine.policy;
            policy.tests[2] = false;
            under(policy, jbd2, state, action)
        },
        tells: "in [w1 Try; free 6; checkpoint [3, 3]], Try(w1): \
                TLC [w1 Space; running Running out 2 updates 0 log 0; free 6; checkpoint [3, 3]]; the machine [w1 Attached; running Running out 4 updates 1 log 0; free 6; checkpoint [3, 3]; reserved 1]",
    },
    Fault {
        name: "test 3 is made first",
        model: "Upstream-PW-12-3-extra-graph",
        step: |jbd2, state, action| {
            let policy = Policy {
                tests: [false, false, true, false],
                ..jbd2.machine.policy
            };
            let first = under(policy, jbd2, state, action)?;
            if matches!(action, Action::Try(_)) && first.pc.contains(&Pc::Space) {
                return Some(first);
            }
            jbd2.step(state, action)
        },
        tells: "in [p1 Space, w1 Try; running Running out 3 updates 0 log 1 asked; committing Tail out 0 updates 0 log 1 asked; free 9], Try(w1): \
                TLC [p1 Space, w1 WaitLocked; running Running out 3 updates 0 log 1 asked; committing Tail out 0 updates 0 log 1 asked; free 9]; the machine [p1 Space, w1 Attached; running Running out 5 updates 1 log 1 asked; committing Tail out 0 updates 0 log 1 asked; free 9; reserved 1]",
    },
    Fault {
        name: "a commit wakes nobody",
        model: "Upstream-W-12-graph",
        step: |jbd2, state, action| {
            let mut next = jbd2.step(state, action)?;
            if action == Action::CommitFlush {
                next.pc.clone_from(&state.pc);
            }
            Some(next)
        },
        tells: "in [w1 WaitLocked; running Switch out 3 updates 0 log 1 asked; free 9; checkpoint [3]], CommitFlush(): \
                TLC [w1 Try; committing Flush out 3 updates 0 log 1 asked; free 9; checkpoint [3]]; the machine [w1 WaitLocked; committing Flush out 3 updates 0 log 1 asked; free 9; checkpoint [3]]",
    },
    Fault {
        name: "who waits for reserved credits does not look",
        model: "Upstream-W-12-half-graph",
        step: |jbd2, state, action| {
            let policy = Policy {
                wake: Wake::Unseen,
                ..jbd2.machine.policy
            };
            under(policy, jbd2, state, action)
        },
        tells: "in [w1 WaitReserved, <<\"kworker\", w1>> Try; running Running out 2 updates 0 log 0; free 8; checkpoint [4]; reserved 1; w1 under writeback], Look(w1): \
                TLC is not enabled; the machine [w1 Try, <<\"kworker\", w1>> Try; running Running out 2 updates 0 log 0; free 8; checkpoint [4]; reserved 1; w1 under writeback]",
    },
    Fault {
        name: "what a failed test has added is kept",
        model: "Upstream-W-12-half-graph",
        step: |jbd2, state, action| {
            let mut next = jbd2.step(state, action)?;
            if let Action::Undo(_) = action {
                next.running.out = state.running.out;
            }
            Some(next)
        },
        tells: "in [w1 Undo, <<\"kworker\", w1>> Try; running Running out 4 updates 0 log 0; free 8; checkpoint [4]; reserved 2; w1 under writeback], Undo(w1): \
                TLC [w1 WaitReserved, <<\"kworker\", w1>> Try; running Running out 2 updates 0 log 0; free 8; checkpoint [4]; reserved 1; w1 under writeback]; the machine [w1 WaitReserved, <<\"kworker\", w1>> Try; running Running out 4 updates 0 log 0; free 8; checkpoint [4]; reserved 1; w1 under writeback]",
    },
    Fault {
        name: "a reserved handle does not use its reservation up",
        model: "Upstream-W-12-graph",
        step: |jbd2, state, action| {
            let mut next = jbd2.step(state, action)?;
            if let Action::TryReserved(_) = action {
                next.reserved = state.reserved;
            }
            Some(next)
        },
        tells: "in [<<\"kworker\", w1>> Try; free 6; checkpoint [3, 3]; reserved 1; w1 under writeback], TryReserved(<<\"kworker\", w1>>): \
                TLC [<<\"kworker\", w1>> Attached; running Running out 3 updates 1 log 0; free 6; checkpoint [3, 3]; w1 under writeback]; the machine [<<\"kworker\", w1>> Attached; running Running out 3 updates 1 log 0; free 6; checkpoint [3, 3]; reserved 1; w1 under writeback]",
    },
    Fault {
        name: "a handle that stops gives back what it has used",
        model: "Upstream-PW-12-3-extra-graph",
        step: |jbd2, state, action| {
            let policy = Policy {
                stop: false,
                ..jbd2.machine.policy
            };
            match action {
                Action::Stop(_) => under(policy, jbd2, state, action),
                _ => jbd2.step(state, action),
            }
        },
        tells: "in [p1 Attached, w1 Try; running Running out 3 updates 1 log 0; free 9; checkpoint [3]], Stop(p1): \
                TLC [w1 Try; running Running out 3 updates 0 log 1; free 9; checkpoint [3]]; the machine [w1 Try; running Running out 2 updates 0 log 1; free 9; checkpoint [3]]",
    },
    Fault {
        name: "a new transaction begins without what is reserved",
        model: "Upstream-W-12-graph",
        step: |jbd2, state, action| {
            let mut next = jbd2.step(state, action)?;
            if (state.running.state, next.running.state) == (TState::None, TState::Running) {
                next.running.out -= state.reserved;
            }
            Some(next)
        },
        tells: "in [<<\"kworker\", w1>> Try; free 6; checkpoint [3, 3]; reserved 1; w1 under writeback], TryReserved(<<\"kworker\", w1>>): \
                TLC [<<\"kworker\", w1>> Attached; running Running out 3 updates 1 log 0; free 6; checkpoint [3, 3]; w1 under writeback]; the machine [<<\"kworker\", w1>> Attached; running Running out 2 updates 1 log 0; free 6; checkpoint [3, 3]; w1 under writeback]",
    },
    Fault {
        name: "a transaction that commits keeps what is reserved",
        model: "Upstream-W-12-graph",
        step: |jbd2, state, action| {
            let mut next = jbd2.step(state, action)?;
            if action == Action::CommitFlush {
                next.committing.out = state.running.out;
            }
            Some(next)
        },
        tells: "in [running Switch out 4 updates 0 log 1 asked; free 9; checkpoint [3]; reserved 1; w1 under writeback], CommitFlush(): \
                TLC [committing Flush out 3 updates 0 log 1 asked; free 9; checkpoint [3]; reserved 1; w1 under writeback]; the machine [committing Flush out 4 updates 0 log 1 asked; free 9; checkpoint [3]; reserved 1; w1 under writeback]",
    },
    Fault {
        name: "the slack is forgotten",
        model: "Upstream-W-12-graph",
        step: |jbd2, state, action| {
            let sizes = Sizes {
                slack: 0,
                ..jbd2.machine.sizes
            };
            let machine = Machine {
                sizes,
                ..jbd2.machine.clone()
            };
            machine.step(state, action)
        },
        tells: "in [w1 Try; free 6; checkpoint [3, 3]], Try(w1): \
                TLC [w1 Space; running Running out 2 updates 0 log 0; free 6; checkpoint [3, 3]]; the machine [w1 Attached; running Running out 4 updates 1 log 0; free 6; checkpoint [3, 3]; reserved 1]",
    },
    Fault {
        name: "the mutex is kept where a commit is waited for",
        model: "Upstream-W-12-graph",
        step: |jbd2, state, action| {
            let policy = Policy {
                mutex: Mutex::Held,
                ..jbd2.machine.policy
            };
            under(policy, jbd2, state, action)
        },
        tells: "in [w1 Checkpoint; running Running out 2 updates 0 log 0; committing Tail out 0 updates 0 log 1 asked; free 6; checkpoint [3]; mutex of w1], FindCommitting(w1): \
                TLC [w1 WaitCommit; running Running out 2 updates 0 log 0; committing Tail out 0 updates 0 log 1 asked; free 6; checkpoint [3]]; the machine [w1 WaitCommit; running Running out 2 updates 0 log 0; committing Tail out 0 updates 0 log 1 asked; free 6; checkpoint [3]; mutex of w1]",
    },
    Fault {
        name: "the tail is updated beside a checkpoint",
        model: "Upstream-W-12-graph",
        step: |jbd2, state, action| {
            let unheld = State {
                mutex: None,
                ..state.clone()
            };
            match action {
                Action::CommitEnd => Some(State {
                    mutex: state.mutex,
                    ..jbd2.step(&unheld, action)?
                }),
                _ => jbd2.step(state, action),
            }
        },
        tells: "in [w1 Checkpoint; running Running out 2 updates 0 log 0; committing Tail out 0 updates 0 log 1 asked; free 6; checkpoint [3]; mutex of w1], CommitEnd(): \
                TLC is not enabled; the machine [w1 Checkpoint; running Running out 2 updates 0 log 0; free 6; checkpoint [3, 3]; mutex of w1]",
    },
    Fault {
        name: "a commit does not wait for the data",
        model: "Ordered-W-12-graph",
        step: |jbd2, state, action| {
            let mut seen = state.clone();
            if action == Action::CommitWrite {
                seen.committing.data.clear();
            }
            jbd2.step(&seen, action)
        },
        tells: "in [committing Flush out 3 updates 0 log 1 data w1 asked; free 9; checkpoint [3]; reserved 1; w1 under writeback], CommitWrite(): \
                TLC is not enabled; the machine [committing Tail out 0 updates 0 log 1 asked; free 6; checkpoint [3]; reserved 1; w1 under writeback]",
    },
    Fault {
        name: "a page is not put on the list of the data",
        model: "Ordered-W-12-graph",
        step: |jbd2, state, action| {
            let policy = Policy {
                data: Data::Unordered,
                ..jbd2.machine.policy
            };
            under(policy, jbd2, state, action)
        },
        tells: "in [w1 Attached; running Running out 4 updates 1 log 0; free 12; reserved 1], Submit(w1): \
                TLC [running Running out 4 updates 0 log 1 data w1; free 12; reserved 1; w1 under writeback]; the machine [running Running out 4 updates 0 log 1; free 12; reserved 1; w1 under writeback]",
    },
    Fault {
        name: "a thread waits for writeback in its handle",
        model: "NoReserveOrdered-W-12-graph",
        step: |jbd2, state, action| {
            let policy = Policy {
                wait: Wait::InHandle,
                ..jbd2.machine.policy
            };
            under(policy, jbd2, state, action)
        },
        tells: "in [running Running out 4 updates 0 log 2 data w1 asked; committing Flush out 3 updates 0 log 1 asked; free 12; w1 under writeback], Start(w1): \
                TLC is not enabled; the machine [w1 Try; running Running out 4 updates 0 log 2 data w1 asked; committing Flush out 3 updates 0 log 1 asked; free 12; w1 under writeback]",
    },
    Fault {
        name: "a restart does not ask for the commit",
        model: "Upstream-PW-12-3-extra-graph",
        step: |jbd2, state, action| {
            let mut next = jbd2.step(state, action)?;
            if let Action::Restart(_) = action {
                next.running.asked = state.running.asked;
            }
            Some(next)
        },
        tells: "in [p1 Denied, w1 Try; running Running out 4 updates 1 log 1; free 9; checkpoint [3]], Restart(p1): \
                TLC [p1 Try, w1 Try; running Running out 4 updates 0 log 2 asked; free 9; checkpoint [3]]; the machine [p1 Try, w1 Try; running Running out 4 updates 0 log 2; free 9; checkpoint [3]]",
    },
    Fault {
        name: "an extension goes beyond the largest transaction",
        model: "Upstream-PW-12-3-extra-graph",
        step: |jbd2, state, action| {
            let policy = Policy {
                extend: Extend::Untested,
                ..jbd2.machine.policy
            };
            under(policy, jbd2, state, action)
        },
        tells: "in [p1 Attached, w1 WaitLocked; running Locked out 3 updates 1 log 0 asked; free 9; checkpoint [3]], Extend(p1): \
                TLC [p1 Denied, w1 WaitLocked; running Locked out 3 updates 1 log 0 asked; free 9; checkpoint [3]]; the machine [p1 Extended, w1 WaitLocked; running Locked out 4 updates 1 log 0 asked; free 9; checkpoint [3]]",
    },
    Fault {
        name: "a commit does not wait for the handles",
        model: "Upstream-W-12-graph",
        step: |jbd2, state, action| {
            let mut seen = state.clone();
            if action == Action::CommitSwitch {
                seen.running.updates = 0;
            }
            let mut next = jbd2.step(&seen, action)?;
            next.running.updates += state.running.updates - seen.running.updates;
            Some(next)
        },
        tells: "in [<<\"kworker\", w1>> Attached; running Locked out 4 updates 1 log 1 asked; free 9; checkpoint [3]; w1 under writeback], CommitSwitch(): \
                TLC is not enabled; the machine [<<\"kworker\", w1>> Attached; running Switch out 4 updates 1 log 1 asked; free 9; checkpoint [3]; w1 under writeback]",
    },
    Fault {
        name: "the commit record takes no block",
        model: "Upstream-W-12-graph",
        step: |jbd2, state, action| {
            let mut next = jbd2.step(state, action)?;
            if action == Action::CommitWrite {
                next.free += 1;
            }
            Some(next)
        },
        tells: "in [committing Flush out 3 updates 0 log 1 asked; free 12], CommitWrite(): \
                TLC [committing Tail out 0 updates 0 log 1 asked; free 9]; the machine [committing Tail out 0 updates 0 log 1 asked; free 10]",
    },
    Fault {
        name: "an empty transaction is checkpointed",
        model: "UserMaxIgnoresOverhead-P-12-large-graph",
        step: |jbd2, state, action| {
            let mut next = jbd2.step(state, action)?;
            if action == Action::CommitEnd && state.committing.log == 0 {
                next.free = state.free;
                next.checkpoint.push(2);
            }
            Some(next)
        },
        tells: "in [p1 Try; committing Tail out 0 updates 0 log 0 asked; free 10], CommitEnd(): \
                TLC [p1 Try; free 12]; the machine [p1 Try; free 10; checkpoint [2]]",
    },
    Fault {
        name: "who waits for the running transaction goes on with the one that commits",
        model: "Upstream-PW-12-3-extra-graph",
        step: |jbd2, state, action| {
            let mut next = jbd2.step(state, action)?;
            for pc in &mut next.pc {
                if *pc == Pc::WaitRunning && action == Action::CommitEnd {
                    *pc = Pc::Space;
                }
            }
            Some(next)
        },
        tells: "in [p1 WaitRunning, w1 WaitLocked; running Running out 3 updates 0 log 1 asked; committing Tail out 0 updates 0 log 1 asked; free 6; checkpoint [3]], CommitEnd(): \
                TLC [p1 WaitRunning, w1 WaitLocked; running Running out 3 updates 0 log 1 asked; free 6; checkpoint [3, 3]]; the machine [p1 Space, w1 WaitLocked; running Running out 3 updates 0 log 1 asked; free 6; checkpoint [3, 3]]",
    },
    Fault {
        name: "a handle starts in an aborted journal",
        model: "Abort-P-6-graph",
        step: |jbd2, state, action| {
            let aborted = match action {
                Action::Try(_) => false,
                _ => state.aborted,
            };
            let seen = State {
                aborted,
                ..state.clone()
            };
            let next = jbd2.step(&seen, action)?;
            Some(State {
                aborted: next.aborted || state.aborted,
                ..next
            })
        },
        tells: "in [p1 Try; running Running out 2 updates 0 log 0; free 6; aborted], Try(p1): \
                TLC is not enabled; the machine [p1 Space; running Running out 2 updates 0 log 0; free 6; aborted]",
    },
];

/// Faults that need more threads or other sizes than the graphs have: the number of states tells them from TLC's.
const COUNTED: [Fault; 2] = [
    Fault {
        name: "a conversion gives none of its credits back",
        model: "Upstream-PW-18-2-spare-safety",
        step: |jbd2, state, action| {
            let mut next = jbd2.step(state, action)?;
            if let Action::Convert(_) = action {
                next.running.out = state.running.out;
            }
            Some(next)
        },
        tells: "81086 states, TLC counts 72662",
    },
    Fault {
        name: "a commit does not wait until a failed test has taken back what it added",
        model: "Upstream-WW-12-half-WokenFits",
        step: |jbd2, state, action| {
            let mut seen = state.clone();
            if action.task().is_none() {
                seen.pc.retain(|pc| *pc != Pc::Undo);
                seen.pc.resize(state.pc.len(), Pc::Idle);
            }
            let mut next = jbd2.step(&seen, action)?;
            if seen.pc != state.pc {
                next.pc.clone_from(&state.pc);
            }
            Some(next)
        },
        tells: "66980 states, TLC counts 19366",
    },
];

#[test]
fn a_fault_is_told() -> Result<()> {
    for fault in FAULTS {
        let graph = corpus::graph(fault.model)?;
        let jbd2 = Jbd2::new(&graph.constants)?;
        let step = |state: &State, action| (fault.step)(&jbd2, state, action);
        assert_told(&jbd2, &graph, (fault.name, fault.tells), step)?;
    }
    Ok(())
}

#[test]
fn a_fault_beyond_the_graphs_is_counted() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = Manifest::load(&root.join("specs"))?;
    for fault in COUNTED {
        let model = manifest.model(fault.model);
        let model = model.context("there is no such model")?;
        let jbd2 = Jbd2::new(&corpus::constants(model))?;
        let (right, _) = reached(&jbd2, |state, action| jbd2.step(state, action));
        assert_eq!(Some(right.len() as u64), model.distinct, "{}", fault.model);
        let (wrong, _) = reached(&jbd2, |state, action| (fault.step)(&jbd2, state, action));
        let told = format!("{} states, TLC counts {}", wrong.len(), right.len());
        println!("{}: {told}", fault.name);
        assert_eq!(told, fault.tells, "{}", fault.name);
    }
    Ok(())
}
