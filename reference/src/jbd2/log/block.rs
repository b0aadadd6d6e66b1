//! The blocks of a transaction: descriptors, revoke blocks, the commit record. Each begins with the same header:
//!
//! ```text
//! 0x00  h_magic  h_blocktype  h_sequence          journal_header_t, 12 bytes
//! 0x0C  descriptor: tags, see there
//!       revoke:     r_count, the bytes in use with the header, then numbers of 4 or 8 bytes
//!       commit:     h_chksum_type  h_chksum_size  two bytes of padding  h_chksum[8]  h_commit_sec (8 bytes)  h_commit_nsec
//! ```
//!
//! With CSUM_V3 a descriptor and a revoke block end with a checksum of the block, and a commit has its in h_chksum\[0\]; a checksum
//! is a crc32c that begins with the UUID, and takes itself as zero. All numbers are big-endian.

use super::superblock::Superblock;

/// JBD2_MAGIC_NUMBER: what the blocks that are no data begin with.
pub const MAGIC: u32 = 0xC03B_3998;
/// The size of the header in bytes.
pub(super) const HEADER: usize = 12;
/// Where the records of a revoke block begin.
pub(super) const RECORDS: usize = 16;
/// The size of the checksum at the end of a block.
const TAIL: usize = 4;
const COMMIT_CHECKSUM: usize = 16;
const COMMIT_SECONDS: usize = 48;

/// The types of blocks in a transaction, by their numbers in h_blocktype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Descriptor = 1,
    Commit = 2,
    Revoke = 5,
}

/// What the header of a block says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// `None` if it is none of a transaction's.
    pub block_type: Option<Type>,
    pub tid: u32,
}

impl Header {
    /// The header of a block, if it begins with the magic number.
    pub fn read(block: &[u8]) -> Option<Self> {
        if get32(block, 0) != MAGIC {
            return None;
        }
        let block_type = match get32(block, 4) {
            1 => Some(Type::Descriptor),
            2 => Some(Type::Commit),
            5 => Some(Type::Revoke),
            _ => None,
        };
        Some(Header {
            block_type,
            tid: get32(block, 8),
        })
    }
}

/// A block with its header, and zeroes behind it.
pub(super) fn empty(superblock: &Superblock, block_type: Type, tid: u32) -> Vec<u8> {
    let mut block = vec![0; superblock.block_size as usize];
    put32(&mut block, 0, MAGIC);
    put32(&mut block, 4, block_type as u32);
    put32(&mut block, 8, tid);
    block
}

/// Where the tags or records of a block must end.
pub(super) fn end(superblock: &Superblock) -> usize {
    let tail = if superblock.features.csum_v3 { TAIL } else { 0 };
    superblock.block_size as usize - tail
}

/// The size of a record in a revoke block, in bytes.
pub(super) fn record_size(superblock: &Superblock) -> usize {
    if superblock.features.is_64bit { 8 } else { 4 }
}

/// When the transaction was committed, in seconds since 1970.
pub(super) fn seconds(commit: &[u8]) -> u64 {
    u64::from(get32(commit, COMMIT_SECONDS)) << 32 | u64::from(get32(commit, COMMIT_SECONDS + 4))
}

/// A commit record (journal_submit_commit_record).
pub(super) fn commit(superblock: &Superblock, tid: u32, seconds: u64) -> Vec<u8> {
    let mut block = empty(superblock, Type::Commit, tid);
    put32(&mut block, COMMIT_SECONDS, (seconds >> 32) as u32);
    put32(&mut block, COMMIT_SECONDS + 4, seconds as u32);
    seal(superblock, Type::Commit, &mut block);
    block
}

/// Gives a block its checksum, if the log has them.
pub(super) fn seal(superblock: &Superblock, block_type: Type, block: &mut [u8]) {
    if superblock.features.csum_v3 {
        let sum = sum(superblock, block_type, block);
        put32(block, place(block_type, block), sum);
    }
}

/// Whether a block has its checksum, or the log has none.
pub(super) fn is_sealed(superblock: &Superblock, block_type: Type, block: &[u8]) -> bool {
    !superblock.features.csum_v3
        || get32(block, place(block_type, block)) == sum(superblock, block_type, block)
}

fn place(block_type: Type, block: &[u8]) -> usize {
    match block_type {
        Type::Commit => COMMIT_CHECKSUM,
        Type::Descriptor | Type::Revoke => block.len() - TAIL,
    }
}

fn sum(superblock: &Superblock, block_type: Type, block: &[u8]) -> u32 {
    let place = place(block_type, block);
    let before = checksum(superblock.seed(), &block[..place]);
    let itself = checksum(before, &[0; TAIL]);
    checksum(itself, &block[place + TAIL..])
}

/// The checksum of a data block, as it lies in the log: in the tag (jbd2_block_tag_csum_set).
pub(super) fn data_sum(superblock: &Superblock, tid: u32, data: &[u8]) -> u32 {
    checksum(checksum(superblock.seed(), &tid.to_be_bytes()), data)
}

/// crc32c as the kernel has it: without the inversions at its begin and end.
pub(super) fn checksum(seed: u32, bytes: &[u8]) -> u32 {
    !crc32c::crc32c_append(!seed, bytes)
}

/// The number at `offset`, which must be in the block.
pub(super) fn get32(block: &[u8], offset: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&block[offset..offset + 4]);
    u32::from_be_bytes(bytes)
}

/// Sets the number at `offset`, which must be in the block.
pub(super) fn put32(block: &mut [u8], offset: usize, number: u32) {
    block[offset..offset + 4].copy_from_slice(&number.to_be_bytes());
}
