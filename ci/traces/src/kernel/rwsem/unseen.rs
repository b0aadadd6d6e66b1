//! Files in which writers are left out: of an inode's IOLOCK no exclusive event is there at all, though tasks wait to write.
//!
//! What is left of a writer is when it waits, and whom it wakes. Which lock it waits for the readers tell: they wait for it too.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{Inode, Projection};
use crate::kernel::event::Event;

/// What the whole file shows.
#[derive(Debug, Default)]
pub(super) struct Unseen {
    /// The inode that a task has just asked for, for reading.
    asks: BTreeMap<u32, Inode>,
    /// Those with an exclusive event.
    exclusive: BTreeSet<Inode>,
    /// Of what inode the lock at an address is.
    inodes: BTreeMap<String, Inode>,
    /// The address of an inode's lock.
    addresses: BTreeMap<Inode, String>,
    /// Who waits to write for the lock at an address.
    writers: BTreeMap<String, BTreeSet<u32>>,
}

impl Unseen {
    /// An event of the file.
    pub(super) fn survey(&mut self, event: &Event<'_>) -> Result<()> {
        let task = event.raw.pid;
        match event.name {
            "ilock" | "ilock_nowait" | "iunlock" | "ilock_demote" => {
                self.asks.remove(&task);
                match Projection::iolock(event)? {
                    Some((inode, true)) => drop(self.exclusive.insert(inode)),
                    Some((inode, false)) if event.name == "ilock" => {
                        self.asks.insert(task, inode);
                    }
                    _ => {}
                }
            }
            "contention_begin" => {
                let (address, asks) = (event.text("lock")?, self.asks.remove(&task));
                match (event.text("flags")?, asks) {
                    ("READ", Some(inode)) => {
                        let of = self.inodes.entry(address.to_owned());
                        of.or_insert_with(|| inode.clone());
                        self.addresses.entry(inode).or_insert(address.to_owned());
                    }
                    ("WRITE", _) => {
                        let writers = self.writers.entry(address.to_owned());
                        writers.or_default().insert(task);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The inode of the lock at this address, if its writers are left out and the task is one of those that wait.
    pub(super) fn of(&self, address: &str, task: u32) -> Option<&Inode> {
        let inode = self.inodes.get(address)?;
        let writers = self.writers.get(address)?;
        (writers.contains(&task) && self.is_of(inode)).then_some(inode)
    }

    /// Whether an inode's writers are left out.
    pub(super) fn is_of(&self, inode: &Inode) -> bool {
        let address = self.addresses.get(inode);
        let waits = address.is_some_and(|address| self.writers.contains_key(address));
        waits && !self.exclusive.contains(inode)
    }
}
