//! Decisions of `Rwsem.tla` that the graphs of the corpus do not show, some of them in states that no design reaches.

use interlock::rwsem::machine::{Action, Machine, Pc, State};
use interlock::rwsem::policy::Policy;

/// `Place` where a writer joins others: with a reader at the front it does not.
#[test]
fn a_writer_joins_the_writers_at_the_front_and_no_readers() {
    // Readers 0 and 1, writers 2 to 4, of which 3 queues.
    for (policy, holder) in [(Policy::RULE3_NO_GUARD, 0), (Policy::RULE5_IGNORED, 2)] {
        for (queue, joined) in [(vec![4, 1], vec![4, 3, 1]), (vec![1], vec![1, 3])] {
            let machine = Machine::new(2, 3, policy);
            let mut state = machine.init();
            state.pc[holder] = Pc::Hold;
            queue.iter().for_each(|&task| state.pc[task] = Pc::Wait);
            state.queue = queue;
            let next = machine.step(&state, Action::Queue(3));
            assert_eq!(next.map(|next| next.queue), Some(joined), "{policy:?}");
        }
    }
}

/// `Granted` and `Roused` where the first waiter tries for itself: nobody gets the lock before it.
#[test]
fn a_writer_at_the_head_is_merely_woken() {
    // Reader 0, writer 1 that wakes, writer 2.
    for policy in [Policy::XADD420, Policy::WILCOX_V1, Policy::WILCOX_V0] {
        let machine = Machine::new(1, 2, policy);
        let state = State {
            pc: vec![Pc::Wait, Pc::Wake, Pc::Wait],
            queue: vec![2, 0],
            ..machine.init()
        };
        let expected = State {
            pc: vec![Pc::Wait, Pc::Idle, Pc::Try],
            ..state.clone()
        };
        let next = machine.step(&state, Action::Wake(1));
        assert_eq!(next, Some(expected), "{policy:?}");
    }
}

/// `Granted` behind a reader at the head.
#[test]
fn a_wake_up_lets_in_whom_its_design_lets_in() {
    // Readers 0 and 1, writer 2 that wakes, writer 3. Who enters from the queue 0 3 1.
    let designs: [(Policy, &[usize]); 9] = [
        (Policy::BATCH_QUEUE, &[0]),
        (Policy::MUTEX, &[0]),
        (Policy::READER_PREF, &[0, 1]),
        (Policy::XADD420, &[0]),
        (Policy::WILCOX_V0, &[0, 3, 1]),
        (Policy::WILCOX_V1, &[0, 1]),
        (Policy::READER_SPIN53, &[0, 1]),
        (Policy::HANDOFF511, &[0, 1]),
        (Policy::LINUX_MRLOCK2003, &[]),
    ];
    for (policy, lets_in) in designs {
        let machine = Machine::new(2, 2, policy);
        let state = State {
            pc: vec![Pc::Wait, Pc::Wait, Pc::Wake, Pc::Wait],
            queue: vec![0, 3, 1],
            ..machine.init()
        };
        let next = machine.step(&state, Action::Wake(2));
        let next = next.expect("a task that must wake the queue can");
        let holds = |task: &usize| next.pc[*task] == Pc::Hold;
        let entered: Vec<usize> = state.queue.iter().copied().filter(holds).collect();
        assert_eq!(entered, lets_in, "{policy:?}");
    }
}

/// A downgrade lets in `ReadersAhead`, whatever the design's wake-up, in a step of its own where whoever queues wakes too: the
/// models have downgraders with `FrontBatch` and `AllReaders` only.
#[test]
fn a_downgrade_lets_in_the_readers_ahead() {
    // Readers 0 and 1; writer 2 downgrades, writer 3 waits. Who enters from the queues 0 3 1 and 3 1.
    let designs: [(Policy, bool, [&[usize]; 2]); 6] = [
        (Policy::BATCH_QUEUE, false, [&[0], &[]]),
        (Policy::READER_PREF, false, [&[0, 1], &[1]]),
        (Policy::XADD420, true, [&[0], &[]]),
        (Policy::WILCOX_V1, true, [&[0, 1], &[]]),
        (Policy::WILCOX_V0, true, [&[0, 1], &[]]),
        (Policy::LINUX_MRLOCK2003, false, [&[], &[]]),
    ];
    for (policy, wakes, lets_in) in designs {
        let mut machine = Machine::new(2, 2, policy);
        machine.downgraders[2] = true;
        for (queue, lets_in) in [vec![0, 3, 1], vec![3, 1]].into_iter().zip(lets_in) {
            let mut state = machine.init();
            state.pc[2] = Pc::Hold;
            queue.iter().for_each(|&task| state.pc[task] = Pc::Wait);
            let mut expected = State {
                queue: queue.clone(),
                ..state.clone()
            };
            expected.pc[2] = Pc::Shared;
            lets_in
                .iter()
                .for_each(|&task| expected.pc[task] = Pc::Hold);
            expected.queue.retain(|task| !lets_in.contains(task));
            state.queue = queue;
            let mut next = machine.step(&state, Action::Downgrade(2));
            if wakes {
                let shared = next.expect("a writer inside may downgrade");
                state.pc[2] = Pc::Dwake;
                assert_eq!(shared, state, "{policy:?}");
                next = machine.step(&shared, Action::DowngradeWake(2));
            }
            assert_eq!(next, Some(expected), "{policy:?}");
        }
    }
}

/// `MayTake` of a waiter that is not the first. In what the designs reach, only LinuxMrlock2003 has one that tries, so that no
/// graph tells where the first waiter alone may take the lock.
#[test]
fn the_first_waiter_alone_takes_a_lock_handed_off() {
    let takes = |policy, queue: [usize; 2], handoff| {
        let machine = Machine::new(0, 2, policy);
        let mut state = machine.init();
        state.pc = vec![Pc::Try, Pc::Wait];
        state.queue = queue.to_vec();
        state.handoff = handoff;
        machine.step(&state, Action::Take(0)).is_some()
    };
    for (policy, past_the_first) in [
        (Policy::HANDOFF511, true),
        (Policy::XADD420_NO_STEAL, false),
    ] {
        for handoff in [false, true] {
            assert!(takes(policy, [0, 1], handoff));
            assert_eq!(takes(policy, [1, 0], handoff), past_the_first && !handoff);
        }
    }
}

/// `Retries` of a waiter that runs, first in the queue of a free lock.
#[test]
fn a_waiter_takes_the_lock_if_its_design_lets_it_try() {
    let designs = [
        (Policy::BATCH_QUEUE, [false, false]),
        (Policy::XADD420, [false, true]),
        (Policy::XADD420_NO_STEAL, [false, true]),
        (Policy::LINUX_MRLOCK2003, [true, true]),
    ];
    for (policy, expected) in designs {
        // Reader 0, writer 1.
        let machine = Machine::new(1, 1, policy);
        let takes = [0, 1].map(|task| {
            let mut state = machine.init();
            state.pc[task] = Pc::Try;
            state.queue = vec![task];
            machine.step(&state, Action::Take(task)).is_some()
        });
        assert_eq!(takes, expected, "{policy:?}");
    }
}
