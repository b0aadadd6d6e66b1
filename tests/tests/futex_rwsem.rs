//! When the lock spins, sleeps and wakes, in one thread: what the other task does happens while the caller spins or sleeps.

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::mpsc;
use std::thread;

use interlock_rwlock::Kind;
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::probe::Probe;
use interlock_rwlock::protocol::BatchQueue;
use interlock_rwlock::sys::{AtomicWord, Futex, Ordering, StdSys, Sys};
use interlock_rwlock::word::{Action, Word};

thread_local! {
    /// What the lock did: its steps, and its calls of the system.
    static DONE: RefCell<Vec<Done>> = const { RefCell::new(Vec::new()) };
    /// A writer inside, and in how many spins or sleeps from now it leaves.
    static HOLDER: Cell<Option<(*const Lock, u32)>> = const { Cell::new(None) };
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Done {
    Step(Action),
    Spin,
    Sleep,
    WakeUp,
}

use Done::{Sleep, Spin, Step, WakeUp};

fn done(done: Done) {
    let long = DONE.with_borrow_mut(|all| {
        all.push(done);
        all.len() > 100
    });
    assert!(!long, "it goes on for ever");
}

/// Time passes; the holder leaves when its time is up.
fn pass() {
    if let Some((lock, spins)) = HOLDER.take() {
        if spins > 1 {
            HOLDER.set(Some((lock, spins - 1)));
        } else {
            // SAFETY: the test has acquired the lock for writing, and keeps it alive.
            unsafe { (*lock).release(Kind::Writer) };
        }
    }
}

struct Recorder;

impl Probe for Recorder {
    fn step(&self, _: Word, action: Action, _: Word) {
        done(Step(action));
    }
}

struct OneThread;

type Lock = RawBarrierRwLock<OneThread, Recorder, BatchQueue>;

impl Sys for OneThread {
    type Word = AtomicU64;
    type Futex = Wait;

    const WRITER_FUTEXES: usize = 1;
    const SPINS_BEFORE_ARRIVAL: u32 = 2;
    const SPINS_BEFORE_SLEEP: u32 = 2;

    fn spin_hint() {
        done(Spin);
        pass();
    }

    fn yield_now() {
        panic!("no field is full");
    }
}

struct Wait(AtomicU32);

impl Futex for Wait {
    fn new() -> Self {
        Wait(AtomicU32::new(0))
    }

    fn load(&self, order: Ordering) -> u32 {
        self.0.load(order)
    }

    fn swap(&self, value: u32, order: Ordering) -> u32 {
        self.0.swap(value, order)
    }

    fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
        self.0.fetch_or(bits, order)
    }

    fn wait(&self, expected: u32) {
        assert_eq!(expected, self.load(Ordering::Relaxed), "it would not sleep");
        done(Sleep);
        pass();
    }

    fn wake_all(_: *const Self) {
        done(WakeUp);
    }
}

/// What happens when a task of this kind acquires a lock whose writer leaves after so many spins and sleeps.
fn acquire(kind: Kind, leaves_after: u32) -> Vec<Done> {
    let lock = Lock::with(Word::FREE, Recorder);
    lock.acquire(Kind::Writer);
    HOLDER.set(Some((&lock, leaves_after)));
    DONE.take();
    lock.acquire(kind);
    assert_eq!(HOLDER.get(), None, "{kind:?} is inside with the writer");
    DONE.take()
}

const RELEASE: Done = Step(Action::Release(Kind::Writer));
const WAKE: Done = Step(Action::Wake);

#[test]
fn a_short_hold_is_spun_through_before_arrival() {
    for kind in [Kind::Reader, Kind::Writer] {
        let enter = Step(Action::Enter(kind));
        assert_eq!(acquire(kind, 1), [Spin, RELEASE, enter]);
        assert_eq!(acquire(kind, 2), [Spin, Spin, RELEASE, enter]);
    }
}

#[test]
fn a_grant_wakes_nobody_who_does_not_sleep() {
    for kind in [Kind::Reader, Kind::Writer] {
        let queue = Step(Action::Queue(kind));
        assert_eq!(
            acquire(kind, 3),
            [Spin, Spin, queue, Spin, RELEASE, WAKE],
            "{kind:?}"
        );
    }
}

/// Sleeps that end for no reason are repeated.
#[test]
fn a_grant_wakes_who_sleeps() {
    for kind in [Kind::Reader, Kind::Writer] {
        let queue = Step(Action::Queue(kind));
        let mut spins_and_sleeps = vec![Spin, Spin, queue, Spin, Spin];
        for leaves_after in 5..8 {
            spins_and_sleeps.push(Sleep);
            let expected = [&spins_and_sleeps[..], &[RELEASE, WAKE, WakeUp]].concat();
            assert_eq!(acquire(kind, leaves_after), expected, "{kind:?}");
        }
    }
}

#[test]
fn an_attempt_succeeds_in_the_end() {
    let word = AtomicU64::new(1);
    let mut attempts = (0..1000).map(|_| word.attempt(Ordering::Acquire, |bits| Some(bits + 1)));
    assert_eq!(attempts.find_map(|step| step), Some((1, 2)));
    assert_eq!(AtomicWord::load(&word), 2);
}

#[test]
fn a_futex_is_a_word() {
    let futex = StdSys::futex();
    assert_eq!(Futex::swap(&futex, 6, Ordering::Release), 0);
    assert_eq!(Futex::load(&futex, Ordering::Acquire), 6);
    assert_eq!(Futex::fetch_or(&futex, 1, Ordering::Acquire), 6);
    assert_eq!(Futex::swap(&futex, 2, Ordering::Release), 7);
}

/// The operating system's sleep may end for no reason, but it is no busy loop: the thread is seen asleep.
#[test]
fn a_wait_sleeps() {
    let (futex, over) = (StdSys::futex(), AtomicBool::new(false));
    let waits = AtomicU32::new(0);
    let (tells, told) = mpsc::channel();
    let sleeps = thread::scope(|scope| {
        scope.spawn(|| {
            let this = fs::read_link("/proc/thread-self").expect("Linux");
            tells.send(this).expect("somebody listens");
            while !over.load(Ordering::Acquire) {
                waits.fetch_add(1, Ordering::Relaxed);
                futex.wait(0);
            }
        });
        let stat = Path::new("/proc")
            .join(told.recv().expect("it tells"))
            .join("stat");
        let is_asleep = || {
            let text = fs::read_to_string(&stat).expect("it runs");
            let (_, state) = text.rsplit_once(") ").expect("its name is in parentheses");
            waits.load(Ordering::Relaxed) > 0 && state.starts_with('S')
        };
        let sleeps = loop {
            match waits.load(Ordering::Relaxed) {
                0..1000 if is_asleep() => break true,
                0..1000 => thread::yield_now(),
                _ => break false,
            }
        };
        over.store(true, Ordering::Release);
        futex.swap(1, Ordering::Release);
        Futex::wake_all(&futex);
        sleeps
    });
    assert!(sleeps, "it comes back at once");
}
