//! Recovery: what a log's whole transactions say of the device's blocks (jbd2_journal_recover and do_one_pass, 6.18).
//!
//! Three passes, as the kernel's:
//!
//! 1. Scan: from s_start on, in the order of the log, to the end of the last transaction that is whole. A block that does not begin
//!    with the magic number, has another tid than the next one, or is of no known type is the end of the log.
//! 2. Revoke: which blocks the whole transactions revoke, each with the last tid that does.
//! 3. Replay: the data of the descriptors' tags, the later ones over the earlier ones, but for those that a revoke of the same or
//!    a later transaction hides.
//!
//! What a wrong checksum means, with CSUM_V3:
//!
//! - of a descriptor or a revoke block: nothing yet. If a commit record of its transaction follows, the log is corrupt, unless that
//!   record is older than the one before: then both are of an older log, and this is the end of the log.
//! - of a commit record: the transaction is not whole, and this is the end of the log. The kernel replays what lies before it, but
//!   will not mount then (j_failed_commit); e2fsck replays it and checks everything. [`Replay::failed_commit`] tells it.
//! - of data: the log is corrupt, since all data were durable before the commit record was written. The kernel and e2fsck write
//!   what is good, and fail; here nothing is written.

use std::collections::BTreeMap;

use super::area::LogArea;
use super::block::{self, HEADER, Header, MAGIC, RECORDS, Type, get32, put32};
use super::encode::next;
use super::error::LogError;
use super::superblock::Superblock;
use super::tag::{self, ESCAPE};
use crate::device::BlockDevice;

/// What recovery finds in a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// The superblock: of [`scan`] as it is on the device, of [`recover`] as it is now.
    pub superblock: Superblock,
    /// The tid of the oldest transaction, if there is one.
    pub first_tid: u32,
    /// The tid of the next transaction.
    pub next_tid: u32,
    /// The log block where the next transaction goes.
    pub head: u32,
    /// What the blocks of the device must be, by their numbers.
    pub blocks: BTreeMap<u64, Vec<u8>>,
    /// How many transactions are whole.
    pub transactions: u32,
    /// How many blocks in the log a revoke has hidden (nr_revoke_hits).
    pub revoked: u32,
    /// The tid behind the last whole transaction, if it has a commit record whose checksum is wrong: torn, or corrupt.
    pub failed_commit: Option<u32>,
}

/// Reads what the log's whole transactions say. Nothing is written; a log that continues does so with `next_tid` at `head`.
///
/// # Errors
///
/// Those of [`Superblock::load`]; [`LogError::Corrupt`]: a whole transaction has a block with a wrong checksum, a revoke block
/// with more records than can be, or a tag of a block behind the end of the device. [`LogError::Device`].
pub fn scan(device: &impl BlockDevice, area: &LogArea) -> Result<Replay, LogError> {
    let superblock = Superblock::load(device, area)?;
    let log = Log {
        device,
        area,
        superblock: &superblock,
    };
    // The superblock's s_start is 0 if, and only if, the journal was left clean.
    let found = match superblock.start {
        0 => Found::nothing(&superblock),
        _ => log.scan()?,
    };
    let revokes = log.revokes(&found.parts)?;
    let (blocks, revoked) = log.replay(&found.parts, &revokes)?;
    Ok(Replay {
        first_tid: superblock.sequence,
        next_tid: found.next_tid,
        head: found.head,
        blocks,
        transactions: found.next_tid.wrapping_sub(superblock.sequence),
        revoked,
        failed_commit: found.failed_commit,
        superblock,
    })
}

/// Writes what the log's whole transactions say to the device, and then empties the log. If it fails, or the power does, it can
/// be done again.
///
/// The next transaction is one later than that of [`scan`]: blocks of the one that was interrupted may lie in the log, and must
/// never be taken for its own (jbd2_journal_recover, 6.18). An empty log stays as it is.
///
/// # Errors
///
/// Those of [`scan`]: nothing has been written then. [`LogError::Device`].
pub fn recover(device: &impl BlockDevice, area: &LogArea) -> Result<Replay, LogError> {
    let mut replay = scan(device, area)?;
    if replay.superblock.start == 0 {
        return Ok(replay);
    }
    for (number, bytes) in &replay.blocks {
        device.write_at(bytes, number * area.block_size() as u64)?;
    }
    device.flush()?;
    replay.next_tid = replay.next_tid.wrapping_add(1);
    replay.superblock.start = 0;
    replay.superblock.sequence = replay.next_tid;
    replay.head = replay.superblock.first;
    replay.superblock.store(device, area)?;
    Ok(replay)
}

/// A descriptor or a revoke block.
struct Part {
    block_type: Type,
    tid: u32,
    log_block: u32,
    bytes: Vec<u8>,
}

/// What the first pass finds.
struct Found {
    /// Those of whole transactions, in the log's order.
    parts: Vec<Part>,
    next_tid: u32,
    head: u32,
    failed_commit: Option<u32>,
}

impl Found {
    fn nothing(superblock: &Superblock) -> Self {
        Found {
            parts: Vec::new(),
            next_tid: superblock.sequence,
            head: superblock.first,
            failed_commit: None,
        }
    }
}

struct Log<'a, D> {
    device: &'a D,
    area: &'a LogArea,
    superblock: &'a Superblock,
}

impl<D: BlockDevice> Log<'_, D> {
    /// The first pass.
    fn scan(&self) -> Result<Found, LogError> {
        let superblock = self.superblock;
        let mut found = Found::nothing(superblock);
        found.head = superblock.start;
        let (mut at, mut parts) = (superblock.start, Vec::new());
        // No transaction is longer than the log. The kernel has no such bound, and would go round and round in a log of nothing
        // but revoke blocks.
        let mut left = superblock.usable();
        let (mut doubtful, mut last_seconds) = (None, 0);
        while left > 0 {
            let (log_block, tid) = (at, found.next_tid);
            let bytes = self.area.read(self.device, log_block)?;
            (at, left) = (next(superblock, at), left - 1);
            let header = Header::read(&bytes).filter(|header| header.tid == tid);
            let Some(block_type) = header.and_then(|header| header.block_type) else {
                break;
            };
            let is_sealed = block::is_sealed(superblock, block_type, &bytes);
            if block_type == Type::Commit {
                let seconds = block::seconds(&bytes);
                let is_older = seconds < last_seconds;
                match doubtful {
                    Some(block) if !is_older => {
                        let reason = format!(
                            "wrong checksum in transaction {tid}, which has a commit record"
                        );
                        return Err(LogError::corrupt(block, reason));
                    }
                    None if is_sealed => (),
                    _ => {
                        found.failed_commit = (!is_older).then_some(tid);
                        break;
                    }
                }
                last_seconds = seconds;
                found.next_tid = tid.wrapping_add(1);
                found.head = at;
                found.parts.append(&mut parts);
                continue;
            }
            if !is_sealed {
                doubtful = doubtful.or(Some(log_block));
            }
            if block_type == Type::Descriptor {
                let data = tag::read(superblock, &bytes).len() as u32;
                let Some(rest) = left.checked_sub(data) else {
                    break;
                };
                (at, left) = (self.skip(at, data), rest);
            }
            parts.push(Part {
                block_type,
                tid,
                log_block,
                bytes,
            });
        }
        Ok(found)
    }

    /// The log block so many behind another; fewer than the log has.
    fn skip(&self, log_block: u32, blocks: u32) -> u32 {
        let to_end = self.superblock.maxlen - log_block;
        match blocks.checked_sub(to_end) {
            Some(over) => self.superblock.first + over,
            None => log_block + blocks,
        }
    }

    /// The second pass: the last tid that revokes each block (scan_revoke_records). The feature is not asked for, as in the kernel.
    fn revokes(&self, parts: &[Part]) -> Result<BTreeMap<u64, u32>, LogError> {
        let size = block::record_size(self.superblock);
        let mut revokes = BTreeMap::new();
        for part in parts.iter().filter(|part| part.block_type == Type::Revoke) {
            let in_use = get32(&part.bytes, HEADER) as usize;
            let limit = block::end(self.superblock);
            if in_use > limit {
                let reason = format!("{in_use} bytes of revoke records, {limit} at most");
                return Err(LogError::corrupt(part.log_block, reason));
            }
            let records = part.bytes.get(RECORDS..in_use).unwrap_or_default();
            for record in records.chunks_exact(size) {
                let number = record
                    .iter()
                    .fold(0, |number, byte| number << 8 | u64::from(*byte));
                // The transactions come in their order.
                revokes.insert(number, part.tid);
            }
        }
        Ok(revokes)
    }

    /// The third pass: the blocks, and how many are hidden.
    fn replay(
        &self,
        parts: &[Part],
        revokes: &BTreeMap<u64, u32>,
    ) -> Result<(BTreeMap<u64, Vec<u8>>, u32), LogError> {
        let (mut blocks, mut hidden) = (BTreeMap::new(), 0);
        let size = self.area.block_size() as u64;
        let device_blocks = self
            .device
            .sectors()
            .saturating_mul(self.device.sector_size() as u64)
            / size;
        let descriptors = parts
            .iter()
            .filter(|part| part.block_type == Type::Descriptor);
        for part in descriptors {
            let mut at = part.log_block;
            for tag in tag::read(self.superblock, &part.bytes) {
                at = next(self.superblock, at);
                // jbd2_journal_test_revoke; tids go round.
                let revoke = revokes.get(&tag.block);
                if revoke.is_some_and(|revoke| revoke.wrapping_sub(part.tid) as i32 >= 0) {
                    hidden += 1;
                    continue;
                }
                if tag.block >= device_blocks {
                    let reason = format!(
                        "a tag of block {}, the device has {device_blocks}",
                        tag.block
                    );
                    return Err(LogError::corrupt(part.log_block, reason));
                }
                let mut data = self.area.read(self.device, at)?;
                let has_sums = self.superblock.features.csum_v3;
                if has_sums && block::data_sum(self.superblock, part.tid, &data) != tag.checksum {
                    let reason = format!(
                        "wrong checksum of the data of block {} in transaction {}",
                        tag.block, part.tid
                    );
                    return Err(LogError::corrupt(at, reason));
                }
                if tag.flags & ESCAPE != 0 {
                    put32(&mut data, 0, MAGIC);
                }
                blocks.insert(tag.block, data);
            }
        }
        Ok((blocks, hidden))
    }
}
