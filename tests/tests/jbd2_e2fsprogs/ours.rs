//! Logs that are written here, read and replayed by e2fsprogs.

use conformance::jbd2_history::{Blocks, Change, all_features, data, expected, magic_data};
use interlock::jbd2::log::encode::{blocks_needed, next};
use interlock::jbd2::log::superblock::{Features, Superblock};

use crate::image::{Image, is_ready};
use crate::judge;

/// How many blocks the file has that transactions write: more than two descriptors have tags.
pub const DATA: usize = 300;

/// Numbers that look random, the same each time (xorshift).
pub struct Dice(pub u64);

impl Dice {
    /// One of the numbers before the limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

/// Transactions on these blocks: small ones, one that is large, one with nothing in it.
pub fn history(dice: &mut Dice, size: usize, file: &[u64], features: Features) -> Vec<Change> {
    let transactions = 3 + dice.below(6);
    let large = dice.below(transactions);
    let transaction = |place| {
        let touched = match dice.below(4) {
            _ if place == large => file.len() as u64,
            0 => 0,
            _ => dice.below(9),
        };
        let mut change = Change {
            seconds: 1_800_000_000 + place,
            ..Change::default()
        };
        let mut left = file.to_vec();
        for _ in 0..touched {
            let number = left.swap_remove(dice.below(left.len() as u64) as usize);
            let name = dice.below(1 << 30) as u32;
            match dice.below(5) {
                0 if features.revoke => change.revokes.push(number),
                1 => change.blocks.push((number, magic_data(size, name))),
                _ => change.blocks.push((number, data(size, name))),
            }
        }
        change
    };
    (0..transactions).map(transaction).collect()
}

/// What debugfs must print of a transaction at `at`, and where the next one is.
fn dump(superblock: &Superblock, tid: u32, change: &Change, mut at: u32) -> (Vec<String>, u32) {
    let mut lines = Vec::new();
    let mut data = change.blocks.iter().map(|(number, _)| number);
    let mut revokes = change.revokes.iter();
    for block in change.encode(superblock, tid) {
        let number = |at: usize| {
            u32::from_be_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
        };
        let kind = match (number(0), number(4)) {
            (0xC03B_3998, 1) => "1 (descriptor block)",
            (0xC03B_3998, 2) => "2 (commit block)",
            (0xC03B_3998, 5) => "5 (revoke table)",
            _ => {
                let number = data.next().expect("the data are the change's");
                lines.push(format!("  FS block {number} logged at journal block {at}"));
                at = next(superblock, at);
                continue;
            }
        };
        lines.push(format!(
            "Found expected sequence {tid}, type {kind} at block {at}"
        ));
        if kind.starts_with('5') {
            let records =
                (number(12) as usize - 16) / if superblock.features.is_64bit { 8 } else { 4 };
            lines.extend(
                revokes
                    .by_ref()
                    .take(records)
                    .map(|number| format!("  Revoke FS block {number}")),
            );
        }
        at = next(superblock, at);
    }
    (lines, at)
}

/// Writes a history into the image's journal, and returns what debugfs must print of it.
pub fn write(
    image: &Image,
    superblock: &Superblock,
    changes: &[Change],
    torn: Option<&Change>,
) -> Vec<String> {
    let (device, area) = (image.device(), &image.area);
    superblock.store(&device, area).expect("the device is good");
    let (mut at, mut lines) = (superblock.start, Vec::new());
    for (tid, change) in (superblock.sequence..).zip(changes) {
        let (dumped, behind) = dump(superblock, tid, change, at);
        lines.extend(dumped);
        let blocks = change.encode(superblock, tid);
        assert_eq!(
            blocks.len() as u32,
            blocks_needed(superblock, change.blocks.len(), change.revokes.len())
        );
        for block in blocks {
            area.write(&device, at, &block).expect("the device is good");
            at = next(superblock, at);
        }
        assert_eq!(at, behind);
    }
    // The next one, without its commit record.
    let tid = superblock.sequence + changes.len() as u32;
    let mut torn = torn
        .map(|change| change.encode(superblock, tid))
        .unwrap_or_default();
    torn.pop();
    for block in torn {
        area.write(&device, at, &block).expect("the device is good");
        at = next(superblock, at);
    }
    lines
}

#[test]
fn debugfs_and_e2fsck_replay_what_is_written_here() {
    if !is_ready() {
        return;
    }
    let (mut trips, mut blocks, mut transactions) = (0, 0, 0);
    let mut dice = Dice(0x1234_5678_9ABC_DEF1);
    for features in all_features() {
        for size in [1024, 4096] {
            let base = Image::new(size, features, DATA);
            base.debugfs(&["feature needs_recovery"]);
            let file = base.blocks("data");
            let made = Superblock::load(&base.device(), &base.area);
            let made = made.expect("mke2fs has made it");
            assert_eq!((made.start, made.features), (0, Features::default()));
            for (start, tid, is_torn) in [
                (1, 1, false),
                (1000, 77, true),
                (1 + dice.below(1023) as u32, u32::MAX - 9, true),
            ] {
                let image = base.copy();
                let mut superblock = made.clone();
                (superblock.start, superblock.sequence) = (start, tid);
                (superblock.features, superblock.uuid) = (features, *b"another one, too");
                let changes = history(&mut dice, size, &file, features);
                let (torn, whole) = match is_torn {
                    true => (changes.last(), &changes[..changes.len() - 1]),
                    false => (None, &changes[..]),
                };
                let lines = write(&image, &superblock, whole, torn);
                if !is_torn {
                    assert_dump(&image, &lines);
                }
                let (replay, ours) = judge(&image, true);
                assert_eq!(replay.blocks, expected(whole));
                assert_eq!(replay.transactions as usize, whole.len());
                ours.assert_clean();
                trips += 1;
                blocks += replay.blocks.len();
                transactions += replay.transactions;
            }
        }
    }
    println!(
        "{trips} logs of ours, {transactions} transactions, {blocks} blocks: replayed alike by debugfs and e2fsck"
    );
}

/// debugfs reads the log as it was written.
fn assert_dump(image: &Image, lines: &[String]) {
    let text = image.debugfs(&["logdump -a"]);
    let read: Vec<String> = text
        .lines()
        .filter(|line| {
            ["Found expected", "  FS block", "  Revoke"]
                .iter()
                .any(|begin| line.starts_with(begin))
        })
        .map(|line| line.split(" (flags").next().unwrap_or_default().to_string())
        .collect();
    for (place, (read, written)) in read.iter().zip(lines).enumerate() {
        assert_eq!(read, written, "line {place}");
    }
    assert_eq!(read.len(), lines.len());
}

/// A writer that forgets what a flag says: e2fsprogs finds other blocks than were meant.
#[test]
fn e2fsprogs_tells_a_faulty_writer() {
    if !is_ready() {
        return;
    }
    let features = Features::default();
    let base = Image::new(1024, features, 4);
    base.debugfs(&["feature needs_recovery"]);
    let (file, area) = (base.blocks("data"), &base.area);
    let change = Change {
        blocks: vec![(file[0], magic_data(1024, 1)), (file[1], data(1024, 2))],
        ..Change::default()
    };
    type Fault = fn(&mut Vec<Vec<u8>>);
    let faults: [(&str, Fault); 5] = [
        ("none", |_| ()),
        ("no escape flag", |blocks| blocks[0][19] &= !1),
        ("no last tag", |blocks| blocks[0][43] &= !8),
        ("another tid in the commit record", |blocks| {
            blocks[3][11] += 1
        }),
        ("data swapped", |blocks| blocks.swap(1, 2)),
    ];
    for (name, fault) in faults {
        let image = base.copy();
        let device = image.device();
        let mut superblock = Superblock::load(&device, area).expect("mke2fs has made it");
        superblock.start = 1;
        superblock.store(&device, area).expect("the device is good");
        let mut blocks = change.encode(&superblock, superblock.sequence);
        fault(&mut blocks);
        for (log_block, block) in (1..).zip(&blocks) {
            area.write(&device, log_block, block)
                .expect("the device is good");
        }
        image.e2fsck(&["-y", "-E", "journal_only"]);
        let numbers = file[..2].iter();
        let found: Blocks = numbers
            .map(|number| (*number, image.block(*number)))
            .collect();
        assert_eq!(
            found == expected(std::slice::from_ref(&change)),
            name == "none",
            "{name}"
        );
    }
}
