//! The comparison with TLC's graphs tells a fault of one line in the machine: what differs, and where.

use anyhow::Result;
use conformance::corpus;
use conformance::difference::assert_told;
use interlock::writeback::list_policy::{Fsync, ISync, Policy, Stamp};
use interlock::writeback::lists::{Action, List, Machine, Pc, State};
use interlock_traces::machines::counterpart::Counterpart;
use interlock_traces::machines::wb_lists::WbLists;

type Step = fn(&WbLists, &State, Action) -> Option<State>;

/// A machine with one wrong line, and the first thing that tells it from TLC's graph.
struct Fault {
    name: &'static str,
    model: &'static str,
    step: Step,
    tells: &'static str,
}

/// The step of the same inodes under another policy.
fn under(policy: Policy, lists: &WbLists, state: &State, action: Action) -> Option<State> {
    let machine = Machine {
        policy,
        ..lists.machine.clone()
    };
    machine.step(state, action)
}

const FAULTS: [Fault; 10] = [
    Fault {
        name: "a queued inode that is marked dirty is moved",
        model: "Upstream-AAF-graph",
        step: |lists, state, action| {
            let policy = Policy {
                queued: false,
                ..Policy::UPSTREAM
            };
            under(policy, lists, state, action)
        },
        tells: "in [flusher Write b; fsyncer Requeue a; caller Served; b_dirty a; b_io b; pages b1; i_dirty_pages b], Dirty(a1): \
                TLC [flusher Write b; fsyncer Requeue a; caller Served; b_dirty a; b_io b; pages a1 b1; i_dirty_pages a b; fresh a]; the machine [flusher Write b; fsyncer Requeue a; caller Served; b_dirty a; b_io b; pages a1 b1; i_dirty_pages a b]",
    },
    Fault {
        name: "a dirty inode stays where it is when an fsync ends",
        model: "Upstream-ATF-tag-graph",
        step: |lists, state, action| {
            let policy = Policy {
                fsync: Fsync::Leaves,
                ..Policy::UPSTREAM
            };
            under(policy, lists, state, action)
        },
        tells: "in [flusher Pick; fsyncer Write a; caller Returned; b_time a; marking a1; i_dirty_time a], WriteInode(Fsyncer): \
                TLC [flusher Pick; fsyncer Requeue a; caller Returned; b_dirty a; marking a1]; the machine [flusher Pick; fsyncer Requeue a; caller Returned; b_time a; marking a1]",
    },
    Fault {
        name: "a sync does not wait for I_SYNC",
        model: "Upstream-AAF-graph",
        step: |lists, state, action| {
            let policy = Policy {
                isync: ISync::Skips,
                ..Policy::UPSTREAM
            };
            under(policy, lists, state, action)
        },
        tells: "in [flusher Pick; fsyncer Write a; caller Served; b_io a b; pages a1 b1; i_dirty_pages a b; promised_pages a1 b1], PickBusy(a): \
                TLC [flusher Wait a; fsyncer Write a; caller Served; b_io a b; pages a1 b1; i_dirty_pages a b; promised_pages a1 b1]; the machine [flusher Pick; fsyncer Write a; caller Served; b_dirty a; b_io b; pages a1 b1; i_dirty_pages a b; fresh a; promised_pages a1 b1]",
    },
    Fault {
        name: "dirtied_when stays as it is",
        model: "Upstream-AAF-graph",
        step: |lists, state, action| {
            let policy = Policy {
                stamp: Stamp::Never,
                ..Policy::UPSTREAM
            };
            under(policy, lists, state, action)
        },
        tells: "in [flusher Requeue b; fsyncer Write a; caller Served; b_io a b; fsyncer towrite a1; pages a1 b1; i_dirty_pages a b], Requeue(b): \
                TLC [flusher Pick; fsyncer Write a; caller Served; b_dirty b; b_io a; fsyncer towrite a1; pages a1 b1; i_dirty_pages a b; fresh b]; the machine [flusher Pick; fsyncer Write a; caller Served; b_dirty b; b_io a; fsyncer towrite a1; pages a1 b1; i_dirty_pages a b]",
    },
    Fault {
        name: "a sync queues at once",
        model: "Upstream-AAF-graph",
        step: |lists, state, action| under(Policy::QUEUE_AT_ONCE, lists, state, action),
        tells: "in [fsyncer Write a; caller Queued; b_io a; b_more b; pages a1 b1; i_dirty_pages a b], StartSync(): \
                TLC [flusher Pick; fsyncer Write a; caller Served; b_io a; b_more b; pages a1 b1; i_dirty_pages a b]; the machine [flusher Pick; fsyncer Write a; caller Served; b_io a b; pages a1 b1; i_dirty_pages a b]",
    },
    Fault {
        name: "queue_io forgets b_more_io",
        model: "Upstream-AAF-graph",
        step: |lists, state, action| {
            let mut next = lists.step(state, action)?;
            if action == Action::QueueIo {
                next.list[List::More as usize].clone_from(state.on(List::More));
                next.list[List::Io as usize].retain(|i| !state.on(List::More).contains(i));
            }
            Some(next)
        },
        tells: "in [flusher Pick; fsyncer Requeue a; b_dirty a; b_more b; pages a1 b1; i_dirty_pages a b], QueueIo(): \
                TLC [flusher Pick; fsyncer Requeue a; b_io a b; pages a1 b1; i_dirty_pages a b]; the machine [flusher Pick; fsyncer Requeue a; b_io a; b_more b; pages a1 b1; i_dirty_pages a b]",
    },
    Fault {
        name: "a sync leaves b_dirty_time alone",
        model: "Upstream-ATF-tag-graph",
        step: |lists, state, action| {
            let mut next = lists.step(state, action)?;
            if action == Action::StartSync {
                next.list[List::Time as usize].clone_from(state.on(List::Time));
                next.list[List::Io as usize].retain(|i| !state.on(List::Time).contains(i));
            }
            Some(next)
        },
        tells: "in [fsyncer Write a; caller Queued; b_time a; pages a1; marking a1; i_dirty_time a; promised_times a], StartSync(): \
                TLC [flusher Pick; fsyncer Write a; caller Served; b_io a; pages a1; marking a1; i_dirty_time a; promised_times a]; the machine [flusher Pick; fsyncer Write a; caller Served; b_time a; pages a1; marking a1; i_dirty_time a; promised_times a]",
    },
    Fault {
        name: "the end of an fsync wakes nobody",
        model: "Upstream-AAF-graph",
        step: |lists, state, action| {
            let mut next = lists.step(state, action)?;
            if let Action::FsyncEnd(_) = action {
                next.pc[0] = state.pc[0];
                next.inode[0] = state.inode[0];
            }
            Some(next)
        },
        tells: "in [flusher Wait a; fsyncer Requeue a; caller Served; b_dirty b; b_io a; pages a1 b1; i_dirty_pages a b; fresh b], FsyncEnd(a): \
                TLC [flusher Pick; caller Served; b_dirty b; b_io a; pages a1 b1; i_dirty_pages a b; fresh b]; the machine [flusher Wait a; caller Served; b_dirty b; b_io a; pages a1 b1; i_dirty_pages a b; fresh b]",
    },
    Fault {
        name: "an inode that is written keeps its flag",
        model: "NoSyncQueued-ATF-graph",
        step: |lists, state, action| {
            let mut next = lists.step(state, action)?;
            if let Action::WriteInode(_) = action {
                next.i_dirty_pages.clone_from(&state.i_dirty_pages);
            }
            Some(next)
        },
        tells: "in [fsyncer Write a; b_dirty a; i_dirty_pages a], WriteInode(Fsyncer): \
                TLC [fsyncer Requeue a; b_dirty a]; the machine [fsyncer Requeue a; b_dirty a; i_dirty_pages a]",
    },
    Fault {
        name: "background work leaves what is dirty on b_dirty",
        model: "NoFsyncRequeue-ATF-tag-graph",
        step: |lists, state, action| {
            let mut next = lists.step(state, action)?;
            let is_syncing = state.pc[2] == Pc::Served;
            if let (Action::Requeue(i), false) = (action, is_syncing)
                && next.list[List::More as usize].remove(&i)
            {
                next.list[List::Dirty as usize].insert(i);
            }
            Some(next)
        },
        tells: "in [flusher Requeue a; caller Returned; b_io a; pages a1; i_dirty_pages a; i_dirty_time a], Requeue(a): \
                TLC [flusher Pick; caller Returned; b_more a; pages a1; i_dirty_pages a; i_dirty_time a]; the machine [flusher Pick; caller Returned; b_dirty a; pages a1; i_dirty_pages a; i_dirty_time a]",
    },
];

#[test]
fn a_fault_is_told() -> Result<()> {
    for fault in FAULTS {
        let graph = corpus::graph(fault.model)?;
        let lists = WbLists::new(&graph.constants)?;
        let step = |state: &State, action| (fault.step)(&lists, state, action);
        assert_told(&lists, &graph, (fault.name, fault.tells), step)?;
    }
    Ok(())
}
