//! A transaction as log blocks: what a commit writes (jbd2_journal_commit_transaction, 6.18).
//!
//! Revoke blocks come first, then descriptors, each before the data that its tags name, then the commit record. A transaction with
//! nothing in it has one revoke block without records before its commit record, so that it takes two log blocks, as many as the
//! specification has it cost.
//!
//! Whoever writes into an empty log stores its superblock before, with the start and the tid of the first transaction, as the
//! kernel does (jbd2_journal_update_sb_log_tail): recovery does not look at a log that says it is empty.

use super::block::{self, MAGIC, RECORDS, Type, put32};
use super::superblock::Superblock;
use super::tag::{self, ESCAPE, Tag};

/// How many records a revoke block has at most.
fn per_revoke_block(superblock: &Superblock) -> usize {
    (block::end(superblock) - RECORDS) / block::record_size(superblock)
}

/// How many log blocks a transaction takes, its commit record included, that writes so many blocks and revokes so many: 2 or
/// more.
pub fn blocks_needed(superblock: &Superblock, blocks: usize, revokes: usize) -> u32 {
    let descriptors = blocks.div_ceil(tag::per_descriptor(superblock));
    let revoke_blocks = revokes.div_ceil(per_revoke_block(superblock));
    let before = (descriptors + blocks + revoke_blocks).max(1);
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}

/// The log block after `log_block`: behind the last one comes the first.
pub fn next(superblock: &Superblock, log_block: u32) -> u32 {
    match log_block.checked_add(1) {
        Some(next) if next < superblock.maxlen => next,
        _ => superblock.first,
    }
}

/// The log blocks of transaction `tid`, in their order: it writes `blocks`, each with its number on the device, and revokes
/// `revokes`, and is committed at `seconds` since 1970. The last one is the commit record: it may be written when all before it
/// are durable.
///
/// A revoke hides what this transaction writes to the block as well; a block must not be in both.
///
/// # Panics
///
/// The data of a block are not one block long; a number has more than 32 bits and the log has not 64BIT; there are revokes and
/// the log has not REVOKE.
pub fn encode(
    superblock: &Superblock,
    tid: u32,
    blocks: &[(u64, &[u8])],
    revokes: &[u64],
    seconds: u64,
) -> Vec<Vec<u8>> {
    let features = superblock.features;
    assert!(
        features.revoke || revokes.is_empty(),
        "a revoke in a log without REVOKE"
    );
    let numbers = blocks.iter().map(|(number, _)| number).chain(revokes);
    let largest = numbers.max().copied().unwrap_or_default();
    assert!(
        features.is_64bit || u32::try_from(largest).is_ok(),
        "block {largest} in a log without 64BIT"
    );
    let mut log = revoke_blocks(superblock, tid, revokes);
    for chunk in blocks.chunks(tag::per_descriptor(superblock)) {
        let (tags, data): (Vec<Tag>, Vec<Vec<u8>>) = chunk
            .iter()
            .map(|(number, data)| logged(superblock, tid, *number, data))
            .unzip();
        let mut descriptor = block::empty(superblock, Type::Descriptor, tid);
        tag::write(superblock, &mut descriptor, &tags);
        block::seal(superblock, Type::Descriptor, &mut descriptor);
        log.push(descriptor);
        log.extend(data);
    }
    if log.is_empty() {
        log.push(revoke_block(superblock, tid, &[]));
    }
    log.push(block::commit(superblock, tid, seconds));
    log
}

/// A block's tag, and its data as they lie in the log.
fn logged(superblock: &Superblock, tid: u32, number: u64, data: &[u8]) -> (Tag, Vec<u8>) {
    assert_eq!(
        data.len(),
        superblock.block_size as usize,
        "block {number} is not one block long"
    );
    let mut data = data.to_vec();
    let escapes = data.starts_with(&MAGIC.to_be_bytes());
    if escapes {
        put32(&mut data, 0, 0);
    }
    let tag = Tag {
        block: number,
        flags: if escapes { ESCAPE } else { 0 },
        checksum: match superblock.features.csum_v3 {
            true => block::data_sum(superblock, tid, &data),
            false => 0,
        },
    };
    (tag, data)
}

fn revoke_blocks(superblock: &Superblock, tid: u32, revokes: &[u64]) -> Vec<Vec<u8>> {
    let chunks = revokes.chunks(per_revoke_block(superblock));
    chunks
        .map(|chunk| revoke_block(superblock, tid, chunk))
        .collect()
}

fn revoke_block(superblock: &Superblock, tid: u32, revokes: &[u64]) -> Vec<u8> {
    let size = block::record_size(superblock);
    let mut block = block::empty(superblock, Type::Revoke, tid);
    put32(&mut block, 12, (RECORDS + size * revokes.len()) as u32);
    let records = block[RECORDS..].chunks_mut(size);
    for (record, number) in records.zip(revokes) {
        record.copy_from_slice(&number.to_be_bytes()[8 - size..]);
    }
    block::seal(superblock, Type::Revoke, &mut block);
    block
}
