//! Which ranges are asked for, by how many threads, and how they are held.

use std::ops::Range;
use std::time::Duration;

use super::locks::CELLS;
use crate::contended::{Op, Pass, Side, Turn};

/// What a thread asks for in a turn.
#[derive(Clone, Copy)]
pub enum Pick {
    /// A range that no other thread asks for.
    Own,
    /// [`WIDTH`] cells from one of [`STARTS`] on, at random: two such ranges overlap in one case of four.
    Quarter,
    /// A block of [`WIDTH`] cells at random, of all there are.
    Block,
    /// The whole file.
    Whole,
}

/// Cells of a narrow range.
pub const WIDTH: u64 = 16;
/// |a - b| < 16 for a quarter of all pairs of so many.
const STARTS: u64 = 116;

impl Pick {
    /// The range of a turn.
    pub fn range(self, turn: Turn) -> Range<u64> {
        let start = match self {
            Pick::Own => u64::from(turn.thread) * 4 * WIDTH,
            Pick::Quarter => random(turn) % STARTS,
            Pick::Block => random(turn) % (CELLS / WIDTH) * WIDTH,
            Pick::Whole => return 0..CELLS,
        };
        start..start + WIDTH
    }
}

/// The same number for the same turn, whichever the lock: SplitMix64.
fn random(Turn { thread, number }: Turn) -> u64 {
    let mut z = (u64::from(thread) << 40 | number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Threads that ask for the like.
pub struct Party {
    /// What the table calls them.
    pub name: &'static str,
    /// For reading or for writing.
    pub op: Op,
    /// Which ranges.
    pub pick: Pick,
    /// How many threads, and how they pass time.
    pub side: Side,
}

const fn writers(name: &'static str, threads: u32, pick: Pick, hold: Pass) -> Party {
    let side = Side {
        threads,
        hold,
        gap: Pass::NONE,
    };
    Party {
        name,
        op: Op::Write,
        pick,
        side,
    }
}

/// Parties that fight for the ranges of one file.
pub struct Scenario {
    /// What happens, in a line.
    pub what: &'static str,
    /// Who fights.
    pub parties: &'static [Party],
    /// How long a round of a lock is.
    pub time: Duration,
}

/// Disjoint ranges, short holds on the processor.
pub const DISJOINT: Scenario = Scenario {
    what: "4 threads, disjoint ranges, held 1 us",
    parties: &[writers("writers", 4, Pick::Own, Pass::busy_micros(1))],
    time: Duration::from_millis(100),
};

/// Many I/Os in flight.
pub const IN_FLIGHT: Scenario = Scenario {
    what: "32 threads in flight, disjoint ranges, held 100 us asleep",
    parties: &[writers("writers", 32, Pick::Own, Pass::asleep_micros(100))],
    time: Duration::from_millis(250),
};

/// The full range against small ones.
pub const WIDE: Scenario = Scenario {
    what: "7 threads hold disjoint ranges 100 us asleep, without a gap; 1 asks for the full range with gaps of 20 us asleep",
    parties: &[
        writers("small", 7, Pick::Own, Pass::asleep_micros(100)),
        Party {
            name: "full range",
            op: Op::Write,
            pick: Pick::Whole,
            side: Side {
                threads: 1,
                hold: Pass::busy_micros(1),
                gap: Pass::PAUSE,
            },
        },
    ],
    time: Duration::from_millis(500),
};

/// What overlaps, on the processor and off it, and readers beside writers.
pub const OVERLAPPING: [Scenario; 3] = [
    Scenario {
        what: "4 threads, two ranges overlap in one case of four, held 1 us",
        parties: &[writers("writers", 4, Pick::Quarter, Pass::busy_micros(1))],
        time: Duration::from_millis(100),
    },
    Scenario {
        what: "8 threads, two ranges overlap in one case of four, held 100 us asleep",
        parties: &[writers(
            "writers",
            8,
            Pick::Quarter,
            Pass::asleep_micros(100),
        )],
        time: Duration::from_millis(300),
    },
    Scenario {
        what: "6 readers and 2 writers, two ranges overlap in one case of four, held 100 us asleep",
        parties: &[
            Party {
                op: Op::Read,
                ..writers("readers", 6, Pick::Quarter, Pass::asleep_micros(100))
            },
            writers("writers", 2, Pick::Quarter, Pass::asleep_micros(100)),
        ],
        time: Duration::from_millis(300),
    },
];

/// How many threads share, from one to as many as 2019 measured.
pub const SHARING: [u32; 6] = [1, 2, 4, 8, 16, 32];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_pairs_overlap_and_nobodys_own_do() {
        let pairs = (0..STARTS).flat_map(|a| (0..STARTS).map(move |b| a.abs_diff(b)));
        let overlap = pairs.filter(|apart| *apart < WIDTH).count() as f64;
        assert!((overlap / (STARTS * STARTS) as f64 - 0.25).abs() < 0.001);
        let turn = |thread| Turn { thread, number: 7 };
        for thread in 0..32 {
            let own = Pick::Own.range(turn(thread));
            assert!(own.end <= Pick::Own.range(turn(thread + 1)).start && own.end <= CELLS);
            let block = Pick::Block.range(turn(thread));
            assert!(block.start.is_multiple_of(WIDTH) && block.end <= CELLS);
        }
    }
}
