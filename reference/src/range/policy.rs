//! The designs of a range lock on a tree: `specs/range/RangeTreePolicies.tla`.

/// Whom a waiter that gives up takes off its account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Leaves {
    /// `"later"`: those that came after it, by sequence number.
    Later,
    /// `"all"`: all waiters that conflict.
    All,
}

/// What a waiter waits for when the range that it has counted is narrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Keeps {
    /// `"parts"`: each of the parts that conflicts.
    Parts,
    /// `"range"`: as for one range, if a part conflicts.
    Range,
    /// `"all"`: no fewer than before.
    All,
    /// `"nothing"`: no part.
    Nothing,
}

/// A design: a record of decisions, each as in module RangeTreePolicies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Whom a waiter that gives up takes off its account.
    pub leaves: Leaves,
    /// What a waiter waits for when a range is narrowed.
    pub keeps: Keeps,
    /// So many may pass a waiter, if they conflict with no holder.
    pub passes: usize,
}

impl Policy {
    /// Kara 2013, Bueso 2017 to 2019: first come, first served among those that conflict.
    pub const TREE_FIFO: Policy = Policy {
        leaves: Leaves::Later,
        keeps: Keeps::Parts,
        passes: 0,
    };
    /// Control: the same without sequence numbers.
    pub const INTERRUPT_NO_SEQ: Policy = Policy {
        leaves: Leaves::All,
        ..Policy::TREE_FIFO
    };
    /// Control: a range that is narrowed goes on as one.
    pub const NARROW_COUNTS_ONE: Policy = Policy {
        keeps: Keeps::Range,
        ..Policy::TREE_FIFO
    };
    /// Control: a range that is narrowed wakes nobody.
    pub const NARROW_WAKES_NOBODY: Policy = Policy {
        keeps: Keeps::All,
        ..Policy::TREE_FIFO
    };
    /// Control: a range that is narrowed wakes all that wait for it.
    pub const NARROW_WAKES_ALL: Policy = Policy {
        keeps: Keeps::Nothing,
        ..Policy::TREE_FIFO
    };
    /// Proposal: one that conflicts with waiters alone may go before each of them.
    pub const PASS_ONE: Policy = Policy {
        passes: 1,
        ..Policy::TREE_FIFO
    };
    /// Proposal: two may.
    pub const PASS_TWO: Policy = Policy {
        passes: 2,
        ..Policy::TREE_FIFO
    };

    /// Every one under its name in the specification.
    pub const NAMED: [(&str, Policy); 7] = [
        ("TreeFifo", Policy::TREE_FIFO),
        ("InterruptNoSeq", Policy::INTERRUPT_NO_SEQ),
        ("NarrowCountsOne", Policy::NARROW_COUNTS_ONE),
        ("NarrowWakesNobody", Policy::NARROW_WAKES_NOBODY),
        ("NarrowWakesAll", Policy::NARROW_WAKES_ALL),
        ("PassOne", Policy::PASS_ONE),
        ("PassTwo", Policy::PASS_TWO),
    ];
}
