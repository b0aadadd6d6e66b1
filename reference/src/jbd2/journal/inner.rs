//! What the handles, the commit thread and the checkpoints of a journal share.

use std::sync::atomic::Ordering;

use super::buffers::{Buffers, Plan};
use super::error::JournalError;
use crate::device::BlockDevice;
use crate::errno::Errno;
use crate::jbd2::admission::Admission;
use crate::jbd2::log::area::LogArea;
use crate::jbd2::log::error::LogError;
use crate::jbd2::log::superblock::Superblock;
use crate::jbd2::numbers::Tid;
use crate::jbd2::probe::{Probe, Who};
use crate::jbd2::refused::Reason;
use crate::jbd2::rules::Rules;
use crate::jbd2::space::{Checkpointed, Store};
use crate::sys::{Monitor, System};
use interlock_rwlock::sys::AtomicWord;

/// The journal.
pub struct Inner<D, R: Rules, S: System, P: Probe> {
    pub(super) device: D,
    pub(super) area: LogArea,
    /// What of the superblock does not change: features, sizes, UUID.
    pub(super) geometry: Superblock,
    /// The superblock; held while it is written.
    pub(super) superblock: S::Monitor<Superblock>,
    pub(super) buffers: S::Monitor<Buffers>,
    pub(super) admission: Admission<R, S, P>,
    pub(super) handles: S::Word,
}

impl<D: BlockDevice, R: Rules, S: System, P: Probe> Inner<D, R, S, P> {
    /// A new handle's number.
    pub fn who(&self) -> Who {
        let next = |number: u64| Some(number.wrapping_add(1));
        let numbers = self.handles.update(Ordering::Relaxed, next);
        Who(numbers.map_or(0, |(before, _)| before as u32))
    }

    /// The newest version of a block.
    pub fn read(&self, block: u64) -> Result<Vec<u8>, JournalError> {
        if let Some(bytes) = self.buffers.with(|buffers| buffers.newest(block)) {
            return Ok(bytes.to_vec());
        }
        let mut bytes = vec![0; self.area.block_size()];
        let position = self.home(block).map_err(JournalError::Device)?;
        let read = self.device.read_at(&mut bytes, position);
        read.map_err(JournalError::Device)?;
        Ok(bytes)
    }

    /// The log can name the block.
    pub fn numbers(&self, block: u64) -> Result<(), JournalError> {
        match self.geometry.features.is_64bit || u32::try_from(block).is_ok() {
            true => Ok(()),
            false => Err(JournalError::LargeNumber { block }),
        }
    }

    /// Where a block of the file system is, in bytes.
    fn home(&self, block: u64) -> Result<u64, Errno> {
        let position = block.checked_mul(self.area.block_size() as u64);
        position.ok_or(Errno::Io)
    }

    /// The number of a transaction in the log.
    pub fn sequence(&self, tid: Tid) -> u32 {
        // Tids count from 1; in the log they go on, and wrap.
        self.geometry
            .sequence
            .wrapping_add(tid as u32)
            .wrapping_sub(1)
    }

    /// jbd2_journal_update_sb_log_tail: the log begins where the oldest transaction is that a recovery needs.
    pub fn update_tail(&self) -> Result<(), LogError> {
        self.superblock.with(|superblock| {
            let (start, tid) = self.buffers.with(|buffers| buffers.tail());
            superblock.start = start;
            superblock.sequence = self.sequence(tid);
            self.write_superblock(superblock)
        })
    }

    /// Writes it, durably.
    pub fn write_superblock(&self, superblock: &Superblock) -> Result<(), LogError> {
        superblock.store(&self.device, &self.area)?;
        self.device.flush().map_err(LogError::Device)
    }

    /// jbd2_journal_abort: no handle starts any more.
    pub fn abort(&self, reason: Reason) {
        self.admission.abort(reason);
        self.record_error();
    }

    /// The superblock keeps the error for the next mount (jbd2_journal_update_sb_errno).
    fn record_error(&self) {
        self.superblock.with(|superblock| {
            superblock.errno = EIO;
            // The device may be gone; the journal has aborted all the same.
            let _ = self.write_superblock(superblock);
        });
    }
}

/// s_errno of a journal that an I/O error has aborted: -EIO.
const EIO: u32 = (-5_i32).cast_unsigned();

/// A checkpoint writes blocks home. That is over when this is dropped, after a failure and a panic of the device too.
struct Writing<'a, D: BlockDevice, R: Rules, S: System, P: Probe>(&'a Inner<D, R, S, P>);

impl<D: BlockDevice, R: Rules, S: System, P: Probe> Drop for Writing<'_, D, R, S, P> {
    fn drop(&mut self) {
        let Writing(inner) = self;
        inner.buffers.with(Buffers::written);
        R::written_home(|| inner.buffers.notify());
    }
}

/// jbd2_log_do_checkpoint, jbd2_cleanup_journal_tail.
impl<D: BlockDevice, R: Rules, S: System, P: Probe> Store for Inner<D, R, S, P> {
    fn checkpoint(&self) -> Result<Checkpointed, Errno> {
        let home = match self.buffers.with(Buffers::plan) {
            Plan::Nothing => return Ok(Checkpointed::Written),
            Plan::Newer(tid) => return Ok(Checkpointed::Newer(tid)),
            Plan::Write(home) => home,
        };
        let writing = Writing(self);
        let write_home = || {
            let mut home = home.iter();
            home.try_for_each(|(block, bytes)| self.device.write_at(bytes, self.home(*block)?))
        };
        let update_tail = || {
            drop(writing);
            self.buffers.with(Buffers::checkpointed);
            self.update_tail()
        };
        let done = R::checkpoint(
            || write_home().map_err(LogError::Device),
            || self.device.flush().map_err(LogError::Device),
            update_tail,
        );
        done.map_err(|error| {
            self.record_error();
            match error {
                LogError::Device(errno) => errno,
                _ => Errno::Io,
            }
        })?;
        Ok(Checkpointed::Written)
    }
}
