//! A writer that panics with its I/O half submitted, beside another one. What it has submitted is done without it, and its request
//! ends: nobody waits for it in i_dio_count for ever.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use conformance::symptom::{assert_found, text};
use interlock::device::MemoryDevice;
use interlock::dio::file::{DirectFile, Layout};
use interlock::dio::machine::Extent;
use interlock::dio::policy::Policy;
use interlock::dio::probe::NoProbe;
use interlock::dio::rules::{Rules, Specified};
use interlock::dio::workers::{Io, Queue, Workers};
use shuttle::rand::Rng as _;
use shuttle::scheduler::RandomScheduler;
use shuttle::thread;

use crate::dio::SOUND;
use crate::sys::{ShuttleSys, Turns, explore};

/// Schedules of each design.
const SCHEDULES: usize = 200;
/// So that the same schedules are tried each time.
const SEED: u64 = 37;
const SECTOR: usize = 2;
const BLOCKS: usize = 2;
const PER_BLOCK: u32 = 2;
/// Bytes of the file.
const LENGTH: usize = BLOCKS * PER_BLOCK as usize * SECTOR;

/// What the queue says.
const PANIC: &str = "the queue panics";

/// Workers, and the I/O of all that are submitted at which the queue panics.
struct Trap {
    workers: Workers<ShuttleSys>,
    submitted: AtomicUsize,
    at: usize,
}

impl Queue for Trap {
    fn submit(&self, io: Io) {
        let before = self.submitted.fetch_add(1, Ordering::Relaxed);
        assert!(before != self.at, "{PANIC}");
        self.workers.submit(io);
    }
}

type File<R> = DirectFile<Turns<MemoryDevice>, Trap, ShuttleSys, NoProbe, R>;

fn open<R: Rules>(policy: Policy) -> File<R> {
    let mut random = shuttle::rand::thread_rng();
    let kinds = [Extent::Hole, Extent::Unwritten, Extent::Written];
    let layout = Layout {
        per_block: PER_BLOCK,
        extents: (0..BLOCKS).map(|_| kinds[random.gen_range(0..3)]).collect(),
        length: BLOCKS as u32 * PER_BLOCK,
    };
    let queue = Trap {
        workers: Workers::on(2),
        submitted: AtomicUsize::new(0),
        at: random.gen_range(0..3),
    };
    let device = Turns::new(MemoryDevice::new(SECTOR, LENGTH / SECTOR, 0));
    let file = File::on(device, queue, policy, layout, NoProbe);
    file.expect("the layout is good")
}

/// Writes all of the file. Whether the queue has panicked.
fn panics<R: Rules>(file: &File<R>, byte: u8) -> bool {
    let data = [byte; LENGTH];
    let is_async = shuttle::rand::thread_rng().gen_bool(0.5);
    let write = || match is_async {
        true => file.submit_at(&data, 0).wait(),
        false => file.write_at(&data, 0),
    };
    match catch_unwind(AssertUnwindSafe(write)) {
        Ok(written) => {
            assert_eq!(written, Ok(LENGTH));
            false
        }
        Err(panic) if text(&*panic).contains(PANIC) => true,
        Err(panic) => resume_unwind(panic),
    }
}

fn schedule<R: Rules>(policy: Policy) {
    let file = Arc::new(open::<R>(policy));
    let writer = |byte: u8| {
        let file = file.clone();
        thread::spawn(move || panics(&file, byte))
    };
    let writers = [1, 2].map(writer);
    let panicked = writers.map(|writer| writer.join().expect("it was caught"));
    assert_eq!(panicked.into_iter().filter(|panicked| *panicked).count(), 1);
    // It waits for whatever is in i_dio_count.
    file.truncate(0).expect("nobody holds anything");
    assert_eq!(file.snapshot().dio, 0);
    assert_eq!(file.write_at(&[3; LENGTH], 0), Ok(LENGTH));
    let mut bytes = [0; LENGTH];
    assert_eq!(file.read_at(&mut bytes, 0), Ok(LENGTH));
    assert_eq!(bytes, [3; LENGTH]);
}

fn run<R: Rules>(policy: Policy) {
    let scheduler = RandomScheduler::new_from_seed(SEED, SCHEDULES);
    let schedules = explore(scheduler, move || schedule::<R>(policy));
    assert_eq!(schedules, SCHEDULES);
}

/// A writer that panics keeps its share in its I/Os, so that the request is never over.
struct KeepsShare;

impl Rules for KeepsShare {
    fn abandon(_end: impl FnOnce()) {}
}

#[test]
fn the_request_of_a_writer_that_panics_ends() {
    for policy in SOUND {
        run::<Specified>(policy);
    }
}

#[test]
fn a_request_that_never_ends_is_found() {
    assert_found("a panic keeps its share", &["deadlock"], || {
        run::<KeepsShare>(Policy::FINAL612_CURED);
    });
}
