//! What is fought for, and how: short holds that ask for throughput, and long ones that ask who starves.
//! Where holders sleep, a loaded machine changes little; where all spin, look at ratios only.

use std::time::Duration;

use crate::contended::{Pass, Scenario, Side};

/// No time at all.
pub const NONE: Pass = Pass::Busy(Duration::ZERO);

/// What those do between two holds that a scenario may starve. With no gap at all, their few grants come in bursts while the
/// others are still waking up, and hide the waits; with a busy one, they keep the others off the processors.
pub const PAUSE: Pass = asleep_micros(20);

/// So long on the processor.
pub const fn busy_micros(micros: u64) -> Pass {
    Pass::Busy(Duration::from_micros(micros))
}

/// So long off it.
pub const fn asleep_micros(micros: u64) -> Pass {
    Pass::Asleep(Duration::from_micros(micros))
}

/// Short holds of 200 ns with gaps.
const fn mixed(name: &'static str, threads: (u32, u32), gap: u64) -> Scenario {
    const fn side(threads: u32, gap: u64) -> Side {
        let hold = Pass::Busy(Duration::from_nanos(200));
        Side {
            threads,
            hold,
            gap: busy_micros(gap),
        }
    }
    Scenario {
        name,
        what: "every hold takes 200 ns",
        readers: side(threads.0, gap),
        writers: side(threads.1, gap),
        time: Duration::from_millis(100),
    }
}

/// Throughput under short holds.
pub const MIXED: [Scenario; 4] = [
    mixed("2R+2W, gaps of 1 us", (2, 2), 1),
    mixed("2R+2W, gaps of 5 us", (2, 2), 5),
    mixed("3R+1W, gaps of 1 us", (3, 1), 1),
    mixed("3R+1W, gaps of 5 us", (3, 1), 5),
];

/// Two writers hammer, each holding 50 us asleep, against one reader.
pub const S3: Scenario = Scenario {
    name: "S3",
    what: "2 writers hold 50 us asleep, without a gap; 1 reader with gaps of 20 us asleep",
    readers: Side {
        threads: 1,
        hold: busy_micros(1),
        gap: PAUSE,
    },
    writers: Side {
        threads: 2,
        hold: asleep_micros(50),
        gap: NONE,
    },
    time: Duration::from_millis(2000),
};

/// Two writers hold long, against two readers.
pub const S5: Scenario = Scenario {
    name: "S5",
    what: "2 writers hold 5 ms asleep, without a gap; 2 readers with gaps of 20 us asleep",
    readers: Side {
        threads: 2,
        hold: busy_micros(1),
        gap: PAUSE,
    },
    writers: Side {
        threads: 2,
        hold: asleep_micros(5000),
        gap: NONE,
    },
    time: Duration::from_millis(2500),
};

/// The mirror: readers whose holds overlap, against one writer.
pub const S2: Scenario = Scenario {
    name: "S2",
    what: "3 readers hold 1 ms asleep, overlapping, without a gap; 1 writer with gaps of 20 us asleep",
    readers: Side {
        threads: 3,
        hold: asleep_micros(1000),
        gap: NONE,
    },
    writers: Side {
        threads: 1,
        hold: busy_micros(1),
        gap: PAUSE,
    },
    time: Duration::from_millis(800),
};
