//! The flusher in real threads: how many requests it issues, what it says of a device that fails, and that nothing is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use conformance::in_time::{PATIENCE, in_time, in_time_or_tell};
use conformance::wb_flusher_log::{Entry, Log, Wants, replay};
use interlock::device::{BlockDevice, MemoryDevice};
use interlock::errno::Errno;
use interlock::sys::StdSys;
use interlock::writeback::flusher::{Flusher, Sizes};
use interlock::writeback::flusher_probe::{NoProbe, Probe};
use interlock::writeback::plug::Action;
use interlock::writeback::rules::{PerInode, Rules, Today};
use interlock_traces::machines::wb_plug::Invariant;

const BLOCK: usize = 512;
const FILES: usize = 32;

const SIZES: Sizes = Sizes {
    block: BLOCK,
    slots: 2,
    dirty: 4 * FILES,
};

fn memory() -> MemoryDevice {
    MemoryDevice::new(BLOCK, FILES, 0)
}

/// Dirties every `step`th inode, and syncs.
fn write_every<R: Rules, P: Probe>(step: usize, flusher: &Flusher<MemoryDevice, StdSys, R, P>) {
    for inode in (0..FILES).step_by(step) {
        flusher.dirty(inode, &[7; BLOCK]).expect("it is there");
    }
    flusher.sync().expect("the device works");
}

/// The same with a flusher that tells what it does; returns the requests and the log.
fn requests<R: Rules>(step: usize, wants: Wants) -> (u64, Vec<Entry>) {
    let log = Log::new(wants, false);
    let flusher = Flusher::<_, StdSys, R, _>::on(memory(), SIZES, log).expect("right sizes");
    write_every(step, &flusher);
    let mut bytes = [0; BLOCK * FILES];
    flusher.device().read_at(&mut bytes, 0).expect("it works");
    for (inode, block) in bytes.chunks(BLOCK).enumerate() {
        let expected = if inode % step == 0 { 7 } else { 0 };
        assert!(block.iter().all(|byte| *byte == expected), "inode {inode}");
    }
    (flusher.requests(), flusher.probe().taken())
}

#[test]
fn neighbours_are_one_request_by_a_plug() {
    let (plugged, log) = requests::<Today>(1, Wants::Never);
    let states = replay(Today::POLICY, SIZES.slots, &log, &Invariant::ALL);
    states.expect("it is a path of the machine");
    let (single, _) = requests::<PerInode>(1, Wants::Never);
    let (preempted, log) = requests::<Today>(1, Wants::Always);
    let states = replay(Today::POLICY, SIZES.slots, &log, &Invariant::ALL);
    states.expect("it is a path of the machine");
    println!(
        "{FILES} inodes: {plugged} request, {single} by a plug each, {preempted} if preempted"
    );
    assert_eq!((plugged, single, preempted), (1, 32, 32));
}

/// What has no probe neither sleeps nor is preempted in a test's place.
#[test]
fn a_flusher_without_a_probe_keeps_its_plug() {
    let flusher = Flusher::new(memory(), SIZES).expect("right sizes");
    write_every(1, &flusher);
    assert_eq!(flusher.requests(), 1);
}

/// A device that takes all the requests of a plug that has gaps.
#[test]
fn inodes_that_are_no_neighbours_are_requests_of_their_own() {
    let sizes = Sizes { slots: 16, ..SIZES };
    let flusher = Flusher::new(memory(), sizes).expect("right sizes");
    write_every(2, &flusher);
    assert_eq!(flusher.requests(), 16);
}

#[test]
fn what_is_not_there_cannot_be_dirtied() {
    let flusher = Flusher::new(memory(), SIZES).expect("right sizes");
    assert_eq!(flusher.dirty(FILES, &[0; BLOCK]), Err(Errno::NoSpace));
    assert_eq!(flusher.dirty(usize::MAX, &[0; BLOCK]), Err(Errno::NoSpace));
    assert_eq!(flusher.dirty(0, &[0; BLOCK - 1]), Err(Errno::Invalid));
    assert_eq!(flusher.sync(), Ok(()));
    for sizes in [
        Sizes { slots: 0, ..SIZES },
        Sizes { block: 0, ..SIZES },
        Sizes {
            block: BLOCK + 1,
            ..SIZES
        },
    ] {
        let made = Flusher::new(memory(), sizes);
        assert_eq!(made.err(), Some(Errno::Invalid), "{sizes:?}");
    }
}

#[test]
fn a_block_of_several_sectors_is_written_whole() {
    let block = 2 * BLOCK;
    let sizes = Sizes { block, ..SIZES };
    let flusher = Flusher::new(memory(), sizes).expect("right sizes");
    let last = FILES / 2 - 1;
    flusher.dirty(last, &[7; 2 * BLOCK]).expect("it is there");
    let beyond = flusher.dirty(last + 1, &[7; 2 * BLOCK]);
    assert_eq!(beyond, Err(Errno::NoSpace));
    flusher.sync().expect("the device works");
    let mut bytes = [0; 2 * BLOCK];
    let read = flusher.device().read_at(&mut bytes, (last * block) as u64);
    read.expect("it works");
    assert_eq!(bytes, [7; 2 * BLOCK]);
}

/// What a test that hangs says of it.
#[test]
fn it_tells_where_its_pages_are() {
    let flusher = Flusher::new(memory(), SIZES).expect("right sizes");
    flusher.dirty(3, &[7; BLOCK]).expect("it is there");
    let told = format!("{flusher:?}");
    assert!(told.starts_with("Pages { dirty: [3], io: []"), "{told}");
}

/// Counts its writes; those to the first block fail, or panic.
struct Failing {
    device: MemoryDevice,
    writes: Arc<AtomicUsize>,
    panics: bool,
}

impl BlockDevice for Failing {
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
        self.writes.fetch_add(1, Ordering::Relaxed);
        match position {
            0 if self.panics => panic!("the device panics"),
            0 => Err(Errno::Io),
            _ => self.device.write_at(bytes, position),
        }
    }
}

fn failing(panics: bool) -> (Failing, Arc<AtomicUsize>) {
    let writes = Arc::new(AtomicUsize::new(0));
    let device = Failing {
        device: memory(),
        writes: writes.clone(),
        panics,
    };
    (device, writes)
}

fn reaches_one_sync(device: Failing) {
    let flusher = Flusher::new(device, SIZES).expect("right sizes");
    for inode in [0, 2] {
        flusher.dirty(inode, &[7; BLOCK]).expect("it is there");
    }
    assert_eq!(flusher.sync(), Err(Errno::Io));
    assert_eq!(flusher.sync(), Ok(()));
    let mut bytes = [0; BLOCK];
    flusher
        .device()
        .read_at(&mut bytes, 2 * BLOCK as u64)
        .expect("it works");
    assert_eq!(bytes, [7; BLOCK]);
}

#[test]
fn an_error_reaches_one_sync() {
    reaches_one_sync(failing(false).0);
}

/// Nor does the thread end that has asked the device: whoever waits for it would wait for ever.
#[test]
fn a_panic_of_the_device_reaches_one_sync() {
    in_time(|| reaches_one_sync(failing(true).0));
}

/// What nobody waits for is not written, and the threads have ended: nobody else has the device.
#[test]
fn a_drop_writes_nothing_more() {
    let (device, writes) = failing(false);
    let flusher = Flusher::new(device, SIZES).expect("right sizes");
    flusher.dirty(1, &[7; BLOCK]).expect("it is there");
    drop(flusher);
    assert_eq!(writes.load(Ordering::Relaxed), 0);
    assert_eq!(Arc::strong_count(&writes), 1);
}

/// Of a thread under stress.
const ROUNDS: u8 = 100;

/// Four threads dirty an inode each, again and again, are throttled, and find on the device what they have synced.
#[test]
fn nothing_is_lost_under_stress() {
    let sizes = Sizes { dirty: 3, ..SIZES };
    let flusher = Flusher::<_, StdSys, Today, _>::on(memory(), sizes, NoProbe);
    let flusher = flusher.expect("right sizes");
    let flusher = Arc::new(flusher);
    let stressed = flusher.clone();
    in_time_or_tell(
        PATIENCE,
        || format!("{flusher:?}"),
        move || {
            thread::scope(|scope| {
                for dirtier in 0..4 {
                    let flusher = &stressed;
                    scope.spawn(move || {
                        for round in 0..ROUNDS {
                            for inode in (dirtier..FILES).step_by(4) {
                                flusher.dirty(inode, &[round; BLOCK]).expect("it is there");
                            }
                            flusher.sync().expect("the device works");
                            for inode in (dirtier..FILES).step_by(4) {
                                let mut bytes = [!round; BLOCK];
                                let position = (inode * BLOCK) as u64;
                                let read = flusher.device().read_at(&mut bytes, position);
                                read.expect("the device works");
                                assert_eq!(bytes, [round; BLOCK], "inode {inode}");
                            }
                        }
                    });
                }
            });
        },
    );
    let pages = usize::from(ROUNDS) * FILES;
    println!("{} requests of {pages} pages", flusher.requests());
}

/// The log has both a thread that waits for a page, and what it waits for.
#[test]
fn a_throttled_thread_goes_on() {
    let sizes = Sizes { dirty: 0, ..SIZES };
    let log = Log::new(Wants::Always, true);
    let flusher = Flusher::<_, StdSys, Today, _>::on(memory(), sizes, log).expect("right sizes");
    for inode in 0..4 {
        flusher.dirty(inode, &[7; BLOCK]).expect("it is there");
    }
    let log = flusher.probe().taken();
    replay(Today::POLICY, sizes.slots, &log, &Invariant::ALL).expect("it is a path of the machine");
    let is_throttle = |entry: &&Entry| matches!(entry, Entry::Step(Action::Throttle(_), _));
    println!("{} times throttled", log.iter().filter(is_throttle).count());
    assert_eq!(flusher.requests(), 4);
}
