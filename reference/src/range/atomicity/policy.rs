//! The choices of locks: `specs/range/FileAtomicityPolicies.tla`.

use crate::range::tree::Mode;

/// What an operation does. Its number is its place in a [`ByKind`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `"read"`: through the page cache.
    Read,
    /// `"write"`: through the page cache.
    Write,
    /// `"dread"`: past it.
    DirectRead,
    /// `"dwrite"`: past it.
    DirectWrite,
    /// `"space"`: a truncate or a punched hole, which writes zeroes.
    Space,
}

impl Kind {
    /// Whether it changes nothing.
    pub fn is_read(self) -> bool {
        matches!(self, Kind::Read | Kind::DirectRead)
    }
}

/// How the inode's lock is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hold {
    /// `"shared"`.
    Shared,
    /// `"excl"`.
    Exclusive,
    /// `"buffered"`: shared by buffered operations.
    Buffered,
    /// `"direct"`: shared by direct ones.
    Direct,
}

impl Hold {
    /// Whether both can be held at once.
    pub fn lets(self, other: Hold) -> bool {
        self == other && self != Hold::Exclusive
    }
}

/// Which folio locks are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Folios {
    /// `"none"`.
    Unlocked,
    /// `"each"`: that of a folio while it is copied.
    Each,
    /// `"all"`: those of the range before the first is copied.
    All,
}

/// What an operation of each [`Kind`] takes, in the order of these.
pub type ByKind<T> = [T; 5];

/// A choice: what an operation of each kind takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// The inode's lock.
    pub inode: ByKind<Option<Hold>>,
    /// Folio locks.
    pub folio: ByKind<Folios>,
    /// A range lock.
    pub range: ByKind<Option<Mode>>,
    /// The bits of the segments.
    pub segments: ByKind<bool>,
}

/// Written to each folio while it is locked, and read without a lock.
const WRITES_LOCK: ByKind<Folios> = [
    Folios::Unlocked,
    Folios::Each,
    Folios::Unlocked,
    Folios::Unlocked,
    Folios::Each,
];

/// Shared by all but what takes space away.
const SHARED: ByKind<Option<Hold>> = [
    Some(Hold::Shared),
    Some(Hold::Shared),
    Some(Hold::Shared),
    Some(Hold::Shared),
    Some(Hold::Exclusive),
];

impl Policy {
    /// Nothing at all.
    pub const NO_LOCK: Policy = Policy {
        inode: [None; 5],
        folio: [Folios::Unlocked; 5],
        range: [None; 5],
        segments: [false; 5],
    };
    /// ext4 of 6.18: a buffered read takes no lock, a direct write that overwrites shares i_rwsem.
    pub const EXT4: Policy = Policy {
        inode: [
            None,
            Some(Hold::Exclusive),
            Some(Hold::Shared),
            Some(Hold::Shared),
            Some(Hold::Exclusive),
        ],
        folio: WRITES_LOCK,
        ..Policy::NO_LOCK
    };
    /// btrfs of 6.15 and later, and more: the same, but the rest of a direct read that meets an unfinished buffered write takes no lock.
    pub const BTRFS: Policy = Policy {
        inode: [
            None,
            Some(Hold::Exclusive),
            None,
            Some(Hold::Shared),
            Some(Hold::Exclusive),
        ],
        ..Policy::EXT4
    };
    /// ext4, if a read took each folio's lock while it copies.
    pub const FOLIO_LOCKS: Policy = Policy {
        folio: [
            Folios::Each,
            Folios::Each,
            Folios::Unlocked,
            Folios::Unlocked,
            Folios::Each,
        ],
        ..Policy::EXT4
    };
    /// Folio batches: the locks of all folios of the range at once, and i_rwsem shared.
    pub const FOLIO_BATCH: Policy = Policy {
        inode: SHARED,
        folio: [
            Folios::All,
            Folios::All,
            Folios::Unlocked,
            Folios::Unlocked,
            Folios::All,
        ],
        ..Policy::NO_LOCK
    };
    /// XFS of 6.18: IOLOCK_SHARED for buffered reads and direct I/O, IOLOCK_EXCL for buffered writes.
    pub const XFS: Policy = Policy {
        inode: [
            Some(Hold::Shared),
            Some(Hold::Exclusive),
            Some(Hold::Shared),
            Some(Hold::Shared),
            Some(Hold::Exclusive),
        ],
        folio: WRITES_LOCK,
        ..Policy::NO_LOCK
    };
    /// A lock with two shared states, and folio batches.
    pub const TWO_STATE: Policy = Policy {
        inode: [
            Some(Hold::Buffered),
            Some(Hold::Buffered),
            Some(Hold::Direct),
            Some(Hold::Direct),
            Some(Hold::Exclusive),
        ],
        ..Policy::FOLIO_BATCH
    };
    /// A range lock in the place of i_rwsem.
    pub const RANGE_LOCK: Policy = Policy {
        range: [
            Some(Mode::Read),
            Some(Mode::Write),
            Some(Mode::Read),
            Some(Mode::Write),
            Some(Mode::Write),
        ],
        folio: WRITES_LOCK,
        ..Policy::NO_LOCK
    };
    /// The segments' bits under i_rwsem shared.
    pub const SEGMENT_BITS: Policy = Policy {
        inode: SHARED,
        segments: [true, true, true, true, false],
        folio: WRITES_LOCK,
        ..Policy::NO_LOCK
    };

    /// Every one under its name in the specification.
    pub const NAMED: [(&str, Policy); 9] = [
        ("NoLock", Policy::NO_LOCK),
        ("Ext4", Policy::EXT4),
        ("Btrfs", Policy::BTRFS),
        ("FolioLocks", Policy::FOLIO_LOCKS),
        ("FolioBatch", Policy::FOLIO_BATCH),
        ("Xfs", Policy::XFS),
        ("TwoState", Policy::TWO_STATE),
        ("RangeLock", Policy::RANGE_LOCK),
        ("SegmentBits", Policy::SEGMENT_BITS),
    ];
}
