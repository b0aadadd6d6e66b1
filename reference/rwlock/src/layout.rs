//! How wide the fields of a lock's word are, and how many arrivals may pass a head of the queue: both are the type's.

use core::fmt::Debug;
use core::hash::Hash;

/// The widths of a word's fields in bits, lowest field first, and the budget.
///
/// [`Word`](crate::word::Word) says what each is for. `COUNT` is below `ACTIVE` and at most `TICKET`, and all of them, with the writer's bit,
/// are 64 at most.
pub trait Layout: Copy + Eq + Ord + Hash + Debug + 'static {
    /// Of the readers inside. From half its range on, a reader that arrives queues.
    const ACTIVE: u32;
    /// Of each of the three counts of who waits.
    const COUNT: u32;
    /// Of a writer's ticket.
    const TICKET: u32;
    /// Of the number of a batch of readers.
    const BATCH: u32;
    /// Of the count of those that have passed the head. 0: without a budget, so that there is no bit for the head's call either.
    const PASSED: u32;
    /// How many may pass a head of the queue: `Budget` of `RwsemBudget.tla`.
    const BUDGET: u32;
}

/// The published locks' layout, in which `K` arrivals, at most 15, may pass a head of the queue.
///
/// | field   | bits, `K` = 0 | bits, `K` > 0 |
/// |---------|---------------|---------------|
/// | active  | 14            | 12            |
/// | writer  | 1             | 1             |
/// | ahead   | 11            | 10            |
/// | readers | 11            | 10            |
/// | behind  | 11            | 10            |
/// | ticket  | 12            | 12            |
/// | batch   | 4             | 4             |
/// | called  | none          | 1             |
/// | passed  | none          | 4             |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Budget<const K: u32>;

impl<const K: u32> Layout for Budget<K> {
    const ACTIVE: u32 = if K == 0 { 14 } else { 12 };
    const COUNT: u32 = if K == 0 { 11 } else { 10 };
    const TICKET: u32 = 12;
    const BATCH: u32 = 4;
    const PASSED: u32 = if K == 0 { 0 } else { 4 };
    const BUDGET: u32 = K;
}

/// Nobody passes those that wait.
pub type NoBudget = Budget<0>;
