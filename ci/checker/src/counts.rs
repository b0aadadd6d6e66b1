//! What TLC counts beside states.

/// What TLC counts beside states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counts {
    /// Nothing.
    Nothing,
    /// How often each action fires.
    Actions,
    /// And how often each formula is evaluated, for each way that leads to it: of a large model that takes many times as long, and
    /// hundreds of MiB.
    Formulas,
}
