//! The lock on real futexes, in up to 32 threads: nobody is inside with a writer, writers that queue get the lock in the order of
//! their tickets, nobody who queues overtakes a reader that waits, and no reader overtakes a writer twice. With a budget, no more than that
//! pass a head of the queue, and never between a release and its wake-up.

use std::cell::{Cell, UnsafeCell};
use std::collections::BTreeMap;
use std::thread;

use conformance::in_time::{PATIENCE, in_time_or_tell};
use conformance::symptom::assert_found;
use interlock_rwlock::Kind;
use interlock_rwlock::layout::{Budget, Layout, NoBudget};
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::probe::Probe;
use interlock_rwlock::rules::BatchQueue;
use interlock_rwlock::sys::StdSys;
use interlock_rwlock::word::{Action, Grant, WordOf};

/// Tickets are numbers below this.
const TICKETS: u64 = 4096;
/// The next ticket and batch, a few before they wrap.
const START: (u32, u32) = (4000, 14);
/// How often each thread takes the lock.
const TURNS: usize = 400;

thread_local! {
    /// The bits of the word in which the thread has queued, since it last asked.
    static QUEUED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Judges each step by the word before it, and keeps where a thread queued.
struct Judge;

impl<L: Layout> Probe<L> for Judge {
    fn step(&self, before: WordOf<L>, action: Action, after: WordOf<L>) {
        let told = || format!("{action:?}, {before:?} to {after:?}");
        let free_before = !before.is_held();
        match action {
            Action::Enter(_) if before.has_waiters() => {
                let open = !free_before || before.is_called();
                let passes = after.passed() == before.passed() + 1 && after.passed() <= L::BUDGET;
                assert!(open && passes, "it enters past a queue: {}", told());
            }
            Action::Queue(_) => QUEUED.set(Some(before.bits())),
            Action::Wake => assert!(free_before && after.is_held(), "{}", told()),
            Action::Rouse => assert!(free_before && after.is_called(), "{}", told()),
            Action::Take => assert!(before.is_called() && !after.is_called(), "{}", told()),
            Action::Miss => assert!(!free_before && before.is_called(), "{}", told()),
            Action::Enter(_) | Action::Release(_) | Action::Downgrade => {}
        }
    }
}

/// The word in which the thread has queued, since it last asked.
fn queued<L: Layout>() -> Option<WordOf<L>> {
    QUEUED.take().map(WordOf::from_bits)
}

/// The ticket that a writer gets in this word, or the next one's that a reader may wait for.
fn ticket<L: Layout>(word: WordOf<L>) -> u64 {
    match word.queue(Kind::Writer).expect("it is not full").1 {
        Grant::Writer(ticket) => ticket.into(),
        Grant::Readers(_) => unreachable!("a writer waits for its ticket"),
    }
}

/// What the lock guards.
#[derive(Default)]
struct Inside {
    /// Written in two halves.
    writes: [u64; 2],
    /// How many writers that had queued have been inside.
    served: u64,
}

/// A reader's wait: so many of the writers that queued had been served when it got in, and so many had queued when it did.
type Passed = (u64, u64);

struct Shared<L: Layout> {
    lock: RawBarrierRwLock<StdSys, Judge, BatchQueue, L>,
    inside: UnsafeCell<Inside>,
}

// SAFETY: what is inside is written under the lock held for writing, and read under the lock.
unsafe impl<L: Layout> Sync for Shared<L> {}

/// The number of the first ticket that is this one modulo [`TICKETS`], of those that come next.
fn number(served: u64, ticket: u64) -> u64 {
    let first = (ticket + TICKETS - u64::from(START.0)) % TICKETS;
    served + (first + TICKETS - served % TICKETS) % TICKETS
}

impl<L: Layout> Shared<L> {
    fn write(&self) {
        let hold = self.lock.hold(Kind::Writer);
        // SAFETY: held for writing.
        let inside = unsafe { &mut *self.inside.get() };
        inside.writes[0] += 1;
        if let Some(word) = queued::<L>() {
            let number = number(inside.served, ticket(word));
            assert_eq!(number, inside.served, "a writer overtakes another");
            inside.served += 1;
        }
        inside.writes[1] += 1;
        drop(hold);
    }

    fn read(&self) -> Option<Passed> {
        let hold = self.lock.hold(Kind::Reader);
        // SAFETY: held for reading.
        let inside = unsafe { &*self.inside.get() };
        assert_eq!(
            inside.writes[0], inside.writes[1],
            "a writer is inside with a reader"
        );
        let word = queued::<L>();
        let passed = word.map(|word| {
            let writers = word.counts().ahead + word.counts().behind;
            let (least, most) = (inside.served, inside.served + u64::from(writers));
            let queued = number(least.saturating_sub(TICKETS / 2), ticket(word));
            assert!(
                (least..=most).contains(&queued),
                "a writer overtakes a reader"
            );
            (inside.served, queued)
        });
        drop(hold);
        passed
    }
}

/// How many wait.
fn waiting<L: Layout>(word: WordOf<L>) -> usize {
    let counts = word.counts();
    (counts.ahead + counts.readers + counts.behind) as usize
}

/// Which tickets a reader has overtaken more than once.
fn overtaken_twice(passes: &[Passed]) -> Vec<u64> {
    let mut count = BTreeMap::<u64, u32>::new();
    for &(served, queued) in passes {
        for number in served..queued {
            *count.entry(number).or_default() += 1;
        }
    }
    let twice = count.into_iter().filter(|(_, count)| *count > 1);
    twice.map(|(number, _)| number).collect()
}

fn fight<L: Layout>(readers: usize, writers: usize) {
    let shared: &Shared<L> = Box::leak(Box::new(Shared {
        lock: RawBarrierRwLock::with(WordOf::starting_at(START.0, START.1), Judge),
        inside: UnsafeCell::default(),
    }));
    let tells = || {
        format!(
            "{readers} readers, {writers} writers, budget {}: {:?}",
            L::BUDGET,
            shared.lock.snapshot()
        )
    };
    in_time_or_tell(PATIENCE, tells, move || {
        let hold = shared.lock.hold(Kind::Writer);
        thread::scope(|scope| {
            for _ in 0..writers {
                scope.spawn(move || {
                    for turn in 0..TURNS {
                        shared.write();
                        // Else who is on a processor has the lock to itself.
                        if turn % 4 == 0 {
                            thread::yield_now();
                        }
                    }
                });
            }
            let reader = || {
                scope.spawn(move || (0..TURNS).filter_map(|_| shared.read()).collect::<Vec<_>>())
            };
            let all: Vec<_> = (0..readers).map(|_| reader()).collect();
            // So that each of them queues once at least.
            while waiting(shared.lock.snapshot()) < readers + writers {
                thread::yield_now();
            }
            drop(hold);
            for reader in all {
                let passes = reader.join().expect("no reader panics");
                assert!(!passes.is_empty());
                assert_eq!(overtaken_twice(&passes), Vec::<u64>::new());
            }
        });
        // SAFETY: all threads have ended.
        let inside = unsafe { &*shared.inside.get() };
        assert_eq!(
            inside.writes,
            [(writers * TURNS) as u64; 2],
            "a write is lost"
        );
        let after = shared.lock.snapshot();
        assert!(!after.is_held() && !after.has_waiters(), "{after:?}");
        assert_eq!(
            number(inside.served, ticket(after)),
            inside.served,
            "a ticket is lost"
        );
    });
}

#[test]
fn six_threads() {
    fight::<NoBudget>(3, 3);
    fight::<Budget<8>>(3, 3);
}

#[test]
fn sixteen_threads() {
    fight::<NoBudget>(8, 8);
    fight::<Budget<8>>(8, 8);
    fight::<NoBudget>(2, 14);
    fight::<Budget<8>>(2, 14);
}

#[test]
fn thirty_two_threads() {
    fight::<NoBudget>(16, 16);
    fight::<Budget<8>>(16, 16);
    fight::<NoBudget>(0, 32);
    fight::<Budget<8>>(0, 32);
}

#[test]
fn a_reader_that_overtakes_a_writer_twice_is_found() {
    assert_eq!(
        overtaken_twice(&[(0, 2), (2, 2), (2, 5), (5, 6)]),
        Vec::<u64>::new()
    );
    assert_eq!(overtaken_twice(&[(0, 2), (1, 3)]), [1]);
}

#[test]
fn a_number_goes_on_where_tickets_wrap() {
    assert_eq!(number(0, 4000), 0);
    assert_eq!(number(95, 0), 96);
    assert_eq!(number(5000, (4000 + 5003) % TICKETS), 5003);
}

/// Steps that the rules do not make, in the word that they would be seen in.
#[test]
fn a_step_past_a_queue_is_found() {
    finds_a_step_past_a_queue::<NoBudget>();
    finds_a_step_past_a_queue::<Budget<1>>();
}

fn finds_a_step_past_a_queue<L: Layout>() {
    let queue = WordOf::<L>::FREE
        .enter(Kind::Writer)
        .and_then(|word| word.queue(Kind::Reader));
    let (word, _) = queue.expect("it is not full");
    assert_found("a step past a queue", &["it enters past a queue"], || {
        Judge.step(word, Action::Enter(Kind::Reader), word)
    });
}
