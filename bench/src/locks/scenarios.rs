//! What is fought for, and how: short holds that ask for throughput, and long ones that ask who starves.
//! Where holders sleep, a loaded machine changes little; where all spin, look at ratios only.

use std::time::Duration;

use crate::contended::{Pass, Scenario, Side};

const fn side(threads: u32, hold: Pass, gap: Pass) -> Side {
    Side { threads, hold, gap }
}

/// Short holds of 200 ns with gaps of so many microseconds.
const fn mixed(name: &'static str, readers: u32, writers: u32, gap: u64) -> Scenario {
    let hold = Pass::Busy(Duration::from_nanos(200));
    let gap = Pass::busy_micros(gap);
    Scenario {
        name,
        what: "every hold takes 200 ns",
        readers: side(readers, hold, gap),
        writers: side(writers, hold, gap),
        time: Duration::from_millis(80),
    }
}

/// Throughput under short holds. The one of four threads and a microsecond is that of the goals.
pub const MIXED: [Scenario; 6] = [
    mixed("1R+1W, gaps of 1 us", 1, 1, 1),
    MIXED_4,
    mixed("2R+2W, gaps of 5 us", 2, 2, 5),
    mixed("3R+1W, gaps of 1 us", 3, 1, 1),
    mixed("4R+4W, gaps of 1 us", 4, 4, 1),
    mixed("16R+16W, gaps of 1 us", 16, 16, 1),
];

/// Four threads with short gaps.
pub const MIXED_4: Scenario = mixed("2R+2W, gaps of 1 us", 2, 2, 1);

/// Who starves, and what it costs that nobody does.
pub const STARVING: [Scenario; 5] = [S1, S2, S3, S4, S5];

/// Writers that come back at once, against readers that hold long: between two writers, a fair lock lets the readers hold it.
const S1: Scenario = Scenario {
    name: "S1",
    what: "3 writers hold 1 us, without a gap; 2 readers hold 1 ms asleep, without a gap",
    readers: side(2, Pass::asleep_micros(1000), Pass::NONE),
    writers: side(3, Pass::busy_micros(1), Pass::NONE),
    time: Duration::from_millis(400),
};

/// Readers whose holds overlap, against one writer.
const S2: Scenario = Scenario {
    name: "S2",
    what: "3 readers hold 1 ms asleep, overlapping, without a gap; 1 writer with gaps of 20 us asleep",
    readers: side(3, Pass::asleep_micros(1000), Pass::NONE),
    writers: side(1, Pass::busy_micros(1), Pass::PAUSE),
    time: Duration::from_millis(400),
};

/// Two writers hammer, each holding 50 us asleep, against one reader.
pub const S3: Scenario = Scenario {
    name: "S3",
    what: "2 writers hold 50 us asleep, without a gap; 1 reader with gaps of 20 us asleep",
    readers: side(1, Pass::busy_micros(1), Pass::PAUSE),
    writers: side(2, Pass::asleep_micros(50), Pass::NONE),
    time: Duration::from_millis(1000),
};

/// Everybody comes back at once after a short hold.
const S4: Scenario = Scenario {
    name: "S4",
    what: "4 readers and 1 writer hold 200 ns, without a gap",
    readers: side(4, Pass::Busy(Duration::from_nanos(200)), Pass::NONE),
    writers: side(1, Pass::Busy(Duration::from_nanos(200)), Pass::NONE),
    time: Duration::from_millis(250),
};

/// Two writers hold long, against two readers.
pub const S5: Scenario = Scenario {
    name: "S5",
    what: "2 writers hold 5 ms asleep, without a gap; 2 readers with gaps of 20 us asleep",
    readers: side(2, Pass::busy_micros(1), Pass::PAUSE),
    writers: side(2, Pass::asleep_micros(5000), Pass::NONE),
    time: Duration::from_millis(1500),
};
