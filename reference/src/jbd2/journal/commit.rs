//! The commit thread: jbd2_journal_commit_transaction in kjournald2.

use std::iter::successors;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{SystemTime, UNIX_EPOCH};

use super::inner::Inner;
use crate::device::BlockDevice;
use crate::jbd2::commits::Committing;
use crate::jbd2::log::encode::{encode, next};
use crate::jbd2::log::error::LogError;
use crate::jbd2::probe::Probe;
use crate::jbd2::refused::Reason;
use crate::jbd2::rules::Rules;
use crate::sys::{Monitor, System};

impl<D: BlockDevice, R: Rules, S: System, P: Probe> Inner<D, R, S, P> {
    /// Commits each transaction that is asked for, until the journal is closed or has aborted. A panic, of the device or of this
    /// thread's own, aborts the journal: nobody waits for a commit that does not come.
    pub(super) fn commit_all(&self) {
        let each = || {
            while let Some(committing) = self.admission.next_commit() {
                self.commit(committing)?;
            }
            Ok(())
        };
        match catch_unwind(AssertUnwindSafe(each)) {
            Ok(Ok(())) => {}
            Ok(Err(reason)) => self.abort(reason),
            // The superblock is left alone: what has panicked may be the device.
            Err(_) => self.admission.abort(Reason::Panicked),
        }
    }

    /// Writes a transaction to the log, with its commit record when all else is durable.
    fn commit(&self, Committing { tid, log }: Committing) -> Result<(), Reason> {
        let is_empty = log == 0;
        let (changes, head) = self
            .buffers
            .with(|buffers| (buffers.of(tid).clone(), buffers.head));
        let blocks = changes.blocks.iter();
        let blocks: Vec<(u64, &[u8])> = blocks.map(|(block, bytes)| (*block, &**bytes)).collect();
        let revokes = R::revokes(changes.revoked.iter().copied().collect());
        let encoded = encode(
            &self.geometry,
            self.sequence(tid),
            &blocks,
            &revokes,
            seconds(),
        );
        let places = successors(Some(head), |at| Some(next(&self.geometry, *at)));
        let places: Vec<u32> = places.take(encoded.len() + 1).collect();
        let write = |which: Range<usize>| {
            let mut blocks = places[which.clone()].iter().zip(&encoded[which]);
            blocks.try_for_each(|(at, block)| self.area.write(&self.device, *at, block))
        };
        if !self.admission.has_room(encoded.len() as u32) {
            return Err(Reason::LogFull);
        }
        let record = encoded.len() - 1;
        R::commit(
            || write(0..record),
            || write(record..record + 1),
            || self.device.flush().map_err(LogError::Device),
        )
        .map_err(reason)?;
        if self.admission.wrote(encoded.len() as u32).is_err() {
            return Err(Reason::LogFull);
        }
        let behind = places[record + 1];
        self.buffers
            .with(|buffers| buffers.committed(tid, behind, is_empty));
        if is_empty {
            // Its blocks may be free from now on: the log must not begin with them.
            self.update_tail().map_err(reason)?;
        }
        self.admission.ended();
        Ok(())
    }
}

/// Why the journal aborts after this.
fn reason(error: LogError) -> Reason {
    match error {
        LogError::Device(errno) => Reason::Device(errno),
        _ => Reason::Called("the log has no such block"),
    }
}

/// Since 1970.
fn seconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
