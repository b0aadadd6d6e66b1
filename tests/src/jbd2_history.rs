//! Logs of a journal in the tests: a device that begins as zeroes, histories of transactions, and what they must leave.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use interlock::device::BlockDevice;
use interlock::errno::Errno;
use interlock::jbd2::log::area::LogArea;
use interlock::jbd2::log::create::create;
use interlock::jbd2::log::encode::{encode, next};
use interlock::jbd2::log::superblock::{Features, Superblock};

/// Blocks on the device, by their numbers.
pub type Blocks = BTreeMap<u64, Vec<u8>>;

/// The first four bytes of what is no data.
pub const MAGIC: [u8; 4] = [0xC0, 0x3B, 0x39, 0x98];
/// The UUID of the logs.
pub const UUID: [u8; 16] = *b"interlock's logs";
const SECTOR: usize = 512;

/// A device with as many sectors as there are numbers for; those that nobody has written are zeroes.
#[derive(Default)]
pub struct SparseDevice(Mutex<State>);

#[derive(Default, Clone)]
struct State {
    sectors: BTreeMap<u64, [u8; SECTOR]>,
    writes: usize,
    writes_left: Option<usize>,
}

impl SparseDevice {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many writes there were.
    pub fn writes(&self) -> usize {
        self.state().writes
    }

    /// Fails all writes but the next `writes`.
    pub fn fail_after(&self, writes: Option<usize>) {
        self.state().writes_left = writes;
    }

    /// Flips a bit of a byte.
    pub fn flip(&self, position: u64, bit: u32) {
        let mut state = self.state();
        let sector = state.sectors.entry(position / SECTOR as u64);
        sector.or_insert([0; SECTOR])[position as usize % SECTOR] ^= 1 << bit;
    }
}

impl Clone for SparseDevice {
    fn clone(&self) -> Self {
        SparseDevice(Mutex::new(self.state().clone()))
    }
}

impl BlockDevice for SparseDevice {
    fn sector_size(&self) -> usize {
        SECTOR
    }

    fn sectors(&self) -> u64 {
        u64::MAX / SECTOR as u64
    }

    fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        let state = self.state();
        for (place, chunk) in (position / SECTOR as u64..).zip(bytes.chunks_mut(SECTOR)) {
            let sector = state.sectors.get(&place).unwrap_or(&[0; SECTOR]);
            chunk.copy_from_slice(&sector[..chunk.len()]);
        }
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        let mut state = self.state();
        if let Some(left) = &mut state.writes_left {
            *left = left.checked_sub(1).ok_or(Errno::Io)?;
        }
        state.writes += 1;
        for (place, chunk) in (position / SECTOR as u64..).zip(bytes.chunks(SECTOR)) {
            let sector = state.sectors.entry(place).or_insert([0; SECTOR]);
            sector[..chunk.len()].copy_from_slice(chunk);
        }
        Ok(())
    }
}

/// What a transaction does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// The blocks that it writes.
    pub blocks: Vec<(u64, Vec<u8>)>,
    /// The blocks that it revokes, none of which it writes.
    pub revokes: Vec<u64>,
    /// When it is committed.
    pub seconds: u64,
}

impl Change {
    /// Its log blocks.
    pub fn encode(&self, superblock: &Superblock, tid: u32) -> Vec<Vec<u8>> {
        let blocks = self.blocks.iter();
        let blocks: Vec<(u64, &[u8])> = blocks.map(|(number, data)| (*number, &data[..])).collect();
        encode(superblock, tid, &blocks, &self.revokes, self.seconds)
    }
}

/// What recovery must find of these transactions.
pub fn expected(changes: &[Change]) -> Blocks {
    let mut blocks = Blocks::new();
    for change in changes {
        for number in &change.revokes {
            blocks.remove(number);
        }
        blocks.extend(change.blocks.iter().cloned());
    }
    blocks
}

/// A log on a device, and who writes it.
#[derive(Clone)]
pub struct Log {
    /// The device.
    pub device: SparseDevice,
    /// Where the log lies: the second half of its blocks before the first.
    pub area: LogArea,
    /// Its superblock, as on the device.
    pub superblock: Superblock,
    /// Where the next transaction goes.
    pub head: u32,
    /// Its tid.
    pub tid: u32,
}

impl Log {
    /// The first device block of the log.
    pub const BEGIN: u64 = 100;

    /// A log of `usable` blocks and the superblock, whose first transaction is `tid` and begins `behind` blocks behind the first.
    pub fn new(block_size: usize, features: Features, usable: u32, behind: u32, tid: u32) -> Self {
        let (end, half) = (u64::from(usable) + 1, u64::from(usable).div_ceil(2));
        let runs = vec![
            Log::BEGIN + half..Log::BEGIN + end,
            Log::BEGIN..Log::BEGIN + half,
        ];
        let (device, area) = (SparseDevice::default(), LogArea::new(block_size, runs));
        let mut superblock =
            create(&device, &area, features, UUID).expect("the area is large enough");
        superblock.start = superblock.first + behind;
        superblock.sequence = tid;
        superblock
            .store(&device, &area)
            .expect("the device is good");
        Log {
            device,
            area,
            head: superblock.start,
            superblock,
            tid,
        }
    }

    /// Writes log blocks from the head on, and returns where the next would go.
    pub fn write(&self, blocks: &[Vec<u8>]) -> u32 {
        blocks.iter().fold(self.head, |at, block| {
            let written = self.area.write(&self.device, at, block);
            written.expect("the device is good");
            next(&self.superblock, at)
        })
    }

    /// Writes a whole transaction.
    pub fn commit(&mut self, change: &Change) {
        let blocks = change.encode(&self.superblock, self.tid);
        self.commit_as(&blocks);
    }

    /// Writes what is to be taken for a whole transaction.
    pub fn commit_as(&mut self, blocks: &[Vec<u8>]) {
        self.head = self.write(blocks);
        self.tid = self.tid.wrapping_add(1);
    }

    /// What lies on the device.
    pub fn home(&self, number: u64) -> Vec<u8> {
        let size = self.area.block_size();
        let mut bytes = vec![0; size];
        let read = self.device.read_at(&mut bytes, number * size as u64);
        read.expect("the device is good");
        bytes
    }
}

/// One block of bytes that tell `name`.
pub fn data(block_size: usize, name: u32) -> Vec<u8> {
    let mut bytes = vec![0; block_size];
    for (word, bytes) in (0u32..).zip(bytes.chunks_exact_mut(4)) {
        bytes.copy_from_slice(&(word.wrapping_mul(0x9E37_79B1) ^ name).to_le_bytes());
    }
    bytes
}

/// The same, but it begins with the magic number.
pub fn magic_data(block_size: usize, name: u32) -> Vec<u8> {
    let mut bytes = data(block_size, name);
    bytes[..4].copy_from_slice(&MAGIC);
    bytes
}

/// All sets of features.
pub fn all_features() -> impl Iterator<Item = Features> {
    (0..8_u32).map(|bits| Features {
        revoke: bits & 1 != 0,
        is_64bit: bits & 2 != 0,
        csum_v3: bits & 4 != 0,
    })
}
