//! When the lock spins, sleeps and wakes, in one thread: what the other task does happens while the caller spins or sleeps.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::mpsc;
use std::thread;

use conformance::own_beds::OwnBeds;
use interlock_rwlock::Kind;
use interlock_rwlock::beds::{Beds, Shared};
use interlock_rwlock::layout::{Budget, Layout, NoBudget};
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::probe::Probe;
use interlock_rwlock::rules::BatchQueue;
use interlock_rwlock::sys::{AtomicWord, Futex, Ordering, Sys};
use interlock_rwlock::word::{Action, Counts, Grant, Word, WordOf};

thread_local! {
    /// What the lock did: its steps, and its calls of the system.
    static DONE: RefCell<Vec<Done>> = const { RefCell::new(Vec::new()) };
    /// A writer inside, and in how many spins or sleeps from now it leaves.
    static HOLDER: RefCell<Option<(Leave, u32)>> = const { RefCell::new(None) };
    /// Time passes before a sleep, and another task goes to the same bed.
    static LATE: Cell<bool> = const { Cell::new(false) };
    /// Where the lock is whose bed was asked for last.
    static BED_OF: Cell<Option<usize>> = const { Cell::new(None) };
    /// Whoever was granted the lock has ended its life.
    static GONE: Cell<bool> = const { Cell::new(false) };
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Done {
    Step(Action),
    Spin,
    Sleep,
    WakeUp,
}

use Done::{Sleep, Spin, Step, WakeUp};

/// The release of a lock.
type Leave = Box<dyn Fn()>;

fn done(done: Done) {
    let long = DONE.with_borrow_mut(|all| {
        all.push(done);
        all.len() > 100
    });
    assert!(!long, "it goes on for ever");
}

/// Time passes; the holder leaves when its time is up.
fn pass() {
    match HOLDER.take() {
        Some((leave, 0 | 1)) => leave(),
        Some((leave, spins)) => HOLDER.set(Some((leave, spins - 1))),
        None => {}
    }
}

struct Recorder;

impl<L: Layout> Probe<L> for Recorder {
    fn step(&self, _: WordOf<L>, action: Action, _: WordOf<L>) {
        done(Step(action));
    }
}

struct OneThread;

type Lock<L = NoBudget> = RawBarrierRwLock<OneThread, Recorder, BatchQueue, L>;

impl Sys for OneThread {
    type Word = Bits;
    type Beds = Noting;

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

/// A word, until its lock is gone.
struct Bits(AtomicU64);

impl Bits {
    fn there(&self) -> &AtomicU64 {
        assert!(!GONE.get(), "the lock is another task's, and may be gone");
        &self.0
    }
}

impl AtomicWord for Bits {
    fn new(value: u64) -> Self {
        Bits(AtomicU64::new(value))
    }

    fn load(&self, order: Ordering) -> u64 {
        AtomicWord::load(self.there(), order)
    }

    fn attempt(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        self.there().attempt(order, step)
    }

    fn update(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        AtomicWord::update(self.there(), order, step)
    }

    fn fetch_sub(&self, amount: u64, order: Ordering) -> u64 {
        AtomicWord::fetch_sub(self.there(), amount, order)
    }
}

/// Notes whose bed is asked for.
#[derive(Clone)]
struct Noting(OwnBeds<Wait>);

impl Beds for Noting {
    type Futex = Wait;

    fn new() -> Self {
        Noting(OwnBeds::new())
    }

    fn bed(&self, lock: usize, grant: Grant) -> &Wait {
        BED_OF.set(Some(lock));
        self.0.bed(lock, grant)
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

    fn update(&self, order: Ordering, step: impl Fn(u32) -> u32) -> u32 {
        Futex::update(&self.0, order, step)
    }

    fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
        self.0.fetch_or(bits, order)
    }

    fn wait(&self, expected: u32) {
        if LATE.get() {
            pass();
            self.fetch_or(1, Ordering::Relaxed);
            assert_ne!(expected, self.load(Ordering::Relaxed), "it is missed");
            return;
        }
        assert_eq!(expected, self.load(Ordering::Relaxed), "it would not sleep");
        done(Sleep);
        pass();
    }

    fn wake_all(&self) {
        done(WakeUp);
    }
}

/// What happens when a task of this kind acquires a new lock whose writer leaves after so many spins and sleeps.
fn acquire<L: Layout>(kind: Kind, leaves_after: u32) -> Vec<Done> {
    acquire_this(&Lock::<L>::with(WordOf::FREE, Recorder), kind, leaves_after)
}

/// The same of a lock that is free.
fn acquire_this<L: Layout>(lock: &Lock<L>, kind: Kind, leaves_after: u32) -> Vec<Done> {
    lock.acquire(Kind::Writer);
    let this: *const Lock<L> = lock;
    // SAFETY: the lock has been acquired for writing, and the test keeps it alive.
    let leave = move || unsafe { (*this).release(Kind::Writer) };
    HOLDER.set(Some((Box::new(leave), leaves_after)));
    DONE.take();
    BED_OF.set(None);
    lock.acquire(kind);
    let left = HOLDER.take().is_none();
    assert!(left, "{kind:?} is inside with the writer");
    let Counts { active, writer, .. } = lock.snapshot().counts();
    let expected = (u32::from(kind == Kind::Reader), kind == Kind::Writer);
    assert_eq!((active, writer), expected, "{kind:?} has it");
    let done = DONE.take();
    let asked = done.iter().any(|done| [WAKE, ROUSE].contains(done));
    let expected = asked.then_some(this.addr());
    assert_eq!(BED_OF.get(), expected, "a bed of this lock, if any");
    done
}

const RELEASE: Done = Step(Action::Release(Kind::Writer));
const WAKE: Done = Step(Action::Wake);
const ROUSE: Done = Step(Action::Rouse);
const TAKE: Done = Step(Action::Take);

#[test]
fn a_short_hold_is_spun_through_before_arrival() {
    for kind in [Kind::Reader, Kind::Writer] {
        let enter = Step(Action::Enter(kind));
        assert_eq!(acquire::<NoBudget>(kind, 1), [Spin, RELEASE, enter]);
        assert_eq!(acquire::<NoBudget>(kind, 2), [Spin, Spin, RELEASE, enter]);
    }
}

#[test]
fn a_grant_wakes_nobody_who_does_not_sleep() {
    for kind in [Kind::Reader, Kind::Writer] {
        let queue = Step(Action::Queue(kind));
        assert_eq!(
            acquire::<NoBudget>(kind, 3),
            [Spin, Spin, queue, Spin, RELEASE, WAKE],
            "{kind:?}"
        );
    }
}

#[test]
fn who_is_called_while_it_spins_takes_the_lock() {
    for kind in [Kind::Reader, Kind::Writer] {
        let queue = Step(Action::Queue(kind));
        assert_eq!(
            acquire::<Budget<2>>(kind, 3),
            [Spin, Spin, queue, Spin, RELEASE, ROUSE, TAKE],
            "{kind:?}"
        );
    }
}

#[test]
fn an_attempt_to_hold_does_not_wait() {
    for kind in [Kind::Reader, Kind::Writer] {
        let lock = <Lock>::with(Word::FREE, Recorder);
        let hold = lock.try_hold(kind);
        assert!(hold.is_some(), "{kind:?}");
        assert!(lock.try_hold(Kind::Writer).is_none(), "{kind:?}");
        drop(hold);
        assert_eq!(lock.snapshot(), Word::FREE, "{kind:?}");
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
            assert_eq!(
                acquire::<NoBudget>(kind, leaves_after),
                expected,
                "{kind:?}"
            );
        }
    }
}

/// Its bed may have been slept in before.
#[test]
fn a_wake_up_between_the_look_and_the_sleep_is_not_missed() {
    for kind in [Kind::Reader, Kind::Writer] {
        let lock = <Lock>::with(Word::FREE, Recorder);
        LATE.set(true);
        for _ in 0..3 {
            let done = acquire_this(&lock, kind, 5);
            assert_eq!(done.last(), Some(&WakeUp), "{kind:?}");
            // SAFETY: it was acquired so.
            unsafe { lock.release(kind) };
        }
        LATE.set(false);
    }
}

/// Ends the life of a lock as soon as it is granted to somebody.
struct Ends;

impl Probe for Ends {
    fn step(&self, _: Word, action: Action, after: Word) {
        GONE.set(action == Action::Wake && after.is_held());
    }
}

#[test]
fn nothing_of_a_lock_is_touched_once_it_is_granted() {
    for waits in [
        Counts {
            ahead: 2,
            ..Counts::default()
        },
        Counts {
            readers: 2,
            ..Counts::default()
        },
    ] {
        for (kind, holds) in [
            (
                Kind::Writer,
                Counts {
                    writer: true,
                    ..waits
                },
            ),
            (Kind::Reader, Counts { active: 1, ..waits }),
        ] {
            let word = Word::FREE.with_counts(holds);
            let lock = RawBarrierRwLock::<OneThread, Ends, BatchQueue>::with(word, Ends);
            // SAFETY: its word says so.
            unsafe { lock.release(kind) };
            assert!(GONE.take(), "{word:?}: it is granted");
        }
    }
}

/// The bed of the published locks.
fn bed(lock: usize, grant: Grant) -> *const AtomicU32 {
    std::ptr::from_ref(Shared.bed(lock, grant))
}

/// So have batches of readers.
#[test]
fn writers_next_to_each_other_have_a_bed_each() {
    for first in [0, 3500, 4095] {
        for grant in [Grant::Writer, Grant::Readers] {
            let of = |number: u32| bed(0x1238, grant(number % 4096));
            let beds: HashSet<_> = (first..first + 1024).map(of).collect();
            assert_eq!(beds.len(), 1024);
        }
    }
}

#[test]
fn readers_sleep_away_from_the_writers_that_wait_next_to_them() {
    for batch in [0, 1, 700] {
        let readers = bed(0x1238, Grant::Readers(batch));
        let of = |number| bed(0x1238, Grant::Writer(number));
        let mut next = (batch..batch + 512).chain(batch.saturating_sub(511)..batch);
        assert!(next.all(|number| of(number) != readers), "batch {batch}");
    }
}

/// A few waiters of each have beds of their own.
#[test]
fn locks_next_to_each_other_begin_far_from_each_other() {
    let of = |lock: usize| (0..16).map(move |ticket| bed(lock, Grant::Writer(ticket)));
    for stride in [8, 16, 64] {
        let locks = (0..16).map(|number| 0x1238 + stride * number);
        let beds: HashSet<_> = locks.flat_map(of).collect();
        assert_eq!(beds.len(), 16 * 16, "{stride} bytes");
    }
}

#[test]
fn an_attempt_succeeds_in_the_end() {
    let word = AtomicU64::new(1);
    let mut attempts = (0..1000).map(|_| word.attempt(Ordering::Acquire, |bits| Some(bits + 1)));
    assert_eq!(attempts.find_map(|step| step), Some((1, 2)));
    assert_eq!(AtomicWord::load(&word, Ordering::Relaxed), 2);
}

#[test]
fn a_futex_is_a_word() {
    let futex = AtomicU32::new(0);
    assert_eq!(
        Futex::update(&futex, Ordering::Release, |value| value + 6),
        0
    );
    assert_eq!(Futex::load(&futex, Ordering::Acquire), 6);
    assert_eq!(Futex::fetch_or(&futex, 1, Ordering::Acquire), 6);
    assert_eq!(Futex::update(&futex, Ordering::Release, |_| 2), 7);
}

/// The operating system's sleep may end for no reason, but it is no busy loop: the thread is seen asleep.
#[test]
fn a_wait_sleeps() {
    let (futex, over) = (AtomicU32::new(0), AtomicBool::new(false));
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
        futex.store(1, Ordering::Release);
        futex.wake_all();
        sleeps
    });
    assert!(sleeps, "it comes back at once");
}
