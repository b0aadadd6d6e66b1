//! The rules of a flusher: its variant of the plug, and where tests put faults in.

use super::plug_policy::Policy;

/// The rules of a flusher.
pub trait Rules: Send + Sync + 'static {
    /// The variant.
    const POLICY: Policy;

    /// A completion wakes those who wait. Here, because tests put faults in by the rules; false is one.
    const COMPLETION_WAKES: bool = true;

    /// A sync waits for what is in the plug. Here for the same reason.
    const SYNC_SEES_PLUG: bool = true;
}

/// Linux of today: the plug is around the pass, and flushed before a preemption (590dca3a7187).
pub struct Today;

impl Rules for Today {
    const POLICY: Policy = Policy::FLUSH_BEFORE_RESCHED;
}

/// Before 4.3: a plug for each inode.
pub struct PerInode;

impl Rules for PerInode {
    const POLICY: Policy = Policy::PLUG_PER_INODE;
}
