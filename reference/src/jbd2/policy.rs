//! The variants of the journal: `specs/jbd2/Jbd2CreditsPolicies.tla`.

/// How a conversion starts its handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// `"reserved"`: with the credits of its reservation; it joins a transaction that is LOCKED too.
    Reserved,
    /// `"ordinary"`: as every other handle.
    Ordinary,
    /// `"not-locked"`: reserved, and it waits where a transaction is LOCKED.
    NotLocked,
    /// `"even-switch"`: reserved, and it joins even in SWITCH.
    EvenSwitch,
}

/// What test 3 asks of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// `"max"`: the blocks of the largest transaction.
    Max,
    /// `"needed"`: what the handle needs.
    Needed,
}

/// Who tries again when reserved credits are given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wake {
    /// `"all"`: all who wait for some look whether their own fit.
    All,
    /// `"hand-over"`: those for whom there are credits now, which are theirs.
    HandOver,
    /// `"unseen"`: control; all, at any time, whether their credits fit or not.
    Unseen,
}

/// Where credits are counted that are handed over, before their owner has joined a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Granted {
    /// `"apart"`: in a number of their own.
    Apart,
    /// `"reserved"`: in j_reserved_credits, which a commit takes off.
    Reserved,
}

/// What becomes of j_checkpoint_mutex while a commit is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mutex {
    /// `"dropped"`.
    Dropped,
    /// `"held"`.
    Held,
}

/// What an extension of a handle asks of the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extend {
    /// `"tested"`: that it is RUNNING and has room.
    Tested,
    /// `"untested"`: nothing.
    Untested,
}

/// What a handle that restarts does first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Restart {
    /// `"stops"`: it leaves its transaction.
    Stops,
    /// `"keeps"`: it does not.
    Keeps,
}

/// Where ext4_writepages waits for a page's last writeback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wait {
    /// `"in-handle"`.
    InHandle,
    /// `"before"`: before it starts its handle.
    Before,
}

/// Whether a commit waits for the data of the pages that it maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Data {
    /// `"unordered"`: it does not.
    Unordered,
    /// `"ordered"`: it does.
    Ordered,
}

/// How far a commit may move the log's tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tail {
    /// `"oldest"`: to the oldest transaction that is not checkpointed.
    Oldest,
    /// `"newest"`: past all of them.
    Newest,
}

/// A variant: a record of decisions, each as in module Jbd2CreditsPolicies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Which of the four tests a handle's start makes: the first at place 0.
    pub tests: [bool; 4],
    /// How a conversion starts its handle.
    pub conversion: Conversion,
    /// What test 3 asks of the log.
    pub space: Space,
    /// The largest handle leaves room for the overhead.
    pub usermax: bool,
    /// An unused reservation is taken off the transaction too.
    pub unreserve: bool,
    /// Who tries again when reserved credits are given back.
    pub wake: Wake,
    /// Where credits are counted that are handed over.
    pub granted: Granted,
    /// What becomes of j_checkpoint_mutex while a commit is waited for.
    pub mutex: Mutex,
    /// The journal aborts where no space can ever come.
    pub abort: bool,
    /// What an extension of a handle asks of the transaction.
    pub extend: Extend,
    /// What a handle that restarts does first.
    pub restart: Restart,
    /// A handle that stops leaves the credits that it has used.
    pub stop: bool,
    /// Where ext4_writepages waits for a page's last writeback.
    pub wait: Wait,
    /// Whether a commit waits for the data of the pages that it maps.
    pub data: Data,
    /// How far a commit may move the log's tail.
    pub tail: Tail,
}

impl Policy {
    /// Linux 6.11 and later.
    pub const UPSTREAM: Policy = Policy {
        tests: [true; 4],
        conversion: Conversion::Reserved,
        space: Space::Max,
        usermax: true,
        unreserve: true,
        mutex: Mutex::Dropped,
        abort: true,
        extend: Extend::Tested,
        restart: Restart::Stops,
        stop: true,
        wait: Wait::InHandle,
        data: Data::Unordered,
        wake: Wake::All,
        granted: Granted::Apart,
        tail: Tail::Oldest,
    };

    /// The cure: reserved credits that are given back are handed over.
    pub const HAND_OVER: Policy = Policy {
        wake: Wake::HandOver,
        ..Policy::UPSTREAM
    };

    /// Control: who waits for reserved credits tries again without a look.
    pub const TRIES_UNSEEN: Policy = Policy {
        wake: Wake::Unseen,
        ..Policy::UPSTREAM
    };

    /// Control: they are counted in j_reserved_credits as soon as they are.
    pub const GRANTED_IS_RESERVED: Policy = Policy {
        granted: Granted::Reserved,
        ..Policy::HAND_OVER
    };

    /// data=ordered, as for blocks that are allocated written.
    pub const ORDERED: Policy = Policy {
        data: Data::Ordered,
        ..Policy::UPSTREAM
    };

    /// Control: a conversion starts an ordinary handle, as before 3.11 (8f7d89f36829), and ends the page's writeback, as since.
    /// Before, it ended earlier.
    pub const NO_RESERVE: Policy = Policy {
        conversion: Conversion::Ordinary,
        ..Policy::UPSTREAM
    };

    /// Control: the same, where the wait for writeback is over before the handle.
    pub const NO_RESERVE_WAIT_BEFORE: Policy = Policy {
        wait: Wait::Before,
        ..Policy::NO_RESERVE
    };

    /// Control: and with a commit that waits for it instead.
    pub const NO_RESERVE_ORDERED: Policy = Policy {
        data: Data::Ordered,
        ..Policy::NO_RESERVE_WAIT_BEFORE
    };

    /// Control: a reserved handle waits where a transaction is LOCKED.
    pub const RESERVED_CANNOT_JOIN_LOCKED: Policy = Policy {
        conversion: Conversion::NotLocked,
        ..Policy::UPSTREAM
    };

    /// Control: a reserved handle joins even while the transaction is switched.
    pub const RESERVED_JOINS_SWITCH: Policy = Policy {
        conversion: Conversion::EvenSwitch,
        ..Policy::UPSTREAM
    };

    /// Before 53cf97845732, of January 2019.
    pub const CKPT_HOLDS_MUTEX: Policy = Policy {
        mutex: Mutex::Held,
        ..Policy::UPSTREAM
    };

    /// Before 5.8 (14ff6286309e).
    pub const UNRESERVE_LEAK: Policy = Policy {
        unreserve: false,
        ..Policy::UPSTREAM
    };

    /// Before 6.11 (27ba5b67312a).
    pub const USER_MAX_IGNORES_OVERHEAD: Policy = Policy {
        usermax: false,
        ..Policy::UPSTREAM
    };

    /// Control: test 3 asks for what the handle needs.
    pub const NEEDED_INSTEAD_OF_MAX: Policy = Policy {
        space: Space::Needed,
        ..Policy::UPSTREAM
    };

    /// Control: the same with ordinary handles, so that a conversion finds the journal aborted.
    pub const NO_RESERVE_NEEDED: Policy = Policy {
        space: Space::Needed,
        ..Policy::NO_RESERVE
    };

    /// Control: test 2 left out.
    pub const NO_TEST2: Policy = Policy {
        tests: [true, false, true, true],
        ..Policy::UPSTREAM
    };

    /// Control: test 4 left out.
    pub const NO_TEST4: Policy = Policy {
        tests: [true, true, true, false],
        ..Policy::UPSTREAM
    };

    /// Control: an extension takes what it asks for.
    pub const EXTEND_UNTESTED: Policy = Policy {
        extend: Extend::Untested,
        ..Policy::UPSTREAM
    };

    /// Control: a handle restarts in the transaction that it has not left.
    pub const RESTART_KEEPS: Policy = Policy {
        restart: Restart::Keeps,
        ..Policy::UPSTREAM
    };

    /// Control: a handle that stops gives back all of its credits.
    pub const STOP_GIVES_ALL_BACK: Policy = Policy {
        stop: false,
        ..Policy::UPSTREAM
    };

    /// Control: the tail moves past a transaction that is not checkpointed.
    pub const TAIL_PAST_CHECKPOINT: Policy = Policy {
        tail: Tail::Newest,
        ..Policy::UPSTREAM
    };

    /// Control: without the abort.
    pub const NO_ABORT: Policy = Policy {
        abort: false,
        ..Policy::UPSTREAM
    };

    /// Every variant under its name in module Jbd2CreditsPolicies.
    pub const NAMED: [(&str, Policy); 22] = [
        ("Upstream", Policy::UPSTREAM),
        ("HandOver", Policy::HAND_OVER),
        ("GrantedIsReserved", Policy::GRANTED_IS_RESERVED),
        ("TriesUnseen", Policy::TRIES_UNSEEN),
        ("Ordered", Policy::ORDERED),
        ("NoReserve", Policy::NO_RESERVE),
        ("NoReserveWaitBefore", Policy::NO_RESERVE_WAIT_BEFORE),
        ("NoReserveOrdered", Policy::NO_RESERVE_ORDERED),
        (
            "ReservedCannotJoinLocked",
            Policy::RESERVED_CANNOT_JOIN_LOCKED,
        ),
        ("ReservedJoinsSwitch", Policy::RESERVED_JOINS_SWITCH),
        ("CkptHoldsMutex", Policy::CKPT_HOLDS_MUTEX),
        ("UnreserveLeak", Policy::UNRESERVE_LEAK),
        ("UserMaxIgnoresOverhead", Policy::USER_MAX_IGNORES_OVERHEAD),
        ("NeededInsteadOfMax", Policy::NEEDED_INSTEAD_OF_MAX),
        ("NoReserveNeeded", Policy::NO_RESERVE_NEEDED),
        ("NoTest2", Policy::NO_TEST2),
        ("NoTest4", Policy::NO_TEST4),
        ("ExtendUntested", Policy::EXTEND_UNTESTED),
        ("RestartKeeps", Policy::RESTART_KEEPS),
        ("StopGivesAllBack", Policy::STOP_GIVES_ALL_BACK),
        ("TailPastCheckpoint", Policy::TAIL_PAST_CHECKPOINT),
        ("NoAbort", Policy::NO_ABORT),
    ];
}
