//! Handles: what a task holds while it changes blocks in one transaction.

use std::sync::Arc;

use super::error::JournalError;
use super::inner::Inner;
use crate::device::BlockDevice;
use crate::jbd2::log::encode::blocks_needed;
use crate::jbd2::machine::Credits;
use crate::jbd2::probe::{NoProbe, Probe};
use crate::jbd2::refused::Refused;
use crate::jbd2::rules::{HandOver, Rules};
use crate::jbd2::ticket::{self, Ticket};
use crate::sys::{Monitor, StdSys, System};

/// A handle (handle_t): its changes are in one transaction, whole or not at all after a crash. To drop it is to [`Handle::stop`] it,
/// and to give its reservation back.
///
/// Between two handles of one transaction nothing keeps a block's versions apart: who changes a block excludes others from the
/// `get_write_access` to the `dirty_metadata`, as a file system does.
pub struct Handle<D: BlockDevice, R: Rules = HandOver, S: System = StdSys, P: Probe = NoProbe> {
    inner: Arc<Inner<D, R, S, P>>,
    /// None after a restart that has failed.
    ticket: Option<Ticket>,
    /// Credits that are used up.
    spent: u32,
}

/// Credits that a handle has reserved for a later one. To drop it is to give them back (jbd2_journal_free_reserved).
pub struct Reservation<D: BlockDevice, R: Rules = HandOver, S: System = StdSys, P: Probe = NoProbe>
{
    inner: Arc<Inner<D, R, S, P>>,
    reserved: Option<ticket::Reservation>,
}

impl<D: BlockDevice, R: Rules, S: System, P: Probe> Handle<D, R, S, P> {
    pub(super) fn new(inner: Arc<Inner<D, R, S, P>>, ticket: Ticket) -> Self {
        Handle {
            inner,
            ticket: Some(ticket),
            spent: 0,
        }
    }

    fn ticket(&self) -> Result<&Ticket, JournalError> {
        let ticket = self.ticket.as_ref();
        ticket.ok_or(JournalError::NoHandle)
    }

    /// The transaction that the handle is in; none after a restart that has failed.
    pub fn tid(&self) -> Option<u32> {
        let tid = self.ticket.as_ref().map(Ticket::tid)?;
        Some(self.inner.sequence(tid))
    }

    /// The credits that are left: how many more blocks the handle may dirty.
    pub fn credits(&self) -> u32 {
        let has = self.ticket.as_ref().map_or(0, Ticket::credits);
        let left = has - Credits::from(self.spent);
        u32::try_from(left).unwrap_or(0)
    }

    /// The block's newest version, of whichever transaction (jbd2_journal_get_write_access).
    ///
    /// # Errors
    ///
    /// [`JournalError::Device`]: it cannot be read; [`JournalError::Refused`]: the journal has aborted.
    pub fn get_write_access(&self, block: u64) -> Result<Vec<u8>, JournalError> {
        self.ticket()?;
        self.inner.admission.check()?;
        self.inner.read(block)
    }

    /// The block has these bytes from this transaction on (jbd2_journal_dirty_metadata). It takes a credit, unless the transaction
    /// has the block already.
    ///
    /// # Errors
    ///
    /// [`JournalError::NoCredits`], [`JournalError::WrongSize`], [`JournalError::LargeNumber`]; [`JournalError::Refused`]: the
    /// journal has aborted. Nothing is changed then.
    pub fn dirty_metadata(&mut self, block: u64, bytes: &[u8]) -> Result<(), JournalError> {
        let tid = self.ticket()?.tid();
        self.inner.admission.check()?;
        let block_size = self.inner.area.block_size();
        if bytes.len() != block_size {
            return Err(JournalError::WrongSize {
                bytes: bytes.len(),
                block_size,
            });
        }
        self.inner.numbers(block)?;
        let credits = self.credits();
        let spent = self.inner.buffers.with(|buffers| {
            let changes = buffers.of(tid);
            let is_new = !changes.blocks.contains_key(&block);
            if is_new && credits == 0 {
                return Err(JournalError::NoCredits);
            }
            changes.blocks.insert(block, bytes.into());
            changes.revoked.remove(&block);
            Ok(u32::from(is_new))
        });
        self.spent += spent?;
        Ok(())
    }

    /// The block is no metadata any more, and no replay may write it from an older transaction (jbd2_journal_revoke,
    /// jbd2_journal_forget). It takes a credit where the transaction needs one more revoke block. Waits for a checkpoint that is
    /// writing the block.
    ///
    /// # Errors
    ///
    /// [`JournalError::NoCredits`], [`JournalError::NoRevokes`], [`JournalError::LargeNumber`]; [`JournalError::Refused`]: the
    /// journal has aborted. Nothing is changed then.
    pub fn revoke(&mut self, block: u64) -> Result<(), JournalError> {
        let tid = self.ticket()?.tid();
        self.inner.admission.check()?;
        let geometry = &self.inner.geometry;
        if !geometry.features.revoke {
            return Err(JournalError::NoRevokes);
        }
        self.inner.numbers(block)?;
        let credits = self.credits();
        let spent = self.inner.buffers.wait(|buffers| {
            if buffers.is_writing(block) {
                return None;
            }
            let changes = buffers.of(tid);
            let revokes = changes.revoked.len();
            let is_new = !changes.revoked.contains(&block);
            let [now, then] =
                [revokes, revokes + 1].map(|revokes| blocks_needed(geometry, 1, revokes));
            let takes = if is_new { then - now } else { 0 };
            if takes > credits {
                return Some(Err(JournalError::NoCredits));
            }
            changes.blocks.remove(&block);
            changes.revoked.insert(block);
            Some(Ok(takes))
        });
        self.spent += spent?;
        Ok(())
    }

    /// Asks for so many credits more, and does not wait (jbd2_journal_extend). False: there is no room, or the transaction is being
    /// committed; the handle must [`Handle::restart`].
    pub fn extend(&mut self, credits: u32) -> bool {
        let ticket = self.ticket.as_mut();
        ticket.is_some_and(|ticket| self.inner.admission.extend(ticket, credits))
    }

    /// Leaves its transaction, asks for that to be committed, and starts anew with so many credits, in another transaction unless the
    /// commit has not begun yet (jbd2__journal_restart). What was changed before may survive a crash without what follows.
    ///
    /// # Errors
    ///
    /// [`JournalError::Refused`]: as [`super::Journal::start`]; or the handle has a reservation, and keeps its transaction. After any
    /// other the handle has none.
    pub fn restart(&mut self, credits: u32) -> Result<(), JournalError> {
        let Some(ticket) = self.ticket.take() else {
            return Err(JournalError::NoHandle);
        };
        if ticket.reserves() > 0 {
            self.ticket = Some(ticket);
            return Err(Refused::HasReservation.into());
        }
        let spent = std::mem::take(&mut self.spent);
        let admission = &self.inner.admission;
        self.ticket = Some(admission.restart(ticket, credits, spent, &*self.inner)?);
        Ok(())
    }

    /// The handle's changes are done (jbd2_journal_stop); its reservation, if it has one, is for a later handle.
    pub fn stop(mut self) -> Option<Reservation<D, R, S, P>> {
        let ticket = self.ticket.take()?;
        let reserved = self.inner.admission.stop(ticket, self.spent)?;
        Some(Reservation {
            inner: self.inner.clone(),
            reserved: Some(reserved),
        })
    }
}

impl<D: BlockDevice, R: Rules, S: System, P: Probe> Drop for Handle<D, R, S, P> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.inner.admission.stop_unreserved(ticket, self.spent);
        }
    }
}

impl<D: BlockDevice, R: Rules, S: System, P: Probe> Reservation<D, R, S, P> {
    /// The handle that the credits were reserved for (jbd2_journal_start_reserved). It makes none of the four tests, and joins a
    /// transaction that is LOCKED too.
    ///
    /// # Errors
    ///
    /// [`JournalError::Refused`]: the journal has aborted.
    pub fn start(mut self) -> Result<Handle<D, R, S, P>, JournalError> {
        let who = self.inner.who();
        let Some(reserved) = self.reserved.take() else {
            return Err(JournalError::NoHandle);
        };
        let ticket = self.inner.admission.start_reserved(who, reserved)?;
        Ok(Handle::new(self.inner.clone(), ticket))
    }
}

impl<D: BlockDevice, R: Rules, S: System, P: Probe> Drop for Reservation<D, R, S, P> {
    fn drop(&mut self) {
        if let Some(reserved) = self.reserved.take() {
            self.inner.admission.free_reserved(reserved);
        }
    }
}
