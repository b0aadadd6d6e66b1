//! A log whose writing stopped, and a recovery that did.

use std::error::Error as _;

use conformance::jbd2_history::{Change, Log, all_features, expected};
use interlock::errno::Errno;
use interlock::jbd2::log::create::create;
use interlock::jbd2::log::encode::next;
use interlock::jbd2::log::error::LogError;
use interlock::jbd2::log::recovery::{recover, scan};
use interlock::jbd2::log::superblock::Features;

use crate::{revokes, round_trip, writes};

/// A lap of older transactions, then three new ones, of which so many blocks are written.
#[test]
fn an_interrupted_log_ends_with_its_last_whole_transaction() {
    let mut cuts = 0;
    for features in all_features() {
        let mut changes = vec![
            writes(1024, 20, 3, 1),
            Change::default(),
            writes(1024, 22, 65, 2),
        ];
        if features.revoke {
            changes[2].revokes = vec![20];
        }
        for is_second_lap in [false, true] {
            let mut log = Log::new(1024, features, 90, 7, 50);
            if is_second_lap {
                let older = writes(1024, 500, 8, 9);
                while log.tid < 70 {
                    log.commit(&older);
                }
                log.superblock.start = log.head;
                log.superblock.sequence = log.tid;
                let stored = log.superblock.store(&log.device, &log.area);
                stored.expect("the device is good");
            }
            let parts: Vec<_> = (log.tid..)
                .zip(&changes)
                .map(|(tid, change)| change.encode(&log.superblock, tid))
                .collect();
            let blocks = parts.concat();
            for cut in 0..=blocks.len() {
                let log = log.clone();
                log.write(&blocks[..cut]);
                let ends: Vec<usize> = (1..=parts.len())
                    .map(|parts_before| parts[..parts_before].iter().map(Vec::len).sum())
                    .filter(|end| *end <= cut)
                    .collect();
                let (whole, end) = (ends.len(), ends.last().copied().unwrap_or(0));
                let head = (0..end).fold(log.head, |at, _| next(&log.superblock, at));
                let replay = scan(&log.device, &log.area).expect("the log is good");
                assert_eq!(replay.next_tid, log.tid + whole as u32, "{cut} blocks");
                assert_eq!((replay.head, replay.failed_commit), (head, None));
                assert!(replay.blocks == expected(&changes[..whole]), "{cut} blocks");
                cuts += 1;
            }
        }
    }
    println!("{cuts} interrupted logs");
}

#[test]
fn recovery_can_be_interrupted() {
    let changes = [
        writes(1024, 20, 5, 1),
        revokes([21]),
        writes(1024, 24, 3, 2),
    ];
    let mut log = Log::new(1024, Features::ALL, 32, 5, 1);
    changes.iter().for_each(|change| log.commit(change));
    for writes in 0.. {
        log.device.fail_after(Some(writes));
        let recovered = recover(&log.device, &log.area);
        log.device.fail_after(None);
        if recovered.is_ok() {
            assert_eq!(writes, 7);
            break;
        }
        let error = recovered.expect_err("the device fails");
        assert_eq!(error, LogError::Device(Errno::Io));
        let source = error.source().expect("the device's");
        assert_eq!(source.downcast_ref(), Some(&Errno::Io));
        round_trip(&log, &changes);
    }
}
/// What an older log has left might be taken for the new one's.
#[test]
fn a_new_log_forgets_an_older_one() {
    let mut log = Log::new(1024, Features::default(), 16, 0, 1);
    for place in 0..3 {
        log.commit(&writes(1024, 20, 1, place));
    }
    let made = create(&log.device, &log.area, Features::default(), [2; 16]);
    let superblock = made.expect("the area is large enough");
    log.superblock = superblock;
    log.superblock.start = 1;
    let stored = log.superblock.store(&log.device, &log.area);
    stored.expect("the device is good");
    (log.head, log.tid) = (1, 1);
    let change = writes(1024, 30, 1, 5);
    log.commit(&change);
    round_trip(&log, &[change]);
}
