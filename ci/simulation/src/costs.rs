//! What things cost on the machine that is simulated: the only numbers of the scenario that are not the journal's.

/// Nanoseconds of virtual time.
pub type Nanos = u64;

/// What a processor and a disk take. Two are fitted, to one measured point each; the rest are known of the kernel, measured alone,
/// or assumed, as is said of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    /// Processors: those of the measurement.
    pub processors: usize,
    /// How long a task may run while others wait: base_slice_ns of Linux 6.18, 0.7 ms x (1 + log2 of 2 processors). Of what it ran
    /// more than others, or less, it keeps two slices at most while it sleeps (update_entity_lag).
    pub slice: Nanos,
    /// A switch to another task. With `wake` and `attempt` it is what a byte through a pipe to a task on the same processor takes
    /// on the machine of the measurement: 3 us.
    pub switch: Nanos,
    /// To wake one task up, for who wakes it: try_to_wake_up. See `switch`.
    pub wake: Nanos,
    /// A look at the journal that decides something: start_this_handle, a wait that is over, the next one. See `switch`.
    pub attempt: Nanos,
    /// A write outside its handle: write(), fsync(), pages and bio. Fitted to 2048 threads, 128 MiB, dioread_lock: 16.8k a second,
    /// the middle of what was measured.
    pub write: Nanos,
    /// In the handle of a write: blocks are allocated. Assumed.
    pub handle: Nanos,
    /// A conversion in its handle. Fitted to 2048 threads, 1 GiB, dioread_nolock: 9.5k a second, the middle of what was measured.
    pub convert: Nanos,
    /// The processor's part of a block in a commit: copied, with a checksum. Assumed.
    pub commit_block: Nanos,
    /// The latency of 16 KiB of data. Assumed.
    pub data: Nanos,
    /// So many of them at once: a queue's depth. Assumed.
    pub depth: usize,
    /// A block to the log, in sequence: 400 MB a second. Assumed.
    pub log_block: Nanos,
    /// A flush of the disk's cache; a commit makes two. Assumed.
    pub flush: Nanos,
    /// A block in a checkpoint: 20 us for one that is written (200 MB a second, anywhere), but most are in a newer transaction too
    /// and are not. Assumed: one of 20 is written.
    pub checkpoint_block: Nanos,
}

impl Costs {
    /// The machine of the measurement.
    pub const MEASURED: Costs = Costs {
        processors: 2,
        slice: 1_400_000,
        switch: 1_700,
        wake: 800,
        attempt: 500,
        write: 42_000,
        handle: 20_000,
        convert: 88_000,
        commit_block: 2_000,
        data: 100_000,
        depth: 64,
        log_block: 10_000,
        flush: 500_000,
        checkpoint_block: 1_000,
    };
}
