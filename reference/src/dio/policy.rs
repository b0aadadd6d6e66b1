//! The designs of direct writes: `specs/dio/UnalignedDioPolicies.tla`.

use super::machine::Mode;

/// Who asks for the lock exclusively at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum First {
    /// `"extending"`: a write that extends the file.
    Extending,
    /// `"extending-or-unaligned"`.
    ExtendingOrUnaligned,
    /// `"unaligned-reaching-eof"`: an unaligned write that ends at or beyond EOF.
    UnalignedReachingEof,
}

/// What the check of the mapping calls an overwrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Overwrite {
    /// `"mapped"`: all blocks are written.
    Mapped,
    /// `"allocated"`: all blocks are written, or all are unwritten.
    Allocated,
    /// `"partial-mapped"`: all blocks that are covered in part are written.
    PartialMapped,
}

/// Who keeps the shared lock after that check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Share {
    /// `"always"`.
    Always,
    /// `"overwrite"`.
    Overwrite,
    /// `"overwrite-no-zeroing"`: an overwrite that will zero nothing.
    OverwriteNoZeroing,
}

/// Which writers wait for i_dio_count to reach 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Drain {
    /// `"never"`.
    Never,
    /// `"unaligned"`: exclusive unaligned ones.
    Unaligned,
    /// `"unaligned-even-shared"`: unaligned ones, under the shared lock too.
    UnalignedEvenShared,
    /// `"zeroing"`: exclusive unaligned ones that may have to zero.
    Zeroing,
    /// `"needs-zeroing"`: exclusive unaligned ones whose partial blocks are not all written.
    NeedsZeroing,
}

/// Which exclusive writers wait for their own I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wait {
    /// `"unaligned-or-extending"`.
    UnalignedOrExtending,
    /// `"unaligned"`.
    Unaligned,
    /// `"extending"`.
    Extending,
    /// `"needs-zeroing-or-extending"`.
    NeedsZeroingOrExtending,
}

/// Which NOWAIT writes, unaligned or extending ones, are refused though they hold the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nowait {
    /// `"all"`.
    All,
    /// `"exclusive"`: those that hold it exclusively.
    Exclusive,
    /// `"none"`.
    None,
}

/// IOMAP_DIO_OVERWRITE_ONLY on unaligned shared writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flag {
    /// `"none"`: it is not set.
    None,
    /// `"ignored"`: it is set, and the file system does not look at it.
    Ignored,
    /// `"heeded"`: it stops what is no overwrite.
    Heeded,
}

/// What follows when the flag has stopped a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Retry {
    /// `"never"`: -EAGAIN for the caller.
    Never,
    /// `"exclusive"`: once more, with the exclusive lock.
    Exclusive,
    /// `"shared"`: once more, with the shared lock.
    Shared,
}

/// The state of a block that a write has just allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alloc {
    /// `"by-size"`: written at or behind EOF, else unwritten.
    BySize,
    /// `"unwritten"`.
    Unwritten,
    /// `"written"`.
    Written,
}

/// How a buffered write, or a fallback to one, goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fallback {
    /// `"no-drain"`: it holds the lock exclusively.
    NoDrain,
    /// `"drain"`: the same, and it waits for i_dio_count to reach 0.
    Drain,
    /// `"drain-shared"`: it waits so with the shared lock.
    DrainShared,
}

impl Fallback {
    /// How it holds the lock.
    pub fn mode(self) -> Mode {
        match self {
            Fallback::NoDrain | Fallback::Drain => Mode::Exclusive,
            Fallback::DrainShared => Mode::Shared,
        }
    }

    /// Whether it drains.
    pub fn drains(self) -> bool {
        self != Fallback::NoDrain
    }
}

/// Which writes zero the rest of a block that is not new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tail {
    /// `"at-eof"`: those that end at or behind EOF.
    AtEof,
    /// `"behind-eof"`: those that end behind it.
    BehindEof,
}

/// What a truncate behind EOF, and a write that begins there, do to the block that EOF lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grow {
    /// `"size"`: nothing, unless the size stays.
    Size,
    /// `"page"`: its rest is zeroed in the page cache, though not by a direct write.
    Page,
    /// `"page-always"`: by a direct write too.
    PageAlways,
    /// `"truncate-drained"`: as `"page"`; the truncate does so once i_dio_count is 0.
    TruncateDrained,
    /// `"drained"`: all do, direct writes too.
    Drained,
    /// `"seen-drained"`: the same, but a truncate has looked at i_size before it waits, and zeroes from there on.
    SeenDrained,
}

impl Grow {
    /// Whether a direct write that begins behind EOF zeroes there.
    pub fn by_direct_writes(self) -> bool {
        matches!(self, Grow::PageAlways) || self.drains_to_zero()
    }

    /// Whether who begins behind EOF waits for direct I/O in flight, to zero there.
    pub fn drains_to_zero(self) -> bool {
        matches!(self, Grow::Drained | Grow::SeenDrained)
    }
}

/// How truncate and punch exclude direct I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Free {
    /// `"shared"`: not at all.
    Shared,
    /// `"exclusive"`: those that hold the lock.
    Exclusive,
    /// `"exclusive-drained"`: those in flight too.
    ExclusiveDrained,
}

/// A design: a record of decisions, each as in module UnalignedDioPolicies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Who asks for the lock exclusively at once.
    pub first: First,
    /// What the check of the mapping calls an overwrite.
    pub overwrite: Overwrite,
    /// Who keeps the shared lock after that check.
    pub share: Share,
    /// The check is repeated after an upgrade of the lock.
    pub recheck: bool,
    /// Which writers wait for i_dio_count to reach 0.
    pub drain: Drain,
    /// Which exclusive writers wait for their own I/O.
    pub wait: Wait,
    /// Which NOWAIT writes are refused though they hold the lock.
    pub nowait: Nowait,
    /// IOMAP_DIO_OVERWRITE_ONLY on unaligned shared writes.
    pub flag: Flag,
    /// What follows when the flag has stopped a write.
    pub retry: Retry,
    /// An unaligned write that ends at EOF counts as extending.
    pub reaching: bool,
    /// A write that begins at or beyond EOF is as good as aligned.
    pub eof: bool,
    /// The state of a block that a write has just allocated.
    pub alloc: Alloc,
    /// A failed write frees the blocks behind EOF.
    pub trim: bool,
    /// How a buffered write, or a fallback to one, goes on.
    pub fallback: Fallback,
    /// How truncate and punch exclude direct I/O.
    pub free: Free,
    /// Which writes zero the rest of a block that is not new.
    pub tail: Tail,
    /// What happens to the block that EOF lies in when the file grows past it.
    pub grow: Grow,
}

impl Policy {
    /// ext4 from Linux 6.5 up to c7fc0366c656: shared first; the check decides all, and is repeated.
    pub const FINAL65: Policy = Policy {
        first: First::Extending,
        overwrite: Overwrite::Allocated,
        share: Share::OverwriteNoZeroing,
        recheck: true,
        drain: Drain::Zeroing,
        wait: Wait::UnalignedOrExtending,
        nowait: Nowait::Exclusive,
        flag: Flag::None,
        retry: Retry::Never,
        reaching: false,
        eof: false,
        alloc: Alloc::BySize,
        trim: true,
        fallback: Fallback::NoDrain,
        free: Free::ExclusiveDrained,
        tail: Tail::AtEof,
        grow: Grow::Size,
    };

    /// The same with IOMAP_DIO_OVERWRITE_ONLY, in a file system that heeds it.
    pub const FINAL65_FLAG: Policy = Policy {
        flag: Flag::Heeded,
        ..Policy::FINAL65
    };

    /// ext4 from Linux 5.6 to 6.2: an unaligned write is exclusive from the start.
    pub const PRE61: Policy = Policy {
        first: First::ExtendingOrUnaligned,
        overwrite: Overwrite::Mapped,
        share: Share::Overwrite,
        drain: Drain::Unaligned,
        nowait: Nowait::All,
        ..Policy::FINAL65
    };

    /// ext4 in Linux 6.3 and 6.4: the same lock, but an overwrite means allocated blocks, unwritten included.
    pub const ALLOCATED63: Policy = Policy {
        overwrite: Overwrite::Allocated,
        ..Policy::PRE61
    };

    /// The RFC of the thread on 6.2, where an overwrite means mapped blocks.
    pub const RFC_ON62: Policy = Policy {
        first: First::Extending,
        flag: Flag::Ignored,
        ..Policy::PRE61
    };

    /// The RFC on 6.3, where it means allocated ones, unwritten included.
    pub const RFC_ON63: Policy = Policy {
        first: First::Extending,
        flag: Flag::Ignored,
        ..Policy::ALLOCATED63
    };

    /// ext4 with c7fc0366c656 (6.13, 6.12.5, 6.6.70): a truncate up, and a buffered write that begins behind EOF, zero the rest of EOF's
    /// block in the page cache.
    pub const FINAL612: Policy = Policy {
        grow: Grow::Page,
        ..Policy::FINAL65
    };

    /// ext4 in Linux 7.2.13, 6.18.52, 6.12.110 and 6.6.157: a buffered fallback drains.
    pub const DRAINED72: Policy = Policy {
        fallback: Fallback::Drain,
        ..Policy::FINAL612
    };

    /// ext4 in Linux 7.3: only partial blocks matter, also to who has the exclusive lock.
    pub const ZEROING73: Policy = Policy {
        overwrite: Overwrite::PartialMapped,
        share: Share::Overwrite,
        drain: Drain::NeedsZeroing,
        wait: Wait::NeedsZeroingOrExtending,
        ..Policy::DRAINED72
    };

    /// XFS since 5.12: shared and optimistic; the flag stops what is no overwrite, which is tried again, exclusively.
    pub const XFS_OPTIMISTIC: Policy = Policy {
        first: First::UnalignedReachingEof,
        share: Share::Always,
        drain: Drain::Unaligned,
        wait: Wait::Unaligned,
        flag: Flag::Heeded,
        retry: Retry::Exclusive,
        alloc: Alloc::Unwritten,
        trim: false,
        grow: Grow::SeenDrained,
        ..Policy::FINAL65
    };

    /// Control: every write stays under the shared lock.
    pub const ALWAYS_SHARED: Policy = Policy {
        share: Share::Always,
        ..Policy::FINAL65
    };

    /// Control: the same, and it drains there, which keeps nobody out.
    pub const SHARED_DRAIN: Policy = Policy {
        share: Share::Always,
        drain: Drain::UnalignedEvenShared,
        ..Policy::FINAL65
    };

    /// Control: nobody drains.
    pub const EXCL_NO_DIO_WAIT: Policy = Policy {
        drain: Drain::Never,
        ..Policy::FINAL65
    };

    /// Control: an unaligned write does not wait for its own I/O.
    pub const NO_FORCE_WAIT: Policy = Policy {
        wait: Wait::Extending,
        ..Policy::FINAL65
    };

    /// Control: nobody drains.
    pub const ZEROING73_NO_DIO_WAIT: Policy = Policy {
        drain: Drain::Never,
        ..Policy::ZEROING73
    };

    /// Control: the second try does not drain.
    pub const XFS_RETRY_NO_DIO_WAIT: Policy = Policy {
        drain: Drain::Never,
        ..Policy::XFS_OPTIMISTIC
    };

    /// Control: no second try.
    pub const XFS_NO_RETRY: Policy = Policy {
        retry: Retry::Never,
        ..Policy::XFS_OPTIMISTIC
    };

    /// Control: the second try is shared too.
    pub const XFS_RETRY_SHARED: Policy = Policy {
        retry: Retry::Shared,
        ..Policy::XFS_OPTIMISTIC
    };

    /// Control: the file system does not look at the flag.
    pub const IGNORE_OVERWRITE_ONLY: Policy = Policy {
        flag: Flag::Ignored,
        ..Policy::XFS_OPTIMISTIC
    };

    /// Control: what the first check saw is carried over the gap between the two locks.
    pub const NO_RECHECK_AFTER_UPGRADE: Policy = Policy {
        recheck: false,
        ..Policy::FINAL65
    };

    /// Control: without the wait of 5.2, and without the serialisation of a write beyond EOF of 5.1.
    pub const SKIP_BEYOND_EOF: Policy = Policy {
        eof: true,
        ..Policy::NO_FORCE_WAIT
    };

    /// Control: a NOWAIT write is not refused where it has to drain.
    pub const NOWAIT_DRAINS: Policy = Policy {
        nowait: Nowait::None,
        ..Policy::FINAL65
    };

    /// Control: truncate and punch do not wait for direct I/O in flight.
    pub const PUNCH_NO_DIO_WAIT: Policy = Policy {
        free: Free::Exclusive,
        ..Policy::FINAL65
    };

    /// Control: they change the mapping under the shared lock.
    pub const PUNCH_SHARED: Policy = Policy {
        free: Free::Shared,
        ..Policy::FINAL65
    };

    /// Control: the same beside the flag.
    pub const PUNCH_SHARED_FLAG: Policy = Policy {
        free: Free::Shared,
        ..Policy::FINAL65_FLAG
    };

    /// Control: blocks are allocated as written, before their data are there.
    pub const ALLOC_WRITTEN: Policy = Policy {
        alloc: Alloc::Written,
        ..Policy::FINAL65
    };

    /// Control: what a failed write has allocated behind EOF stays there.
    pub const NO_TRIM: Policy = Policy {
        trim: false,
        ..Policy::FINAL65
    };

    /// The cure at the end of the file: an unaligned write that ends exactly there counts as extending.
    pub const FINAL65_EOF: Policy = Policy {
        reaching: true,
        ..Policy::FINAL65
    };

    /// The same cure of [`Policy::ZEROING73`].
    pub const ZEROING73_EOF: Policy = Policy {
        reaching: true,
        ..Policy::ZEROING73
    };

    /// The same cure of [`Policy::XFS_OPTIMISTIC`].
    pub const XFS_EOF: Policy = Policy {
        reaching: true,
        ..Policy::XFS_OPTIMISTIC
    };

    /// The cure of what [`Policy::XFS_OPTIMISTIC`] does to an append beside a truncate: the truncate looks once it has waited.
    pub const XFS_LOOKS_LATE: Policy = Policy {
        grow: Grow::Drained,
        ..Policy::XFS_OPTIMISTIC
    };

    /// Both cures, of [`Policy::XFS_OPTIMISTIC`].
    pub const XFS_CURED: Policy = Policy {
        grow: Grow::Drained,
        ..Policy::XFS_EOF
    };

    /// The same cure of [`Policy::FINAL612`].
    pub const FINAL612_EOF: Policy = Policy {
        reaching: true,
        ..Policy::FINAL612
    };

    /// Tried: a write that ends exactly at EOF zeroes nothing behind it.
    pub const FINAL612_TAIL: Policy = Policy {
        tail: Tail::BehindEof,
        ..Policy::FINAL612
    };

    /// Tried: a truncate that does not shrink drains.
    pub const FINAL612_GROW: Policy = Policy {
        grow: Grow::TruncateDrained,
        ..Policy::FINAL612
    };

    /// Both cures, of [`Policy::FINAL612`].
    pub const FINAL612_CURED: Policy = Policy {
        grow: Grow::TruncateDrained,
        ..Policy::FINAL612_EOF
    };

    /// Control: a fallback that drains without keeping others out.
    pub const FALLBACK_DRAINS_SHARED: Policy = Policy {
        fallback: Fallback::DrainShared,
        ..Policy::DRAINED72
    };

    /// The first cure, of [`Policy::DRAINED72`].
    pub const DRAINED72_EOF: Policy = Policy {
        reaching: true,
        ..Policy::DRAINED72
    };

    /// The other one, of [`Policy::DRAINED72`].
    pub const DRAINED72_GROW: Policy = Policy {
        grow: Grow::TruncateDrained,
        ..Policy::DRAINED72
    };

    /// Both cures, of [`Policy::DRAINED72`].
    pub const DRAINED72_CURED: Policy = Policy {
        grow: Grow::TruncateDrained,
        ..Policy::DRAINED72_EOF
    };

    /// The other one, of [`Policy::ZEROING73`].
    pub const ZEROING73_GROW: Policy = Policy {
        grow: Grow::TruncateDrained,
        ..Policy::ZEROING73
    };

    /// Both cures, of [`Policy::ZEROING73`].
    pub const ZEROING73_CURED: Policy = Policy {
        grow: Grow::TruncateDrained,
        ..Policy::ZEROING73_EOF
    };

    /// A direct write that begins behind EOF zeroes there, of [`Policy::DRAINED72`].
    pub const DRAINED72_APPEND: Policy = Policy {
        grow: Grow::PageAlways,
        ..Policy::DRAINED72
    };

    /// The same, of [`Policy::ZEROING73`].
    pub const ZEROING73_APPEND: Policy = Policy {
        grow: Grow::PageAlways,
        ..Policy::ZEROING73
    };

    /// Every design under its name in module UnalignedDioPolicies.
    pub const NAMED: [(&str, Policy); 44] = [
        ("Final65", Policy::FINAL65),
        ("Final65Flag", Policy::FINAL65_FLAG),
        ("Pre61", Policy::PRE61),
        ("Allocated63", Policy::ALLOCATED63),
        ("RfcOn62", Policy::RFC_ON62),
        ("RfcOn63", Policy::RFC_ON63),
        ("Final612", Policy::FINAL612),
        ("Drained72", Policy::DRAINED72),
        ("Zeroing73", Policy::ZEROING73),
        ("XfsOptimistic", Policy::XFS_OPTIMISTIC),
        ("AlwaysShared", Policy::ALWAYS_SHARED),
        ("SharedDrain", Policy::SHARED_DRAIN),
        ("ExclNoDioWait", Policy::EXCL_NO_DIO_WAIT),
        ("NoForceWait", Policy::NO_FORCE_WAIT),
        ("Zeroing73NoDioWait", Policy::ZEROING73_NO_DIO_WAIT),
        ("XfsRetryNoDioWait", Policy::XFS_RETRY_NO_DIO_WAIT),
        ("XfsNoRetry", Policy::XFS_NO_RETRY),
        ("XfsRetryShared", Policy::XFS_RETRY_SHARED),
        ("IgnoreOverwriteOnly", Policy::IGNORE_OVERWRITE_ONLY),
        ("NoRecheckAfterUpgrade", Policy::NO_RECHECK_AFTER_UPGRADE),
        ("SkipBeyondEOF", Policy::SKIP_BEYOND_EOF),
        ("NowaitDrains", Policy::NOWAIT_DRAINS),
        ("PunchNoDioWait", Policy::PUNCH_NO_DIO_WAIT),
        ("PunchShared", Policy::PUNCH_SHARED),
        ("PunchSharedFlag", Policy::PUNCH_SHARED_FLAG),
        ("AllocWritten", Policy::ALLOC_WRITTEN),
        ("NoTrim", Policy::NO_TRIM),
        ("Final65Eof", Policy::FINAL65_EOF),
        ("Zeroing73Eof", Policy::ZEROING73_EOF),
        ("XfsEof", Policy::XFS_EOF),
        ("XfsLooksLate", Policy::XFS_LOOKS_LATE),
        ("XfsCured", Policy::XFS_CURED),
        ("Final612Eof", Policy::FINAL612_EOF),
        ("Final612Tail", Policy::FINAL612_TAIL),
        ("Final612Grow", Policy::FINAL612_GROW),
        ("Final612Cured", Policy::FINAL612_CURED),
        ("FallbackDrainsShared", Policy::FALLBACK_DRAINS_SHARED),
        ("Drained72Eof", Policy::DRAINED72_EOF),
        ("Drained72Grow", Policy::DRAINED72_GROW),
        ("Drained72Cured", Policy::DRAINED72_CURED),
        ("Zeroing73Grow", Policy::ZEROING73_GROW),
        ("Zeroing73Cured", Policy::ZEROING73_CURED),
        ("Drained72Append", Policy::DRAINED72_APPEND),
        ("Zeroing73Append", Policy::ZEROING73_APPEND),
    ];
}
