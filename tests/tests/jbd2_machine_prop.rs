//! Random walks of the machine at random sizes: the journal of today keeps its invariants, a walk like it finds what each control
//! breaks, and no state makes the machine panic.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use conformance::jbd2_invariants::Invariant;
use conformance::random::runner;
use interlock::jbd2::machine::{
    Action, Credits, Load, Machine, Pc, Sizes, State, TState, Task, Transaction,
};
use interlock::jbd2::policy::Policy;
use proptest::prelude::*;
use proptest::test_runner::TestError;

/// Long enough for the log to fill and to be checkpointed several times.
const STEPS: usize = 600;

/// Blocks that the kernel keeps back.
const SLACK: Credits = 32;

/// The sizes of a journal, its load, and which of the enabled actions is taken each time.
type Program = (Sizes, Load, Vec<prop::sample::Index>);

/// Credits, and of them what is used.
fn credits(
    largest: Credits,
    spare: impl Strategy<Value = Credits>,
) -> impl Strategy<Value = (Credits, Credits)> {
    (1..=largest, spare).prop_map(|(uses, spare)| (uses + spare, uses))
}

/// A quarter or a third of the log is for a transaction.
fn sizes(slack: Credits) -> impl Strategy<Value = Sizes> {
    (12..=48i64, 1..=4i64, 3..=4i64).prop_map(move |(max, overhead, part)| Sizes {
        log: max * part,
        max,
        overhead,
        slack,
    })
}

/// Programs whose reservations are larger by `spare` than their use, in a log that keeps `slack` back.
fn programs(spare: RangeInclusive<Credits>, slack: Credits) -> impl Strategy<Value = Program> {
    let tasks = (0..=4usize, 0..=4usize);
    let handles = (credits(8, 0..=4i64), 0..=4i64, credits(4, 0..=3i64));
    let conversions = credits(5, spare);
    let choices = prop::collection::vec(any::<prop::sample::Index>(), STEPS);
    (sizes(slack), tasks, handles, conversions, choices).prop_map(
        |(sizes, (plain, pages), (of_plain, extra, of_page), (reserve, convert_uses), choices)| {
            let load = Load {
                plain,
                pages,
                cost: of_plain.0,
                uses: of_plain.1,
                extra,
                convert_extra: 0,
                page_cost: of_page.0,
                page_uses: of_page.1,
                reserve,
                convert_uses,
            };
            (sizes, load, choices)
        },
    )
}

/// Walks; fails with the first invariant broken that is one of `invariants`.
fn walk(
    policy: Policy,
    (sizes, load, choices): Program,
    invariants: &[Invariant],
    mut visit: impl FnMut(&State, Action),
) -> Result<(), TestCaseError> {
    let machine = Machine::new(policy, sizes, load);
    let mut state = machine.init();
    for choice in choices {
        let broken = invariants.iter().find(|of| !of.holds(&machine, &state));
        if let Some(invariant) = broken {
            let shown = format!("{invariant:?} in {state:?}");
            return Err(TestCaseError::fail(shown));
        }
        let actions = machine.actions(&state);
        if actions.is_empty() {
            break;
        }
        let action = *choice.get(&actions);
        visit(&state, action);
        let next = machine.step(&state, action);
        state = next.expect("an action that is offered is enabled");
    }
    Ok(())
}

/// All but I3.
const ALWAYS: [Invariant; 6] = [
    Invariant::CreditsInBounds,
    Invariant::LoggedWithinCredits,
    Invariant::ReservedIsReserved,
    Invariant::CreditsConserved,
    Invariant::SpaceConserved,
    Invariant::HandlesAreInTime,
];

/// The walks take every action, and a task does everything that it may.
#[test]
fn the_walks_go_everywhere() {
    let seen = RefCell::new((BTreeSet::new(), BTreeSet::new()));
    let found = runner(300, 0).run(&programs(0..=4, SLACK), |program| {
        walk(Policy::UPSTREAM, program, &[], |state, action| {
            let name = format!("{action:?}");
            let name = name.split('(').next().unwrap_or_default().to_owned();
            let (actions, pcs) = &mut *seen.borrow_mut();
            actions.insert(name);
            pcs.extend(state.pc.iter().copied());
        })
    });
    assert!(found.is_ok(), "{found:#?}");
    let (actions, pcs) = seen.into_inner();
    assert_eq!((actions.len(), pcs.len()), (23, 15), "{actions:?}, {pcs:?}");
}

#[test]
fn the_journal_of_today_keeps_its_invariants() {
    let found = runner(1000, 2000).run(&programs(0..=4, SLACK), |program| {
        walk(Policy::UPSTREAM, program, &ALWAYS, |_, _| {})
    });
    assert!(found.is_ok(), "{found:#?}");
}

/// I3, where each reservation has room for the two blocks that a commit writes beside what was dirtied.
#[test]
fn its_log_never_runs_full_if_reservations_are_larger_than_their_use() {
    let found = runner(1000, 2000).run(&programs(2..=4, SLACK), |program| {
        walk(Policy::UPSTREAM, program, &Invariant::ALL, |_, _| {})
    });
    assert!(found.is_ok(), "{found:#?}");
}

/// The cure keeps them too, and hands something over.
#[test]
fn the_hand_over_keeps_the_invariants() {
    let handed_over = Cell::new(0);
    let found = runner(1000, 2000).run(&programs(2..=4, SLACK), |program| {
        walk(Policy::HAND_OVER, program, &Invariant::ALL, |state, _| {
            handed_over.set(handed_over.get() + state.promised.len());
        })
    });
    assert!(found.is_ok(), "{found:#?}");
    assert!(handed_over.get() > 1000, "{handed_over:?} were promised");
}

/// The control: each invariant is broken by a variant that does not keep it.
#[test]
fn the_walk_finds_what_the_controls_break() {
    let variants = [
        (Policy::NO_TEST2, Invariant::CreditsInBounds),
        (Policy::EXTEND_UNTESTED, Invariant::CreditsInBounds),
        (Policy::STOP_GIVES_ALL_BACK, Invariant::LoggedWithinCredits),
        (
            Policy::NEEDED_INSTEAD_OF_MAX,
            Invariant::CommitNeverNeedsSpace,
        ),
        (Policy::NO_TEST4, Invariant::ReservedIsReserved),
        (Policy::UNRESERVE_LEAK, Invariant::CreditsConserved),
        (Policy::TAIL_PAST_CHECKPOINT, Invariant::SpaceConserved),
        (Policy::RESERVED_JOINS_SWITCH, Invariant::HandlesAreInTime),
    ];
    for (policy, invariant) in variants {
        // A smaller program that breaks it too is of no interest.
        let found = runner(5000, 0).run(&programs(2..=4, SLACK), |program| {
            walk(policy, program, &[invariant], |_, _| {})
        });
        assert!(
            matches!(found, Err(TestError::Fail(..))),
            "{policy:?}: {invariant:?} is not broken"
        );
    }
}

/// The control of I3: reservations that are used up, in a log that keeps little back.
#[test]
fn a_log_runs_full_if_reservations_are_used_up() {
    let invariants = [Invariant::CommitNeverNeedsSpace];
    let found = runner(5000, 0).run(&programs(0..=0, 1), |program| {
        walk(Policy::UPSTREAM, program, &invariants, |_, _| {})
    });
    assert!(matches!(found, Err(TestError::Fail(..))), "{found:?}");
}

/// A number of a state that is not the machine's own.
fn any_number() -> impl Strategy<Value = Credits> {
    prop_oneof![30 => -40..40i64, 1 => any::<i64>(), 1 => Just(1 << 40)]
}

fn any_transaction() -> impl Strategy<Value = Transaction> {
    let state = prop::sample::select(vec![
        TState::None,
        TState::Running,
        TState::Locked,
        TState::Switch,
        TState::Flush,
        TState::Tail,
    ]);
    let numbers = [any_number(), any_number(), any_number()];
    let data = prop::collection::btree_set(0..3usize, 0..2);
    (state, numbers, data, any::<bool>()).prop_map(|(state, [out, updates, log], data, asked)| {
        Transaction {
            state,
            out,
            updates,
            log,
            data,
            asked,
        }
    })
}

fn any_task() -> impl Strategy<Value = Task> {
    prop_oneof![
        (0..3usize).prop_map(Task::Plain),
        (0..3usize).prop_map(Task::Pages),
        (0..3usize).prop_map(Task::Worker),
    ]
}

fn any_state() -> impl Strategy<Value = State> {
    let pcs = prop::sample::select(vec![
        Pc::Idle,
        Pc::Try,
        Pc::Undo,
        Pc::WaitReserved,
        Pc::WaitRoom,
        Pc::Space,
        Pc::Checkpoint,
        Pc::WaitCommit,
        Pc::WaitRunning,
        Pc::Attached,
        Pc::Extended,
        Pc::Denied,
    ]);
    (
        [any_transaction(), any_transaction()],
        [any_number(), any_number()],
        prop::collection::vec(any_number(), 0..3),
        prop::collection::vec(0..3usize, 0..3),
        prop::collection::btree_set(0..3usize, 0..3),
        prop::option::of(any_task()),
        prop::collection::vec(pcs, 5..=6),
        prop::collection::vec(any::<bool>(), 1..=2),
        any::<bool>(),
    )
        .prop_map(
            |(
                [running, committing],
                [free, reserved],
                checkpoint,
                queue,
                promised,
                mutex,
                pc,
                writeback,
                aborted,
            )| {
                State {
                    running,
                    committing,
                    free,
                    checkpoint,
                    reserved,
                    queue,
                    promised,
                    mutex,
                    pc,
                    writeback,
                    aborted,
                }
            },
        )
}

/// The machine is total: any state, reachable or not, even of another size, any sizes, and any task.
#[test]
fn no_state_and_no_action_makes_it_panic() {
    let policy = prop::sample::select(Policy::NAMED.to_vec());
    let program = (
        policy,
        programs(0..=4, SLACK),
        any_number(),
        any_state(),
        any_task(),
    );
    let found = runner(20_000, 2000).run(
        &program,
        |((_, policy), (mut sizes, mut load, _), number, state, task)| {
            sizes.max = number;
            (load.plain, load.pages) = (2, 2);
            let machine = Machine::new(policy, sizes, load);
            let offered = machine.actions(&state);
            let foreign = |task: Task| machine.place(task).is_none();
            prop_assert!(offered.is_empty() || !state.mutex.is_some_and(foreign));
            for action in [
                Action::Start(task),
                Action::Try(task),
                Action::Submit(task),
                Action::MakeSpace(task),
                Action::CommitEnd,
            ] {
                let next = machine.step(&state, action);
                prop_assert_eq!(next.is_some(), offered.contains(&action));
            }
            Ok(())
        },
    );
    assert!(found.is_ok(), "{found:#?}");
}
