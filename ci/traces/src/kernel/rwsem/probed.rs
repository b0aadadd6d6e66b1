//! What kprobes show, where the kernel takes them: `lock/probed.rs` says of what.

use anyhow::{Context as _, Result};

use super::lock::{Now, Word};
use super::{Event, Projection};

impl Projection {
    /// A task is seen.
    pub(super) fn is_seen(&mut self, task: u32, now: Now) {
        for inode in self.tasks.get(&task).into_iter().flatten() {
            if let Some(lock) = self.locks.get_mut(inode) {
                lock.has_looked(Some(task), now);
            }
        }
    }

    /// A task has not got a lock at once.
    pub(super) fn slow_path(&mut self, event: &Event<'_>, now: Now) -> Result<()> {
        let (address, writes) = (event.text("lock")?, event.text("flags")? == "WRITE");
        if !self.is_slow(event.raw.pid, address, writes)? {
            // That of another lock.
            self.goes_on(event.raw.pid, now);
        }
        Ok(())
    }

    /// The task is in the slow path of the rwsem at this address: whether that is an inode's which it has asked for.
    pub(super) fn is_slow(&mut self, task: u32, address: &str, writes: bool) -> Result<bool> {
        for inode in self.tasks.get(&task).into_iter().flatten() {
            let lock = self.locks.get_mut(inode).context("a lock of a task")?;
            let of = self.words.get(address);
            if of.is_none_or(|known| known == inode) && lock.slows(task, writes) {
                self.words.insert(address.to_owned(), inode.clone());
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A task spins.
    pub(super) fn spin(&mut self, event: &Event<'_>, now: Now) -> Result<()> {
        let task = event.raw.pid;
        let address = match event.knows("lock") {
            true => Some(event.text("lock")?),
            false => None,
        };
        for inode in self.tasks.get(&task).into_iter().flatten() {
            let lock = self.locks.get_mut(inode).context("a lock of a task")?;
            lock.spins(task, address, now);
        }
        Ok(())
    }

    /// A task spins no longer.
    pub(super) fn spin_end(&mut self, event: &Event<'_>, now: Now) -> Result<()> {
        let (task, won) = (event.raw.pid, event.number("won")? != 0);
        for inode in self.tasks.get(&task).into_iter().flatten() {
            let lock = self.locks.get_mut(inode).context("a lock of a task")?;
            lock.has_spun(task, won, now);
        }
        Ok(())
    }

    /// A task is about to wake a lock's queue.
    pub(super) fn mark_wake(&mut self, event: &Event<'_>, now: Now) -> Result<()> {
        let (task, address) = (event.raw.pid, event.text("lock")?);
        let word = Word {
            wakes: event.number("type")?,
            count: event.number("count")?,
        };
        if let Some(inode) = self.words.get(address)
            && let Some(lock) = self.locks.get_mut(inode)
        {
            lock.looks(task, word, now);
        }
        Ok(())
    }
}
