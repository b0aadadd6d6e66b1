//! Random walks of a flusher with random pages: the bounds of each variant, what breaks them, and that no state makes the machine
//! panic; and random loops in pieces.

use conformance::latency_histories::Histories;
use conformance::random::runner;
use interlock::latency::machine::{Action, Commit, Flusher, Machine, Realtime, Sizes, State};
use interlock::latency::policy::{Handle, Policy, Preemption, Stop};
use interlock::latency::walk::{Pieces, Walk};
use proptest::prelude::*;
use proptest::test_runner::TestError;

const STEPS: usize = 400;

/// What is said of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// `BoundedStretch`, with a bound that does not grow with the pages.
    ConstantStretch,
    /// `BoundedCommitWait`, with a bound that does not.
    ConstantCommitWait,
    /// `NeverOffWithHandle`.
    NeverOffWithHandle,
    /// Somebody can always take a step.
    NeverStuck,
}

/// The pages, and which of the enabled actions is taken each time.
type Program = (Sizes, Vec<prop::sample::Index>);

fn programs() -> impl Strategy<Value = Program> {
    let sizes = (1..=40u32, 0..=6u32, 1..=4u32, 1..=5u32);
    let sizes = sizes.prop_map(|(pages, mapped, batch, extent)| Sizes {
        pages,
        mapped: mapped.min(pages - 1),
        batch,
        extent,
    });
    (
        sizes,
        prop::collection::vec(any::<prop::sample::Index>(), STEPS),
    )
}

/// `StretchBound`.
fn stretch_bound(machine: &Machine) -> u32 {
    match machine.preemption {
        Preemption::None => stretch_without(machine),
        Preemption::Voluntary => stretch_voluntary(machine),
        Preemption::Full => 1,
    }
}

/// `StretchVoluntary`.
fn stretch_voluntary(machine: &Machine) -> u32 {
    let Machine { sizes, policy, .. } = machine;
    let per_extent = policy.handle == Handle::Extent;
    let submits = if per_extent { sizes.extent } else { 1 };
    if policy.points.submit {
        submits.min(sizes.batch)
    } else if per_extent && policy.stop == Stop::Late {
        submits
    } else {
        submits + 1
    }
}

/// `StretchWithout`; a first pass that the preemption points of no loop interrupt is longer by its pages.
fn stretch_without(machine: &Machine) -> u32 {
    let Machine { sizes, policy, .. } = machine;
    let (batch, extent) = (sizes.batch, sizes.extent);
    let (rest, rest_mapped) = (extent % batch, sizes.mapped % batch);
    if policy.handle == Handle::All {
        1 + batch
    } else if policy.points.stop {
        sizes.mapped + 2 * extent + 4
    } else if policy.points.submit {
        rest.max(2).max(rest_mapped) + 1 + batch
    } else if policy.sync {
        (rest + extent + 2).max(rest_mapped + 1 + batch)
    } else {
        rest + extent + 3 + 1 + batch
    }
}

fn is_kept(promise: Promise, machine: &Machine, state: &State, seen: Histories) -> bool {
    let Sizes { batch, extent, .. } = machine.sizes;
    match promise {
        Promise::ConstantStretch => seen.stretch <= stretch_bound(machine),
        Promise::ConstantCommitWait => {
            seen.held
                <= match machine.preemption {
                    Preemption::None => 2 * extent.div_ceil(batch),
                    Preemption::Voluntary => extent + 2 + extent.div_ceil(batch),
                    Preemption::Full => 2 * extent + 3,
                }
        }
        Promise::NeverOffWithHandle => {
            state.realtime != Realtime::Runs || !state.handle || state.locked == 0
        }
        Promise::NeverStuck => !machine.actions(state).is_empty(),
    }
}

/// Walks; fails with the first promise broken that is one of `promises`.
fn walk(
    policy: Policy,
    preemption: Preemption,
    (sizes, choices): Program,
    promises: &[Promise],
) -> Result<(), TestCaseError> {
    let machine = Machine {
        sizes,
        policy,
        preemption,
    };
    let mut state = machine.init();
    let mut seen = Histories::default();
    for choice in choices {
        let broken = promises
            .iter()
            .find(|promise| !is_kept(**promise, &machine, &state, seen));
        if let Some(promise) = broken {
            return Err(TestCaseError::fail(format!("{promise:?} in {state:?}")));
        }
        let actions = machine.actions(&state);
        if actions.is_empty() {
            break;
        }
        let action = *choice.get(&actions);
        let next = machine.step(&state, action);
        let next = next.expect("an action that is offered is enabled");
        seen.count(&state, action, &next);
        state = next;
    }
    Ok(())
}

/// An extent that is shorter than a pagevec never comes to the preemption point after one.
#[test]
fn a_handle_for_an_extent_of_a_pagevec_keeps_both_bounds() {
    let variants = Policy::NAMED.map(|(_, policy)| policy);
    let variants = variants.into_iter();
    let variants = variants.filter(|policy| policy.handle == Handle::Extent);
    let variants = prop::sample::select(variants.collect::<Vec<_>>());
    let promises = [Promise::ConstantStretch, Promise::ConstantCommitWait];
    let found = runner(400, 500).run(&(variants, programs()), |(policy, (mut sizes, choices))| {
        sizes.extent = sizes.extent.max(sizes.batch);
        walk(policy, Preemption::None, (sizes, choices), &promises)
    });
    assert!(found.is_ok(), "{found:#?}");
}

/// What preempts at might_sleep, or anywhere, has no need of a cond_resched, nor of an extent of a pagevec.
#[test]
fn a_kernel_that_preempts_elsewhere_keeps_its_bounds() {
    let kernels = prop::sample::select(vec![Preemption::Voluntary, Preemption::Full]);
    let variants = prop::sample::select(Policy::NAMED.to_vec());
    let program = (variants, kernels, programs());
    let found = runner(800, 500).run(&program, |((_, policy), preemption, program)| {
        walk(
            policy,
            preemption,
            program.clone(),
            &[Promise::ConstantStretch],
        )?;
        match policy.handle {
            Handle::All => Ok(()),
            Handle::Extent => walk(policy, preemption, program, &[Promise::ConstantCommitWait]),
        }
    });
    assert!(found.is_ok(), "{found:#?}");
}

#[test]
fn a_point_between_handles_keeps_every_promise() {
    let promises = [
        Promise::ConstantStretch,
        Promise::ConstantCommitWait,
        Promise::NeverOffWithHandle,
        Promise::NeverStuck,
    ];
    let found = runner(400, 500).run(&programs(), |program| {
        walk(
            Policy::BETWEEN_HANDLES,
            Preemption::None,
            program,
            &promises,
        )
    });
    assert!(found.is_ok(), "{found:#?}");
}

/// The control: each promise is broken by a variant that does not make it.
#[test]
fn the_walk_finds_what_other_variants_break() {
    use Preemption::{Full, None, Voluntary};
    let variants = [
        (Policy::NO_RESCHED, None, Promise::ConstantStretch),
        (Policy::NO_POINT, None, Promise::ConstantStretch),
        (Policy::PER_EXTENT, None, Promise::ConstantStretch),
        (
            Policy::RESCHED_PER_PAGEVEC,
            None,
            Promise::ConstantCommitWait,
        ),
        (Policy::NO_RESCHED, None, Promise::NeverOffWithHandle),
        (
            Policy::RESCHED_PER_PAGEVEC,
            None,
            Promise::NeverOffWithHandle,
        ),
        (Policy::PER_EXTENT, None, Promise::NeverOffWithHandle),
        (Policy::SYNC_STOP_EARLY, None, Promise::NeverStuck),
        (
            Policy::BETWEEN_HANDLES,
            Voluntary,
            Promise::NeverOffWithHandle,
        ),
        (Policy::BETWEEN_HANDLES, Full, Promise::NeverOffWithHandle),
        (Policy::NO_RESCHED, Voluntary, Promise::ConstantCommitWait),
    ];
    for (policy, preemption, promise) in variants {
        // A smaller program that breaks it too is of no interest.
        let found = runner(5000, 0).run(&programs(), |program| {
            walk(policy, preemption, program, &[promise])
        });
        assert!(
            matches!(found, Err(TestError::Fail(..))),
            "{policy:?}, {preemption:?}: {promise:?} is not broken"
        );
    }
}

/// The machine is total: any state, reachable or not, and any sizes. In one with more pages than the machine has nothing is enabled.
#[test]
fn no_state_and_no_action_makes_it_panic() {
    let number = || prop_oneof![8 => 0..8u32, 1 => u32::MAX - 8..=u32::MAX];
    let flusher = prop::sample::select(vec![
        Flusher::Idle,
        Flusher::Start,
        Flusher::Collect,
        Flusher::Map,
        Flusher::Submit,
        Flusher::Stop,
        Flusher::Sync,
        Flusher::Send,
    ]);
    let realtime = prop::sample::select(vec![Realtime::Sleep, Realtime::Wants, Realtime::Runs]);
    let commit = prop::sample::select(vec![Commit::Idle, Commit::Wait]);
    let pages = (number(), number(), number());
    let state = (flusher, realtime, commit, pages, any::<(bool, bool)>());
    let state = state.prop_map(
        |(flusher, realtime, commit, (next, locked, bio), (handle, point))| State {
            flusher,
            realtime,
            commit,
            next,
            locked,
            bio,
            handle,
            point,
        },
    );
    let sizes = (number(), number(), number(), number());
    let policy = prop::sample::select(Policy::NAMED.to_vec());
    let preemption = prop::sample::select(Preemption::NAMED.to_vec());
    let found = runner(20_000, 2000).run(
        &((policy, preemption), sizes, state),
        |(((_, policy), (_, preemption)), (pages, mapped, batch, extent), state)| {
            let sizes = Sizes {
                pages,
                mapped,
                batch,
                extent,
            };
            let machine = Machine {
                sizes,
                policy,
                preemption,
            };
            let offered = machine.actions(&state);
            let of_its_pages = state.next.checked_add(state.locked);
            let ours = of_its_pages.is_some_and(|of| of <= pages) && state.bio <= pages;
            prop_assert!(ours || offered.is_empty());
            for action in Action::ALL {
                let next = machine.step(&state, action);
                prop_assert_eq!(next.is_some(), offered.contains(&action));
            }
            Ok(())
        },
    );
    assert!(found.is_ok(), "{found:#?}");
}

/// Every item is worked on once and in order, and never more than the bound of them between two yield points.
#[test]
fn a_walk_yields_after_so_many_items_at_most() {
    let pieces = prop_oneof![
        Just(Pieces::Whole),
        (0..40usize).prop_map(Pieces::Batches),
        (0..40usize).prop_map(Pieces::Extents),
    ];
    let found = runner(2000, 2000).run(&(0..500usize, pieces), |(items, pieces)| {
        let (mut next, mut longest) = (0, 0);
        let stretch = std::cell::Cell::new(0);
        Walk::new(items, pieces).run(
            || (),
            |(), item| {
                assert_eq!(item, next);
                next += 1;
                stretch.set(stretch.get() + 1);
                longest = longest.max(stretch.get());
            },
            || stretch.set(0),
        );
        prop_assert_eq!(next, items);
        prop_assert!(longest <= pieces.bound(items));
        prop_assert_eq!(stretch.get(), 0);
        prop_assert_eq!(
            Walk::new(items, pieces).len(),
            Walk::new(items, pieces).count()
        );
        Ok(())
    });
    assert!(found.is_ok(), "{found:#?}");
}
