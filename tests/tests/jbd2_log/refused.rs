//! What is refused: features, superblocks, areas.

use conformance::jbd2_history::{Log, SparseDevice};
use interlock::jbd2::log::area::LogArea;
use interlock::jbd2::log::create::create;
use interlock::jbd2::log::error::LogError;
use interlock::jbd2::log::recovery::scan;
use interlock::jbd2::log::superblock::{Features, Superblock};

use crate::{refusal, writes};

/// A log whose superblock has these 32 bits.
fn with_number(offset: usize, number: u32, features: Features) -> Log {
    let mut log = Log::new(1024, features, 16, 0, 1);
    log.commit(&writes(1024, 20, 2, 1));
    let mut bytes = log.area.read(&log.device, 0).expect("the device is good");
    bytes[offset..offset + 4].copy_from_slice(&number.to_be_bytes());
    let written = log.area.write(&log.device, 0, &bytes);
    written.expect("the device is good");
    log
}
#[test]
fn features_are_refused_by_their_names() {
    for (offset, bits, name) in [
        (0x24, 0x01, "JBD2_FEATURE_COMPAT_CHECKSUM"),
        (0x28, 0x04, "JBD2_FEATURE_INCOMPAT_ASYNC_COMMIT"),
        (0x28, 0x08, "JBD2_FEATURE_INCOMPAT_CSUM_V2"),
        (0x28, 0x20, "JBD2_FEATURE_INCOMPAT_FAST_COMMIT"),
        (0x28, 0x33, "JBD2_FEATURE_INCOMPAT_FAST_COMMIT"),
        (0x28, 0x42, "s_feature_incompat 0x40"),
        (0x24, 0x10, "s_feature_compat 0x10"),
        (0x2C, 0x02, "s_feature_ro_compat 0x2"),
        (0x04, 3, "JBD2_SUPERBLOCK_V1"),
    ] {
        let error = refusal(&with_number(offset, bits, Features::default()));
        let feature = name.to_string();
        assert_eq!(error, LogError::Unsupported { feature });
        let text = error.to_string();
        assert_eq!(
            text,
            format!("the log has a feature that is not supported: {name}")
        );
    }
    let error = refusal(&with_number(0x50, 0x0100_0000, Features::ALL));
    let feature = "s_checksum_type 1".to_string();
    assert_eq!(error, LogError::Unsupported { feature });
}

#[test]
fn a_corrupt_superblock_is_told() {
    let none = Features::default();
    for (offset, number, text) in [
        (
            0x00,
            1,
            "there is no journal: log block 0 begins with 0x00000001, not with 0xc03b3998",
        ),
        (
            0x04,
            2,
            "there is no journal: log block 0 is of type 2, no superblock",
        ),
        (
            0x0C,
            2048,
            "the log's superblock is corrupt: its blocks have 2048 bytes, expected 1024",
        ),
        (
            0x0C,
            1000,
            "the log's superblock is corrupt: blocks of 1000 bytes",
        ),
        (0x10, 99, "the log has 17 blocks, and needs 99"),
        (
            0x10,
            0,
            "the log's superblock is corrupt: its first block is 1 of 0",
        ),
        (
            0x14,
            0,
            "the log's superblock is corrupt: its first block is 0 of 17",
        ),
        (
            0x14,
            17,
            "the log's superblock is corrupt: its first block is 17 of 17",
        ),
        (0x14, 16, "the log has 17 blocks, and needs 18"),
        (
            0x14,
            10,
            "the log's superblock is corrupt: its log starts at block 1, not in 10..17",
        ),
        (
            0x1C,
            17,
            "the log's superblock is corrupt: its log starts at block 17, not in 1..17",
        ),
    ] {
        assert_eq!(
            refusal(&with_number(offset, number, none)).to_string(),
            text
        );
    }
    for offset in (0x0C..1024)
        .step_by(4)
        .filter(|offset| ![0x24, 0x28, 0x2C, 0x50].contains(offset))
    {
        let error = refusal(&with_number(offset, 0x5555_5555, Features::ALL));
        assert!(
            error.to_string().contains("corrupt: its checksum is 0x"),
            "{offset:#x}: {error}"
        );
    }
    // The bit that says whether there are checksums.
    let error = refusal(&with_number(0x28, 0x03, Features::ALL));
    assert!(
        error.to_string().contains("that of a log with CSUM_V3"),
        "{error}"
    );
}

#[test]
fn what_is_unknown_in_the_superblock_stays() {
    let mut bytes = with_number(0x100, 0xABCD_EF01, Features::default())
        .superblock
        .bytes();
    bytes[0x48..0x50].copy_from_slice(b"limitsof");
    // A kind of checksum, and none.
    bytes[0x50] = 4;
    bytes[0x58..0xFC].fill(0x77);
    let superblock = Superblock::read(&bytes).expect("it has no checksum");
    assert_eq!(superblock.bytes(), bytes);
    // A kilobyte that nobody reads is not shown.
    assert!(format!("{superblock:?}").contains("rest: .."));
    let mut later = superblock;
    later.sequence = 9;
    assert_eq!(&later.bytes()[0x20..], &bytes[0x20..]);
}
#[test]
fn an_area_maps_its_blocks() {
    let area = LogArea::new(1024, vec![10..12, 5..5, 100..103, 7..7]);
    assert_eq!(area.blocks(), 5);
    let positions = (0..5).map(|block| area.position(block).map(|position| position / 1024));
    assert_eq!(
        positions.collect::<Vec<_>>(),
        [10, 11, 100, 101, 102].map(Ok)
    );
    let error = area.position(5).expect_err("there are five");
    assert_eq!(
        error.to_string(),
        "log block 5 is corrupt: it lies behind the end of the log"
    );
    let huge = LogArea::new(1024, vec![0..u64::MAX, 0..u64::MAX]);
    assert_eq!(huge.blocks(), u32::MAX);
    assert!(huge.position(u32::MAX - 1).is_ok() && huge.position(u32::MAX).is_err());
    assert!(
        LogArea::new(1024, vec![u64::MAX - 4..u64::MAX, 0..0])
            .position(0)
            .is_err()
    );
}

#[test]
fn a_log_that_is_no_log_cannot_be_made() {
    let device = SparseDevice::default();
    let made = |size, runs| create(&device, &LogArea::new(size, runs), Features::ALL, [1; 16]);
    let needed = 3;
    assert_eq!(
        made(1024, vec![5..6, 6..7]),
        Err(LogError::TooSmall { blocks: 2, needed })
    );
    for size in [0, 512, 1000, 3072] {
        let feature = format!("blocks of {size} bytes");
        assert_eq!(
            made(size, vec![5..9, 9..99]),
            Err(LogError::Unsupported { feature })
        );
    }
    assert_eq!(device.writes(), 0);
    let nothing = LogArea::new(1024, Vec::new());
    let error = scan(&device, &nothing).expect_err("it has no blocks");
    assert_eq!(
        error.to_string(),
        "there is no journal: its area has no blocks"
    );
}
