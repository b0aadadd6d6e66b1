//! Random walks of threads with random needs: what the hand-off keeps, what each other way to wake breaks, and that no state makes
//! the machine panic.

use conformance::random::runner;
use interlock::jbd2::reserve_wait::{Action, Machine, Pc, State, Wake};
use interlock_traces::machines::reserve_wait::reserved_is_held;
use proptest::prelude::*;
use proptest::test_runner::TestError;

const STEPS: usize = 300;

/// What is said of each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// The reservations are what the holders reserved, and at most half.
    ReservedIsHeld,
    /// Nobody sleeps first in the queue with credits that fit, even while somebody tests.
    FirstDoesNotFit,
    /// Whoever is woken has its credits: one wake-up a reservation.
    WokenOnce,
    /// Nobody sleeps whose credits fit, unless somebody is awake who tests.
    NoIdleCredits,
}

const ALL: [Promise; 3] = [
    Promise::ReservedIsHeld,
    Promise::FirstDoesNotFit,
    Promise::WokenOnce,
];

impl Promise {
    fn is_kept(self, machine: &Machine, state: &State) -> bool {
        match self {
            Promise::ReservedIsHeld => reserved_is_held(machine, state),
            Promise::FirstDoesNotFit => {
                let first = state.queue.first();
                first.is_none_or(|&first| state.reserved + machine.needs[first] > machine.half)
            }
            Promise::WokenOnce => {
                let mut threads = state.woken.iter().zip(&state.pc);
                threads.all(|(woken, pc)| !woken || matches!(pc, Pc::Hold | Pc::Idle))
            }
            Promise::NoIdleCredits => {
                let fits = |&t: &usize| state.reserved + machine.needs[t] <= machine.half;
                let tests = |pc: &Pc| matches!(pc, Pc::Test | Pc::Undo | Pc::Look);
                !state.queue.iter().any(fits) || state.pc.iter().any(tests)
            }
        }
    }
}

/// What each thread needs, half of the credits, and which of the enabled actions is taken each time.
type Program = (Vec<u32>, u32, Vec<prop::sample::Index>);

fn programs() -> impl Strategy<Value = Program> {
    (
        prop::collection::vec(1..=6u32, 1..=7),
        1..=12u32,
        prop::collection::vec(any::<prop::sample::Index>(), STEPS),
    )
}

/// Walks; fails with the first promise broken that is one of `promises`.
fn walk(
    wake: Wake,
    (needs, half, choices): Program,
    promises: &[Promise],
) -> Result<(), TestCaseError> {
    let machine = Machine::new(needs, half, wake);
    let mut state = machine.init();
    for choice in choices {
        let broken = promises.iter().find(|of| !of.is_kept(&machine, &state));
        if let Some(promise) = broken {
            return Err(TestCaseError::fail(format!("{promise:?} in {state:?}")));
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

#[test]
fn the_hand_off_keeps_every_promise() {
    let found = runner(1500, 2000).run(&programs(), |program| walk(Wake::HandOff, program, &ALL));
    assert!(found.is_ok(), "{found:#?}");
}

#[test]
fn every_way_that_tests_reserves_no_more_than_half() {
    let wake = prop::sample::select(vec![Wake::All, Wake::One, Wake::Chain, Wake::Quiet]);
    let promises = [Promise::ReservedIsHeld];
    let found = runner(1500, 2000).run(&(wake, programs()), |(wake, program)| {
        walk(wake, program, &promises)
    });
    assert!(found.is_ok(), "{found:#?}");
}

/// Linux wakes all, each time that credits are taken off: nobody sleeps whose credits fit.
#[test]
fn who_wakes_all_leaves_no_credits_idle() {
    let promises = [Promise::NoIdleCredits];
    let found = runner(1500, 2000).run(&programs(), |program| walk(Wake::All, program, &promises));
    assert!(found.is_ok(), "{found:#?}");
}

/// The control: each promise is broken by a way to wake that does not make it.
#[test]
fn the_walk_finds_what_other_ways_break() {
    let ways = [
        (Wake::Untested, Promise::ReservedIsHeld),
        (Wake::One, Promise::FirstDoesNotFit),
        (Wake::Chain, Promise::FirstDoesNotFit),
        (Wake::All, Promise::WokenOnce),
        (Wake::Quiet, Promise::NoIdleCredits),
    ];
    for (wake, promise) in ways {
        // A smaller program that breaks it too is of no interest.
        let found = runner(5000, 0).run(&programs(), |program| walk(wake, program, &[promise]));
        assert!(
            matches!(found, Err(TestError::Fail(..))),
            "{wake:?}: {promise:?} is not broken"
        );
    }
}

/// The machine is total: any state, reachable or not, any needs, and any thread. In a state of another machine nothing is enabled.
#[test]
fn no_state_and_no_action_makes_it_panic() {
    let wake = prop::sample::select(Wake::NAMED.to_vec());
    let number = || prop_oneof![8 => 0..8u32, 1 => u32::MAX - 8..=u32::MAX];
    let pcs = prop::sample::select(vec![
        Pc::Idle,
        Pc::Test,
        Pc::Undo,
        Pc::Look,
        Pc::Sleep,
        Pc::Hold,
    ]);
    let state = (
        prop::collection::vec(pcs, 3..=4),
        prop::collection::vec(0..5usize, 0..4),
        number(),
        prop::collection::vec(any::<bool>(), 3..=4),
    );
    let needs = prop::collection::vec(number(), 4);
    let program = (wake, needs, number(), state, 0..6usize);
    let found = runner(20_000, 2000).run(
        &program,
        |((_, wake), needs, half, (pc, queue, reserved, woken), thread)| {
            let machine = Machine::new(needs, half, wake);
            let state = State {
                pc,
                queue,
                reserved,
                woken,
            };
            let ours = (state.pc.len(), state.woken.len()) == (4, 4)
                && state.queue.iter().all(|thread| *thread < 4);
            let offered = machine.actions(&state);
            prop_assert!(ours || offered.is_empty());
            for action in [
                Action::Start(thread),
                Action::Take(thread),
                Action::Fail(thread),
                Action::Undo(thread),
                Action::Sleep(thread),
                Action::Retry(thread),
                Action::Release(thread),
            ] {
                let next = machine.step(&state, action);
                prop_assert_eq!(next.is_some(), offered.contains(&action));
            }
            Ok(())
        },
    );
    assert!(found.is_ok(), "{found:#?}");
}
