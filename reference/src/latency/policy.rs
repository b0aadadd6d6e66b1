//! The variants of delayed allocation's writeback: `specs/latency/MpageLatencyPolicies.tla`.

/// Where the kernel has preemption points: constant `Preemption` of `specs/latency/MpageLatency.tla`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Preemption {
    /// `"none"`: at cond_resched.
    None,
    /// `"voluntary"`: there, and at might_sleep.
    Voluntary,
    /// `"full"`: behind each step.
    Full,
}

impl Preemption {
    /// Every one under its name in the specification.
    pub const NAMED: [(&str, Preemption); 3] = [
        ("none", Preemption::None),
        ("voluntary", Preemption::Voluntary),
        ("full", Preemption::Full),
    ];
}

/// Where the flusher calls cond_resched, besides in its caller's loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Points {
    /// `"collect"`: after a batch of pages that it collects.
    pub collect: bool,
    /// `"submit"`: after a batch that it submits.
    pub submit: bool,
    /// `"stop"`: after a handle that it has stopped.
    pub stop: bool,
}

/// What a handle is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Handle {
    /// `"all"`: all pages.
    All,
    /// `"extent"`: one extent, with one bio; before the first there is a pass without a handle.
    Extent,
}

/// When a handle is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stop {
    /// `"early"`: before the bio is sent.
    Early,
    /// `"late"`: after.
    Late,
}

/// A variant: a record of decisions, each as in module MpageLatencyPolicies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Where the flusher calls cond_resched.
    pub points: Points,
    /// What a handle is for.
    pub handle: Handle,
    /// The handle is synchronous: its stop waits for the commit.
    pub sync: bool,
    /// When a handle is stopped.
    pub stop: Stop,
}

const COLLECT: Points = Points {
    collect: true,
    submit: false,
    stop: false,
};

impl Policy {
    /// Linux 2.6.34.
    pub const NO_RESCHED: Policy = Policy {
        points: COLLECT,
        handle: Handle::All,
        sync: false,
        stop: Stop::Late,
    };

    /// Michal Schmidt's patch of 2010.
    pub const RESCHED_PER_PAGEVEC: Policy = Policy {
        points: Points {
            submit: true,
            ..COLLECT
        },
        ..Policy::NO_RESCHED
    };

    /// Control: no cond_resched in either loop.
    pub const NO_POINT: Policy = Policy {
        points: Points {
            collect: false,
            ..COLLECT
        },
        ..Policy::NO_RESCHED
    };

    /// Linux since 3.11 (4e7ea81db534); with pages that have blocks, since dddbd6ac8f25, which 4.9 has not.
    pub const PER_EXTENT: Policy = Policy {
        handle: Handle::Extent,
        stop: Stop::Early,
        ..Policy::NO_RESCHED
    };

    /// The same with a synchronous handle, which is stopped last.
    pub const SYNC_STOP_LATE: Policy = Policy {
        sync: true,
        stop: Stop::Late,
        ..Policy::PER_EXTENT
    };

    /// Control: it is stopped as any other.
    pub const SYNC_STOP_EARLY: Policy = Policy {
        sync: true,
        ..Policy::PER_EXTENT
    };

    /// Proposal: PER_EXTENT with the cond_resched of that patch.
    pub const PER_EXTENT_PAGEVEC: Policy = Policy {
        points: Points {
            submit: true,
            ..COLLECT
        },
        ..Policy::PER_EXTENT
    };

    /// Proposal: PER_EXTENT with a cond_resched between two handles, and no other.
    pub const BETWEEN_HANDLES: Policy = Policy {
        points: Points {
            collect: false,
            submit: false,
            stop: true,
        },
        ..Policy::PER_EXTENT
    };

    /// Every variant under its name in the specification.
    pub const NAMED: [(&str, Policy); 8] = [
        ("NoResched", Policy::NO_RESCHED),
        ("ReschedPerPagevec", Policy::RESCHED_PER_PAGEVEC),
        ("NoPoint", Policy::NO_POINT),
        ("PerExtent", Policy::PER_EXTENT),
        ("SyncStopLate", Policy::SYNC_STOP_LATE),
        ("SyncStopEarly", Policy::SYNC_STOP_EARLY),
        ("PerExtentPagevec", Policy::PER_EXTENT_PAGEVEC),
        ("BetweenHandles", Policy::BETWEEN_HANDLES),
    ];
}
