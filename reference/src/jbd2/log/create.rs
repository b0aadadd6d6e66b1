//! An empty log.

use super::area::LogArea;
use super::error::LogError;
use super::superblock::{Features, Superblock, is_block_size};
use crate::device::BlockDevice;

/// The superblock, and the smallest transaction. The kernel and e2fsprogs ask for 1024 blocks.
const LEAST: u32 = 3;

/// Makes an empty log of all the blocks of `area`, the first transaction of which will be 1, and returns its superblock. The other
/// blocks become zero: of an older log, transaction 2 might lie right behind the new transaction 1.
///
/// # Errors
///
/// [`LogError::TooSmall`]: fewer than 3 blocks. [`LogError::Unsupported`]: the size of a block is no power of two of at least
/// 1024 bytes. [`LogError::Device`].
pub fn create(
    device: &impl BlockDevice,
    area: &LogArea,
    features: Features,
    uuid: [u8; 16],
) -> Result<Superblock, LogError> {
    let (blocks, needed, size) = (area.blocks(), LEAST, area.block_size());
    if blocks < needed {
        return Err(LogError::TooSmall { blocks, needed });
    }
    let block_size = u32::try_from(size).ok();
    let Some(block_size) = block_size.filter(|size| is_block_size(*size)) else {
        return Err(LogError::unsupported(format!("blocks of {size} bytes")));
    };
    let zeroes = vec![0; size];
    for log_block in 0..blocks {
        area.write(device, log_block, &zeroes)?;
    }
    device.flush()?;
    let superblock = Superblock::empty(block_size, blocks, features, uuid);
    superblock.store(device, area)?;
    Ok(superblock)
}
