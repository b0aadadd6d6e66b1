//! Where on a device the blocks of a log lie.

use std::ops::Range;

use super::error::LogError;
use crate::device::BlockDevice;

/// The blocks of a log, in runs of blocks of a device, as a journal's inode has them in extents. Log block 0 is the superblock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogArea {
    block_size: usize,
    /// Each with the number of log blocks before it.
    runs: Vec<(u64, Range<u64>)>,
    blocks: u32,
}

impl LogArea {
    /// The blocks of `runs`, one run after the other, numbered on the device in blocks of `block_size` bytes. What lies behind
    /// 2^32 - 1 log blocks is left out.
    pub fn new(block_size: usize, runs: Vec<Range<u64>>) -> Self {
        let mut blocks = 0_u64;
        let place = |run: Range<u64>| {
            let before = blocks;
            blocks = blocks.saturating_add(run.end.saturating_sub(run.start));
            (before, run)
        };
        let runs = runs.into_iter().map(place).collect();
        LogArea {
            block_size,
            runs,
            blocks: u32::try_from(blocks).unwrap_or(u32::MAX),
        }
    }

    /// The size of a block in bytes.
    pub fn block_size(&self) -> usize {
        self.block_size
    }

    /// How many log blocks there are, with the superblock's.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// The position of a log block on the device, in bytes.
    ///
    /// # Errors
    ///
    /// [`LogError::Corrupt`]: there is no such log block, or no device is that large.
    pub fn position(&self, log_block: u32) -> Result<u64, LogError> {
        let at = u64::from(log_block);
        // The last one that has not too many before it: those without a block have as many as the next.
        let run = self.runs.iter().rfind(|(before, _)| *before <= at);
        let block = run.map(|(before, run)| run.start + (at - before));
        block
            .filter(|_| log_block < self.blocks)
            .and_then(|block| block.checked_mul(self.block_size as u64))
            .ok_or_else(|| LogError::corrupt(log_block, "it lies behind the end of the log"))
    }

    /// Reads a log block.
    ///
    /// # Errors
    ///
    /// Those of [`LogArea::position`]; [`LogError::Device`].
    pub fn read(&self, device: &impl BlockDevice, log_block: u32) -> Result<Vec<u8>, LogError> {
        let mut bytes = vec![0; self.block_size];
        device.read_at(&mut bytes, self.position(log_block)?)?;
        Ok(bytes)
    }

    /// Writes a log block. It is durable after a flush.
    ///
    /// # Errors
    ///
    /// Those of [`LogArea::position`]; [`LogError::Device`].
    pub fn write(
        &self,
        device: &impl BlockDevice,
        log_block: u32,
        bytes: &[u8],
    ) -> Result<(), LogError> {
        device.write_at(bytes, self.position(log_block)?)?;
        Ok(())
    }
}
