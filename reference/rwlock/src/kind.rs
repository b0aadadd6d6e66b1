//! What a task takes the lock for.

/// What a task takes the lock for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// For reading, beside others that read.
    Reader,
    /// For writing, beside nobody.
    Writer,
}
