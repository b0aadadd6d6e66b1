//! Random programs, each by a thread of its own.

use std::sync::{Arc, Barrier};
use std::thread;

use conformance::in_time::in_time;
use conformance::jbd2_log::{Log, Logged, keeps, replay, who};
use interlock::jbd2::machine::{Credits, Load, Machine, Pc, Sizes, Task};
use interlock::jbd2::rules::{HandOver, Rules, WakeAll};
use interlock::jbd2::space::Nothing;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::{Journal, commit, number};

/// What a task of a random program does with its handles, one after another.
#[derive(Debug, Clone, Copy)]
enum Does {
    /// A plain handle; it is extended, and restarted if that is denied.
    Plain { extends: bool },
    /// A handle with a reservation, which is used, or given back.
    Reserves { uses: bool },
    /// A commit, to be waited for.
    Sync,
}

fn does() -> impl Strategy<Value = Does> {
    prop_oneof![
        any::<bool>().prop_map(|extends| Does::Plain { extends }),
        any::<bool>().prop_map(|uses| Does::Reserves { uses }),
        Just(Does::Sync),
    ]
}

/// Sizes for handles of the load, of which some wait for each of the things that there are.
const SMALL: Sizes = Sizes {
    log: 56,
    max: 20,
    overhead: 2,
    slack: 4,
};

const LOAD: Load = Load {
    plain: 4,
    pages: 4,
    cost: 3,
    uses: 2,
    extra: 1,
    convert_extra: 0,
    page_cost: 1,
    page_uses: 1,
    reserve: 6,
    convert_uses: 1,
};

/// The sizes of a thread's handles: those of the load, or larger ones with the thread's number.
fn sized(equal: bool, number: usize, credits: Credits) -> u32 {
    let more = if equal { 0 } else { number as u32 % 3 };
    u32::try_from(credits).expect("a small number") + more
}

fn play<R: Rules>(journal: &Journal<R>, thread: usize, equal: bool, program: &[Does]) {
    let size = |credits| sized(equal, thread, credits);
    for does in program {
        match *does {
            Does::Plain { extends } => {
                let name = who(Task::Plain(thread));
                let started = journal.start(name, size(LOAD.cost), 0, &Nothing);
                let mut ticket = started.expect("it fits");
                thread::yield_now();
                let extended = extends && journal.extend(&mut ticket, number(LOAD.extra));
                if extends && !extended {
                    let spent = number(LOAD.uses);
                    let restarted = journal.restart(ticket, size(LOAD.cost), spent, &Nothing);
                    ticket = restarted.expect("it fits");
                }
                let more = if extended { LOAD.extra } else { 0 };
                journal.stop(ticket, number(LOAD.uses + more));
            }
            Does::Reserves { uses } => {
                let name = who(Task::Pages(thread));
                let (cost, reserve) = (size(LOAD.page_cost), size(LOAD.reserve));
                let started = journal.start(name, cost, reserve, &Nothing);
                let ticket = started.expect("it fits");
                thread::yield_now();
                if !uses {
                    journal.stop_unreserved(ticket, number(LOAD.page_uses));
                    continue;
                }
                let reservation = journal.stop(ticket, number(LOAD.page_uses));
                let reservation = reservation.expect("it was asked for");
                thread::yield_now();
                let started = journal.start_reserved(who(Task::Worker(thread)), reservation);
                let ticket = started.expect("it joins");
                journal.stop(ticket, number(LOAD.convert_uses));
            }
            Does::Sync => {
                if let Some(tid) = journal.ask_commit() {
                    assert_eq!(journal.wait_commit(tid), Ok(()));
                }
            }
        }
    }
}

/// Runs a program, a thread for each task, and returns the steps.
fn runs<R: Rules>(programs: Vec<Vec<Does>>, equal: bool) -> Vec<Logged> {
    let journal = Arc::new(Journal::<R>::new(SMALL, Log::default()));
    in_time(move || {
        thread::scope(|scope| {
            let committer = scope.spawn(|| commit(&journal));
            let together = Barrier::new(programs.len());
            thread::scope(|scope| {
                for (number, program) in programs.iter().enumerate() {
                    let (journal, together) = (&journal, &together);
                    scope.spawn(move || {
                        together.wait();
                        play(journal, number, equal, program);
                    });
                }
            });
            journal.close();
            committer.join().expect("no thread panics");
        });
        journal.probe().taken()
    })
}

fn judge<R: Rules>(programs: Vec<Vec<Does>>, equal: bool) -> Result<(), TestCaseError> {
    let steps = runs::<R>(programs, equal);
    keeps(&SMALL, &steps).map_err(TestCaseError::fail)?;
    if equal {
        let machine = Machine::new(R::POLICY, SMALL, LOAD);
        let states = replay(&machine, &steps).map_err(TestCaseError::fail)?;
        let end = states.last().map(|state| &state.pc[..]).unwrap_or_default();
        prop_assert!(end.iter().all(|pc| *pc == Pc::Idle));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, rng_seed: RngSeed::Fixed(0), ..ProptestConfig::default() })]

    #[test]
    fn random_programs_keep_to_the_machine(
        programs in prop::collection::vec(prop::collection::vec(does(), 1..12), 1..5),
        equal in any::<bool>(),
        hands_over in any::<bool>(),
    ) {
        if hands_over {
            judge::<HandOver>(programs, equal)?;
        } else {
            judge::<WakeAll>(programs, equal)?;
        }
    }
}
