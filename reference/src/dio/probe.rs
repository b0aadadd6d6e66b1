//! The hook through which tests and traces see each atomic step of the requests.

use super::machine::{Action, Call, Request};
pub use crate::rwsem::probe::NoProbe;

/// The two that act for a request: `Proceed` and `Ends` of `UnalignedDio.tla`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The thread that has made the call, up to `Unlock`.
    Caller,
    /// Whoever ends its I/O: `EndIo` and `DioEnd`.
    Io,
}

/// Sees the steps of a file's requests, in the thread that takes them. The steps, in the order in which `step` is called, are a
/// path of the machine whose calls are those that `called` told, in order. Two things are no steps of the specification's: a
/// `LockFails` while i_rwsem is free in the machine, because another waits for it or has not quite left it; and the return after
/// the device has failed in `Fill`, `Flush` or `Free`, which then is not taken.
pub trait Probe: Send + Sync + 'static {
    /// A request is about to take its next step, and holds nothing but i_rwsem. May wait.
    fn about(&self, _request: Request, _side: Side) {}

    /// A request is made; its first step follows.
    fn called(&self, _request: Request, _call: &Call) {}

    /// A request has taken a step. Must not wait, nor call the file.
    fn step(&self, action: Action);
}

impl Probe for NoProbe {
    #[inline]
    fn step(&self, _: Action) {}
}
