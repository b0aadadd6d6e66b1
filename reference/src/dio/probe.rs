//! The hook through which tests and traces see each atomic step of the requests.

use super::machine::{Action, Bio, Call, Extent, Mode, Request};
pub use interlock_rwlock::probe::NoProbe;

/// The two that act for a request: `Proceed` and `Ends` of `UnalignedDio.tla`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The thread that has made the call, up to `Unlock`.
    Caller,
    /// Whoever ends its I/O: `EndIo` and `DioEnd`.
    Io,
}

/// What a step has seen of the state right after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen<'a> {
    /// Nothing that others could not have changed meanwhile.
    Nothing,
    /// How its request holds i_rwsem.
    Held(Mode),
    /// What the requests share.
    File {
        /// Each block's state.
        extent: &'a [Extent],
        /// i_size, in sectors.
        size: u32,
        /// i_dio_count.
        dio: u32,
    },
}

/// Sees the steps of a file's requests, in the thread that takes them. The steps, in the order in which `step` is called, are a
/// path of the machine whose calls are those that `called` told, in order. Two things are no steps of the specification's: a
/// `LockFails` while i_rwsem is free in the machine, because another waits for it or has not quite left it; and the return after
/// the device has failed in `Begin`, `Fill`, `Flush` or `Free`, which then is not taken.
pub trait Probe: Send + Sync + 'static {
    /// A request is about to take its next step, and holds nothing but i_rwsem. May wait.
    fn about(&self, _request: Request, _side: Side) {}

    /// An I/O of a request is about to be performed, or to be lost.
    fn performs(&self, _request: Request, _bio: Bio) {}

    /// A request is made; its first step follows.
    fn called(&self, _request: Request, _call: &Call) {}

    /// A request has taken a step. Must not wait, nor call the file.
    fn step(&self, action: Action, seen: Seen);
}

impl Probe for NoProbe {
    #[inline]
    fn step(&self, _: Action, _: Seen) {}
}
