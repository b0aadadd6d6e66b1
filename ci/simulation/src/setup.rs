//! What is simulated: a journal, its writers, and how they write.

use interlock::jbd2::machine::{Credits, Load, Machine, Sizes};
use interlock::jbd2::policy::Policy;

use super::costs::Costs;

/// The largest transaction is the log divided by this: Linux 6.11 and later.
pub const FRACTION: u32 = 3;
/// Blocks of a MiB.
const BLOCKS: Credits = 256;
/// Tags of a descriptor block: 16 bytes each, with 64 bits and checksums.
const TAGS: Credits = 253;
/// Blocks that jbd2_log_space_left keeps back.
const SLACK: Credits = 32;
/// Credits of a write's handle, as traced.
const HANDLE: Credits = 20;
/// Its reservation, as traced.
pub const RESERVE: Credits = 18;
/// Blocks that a handle dirties and that its transaction had not: inode, extents and bitmap are shared by many. Assumed.
const DIRTIED: (Credits, Credits) = (2, 1);

/// How a file's extents are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// dioread_nolock: unwritten, and converted when the data is on disk; each handle reserves the conversion's.
    Nolock,
    /// dioread_lock: no conversion, no reservation.
    Lock,
}

/// A run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    /// Threads that write and sync, each its own file.
    pub threads: usize,
    /// The journal's size in MiB.
    pub journal: u32,
    /// The largest transaction is the log divided by this: 3, or 4 up to Linux 6.10.
    pub fraction: u32,
    /// How they write.
    pub mode: Mode,
    /// The journal's variant.
    pub policy: Policy,
    /// What things cost.
    pub costs: Costs,
    /// Writes of each thread that are not counted, and that are, on average.
    pub rounds: (u64, u64),
    /// Control: nobody hears that the journal wakes him up.
    pub is_deaf: bool,
}

impl Setup {
    /// A run of today's journal on the machine of the measurement.
    pub fn new(threads: usize, journal: u32, mode: Mode) -> Setup {
        Setup {
            threads,
            journal,
            fraction: FRACTION,
            mode,
            policy: Policy::UPSTREAM,
            costs: Costs::MEASURED,
            rounds: (4, 32),
            is_deaf: false,
        }
    }

    /// The journal's sizes.
    pub fn sizes(&self) -> Sizes {
        let log = Credits::from(self.journal) * BLOCKS;
        let max = log / Credits::from(self.fraction);
        Sizes {
            log,
            max,
            overhead: 1 + max.div_euclid(TAGS) + Credits::from(max % TAGS > 0),
            slack: SLACK,
        }
    }

    /// What all threads ask to reserve at once, in parts of half of the largest transaction.
    pub fn demand(&self) -> f64 {
        let half = self.sizes().max as f64 / 2.0;
        self.threads as f64 * RESERVE as f64 / half
    }

    /// The journal and those who use it.
    pub fn machine(&self) -> Machine {
        let (plain, pages) = match self.mode {
            Mode::Nolock => (0, self.threads),
            Mode::Lock => (self.threads, 0),
        };
        let load = Load {
            plain,
            pages,
            cost: HANDLE,
            uses: DIRTIED.0,
            extra: 0,
            convert_extra: 0,
            page_cost: HANDLE,
            page_uses: DIRTIED.0,
            reserve: RESERVE,
            convert_uses: DIRTIED.1,
        };
        Machine::new(self.policy, self.sizes(), load)
    }
}
