//! Blocks that are not what they must be: what is the end of the log, and what is an error.

use conformance::jbd2_history::{Change, Log};
use interlock::device::BlockDevice;
use interlock::jbd2::log::error::LogError;
use interlock::jbd2::log::recovery::{recover, scan};
use interlock::jbd2::log::superblock::Features;

use crate::{refusal, revokes, round_trip, writes};

/// Changes a byte of a log block, and what recovery says then.
fn with_byte(log: &Log, log_block: u32, byte: u64) -> Result<u32, LogError> {
    let log = log.clone();
    let position = log.area.position(log_block).expect("it is in the log");
    log.device.flip(position + byte, 3);
    let writes = log.device.writes();
    let replay = recover(&log.device, &log.area);
    if replay.is_err() {
        assert_eq!(log.device.writes(), writes);
    }
    replay.map(|replay| replay.transactions)
}

/// Three transactions of a revoke block, a descriptor, a data block and a commit record, at these seconds.
fn dated(seconds: [u64; 3]) -> Log {
    let mut log = Log::new(1024, Features::ALL, 16, 0, 1);
    for (place, seconds) in (0..).zip(seconds) {
        let mut change = writes(1024, 20 + u64::from(place), 1, place);
        change.revokes = vec![90];
        change.seconds = seconds;
        log.commit(&change);
    }
    log
}

#[test]
fn a_wrong_checksum_means_what_it_means_to_the_kernel() {
    let corrupt = |block, reason: &str| {
        let reason = reason.to_string();
        Err(LogError::Corrupt { block, reason })
    };
    let (log, older) = (dated([5, 6, 6]), dated([5, 6, 5]));
    let in_third = "wrong checksum in transaction 3, which has a commit record";
    // Blocks 9 to 12 are the third one's revoke block, descriptor, data, commit record.
    assert_eq!(with_byte(&log, 9, 500), corrupt(9, in_third));
    assert_eq!(with_byte(&log, 10, 500), corrupt(10, in_third));
    assert_eq!(with_byte(&older, 9, 500), Ok(2));
    assert_eq!(with_byte(&older, 10, 500), Ok(2));
    let of_data = "wrong checksum of the data of block 22 in transaction 3";
    assert_eq!(with_byte(&log, 11, 500), corrupt(11, of_data));
    assert_eq!(with_byte(&older, 11, 500), corrupt(11, of_data));
    assert_eq!(with_byte(&log, 12, 500), Ok(2));
    // Also where others follow.
    assert_eq!(with_byte(&log, 8, 500), Ok(1));
    // The magic number, the type, the tid: the log ends there.
    for block in [9, 10, 12] {
        for byte in [0, 7, 11] {
            assert_eq!(with_byte(&log, block, byte), Ok(2), "{block} {byte}");
        }
    }
}

#[test]
fn a_commit_record_with_a_wrong_checksum_is_told() {
    let long = 1 << 32;
    for (seconds, failed) in [
        ([5, 6, 6], Some(3)),
        ([5, 6, 5], None),
        ([long, long + 5, 6], None),
    ] {
        let log = dated(seconds);
        let position = log.area.position(12).expect("it is in the log");
        log.device.flip(position + 500, 0);
        let replay = scan(&log.device, &log.area).expect("the log ends there");
        assert_eq!((replay.transactions, replay.failed_commit), (2, failed));
    }
}

#[test]
fn what_cannot_be_is_corrupt() {
    let plain = Features {
        revoke: true,
        ..Features::default()
    };
    // More bytes of records than the block has.
    let mut log = Log::new(1024, plain, 16, 0, 1);
    let mut blocks = revokes([5]).encode(&log.superblock, 1);
    blocks[0][12..16].copy_from_slice(&1025_u32.to_be_bytes());
    log.commit_as(&blocks);
    let text = refusal(&log).to_string();
    assert_eq!(
        text,
        "log block 1 is corrupt: 1025 bytes of revoke records, 1024 at most"
    );
    // A block behind the end of the device.
    let mut log = Log::new(1024, Features::ALL, 16, 0, 1);
    log.commit(&writes(1024, u64::MAX - 9, 1, 1));
    let text = refusal(&log).to_string();
    assert!(
        text.starts_with("log block 1 is corrupt: a tag of block 18446744073709551606"),
        "{text}"
    );
    // The last block of the device, and the one behind it.
    let blocks = log.device.sectors() / 2;
    for (number, is_good) in [(blocks - 1, true), (blocks, false)] {
        let mut log = Log::new(1024, Features::ALL, 16, 0, 1);
        log.commit(&writes(1024, number, 1, 1));
        assert_eq!(scan(&log.device, &log.area).is_ok(), is_good);
    }
    // Of less than the records' begin there are none.
    let mut log = Log::new(1024, plain, 16, 0, 1);
    let mut blocks = revokes([5]).encode(&log.superblock, 1);
    blocks[0][12..16].copy_from_slice(&3_u32.to_be_bytes());
    log.commit_as(&blocks);
    round_trip(&log, &[Change::default()]);
}

/// Nothing but revoke blocks, or but descriptors, of one transaction: nobody would ever leave.
#[test]
fn a_log_without_an_end_ends() {
    let log = Log::new(1024, Features::ALL, 16, 0, 1);
    for change in [Change::default(), writes(1024, 20, 1, 1)] {
        let blocks = change.encode(&log.superblock, 1);
        log.write(&vec![blocks[0].clone(); 16]);
        let replay = scan(&log.device, &log.area).expect("the log has no whole transaction");
        assert_eq!((replay.transactions, replay.head), (0, 1));
    }
}
