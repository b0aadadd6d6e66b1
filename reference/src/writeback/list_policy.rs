//! The variants of the lists: `specs/writeback/WbListsPolicies.tla`.

/// What writeback_single_inode does with a dirty inode's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fsync {
    /// `"requeues"`: the inode gets on the list that it belongs to.
    Requeues,
    /// `"leaves"`: it stays where it is.
    Leaves,
}

/// What a sync does with an inode that somebody else writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ISync {
    /// `"waits"`: it sleeps until that is over.
    Waits,
    /// `"skips"`: it leaves the inode to whoever writes it.
    Skips,
    /// `"first"`: as `"waits"`, and nobody else begins with an inode that a sync has on b_io.
    First,
}

/// When the work of a sync queues inodes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum First {
    /// `"if-empty"`: once b_io is empty.
    IfEmpty,
    /// `"at-once"`.
    AtOnce,
}

/// When a sync gives an inode that is dirty again a new dirtied_when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stamp {
    /// `"never"`.
    Never,
    /// `"marked"`: if the inode is marked dirty.
    Marked,
    /// `"tagged"`: if a page is tagged dirty, too.
    Tagged,
}

/// A variant: a record of decisions, each as in module WbListsPolicies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// __mark_inode_dirty leaves an inode that the flusher has queued where it is.
    pub queued: bool,
    /// What writeback_single_inode does with a dirty inode's list.
    pub fsync: Fsync,
    /// What a sync does with an inode that somebody else writes.
    pub isync: ISync,
    /// When the work of a sync queues inodes first.
    pub first: First,
    /// When a sync gives an inode that is dirty again a new dirtied_when.
    pub stamp: Stamp,
    /// A sync tags the pages that it will write.
    pub tags: bool,
    /// Background work writes so many pages of an inode and no more.
    pub slice: bool,
    /// Background work stops when other work waits.
    pub yields: bool,
    /// An inode that gets on a list is taken off the last.
    pub moves: bool,
    /// An inode that is still dirty gets on a list again.
    pub requeue: bool,
}

impl Policy {
    /// Linux; read: 6.12.107, 1b23b9f8 of CachyOS, 7.3.4.
    pub const UPSTREAM: Policy = Policy {
        queued: true,
        fsync: Fsync::Requeues,
        isync: ISync::Waits,
        first: First::IfEmpty,
        stamp: Stamp::Marked,
        tags: true,
        slice: true,
        yields: true,
        moves: true,
        requeue: true,
    };

    /// The cure: the work of a sync queues inodes before it does anything else.
    pub const QUEUE_AT_ONCE: Policy = Policy {
        first: First::AtOnce,
        ..Policy::UPSTREAM
    };

    /// And the cure of its end: a dirty page is enough for a new dirtied_when, and no other writer comes before a sync at an inode
    /// that the sync has queued.
    pub const SYNC_FIRST: Policy = Policy {
        stamp: Stamp::Tagged,
        isync: ISync::First,
        ..Policy::QUEUE_AT_ONCE
    };

    /// Control: half of it.
    pub const STAMPS_TAGGED: Policy = Policy {
        stamp: Stamp::Tagged,
        ..Policy::QUEUE_AT_ONCE
    };

    /// Control: the other half.
    pub const I_SYNC_FIRST: Policy = Policy {
        isync: ISync::First,
        ..Policy::QUEUE_AT_ONCE
    };

    /// Before May 2022 (846a3351ddfe).
    pub const NO_FSYNC_REQUEUE: Policy = Policy {
        fsync: Fsync::Leaves,
        ..Policy::UPSTREAM
    };

    /// Before 5.9 (5afced3bf281).
    pub const NO_SYNC_QUEUED: Policy = Policy {
        queued: false,
        ..Policy::NO_FSYNC_REQUEUE
    };

    /// Control of what 4f8ad655dbc8 keeps.
    pub const SKIP_I_SYNC_ON_SYNC: Policy = Policy {
        isync: ISync::Skips,
        ..Policy::QUEUE_AT_ONCE
    };

    /// Before 94c3dcbb0b0c (2011).
    pub const NO_DIRTIED_WHEN_UPDATE: Policy = Policy {
        stamp: Stamp::Never,
        ..Policy::QUEUE_AT_ONCE
    };

    /// Before f446daaea9d4 (2010).
    pub const NO_TAGGED_WRITEPAGES: Policy = Policy {
        tags: false,
        ..Policy::QUEUE_AT_ONCE
    };

    /// Control: background work writes an inode to its end.
    pub const NO_SLICE: Policy = Policy {
        slice: false,
        ..Policy::QUEUE_AT_ONCE
    };

    /// Control: background work goes on while a sync waits.
    pub const NEVER_YIELDS: Policy = Policy {
        yields: false,
        ..Policy::QUEUE_AT_ONCE
    };

    /// Control: an inode that gets on a list stays on the last.
    pub const TWO_LISTS: Policy = Policy {
        moves: false,
        ..Policy::QUEUE_AT_ONCE
    };

    /// Control: an inode that is still dirty after its pass is taken off the lists.
    pub const DROPS_DIRTY: Policy = Policy {
        requeue: false,
        ..Policy::QUEUE_AT_ONCE
    };

    /// Every variant under its name in module WbListsPolicies.
    pub const NAMED: [(&str, Policy); 14] = [
        ("Upstream", Policy::UPSTREAM),
        ("QueueAtOnce", Policy::QUEUE_AT_ONCE),
        ("SyncFirst", Policy::SYNC_FIRST),
        ("StampsTagged", Policy::STAMPS_TAGGED),
        ("ISyncFirst", Policy::I_SYNC_FIRST),
        ("NoFsyncRequeue", Policy::NO_FSYNC_REQUEUE),
        ("NoSyncQueued", Policy::NO_SYNC_QUEUED),
        ("SkipISyncOnSync", Policy::SKIP_I_SYNC_ON_SYNC),
        ("NoDirtiedWhenUpdate", Policy::NO_DIRTIED_WHEN_UPDATE),
        ("NoTaggedWritepages", Policy::NO_TAGGED_WRITEPAGES),
        ("NoSlice", Policy::NO_SLICE),
        ("NeverYields", Policy::NEVER_YIELDS),
        ("TwoLists", Policy::TWO_LISTS),
        ("DropsDirty", Policy::DROPS_DIRTY),
    ];
}
