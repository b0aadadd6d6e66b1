//! The tags of a descriptor block: which blocks follow it in the log.
//!
//! ```text
//! 0x00  t_blocknr        the low half
//! 0x04  t_checksum       two bytes, zero here: of CSUM_V2
//! 0x06  t_flags          two bytes
//! 0x08  t_blocknr_high   with 64BIT or CSUM_V3; it counts with 64BIT
//! 0x0C  t_checksum       with CSUM_V3 (journal_block_tag3_t)
//! ```
//!
//! The UUID follows a tag without SAME_UUID, which the first one of a block is.

use super::block::{HEADER, end, get32, put32};
use super::superblock::Superblock;

/// JBD2_FLAG_ESCAPE: the data begin with the magic number, and with zeroes in the log.
pub(super) const ESCAPE: u16 = 1;
/// JBD2_FLAG_SAME_UUID: no UUID follows the tag.
const SAME_UUID: u16 = 2;
/// JBD2_FLAG_LAST_TAG: no tag follows. (JBD2_FLAG_DELETED, 4, is written by nobody, and recovery does not look at it.)
const LAST_TAG: u16 = 8;
const UUID_SIZE: usize = 16;

/// A tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag {
    /// The block on the device.
    pub block: u64,
    /// [`ESCAPE`] or 0.
    pub flags: u16,
    /// The data's checksum with CSUM_V3, else 0.
    pub checksum: u32,
}

/// The size of a tag in bytes (journal_tag_bytes).
fn size(superblock: &Superblock) -> usize {
    let features = superblock.features;
    match (features.csum_v3, features.is_64bit) {
        (true, _) => 16,
        (false, true) => 12,
        (false, false) => 8,
    }
}

/// How many tags a descriptor has at most: a commit ends one when another tag with a UUID may not fit
/// (jbd2_journal_commit_transaction, 6.18).
pub(super) fn per_descriptor(superblock: &Superblock) -> usize {
    (end(superblock) - HEADER - 2 * UUID_SIZE) / size(superblock)
}

/// Writes tags, at most [`per_descriptor`], into a descriptor block.
pub(super) fn write(superblock: &Superblock, block: &mut [u8], tags: &[Tag]) {
    let features = superblock.features;
    let mut at = HEADER;
    for (place, tag) in tags.iter().enumerate() {
        let (is_first, is_last) = (place == 0, place + 1 == tags.len());
        let same = if is_first { 0 } else { SAME_UUID };
        let last = if is_last { LAST_TAG } else { 0 };
        put32(block, at, tag.block as u32);
        put32(block, at + 4, u32::from(tag.flags | same | last));
        if features.is_64bit {
            put32(block, at + 8, (tag.block >> 32) as u32);
        }
        if features.csum_v3 {
            put32(block, at + 12, tag.checksum);
        }
        at += size(superblock);
        if is_first {
            block[at..at + UUID_SIZE].copy_from_slice(&superblock.uuid);
            at += UUID_SIZE;
        }
    }
}

/// The tags of a descriptor block: up to the last one, or as many as fit (count_tags). There is at least one.
pub(super) fn read(superblock: &Superblock, block: &[u8]) -> Vec<Tag> {
    let (features, size, end) = (superblock.features, size(superblock), end(superblock));
    let (mut tags, mut at) = (Vec::new(), HEADER);
    while at + size <= end {
        let low = u64::from(get32(block, at));
        let high = match features.is_64bit {
            true => u64::from(get32(block, at + 8)),
            false => 0,
        };
        // Two bytes also of a tag with CSUM_V3: debugfs leaves anything in the two before.
        let flags = get32(block, at + 4) as u16;
        tags.push(Tag {
            block: high << 32 | low,
            flags: flags & ESCAPE,
            checksum: match features.csum_v3 {
                true => get32(block, at + 12),
                false => 0,
            },
        });
        at += size;
        if flags & SAME_UUID == 0 {
            at += UUID_SIZE;
        }
        if flags & LAST_TAG != 0 {
            break;
        }
    }
    tags
}
