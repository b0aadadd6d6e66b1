//! A device that remembers every write, so that a crash can be had at each of them.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use interlock::device::{BlockDevice, MemoryDevice};
use interlock::errno::Errno;

/// What happens to a device, in order.
#[derive(Debug, Clone)]
pub enum Op {
    /// These bytes are written from there on.
    Write(u64, Vec<u8>),
    /// All before it is durable when it is over.
    Flush,
}

/// A device in memory that remembers what happens to it. Clones are the same device.
#[derive(Clone)]
pub struct Recorder {
    device: Arc<MemoryDevice>,
    ops: Arc<Mutex<Vec<Op>>>,
    before: Arc<Vec<u8>>,
    fails_at: Arc<AtomicUsize>,
}

/// What becomes of the writes that no flush has followed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    /// All are done.
    All,
    /// None is.
    None,
    /// Some are, in another order.
    Some,
    /// The same, and of each only some sectors.
    Torn,
    /// The same, and a bit of each is flipped.
    Flipped,
}

impl Pending {
    /// All of them.
    pub const EACH: [Pending; 5] = [
        Pending::All,
        Pending::None,
        Pending::Some,
        Pending::Torn,
        Pending::Flipped,
    ];
}

/// What a device writes whole.
const SECTOR: usize = 512;

impl Recorder {
    /// A device that holds these bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Recorder {
            device: Arc::new(device(&bytes)),
            ops: Arc::default(),
            before: Arc::new(bytes),
            fails_at: Arc::new(AtomicUsize::new(usize::MAX)),
        }
    }

    /// How much has happened.
    pub fn ops(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Op>> {
        self.ops.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So much happens, and then every write and every flush fails.
    pub fn fail_at(&self, ops: usize) {
        self.fails_at.store(ops, Ordering::SeqCst);
    }

    /// What happens next, unless it fails.
    fn next(&self) -> Result<MutexGuard<'_, Vec<Op>>, Errno> {
        let ops = self.lock();
        match ops.len() < self.fails_at.load(Ordering::SeqCst) {
            true => Ok(ops),
            false => Err(Errno::Io),
        }
    }

    /// What the device holds after a crash behind the first `cut` ops. `draw` gives random numbers. No bit is flipped in
    /// `whole`.
    pub fn crashed(
        &self,
        cut: usize,
        pending: Pending,
        whole: &Range<u64>,
        mut draw: impl FnMut() -> u64,
    ) -> Vec<u8> {
        let ops = self.lock();
        let (happened, _) = ops.split_at(cut);
        let is_flush = |op: &Op| matches!(op, Op::Flush);
        let durable = happened
            .iter()
            .rposition(is_flush)
            .map_or(0, |last| last + 1);
        let mut bytes = (*self.before).clone();
        for op in &happened[..durable] {
            if let Op::Write(at, what) = op {
                put(&mut bytes, *at, what);
            }
        }
        let mut left: Vec<(u64, &[u8])> = happened[durable..]
            .iter()
            .filter_map(|op| match op {
                Op::Write(at, what) => Some((*at, &what[..])),
                Op::Flush => None,
            })
            .collect();
        match pending {
            Pending::None => return bytes,
            Pending::All => {
                for (at, what) in left {
                    put(&mut bytes, at, what);
                }
                return bytes;
            }
            Pending::Some | Pending::Torn | Pending::Flipped => {}
        }
        left.retain(|_| !draw().is_multiple_of(3));
        for last in (1..left.len()).rev() {
            left.swap(last, draw() as usize % (last + 1));
        }
        for (at, what) in left {
            for (sector, number) in what.chunks(SECTOR).zip(0..) {
                let mut sector = sector.to_vec();
                if pending != Pending::Some && draw().is_multiple_of(2) {
                    continue;
                }
                if pending == Pending::Flipped && !whole.contains(&at) {
                    let bit = draw() as usize % (8 * sector.len());
                    sector[bit / 8] ^= 1 << (bit % 8);
                }
                put(&mut bytes, at + number * SECTOR as u64, &sector);
            }
        }
        bytes
    }
}

/// A device in memory with these bytes.
pub fn device(bytes: &[u8]) -> MemoryDevice {
    let device = MemoryDevice::new(SECTOR, bytes.len() / SECTOR, 0);
    device
        .write_at(bytes, 0)
        .expect("it has the size of the bytes");
    device
}

fn put(bytes: &mut [u8], at: u64, what: &[u8]) {
    let at = at as usize;
    bytes[at..at + what.len()].copy_from_slice(what);
}

impl BlockDevice for Recorder {
    fn sector_size(&self) -> usize {
        self.device.sector_size()
    }

    fn sectors(&self) -> u64 {
        self.device.sectors()
    }

    fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        self.device.read_at(bytes, position)
    }

    fn write_at(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        let mut ops = self.next()?;
        self.device.write_at(bytes, position)?;
        ops.push(Op::Write(position, bytes.to_vec()));
        Ok(())
    }

    fn flush(&self) -> Result<(), Errno> {
        self.next()?.push(Op::Flush);
        Ok(())
    }
}
