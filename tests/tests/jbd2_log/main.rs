//! A journal's log, written and read again: its bytes, every shape that a transaction can have, cut short at every block, what is
//! refused, random histories, flipped bits, hostile bytes, and faults that must be seen.

mod corrupt;
mod faults;
mod format;
mod interrupted;
mod random;
mod refused;
mod shapes;

use conformance::jbd2_history::{Change, Log, data, expected};
use interlock::jbd2::log::error::LogError;
use interlock::jbd2::log::recovery::{recover, scan};

/// A transaction that writes blocks `from..from + blocks`, whose data tell `name`.
fn writes(size: usize, from: u64, blocks: u64, name: u32) -> Change {
    let numbers = from..from + blocks;
    let block = |number| (number, data(size, name ^ (number as u32) << 8));
    Change {
        blocks: numbers.map(block).collect(),
        ..Change::default()
    }
}

fn revokes(numbers: impl IntoIterator<Item = u64>) -> Change {
    Change {
        revokes: numbers.into_iter().collect(),
        ..Change::default()
    }
}

/// Scans, recovers and scans again, and compares each with what the transactions say.
fn round_trip(log: &Log, changes: &[Change]) {
    let blocks = expected(changes);
    let replay = scan(&log.device, &log.area).expect("the log is good");
    assert_eq!((replay.next_tid, replay.head), (log.tid, log.head));
    assert_eq!(replay.transactions as usize, changes.len());
    assert_eq!(replay.first_tid, log.superblock.sequence);
    assert_eq!(replay.superblock, log.superblock);
    assert_eq!(replay.failed_commit, None);
    assert!(replay.blocks == blocks, "other blocks");
    let log = log.clone();
    let recovered = recover(&log.device, &log.area).expect("the log is good");
    for (number, bytes) in &blocks {
        assert!(log.home(*number) == *bytes, "block {number}");
    }
    let again = scan(&log.device, &log.area).expect("the log is empty");
    assert_eq!((again.superblock.start, again.transactions), (0, 0));
    assert_eq!(again.next_tid, log.tid.wrapping_add(1));
    assert_eq!(
        (again.next_tid, again.head),
        (recovered.next_tid, recovered.head)
    );
    assert_eq!(again.superblock, recovered.superblock);
    let writes = log.device.writes();
    assert_eq!(recover(&log.device, &log.area), Ok(again));
    assert_eq!(log.device.writes(), writes);
}
/// The same error of both, and nothing is written.
fn refusal(log: &Log) -> LogError {
    let writes = log.device.writes();
    let error = scan(&log.device, &log.area).expect_err("it is refused");
    assert_eq!(recover(&log.device, &log.area), Err(error.clone()));
    assert_eq!(log.device.writes(), writes);
    error
}
