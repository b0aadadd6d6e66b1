//! Writers with a fault of one line: recovery, judged by what the transactions say, tells each.

use conformance::jbd2_history::{Blocks, Change, Log, MAGIC, data, expected, magic_data};
use interlock::jbd2::log::recovery::scan;
use interlock::jbd2::log::superblock::Features;

use crate::writes;

const SIZE: usize = 1024;

/// What each transaction's log blocks become.
type Fault = fn(&mut Vec<Vec<u8>>, &Change);

/// The place of the first descriptor.
fn descriptor(blocks: &[Vec<u8>]) -> usize {
    let is_descriptor = |block: &Vec<u8>| block.starts_with(&MAGIC) && block[7] == 1;
    let place = blocks.iter().position(is_descriptor);
    place.expect("a block is written")
}

const FAULTS: [(&str, Fault); 8] = [
    (
        "the data are escaped, and the tag says nothing",
        |blocks, _| {
            let place = descriptor(blocks);
            blocks[place][12 + 7] &= !1;
        },
    ),
    (
        "the tag of a block that is not escaped says it is",
        |blocks, _| {
            let place = descriptor(blocks);
            // Behind the first tag and its UUID.
            blocks[place][12 + 8 + 16 + 7] |= 1;
        },
    ),
    ("no last tag", |blocks, _| {
        let place = descriptor(blocks);
        blocks[place][12 + 8 + 16 + 7] &= !8;
    }),
    ("no UUID behind the first tag", |blocks, _| {
        let place = descriptor(blocks);
        blocks[place].drain(12 + 8..12 + 8 + 16);
        blocks[place].extend([0; 16]);
    }),
    ("revokes are forgotten", |blocks, _| {
        blocks.retain(|block| !block.starts_with(&MAGIC) || block[7] != 5);
    }),
    (
        "of the revoke records the header is not counted",
        |blocks, _| {
            let revokes = blocks
                .iter_mut()
                .filter(|block| block.starts_with(&MAGIC) && block[7] == 5);
            revokes.for_each(|block| block[15] -= 16);
        },
    ),
    ("the commit record has the next tid", |blocks, _| {
        let commit = blocks.last_mut().expect("a commit record");
        commit[11] += 1;
    }),
    ("data in another order than the tags", |blocks, _| {
        let place = descriptor(blocks);
        blocks.swap(place + 1, place + 2);
    }),
];

fn history() -> Vec<Change> {
    let first = Change {
        blocks: vec![(20, magic_data(SIZE, 1)), (21, data(SIZE, 2))],
        ..Change::default()
    };
    let second = Change {
        blocks: vec![(22, magic_data(SIZE, 3)), (23, data(SIZE, 4))],
        revokes: vec![20, 21],
        ..Change::default()
    };
    let third = Change {
        blocks: vec![(20, data(SIZE, 5)), (24, data(SIZE, 6))],
        ..Change::default()
    };
    vec![first, second, third]
}

/// What recovery finds of this history, if the writer has a fault.
fn found(fault: Fault) -> Option<Blocks> {
    let features = Features {
        revoke: true,
        ..Features::default()
    };
    let mut log = Log::new(SIZE, features, 32, 0, 1);
    for change in history() {
        let mut blocks = change.encode(&log.superblock, log.tid);
        fault(&mut blocks, &change);
        log.commit_as(&blocks);
    }
    scan(&log.device, &log.area)
        .ok()
        .map(|replay| replay.blocks)
}

#[test]
fn a_writer_with_a_fault_is_told() {
    let right = Some(expected(&history()));
    assert!(found(|_, _| ()) == right, "a good writer");
    for (name, fault) in FAULTS {
        assert!(found(fault) != right, "{name}: not told");
    }
    println!("{} faulty writers told", FAULTS.len());
}

/// Data that are not escaped at all: as the remains of an older lap they are taken for blocks of the log.
#[test]
fn data_that_are_not_escaped_are_taken_for_a_transaction() {
    for escapes in [true, false] {
        let mut log = Log::new(SIZE, Features::default(), 32, 0, 1);
        // What a user may write into a file: transaction 3, that writes block 99.
        let forged = writes(SIZE, 99, 1, 7).encode(&log.superblock, 3);
        let numbers = 20..23;
        let change = Change {
            blocks: numbers.zip(forged.clone()).collect(),
            ..Change::default()
        };
        let mut blocks = change.encode(&log.superblock, 1);
        if !escapes {
            blocks.splice(1..4, forged);
        }
        log.commit_as(&blocks);
        // The log begins anew, and transaction 2 ends right before the data.
        (log.superblock.sequence, log.head) = (2, 32);
        log.superblock.start = log.head;
        let stored = log.superblock.store(&log.device, &log.area);
        stored.expect("the device is good");
        log.commit(&Change::default());
        let replay = scan(&log.device, &log.area).expect("the log is good");
        let transactions = if escapes { 1 } else { 2 };
        assert_eq!(replay.transactions, transactions);
        assert_eq!(replay.blocks.contains_key(&99), !escapes);
    }
}

/// The commit record is written before the data are durable, and the power fails.
#[test]
fn a_commit_record_before_its_data_is_told() {
    for csum_v3 in [false, true] {
        let features = Features {
            csum_v3,
            ..Features::default()
        };
        let change = writes(SIZE, 20, 2, 1);
        let mut log = Log::new(SIZE, features, 32, 0, 1);
        let mut blocks = change.encode(&log.superblock, 1);
        blocks[2].fill(0);
        log.commit_as(&blocks);
        match scan(&log.device, &log.area) {
            Ok(replay) => assert!(!csum_v3 && replay.blocks != expected(&[change])),
            Err(error) => assert_eq!(
                (csum_v3, error.to_string()),
                (true, "log block 3 is corrupt: wrong checksum of the data of block 21 in transaction 1".to_string())
            ),
        }
    }
}
