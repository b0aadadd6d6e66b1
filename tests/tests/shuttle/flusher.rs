//! Random schedules of a flusher with two slots, and two threads that dirty three inodes, are throttled, and sync some. Somebody else
//! wants the flusher's processor now and then, and an inode's I/O may sleep. Whoever has the flusher last drops it, at whatever it is.
//!
//! What was synced is on the device, and all threads end: a lost wake-up is a deadlock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use conformance::symptom::assert_found;
use conformance::wb_flusher_rules::{NeverFinishes, SyncsPastPlug, WakesNobody};
use interlock::device::{BlockDevice as _, MemoryDevice};
use interlock::writeback::flusher::{Flusher, Sizes};
use interlock::writeback::flusher_probe::{Numbers, Probe};
use interlock::writeback::plug::Action;
use interlock::writeback::rules::{PerInode, Rules, Today};
use shuttle::rand::Rng as _;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::thread;

use crate::sys::{ShuttleSys, Turns, explore};

/// Schedules of each kind.
const SCHEDULES: usize = 300;
const SIZES: Sizes = Sizes {
    block: 4,
    slots: 2,
    dirty: 2,
};
/// The inodes of each thread. The second syncs once, and leaves the flusher something to do.
const INODES: [&[usize]; 2] = [&[0], &[1, 2]];
/// How often it dirties them.
const ROUNDS: u8 = 2;
/// So that the same schedules are tried each time.
const SEED: u64 = 29;

/// The flusher is preempted and put to sleep by chance.
struct Restless {
    /// It is in a pass.
    is_busy: Arc<AtomicBool>,
}

impl Probe for Restless {
    fn step(&self, action: Action, _: &Numbers) {
        let is_busy = action != Action::End;
        self.is_busy.store(is_busy, Ordering::Relaxed);
    }

    fn sleeps(&self) -> bool {
        shuttle::rand::thread_rng().gen_bool(0.25)
    }

    fn wants(&self) -> bool {
        shuttle::rand::thread_rng().gen_bool(0.25)
    }
}

type Run<R> = Flusher<Turns<MemoryDevice>, ShuttleSys, R, Restless>;

fn is_on(device: &Turns<MemoryDevice>, inode: usize, bytes: &[u8]) {
    let mut read = [0; SIZES.block];
    let read_at = device.read_at(&mut read, (inode * SIZES.block) as u64);
    read_at.expect("the device works");
    assert_eq!(read, bytes, "inode {inode} is not on the device");
}

fn operate<R: Rules>(flusher: &Run<R>, thread: usize) {
    for round in 1..=ROUNDS {
        let bytes = [round; SIZES.block];
        for inode in INODES[thread] {
            flusher.dirty(*inode, &bytes).expect("the device has it");
        }
        if thread == 0 || round == 1 {
            flusher.sync().expect("the device works");
            for inode in INODES[thread] {
                is_on(flusher.device(), *inode, &bytes);
            }
        }
    }
}

/// One schedule; whether the flusher was dropped in a pass.
fn schedule<R: Rules>() -> bool {
    let device = Turns::new(MemoryDevice::new(SIZES.block, 3, 0));
    let is_busy = Arc::new(AtomicBool::new(false));
    let probe = Restless {
        is_busy: is_busy.clone(),
    };
    let flusher = Arc::new(Run::<R>::on(device.clone(), SIZES, probe).expect("right sizes"));
    let operates = |thread: usize| {
        let flusher = flusher.clone();
        thread::spawn(move || operate(&flusher, thread))
    };
    let threads: Vec<_> = (0..INODES.len()).map(operates).collect();
    drop(flusher);
    for thread in threads {
        thread.join().expect("no thread panics");
    }
    is_on(&device, 0, &[ROUNDS; SIZES.block]);
    is_busy.load(Ordering::Relaxed)
}

/// All schedules were run, and the flusher was dropped in a pass in some.
fn holds<R: Rules>(scheduler: impl Scheduler + 'static) {
    let busy = Arc::new(AtomicUsize::new(0));
    let counts = busy.clone();
    let schedules = explore(scheduler, move || {
        counts.fetch_add(usize::from(schedule::<R>()), Ordering::Relaxed);
    });
    let busy = busy.load(Ordering::Relaxed);
    println!("{schedules} schedules, {busy} with a drop in a pass");
    assert!(schedules == SCHEDULES && busy > 0, "{busy}");
}

#[test]
fn what_is_synced_is_on_the_device_and_all_threads_end() {
    holds::<Today>(RandomScheduler::new_from_seed(SEED, SCHEDULES));
    holds::<Today>(PctScheduler::new_from_seed(SEED, 3, SCHEDULES));
    holds::<PerInode>(RandomScheduler::new_from_seed(SEED, SCHEDULES));
}

#[test]
fn faulty_rules_are_found() {
    fn finds<R: Rules>(name: &str, symptom: &str) {
        assert_found(name, &[symptom], || {
            let random = RandomScheduler::new_from_seed(SEED, SCHEDULES);
            explore(random, || {
                schedule::<R>();
            })
        });
    }
    finds::<WakesNobody>("wakes nobody", "deadlock");
    finds::<SyncsPastPlug>("past the plug", "is not on the device");
    finds::<NeverFinishes>("never finished", "is not on the device");
}
