//! Random walks of passes of random sizes: what the plug of today keeps, what each other variant breaks, and that no state makes
//! the machine panic.

use std::collections::BTreeSet;

use conformance::foreign::{Foreign, assert_refused};
use conformance::random::runner;
use interlock::writeback::plug::{Action, Cpu, Machine, Pc, Queue, Run, State};
use interlock::writeback::plug_policy::Policy;
use interlock_traces::machines::wb_plug::Invariant;
use proptest::prelude::*;
use proptest::test_runner::TestError;

const STEPS: usize = 300;

/// How many inodes, how many requests the device takes, and which of the enabled actions is taken each time.
type Program = (usize, usize, Vec<prop::sample::Index>);

fn programs() -> impl Strategy<Value = Program> {
    (
        1..=8usize,
        1..=4usize,
        prop::collection::vec(any::<prop::sample::Index>(), STEPS),
    )
}

/// Walks; fails with the first promise broken that is one of `promises`.
fn walk(
    policy: Policy,
    (files, slots, choices): Program,
    promises: &[Invariant],
) -> Result<(), TestCaseError> {
    let machine = Machine::new(policy, files, slots);
    let mut state = machine.init();
    for choice in choices {
        if let Some(broken) = promises.iter().find(|promise| !promise.holds(&state)) {
            return Err(TestCaseError::fail(format!("{broken:?} in {state:?}")));
        }
        let actions = machine.actions(&state);
        if actions.is_empty() {
            break;
        }
        let next = machine.step(&state, *choice.get(&actions));
        state = next.expect("an action that is offered is enabled");
    }
    Ok(())
}

/// One of the promises is that a pass issues at most one request more than its plug has breaks.
#[test]
fn the_plug_of_today_keeps_every_promise() {
    let found = runner(600, 2000).run(&programs(), |program| {
        walk(Policy::FLUSH_BEFORE_RESCHED, program, &Invariant::ALL)
    });
    assert!(found.is_ok(), "{found:#?}");
}

/// The control: each promise is broken by a variant that does not make it.
#[test]
fn the_walk_finds_what_other_variants_break() {
    let variants = [
        (Policy::PLUG_PER_INODE, Invariant::BoundedRequests),
        (Policy::FINISH_UNDER_LOCK, Invariant::NoSleepUnderLock),
        (Policy::FINISH_UNDER_LOCK, Invariant::NoIoUnderLock),
        (Policy::DROP_RETAKE, Invariant::PreemptedPlugIsEmpty),
        (Policy::PLUG_OUTSIDE, Invariant::PreemptedPlugIsEmpty),
        (Policy::PLUG_OUTSIDE, Invariant::NobodyWaitsForUnissued),
        (Policy::SLEEP_KEEPS_PLUG, Invariant::NobodyWaitsForUnissued),
    ];
    for (policy, promise) in variants {
        // A smaller program that breaks it too is of no interest.
        let found = runner(5000, 0).run(&programs(), |program| walk(policy, program, &[promise]));
        assert!(
            matches!(found, Err(TestError::Fail(..))),
            "{policy:?}: {promise:?} is not broken"
        );
    }
}

fn states() -> impl Strategy<Value = State> {
    let pcs = vec![
        Pc::Idle,
        Pc::Lock,
        Pc::Pick,
        Pc::Write,
        Pc::Submit,
        Pc::Inode,
        Pc::After,
        Pc::Finish,
        Pc::End,
    ];
    let inode = || prop_oneof![8 => 0..6usize, 1 => usize::MAX - 2..=usize::MAX];
    let count = || prop_oneof![8 => 0..4u32, 1 => u32::MAX - 2..=u32::MAX];
    let run = (inode(), inode()).prop_map(|(first, last)| Run { first, last });
    (
        prop::sample::select(pcs),
        any::<[bool; 4]>(),
        (inode(), inode(), inode()),
        [(); 2].map(|()| prop::collection::btree_set(inode(), 0..4)),
        [(); 2].map(|()| prop::collection::btree_set(run.clone(), 0..3)),
        prop::sample::select(vec![Cpu::On, Cpu::Preempted, Cpu::Asleep]),
        (count(), count()),
    )
        .prop_map(
            |(pc, flags, inodes, [plug, moved], [queue, flying], cpu, (requests, breaks))| {
                let (next, waits, cached) = inodes;
                let [throttled, locked, plugged, resched] = flags;
                State {
                    pc,
                    throttled,
                    next,
                    cached,
                    moved,
                    locked,
                    plugged,
                    plug,
                    queue,
                    flying,
                    cpu,
                    resched,
                    waits,
                    requests,
                    breaks,
                }
            },
        )
}

/// In a state with inodes that are not on this list nothing is enabled, wherever they are.
#[test]
fn what_is_not_the_machines_is_refused() {
    let machine = Machine::new(Policy::FLUSH_BEFORE_RESCHED, 3, 1);
    let own = machine.init();
    let places: &[Foreign<State>] = &[
        ("none in hand", |state| state.next = 0),
        ("behind the end", |state| state.next = 5),
        ("kept", |state| state.cached = 5),
        ("waited for", |state| state.waits = 4),
        ("plugged", |state| {
            state.plug.insert(4);
        }),
        ("plugged, before the first", |state| {
            state.plug.insert(0);
        }),
        ("taken off", |state| {
            state.moved.insert(4);
        }),
        ("queued", |state| {
            state.queue.insert(Run { first: 2, last: 4 });
        }),
        ("queued, before the first", |state| {
            state.queue.insert(Run { first: 0, last: 2 });
        }),
        ("queued backwards", |state| {
            state.queue.insert(Run { first: 2, last: 1 });
        }),
        ("in the device", |state| {
            state.flying.insert(Run { first: 2, last: 4 });
        }),
    ];
    assert_refused(&own, places, |state| machine.actions(state));
}

/// The machine is total: any state, reachable or not, even of another size, and any action.
#[test]
fn no_state_and_no_action_makes_it_panic() {
    let policy = prop::sample::select(Policy::NAMED.to_vec());
    let queue = prop::sample::select(vec![Queue::None, Queue::Keeps, Queue::Merges]);
    let program = (policy, 0..5usize, 0..3usize, queue, states());
    let found = runner(20_000, 2000).run(&program, |(named, files, slots, queue, state)| {
        let (_, policy) = named;
        let mut machine = Machine::new(policy, files, slots);
        machine.queue = queue;
        machine.movable = BTreeSet::from([1, 3, usize::MAX]);
        let offered: BTreeSet<Action> = machine.actions(&state).into_iter().collect();
        let run = Run { first: 2, last: 1 };
        let others = [0, 3, usize::MAX].map(Action::Throttle);
        for action in others.into_iter().chain([Action::Complete(run)]) {
            let next = machine.step(&state, action);
            prop_assert_eq!(next.is_some(), offered.contains(&action));
        }
        Ok(())
    });
    assert!(found.is_ok(), "{found:#?}");
}
