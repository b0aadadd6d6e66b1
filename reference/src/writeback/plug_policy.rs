//! The variants of the flusher's plug: `specs/writeback/WbPlugPolicies.tla`.

/// Where the plug begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Plug {
    /// `"inode"`: for each inode's I/O.
    Inode,
    /// `"loop"`: in writeback_sb_inodes, under wb->list_lock.
    Loop,
    /// `"outside"`: before the lock.
    Outside,
}

/// wb->list_lock, when the plug ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finish {
    /// `"locked"`: held.
    Locked,
    /// `"dropped"`.
    Dropped,
    /// `"never"`: the plug does not end.
    Never,
}

/// What becomes of the plug of a task that leaves its processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Leave {
    /// `"stays"`: it stays as it is.
    Stays,
    /// `"flushes"`: what is in it goes to the device first.
    Flushes,
}

/// Where the next inode is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Next {
    /// `"list"`: looked up on b_io with the lock taken again.
    List,
    /// `"cached"`: kept from before the lock was dropped.
    Cached,
}

/// A variant: a record of decisions, each as in module WbPlugPolicies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Where the plug begins.
    pub plug: Plug,
    /// The lock, when it ends.
    pub finish: Finish,
    /// Before a preemption.
    pub resched: Leave,
    /// In the scheduler, before the task sleeps.
    pub sleep: Leave,
    /// Where the next inode is from.
    pub next: Next,
}

impl Policy {
    /// Before 4.3: a plug in the ->writepages of each inode.
    pub const PLUG_PER_INODE: Policy = Policy {
        plug: Plug::Inode,
        finish: Finish::Dropped,
        resched: Leave::Stays,
        sleep: Leave::Flushes,
        next: Next::List,
    };

    /// d353d7587d02, merged and reverted before 4.3-rc1.
    pub const FINISH_UNDER_LOCK: Policy = Policy {
        plug: Plug::Loop,
        finish: Finish::Locked,
        ..Policy::PLUG_PER_INODE
    };

    /// The first repair: the lock is dropped for it.
    pub const DROP_RETAKE: Policy = Policy {
        plug: Plug::Loop,
        ..Policy::PLUG_PER_INODE
    };

    /// The second (0ba13fd19d39, 505a666ee3fc): around the whole pass.
    pub const PLUG_OUTSIDE: Policy = Policy {
        plug: Plug::Outside,
        ..Policy::PLUG_PER_INODE
    };

    /// The third, of today (590dca3a7187).
    pub const FLUSH_BEFORE_RESCHED: Policy = Policy {
        resched: Leave::Flushes,
        ..Policy::PLUG_OUTSIDE
    };

    /// Control: DROP_RETAKE with the next inode kept across the drop of the lock.
    pub const CACHES_NEXT: Policy = Policy {
        next: Next::Cached,
        ..Policy::DROP_RETAKE
    };

    /// Control: the scheduler forgets the plug of a task that sleeps.
    pub const SLEEP_KEEPS_PLUG: Policy = Policy {
        sleep: Leave::Stays,
        ..Policy::FLUSH_BEFORE_RESCHED
    };

    /// Control: nobody finishes it.
    pub const NEVER_FINISHED: Policy = Policy {
        finish: Finish::Never,
        ..Policy::FLUSH_BEFORE_RESCHED
    };

    /// Every variant under its name in module WbPlugPolicies.
    pub const NAMED: [(&str, Policy); 8] = [
        ("PlugPerInode", Policy::PLUG_PER_INODE),
        ("FinishUnderLock", Policy::FINISH_UNDER_LOCK),
        ("DropRetake", Policy::DROP_RETAKE),
        ("PlugOutside", Policy::PLUG_OUTSIDE),
        ("FlushBeforeResched", Policy::FLUSH_BEFORE_RESCHED),
        ("CachesNext", Policy::CACHES_NEXT),
        ("SleepKeepsPlug", Policy::SLEEP_KEEPS_PLUG),
        ("NeverFinished", Policy::NEVER_FINISHED),
    ];
}
