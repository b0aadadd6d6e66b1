//! Who is woken, and who gets reserved credits: the log of the wait for them is a path of `ReserveWait.tla`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use conformance::in_time::{PATIENCE, in_time};
use conformance::jbd2_log::{Log, Logged, keeps, waits_for_reserved, wakes_per_grant};
use interlock::jbd2::machine::{Pc, Sizes};
use interlock::jbd2::probe::{Step, Who};
use interlock::jbd2::reserve_wait::{self as wait, Wake};
use interlock::jbd2::rules::{HandOver, Queue, Rules, WakeAll};
use interlock_traces::machines::reserve_wait::{no_lost_wakeup, reserved_is_held};

use crate::{Journal, SIZES, journal, sleeps_reserved, start, until};

/// `MayTake`: under a hand-over a small reservation does not pass a large one that waits; else it does.
fn passes<R: Rules>() -> Vec<Logged> {
    let journal = journal::<R>();
    let ticket = start(&journal, 1, 1, 3);
    let reservation = journal.stop(ticket, 0).expect("it was asked for");
    let spawn = |name: u32, reserve: u32| {
        let journal = journal.clone();
        thread::spawn(move || {
            in_time(move || {
                let ticket = start(&journal, name, 1, reserve);
                journal.stop_unreserved(ticket, 0);
            })
        })
    };
    let large = spawn(2, 4);
    sleeps_reserved(&journal, 2);
    let small = spawn(3, 2);
    let began = std::time::Instant::now();
    while journal.numbers().queue.len() < 2 && !small.is_finished() {
        assert!(began.elapsed() < PATIENCE, "nobody waits");
        thread::yield_now();
    }
    journal.free_reserved(reservation);
    for thread in [large, small] {
        thread.join().expect("it gets its credits");
    }
    let steps = journal.probe().taken();
    keeps(&SIZES, &steps).expect("the invariants hold");
    steps
}

#[test]
fn a_hand_over_is_in_turn() {
    let waits = |steps: &[Logged]| {
        let mut waits = steps.iter().map(|(step, _)| waits_for_reserved(*step));
        waits.any(|who| who == Some(Who(3)))
    };
    assert!(!waits(&passes::<WakeAll>()));
    assert!(waits(&passes::<HandOver>()));
}

/// One release wakes both of two who wait, who have room beside each other; neither gives anything back before the other has come.
#[test]
fn one_release_lets_two_in() {
    let journal = Arc::new(Journal::<WakeAll>::new(halves(), Log::default()));
    let [much, little] = [(1, 5), (2, 2)].map(|(name, reserve)| start(&journal, name, 0, reserve));
    let both = Arc::new(Barrier::new(2));
    let waiting = [3, 4].map(|name| {
        let (in_it, both) = (Arc::clone(&journal), Arc::clone(&both));
        let thread = thread::spawn(move || {
            in_time(move || {
                let ticket = start(&in_it, name, 0, 2);
                both.wait();
                in_it.stop_unreserved(ticket, 0);
            })
        });
        sleeps_reserved(&journal, name);
        thread
    });
    // The first, woken by the attempt of the second, looks and sleeps on.
    until(|| journal.waiting() == [(Queue::Reserved, 2)]);
    journal.stop_unreserved(much, 0);
    for thread in waiting {
        thread.join().expect("it gets its credits");
    }
    journal.stop_unreserved(little, 0);
}

/// How many wait who want reserved credits.
fn waiting(steps: &[Logged]) -> usize {
    let mut waits = BTreeSet::new();
    for (step, _) in steps {
        if let Some(who) = waits_for_reserved(*step) {
            waits.insert(who);
        } else if let Step::Look(who) | Step::Try(who, Pc::Attached) = step {
            waits.remove(who);
        }
    }
    waits.len()
}

/// Five threads want the credits that there are for one, and whoever has them keeps them until all others wait.
fn herd<R: Rules>() -> (usize, usize) {
    const THREADS: usize = 5;
    let sizes = Sizes {
        log: 64,
        max: 17,
        ..SIZES
    };
    let journal = Arc::new(Journal::<R>::new(sizes, Log::default()));
    let steps = in_time(move || {
        let granted = AtomicUsize::new(0);
        thread::scope(|scope| {
            for name in 0..THREADS {
                let (journal, granted) = (&journal, &granted);
                scope.spawn(move || {
                    let ticket = start(journal, name as u32, 1, 4);
                    let others = THREADS - 1 - granted.fetch_add(1, Ordering::SeqCst);
                    while waiting(&journal.probe().taken()) < others {
                        thread::yield_now();
                    }
                    journal.stop_unreserved(ticket, 0);
                });
            }
        });
        journal.probe().taken()
    });
    keeps(&sizes, &steps).expect("the invariants hold");
    wakes_per_grant(&steps)
}

#[test]
fn a_hand_over_wakes_once_a_grant() {
    assert_eq!(herd::<HandOver>(), (4, 1));
    // Four are woken at each release, then three, and so on; who looks too late sleeps on, and is not counted.
    let (sum, most) = herd::<WakeAll>();
    assert!((4..=4 + 3 + 2 + 1).contains(&sum), "{sum}");
    assert!((1..=4).contains(&most), "{most}");
}

/// What the threads reserve: two of them little, two much. All of their handles fit in one transaction, and `HALF` is what all
/// may reserve.
const NEEDS: [u32; 4] = [2, 5, 2, 5];
const HALF: u32 = 7;

/// A journal in which that much may be reserved.
fn halves() -> Sizes {
    Sizes {
        log: 64,
        max: 2 * i64::from(HALF) + SIZES.overhead,
        ..SIZES
    }
}

/// Has each thread reserve, and give back, so many times.
fn reserve<R: Rules>(times: usize) -> Vec<Logged> {
    let sizes = halves();
    let journal = Arc::new(Journal::<R>::new(sizes, Log::default()));
    let steps = in_time(move || {
        let together = Barrier::new(NEEDS.len());
        thread::scope(|scope| {
            for (name, need) in NEEDS.into_iter().enumerate() {
                let (journal, together) = (&journal, &together);
                scope.spawn(move || {
                    together.wait();
                    for _ in 0..times {
                        let ticket = start(journal, name as u32, 0, need);
                        thread::yield_now();
                        journal.stop_unreserved(ticket, 0);
                    }
                });
            }
        });
        journal.probe().taken()
    });
    keeps(&sizes, &steps).expect("the invariants hold");
    steps
}

/// The thread's actions in `ReserveWait.tla`. Who is served there has its credits, and tries no more.
fn waits(state: &wait::State, step: Step) -> Vec<wait::Action> {
    use wait::Action::{Fail, Release, Retry, Sleep, Start, Take, Undo};
    let thread = |who: Who| who.0 as usize;
    match step {
        Step::Start { who, .. } => vec![Start(thread(who))],
        Step::Try(who, Pc::Attached) => match state.pc[thread(who)] {
            wait::Pc::Hold => vec![],
            _ => vec![Take(thread(who))],
        },
        Step::Try(who, Pc::WaitReserved) => vec![Sleep(thread(who))],
        Step::Fail(who) => vec![Fail(thread(who))],
        Step::Undo(who) => vec![Undo(thread(who))],
        Step::Look(who) => vec![Retry(thread(who))],
        Step::Unreserve(who) => vec![Release(thread(who))],
        other => panic!("{other:?} is not of the wait for reserved credits"),
    }
}

/// Who looks, and sleeps on: the log has no step of it.
fn sleep_on(machine: &wait::Machine, state: &wait::State) -> Vec<wait::Action> {
    let sleeps = (0..NEEDS.len()).map(wait::Action::Sleep);
    let looks = |action: &wait::Action| match action {
        wait::Action::Sleep(t) => state.pc[*t] == wait::Pc::Look,
        _ => false,
    };
    let sleeps = sleeps.filter(looks);
    sleeps
        .filter(|action| machine.step(state, *action).is_some())
        .collect()
}

/// The log is a path of the machine.
fn follows<R: Rules>(wake: Wake) {
    let machine = wait::Machine::new(NEEDS.to_vec(), HALF, wake);
    let (mut sleeps, mut steps) = (0, 0);
    for _ in 0..40 {
        let mut state = machine.init();
        for (step, now) in reserve::<R>(10) {
            let mut take = |state: &mut wait::State, action| {
                let next = machine.step(state, action);
                *state = next.unwrap_or_else(|| panic!("{action:?} is not enabled in {state:?}"));
                sleeps += usize::from(matches!(action, wait::Action::Sleep(_)));
                steps += 1;
            };
            for action in waits(&state, step) {
                take(&mut state, action);
            }
            for action in sleep_on(&machine, &state) {
                take(&mut state, action);
            }
            let promised: i64 = now.promised.iter().map(|(_, credits)| credits).sum();
            assert_eq!(now.reserved + promised, i64::from(state.reserved));
            assert!(reserved_is_held(&machine, &state) && no_lost_wakeup(&machine, &state));
        }
    }
    println!("{wake:?}: {steps} steps, {sleeps} of them to sleep");
}

#[test]
fn reservations_of_different_sizes_wait_as_specified() {
    follows::<HandOver>(Wake::HandOff);
    follows::<WakeAll>(Wake::All);
}
