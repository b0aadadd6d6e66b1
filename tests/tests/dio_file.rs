//! The file's calls, in real threads: what good and bad arguments give, errors of the device, panics, and each kind of call.

use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use conformance::fault_device::{Delays, FaultDevice};
use conformance::in_time::in_time;
use interlock::device::{BlockDevice, FileDevice, MemoryDevice};
use interlock::dio::file::{DirectFile, Layout, Options};
use interlock::dio::machine::Extent::{Hole, Unwritten, Written};
use interlock::dio::policy::Policy;
use interlock::dio::workers::{Io, Queue, Workers};
use interlock::errno::Errno;
use interlock::sys::{StdSys, System};

const SECTOR: usize = 512;
/// Two sectors in a block.
const BLOCK: u64 = 1024;

fn open(blocks: usize) -> DirectFile<MemoryDevice, Workers> {
    let device = MemoryDevice::new(SECTOR, 2 * blocks, 0xAA);
    let layout = Layout::holes(blocks, 2);
    DirectFile::new(device, Workers::new(2), Policy::FINAL65, layout).expect("the layout is good")
}

fn content<D: BlockDevice, Q: Queue>(file: &DirectFile<D, Q>, length: usize) -> Vec<u8> {
    let mut bytes = vec![0x55; length];
    let read = file.read_at(&mut bytes, 0).expect("the device is good");
    bytes.truncate(read);
    bytes
}

fn of(sectors: &[u8]) -> Vec<u8> {
    sectors.iter().flat_map(|byte| [*byte; SECTOR]).collect()
}

#[test]
fn a_bad_argument_changes_nothing() {
    let file = open(4);
    file.write_at(&of(&[1, 2]), BLOCK).expect("it is good");
    let before = (file.snapshot(), content(&file, 4096));
    let sector = of(&[9]);
    let huge = u64::MAX - 511;
    for (bytes, position, errno) in [
        (&sector[..], 1, Errno::Invalid),
        (&sector[..100], 0, Errno::Invalid),
        (&sector[..0], 100, Errno::Invalid),
        (&sector[..], 4 * BLOCK, Errno::FileTooBig),
        (&sector[..], huge, Errno::FileTooBig),
        (&of(&[9, 9])[..], 4 * BLOCK - 512, Errno::FileTooBig),
    ] {
        let length = bytes.len();
        assert_eq!(file.write_at(bytes, position), Err(errno), "{position}");
        assert_eq!(file.submit_at(bytes, position).wait(), Err(errno));
        assert_eq!(file.submit_read_at(length, position).wait(), Err(errno));
        assert_eq!(file.read_at(&mut bytes.to_vec(), position), Err(errno));
        assert_eq!(file.punch_hole(position, length), Err(errno));
        assert_eq!(file.fallocate(position, length), Err(errno));
    }
    assert_eq!(file.truncate(1), Err(Errno::Invalid));
    assert_eq!(file.truncate(4 * BLOCK), Err(Errno::FileTooBig));
    assert_eq!((file.snapshot(), content(&file, 4096)), before);
}

#[test]
fn nothing_takes_no_time() {
    let file = open(1);
    assert_eq!(file.write_at(&[], 0), Ok(0));
    assert_eq!(file.read_at(&mut [], BLOCK), Ok(0));
    assert_eq!(file.submit_at(&[], 512).wait(), Ok(0));
    assert_eq!(file.submit_read_at(0, 512).wait_bytes(), Ok(Vec::new()));
    assert_eq!(file.punch_hole(0, 0), Ok(()));
    assert_eq!(file.snapshot().extents, [Hole]);
}

#[test]
fn a_device_may_end_before_the_file() {
    let device = MemoryDevice::new(SECTOR, 3, 0);
    let file = DirectFile::new(
        device,
        Workers::new(1),
        Policy::FINAL65,
        Layout::holes(2, 2),
    );
    let file = file.expect("the layout is good");
    assert_eq!(file.write_at(&of(&[1]), 0), Ok(512));
    // The tail pad would lie behind its end.
    assert_eq!(file.write_at(&of(&[1]), 1024), Err(Errno::NoSpace));
    for (blocks, per_block, length) in [(1, 0, 0), (1, 2, 3), (2, u32::MAX, 0)] {
        let device = MemoryDevice::new(SECTOR, 3, 0);
        let layout = Layout {
            per_block,
            length,
            ..Layout::holes(blocks, 2)
        };
        let file = DirectFile::new(device, Workers::new(1), Policy::FINAL65, layout);
        assert_eq!(file.err(), Some(Errno::Invalid));
    }
}

#[test]
fn what_is_not_written_reads_as_zero() {
    let file = open(4);
    file.fallocate(0, 1024).expect("it is good");
    assert_eq!(file.snapshot().extents, [Unwritten, Hole, Hole, Hole]);
    assert!(content(&file, 2048).is_empty());
    assert_eq!(file.write_at(&of(&[1]), 512), Ok(512));
    assert_eq!(file.write_at(&of(&[2]), 3 * 512 + 1024), Ok(512));
    assert_eq!(content(&file, 4096), of(&[0, 1, 0, 0, 0, 2]));
    assert_eq!(file.snapshot().extents, [Written, Hole, Written, Hole]);
    file.truncate(1024).expect("it is good");
    assert_eq!(file.snapshot().extents, [Written, Hole, Hole, Hole]);
    file.truncate(2048 + 512).expect("it is good");
    assert_eq!(content(&file, 4096), of(&[0, 1, 0, 0, 0]));
    file.punch_hole(512, 512).expect("it is good");
    assert_eq!(content(&file, 1024), of(&[0, 0]));
    let bytes = file.submit_read_at(2048, 2048).wait_bytes();
    assert_eq!(bytes, Ok(of(&[0])));
}

#[test]
fn holes_are_allocated_where_it_is_asked_for() {
    let file = open(4);
    file.fallocate(2 * BLOCK + 512, 1024).expect("it is good");
    assert_eq!(file.snapshot().extents, [Hole, Hole, Unwritten, Unwritten]);
    assert_eq!(file.snapshot().size, 0);
}

#[test]
fn a_fallback_writes_whole_blocks() {
    let file = open(2);
    let cached = Options {
        cached: true,
        ..Options::default()
    };
    assert_eq!(file.write_with(&of(&[1, 2]), 512, cached), Ok(1024));
    assert_eq!(content(&file, 2048), of(&[0, 1, 2]));
    assert_eq!(file.snapshot().extents, [Written, Written]);
}

/// What was allocated behind EOF stays: it is direct I/O whose error frees that.
#[test]
fn a_fallback_that_fails_frees_nothing() {
    let delays = Delays {
        seed: 1,
        delay: Duration::ZERO,
        fails: 1,
        panics: 0,
    };
    let device = FaultDevice::new(MemoryDevice::new(SECTOR, 4, 0), delays);
    let layout = Layout {
        per_block: 2,
        extents: vec![Written, Unwritten],
        length: 1,
    };
    let file = DirectFile::new(device, Workers::new(1), Policy::FINAL65, layout);
    let file = file.expect("the layout is good");
    let before = file.snapshot();
    let written = file.write_buffered_at(&of(&[1, 2, 3]), 512);
    assert_eq!(written, Err(Errno::Io));
    assert_eq!(file.snapshot(), before);
    let cached = Options {
        cached: true,
        ..Options::default()
    };
    let written = file.write_with(&of(&[1, 2, 3]), 512, cached);
    assert_eq!(written, Err(Errno::Io));
    assert_eq!(file.snapshot(), before);
}

/// A device that holds more than zeroes there shows which sectors are zeroed.
#[test]
fn a_truncate_zeroes_behind_eof_what_its_design_says() {
    for (policy, zeroed) in [
        (Policy::FINAL65, 5..5),
        (Policy::FINAL612, 5..6),
        (Policy::XFS_OPTIMISTIC, 5..7),
    ] {
        let layout = Layout {
            per_block: 2,
            extents: vec![Written; 4],
            length: 5,
        };
        let device = MemoryDevice::new(SECTOR, 8, 0x11);
        let file = DirectFile::new(device, Workers::new(1), policy, layout);
        let file = file.expect("the layout is good");
        file.truncate(7 * SECTOR as u64).expect("there is room");
        let bytes = (0..7).map(|sector| 0x11 * u8::from(!zeroed.contains(&sector)));
        assert_eq!(content(&file, 4096), of(&bytes.collect::<Vec<_>>()));
    }
}

#[test]
fn a_file_that_does_not_go_on_can_be_looked_at() {
    let shown = format!("{:?}", open(1));
    assert!(
        shown.contains("extents: [Hole]") && shown.contains("rwsem"),
        "{shown}"
    );
}

#[test]
fn what_is_in_flight_is_performed_before_the_file_is_gone() {
    let kept = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary file");
    kept.set_len(4 * SECTOR as u64).expect("there is room");
    let device = kept.try_clone().expect("another name for it");
    let device = FileDevice::new(device, SECTOR).expect("it has a length");
    let delays = Delays {
        seed: 1,
        delay: Duration::from_millis(20),
        fails: 0,
        panics: 0,
    };
    let layout = Layout {
        per_block: 2,
        extents: vec![Written, Written],
        length: 4,
    };
    let slow = FaultDevice::new(device, delays);
    let file = DirectFile::new(slow, Workers::new(1), Policy::FINAL65, layout);
    let file = file.expect("the layout is good");
    for sector in 0..4 {
        drop(file.submit_at(&of(&[7]), sector * SECTOR as u64));
    }
    drop(file);
    let mut bytes = vec![0; 4 * SECTOR];
    kept.read_exact_at(&mut bytes, 0).expect("it is there");
    assert_eq!(bytes, of(&[7; 4]));
}

/// Who waits for a thread has its panic, unless it panics itself.
#[test]
fn a_panic_of_a_thread_reaches_who_joins_it() {
    let joins = || StdSys::join(StdSys::spawn(|| panic!("in the thread")));
    assert!(thread::spawn(joins).join().is_err());
    struct Joins;
    impl Drop for Joins {
        fn drop(&mut self) {
            StdSys::join(StdSys::spawn(|| panic!("in the thread")));
        }
    }
    let panics = thread::spawn(|| {
        let _joins = Joins;
        panic!("in the one that joins");
    });
    let panic = panics.join().expect_err("it panics");
    assert_eq!(
        panic.downcast_ref(),
        Some(&"in the one that joins"),
        "the first one's"
    );
}

/// Keeps all I/Os.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Vec<Io>>>);

impl Queue for Shelf {
    fn submit(&self, io: Io) {
        self.0.lock().expect("nobody panics here").push(io);
    }
}

impl Shelf {
    fn take(&self) -> Vec<Io> {
        std::mem::take(&mut *self.0.lock().expect("nobody panics here"))
    }

    /// Waits until so many I/Os of the caller are here, and panics if it ends before that.
    fn wait_for<T>(&self, count: usize, caller: &JoinHandle<T>) {
        while self.0.lock().expect("nobody panics here").len() < count {
            assert!(!caller.is_finished(), "it has not submitted {count}");
            thread::yield_now();
        }
    }
}

fn held(first: interlock::dio::machine::Extent) -> (Arc<DirectFile<MemoryDevice, Shelf>>, Shelf) {
    let shelf = Shelf::default();
    let layout = Layout {
        per_block: 2,
        extents: vec![first, Written],
        length: 4,
    };
    let device = MemoryDevice::new(SECTOR, 4, 0x11);
    let file = DirectFile::new(device, shelf.clone(), Policy::FINAL65, layout);
    (Arc::new(file.expect("the layout is good")), shelf)
}

#[test]
fn nowait_is_refused_where_others_would_wait() {
    in_time(|| {
        let nowait = Options {
            nowait: true,
            ..Options::default()
        };
        let (file, shelf) = held(Unwritten);
        // An unaligned write of an unwritten block would take the lock exclusively.
        assert_eq!(file.write_with(&of(&[1]), 0, nowait), Err(Errno::Again));
        let completion = file.submit_with(&of(&[1, 2]), 0, nowait);
        assert_eq!(file.snapshot().dio, 1);
        shelf.take().into_iter().for_each(Io::perform);
        assert_eq!(completion.wait(), Ok(1024));
        assert_eq!(file.snapshot().extents, [Written, Written]);
        // Another holds the lock exclusively while its I/O is in flight.
        let (file, shelf) = held(Unwritten);
        let other = file.clone();
        let writer = thread::spawn(move || other.write_at(&of(&[1]), 0));
        shelf.wait_for(2, &writer);
        assert_eq!(file.write_with(&of(&[1, 2]), 0, nowait), Err(Errno::Again));
        assert_eq!(file.read_with(&mut of(&[0]), 0, nowait), Err(Errno::Again));
        shelf.take().into_iter().for_each(Io::perform);
        assert_eq!(writer.join().expect("it does not panic"), Ok(512));
    });
}

#[test]
fn an_error_of_any_io_is_its_callers_and_converts_nothing() {
    in_time(|| {
        // 0: the data, 1: the pad behind them.
        for fails in [0, 1] {
            let (file, shelf) = held(Unwritten);
            let other = file.clone();
            let writer = thread::spawn(move || other.write_at(&of(&[1]), 0));
            shelf.wait_for(2, &writer);
            for (place, io) in shelf.take().into_iter().enumerate() {
                match place == fails {
                    true => io.fail(),
                    false => io.perform(),
                }
            }
            assert_eq!(writer.join().expect("it does not panic"), Err(Errno::Io));
            let snapshot = file.snapshot();
            assert_eq!(
                (snapshot.extents, snapshot.dio),
                (vec![Unwritten, Written], 0)
            );
            // The next one finds the block as it was, and zeroes what the first one left.
            let completion = file.submit_at(&of(&[3, 4]), 0);
            shelf.take().into_iter().for_each(Io::perform);
            assert_eq!(completion.wait(), Ok(1024));
            let reading = file.submit_read_at(2048, 0);
            shelf.take().into_iter().for_each(Io::perform);
            assert_eq!(reading.wait_bytes(), Ok(of(&[3, 4, 0x11, 0x11])));
        }
    });
}

#[test]
fn a_device_that_panics_is_an_error() {
    let delays = Delays {
        seed: 7,
        delay: Duration::ZERO,
        fails: 0,
        panics: 3,
    };
    let device = FaultDevice::new(MemoryDevice::new(SECTOR, 4, 0), delays);
    let file = DirectFile::new(
        device,
        Workers::new(2),
        Policy::FINAL65,
        Layout::holes(2, 2),
    );
    let file = file.expect("the layout is good");
    let results: Vec<_> = (0..40)
        .map(|round| {
            file.submit_at(&of(&[round]), 512 * u64::from(round % 4))
                .wait()
        })
        .collect();
    assert!(results.contains(&Ok(512)) && results.contains(&Err(Errno::Io)));
    assert_eq!(file.snapshot().dio, 0);
}

/// A queue that panics once, with a request half submitted.
struct Trap(Mutex<u32>, Workers);

impl Queue for Trap {
    fn submit(&self, io: Io) {
        let mut left = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        *left = left.saturating_sub(1);
        assert!(*left != 1, "the queue panics");
        drop(left);
        self.1.submit(io);
    }
}

#[test]
fn a_caller_that_panics_leaves_a_file_that_works() {
    in_time(|| {
        let device = MemoryDevice::new(SECTOR, 4, 0xAA);
        let queue = Trap(Mutex::new(4), Workers::new(2));
        let file = DirectFile::new(device, queue, Policy::FINAL65, Layout::holes(2, 2));
        let file = Arc::new(file.expect("the layout is good"));
        // With its I/O in flight: it is done without the caller.
        let other = file.clone();
        let caller = thread::spawn(move || {
            let _completion = other.submit_at(&of(&[1]), 0);
            panic!("with a request in flight");
        });
        assert!(caller.join().is_err());
        // In the middle of its submission, with i_rwsem held.
        let other = file.clone();
        let caller = thread::spawn(move || other.write_at(&of(&[2, 3]), 512));
        assert!(caller.join().is_err());
        file.truncate(0).expect("nobody holds anything");
        assert_eq!(file.snapshot().dio, 0);
        assert_eq!(file.write_at(&of(&[5]), 512), Ok(512));
        assert_eq!(content(&file, 1024), of(&[0, 5]));
    });
}

#[test]
fn a_file_of_the_operating_system_is_a_device() {
    let file = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary file");
    file.set_len(4096).expect("there is room");
    let device = FileDevice::new(file, SECTOR).expect("it has a length");
    assert_eq!(device.sectors(), 8);
    let file = DirectFile::new(
        device,
        Workers::new(4),
        Policy::FINAL65,
        Layout::holes(4, 2),
    );
    let file = file.expect("the layout is good");
    let writes: Vec<_> = (0..8_u8)
        .map(|sector| file.submit_at(&of(&[sector + 1]), 512 * u64::from(sector)))
        .collect();
    for write in writes {
        assert_eq!(write.wait(), Ok(512));
    }
    assert_eq!(content(&file, 4096), of(&[1, 2, 3, 4, 5, 6, 7, 8]));
}
