//! A journal that gives up lets go of all who wait: when its device fails or panics under a commit or a checkpoint, and when
//! somebody aborts it while the device does nothing at all. The threads are puppets, so that it can be told when all of them wait.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use conformance::cast::{Cast, Puppets};
use conformance::faulty_journal_rules::AbortsInSilence;
use conformance::in_time::in_time;
use interlock::device::{BlockDevice, MemoryDevice};
use interlock::errno::Errno;
use interlock::jbd2::journal::error::JournalError;
use interlock::jbd2::journal::{Division, Handle, Journal, Reservation};
use interlock::jbd2::log::area::LogArea;
use interlock::jbd2::log::create::create;
use interlock::jbd2::log::superblock::Features;
use interlock::jbd2::probe::NoProbe;
use interlock::jbd2::refused::{Reason, Refused};
use interlock::jbd2::rules::{HandOver, Rules, WakeAll};

const BLOCK: usize = 1024;
const BLOCKS: u64 = 8;
const LOG: u64 = 48;

/// What becomes of the write that the device has stopped at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Fails,
    Panics,
}

/// A device that stops at a write. Clones are the same device.
#[derive(Clone)]
struct Gate {
    device: Arc<MemoryDevice>,
    cast: Cast,
    shared: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Default)]
struct State {
    /// The block that it is to stop at, or the first one behind that.
    stops_at: Option<u64>,
    fate: Option<Fate>,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop_at(&self, block: u64) {
        self.state().stops_at = Some(block);
    }

    fn go_on(&self, fate: Fate) {
        self.cast.goes_on();
        self.state().fate = Some(fate);
        self.shared.1.notify_all();
    }
}

impl BlockDevice for Gate {
    fn sector_size(&self) -> usize {
        self.device.sector_size()
    }

    fn sectors(&self) -> u64 {
        self.device.sectors()
    }

    fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        self.device.read_at(bytes, position)
    }

    fn write_at(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        let mut state = self.state();
        let stops = |block: &u64| position / BLOCK as u64 >= *block;
        if state.stops_at.take_if(|block| stops(block)).is_none() {
            return self.device.write_at(bytes, position);
        }
        self.cast.rests();
        let woken = self
            .shared
            .1
            .wait_while(state, |state| state.fate.is_none());
        state = woken.unwrap_or_else(PoisonError::into_inner);
        let fate = state.fate.take();
        drop(state);
        assert_ne!(fate, Some(Fate::Panics), "the device panics");
        Err(Errno::Io)
    }
}

type Opened<R> = Journal<Gate, R, Puppets>;

/// What a thread has come back with.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Back {
    With(Result<(), JournalError>),
    Panicked,
}

/// A journal, and the threads that call it.
struct Play<R: Rules> {
    cast: Cast,
    device: Gate,
    journal: Arc<Opened<R>>,
    called: Vec<(&'static str, Receiver<Back>)>,
    /// Those of the director's.
    handle: Option<Handle<Gate, R, Puppets>>,
    reservation: Option<Reservation<Gate, R, Puppets>>,
}

impl<R: Rules> Play<R> {
    fn new() -> Self {
        let cast = Cast::directed();
        let sectors = (BLOCKS + LOG) as usize * BLOCK / 512;
        let device = Gate {
            device: Arc::new(MemoryDevice::new(512, sectors, 0)),
            cast: cast.clone(),
            shared: Arc::default(),
        };
        let log = BLOCKS..BLOCKS + LOG;
        let area = LogArea::new(BLOCK, vec![log]);
        let features = Features {
            revoke: true,
            is_64bit: false,
            csum_v3: true,
        };
        create(&device, &area, features, [7; 16]).expect("an empty log");
        let division = Division {
            fraction: 3,
            slack: 8,
        };
        let journal = Journal::open_with(device.clone(), area, division, NoProbe);
        Play {
            cast,
            device,
            journal: Arc::new(journal.expect("a journal")),
            called: Vec::new(),
            handle: None,
            reservation: None,
        }
    }

    fn handle(&self, reserve: u32) -> Handle<Gate, R, Puppets> {
        self.journal.start(2, reserve).expect("there is room")
    }

    /// A handle of the director's changes this block.
    fn write(&self, block: u64) {
        let mut handle = self.handle(0);
        handle.dirty_metadata(block, &[1; BLOCK]).expect("credits");
    }

    /// Nobody does anything any more.
    fn all_rest(&self) {
        while !self.cast.all_rest() {
            thread::yield_now();
        }
    }

    /// A thread calls the journal, and all come to rest.
    fn call(
        &mut self,
        name: &'static str,
        body: impl FnOnce(&Opened<R>) -> Result<(), JournalError> + Send + 'static,
    ) {
        let (tells, told) = channel();
        let journal = self.journal.clone();
        self.cast.spawn(move || {
            let back = catch_unwind(AssertUnwindSafe(|| body(&journal)));
            drop(journal);
            let back = back.map_or(Back::Panicked, Back::With);
            tells.send(back).expect("the director waits");
        });
        self.called.push((name, told));
        self.all_rest();
    }

    /// What each has come back with, once all have or wait for ever: those are none.
    fn back(&self) -> BTreeMap<&'static str, Option<Back>> {
        self.all_rest();
        let called = self.called.iter();
        called
            .map(|(name, told)| (*name, told.try_recv().ok()))
            .collect()
    }
}

fn done<T>(result: Result<T, JournalError>) -> Result<(), JournalError> {
    result.map(drop)
}

/// A commit has stopped at its first log block, and all wait that can: for it, for the next transaction, and for credits.
fn in_commit<R: Rules>() -> Play<R> {
    let mut play = Play::<R>::new();
    play.write(0);
    play.journal.force_commit().expect("the device works");
    // Half of a transaction is reserved, and the block that a checkpoint would write is revoked.
    let mut handle = play.handle(6);
    handle.revoke(0).expect("credits");
    let reservation = handle.stop();
    play.device.stop_at(BLOCKS + 1);
    play.call("commit", |journal| done(journal.force_commit()));
    play.write(1);
    play.handle = Some(play.handle(0));
    play.call("commit behind", |journal| done(journal.force_commit()));
    play.call("checkpoint", |journal| journal.checkpoint());
    play.call("start", |journal| done(journal.start(10, 0)));
    play.call("reserve", |journal| done(journal.start(1, 3)));
    play.reservation = reservation;
    play
}

/// A checkpoint has stopped at the home of its block, and all wait that can: for the mutex that it holds, and for the block.
fn in_checkpoint<R: Rules>() -> Play<R> {
    let mut play = Play::<R>::new();
    play.write(0);
    play.journal.force_commit().expect("the device works");
    play.device.stop_at(0);
    play.call("checkpoint", |journal| journal.checkpoint());
    play.call("checkpoint behind", |journal| journal.checkpoint());
    play.write(1);
    play.call("commit", |journal| done(journal.force_commit()));
    play.call("revoke", |journal| journal.start(2, 0)?.revoke(0));
    play
}

fn refused(reason: Reason) -> Option<Back> {
    let refused = Refused::Aborted(reason);
    Some(Back::With(Err(JournalError::Refused(refused))))
}

fn reason(fate: Fate) -> Reason {
    match fate {
        Fate::Fails => Reason::Device(Errno::Io),
        Fate::Panics => Reason::Panicked,
    }
}

fn a_commit_that_dies<R: Rules>(fate: Fate) {
    let mut play = in_commit::<R>();
    let mut handle = play.handle.take().expect("it was started");
    play.device.go_on(fate);
    for (name, back) in play.back() {
        assert_eq!(back, refused(reason(fate)), "{name}, {fate:?}");
    }
    assert!(!handle.extend(1));
    let reserved = play.reservation.take().expect("it was asked for").start();
    let again = [
        done(reserved),
        handle.restart(1),
        done(play.journal.start(1, 0)),
    ];
    for back in again {
        assert_eq!(Some(Back::With(back)), refused(reason(fate)), "{fate:?}");
    }
}

#[test]
fn a_commit_whose_device_fails_lets_go_of_all_who_wait() {
    in_time(|| a_commit_that_dies::<HandOver>(Fate::Fails));
    in_time(|| a_commit_that_dies::<WakeAll>(Fate::Fails));
}

#[test]
fn a_commit_that_panics_lets_go_of_all_who_wait() {
    in_time(|| a_commit_that_dies::<HandOver>(Fate::Panics));
    in_time(|| a_commit_that_dies::<WakeAll>(Fate::Panics));
}

fn a_checkpoint_that_dies(fate: Fate) {
    let play = in_checkpoint::<HandOver>();
    play.device.go_on(fate);
    let mut back = play.back();
    let panics = (fate == Fate::Panics).then_some(Back::Panicked);
    let expected = panics.or(refused(reason(fate)));
    assert_eq!(back.remove("checkpoint"), Some(expected), "{fate:?}");
    // The block was let go of, as if the revoke had come before the failure.
    assert_eq!(back.remove("revoke"), Some(Some(Back::With(Ok(())))));
    // It is durable, and waits for the mutex alone: its end comes before the abort is seen, or after.
    let commit = back.remove("commit").flatten();
    assert!(
        commit == Some(Back::With(Ok(()))) || commit == refused(reason(fate)),
        "{commit:?}"
    );
    for (name, back) in back {
        assert_eq!(back, refused(reason(fate)), "{name}, {fate:?}");
    }
}

#[test]
fn a_checkpoint_that_dies_lets_go_of_all_who_wait() {
    in_time(|| a_checkpoint_that_dies(Fate::Fails));
    in_time(|| a_checkpoint_that_dies(Fate::Panics));
}

/// Whoever the device has not stopped is let go of though the device does nothing.
fn an_abort<R: Rules>() -> BTreeMap<&'static str, Option<Back>> {
    let mut play = in_commit::<R>();
    play.call("abort", |journal| {
        journal.abort("enough");
        Ok(())
    });
    let back = play.back();
    play.device.go_on(Fate::Fails);
    if back.values().any(Option::is_none) {
        // Its threads are there for ever.
        std::mem::forget(play);
    }
    back
}

#[test]
fn an_abort_lets_go_of_all_who_wait() {
    let mut back = in_time(an_abort::<HandOver>);
    assert_eq!(back.remove("abort"), Some(Some(Back::With(Ok(())))));
    for (name, back) in back {
        assert_eq!(back, refused(Reason::Called("enough")), "{name}");
    }
}

#[test]
fn an_abort_that_wakes_nobody_is_found() {
    let back = in_time(an_abort::<AbortsInSilence>);
    let left: Vec<&str> = back
        .iter()
        .filter(|(_, back)| back.is_none())
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(
        left,
        ["checkpoint", "commit", "commit behind", "reserve", "start"]
    );
}
