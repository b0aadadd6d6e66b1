//! A disk in memory that completes writes in the order that it is told.
//!
//! The kernel sees it as a network block device (nbd), of which this process is the server, over a socket of its own. What an
//! [`Order`] holds back is neither applied nor answered until it is released, so that a counterexample's order of completion can be
//! played to a file system. A read returns what was applied when it is answered. A flush is answered at once: what was not answered
//! when it was sent need not be on the disk.

mod attach;
mod disk;
mod store;
mod wire;

pub use attach::{Device, SECTOR};
pub use disk::{Disk, Event, Happened, Order, Then, Write};
pub use wire::{Command, MOST, Request};
