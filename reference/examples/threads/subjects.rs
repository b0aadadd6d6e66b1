//! The threads on each lock, the file, the journal and the flusher, on any system. What they guard is plain memory.

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::{Arc, Barrier};
use std::thread;

use interlock::device::MemoryDevice;
use interlock::dio::file::{DirectFile, Layout};
use interlock::dio::policy::Policy as DioPolicy;
use interlock::dio::probe::NoProbe as NoDioProbe;
use interlock::dio::rules::Specified;
use interlock::dio::workers::Workers;
use interlock::jbd2::journal::{Division, Journal};
use interlock::jbd2::log::area::LogArea;
use interlock::jbd2::log::create::create;
use interlock::jbd2::log::superblock::Features;
use interlock::jbd2::probe::NoProbe as NoJournalProbe;
use interlock::jbd2::rules::HandOver;
use interlock::range;
use interlock::range::list::RangeList;
use interlock::range::list_policy::Policy as ListPolicy;
use interlock::range::list_sys::ListSys;
use interlock::range::lock::RangeLock;
use interlock::range::policy::Policy as RangePolicy;
use interlock::sys::System;
use interlock::writeback::flusher::{Flusher, Sizes};
use interlock::writeback::flusher_probe::NoProbe as NoFlusherProbe;
use interlock::writeback::rules::Today;
use interlock_rwlock::Kind;
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::probe::NoProbe;
use interlock_rwlock::queued;
use interlock_rwlock::queued::lock::RawQueuedRwLock;
use interlock_rwlock::queued::state::Mode;
use interlock_rwlock::sys::Sys;
use interlock_rwlock::word::Word;

const THREADS: usize = 4;
/// Turns of a thread at a lock.
const TURNS: usize = 5_000;
/// Turns of one at what moves blocks.
const IO_TURNS: usize = 400;
const BLOCK: usize = 1024;

/// A lock, and the cells that it guards.
struct Guarded<L> {
    lock: L,
    cells: [UnsafeCell<u64>; 8],
}

// SAFETY: cells are read and written under the lock, or there is a race to report.
unsafe impl<L: Sync> Sync for Guarded<L> {}

impl<L> Guarded<L> {
    fn new(lock: L) -> Self {
        Guarded {
            lock,
            cells: Default::default(),
        }
    }

    /// The caller holds these for reading.
    fn read(&self, cells: Range<usize>) -> u64 {
        // SAFETY: held.
        self.cells[cells]
            .iter()
            .map(|cell| unsafe { *cell.get() })
            .sum()
    }

    /// The caller holds these for writing.
    fn write(&self, cells: Range<usize>) {
        // SAFETY: held.
        self.cells[cells]
            .iter()
            .for_each(|cell| unsafe { *cell.get() += 1 });
    }
}

/// So many threads, each with its number and that of its turn. None begins before all are there, and none ends before all have done their turns:
/// ThreadSanitizer takes a thread that came after another had ended for that one. Of two barriers, since one would order the turns of
/// who is through before those of who has yet to begin.
fn turns<T: Send + Sync + 'static>(shared: T, turns: usize, turn: fn(&T, usize, usize)) {
    let barrier = || Barrier::new(THREADS);
    let shared = Arc::new((shared, barrier(), barrier()));
    let threads: Vec<_> = (0..THREADS)
        .map(|number| {
            let shared = shared.clone();
            thread::spawn(move || {
                let (shared, begin, end) = &*shared;
                begin.wait();
                (0..turns).for_each(|count| turn(shared, number, count));
                end.wait();
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("no thread panics");
    }
}

/// `BarrierRwLock`: two threads read, two write, each third time by a try.
pub fn rwlock<S: Sys<Word: Send + Sync, Beds: Send + Sync> + 'static>() {
    let lock = RawBarrierRwLock::<S>::with(Word::FREE, NoProbe);
    turns(Guarded::new(lock), TURNS, |shared, number, turn| {
        let kind = [Kind::Reader, Kind::Writer][number % 2];
        let tried = (turn % 3 == 0)
            .then(|| shared.lock.try_hold(kind))
            .flatten();
        let hold = tried.unwrap_or_else(|| shared.lock.hold(kind));
        match kind {
            Kind::Reader => drop(shared.read(0..2)),
            Kind::Writer => shared.write(0..2),
        }
        drop(hold);
    });
}

/// `RawQueuedRwLock`: threads that read, write, and read with a claim to write.
pub fn queued<S>()
where
    S: queued::sys::Sys,
    RawQueuedRwLock<S>: Send + Sync,
{
    turns(
        Guarded::new(RawQueuedRwLock::<S>::default()),
        TURNS,
        |shared, number, _| {
            let mode = [Mode::Read, Mode::Write, Mode::Upgradable, Mode::Write][number];
            let hold = shared.lock.hold(mode);
            match mode {
                Mode::Write => shared.write(0..2),
                _ => drop(shared.read(0..2)),
            }
            drop(hold);
        },
    );
}

/// A lock of ranges.
trait Ranged {
    /// Does something while a range is held, for writing or for reading.
    fn holding(&self, range: Range<u64>, writes: bool, act: impl FnOnce());
}

impl<S: range::sys::Sys> Ranged for RangeLock<S> {
    fn holding(&self, range: Range<u64>, writes: bool, act: impl FnOnce()) {
        let _guard = match writes {
            true => self.write(range),
            false => self.read(range),
        };
        act();
    }
}

impl<S: ListSys> Ranged for RangeList<S> {
    fn holding(&self, range: Range<u64>, writes: bool, act: impl FnOnce()) {
        let _guard = match writes {
            true => self.write(range),
            false => self.read(range),
        };
        act();
    }
}

/// Threads that hold two cells at a time, one of three turns for writing.
fn pairs<L: Ranged + Send + Sync + 'static>(lock: L) {
    turns(Guarded::new(lock), TURNS, |shared, number, turn| {
        let first = (3 * number + turn) % 7;
        let cells = first..first + 2;
        let writes = (number + turn).is_multiple_of(3);
        let range = cells.start as u64..cells.end as u64;
        shared.lock.holding(range, writes, || match writes {
            true => shared.write(cells),
            false => drop(shared.read(cells)),
        });
    });
}

/// `RangeLock`, biased to readers.
pub fn ranges<S>()
where
    S: range::sys::Sys + 'static,
    RangeLock<S>: Send + Sync,
{
    pairs(RangeLock::<S>::biased_with(RangePolicy::TREE_FIFO));
}

/// `RangeList`.
pub fn list<S: ListSys>()
where
    RangeList<S>: Send + Sync,
{
    pairs(RangeList::<S>::with(ListPolicy::LIST_RW));
}

/// `DirectFile`: aligned and unaligned writes, reads, and holes that are punched.
pub fn file<S: System>() {
    let device = MemoryDevice::new(512, 16, 0);
    let file = DirectFile::<_, _, S, _, Specified>::on(
        device,
        Workers::new(2),
        DioPolicy::FINAL65,
        Layout::holes(8, 2),
        NoDioProbe,
    );
    turns(
        file.expect("the layout is good"),
        IO_TURNS,
        |file, number, turn| {
            let position = (number + turn) as u64 % 7 * BLOCK as u64;
            let done = match turn % 4 {
                0 => file.write_at(&[1; BLOCK], position).map(drop),
                1 => file.write_at(&[2; 512], position + 512).map(drop),
                2 => file.read_at(&mut [0; BLOCK], position).map(drop),
                _ => file.punch_hole(position, BLOCK),
            };
            done.expect("the device is good");
        },
    );
}

/// `Journal`: handles with reservations, commits and checkpoints.
pub fn journal<S: System>() {
    let device = MemoryDevice::new(512, (64 + 128) * BLOCK / 512, 0);
    let log = 64..64 + 128;
    let area = LogArea::new(BLOCK, vec![log]);
    let features = Features {
        revoke: true,
        is_64bit: false,
        csum_v3: true,
    };
    create(&device, &area, features, [3; 16]).expect("there is room");
    let journal =
        Journal::<_, HandOver, S, _>::open_with(device, area, Division::default(), NoJournalProbe);
    turns(
        journal.expect("the log is empty"),
        IO_TURNS,
        |journal, number, turn| {
            if turn >= TURNS / 25 {
                return;
            }
            let block = number as u64;
            let mut handle = journal.start(2, 1).expect("it is small");
            handle
                .dirty_metadata(block, &[turn as u8; BLOCK])
                .expect("it has credits");
            let reservation = handle.stop();
            let mut later = reservation
                .expect("asked for")
                .start()
                .expect("it is reserved");
            later
                .dirty_metadata(block + 8, &[turn as u8; BLOCK])
                .expect("it has credits");
            drop(later);
            if turn % 16 == number {
                journal.force_commit().expect("the device is good");
            }
            if turn % 64 == number {
                journal.checkpoint().expect("the device is good");
            }
        },
    );
}

/// `Flusher`: threads that dirty pages, and sync now and then.
pub fn flusher<S: System>() {
    let device = MemoryDevice::new(512, 16, 0);
    let sizes = Sizes {
        block: 512,
        slots: 2,
        dirty: 8,
    };
    let flusher = Flusher::<_, S, Today, _>::on(device, sizes, NoFlusherProbe);
    turns(
        flusher.expect("the sizes are right"),
        IO_TURNS,
        |flusher, number, turn| {
            if turn >= TURNS / 25 {
                return;
            }
            let inode = (4 * number + turn) % 16;
            flusher
                .dirty(inode, &[turn as u8; 512])
                .expect("it is there");
            if turn % 16 == number {
                flusher.sync().expect("the device is good");
            }
        },
    );
}
