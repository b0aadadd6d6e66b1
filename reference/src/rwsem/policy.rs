//! The designs of a reader/writer semaphore: `specs/rwsem/RwsemPolicies.tla`.

/// Who may, on arrival, take a compatible lock although others wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Barge {
    /// `"nobody"`.
    Nobody,
    /// `"readers"`: pre-1997 IRIX, a reader enters whenever no writer is inside.
    Readers,
    /// `"mrlock"`: a writer always, a reader unless a writer waits.
    Mrlock,
    /// `"free-readers"`: since Linux 5.11, a reader takes a lock that nobody holds.
    FreeReaders,
}

/// Where in the queue a task goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// `"tail"`.
    Tail,
    /// `"join-readers"`: a reader goes behind the last waiting reader.
    JoinReaders,
    /// `"join-writers-if-read-held"`: as [`Place::JoinReaders`]; a writer joins the writers at the front of a lock held for reading.
    JoinWritersIfReadHeld,
    /// `"join-writers-if-write-held"`: the same of a lock held for writing.
    JoinWritersIfWriteHeld,
    /// `"head-if-reader"`: a reader goes to the head if a reader is there.
    HeadIfReader,
}

/// When a task goes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Enqueue {
    /// `"barred"`: if it cannot take the lock.
    Barred,
    /// `"first"`: a writer whether or not it can take the lock, and then it tries.
    First,
}

/// Who gets the lock, or is woken to try for itself, from a task that wakes the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wake {
    /// `"front-batch"`: the lock goes to the readers at the front, or to the writer there.
    FrontBatch,
    /// `"readers-first"`: it goes to every reader, or else to the first writer.
    ReadersFirst,
    /// `"front-readers"`: it goes to the readers at the front; a writer there is woken.
    FrontReaders,
    /// `"all-readers"`: behind a reader at the head it goes to every reader; a writer there is woken.
    AllReaders,
    /// `"everybody"`: behind a reader at the head it goes to every waiter, writers too.
    Everybody,
    /// `"mrlock"`: all writers are woken, or else all readers.
    Mrlock,
}

/// Which waiters, once they run, try to take the lock by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Take {
    /// `"never"`.
    Never,
    /// `"writers-anywhere"`: a writer, wherever it stands in the queue.
    WritersAnywhere,
    /// `"writers-first"`: a writer at the head.
    WritersFirst,
    /// `"everybody"`.
    Everybody,
}

/// A design: a record of decisions, each as in module RwsemPolicies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Readers share the lock.
    pub shared: bool,
    /// Who may enter past the queue.
    pub barge: Barge,
    /// Readers spin before they queue, and then steal.
    pub spin_readers: bool,
    /// Writers do.
    pub spin_writers: bool,
    /// Where in the queue a task goes.
    pub place: Place,
    /// When it goes there.
    pub enqueue: Enqueue,
    /// Who gets the lock, or is woken, after a release.
    pub wake: Wake,
    /// Which waiters try for themselves once they run.
    pub take: Take,
    /// The first waiter, when its time is up, may demand the lock.
    pub handoff: bool,
    /// The wake-up may be skipped while somebody spins.
    pub skip: bool,
}

impl Policy {
    /// IRIX MRLOCK_BARRIER: the six rules of the thread.
    pub const BATCH_QUEUE: Policy = Policy {
        shared: true,
        barge: Barge::Nobody,
        spin_readers: false,
        spin_writers: false,
        place: Place::JoinReaders,
        enqueue: Enqueue::Barred,
        wake: Wake::FrontBatch,
        take: Take::Never,
        handoff: false,
        skip: false,
    };

    /// Rule 6 left out: everybody at the tail.
    pub const STRICT_FIFO: Policy = Policy {
        place: Place::Tail,
        ..Policy::BATCH_QUEUE
    };

    /// Rule 3 without its guard "no pending reads".
    pub const RULE3_NO_GUARD: Policy = Policy {
        place: Place::JoinWritersIfReadHeld,
        ..Policy::BATCH_QUEUE
    };

    /// Rule 5 ignored: the running batch of writers takes in new ones.
    pub const RULE5_IGNORED: Policy = Policy {
        place: Place::JoinWritersIfWriteHeld,
        ..Policy::BATCH_QUEUE
    };

    /// IRIX before 1997, as its cure says: readers enter past waiting writers.
    pub const READER_PREF: Policy = Policy {
        barge: Barge::Readers,
        wake: Wake::ReadersFirst,
        ..Policy::BATCH_QUEUE
    };

    /// One holder at a time, as with i_mutex.
    pub const MUTEX: Policy = Policy {
        shared: false,
        ..Policy::STRICT_FIFO
    };

    /// XFS on Linux, mrlock.c of 2003.
    pub const LINUX_MRLOCK2003: Policy = Policy {
        barge: Barge::Mrlock,
        place: Place::Tail,
        wake: Wake::Mrlock,
        take: Take::Everybody,
        ..Policy::BATCH_QUEUE
    };

    /// Linux 4.10 to 5.2, rwsem-xadd.c.
    pub const XADD420: Policy = Policy {
        shared: true,
        barge: Barge::Nobody,
        spin_readers: false,
        spin_writers: true,
        place: Place::Tail,
        enqueue: Enqueue::Barred,
        wake: Wake::FrontReaders,
        take: Take::WritersAnywhere,
        handoff: false,
        skip: true,
    };

    /// The same without any steal.
    pub const XADD420_NO_STEAL: Policy = Policy {
        spin_writers: false,
        take: Take::WritersFirst,
        ..Policy::XADD420
    };

    /// Wilcox's change, before he corrected it: no test for a writer in the grant loop.
    pub const WILCOX_V0: Policy = Policy {
        wake: Wake::Everybody,
        ..Policy::XADD420
    };

    /// Wilcox's second: the grant loop skips writers.
    pub const WILCOX_V1: Policy = Policy {
        wake: Wake::AllReaders,
        ..Policy::XADD420
    };

    /// Wilcox's third: a new reader goes to the head if a reader is there.
    pub const WILCOX_V2: Policy = Policy {
        place: Place::HeadIfReader,
        ..Policy::XADD420
    };

    /// Linux 5.3 to 5.10: readers spin too, a waiter may demand a hand-off.
    pub const READER_SPIN53: Policy = Policy {
        spin_readers: true,
        enqueue: Enqueue::First,
        wake: Wake::AllReaders,
        handoff: true,
        skip: false,
        ..Policy::XADD420
    };

    /// Linux 5.16 and later, 5.15.6 and later of 5.15, and 5.11 to 5.15 of mainline but for the moment at which a writer demands the lock:
    /// readers steal only a lock that nobody holds.
    pub const HANDOFF511: Policy = Policy {
        spin_readers: false,
        barge: Barge::FreeReaders,
        ..Policy::READER_SPIN53
    };

    /// Never released: the hand-off, with the wake-up skipped for a spinner.
    pub const HANDOFF_WAKE_SKIP: Policy = Policy {
        skip: true,
        ..Policy::HANDOFF511
    };

    /// Every design under its name in module RwsemPolicies.
    pub const NAMED: [(&str, Policy); 15] = [
        ("BatchQueue", Policy::BATCH_QUEUE),
        ("StrictFifo", Policy::STRICT_FIFO),
        ("Rule3NoGuard", Policy::RULE3_NO_GUARD),
        ("Rule5Ignored", Policy::RULE5_IGNORED),
        ("ReaderPref", Policy::READER_PREF),
        ("Mutex", Policy::MUTEX),
        ("LinuxMrlock2003", Policy::LINUX_MRLOCK2003),
        ("Xadd420", Policy::XADD420),
        ("Xadd420NoSteal", Policy::XADD420_NO_STEAL),
        ("WilcoxV0", Policy::WILCOX_V0),
        ("WilcoxV1", Policy::WILCOX_V1),
        ("WilcoxV2", Policy::WILCOX_V2),
        ("ReaderSpin53", Policy::READER_SPIN53),
        ("Handoff511", Policy::HANDOFF511),
        ("HandoffWakeSkip", Policy::HANDOFF_WAKE_SKIP),
    ];
}
