//! Random walks of random inodes: what the lists keep, what each control breaks, and that no state makes the machine panic.

use conformance::random::runner;
use interlock::writeback::list_policy::Policy;
use interlock::writeback::lists::{Action, Kind, Machine, Pc, State, Writer};
use interlock_traces::machines::wb_lists::Invariant;
use proptest::prelude::*;
use proptest::test_runner::TestError;

const STEPS: usize = 150;

/// The inodes, whether an fsync may come again, whether a page is marked at once, and which of the enabled actions is taken each
/// time.
type Program = (Vec<Kind>, bool, bool, Vec<prop::sample::Index>);

fn kinds() -> impl Strategy<Value = Kind> {
    (1..=3usize, any::<bool>(), any::<bool>()).prop_map(|(pages, stamped, synced)| Kind {
        pages,
        stamped,
        synced,
    })
}

fn programs() -> impl Strategy<Value = Program> {
    (
        prop::collection::vec(kinds(), 1..=3),
        any::<bool>(),
        any::<bool>(),
        prop::collection::vec(any::<prop::sample::Index>(), STEPS),
    )
}

/// Walks; fails with the first of `invariants` that is broken.
fn walk(
    policy: Policy,
    (inodes, again, at_once, choices): Program,
    invariants: &[Invariant],
) -> Result<(), TestCaseError> {
    let machine = Machine {
        inodes,
        again,
        at_once,
        policy,
    };
    let mut state = machine.init();
    for choice in choices {
        if let Some(broken) = invariants.iter().find(|of| !of.holds(&state)) {
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

#[test]
fn the_cure_keeps_every_invariant() {
    let found = runner(300, 500).run(&programs(), |program| {
        walk(Policy::QUEUE_AT_ONCE, program, &Invariant::ALL)
    });
    assert!(found.is_ok(), "{found:#?}");
}

/// Linux of today keeps all but one.
#[test]
fn upstream_loses_no_inode() {
    let kept = [
        Invariant::OneList,
        Invariant::NoInodeLost,
        Invariant::NoPagesHidden,
    ];
    let found = runner(300, 500).run(&programs(), |program| {
        walk(Policy::UPSTREAM, program, &kept)
    });
    assert!(found.is_ok(), "{found:#?}");
}

/// The control: each invariant is broken by a variant.
#[test]
fn the_walk_finds_what_others_break() {
    let others = [
        (Policy::UPSTREAM, Invariant::SyncComplete),
        (Policy::NO_SYNC_QUEUED, Invariant::SyncComplete),
        (Policy::SKIP_I_SYNC_ON_SYNC, Invariant::SyncComplete),
        (Policy::NO_FSYNC_REQUEUE, Invariant::NoPagesHidden),
        (Policy::TWO_LISTS, Invariant::OneList),
        (Policy::DROPS_DIRTY, Invariant::NoInodeLost),
    ];
    for (policy, invariant) in others {
        // A smaller program that breaks it too is of no interest.
        let found = runner(5000, 0).run(&programs(), |program| walk(policy, program, &[invariant]));
        assert!(
            matches!(found, Err(TestError::Fail(..))),
            "{policy:?}: {invariant:?} is not broken"
        );
    }
}

fn states() -> impl Strategy<Value = State> {
    let inodes = || prop::collection::btree_set(0..5usize, 0..4);
    let page = || (0..5usize, 0..4usize);
    let pages = move || prop::collection::btree_set(page(), 0..4);
    let pc = prop::sample::select(vec![
        Pc::Idle,
        Pc::Pick,
        Pc::Wait,
        Pc::Write,
        Pc::Spent,
        Pc::Requeue,
        Pc::Done,
        Pc::Queued,
        Pc::Served,
        Pc::Returned,
    ]);
    let tasks = (
        [pc.clone(), pc.clone(), pc],
        [prop::option::of(0..5usize), prop::option::of(0..5usize)],
        [pages(), pages()],
    );
    let of_inodes = (
        [inodes(), inodes(), inodes(), inodes()],
        [inodes(), inodes(), inodes(), inodes()],
    );
    let of_pages = (pages(), prop::option::of(page()), pages());
    (tasks, of_inodes, of_pages).prop_map(
        |(
            (pc, inode, towrite),
            (list, [i_dirty_pages, i_dirty_time, fresh, promised_times]),
            (dirty, marking, promised_pages),
        )| State {
            pc,
            list,
            inode,
            towrite,
            dirty,
            marking,
            i_dirty_pages,
            i_dirty_time,
            fresh,
            promised_pages,
            promised_times,
        },
    )
}

/// The machine is total: any state, reachable or not, and inodes and pages that are not its own.
#[test]
fn no_state_and_no_action_makes_it_panic() {
    let policy = prop::sample::select(Policy::NAMED.to_vec());
    let program = (
        policy,
        prop::collection::vec(kinds(), 0..3),
        states(),
        0..6usize,
        0..5usize,
    );
    let found = runner(5000, 500).run(&program, |((_, policy), inodes, state, i, page)| {
        let machine = Machine {
            inodes,
            again: true,
            at_once: i % 2 == 0,
            policy,
        };
        let offered = machine.actions(&state);
        prop_assert!(
            offered
                .iter()
                .all(|action| machine.step(&state, *action).is_some())
        );
        for action in [
            Action::Dirty((i, page)),
            Action::Mark((i, page)),
            Action::WritePage(Writer::Fsyncer, (i, page)),
            Action::DirtyTime(i),
            Action::Fsync(i),
            Action::FsyncEnd(i),
            Action::Pick(i),
            Action::PickBusy(i),
            Action::Requeue(i),
        ] {
            let _ = machine.step(&state, action);
        }
        Ok(())
    });
    assert!(found.is_ok(), "{found:#?}");
}
