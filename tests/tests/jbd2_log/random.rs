//! Random histories, flipped bits and hostile bytes.

use conformance::jbd2_history::{Change, Log, MAGIC, data, expected, magic_data};
use conformance::random::runner;
use interlock::jbd2::log::encode::blocks_needed;
use interlock::jbd2::log::recovery::{recover, scan};
use interlock::jbd2::log::superblock::Features;
use proptest::prelude::*;

use crate::round_trip;

const SIZE: usize = 1024;
const USABLE: u32 = 40;

fn features() -> impl Strategy<Value = Features> {
    any::<[bool; 3]>().prop_map(|[revoke, is_64bit, csum_v3]| Features {
        revoke,
        is_64bit,
        csum_v3,
    })
}

/// A block, by its number: written, escaped or not, or revoked.
type Touch = (u64, u32, u8);

fn change(touches: &[Touch], features: Features, seconds: u64) -> Change {
    let mut change = Change {
        seconds,
        ..Change::default()
    };
    for &(number, name, kind) in touches {
        if change.blocks.iter().any(|(other, _)| *other == number)
            || change.revokes.contains(&number)
        {
            continue;
        }
        match kind {
            0 if features.revoke => change.revokes.push(number),
            1 => change.blocks.push((number, magic_data(SIZE, name))),
            _ => change.blocks.push((number, data(SIZE, name))),
        }
    }
    change
}

#[derive(Debug, Clone)]
struct History {
    features: Features,
    behind: u32,
    tid: u32,
    changes: Vec<Change>,
}

impl History {
    /// The log of as many transactions as fit, and those.
    fn log(&self) -> (Log, &[Change]) {
        let mut log = Log::new(SIZE, self.features, USABLE, self.behind, self.tid);
        let (mut left, mut fit) = (USABLE, 0);
        for change in &self.changes {
            let needed = blocks_needed(&log.superblock, change.blocks.len(), change.revokes.len());
            let Some(rest) = left.checked_sub(needed) else {
                break;
            };
            log.commit(change);
            (left, fit) = (rest, fit + 1);
        }
        (log, &self.changes[..fit])
    }
}

fn history() -> impl Strategy<Value = History> {
    let touches = prop::collection::vec((20..30_u64, any::<u32>(), 0..4_u8), 0..6);
    let transactions = prop::collection::vec((touches, 0..3_u64), 0..10);
    let tid = prop_oneof![Just(1), Just(u32::MAX - 3), any::<u32>()];
    (features(), 0..USABLE, tid, transactions).prop_map(|(features, behind, tid, transactions)| {
        let transactions = transactions.iter();
        History {
            features,
            behind,
            tid,
            changes: transactions
                .map(|(touches, seconds)| change(touches, features, *seconds))
                .collect(),
        }
    })
}

#[test]
fn random_histories_come_back() {
    let result = runner(1500, 200).run(&history(), |history| {
        let (log, changes) = history.log();
        round_trip(&log, changes);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// A bit of the log, the superblock included.
#[test]
fn a_flipped_bit_yields_no_wrong_block() {
    let bits = (0..=USABLE, 0..SIZE as u64 * 8, any::<bool>());
    let counts = std::cell::Cell::new([0; 3]);
    let result = runner(6000, 200).run(
        &(history(), bits),
        |(mut history, (log_block, bit, is_early))| {
            history.features.csum_v3 = true;
            let (log, changes) = history.log();
            // Where headers, tags and records are.
            let bit = if is_early { bit % (80 * 8) } else { bit };
            let position = log.area.position(log_block).expect("it is in the log");
            log.device.flip(position + bit / 8, (bit % 8) as u32);
            let writes = log.device.writes();
            let mut all = counts.get();
            match recover(&log.device, &log.area) {
                Ok(replay) => {
                    let whole = replay.transactions as usize;
                    prop_assert!(whole <= changes.len());
                    prop_assert!(replay.blocks == expected(&changes[..whole]), "wrong blocks");
                    all[usize::from(whole < changes.len())] += 1;
                }
                Err(_) => {
                    prop_assert_eq!(log.device.writes(), writes);
                    all[2] += 1;
                }
            }
            counts.set(all);
            Ok(())
        },
    );
    result.unwrap_or_else(|error| panic!("{error}"));
    let [whole, shorter, told] = counts.get();
    println!("flipped bits: {whole} change nothing, {shorter} end the log, {told} are told");
    assert!(whole > 0 && shorter > 0 && told > 0);
}

/// A block that may be anything, but likes to look right.
#[derive(Debug, Clone)]
enum Hostile {
    Noise(Vec<u8>),
    Header {
        kind: u8,
        tid: u8,
        rest: Vec<u8>,
    },
    Good {
        touches: Vec<Touch>,
        tid: u8,
        part: u8,
    },
}

fn hostile() -> impl Strategy<Value = Hostile> {
    let bytes = || prop::collection::vec(prop_oneof![Just(0), Just(255), any::<u8>()], 0..64);
    let touches = prop::collection::vec((20..30_u64, any::<u32>(), 0..4_u8), 0..4);
    prop_oneof![
        1 => bytes().prop_map(Hostile::Noise),
        3 => (0..7_u8, 0..3_u8, bytes()).prop_map(|(kind, tid, rest)| Hostile::Header { kind, tid, rest }),
        3 => (touches, 0..3_u8, any::<u8>()).prop_map(|(touches, tid, part)| Hostile::Good { touches, tid, part }),
    ]
}

impl Hostile {
    fn bytes(&self, log: &Log) -> Vec<u8> {
        let mut block = vec![0; SIZE];
        match self {
            Hostile::Noise(bytes) => block[..bytes.len()].copy_from_slice(bytes),
            Hostile::Header { kind, tid, rest } => {
                block[..4].copy_from_slice(&MAGIC);
                (block[7], block[11]) = (*kind, *tid);
                block[12..12 + rest.len()].copy_from_slice(rest);
            }
            Hostile::Good { touches, tid, part } => {
                let change = change(touches, log.superblock.features, 1);
                let blocks = change.encode(&log.superblock, u32::from(*tid));
                return blocks[usize::from(*part) % blocks.len()].clone();
            }
        }
        block
    }
}

#[test]
fn hostile_bytes_end_in_a_result() {
    let blocks = prop::collection::vec(hostile(), 1..16);
    let found = std::cell::Cell::new((0, 0));
    let result = runner(4000, 200).run(
        &(features(), 0..15_u32, blocks),
        |(features, behind, blocks)| {
            let log = Log::new(SIZE, features, 15, behind, 0);
            let blocks: Vec<_> = blocks.iter().map(|block| block.bytes(&log)).collect();
            log.write(&blocks);
            let (mut transactions, mut errors) = found.get();
            match scan(&log.device, &log.area) {
                Ok(replay) => {
                    prop_assert!(replay.transactions < 16 && replay.blocks.len() < 16);
                    transactions += replay.transactions;
                }
                Err(_) => errors += 1,
            }
            found.set((transactions, errors));
            Ok(())
        },
    );
    result.unwrap_or_else(|error| panic!("{error}"));
    let (transactions, errors) = found.get();
    println!("hostile bytes: {transactions} transactions, {errors} errors");
    assert!(transactions > 0 && errors > 0);
}

#[test]
fn hostile_superblocks_end_in_a_result() {
    let words = prop::collection::vec((0..24_usize, prop_oneof![0..40_u32, any::<u32>()]), 1..6);
    let result = runner(3000, 200).run(&(features(), words), |(features, words)| {
        let mut log = Log::new(SIZE, features, 15, 0, 1);
        log.commit(&change(&[(20, 1, 2), (21, 2, 0)], features, 1));
        let mut bytes = log.area.read(&log.device, 0).expect("the device is good");
        for (word, number) in words {
            bytes[4 * word..4 * word + 4].copy_from_slice(&number.to_be_bytes());
        }
        let written = log.area.write(&log.device, 0, &bytes);
        written.expect("the device is good");
        if let Ok(replay) = scan(&log.device, &log.area) {
            prop_assert_eq!(&replay.superblock.bytes()[..], &bytes[..]);
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
