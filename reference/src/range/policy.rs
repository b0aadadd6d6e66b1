//! The designs of a range lock on a tree: `specs/range/RangeTreePolicies.tla`.

/// Whom a waiter that gives up takes off its account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Leaves {
    /// `"later"`: those that came after it, by sequence number.
    Later,
    /// `"all"`: all waiters that conflict.
    All,
}

/// A design: a record of decisions, each as in module RangeTreePolicies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Whom a waiter that gives up takes off its account.
    pub leaves: Leaves,
    /// So many may pass a waiter, if they conflict with no holder.
    pub passes: usize,
}

impl Policy {
    /// Kara 2013, Bueso 2017 to 2019: first come, first served among those that conflict.
    pub const TREE_FIFO: Policy = Policy {
        leaves: Leaves::Later,
        passes: 0,
    };
    /// Control: the same without sequence numbers.
    pub const INTERRUPT_NO_SEQ: Policy = Policy {
        leaves: Leaves::All,
        passes: 0,
    };
    /// Proposal: one that conflicts with waiters alone may go before each of them.
    pub const PASS_ONE: Policy = Policy {
        leaves: Leaves::Later,
        passes: 1,
    };
    /// Proposal: two may.
    pub const PASS_TWO: Policy = Policy {
        leaves: Leaves::Later,
        passes: 2,
    };

    /// Every one under its name in the specification.
    pub const NAMED: [(&str, Policy); 4] = [
        ("TreeFifo", Policy::TREE_FIFO),
        ("InterruptNoSeq", Policy::INTERRUPT_NO_SEQ),
        ("PassOne", Policy::PASS_ONE),
        ("PassTwo", Policy::PASS_TWO),
    ];
}
