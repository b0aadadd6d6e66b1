//! The journal: handles in real threads over a real device, in jbd2's on-disk format.
//!
//! Tasks start handles, change blocks, and stop them; a commit thread writes what all handles of a transaction have changed into
//! the log, behind it the commit record; whoever finds too little space in the log writes the oldest transaction home. Who may start
//! when is the [admission](super::admission)'s affair, whose steps are those of the [machine](super::machine), with the
//! [rules](super::rules) as a type parameter. After a crash [`Journal::open`] finds every transaction whose commit has
//! returned, whole, and of any other all or nothing.
//!
//! Each transaction has its own copy of a block, so that a checkpoint need not wait for a newer transaction to be committed, unless
//! that revokes the block (`FindNewer`).
//!
//! Left out: data (data=ordered), fast commits, more than one log device, and an escape from a log that is larger than memory.

mod buffers;
mod commit;
pub mod error;
mod handle;
mod inner;
mod state;

use std::sync::Arc;

use self::buffers::Buffers;
use self::error::JournalError;
pub use self::handle::{Handle, Reservation};
use self::inner::Inner;
use super::admission::Admission;
use super::log::area::LogArea;
use super::log::encode::blocks_needed;
use super::log::recovery::{Replay, recover};
use super::log::superblock::Superblock;
use super::machine::Sizes;
use super::probe::{NoProbe, Probe};
use super::refused::Reason;
use super::rules::{HandOver, Rules};
use crate::device::BlockDevice;
use crate::sys::{Monitor, StdSys, System};
use interlock_rwlock::sys::AtomicWord;

/// How a journal divides its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Division {
    /// j_max_transaction_buffers is one part of so many: 3 since Linux 6.11, 4 before.
    pub fraction: u32,
    /// Blocks that jbd2_log_space_left keeps back.
    pub slack: u32,
}

impl Default for Division {
    fn default() -> Self {
        Division {
            fraction: 3,
            slack: 32,
        }
    }
}

/// A journal. See the [module](self). Handles are to be stopped before it is dropped: it waits for a commit that was asked for.
///
/// ```
/// use interlock::device::MemoryDevice;
/// use interlock::jbd2::journal::Journal;
/// use interlock::jbd2::log::area::LogArea;
/// use interlock::jbd2::log::create::create;
/// use interlock::jbd2::log::superblock::Features;
///
/// let (block, log) = (1024, 64..1088);
/// let device = MemoryDevice::new(512, 2 * 1088, 0);
/// let area = LogArea::new(block, vec![log]);
/// let features = Features { revoke: true, is_64bit: false, csum_v3: true };
/// create(&device, &area, features, [7; 16])?;
/// let journal = Journal::open(device, area)?;
/// let mut handle = journal.start(8, 2)?; // 8 credits, and 2 for later
/// handle.dirty_metadata(5, &[1; 1024])?;
/// let reservation = handle.stop();
/// journal.force_commit()?; // it survives a crash from here on
/// if let Some(reservation) = reservation {
///     reservation.start()?.dirty_metadata(6, &[1; 1024])?;
/// }
/// journal.close()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Journal<D: BlockDevice, R: Rules = HandOver, S: System = StdSys, P: Probe = NoProbe> {
    inner: Arc<Inner<D, R, S, P>>,
    commits: Option<S::Thread>,
    replay: Replay,
}

impl<D: BlockDevice> Journal<D> {
    /// Recovers the log on the device and opens it, divided as by Linux today.
    ///
    /// # Errors
    ///
    /// As [`Journal::open_with`].
    pub fn open(device: D, area: LogArea) -> Result<Self, JournalError> {
        Journal::open_with(device, area, Division::default(), NoProbe)
    }
}

impl<D: BlockDevice, R: Rules, S: System, P: Probe> Journal<D, R, S, P> {
    /// Recovers the log on the device and opens it.
    ///
    /// # Errors
    ///
    /// [`JournalError::Log`]: the log is corrupt, or has a feature that is not supported, and nothing was written; or the device has
    /// failed. [`JournalError::TooSmall`].
    pub fn open_with(
        device: D,
        area: LogArea,
        division: Division,
        probe: P,
    ) -> Result<Self, JournalError> {
        let sizes = sizes(&Superblock::load(&device, &area)?, division)?;
        let replay = recover(&device, &area)?;
        let geometry = replay.superblock.clone();
        let head = geometry.first;
        let inner = Arc::new(Inner {
            device,
            area,
            superblock: S::Monitor::new(geometry.clone()),
            geometry,
            buffers: S::Monitor::new(Buffers::new(head, 1)),
            admission: Admission::new(sizes, probe),
            handles: S::Word::new(0),
        });
        inner.update_tail()?;
        let own = inner.clone();
        let commits = Some(S::spawn(move || own.commit_all()));
        Ok(Journal {
            inner,
            commits,
            replay,
        })
    }

    /// What the recovery has found when the journal was opened.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// Starts a handle that may dirty so many blocks, and reserves credits for a later one (jbd2__journal_start). Waits as long as the
    /// four tests of add_transaction_credits say.
    ///
    /// # Errors
    ///
    /// [`JournalError::Refused`]: it is larger than a transaction may be, or the journal has aborted.
    pub fn start(&self, credits: u32, reserve: u32) -> Result<Handle<D, R, S, P>, JournalError> {
        let who = self.inner.who();
        let ticket = self
            .inner
            .admission
            .start(who, credits, reserve, &*self.inner)?;
        Ok(Handle::new(self.inner.clone(), ticket))
    }

    /// The newest version of a block, committed or not.
    ///
    /// # Errors
    ///
    /// [`JournalError::Device`]: it cannot be read.
    pub fn read(&self, block: u64) -> Result<Vec<u8>, JournalError> {
        self.inner.read(block)
    }

    /// Commits what all handles that have stopped have changed, and returns when it will survive a crash
    /// (ext4_force_commit). The transaction's number; none if nothing was changed.
    ///
    /// # Errors
    ///
    /// [`JournalError::Refused`]: the journal has aborted.
    pub fn force_commit(&self) -> Result<Option<u32>, JournalError> {
        self.inner.admission.check()?;
        let Some(tid) = self.inner.admission.ask_commit() else {
            return Ok(None);
        };
        self.inner.admission.wait_commit(tid)?;
        Ok(Some(self.inner.sequence(tid)))
    }

    /// Writes every committed transaction home (jbd2_journal_flush, without its commit).
    ///
    /// # Errors
    ///
    /// [`JournalError::Refused`]: the journal has aborted.
    pub fn checkpoint(&self) -> Result<(), JournalError> {
        let who = self.inner.who();
        self.inner.admission.checkpoint(who, &*self.inner)?;
        Ok(())
    }

    /// Gives the journal up (jbd2_journal_abort): what is not committed is lost.
    pub fn abort(&self, reason: &'static str) {
        self.inner.abort(Reason::Called(reason));
    }

    /// Commits and checkpoints all, and leaves an empty log (jbd2_journal_destroy). To drop a journal instead is to leave the log to
    /// the next recovery, and what is not committed to oblivion.
    ///
    /// # Errors
    ///
    /// [`JournalError::Refused`]: the journal has aborted; [`JournalError::Device`].
    pub fn close(mut self) -> Result<(), JournalError> {
        self.force_commit()?;
        self.checkpoint()?;
        self.end();
        self.inner.superblock.with(|superblock| {
            superblock.start = 0;
            self.inner.write_superblock(superblock)
        })?;
        Ok(())
    }

    fn end(&mut self) {
        self.inner.admission.close();
        if let Some(thread) = self.commits.take() {
            S::join(thread);
        }
    }
}

impl<D: BlockDevice, R: Rules, S: System, P: Probe> Drop for Journal<D, R, S, P> {
    fn drop(&mut self) {
        self.end();
    }
}

/// The machine's numbers for a log of this size: jbd2_journal_init_transaction_limits, with jbd2_journal_get_max_txn_bufs and
/// jbd2_descriptor_blocks_per_trans (6.11). The kernel divides the whole length; here the superblock's block is left out, so that the
/// largest transaction may be a block smaller.
fn sizes(superblock: &Superblock, division: Division) -> Result<Sizes, JournalError> {
    let blocks = superblock.usable();
    let max = blocks / division.fraction.max(1);
    let overhead = blocks_needed(superblock, max as usize, 0).saturating_sub(max);
    if max <= overhead || blocks < max + division.slack + overhead {
        return Err(JournalError::TooSmall { blocks });
    }
    Ok(Sizes {
        log: blocks.into(),
        max: max.into(),
        overhead: overhead.into(),
        slack: division.slack.into(),
    })
}
