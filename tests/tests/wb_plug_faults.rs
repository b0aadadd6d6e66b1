//! The comparison with TLC's graphs tells a fault of one line in the machine of the plug: what differs, and where.

use anyhow::Result;
use conformance::corpus;
use conformance::difference::assert_told;
use interlock::writeback::plug::{Action, Machine, Pc, Queue, Run, State};
use interlock::writeback::plug_policy::Policy;
use interlock_traces::machines::counterpart::Counterpart;
use interlock_traces::machines::wb_plug::WbPlug;

type Step = fn(&WbPlug, &State, Action) -> Option<State>;

/// A machine with one wrong line, and the first thing that tells it from TLC's graph.
struct Fault {
    name: &'static str,
    model: &'static str,
    step: Step,
    tells: &'static str,
}

/// The step of the same pass under another policy.
fn under(policy: Policy, plug: &WbPlug, state: &State, action: Action) -> Option<State> {
    let machine = Machine {
        policy,
        ..plug.machine.clone()
    };
    machine.step(state, action)
}

const FAULTS: [Fault; 15] = [
    Fault {
        name: "the plug stays as it is before a preemption",
        model: "FlushBeforeResched-F2-graph",
        step: |plug, state, action| under(Policy::PLUG_OUTSIDE, plug, state, action),
        tells: "in [After On next 2 plugged wanted; plug {1}; flying ; 0 requests, 0 breaks], Resched(): \
                TLC [Lock Preempted next 2 plugged; plug {}; flying {1}; 1 requests, 1 breaks]; the machine [Lock Preempted next 2 plugged; plug {1}; flying ; 0 requests, 0 breaks]",
    },
    Fault {
        name: "the plug is finished with the lock held",
        model: "DropRetake-F2-graph",
        step: |plug, state, action| under(Policy::FINISH_UNDER_LOCK, plug, state, action),
        tells: "in [Pick On next 3 locked plugged wanted; plug {1 2}; flying ; waits for 1; 0 requests, 0 breaks], Pick(): \
                TLC [Finish On next 3 plugged wanted; plug {1 2}; flying ; waits for 1; 0 requests, 0 breaks]; the machine [Finish On next 3 locked plugged wanted; plug {1 2}; flying ; waits for 1; 0 requests, 0 breaks]",
    },
    Fault {
        name: "the plug begins under the lock",
        model: "PlugOutside-F2-graph",
        step: |plug, state, action| under(Policy::DROP_RETAKE, plug, state, action),
        tells: "in [Idle On next 1; plug {}; flying ; 0 requests, 0 breaks], Begin(): \
                TLC [Lock On next 1 plugged; plug {}; flying ; 0 requests, 0 breaks]; the machine [Lock On next 1; plug {}; flying ; 0 requests, 0 breaks]",
    },
    Fault {
        name: "the scheduler forgets the plug",
        model: "FlushBeforeResched-F2-graph",
        step: |plug, state, action| under(Policy::SLEEP_KEEPS_PLUG, plug, state, action),
        tells: "in [Write On next 2 plugged wanted; plug {1}; flying ; waits for 1; 0 requests, 0 breaks], Sleep(): \
                TLC [Submit Asleep next 2 plugged wanted; plug {}; flying {1}; waits for 1; 1 requests, 1 breaks]; the machine [Submit Asleep next 2 plugged wanted; plug {1}; flying ; waits for 1; 0 requests, 0 breaks]",
    },
    Fault {
        name: "neighbours are two requests",
        model: "PlugOutside-F2-graph",
        step: |plug, state, action| {
            let mut next = plug.step(state, action)?;
            let both = Run { first: 1, last: 2 };
            if action == Action::Finish && next.flying.remove(&both) {
                let single = |inode| Run {
                    first: inode,
                    last: inode,
                };
                next.flying.extend([1, 2].map(single));
            }
            Some(next)
        },
        tells: "in [Finish On next 3 plugged wanted; plug {1 2}; flying ; waits for 1; 0 requests, 0 breaks], Finish(): \
                TLC [End On next 3 wanted; plug {}; flying {1, 2}; waits for 1; 1 requests, 0 breaks]; the machine [End On next 3 wanted; plug {}; flying {1} {2}; waits for 1; 1 requests, 0 breaks]",
    },
    Fault {
        name: "a break is not counted",
        model: "FlushBeforeResched-F2-graph",
        step: |plug, state, action| {
            let mut next = plug.step(state, action)?;
            if action == Action::Resched {
                next.breaks = state.breaks;
            }
            Some(next)
        },
        tells: "in [After On next 2 plugged wanted; plug {1}; flying ; 0 requests, 0 breaks], Resched(): \
                TLC [Lock Preempted next 2 plugged; plug {}; flying {1}; 1 requests, 1 breaks]; the machine [Lock Preempted next 2 plugged; plug {}; flying {1}; 1 requests, 0 breaks]",
    },
    Fault {
        name: "a completion wakes nobody",
        model: "PlugOutside-F2-graph",
        step: |plug, state, action| {
            let mut next = plug.step(state, action)?;
            if let Action::Complete(_) = action {
                next.waits = state.waits;
                next.throttled = state.throttled;
            }
            Some(next)
        },
        tells: "in [End On next 3 wanted; plug {}; flying {1, 2}; waits for 1; 1 requests, 0 breaks], Complete({1, 2}): \
                TLC [End On next 3 wanted; plug {}; flying ; 1 requests, 0 breaks]; the machine [End On next 3 wanted; plug {}; flying ; waits for 1; 1 requests, 0 breaks]",
    },
    Fault {
        name: "the device takes one request more",
        model: "PlugPerInode-F2-graph",
        step: |plug, state, action| {
            let machine = Machine {
                slots: plug.machine.slots + 1,
                ..plug.machine.clone()
            };
            machine.step(state, action)
        },
        tells: "in [Inode On next 3 plugged wanted; plug {2}; flying {1}; waits for 1; 1 requests, 0 breaks], Finish(): \
                TLC [Inode Asleep next 3 plugged wanted; plug {2}; flying {1}; waits for 1; 1 requests, 0 breaks]; the machine [After On next 3 wanted; plug {}; flying {1} {2}; waits for 1; 2 requests, 0 breaks]",
    },
    Fault {
        name: "who sleeps for room wakes up without",
        model: "PlugPerInode-F2-graph",
        step: |plug, state, action| {
            let mut seen = state.clone();
            if action == Action::Resume {
                seen.flying.clear();
            }
            let mut next = plug.step(&seen, action)?;
            if action == Action::Resume {
                next.flying.clone_from(&state.flying);
            }
            Some(next)
        },
        tells: "in [Inode Asleep next 3 plugged wanted; plug {2}; flying {1}; waits for 1; 1 requests, 0 breaks], Resume(): \
                TLC is not enabled; the machine [Inode On next 3 plugged wanted; plug {2}; flying {1}; waits for 1; 1 requests, 0 breaks]",
    },
    Fault {
        name: "the wish for the processor outlives the preemption",
        model: "PlugOutside-F2-graph",
        step: |plug, state, action| {
            let mut next = plug.step(state, action)?;
            if action == Action::Resched {
                next.resched = true;
            }
            Some(next)
        },
        tells: "in [After On next 2 plugged wanted; plug {1}; flying ; 0 requests, 0 breaks], Resched(): \
                TLC [Lock Preempted next 2 plugged; plug {1}; flying ; 0 requests, 0 breaks]; the machine [Lock Preempted next 2 plugged wanted; plug {1}; flying ; 0 requests, 0 breaks]",
    },
    Fault {
        name: "a pass ends before its I/O",
        model: "PlugOutside-F2-graph",
        step: |plug, state, action| {
            let mut seen = state.clone();
            if action == Action::End {
                seen.flying.clear();
            }
            let mut next = plug.step(&seen, action)?;
            if action == Action::End {
                next.flying.clone_from(&state.flying);
            }
            Some(next)
        },
        tells: "in [End On next 3 wanted; plug {}; flying {2}; 2 requests, 1 breaks], End(): \
                TLC is not enabled; the machine [Idle On next 1 wanted; plug {}; flying {2}; 0 requests, 0 breaks]",
    },
    Fault {
        name: "the next inode is looked up anew",
        model: "CachesNext-F2-moved-graph",
        step: |plug, state, action| under(Policy::DROP_RETAKE, plug, state, action),
        tells: "in [Pick On next 1 locked plugged wanted; cached 0, moved {2}; plug {}; flying ; 0 requests, 0 breaks], Pick(): \
                TLC [Write On next 1 plugged wanted; cached 3, moved {2}; plug {}; flying ; 0 requests, 0 breaks]; the machine [Write On next 1 plugged wanted; cached 0, moved {2}; plug {}; flying ; 0 requests, 0 breaks]",
    },
    Fault {
        name: "somebody else takes the inode in hand",
        model: "CachesNext-F2-moved-graph",
        step: |plug, state, action| {
            let mut seen = state.clone();
            if matches!((action, state.pc), (Action::Move(_), Pc::Write)) {
                seen.pc = Pc::Lock;
            }
            let mut next = plug.step(&seen, action)?;
            if let Action::Move(_) = action {
                next.pc = state.pc;
            }
            Some(next)
        },
        tells: "in [Write On next 2 plugged wanted; cached 3, moved {}; plug {1}; flying ; waits for 1; 0 requests, 0 breaks], Move(2): \
                TLC is not enabled; the machine [Write On next 2 plugged wanted; cached 3, moved {2}; plug {1}; flying ; waits for 1; 0 requests, 0 breaks]",
    },
    Fault {
        name: "the queue does not merge",
        model: "PlugPerInode-merges-F2-graph",
        step: |plug, state, action| {
            let machine = Machine {
                queue: Queue::Keeps,
                ..plug.machine.clone()
            };
            machine.step(state, action)
        },
        tells: "in [Write On next 2 plugged wanted; plug {}; queue {1}; flying ; waits for 1; 0 requests, 0 breaks], Submit(): \
                TLC [Inode On next 3 plugged wanted; plug {}; queue {1, 2}; flying ; waits for 1; 0 requests, 0 breaks]; the machine [Inode On next 3 plugged wanted; plug {2}; queue {1}; flying ; waits for 1; 0 requests, 0 breaks]",
    },
    Fault {
        name: "what leaves the queue is not counted",
        model: "PlugPerInode-merges-F2-graph",
        step: |plug, state, action| {
            let mut next = plug.step(state, action)?;
            if let Action::Issue(_) = action {
                next.requests = state.requests;
            }
            Some(next)
        },
        tells: "in [After On next 2 wanted; plug {}; queue {1}; flying ; waits for 1; 0 requests, 0 breaks], Issue({1}): \
                TLC [After On next 2 wanted; plug {}; flying {1}; waits for 1; 1 requests, 0 breaks]; the machine [After On next 2 wanted; plug {}; flying {1}; waits for 1; 0 requests, 0 breaks]",
    },
];

#[test]
fn a_fault_is_told() -> Result<()> {
    for fault in FAULTS {
        let graph = corpus::graph(fault.model)?;
        let plug = WbPlug::new(&graph.constants)?;
        let step = |state: &State, action| (fault.step)(&plug, state, action);
        assert_told(&plug, &graph, (fault.name, fault.tells), step)?;
    }
    Ok(())
}
