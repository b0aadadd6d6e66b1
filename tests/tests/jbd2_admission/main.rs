//! A journal's handles in threads of the standard library: what is refused, who is woken, and random programs.

mod programs;
mod waits;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use conformance::in_time::{PATIENCE, in_time};
use conformance::jbd2_log::{Log, keeps, waits_for_reserved, wakes_per_grant};
use interlock::errno::Errno;
use interlock::jbd2::admission::Admission;
use interlock::jbd2::machine::{Credits, Pc, Sizes, TState};
use interlock::jbd2::policy::Policy;
use interlock::jbd2::probe::{Step, Who};
use interlock::jbd2::refused::{Reason, Refused};
use interlock::jbd2::rules::{HandOver, Queue, Release, Rules, WakeAll};
use interlock::jbd2::space::{Checkpointed, Nothing, Store};
use interlock::jbd2::ticket::Ticket;
use interlock::sys::StdSys;

type Journal<R> = Admission<R, StdSys, Log>;

const SIZES: Sizes = Sizes {
    log: 64,
    max: 12,
    overhead: 2,
    slack: 4,
};

fn journal<R: Rules>() -> Arc<Journal<R>> {
    Arc::new(Journal::new(SIZES, Log::default()))
}

/// Waits until this is so.
fn until(is_so: impl Fn() -> bool) {
    let began = std::time::Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "nobody goes to sleep");
        thread::yield_now();
    }
}

/// Waits until somebody takes such a step, after which it sleeps.
fn sleeps<R: Rules>(journal: &Journal<R>, is_meant: impl Fn(Step) -> bool) {
    let takes = || journal.probe().taken();
    until(|| takes().iter().any(|(taken, _)| is_meant(*taken)));
}

/// The same of who waits for reserved credits.
fn sleeps_reserved<R: Rules>(journal: &Journal<R>, name: u32) {
    sleeps(journal, |step| waits_for_reserved(step) == Some(Who(name)));
}

fn number(credits: Credits) -> u32 {
    u32::try_from(credits).expect("a small number")
}

/// The commit thread; two blocks beside what was dirtied, as in the machine.
fn commit<R: Rules>(journal: &Journal<R>) {
    while let Some(committing) = journal.next_commit() {
        if journal.wrote(number(committing.log + 2)).is_err() {
            return;
        }
        journal.ended();
    }
}

fn start<R: Rules>(journal: &Journal<R>, name: u32, credits: u32, reserve: u32) -> Ticket {
    let started = journal.start(Who(name), credits, reserve, &Nothing);
    started.expect("it fits")
}

/// The first commit: of one block that was dirtied, which takes so many of the log.
fn commits_a_block<R: Rules>(journal: &Journal<R>, blocks: u32) {
    let ticket = start(journal, 1, 1, 0);
    journal.stop(ticket, 1);
    assert_eq!(journal.ask_commit(), Some(1));
    assert_eq!(journal.next_commit().map(|commit| commit.log), Some(1));
    assert_eq!(journal.wrote(blocks), Ok(()));
    journal.ended();
}

#[test]
fn what_is_too_large_is_refused() {
    let journal = journal::<WakeAll>();
    let refused = |credits, reserve| {
        let started = journal.start(Who(1), credits, reserve, &Nothing);
        started.expect_err("it is too large").to_string()
    };
    let too_large = "a handle of 11 credits is too large: 10 is the most";
    assert_eq!(refused(11, 0), too_large);
    assert_eq!(refused(9, 2), too_large);
    let reserves = "a reservation of 6 credits is too large: 5 is the most";
    assert_eq!(refused(1, 6), reserves);
    assert_eq!(journal.largest(), 10);
    assert_eq!(journal.numbers().running.state, TState::None);
    let ticket = start(&journal, 1, 10, 0);
    let restarted = journal.restart(ticket, 11, 10, &Nothing);
    assert_eq!(
        restarted.expect_err("it is too large").to_string(),
        too_large
    );
    assert_eq!(journal.numbers().running.updates, 0);
    keeps(&SIZES, &journal.probe().taken()).expect("the invariants hold");
}

#[test]
fn each_refusal_says_why() {
    for (refused, says) in [
        (Refused::Closed, "the journal is closed"),
        (
            Refused::HasReservation,
            "a handle with a reservation cannot restart; it is stopped",
        ),
        (
            Refused::Aborted(Reason::Device(Errno::Io)),
            "the journal is aborted: the device has failed (EIO)",
        ),
        (
            Refused::Aborted(Reason::NoSpace),
            "the journal is aborted: the log is too small for a transaction",
        ),
        (
            Refused::Aborted(Reason::LogFull),
            "the journal is aborted: a commit has found the log full",
        ),
    ] {
        assert_eq!(refused.to_string(), says);
    }
}

#[test]
fn a_handle_is_extended_while_there_is_room() {
    let journal = journal::<WakeAll>();
    let mut ticket = start(&journal, 1, 4, 0);
    assert!(journal.extend(&mut ticket, 3));
    assert_eq!((ticket.credits(), ticket.who()), (7, Who(1)));
    assert!(!journal.extend(&mut ticket, 4));
    assert!(journal.extend(&mut ticket, 3));
    assert_eq!(journal.numbers().running.out, 12);
    assert_eq!(journal.stop(ticket, 8), None);
    assert_eq!(journal.numbers().running.out, 10);
    keeps(&SIZES, &journal.probe().taken()).expect("the invariants hold");
}

#[test]
#[should_panic(expected = "a handle of 2 credits has spent 3")]
fn a_handle_cannot_spend_more_than_it_has() {
    let journal = journal::<WakeAll>();
    let ticket = start(&journal, 1, 2, 0);
    journal.stop(ticket, 3);
}

#[test]
fn a_restart_gets_the_next_transaction() {
    let journal = journal::<WakeAll>();
    let commits = journal.clone();
    let committer = thread::spawn(move || commit(&commits));
    let steps = in_time(move || {
        let ticket = start(&journal, 1, 10, 0);
        assert_eq!(ticket.tid(), 1);
        let restarted = journal.restart(ticket, 10, 4, &Nothing);
        let ticket = restarted.expect("the next has room");
        assert_eq!((ticket.tid(), ticket.credits()), (2, 10));
        journal.stop(ticket, 1);
        assert_eq!(journal.ask_commit(), Some(2));
        assert_eq!(journal.wait_commit(2), Ok(()));
        assert_eq!(journal.ask_commit(), None);
        assert_eq!(journal.numbers().checkpoint, [6, 3]);
        let ticket = start(&journal, 1, 1, 1);
        let refused = journal.restart(ticket, 1, 1, &Nothing);
        assert_eq!(refused, Err(Refused::HasReservation));
        let numbers = journal.numbers();
        assert_eq!((numbers.reserved, numbers.running.updates), (0, 0));
        journal.close();
        assert_eq!(journal.wait_commit(3), Err(Refused::Closed));
        let late = journal.start(Who(1), 1, 0, &Nothing);
        assert_eq!(late, Err(Refused::Closed));
        journal.probe().taken()
    });
    committer.join().expect("no thread panics");
    keeps(&SIZES, &steps).expect("the invariants hold");
}

/// Somebody waits for reserved credits, and gets them when a reservation that was kept is freed.
fn frees<R: Rules>() {
    let journal = journal::<R>();
    let ticket = start(&journal, 1, 1, 3);
    let reservation = journal.stop(ticket, 1).expect("it was asked for");
    assert_eq!(reservation.credits(), 3);
    let waits = journal.clone();
    let waiter = thread::spawn(move || in_time(move || start(&waits, 2, 1, 3)));
    sleeps_reserved(&journal, 2);
    journal.free_reserved(reservation);
    let ticket = waiter.join().expect("it gets its credits");
    journal.stop_unreserved(ticket, 1);
    let numbers = journal.numbers();
    assert_eq!((numbers.reserved, numbers.running.out), (0, 4));
    let steps = journal.probe().taken();
    keeps(&SIZES, &steps).expect("the invariants hold");
    assert_eq!(wakes_per_grant(&steps), (1, 1));
}

#[test]
fn a_reservation_that_is_freed_goes_to_who_waits() {
    frees::<WakeAll>();
    frees::<HandOver>();
}

#[test]
fn an_abort_wakes_everybody() {
    let journal = journal::<HandOver>();
    let ticket = start(&journal, 1, 1, 4);
    let reservation = journal.stop(ticket, 1).expect("it was asked for");
    let ticket = start(&journal, 1, 5, 0);
    let spawn = |name: u32, credits: u32, reserve: u32| {
        let journal = journal.clone();
        thread::spawn(move || {
            in_time(move || {
                let refused = journal.start(Who(name), credits, reserve, &Nothing);
                refused
                    .map(|ticket| journal.stop(ticket, 0))
                    .expect_err("it is aborted")
            })
        })
    };
    let room = spawn(3, 6, 0);
    sleeps(&journal, |step| step == Step::Try(Who(3), Pc::WaitLocked));
    journal.stop(ticket, 1);
    let waits = spawn(4, 1, 2);
    sleeps_reserved(&journal, 4);
    let waiting = journal.clone();
    let done = thread::spawn(move || in_time(move || waiting.wait_commit(1)));
    let reason = Reason::Device(Errno::Io);
    journal.abort(reason);
    journal.abort(Reason::NoSpace);
    for thread in [room, waits] {
        assert_eq!(thread.join().expect("it returns"), Refused::Aborted(reason));
    }
    assert_eq!(
        done.join().expect("it returns"),
        Err(Refused::Aborted(reason))
    );
    assert_eq!(journal.next_commit(), None);
    let started = journal.start_reserved(Who(5), reservation);
    assert_eq!(started, Err(Refused::Aborted(reason)));
}

#[test]
fn the_last_block_of_the_log_is_one() {
    let sizes = Sizes { log: 17, ..SIZES };
    let journal = Journal::<WakeAll>::new(sizes, Log::default());
    assert_eq!(journal.wrote(16), Ok(()));
    assert_eq!(journal.wrote(1), Ok(()));
    assert_eq!(journal.wrote(1), Err(Refused::Aborted(Reason::LogFull)));
}

/// Its blocks are those of the transaction before it, and free with them; or free at once, if there is none.
#[test]
fn a_commit_of_nothing_needs_no_checkpoint() {
    for (dirtied_before, free, checkpoint) in [(false, 64, vec![]), (true, 59, vec![5])] {
        let journal = journal::<HandOver>();
        if dirtied_before {
            commits_a_block(&journal, 3);
        }
        let ticket = start(&journal, 1, 6, 0);
        // One that does not fit asks for the commit.
        let other = journal.clone();
        let waits = thread::spawn(move || {
            in_time(move || {
                let ticket = start(&other, 3, 6, 0);
                other.stop(ticket, 0);
            })
        });
        sleeps(&journal, |step| step == Step::Try(Who(3), Pc::WaitLocked));
        journal.stop(ticket, 0);
        assert_eq!(journal.next_commit().map(|commit| commit.log), Some(0));
        assert_eq!(journal.wrote(2), Ok(()));
        journal.ended();
        waits.join().expect("it returns");
        let numbers = journal.numbers();
        assert_eq!(
            (numbers.free, numbers.checkpoint),
            (free, checkpoint.into())
        );
    }
}

/// A journal that is closed still commits what it was asked for, and who waits for that has it.
#[test]
fn a_commit_that_was_asked_for_ends_though_the_journal_is_closed() {
    for begins_before in [false, true] {
        let journal = journal::<HandOver>();
        let ticket = start(&journal, 1, 1, 0);
        journal.stop(ticket, 1);
        assert_eq!(journal.ask_commit(), Some(1));
        journal.close();
        assert_eq!(journal.wait_commit(2), Err(Refused::Closed));
        let next = || journal.next_commit().map(|commit| commit.tid);
        let before = begins_before.then(next);
        let waiting = journal.clone();
        let done = thread::spawn(move || waiting.wait_commit(1));
        until(|| journal.waiting() == [(Queue::DoneCommit, 1)] || done.is_finished());
        assert_eq!(before.unwrap_or_else(next), Some(1));
        assert_eq!(journal.wrote(3), Ok(()));
        journal.ended();
        assert_eq!(done.join().expect("it returns"), Ok(()));
        assert_eq!(next(), None);
    }
}

/// A journal whose checkpoints hold their mutex while they wait for a commit.
struct HoldsMutex;

impl Rules for HoldsMutex {
    const POLICY: Policy = Policy::CKPT_HOLDS_MUTEX;

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        WakeAll::wakes(release)
    }
}

/// Who makes space, and finds a commit on its way, waits for that commit's end. Its thread, when it does.
fn waits_for_a_commit<R: Rules>(
    journal: &Arc<Journal<R>>,
) -> thread::JoinHandle<Result<Ticket, Refused>> {
    let ticket = start(journal, 1, 4, 0);
    journal.stop(ticket, 4);
    assert_eq!(journal.ask_commit(), Some(1));
    assert_eq!(journal.next_commit().map(|commit| commit.log), Some(4));
    let other = journal.clone();
    let waits = thread::spawn(move || in_time(move || other.start(Who(2), 4, 0, &Nothing)));
    until(|| journal.waiting() == [(Queue::DoneCommit, 1)]);
    waits
}

#[test]
fn who_makes_space_waits_for_a_commit_with_the_mutex_or_without() {
    let sizes = Sizes { log: 17, ..SIZES };
    let journal = Arc::new(Journal::<WakeAll>::new(sizes, Log::default()));
    let waits = waits_for_a_commit(&journal);
    assert_eq!(journal.numbers().mutex, None);
    assert_eq!(journal.wrote(6), Ok(()));
    journal.ended();
    let ticket = waits.join().expect("the commit's blocks are freed");
    journal.stop(ticket.expect("there is space"), 0);
    assert_eq!(
        (journal.numbers().mutex, journal.numbers().free),
        (None, 17)
    );
    // There the commit would wait for the mutex, and its holder for the commit.
    let journal = Arc::new(Journal::<HoldsMutex>::new(sizes, Log::default()));
    let waits = waits_for_a_commit(&journal);
    assert_eq!(journal.numbers().mutex, Some(Who(2)));
    journal.abort(Reason::NoSpace);
    let refused = waits.join().expect("it is told");
    assert_eq!(refused, Err(Refused::Aborted(Reason::NoSpace)));
    assert_eq!(journal.numbers().mutex, None);
}

/// A store whose oldest transaction first has blocks that a newer one owns, and that fails in the end.
struct Moody(AtomicU32, Arc<Journal<WakeAll>>);

impl Store for Moody {
    fn checkpoint(&self) -> Result<Checkpointed, Errno> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            0 => Ok(Checkpointed::Newer(self.1.numbers().running.tid)),
            1 => Ok(Checkpointed::Written),
            _ => Err(Errno::Io),
        }
    }
}

#[test]
fn a_start_waits_for_what_the_store_says() {
    let sizes = Sizes { log: 20, ..SIZES };
    let journal = Arc::new(Journal::<WakeAll>::new(sizes, Log::default()));
    let commits = journal.clone();
    let committer = thread::spawn(move || commit(&commits));
    let steps = in_time(move || {
        let store = Moody(AtomicU32::new(0), journal.clone());
        let refused = (1..10).find_map(|round| {
            let ticket = match journal.start(Who(0), 4, 0, &store) {
                Ok(ticket) => ticket,
                Err(refused) => return Some((round, refused)),
            };
            journal.stop(ticket, 4);
            // The newer transaction that the store speaks of is one that is asked for.
            journal.ask_commit();
            None
        });
        let (_, refused) = refused.expect("the store fails");
        assert_eq!(refused, Refused::Aborted(Reason::Device(Errno::Io)));
        assert_eq!(journal.numbers().mutex, None);
        journal.probe().taken()
    });
    committer.join().expect("no thread panics");
    keeps(&sizes, &steps).expect("the invariants hold");
    let has = |step: Step| steps.iter().any(|(taken, _)| *taken == step);
    assert!(has(Step::FindNewer(Who(0))));
    assert!(has(Step::CheckpointFails(Who(0))));
}

#[test]
fn a_full_log_aborts() {
    let sizes = Sizes { log: 17, ..SIZES };
    let journal = Journal::<WakeAll>::new(sizes, Log::default());
    commits_a_block(&journal, 17);
    assert_eq!(journal.numbers().free, 0);
    let full = Reason::LogFull;
    assert_eq!(journal.wrote(1), Err(Refused::Aborted(full)));
    assert_eq!(journal.numbers().aborted, Some(full));
}
