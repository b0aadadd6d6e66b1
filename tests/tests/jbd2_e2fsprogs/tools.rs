//! Logs that debugfs writes, recovered here.

use conformance::jbd2_history::{Change, data, expected, magic_data};

use crate::image::{Image, Scratch, is_ready};
use crate::{SHAPES, features, judge};

/// What debugfs is to write: the first block in the file, how many, with the magic number or not, and the revoked blocks.
type Write<'a> = (usize, usize, bool, &'a [usize]);

/// More than three descriptors have tags.
const DATA: usize = 420;

const HISTORIES: [(&str, &[Write]); 6] = [
    ("one transaction", &[(0, 3, false, &[])]),
    (
        "over each other",
        &[(0, 5, false, &[]), (2, 5, true, &[]), (4, 1, false, &[])],
    ),
    ("a revoke", &[(0, 4, false, &[]), (0, 0, false, &[1, 3])]),
    (
        "dirty again after a revoke",
        &[
            (0, 4, false, &[]),
            (0, 0, false, &[1, 2]),
            (2, 1, true, &[]),
            (9, 2, false, &[0]),
        ],
    ),
    (
        "many descriptors",
        &[
            (5, 400, false, &[]),
            (7, 130, true, &[5]),
            (0, 2, false, &[]),
        ],
    ),
    (
        "many revokes",
        &[
            (0, 300, true, &[]),
            (310, 1, false, &[0, 1, 2, 3, 50, 60, 299]),
            (50, 3, false, &[]),
        ],
    ),
];

/// Writes a transaction with debugfs.
fn write(image: &Image, file: &[u64], write: &Write, name: u32, options: &str) -> Change {
    let &(first, count, has_magic, revokes) = write;
    let block = |number: &u64| {
        let make = if has_magic { magic_data } else { data };
        (*number, make(image.block_size, name ^ *number as u32))
    };
    let change = Change {
        blocks: file[first..first + count].iter().map(block).collect(),
        revokes: revokes.iter().map(|place| file[*place]).collect(),
        ..Change::default()
    };
    let bytes: Vec<u8> = change
        .blocks
        .iter()
        .flat_map(|(_, bytes)| bytes.clone())
        .collect();
    let contents = Scratch::new(&bytes);
    let list = |numbers: &mut dyn Iterator<Item = u64>| {
        let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        numbers.join(",")
    };
    let mut command = format!("jw {options}");
    if !revokes.is_empty() {
        command += &format!(" -r {}", list(&mut change.revokes.iter().copied()));
    }
    if count > 0 {
        let numbers = list(&mut change.blocks.iter().map(|(number, _)| *number));
        command += &format!(" -b {numbers} {}", contents.name());
    }
    // Opened for each: debugfs guesses where the next one goes, and looks only then.
    let open = if name == 0 { "jo -c" } else { "jo" };
    let text = image.debugfs(&[open, &command, "jc"]);
    assert!(!text.contains("will not"), "{text}");
    change
}

#[test]
fn what_debugfs_writes_in_small_blocks_is_recovered_here() {
    recovered(1024);
}

#[test]
fn what_debugfs_writes_in_blocks_of_a_page_is_recovered_here() {
    recovered(4096);
}

fn recovered(size: usize) {
    if !is_ready() {
        return;
    }
    let (mut trips, mut blocks, mut revoked) = (0, 0, 0);
    for shape in SHAPES {
        let base = Image::new(size, features(false, shape), DATA);
        let file = base.blocks("data");
        for (name, history) in HISTORIES {
            for is_cut in [false, true] {
                let image = base.copy();
                // Without metadata_csum debugfs would switch on another checksum.
                let first = if shape.1 { 0 } else { 1 };
                let changes: Vec<Change> = (first..)
                    .zip(history)
                    .map(|(name, transaction)| write(&image, &file, transaction, name, ""))
                    .collect();
                if is_cut {
                    // One that is never committed.
                    write(&image, &file, &(0, 9, false, &[]), 99, "-c");
                }
                let (replay, ours) = judge(&image, true);
                let has_revokes = history.iter().any(|(.., revokes)| !revokes.is_empty());
                assert_eq!(
                    replay.superblock.features,
                    features(has_revokes, shape),
                    "{name}"
                );
                assert_eq!(replay.transactions as usize, history.len(), "{name}");
                assert_eq!(replay.blocks, expected(&changes), "{name}");
                ours.assert_clean();
                trips += 1;
                blocks += replay.blocks.len();
                revoked += replay.revoked;
            }
        }
    }
    println!(
        "{trips} logs of debugfs in blocks of {size}, {blocks} blocks, {revoked} revoked: recovered here as by e2fsck"
    );
}

/// The journals that e2fsprogs makes with features that are not supported here are refused by their names.
#[test]
fn other_journals_of_e2fsprogs_are_refused() {
    if !is_ready() {
        return;
    }
    let refused = |image: &Image| {
        let scanned = interlock::jbd2::log::recovery::scan(&image.device(), &image.area);
        scanned.expect_err("it is refused").to_string()
    };
    let before = "the log has a feature that is not supported: JBD2_FEATURE_";
    // The first journal checksum, and the second.
    for (shape, open, name) in [
        (SHAPES[0], "jo -c", "COMPAT_CHECKSUM"),
        (SHAPES[3], "jo -c -v 2", "INCOMPAT_CSUM_V2"),
    ] {
        let image = Image::new(1024, features(false, shape), 4);
        image.debugfs(&[open, "jc"]);
        assert_eq!(refused(&image), format!("{before}{name}"));
    }
}
