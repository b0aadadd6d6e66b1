//! The simulation of the regression: it is a path of the journal's machine, the same each time, and what it says of the two who
//! are woken has the right order.

use conformance::jbd2_invariants::Invariant;
use interlock::jbd2::policy::Policy;
use interlock_simulation::setup::{Mode, Setup};
use interlock_simulation::tally::{Site, Tally};
use interlock_simulation::{simulate, simulate_watched};

/// A few hundred threads in a journal of so many MiB.
fn setup(journal: u32, policy: Policy) -> Setup {
    Setup {
        policy,
        rounds: (1, 4),
        ..Setup::new(256, journal, Mode::Nolock)
    }
}

fn tally(setup: &Setup) -> Tally {
    simulate(setup).expect("it does not stall")
}

#[test]
fn it_is_the_same_each_time() {
    let setup = setup(4, Policy::UPSTREAM);
    assert_eq!(tally(&setup), tally(&setup));
}

/// A write is six steps of the machine at least: two starts, two grants, a submission and a conversion.
#[test]
fn every_step_is_the_machine_s_and_keeps_the_invariants() {
    for (policy, mode) in [
        (Policy::UPSTREAM, Mode::Nolock),
        (Policy::HAND_OVER, Mode::Nolock),
        (Policy::UPSTREAM, Mode::Lock),
    ] {
        let setup = Setup {
            policy,
            mode,
            threads: 64,
            ..setup(4, policy)
        };
        let (mut seen, mut last) = (0_u64, None);
        let tally = simulate_watched(&setup, &mut |machine, state| {
            seen += 1;
            if seen.is_multiple_of(97) {
                let broken = Invariant::ALL.iter().find(|of| !of.holds(machine, state));
                assert!(broken.is_none(), "{broken:?} after {seen} steps");
            }
            last = Some((machine.clone(), state.clone()));
        });
        let tally = tally.expect("it does not stall");
        let (machine, state) = last.expect("there are steps");
        assert!(Invariant::ALL.iter().all(|of| of.holds(&machine, &state)));
        let least = if mode == Mode::Nolock { 6 } else { 3 };
        assert!(seen > least * tally.writes, "{seen} steps");
        assert!(seen >= tally.steps && tally.commits > 0);
    }
}

#[test]
fn all_are_woken_again_and_again_but_handed_over_to_once() {
    let all = tally(&setup(4, Policy::UPSTREAM));
    let handed = tally(&setup(4, Policy::HAND_OVER));
    let wakes = (all.wakes_per_grant(), handed.wakes_per_grant());
    assert!(wakes.0 > 10.0 * wakes.1, "{wakes:?} wake-ups a start");
    assert_eq!(handed.most_woken, 1);
    assert!(all.most_woken > 10, "{}", all.most_woken);
    assert!(handed.rate() > all.rate());
}

#[test]
fn below_the_threshold_nobody_waits_for_reserved_credits() {
    for policy in [Policy::UPSTREAM, Policy::HAND_OVER] {
        let setup = setup(128, policy);
        let tally = tally(&setup);
        assert!(setup.demand() < 1.0);
        assert_eq!((tally.woken, tally.failed[3]), (0, 0));
        assert!(tally.share(Site::Reserved) == 0.0);
    }
}

/// The seeded fault: a stall is an error, and no low number.
#[test]
fn who_is_not_woken_stalls() {
    for policy in [Policy::UPSTREAM, Policy::HAND_OVER] {
        let setup = Setup {
            is_deaf: true,
            ..setup(4, policy)
        };
        let error = simulate(&setup).expect_err("nobody hears");
        let text = error.to_string();
        assert!(text.starts_with("stalled after "), "{text}");
        assert!(text.contains("sleep for reserved credits"), "{text}");
    }
}

/// The other control: a step that the machine does not take ends the run. A handle of more than half a transaction is refused.
#[test]
fn a_step_that_is_not_the_machine_s_is_an_error() {
    let setup = Setup {
        journal: 0,
        ..setup(4, Policy::UPSTREAM)
    };
    let error = simulate(&setup).expect_err("no handle fits");
    assert_eq!(
        error.to_string(),
        "the journal does not take Fail(Pages(0))"
    );
}
