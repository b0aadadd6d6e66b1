//! The format byte by byte, from its documentation (Documentation/filesystems/ext4/journal.rst), with another crc32c.

use conformance::jbd2_history::{Change, Log, MAGIC, UUID, data, expected, magic_data};
use interlock::jbd2::log::recovery::scan;
use interlock::jbd2::log::superblock::{Features, Superblock};

/// Bit by bit, without the inversions at the begin and the end.
fn crc32c(seed: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(seed, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| match crc & 1 {
            0 => crc >> 1,
            _ => crc >> 1 ^ 0x82F6_3B78,
        })
    })
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_be_bytes())
        .collect()
}

/// The block with its checksum, which is itself zero in it.
fn summed(seed: u32, mut block: Vec<u8>, place: usize) -> Vec<u8> {
    let sum = crc32c(seed, &block);
    block[place..place + 4].copy_from_slice(&sum.to_be_bytes());
    block
}

fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(1024, 0);
    bytes
}

#[test]
fn a_transaction_is_these_bytes() {
    let magic = u32::from_be_bytes(MAGIC);
    let log = Log::new(1024, Features::ALL, 16, 0, 7);
    let far = 0x0003_0000_0005;
    let change = Change {
        blocks: vec![(far, magic_data(1024, 1)), (9, data(1024, 2))],
        revokes: vec![far + 1, 4],
        seconds: 0x0000_0001_8000_0000,
    };
    let blocks = change.encode(&log.superblock, 7);
    let seed = crc32c(u32::MAX, &UUID);
    let revoke = words(&[magic, 5, 7, 32, 3, 6, 0, 4]);
    assert_eq!(blocks[0], summed(seed, padded(revoke), 1020));
    let mut escaped = change.blocks[0].1.clone();
    escaped[..4].fill(0);
    let of_data = crc32c(seed, &7_u32.to_be_bytes());
    let sums = [&escaped, &change.blocks[1].1].map(|bytes| crc32c(of_data, bytes));
    let descriptor = [
        words(&[magic, 1, 7, 5, 1, 3, sums[0]]),
        UUID.to_vec(),
        words(&[9, 2 | 8, 0, sums[1]]),
    ];
    assert_eq!(blocks[1], summed(seed, padded(descriptor.concat()), 1020));
    assert_eq!(blocks[2..4], [escaped, change.blocks[1].1.clone()]);
    let commit = [words(&[magic, 2, 7]), vec![0; 36], words(&[1, 0x8000_0000])];
    assert_eq!(blocks[4], summed(seed, padded(commit.concat()), 16));
    assert_eq!(blocks.len(), 5);
}

#[test]
fn a_superblock_is_these_bytes() {
    let magic = u32::from_be_bytes(MAGIC);
    let log = Log::new(1024, Features::ALL, 16, 3, 7);
    let superblock = [
        words(&[magic, 4, 0, 1024, 17, 1, 7, 4, 0, 0, 1 | 2 | 0x10, 0]),
        UUID.to_vec(),
        words(&[1, 0, 0, 0, 4 << 24]),
    ];
    let expected = summed(u32::MAX, padded(superblock.concat()), 0xFC);
    assert_eq!(log.superblock.bytes().to_vec(), expected);
    assert_eq!(log.area.read(&log.device, 0), Ok(expected));
}

/// Behind its checksum too.
#[test]
fn what_is_unknown_in_a_checked_superblock_stays() {
    let log = Log::new(1024, Features::ALL, 16, 3, 7);
    let mut bytes = log.superblock.bytes().to_vec();
    bytes[0xFC..0x100].fill(0);
    bytes[0x100..].fill(0x77);
    let bytes = summed(u32::MAX, bytes, 0xFC);
    let superblock = Superblock::read(bytes[..].try_into().expect("a superblock's bytes"));
    let superblock = superblock.expect("its checksum is right");
    assert_eq!(superblock.bytes().to_vec(), bytes);
}

/// As debugfs writes it: the next descriptor follows when no tag fits any more.
#[test]
fn a_descriptor_may_be_full_without_a_last_tag() {
    let wide = Features {
        is_64bit: true,
        ..Features::default()
    };
    let mut log = Log::new(1024, wide, 128, 0, 1);
    // 12 + 16 + 83 * 12 = 1024.
    let blocks = (20..103).map(|number| (number, data(1024, number as u32)));
    let change = Change {
        blocks: blocks.collect(),
        ..Change::default()
    };
    let mut descriptor = words(&[u32::from_be_bytes(MAGIC), 1, 1]);
    for (number, _) in &change.blocks {
        let is_first = *number == 20;
        descriptor.extend(words(&[*number as u32, if is_first { 0 } else { 2 }, 0]));
        descriptor.extend(UUID.iter().filter(|_| is_first));
    }
    assert_eq!(descriptor.len(), 1024);
    let mut written = vec![descriptor];
    written.extend(change.blocks.iter().map(|(_, bytes)| bytes.clone()));
    written.extend(Change::default().encode(&log.superblock, 1).pop());
    log.commit_as(&written);
    let replay = scan(&log.device, &log.area).expect("the log is good");
    assert_eq!((replay.transactions, replay.head), (1, log.head));
    assert!(replay.blocks == expected(&[change]));
}
