//! I/Os in flight, and the threads that do them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::machine::{Bio, Request};
use crate::sys::{Monitor, StdSys, System};

/// What becomes of an I/O.
pub(super) enum Fate {
    /// The device is to do it.
    Performed,
    /// It is lost.
    Failed,
}

/// An I/O that a request has submitted. One that is dropped has failed.
pub struct Io {
    request: Request,
    bio: Bio,
    work: Option<Box<dyn FnOnce(Fate) + Send>>,
}

impl Io {
    pub(super) fn new(
        request: Request,
        bio: Bio,
        work: impl FnOnce(Fate) + Send + 'static,
    ) -> Self {
        Io {
            request,
            bio,
            work: Some(Box::new(work)),
        }
    }

    /// Whose I/O it is.
    pub fn request(&self) -> Request {
        self.request
    }

    /// Which of the request's I/Os it is.
    pub fn bio(&self) -> Bio {
        self.bio
    }

    /// Has the device do it; the last I/O of an asynchronous request goes on to the request's `EndIo` and `DioEnd`. An error or
    /// a panic of the device is the request's `EIO`.
    pub fn perform(mut self) {
        if let Some(work) = self.work.take() {
            work(Fate::Performed);
        }
    }

    /// Fails it without asking the device, which has changed nothing.
    pub fn fail(self) {}
}

impl Drop for Io {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            work(Fate::Failed);
        }
    }
}

/// Where a file submits its I/Os. Whoever has one performs it, at any time and in any order.
pub trait Queue: Send + Sync {
    /// Takes an I/O, and does not wait for it.
    fn submit(&self, io: Io);
}

/// Threads that perform I/Os, each one at a time, the oldest first.
pub struct Workers<S: System = StdSys> {
    backlog: Arc<S::Monitor<Backlog>>,
    threads: Vec<S::Thread>,
}

struct Backlog {
    ios: VecDeque<Io>,
    closed: bool,
}

impl Workers {
    /// So many threads of the standard library's.
    pub fn new(threads: usize) -> Self {
        Workers::on(threads)
    }
}

impl<S: System> Workers<S> {
    /// So many threads of this system's. At least one is needed for an I/O ever to end.
    pub fn on(threads: usize) -> Self {
        let backlog = Backlog {
            ios: VecDeque::new(),
            closed: false,
        };
        let backlog = Arc::new(S::Monitor::new(backlog));
        let work = || {
            let backlog = backlog.clone();
            move || work::<S>(&backlog)
        };
        let threads = (0..threads).map(|_| S::spawn(work())).collect();
        Workers { backlog, threads }
    }
}

fn work<S: System>(backlog: &S::Monitor<Backlog>) {
    let next = |backlog: &mut Backlog| match backlog.ios.pop_front() {
        Some(io) => Some(Some(io)),
        None => backlog.closed.then_some(None),
    };
    while let Some(io) = backlog.wait(next) {
        io.perform();
    }
}

impl<S: System> Queue for Workers<S> {
    fn submit(&self, io: Io) {
        self.backlog.with(|backlog| backlog.ios.push_back(io));
        self.backlog.notify();
    }
}

/// Performs what is in flight before it returns.
impl<S: System> Drop for Workers<S> {
    fn drop(&mut self) {
        self.backlog.with(|backlog| backlog.closed = true);
        self.backlog.notify();
        self.threads.drain(..).for_each(S::join);
    }
}
