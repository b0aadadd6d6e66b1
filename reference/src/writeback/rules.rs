//! The rules that a flusher follows, its variant of the plug among them, as a type, so that tests can put faulty ones in.

use super::plug_policy::Policy;

/// The rules of a flusher.
pub trait Rules: Send + Sync + 'static {
    /// The variant.
    const POLICY: Policy;

    /// Whether everything up to this write is on the device, or has failed: what a sync waits for.
    fn is_written(unwritten: &Unwritten, write: u64) -> bool {
        let Unwritten {
            dirty,
            io,
            picked,
            plug,
            flying,
        } = *unwritten;
        let mut oldest = [dirty, io, picked, plug, flying].into_iter().flatten();
        oldest.all(|since| since > write)
    }

    /// A request has completed, after which those who wait look again.
    fn completed(wake: impl FnOnce()) {
        wake();
    }
}

/// The oldest write that is not on the device yet, of each place that a page is at on its way there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unwritten {
    /// b_dirty.
    pub dirty: Option<u64>,
    /// b_io.
    pub io: Option<u64>,
    /// The flusher's hands.
    pub picked: Option<u64>,
    /// The plug.
    pub plug: Option<u64>,
    /// The device.
    pub flying: Option<u64>,
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
