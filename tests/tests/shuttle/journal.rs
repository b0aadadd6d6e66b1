//! Random schedules of clients on the journal itself, a thread that commits and checkpoints, and perhaps one that aborts it. Each client changes
//! blocks of its own: in handles that are extended, restarted, and reserved, it revokes them and uses them for data.
//!
//! A client finds its newest version of a block; what a commit has acknowledged survives a crash at any op of the device, whole; the
//! numbers keep I1 to I7, and nothing is reserved at the end. A lost wake-up is a deadlock.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use conformance::crash::{Pending, Recorder};
use conformance::faulty_journal_rules::{
    AbortsInSilence, CommitsInSilence, EndsTooEarly, ForgetsRevokes, LeaksCredits,
    MovesTailTooEarly, RecordsTooEarly, WritesHomeInSilence,
};
use conformance::jbd2_crashes::{BLOCK, Change, DIVISION, History, area, bytes, empty};
use conformance::jbd2_log::{Log, keeps};
use conformance::symptom::assert_found;
use interlock::device::BlockDevice as _;
use interlock::jbd2::journal::error::JournalError;
use interlock::jbd2::journal::{Handle, Journal};
use interlock::jbd2::log::superblock::Features;
use interlock::jbd2::machine::{Credits, Sizes};
use interlock::jbd2::numbers::Numbers;
use interlock::jbd2::probe::{Probe, Step};
use interlock::jbd2::refused::{Reason, Refused};
use interlock::jbd2::rules::{HandOver, Rules, WakeAll};
use shuttle::rand::Rng as _;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::thread;

use crate::sys::{ShuttleSys, Turns, explore, slept_on};

/// Schedules of each kind.
const SCHEDULES: usize = 200;
const CLIENTS: u64 = 3;
/// Blocks of each client.
const BLOCKS: u64 = 2;
/// Operations of each client.
const OPERATIONS: u32 = 5;
const CHECKPOINTS: usize = 3;
/// Crashes of each schedule.
const CRASHES: usize = 8;
/// So that the same schedules are tried each time.
const SEED: u64 = 23;

/// Of the log that the crashes are of.
const SIZES: Sizes = Sizes {
    log: 39,
    max: 9,
    overhead: 2,
    slack: 4,
};

const FEATURES: Features = Features {
    revoke: true,
    is_64bit: false,
    csum_v3: false,
};

/// The log of the steps, for the journal and for who judges it.
#[derive(Clone, Default)]
struct Steps(Arc<Log>);

impl Probe for Steps {
    fn step(&self, step: Step, now: &Numbers) {
        self.0.step(step, now);
    }
}

type Device = Turns<Recorder>;
type Opened<R> = Journal<Device, R, ShuttleSys, Steps>;
type Opens<R> = Handle<Device, R, ShuttleSys, Steps>;
/// What another thread does with the journal.
type Body<R> = fn(&Opened<R>) -> Result<(), JournalError>;

/// What a client knows of a block: the bytes that it has, or the transaction that has revoked it.
enum Newest {
    Bytes(Vec<u8>),
    Revoked(u32),
}

struct Client<R: Rules> {
    journal: Arc<Opened<R>>,
    device: Device,
    history: Arc<Mutex<History>>,
    first: u64,
    version: u32,
    newest: BTreeMap<u64, Newest>,
    /// The last transaction whose commit it has seen.
    committed: u32,
}

impl<R: Rules> Client<R> {
    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().expect("no client has panicked")
    }

    fn next(&mut self, block: u64) -> Vec<u8> {
        self.version += 1;
        bytes(block, self.version)
    }

    /// The bytes that are read are its newest ones.
    fn knows(&self, block: u64, read: &[u8]) {
        if let Some(Newest::Bytes(newest)) = self.newest.get(&block) {
            assert!(newest == read, "an old version of block {block} is read");
        }
    }

    fn write(&mut self, handle: &mut Opens<R>, block: u64) -> Result<(), JournalError> {
        self.knows(block, &handle.get_write_access(block)?);
        let bytes = self.next(block);
        handle.dirty_metadata(block, &bytes)?;
        let tid = handle.tid().expect("a handle that has not stopped");
        let change = Change::Write(tid, block, bytes.clone());
        self.history().changes.push(change);
        self.newest.insert(block, Newest::Bytes(bytes));
        Ok(())
    }

    fn revoke(&mut self, block: u64) -> Result<(), JournalError> {
        let mut handle = self.journal.start(1, 0)?;
        handle.revoke(block)?;
        let tid = handle.tid().expect("a handle that has not stopped");
        self.history().changes.push(Change::Revoke(tid, block));
        self.newest.insert(block, Newest::Revoked(tid));
        Ok(())
    }

    fn commit(&mut self) -> Result<(), JournalError> {
        if let Some(tid) = self.journal.force_commit()? {
            let mut history = self.history();
            let happened = history.device.ops();
            history.acknowledged.push((happened, tid));
            drop(history);
            self.committed = tid;
        }
        Ok(())
    }

    /// Of a block that is revoked for good.
    fn write_data(&mut self, block: u64) {
        let Some(Newest::Revoked(tid)) = self.newest.get(&block) else {
            return;
        };
        if *tid > self.committed {
            return;
        }
        let bytes = self.next(block);
        let from = self.history().device.ops();
        let written = self.device.write_at(&bytes, block * BLOCK as u64);
        written.expect("the device works");
        self.device.flush().expect("the device works");
        let mut history = self.history();
        let op = from..history.device.ops();
        let change = Change::Data(op, block, bytes.clone());
        history.changes.push(change);
        drop(history);
        self.newest.insert(block, Newest::Bytes(bytes));
    }

    /// A handle that reserves credits for another one: that starts, is freed, or is given back with the first.
    fn reserve(&mut self, block: u64) -> Result<(), JournalError> {
        let mut handle = self.journal.start(1, 2)?;
        self.write(&mut handle, block)?;
        match shuttle::rand::thread_rng().gen_range(0..3) {
            0 => drop(handle),
            1 => drop(handle.stop()),
            _ => {
                let reservation = handle.stop().expect("it was asked for");
                self.write(&mut reservation.start()?, block)?;
            }
        }
        Ok(())
    }

    /// A handle that turns out to be too small.
    fn grow(&mut self) -> Result<(), JournalError> {
        let mut handle = self.journal.start(1, 0)?;
        self.write(&mut handle, self.first)?;
        if !handle.extend(1) {
            handle.restart(1)?;
        }
        self.write(&mut handle, self.first + 1)
    }

    fn operate(&mut self) -> Result<(), JournalError> {
        let mut random = shuttle::rand::thread_rng();
        let block = self.first + random.gen_range(0..BLOCKS);
        match random.gen_range(0..10) {
            0..3 => {
                let mut handle = self.journal.start(2, 0)?;
                self.write(&mut handle, block)
            }
            3 => self.reserve(block),
            4 => self.grow(),
            5..7 => {
                self.write_data(block);
                self.revoke(block)
            }
            _ => {
                self.commit()?;
                self.write_data(block);
                Ok(())
            }
        }
    }

    /// What it knows at the end.
    fn run(mut self) -> (BTreeMap<u64, Newest>, Result<(), JournalError>) {
        let done = (0..OPERATIONS).try_for_each(|_| self.operate());
        (self.newest, done)
    }
}

const ENOUGH: &str = "enough";

/// Nothing has failed but what is refused because the journal was aborted.
fn judge(done: &Result<(), JournalError>, aborts: bool) {
    let refused = Refused::Aborted(Reason::Called(ENOUGH));
    let aborted = Err(JournalError::Refused(refused));
    assert!(*done == Ok(()) || aborts && *done == aborted, "{done:?}");
}

/// One schedule.
fn schedule<R: Rules>(aborts: bool) {
    let recorder = empty(FEATURES);
    let device = Turns::new(recorder.clone());
    let steps = Steps::default();
    let journal = Opened::<R>::open_with(device.clone(), area(), DIVISION, steps.clone());
    let journal = Arc::new(journal.expect("a log that is whole"));
    let history = Arc::new(Mutex::new(History::new(recorder)));
    let client = |number: u64| {
        let client = Client {
            journal: journal.clone(),
            device: device.clone(),
            history: history.clone(),
            first: number * BLOCKS,
            version: 0,
            newest: BTreeMap::new(),
            committed: 0,
        };
        thread::spawn(move || client.run())
    };
    let clients: Vec<_> = (0..CLIENTS).map(client).collect();
    let others: [Body<R>; 2] = [
        |journal| {
            (0..CHECKPOINTS).try_for_each(|_| {
                journal.force_commit()?;
                journal.checkpoint()
            })
        },
        |journal| {
            journal.abort(ENOUGH);
            Ok(())
        },
    ];
    let others = others.into_iter().take(1 + usize::from(aborts));
    let others: Vec<_> = others
        .map(|body| {
            let journal = journal.clone();
            thread::spawn(move || body(&journal))
        })
        .collect();
    for other in others {
        judge(&other.join().expect("no thread panics"), aborts);
    }
    for client in clients {
        let (newest, done) = client.join().expect("no thread panics");
        judge(&done, aborts);
        for (block, newest) in newest {
            let read = journal.read(block).expect("the device works");
            let is_old = matches!(newest, Newest::Bytes(bytes) if bytes != read);
            assert!(!is_old, "an old version of block {block} is read");
        }
    }
    drop(journal);
    credits_come_back(&steps.0, aborts);
    crash(&history.lock().expect("no client has panicked"));
}

fn credits_come_back(log: &Log, aborts: bool) {
    let taken = log.taken();
    keeps(&SIZES, &taken).unwrap_or_else(|broken| panic!("{broken}"));
    let (_, end) = taken.last().expect("some steps");
    let reserved: Credits = end.reserved + end.promised.iter().map(|(_, it)| it).sum::<Credits>();
    assert!(
        (reserved, end.running.updates) == (0, 0) && end.queue.is_empty(),
        "credits are left at the end: {end:?}"
    );
    assert_eq!(end.aborted.is_some(), aborts, "{end:?}");
}

fn crash(history: &History) {
    let mut random = shuttle::rand::thread_rng();
    for _ in 0..CRASHES {
        let cut = random.gen_range(0..=history.device.ops());
        let pending = Pending::EACH[random.gen_range(0..Pending::EACH.len())];
        let crashed = history.crash(cut, pending, || random.r#gen());
        crashed.unwrap_or_else(|why| panic!("{pending:?} behind {cut} ops: {why}"));
    }
}

fn random(schedules: usize) -> RandomScheduler {
    RandomScheduler::new_from_seed(SEED, schedules)
}

fn few_changes(schedules: usize) -> PctScheduler {
    PctScheduler::new_from_seed(SEED, 3, schedules)
}

fn holds<R: Rules>(scheduler: impl Scheduler + 'static, schedules: usize, aborts: bool) {
    assert_eq!(explore(scheduler, move || schedule::<R>(aborts)), schedules);
}

/// So many schedules of each kind; a revoke waits for a checkpoint in some.
fn what_is_acknowledged_survives(schedules: usize) {
    holds::<HandOver>(random(schedules), schedules, false);
    holds::<WakeAll>(random(schedules), schedules, false);
    holds::<HandOver>(few_changes(schedules), schedules, false);
    assert!(
        slept_on("journal::buffers::Buffers"),
        "no revoke has waited for a checkpoint that writes its block"
    );
}

#[test]
fn what_is_acknowledged_survives_and_credits_come_back() {
    what_is_acknowledged_survives(SCHEDULES);
}

#[test]
#[ignore = "nightly: a quarter of a minute"]
fn what_is_acknowledged_survives_in_many_schedules() {
    what_is_acknowledged_survives(20 * SCHEDULES);
}

#[test]
fn an_abort_ends_all() {
    holds::<HandOver>(random(SCHEDULES), SCHEDULES, true);
    holds::<WakeAll>(few_changes(SCHEDULES), SCHEDULES, true);
}

/// Each by what it breaks, and not by anything else.
#[test]
fn faulty_rules_are_found() {
    fn finds<R: Rules>(name: &str, aborts: bool, symptoms: &[&str]) {
        let schedules = 10 * SCHEDULES;
        assert_found(name, symptoms, || {
            explore(random(schedules), move || schedule::<R>(aborts))
        });
    }
    const HANG: &[&str] = &["deadlock"];
    const LOST: &[&str] = &["is not as transaction"];
    const OLD: &str = "an old version of block";
    finds::<CommitsInSilence>("commits in silence", false, HANG);
    finds::<AbortsInSilence>("aborts in silence", true, HANG);
    finds::<LeaksCredits>("leaks credits", false, &["CreditsConserved is broken"]);
    finds::<ForgetsRevokes>("forgets revokes", false, LOST);
    finds::<RecordsTooEarly>("records too early", false, LOST);
    finds::<EndsTooEarly>("ends too early", false, &["was acknowledged"]);
    finds::<MovesTailTooEarly>("moves the tail too early", false, &[LOST[0], OLD]);
    finds::<WritesHomeInSilence>("writes home in silence", false, HANG);
}
