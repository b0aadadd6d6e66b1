//! Transactions of every shape come back.

use conformance::jbd2_history::{Change, Log, MAGIC, all_features, data, magic_data};
use interlock::device::{BlockDevice, MemoryDevice};
use interlock::jbd2::log::area::LogArea;
use interlock::jbd2::log::create::create;
use interlock::jbd2::log::encode::{blocks_needed, encode};
use interlock::jbd2::log::recovery::{recover, scan};
use interlock::jbd2::log::superblock::{Features, Superblock};

use crate::{revokes, round_trip, writes};

#[test]
fn every_shape_of_a_transaction_comes_back() {
    let mut trips = 0;
    for features in all_features() {
        for size in [1024, 4096] {
            // The largest: a descriptor of 8-byte tags has 506 of them, a revoke block 1020 records.
            for blocks in [0, 1, 2, 59, 60, 61, 62, 121, 122, 123, 254, 507, 1100] {
                let written = writes(size, 5000, blocks, 7);
                for revoked in [0, 1, 125, 126, 127, 252, 253, 1021, 1022] {
                    if revoked > 0 && !features.revoke {
                        continue;
                    }
                    let mut change = written.clone();
                    change.revokes = (3000..3000 + revoked).collect();
                    let superblock = Log::new(size, features, 2, 0, 1).superblock;
                    let needed = blocks_needed(&superblock, blocks as usize, revoked as usize);
                    let mut log = Log::new(size, features, needed, 0, 1);
                    assert_eq!(change.encode(&superblock, 1).len(), needed as usize);
                    log.commit(&change);
                    round_trip(&log, &[change]);
                    trips += 1;
                }
            }
        }
    }
    println!("{trips} transactions came back");
}

/// The numbers of tags and records that fit, counted from the format's sizes.
#[test]
fn a_transaction_takes_as_many_blocks_as_it_costs() {
    let of = |size, features| Log::new(size, features, 2, 0, 1).superblock;
    let plain = Features {
        revoke: true,
        ..Features::default()
    };
    let wide = Features {
        is_64bit: true,
        ..plain
    };
    for (size, features, tags, records) in [
        (1024, plain, (1024 - 12 - 32) / 8, (1024 - 16) / 4),
        (1024, wide, (1024 - 12 - 32) / 12, (1024 - 16) / 8),
        (
            1024,
            Features::ALL,
            (1024 - 4 - 12 - 32) / 16,
            (1024 - 4 - 16) / 8,
        ),
        (4096, plain, (4096 - 12 - 32) / 8, (4096 - 16) / 4),
        (
            4096,
            Features::ALL,
            (4096 - 4 - 12 - 32) / 16,
            (4096 - 4 - 16) / 8,
        ),
    ] {
        let superblock = of(size, features);
        assert_eq!(blocks_needed(&superblock, 0, 0), 2);
        assert_eq!(blocks_needed(&superblock, tags, 0), tags as u32 + 2);
        assert_eq!(blocks_needed(&superblock, tags + 1, 0), tags as u32 + 4);
        assert_eq!(blocks_needed(&superblock, 0, records), 2);
        assert_eq!(blocks_needed(&superblock, 0, records + 1), 3);
        assert_eq!(blocks_needed(&superblock, 1, 1), 4);
    }
}

#[test]
fn the_log_goes_round() {
    for features in all_features() {
        for behind in 0..16 {
            let changes = [
                writes(1024, 10, 4, 1),
                Change::default(),
                writes(1024, 12, 5, 2),
            ];
            // 6, 2 and 7 blocks.
            for (usable, tid) in [(16, 1), (16, u32::MAX), (15, u32::MAX - 1)] {
                let mut log = Log::new(1024, features, usable, behind % usable, tid);
                changes.iter().for_each(|change| log.commit(change));
                round_trip(&log, &changes);
            }
        }
    }
}

#[test]
fn a_revoke_hides_what_is_older() {
    let (old, new) = (writes(1024, 20, 3, 1), writes(1024, 21, 1, 2));
    let both = Change {
        revokes: vec![20],
        ..new.clone()
    };
    let cases: [(&[Change], u32); 6] = [
        (&[old.clone(), revokes([20, 22])], 2),
        // A revoke of what is not there, and one that is older.
        (&[revokes([20, 99]), old.clone()], 0),
        (&[old.clone(), revokes([21]), new.clone()], 1),
        (&[old.clone(), revokes([21]), new.clone(), revokes([21])], 2),
        (&[old.clone(), both], 1),
        (&[old.clone(), new.clone(), revokes([20]), revokes([21])], 3),
    ];
    for features in all_features().filter(|features| features.revoke) {
        for (changes, hidden) in cases {
            // Tids go round.
            for tid in [1, u32::MAX - 1, 0x7FFF_FFFF] {
                let mut log = Log::new(1024, features, 32, 0, tid);
                changes.iter().for_each(|change| log.commit(change));
                let replay = scan(&log.device, &log.area).expect("the log is good");
                assert_eq!(replay.revoked, hidden);
                round_trip(&log, changes);
            }
        }
    }
}

#[test]
fn a_revoke_hides_its_own_transactions_block() {
    let mut change = writes(1024, 20, 2, 1);
    change.revokes = vec![20];
    let mut log = Log::new(1024, Features::ALL, 8, 0, 1);
    log.commit(&change);
    let replay = scan(&log.device, &log.area).expect("the log is good");
    assert_eq!(replay.blocks.keys().collect::<Vec<_>>(), [&21]);
}

#[test]
fn data_that_look_like_a_block_of_the_log_are_escaped() {
    for features in all_features() {
        let mut change = writes(1024, 40, 2, 1);
        // A commit record of the next transaction.
        let other = Log::new(1024, features, 8, 0, 2).superblock;
        let forged = encode(&other, 2, &[], &[], 0).pop().expect("a commit");
        change.blocks.push((42, forged));
        change.blocks.push((43, magic_data(1024, 3)));
        let mut log = Log::new(1024, features, 16, 0, 1);
        let blocks = change.encode(&log.superblock, 1);
        let with_magic = blocks.iter().filter(|block| block.starts_with(&MAGIC));
        assert_eq!(with_magic.count(), 2);
        log.commit(&change);
        round_trip(&log, &[change]);
    }
}

#[test]
fn block_numbers_have_64_bits() {
    let far = (5 << 32) + 17;
    for features in all_features().filter(|features| features.is_64bit) {
        let changes = [writes(1024, far, 3, 1), writes(1024, 17, 3, 2)];
        let mut log = Log::new(1024, features, 16, 3, 1);
        changes.iter().for_each(|change| log.commit(change));
        round_trip(&log, &changes);
        if features.revoke {
            let all = [changes.to_vec(), vec![revokes([far])]].concat();
            log.commit(&all[2]);
            round_trip(&log, &all);
        }
    }
}
#[test]
#[should_panic(expected = "block 4294967296 in a log without 64BIT")]
fn a_large_number_needs_64bit() {
    let log = Log::new(1024, Features::default(), 16, 0, 1);
    writes(1024, 1 << 32, 1, 1).encode(&log.superblock, 1);
}

#[test]
#[should_panic(expected = "a revoke in a log without REVOKE")]
fn a_revoke_needs_its_feature() {
    let log = Log::new(1024, Features::default(), 16, 0, 1);
    revokes([1]).encode(&log.superblock, 1);
}

#[test]
#[should_panic(expected = "block 20 is not one block long")]
fn data_are_whole_blocks() {
    let log = Log::new(1024, Features::default(), 16, 0, 1);
    writes(512, 20, 1, 1).encode(&log.superblock, 1);
}

/// A device whose sectors are blocks.
#[test]
fn a_log_lies_on_any_device() {
    let device = MemoryDevice::new(4096, 64, 0xEE);
    let area = LogArea::new(4096, std::iter::once(32..64).collect());
    let made = create(&device, &area, Features::ALL, [3; 16]);
    let superblock = made.expect("the area is large enough");
    assert_eq!(Superblock::load(&device, &area), Ok(superblock.clone()));
    let mut started = superblock;
    started.start = 1;
    started.store(&device, &area).expect("the device is good");
    let bytes = data(4096, 1);
    let blocks = encode(&started, 1, &[(7, &bytes)], &[], 0);
    for (log_block, block) in (1..).zip(&blocks) {
        area.write(&device, log_block, block)
            .expect("the device is good");
    }
    recover(&device, &area).expect("the log is good");
    let mut read = vec![0; 4096];
    device
        .read_at(&mut read, 7 * 4096)
        .expect("the device is good");
    assert!(read == bytes);
}
