//! Crashes of a journal whose clients have written down what they changed: recovery yields every transaction whose commit has
//! returned, whole, and no part of any other.

use std::collections::BTreeMap;
use std::ops::Range;

use interlock::device::BlockDevice as _;
use interlock::jbd2::journal::Division;
use interlock::jbd2::log::area::LogArea;
use interlock::jbd2::log::create::create;
use interlock::jbd2::log::recovery::{recover, scan};
use interlock::jbd2::log::superblock::Features;

use crate::crash::{Pending, Recorder, device};

/// The bytes of a block.
pub const BLOCK: usize = 1024;
/// Blocks of the file system; the log is behind them.
pub const BLOCKS: u64 = 12;
/// Blocks of the log, with its superblock.
pub const LOG: u64 = 40;
/// How the log is divided: a transaction has 9 blocks, 2 of which are no handle's.
pub const DIVISION: Division = Division {
    fraction: 4,
    slack: 4,
};
const MAGIC: [u8; 4] = [0xC0, 0x3B, 0x39, 0x98];

/// What a block must hold; none: anything.
pub type Expected = BTreeMap<u64, Option<Vec<u8>>>;

/// A change: of a transaction, or of data, which are written to a block between these two ops of the device.
pub enum Change {
    /// The transaction writes the block.
    Write(u32, u64, Vec<u8>),
    /// It revokes the block.
    Revoke(u32, u64),
    /// The block is used for data.
    Data(Range<usize>, u64, Vec<u8>),
}

/// What the clients have done.
pub struct History {
    /// The device.
    pub device: Recorder,
    /// The changes of each block in their order.
    pub changes: Vec<Change>,
    /// What had happened to the device when a commit returned, and which it was.
    pub acknowledged: Vec<(usize, u32)>,
}

/// Where the log lies.
pub fn area() -> LogArea {
    let blocks = BLOCKS..BLOCKS + LOG;
    LogArea::new(BLOCK, vec![blocks])
}

/// Where its superblock is, in bytes.
pub fn superblock() -> Range<u64> {
    let at = BLOCKS * BLOCK as u64;
    at..at + BLOCK as u64
}

/// A version of a block.
pub fn bytes(block: u64, version: u32) -> Vec<u8> {
    let mut bytes = vec![block as u8 ^ 0x5A; BLOCK];
    bytes[..4].copy_from_slice(&version.to_be_bytes());
    if version.is_multiple_of(3) {
        bytes[..4].copy_from_slice(&MAGIC);
    }
    bytes[BLOCK - 4..].copy_from_slice(&version.to_be_bytes());
    bytes
}

/// A device with an empty log.
pub fn empty(features: Features) -> Recorder {
    let image = vec![0; (BLOCKS + LOG) as usize * BLOCK];
    let fresh = device(&image);
    create(&fresh, &area(), features, [7; 16]).expect("an empty log");
    let mut image = image;
    fresh.read_at(&mut image, 0).expect("the whole device");
    Recorder::new(image)
}

impl History {
    /// Nothing is done yet.
    pub fn new(device: Recorder) -> Self {
        History {
            device,
            changes: Vec::new(),
            acknowledged: Vec::new(),
        }
    }

    /// What the blocks hold after the transactions up to `last`, if the device has stopped behind `cut` ops.
    pub fn expected(&self, last: u32, cut: usize) -> Expected {
        let mut expected: Expected = (0..BLOCKS)
            .map(|block| (block, Some(vec![0; BLOCK])))
            .collect();
        for change in &self.changes {
            match change {
                Change::Write(tid, block, bytes) if *tid <= last => {
                    expected.insert(*block, Some(bytes.clone()));
                }
                Change::Revoke(tid, block) if *tid <= last => {
                    expected.insert(*block, None);
                }
                Change::Data(op, block, bytes) if op.start < cut => {
                    let is_durable = op.end <= cut;
                    expected.insert(*block, is_durable.then(|| bytes.clone()));
                }
                _ => {}
            }
        }
        expected
    }

    /// Crashes behind `cut` ops, recovers, and compares. `draw` gives random numbers.
    ///
    /// # Errors
    ///
    /// What is lost, or cannot be recovered.
    pub fn crash(
        &self,
        cut: usize,
        pending: Pending,
        draw: impl FnMut() -> u64,
    ) -> Result<(), String> {
        let image = self.device.crashed(cut, pending, &superblock(), draw);
        let device = device(&image);
        let found = scan(&device, &area()).map_err(|error| error.to_string())?;
        let last = found.next_tid.wrapping_sub(1);
        let returned = self.acknowledged.iter().filter(|(at, _)| *at <= cut);
        let acknowledged = returned.map(|(_, tid)| *tid).max().unwrap_or(0);
        if last < acknowledged {
            return Err(format!(
                "{acknowledged} was acknowledged, {last} is the last found"
            ));
        }
        recover(&device, &area()).map_err(|error| error.to_string())?;
        for (block, expected) in self.expected(last, cut) {
            let mut bytes = vec![0; BLOCK];
            let read = device.read_at(&mut bytes, block * BLOCK as u64);
            read.map_err(|errno| errno.to_string())?;
            if expected.is_some_and(|expected| expected != bytes) {
                return Err(format!(
                    "block {block} is not as transaction {last} has left it"
                ));
            }
        }
        Ok(())
    }
}
