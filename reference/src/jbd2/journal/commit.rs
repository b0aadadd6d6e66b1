//! The commit thread: jbd2_journal_commit_transaction in kjournald2.

use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};

use super::inner::Inner;
use crate::device::BlockDevice;
use crate::jbd2::log::encode::{encode, next};
use crate::jbd2::log::error::LogError;
use crate::jbd2::numbers::Tid;
use crate::jbd2::probe::Probe;
use crate::jbd2::refused::Reason;
use crate::jbd2::rules::Rules;
use crate::sys::{Monitor, System};

impl<D: BlockDevice, R: Rules, S: System, P: Probe> Inner<D, R, S, P> {
    /// Commits each transaction that is asked for, until the journal is closed or has aborted.
    pub(super) fn commit_all(&self) {
        while let Some(committing) = self.admission.next_commit() {
            let tid = committing.tid;
            let committed = self.log(tid, committing.log == 0);
            if let Err(error) = committed {
                self.abort(match error {
                    LogError::Device(errno) => Reason::Device(errno),
                    _ => Reason::Called("the log has no such block"),
                });
                return;
            }
        }
    }

    /// Writes a transaction to the log, with its commit record when all else is durable.
    fn log(&self, tid: Tid, is_empty: bool) -> Result<(), LogError> {
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
        let mut places = vec![head];
        places.extend(encoded.iter().scan(head, |at, _| {
            *at = next(&self.geometry, *at);
            Some(*at)
        }));
        let write = |which: Range<usize>| {
            let mut blocks = places[which.clone()].iter().zip(&encoded[which]);
            blocks.try_for_each(|(at, block)| self.area.write(&self.device, *at, block))
        };
        let record = encoded.len() - 1;
        R::commit(
            || write(0..record),
            || write(record..record + 1),
            || self.device.flush().map_err(LogError::Device),
        )?;
        let at = places[record + 1];
        if self.admission.wrote(encoded.len() as u32).is_err() {
            return Ok(());
        }
        self.buffers
            .with(|buffers| buffers.committed(tid, at, is_empty));
        if is_empty {
            // Its blocks may be free from now on: the log must not begin with them.
            self.update_tail()?;
        }
        self.admission.ended();
        Ok(())
    }
}

/// Since 1970.
fn seconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
