//! A journal as it is at some moment, to look at when it does not go on: its numbers, who waits where, and the blocks of its
//! transactions.

use std::fmt;

use super::Journal;
use super::buffers::{Buffers, Changes};
use crate::device::BlockDevice;
use crate::jbd2::probe::Probe;
use crate::jbd2::rules::Rules;
use crate::sys::{Monitor as _, System};

impl<D: BlockDevice, R: Rules, S: System, P: Probe> fmt::Debug for Journal<D, R, S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = self.inner.admission.numbers();
        let waiting = self.inner.admission.waiting();
        self.inner.buffers.with(|buffers| {
            f.debug_struct("Journal")
                .field("numbers", &numbers)
                .field("waiting", &waiting)
                .field("buffers", buffers)
                .finish()
        })
    }
}

impl fmt::Debug for Buffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let logged = self.logged.iter();
        let logged: Vec<_> = logged.map(|logged| (logged.tid, &logged.changes)).collect();
        f.debug_struct("Buffers")
            .field("open", &self.open)
            .field("logged", &logged)
            .field("writing", &self.writing)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes")
            .field("blocks", &self.blocks.keys())
            .field("revoked", &self.revoked)
            .finish()
    }
}
