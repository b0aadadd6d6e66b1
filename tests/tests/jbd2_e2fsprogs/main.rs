//! e2fsprogs judges the log in images of ext4: it reads and replays what is written here, and what it and the kernel write is
//! recovered here to the same blocks.

mod flips;
mod image;
mod journal;
mod kernel;
mod ours;
mod tools;

use std::ops::Range;

use conformance::jbd2_history::Blocks;
use image::Image;
use interlock::jbd2::log::recovery::{Replay, recover, scan};
use interlock::jbd2::log::superblock::{Features, Superblock};

/// Which journals file systems have by themselves.
const SHAPES: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

fn features(revoke: bool, (is_64bit, csum_v3): (bool, bool)) -> Features {
    Features {
        revoke,
        is_64bit,
        csum_v3,
    }
}

/// The bytes that may differ behind two recoveries: the superblock of the file system and that of its journal, in their blocks.
fn without_superblocks(image: &Image, bytes: &mut [u8]) {
    let size = image.block_size;
    let of_fs = 1024 / size * size;
    let of_log = image.area.position(0).expect("it has a superblock") as usize;
    for start in [of_fs, of_log] {
        let block: Range<usize> = start..start + size;
        bytes[block].fill(0);
    }
}

/// How an image is recovered.
type Way = fn(&Image);

/// Recovers an image whose journal needs it, here and by e2fsprogs in each of its ways, and compares all bytes, and the superblock
/// of the journal. Returns what was found, and the image. Whether e2fsck has nothing else to mend is for the caller to say.
fn judge(image: &Image, is_consistent: bool) -> (Replay, Image) {
    let area = &image.area;
    let found = scan(&image.device(), area).expect("the log is good");
    let ours = image.copy();
    let replay = recover(&ours.device(), area).expect("the log is good");
    assert_eq!(replay.blocks, found.blocks);
    ours.debugfs(&["feature -needs_recovery"]);
    let mut bytes = ours.bytes();
    without_superblocks(&ours, &mut bytes);
    let load = |image: &Image| Superblock::load(&image.device(), area).expect("it is good");
    let ways: [(&str, Way); 4] = [
        ("debugfs", |image| drop(image.debugfs(&["jr"]))),
        ("e2fsck -E journal_only", |image| {
            image.e2fsck(&["-y", "-E", "journal_only"])
        }),
        ("e2fsck -p", |image| image.e2fsck(&["-p"])),
        ("e2fsck -fy", |image| image.e2fsck(&["-fy"])),
    ];
    for (name, way) in ways {
        let theirs = image.copy();
        way(&theirs);
        let (is, expected) = (load(&ours), load(&theirs));
        assert_eq!(
            (is.start, is.sequence),
            (expected.start, expected.sequence),
            "{name}"
        );
        // e2fsck frees orphans, and mends what else it finds.
        if name == "debugfs" || is_consistent {
            assert_same_blocks(name, &theirs, &found.blocks);
        }
        if name == "debugfs" || (is_consistent && name == "e2fsck -E journal_only") {
            let mut other = theirs.bytes();
            without_superblocks(&theirs, &mut other);
            let differs = bytes.iter().zip(&other).position(|(is, other)| is != other);
            assert_eq!(differs, None, "{name}");
        }
    }
    (replay, ours)
}

fn assert_same_blocks(name: &str, image: &Image, blocks: &Blocks) {
    // The file system's superblock tells when, and by whom, it was changed.
    let superblock = 1024 / image.block_size as u64;
    for (number, bytes) in blocks.iter().filter(|(number, _)| **number != superblock) {
        assert!(image.block(*number) == *bytes, "{name}: block {number}");
    }
}
