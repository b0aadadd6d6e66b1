//! Devices: what files and journals lie on.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

use crate::errno::Errno;

/// A device of sectors. Positions and lengths, in bytes, are multiples of the sector, and lie within the device. What reads and
/// writes one sector is atomic; more than one need not be.
pub trait BlockDevice: Send + Sync + 'static {
    /// The size of a sector in bytes.
    fn sector_size(&self) -> usize;

    /// How many sectors there are.
    fn sectors(&self) -> u64;

    /// Reads `bytes` from `position` on.
    ///
    /// # Errors
    ///
    /// `EIO`; what is in `bytes` then is anybody's guess.
    fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno>;

    /// Writes `bytes` from `position` on.
    ///
    /// # Errors
    ///
    /// `EIO`; nothing, or a part, has been written.
    fn write_at(&self, bytes: &[u8], position: u64) -> Result<(), Errno>;

    /// Makes all that was written before durable. Up to then writes may be lost, or outlive later ones, if the power fails.
    ///
    /// # Errors
    ///
    /// `EIO`; what was written since the last flush may be durable or not.
    fn flush(&self) -> Result<(), Errno> {
        Ok(())
    }
}

/// A device in memory.
pub struct MemoryDevice {
    sector_size: usize,
    bytes: Mutex<Vec<u8>>,
}

impl MemoryDevice {
    /// A device of `sectors` sectors with `sector_size` bytes each, all of them `fill`.
    pub fn new(sector_size: usize, sectors: usize, fill: u8) -> Self {
        MemoryDevice {
            sector_size,
            bytes: Mutex::new(vec![fill; sector_size * sectors]),
        }
    }

    fn with<R>(&self, step: impl FnOnce(&mut [u8]) -> R) -> R {
        step(&mut self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl BlockDevice for MemoryDevice {
    fn sector_size(&self) -> usize {
        self.sector_size
    }

    fn sectors(&self) -> u64 {
        self.with(|all| (all.len() / self.sector_size) as u64)
    }

    fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        let from = position as usize;
        self.with(|all| {
            let source = all.get(from..from + bytes.len()).ok_or(Errno::Io)?;
            bytes.copy_from_slice(source);
            Ok(())
        })
    }

    fn write_at(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        let from = position as usize;
        self.with(|all| {
            let target = all.get_mut(from..from + bytes.len()).ok_or(Errno::Io)?;
            target.copy_from_slice(bytes);
            Ok(())
        })
    }
}

/// A device in a file of the operating system, with positioned reads and writes.
pub struct FileDevice {
    file: File,
    sector_size: usize,
    sectors: u64,
}

impl FileDevice {
    /// The whole sectors of `file`, which must be open for reading and writing. `sector_size` is in bytes.
    ///
    /// # Errors
    ///
    /// What the look at the file's length returns; `EINVAL` if the sectors have no bytes.
    pub fn new(file: File, sector_size: usize) -> io::Result<Self> {
        if sector_size == 0 {
            return Err(Errno::Invalid.into());
        }
        let sectors = file.metadata()?.len() / sector_size as u64;
        Ok(FileDevice {
            file,
            sector_size,
            sectors,
        })
    }
}

impl BlockDevice for FileDevice {
    fn sector_size(&self) -> usize {
        self.sector_size
    }

    fn sectors(&self) -> u64 {
        self.sectors
    }

    fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        let read = self.file.read_exact_at(bytes, position);
        read.map_err(|_| Errno::Io)
    }

    fn write_at(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        let written = self.file.write_all_at(bytes, position);
        written.map_err(|_| Errno::Io)
    }

    fn flush(&self) -> Result<(), Errno> {
        self.file.sync_data().map_err(|_| Errno::Io)
    }
}
