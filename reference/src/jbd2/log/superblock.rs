//! The journal's superblock, version 2: `struct journal_superblock_s`, log block 0.
//!
//! ```text
//! 0x00  magic  type  sequence        the header, see the blocks
//! 0x0C  s_blocksize  s_maxlen  s_first
//! 0x18  s_sequence   s_start   s_errno
//! 0x24  s_feature_compat  s_feature_incompat  s_feature_ro_compat
//! 0x30  s_uuid                       16 bytes
//! 0x40  s_nr_users ...
//! 0x50  s_checksum_type              1 byte
//! 0xFC  s_checksum                   of all 1024 bytes, itself as zero
//! ```
//!
//! All numbers are big-endian.

use std::fmt;

use super::area::LogArea;
use super::block::{MAGIC, checksum, get32, put32};
use super::error::LogError;
use crate::device::BlockDevice;

/// The superblock's size in bytes: also the size of the smallest block.
pub const SUPERBLOCK_SIZE: usize = 1024;

pub(super) const INCOMPAT_REVOKE: u32 = 0x01;
pub(super) const INCOMPAT_64BIT: u32 = 0x02;
pub(super) const INCOMPAT_CSUM_V3: u32 = 0x10;
const COMPAT_CHECKSUM: u32 = 0x01;
/// Known to the kernel, and refused here.
const REFUSED: [(u32, &str); 3] = [
    (0x04, "JBD2_FEATURE_INCOMPAT_ASYNC_COMMIT"),
    (0x08, "JBD2_FEATURE_INCOMPAT_CSUM_V2"),
    (0x20, "JBD2_FEATURE_INCOMPAT_FAST_COMMIT"),
];

const SUPERBLOCK_V1: u32 = 3;
const SUPERBLOCK_V2: u32 = 4;
/// JBD2_CRC32C_CHKSUM.
const CRC32C: u8 = 4;
const UUID: usize = 0x30;
const CHECKSUM_TYPE: usize = 0x50;
const CHECKSUM: usize = 0xFC;

/// The features that a log may have here, in any combination.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Features {
    /// JBD2_FEATURE_INCOMPAT_REVOKE: transactions may revoke blocks.
    pub revoke: bool,
    /// JBD2_FEATURE_INCOMPAT_64BIT: block numbers have 64 bits.
    pub is_64bit: bool,
    /// JBD2_FEATURE_INCOMPAT_CSUM_V3: all blocks have checksums.
    pub csum_v3: bool,
}

impl Features {
    /// All of them.
    pub const ALL: Features = Features {
        revoke: true,
        is_64bit: true,
        csum_v3: true,
    };

    fn incompat(self) -> u32 {
        let bits = [
            (self.revoke, INCOMPAT_REVOKE),
            (self.is_64bit, INCOMPAT_64BIT),
            (self.csum_v3, INCOMPAT_CSUM_V3),
        ];
        let set = bits.into_iter().filter(|(has, _)| *has);
        set.fold(0, |bits, (_, bit)| bits | bit)
    }
}

/// A journal's superblock. What it does not know of the 1024 bytes it keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superblock {
    /// s_blocksize: the size of a block in bytes.
    pub block_size: u32,
    /// s_maxlen: how many blocks the log has, with this one.
    pub maxlen: u32,
    /// s_first: the first log block of transactions.
    pub first: u32,
    /// s_sequence: the tid of the transaction at `start`; of the next one if there is none.
    pub sequence: u32,
    /// s_start: the log block where the oldest transaction begins; 0 if the log is empty.
    pub start: u32,
    /// s_errno: why the journal was aborted, 0 if it was not.
    pub errno: u32,
    /// s_feature_incompat.
    pub features: Features,
    /// s_uuid: what checksums are seeded with.
    pub uuid: [u8; 16],
    rest: Rest,
}

/// The bytes that no other field holds; the others are zero.
#[derive(Clone, PartialEq, Eq)]
struct Rest([u8; SUPERBLOCK_SIZE]);

impl Rest {
    fn of(mut raw: [u8; SUPERBLOCK_SIZE], features: Features) -> Self {
        raw[0x0C..0x24].fill(0);
        raw[0x28..0x2C].fill(0);
        raw[UUID..UUID + 16].fill(0);
        if features.csum_v3 {
            raw[CHECKSUM_TYPE] = 0;
            raw[CHECKSUM..CHECKSUM + 4].fill(0);
        }
        Rest(raw)
    }
}

impl fmt::Debug for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

impl Superblock {
    /// The superblock of an empty log with so many blocks, the next transaction of which is 1.
    pub(super) fn empty(block_size: u32, maxlen: u32, features: Features, uuid: [u8; 16]) -> Self {
        let mut raw = [0; SUPERBLOCK_SIZE];
        put32(&mut raw, 0x00, MAGIC);
        put32(&mut raw, 0x04, SUPERBLOCK_V2);
        // s_nr_users.
        put32(&mut raw, 0x40, 1);
        Superblock {
            block_size,
            maxlen,
            first: 1,
            sequence: 1,
            start: 0,
            errno: 0,
            features,
            uuid,
            rest: Rest(raw),
        }
    }

    /// Reads a superblock from the first 1024 bytes of log block 0, and judges it alone (journal_check_superblock, 6.18).
    ///
    /// # Errors
    ///
    /// [`LogError::NoJournal`]: there is none. [`LogError::Unsupported`]: another version, or a feature that [`Features`] has
    /// not; also unknown compatible ones, which the kernel lets pass. [`LogError::Corrupt`]: its checksum is wrong, or its blocks
    /// have a size that blocks cannot have.
    pub fn read(bytes: &[u8]) -> Result<Self, LogError> {
        let raw = bytes.first_chunk::<SUPERBLOCK_SIZE>();
        let raw = *raw.ok_or_else(|| LogError::NoJournal("log block 0 is too short".into()))?;
        let magic = get32(&raw, 0x00);
        if magic != MAGIC {
            let reason = format!("log block 0 begins with {magic:#010x}, not with {MAGIC:#010x}");
            return Err(LogError::NoJournal(reason));
        }
        match get32(&raw, 0x04) {
            SUPERBLOCK_V2 => (),
            SUPERBLOCK_V1 => return Err(LogError::unsupported("JBD2_SUPERBLOCK_V1")),
            other => {
                let reason = format!("log block 0 is of type {other}, no superblock");
                return Err(LogError::NoJournal(reason));
            }
        }
        let features = features(&raw)?;
        if features.csum_v3 {
            if raw[CHECKSUM_TYPE] != CRC32C {
                let feature = format!("s_checksum_type {}", raw[CHECKSUM_TYPE]);
                return Err(LogError::unsupported(feature));
            }
            let (is, expected) = (get32(&raw, CHECKSUM), sum(&raw));
            if is != expected {
                let reason = format!("its checksum is {is:#010x}, expected {expected:#010x}");
                return Err(LogError::corrupt(0, reason));
            }
        } else if has_lost_csum_v3(&raw) {
            let reason = "its checksum is that of a log with CSUM_V3, which it has not";
            return Err(LogError::corrupt(0, reason));
        }
        let block_size = get32(&raw, 0x0C);
        if !is_block_size(block_size) {
            let reason = format!("blocks of {block_size} bytes");
            return Err(LogError::corrupt(0, reason));
        }
        let mut uuid = [0; 16];
        uuid.copy_from_slice(&raw[UUID..UUID + 16]);
        Ok(Superblock {
            block_size,
            maxlen: get32(&raw, 0x10),
            first: get32(&raw, 0x14),
            sequence: get32(&raw, 0x18),
            start: get32(&raw, 0x1C),
            errno: get32(&raw, 0x20),
            features,
            uuid,
            rest: Rest::of(raw, features),
        })
    }

    /// Its 1024 bytes, with the checksum.
    pub fn bytes(&self) -> [u8; SUPERBLOCK_SIZE] {
        let mut raw = self.rest.0;
        put32(&mut raw, 0x0C, self.block_size);
        put32(&mut raw, 0x10, self.maxlen);
        put32(&mut raw, 0x14, self.first);
        put32(&mut raw, 0x18, self.sequence);
        put32(&mut raw, 0x1C, self.start);
        put32(&mut raw, 0x20, self.errno);
        put32(&mut raw, 0x28, self.features.incompat());
        raw[UUID..UUID + 16].copy_from_slice(&self.uuid);
        if self.features.csum_v3 {
            raw[CHECKSUM_TYPE] = CRC32C;
            let sum = sum(&raw);
            put32(&mut raw, CHECKSUM, sum);
        }
        raw
    }

    /// Reads the superblock of the log in `area`, and judges it with the area.
    ///
    /// # Errors
    ///
    /// Those of [`Superblock::read`]; [`LogError::Corrupt`]: blocks of another size, or a first block or a start that is not in
    /// the log. [`LogError::TooSmall`]: the area ends before the log, or the log before a transaction could.
    pub fn load(device: &impl BlockDevice, area: &LogArea) -> Result<Self, LogError> {
        if area.blocks() == 0 {
            return Err(LogError::NoJournal("its area has no blocks".into()));
        }
        let superblock = Superblock::read(&area.read(device, 0)?)?;
        superblock.fits(area)?;
        Ok(superblock)
    }

    /// Writes the superblock into its block, and flushes.
    ///
    /// # Errors
    ///
    /// [`LogError::Device`]; those of [`LogArea::position`].
    pub fn store(&self, device: &impl BlockDevice, area: &LogArea) -> Result<(), LogError> {
        let mut block = area.read(device, 0)?;
        let Some(head) = block.first_chunk_mut::<SUPERBLOCK_SIZE>() else {
            return Err(LogError::NoJournal("log block 0 is too short".into()));
        };
        *head = self.bytes();
        area.write(device, 0, &block)?;
        device.flush()?;
        Ok(())
    }

    /// What the area must be for this log.
    fn fits(&self, area: &LogArea) -> Result<(), LogError> {
        let (is, expected) = (self.block_size, area.block_size());
        if is as usize != expected {
            let reason = format!("its blocks have {is} bytes, expected {expected}");
            return Err(LogError::corrupt(0, reason));
        }
        if self.maxlen > area.blocks() {
            let (blocks, needed) = (area.blocks(), self.maxlen);
            return Err(LogError::TooSmall { blocks, needed });
        }
        let Superblock {
            first,
            start,
            maxlen,
            ..
        } = *self;
        if first == 0 || first >= maxlen {
            let reason = format!("its first block is {first} of {maxlen}");
            return Err(LogError::corrupt(0, reason));
        }
        if maxlen - first < 2 {
            let (blocks, needed) = (maxlen, first.saturating_add(2));
            return Err(LogError::TooSmall { blocks, needed });
        }
        if start != 0 && !(first..maxlen).contains(&start) {
            let reason = format!("its log starts at block {start}, not in {first}..{maxlen}");
            return Err(LogError::corrupt(0, reason));
        }
        Ok(())
    }

    /// How many log blocks there are for transactions.
    pub fn usable(&self) -> u32 {
        self.maxlen.saturating_sub(self.first)
    }

    /// What the checksums of the log's blocks begin with (j_csum_seed).
    pub(super) fn seed(&self) -> u32 {
        checksum(u32::MAX, &self.uuid)
    }
}

/// A power of two that a superblock fits in.
pub(super) fn is_block_size(bytes: u32) -> bool {
    bytes.is_power_of_two() && bytes as usize >= SUPERBLOCK_SIZE
}

/// The features, if all of them are supported.
fn features(raw: &[u8; SUPERBLOCK_SIZE]) -> Result<Features, LogError> {
    let (compat, incompat, ro_compat) = (get32(raw, 0x24), get32(raw, 0x28), get32(raw, 0x2C));
    if compat & COMPAT_CHECKSUM != 0 {
        return Err(LogError::unsupported("JBD2_FEATURE_COMPAT_CHECKSUM"));
    }
    if let Some((_, name)) = REFUSED.iter().find(|(bit, _)| incompat & bit != 0) {
        return Err(LogError::unsupported(*name));
    }
    let known = Features::ALL.incompat();
    for (set, unknown) in [
        ("s_feature_incompat", incompat & !known),
        ("s_feature_ro_compat", ro_compat),
        ("s_feature_compat", compat),
    ] {
        if unknown != 0 {
            return Err(LogError::unsupported(format!("{set} {unknown:#x}")));
        }
    }
    Ok(Features {
        revoke: incompat & INCOMPAT_REVOKE != 0,
        is_64bit: incompat & INCOMPAT_64BIT != 0,
        csum_v3: incompat & INCOMPAT_CSUM_V3 != 0,
    })
}

/// Whether a flipped bit has switched the checksums off. Stricter than the kernel, which takes the tags for others then. Nothing
/// else makes a log that is not empty so: whoever clears the feature writes another start later, and no checksum.
fn has_lost_csum_v3(raw: &[u8; SUPERBLOCK_SIZE]) -> bool {
    let mut with = *raw;
    put32(&mut with, 0x28, get32(raw, 0x28) | INCOMPAT_CSUM_V3);
    let is_empty = get32(raw, 0x1C) == 0;
    !is_empty && raw[CHECKSUM_TYPE] == CRC32C && get32(raw, CHECKSUM) == sum(&with)
}

/// The superblock's checksum: its seed is no UUID (jbd2_superblock_csum).
fn sum(raw: &[u8; SUPERBLOCK_SIZE]) -> u32 {
    let mut raw = *raw;
    put32(&mut raw, CHECKSUM, 0);
    checksum(u32::MAX, &raw)
}
