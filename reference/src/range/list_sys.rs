//! What a range lock that is a list needs from the system beside a mutex and futexes: links, and the reclamation of nodes.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering, fence};

use super::sys::{StdSys, Sys};

/// The system that a list of ranges runs on.
pub trait ListSys: Sys + 'static {
    /// What leads from a node to the next.
    type Link<T>: Link<T> + Send + Sync;
    /// What keeps nodes.
    type Pin: Pin;

    /// Of two threads that change something, call this, and look at what the other changes, one at least sees it.
    fn fence();
}

/// An atomic pointer to a node, with a mark: the lowest bit of its address.
pub trait Link<T> {
    /// A link to nothing, without the mark.
    fn new() -> Self;

    /// The pointer with its mark. What was done before it was put there is seen.
    fn load(&self) -> *mut T;

    /// Leads there. Of a node that no other thread has.
    fn store(&self, to: *mut T);

    /// Leads there, if it has led here and has no mark.
    ///
    /// # Errors
    /// The pointer with its mark as it is, if it is another one.
    fn replace(&self, from: *mut T, to: *mut T) -> Result<(), *mut T>;

    /// Sets the mark: who finds it sees what was done before.
    fn mark(&self);
}

/// While one is there, no node is freed that could be reached when it came to be.
pub trait Pin {
    /// Keeps what can be reached from now on.
    fn pin() -> Self;

    /// The node.
    ///
    /// # Safety
    /// It could be reached at some time since [`Pin::pin`].
    unsafe fn node<T>(&self, node: *const T) -> &T;

    /// Gives up a node that can no longer be reached: it is freed when all pins that could have reached it are gone.
    fn retire<T: Send + Sync + 'static>(&self, unlinked: Arc<T>);
}

impl ListSys for StdSys {
    type Link<T> = AtomicPtr<T>;
    type Pin = crossbeam_epoch::Guard;

    fn fence() {
        fence(Ordering::SeqCst);
    }
}

impl<T> Link<T> for AtomicPtr<T> {
    fn new() -> Self {
        AtomicPtr::default()
    }

    fn load(&self) -> *mut T {
        AtomicPtr::load(self, Ordering::Acquire)
    }

    fn store(&self, to: *mut T) {
        AtomicPtr::store(self, to, Ordering::Relaxed);
    }

    fn replace(&self, from: *mut T, to: *mut T) -> Result<(), *mut T> {
        self.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
            .map(drop)
    }

    fn mark(&self) {
        self.fetch_or(1, Ordering::Release);
    }
}

impl Pin for crossbeam_epoch::Guard {
    fn pin() -> Self {
        crossbeam_epoch::pin()
    }

    unsafe fn node<T>(&self, node: *const T) -> &T {
        // SAFETY: it could be reached under this guard, and whoever unlinks a node defers its end past all guards of that time.
        unsafe { &*node }
    }

    fn retire<T: Send + Sync + 'static>(&self, unlinked: Arc<T>) {
        self.defer(move || drop(unlinked));
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Others may have pins meanwhile; they go too.
    #[test]
    fn what_is_retired_is_freed_when_nobody_looks_any_more() {
        let node = Arc::new(());
        let left = Arc::downgrade(&node);
        let pin = crossbeam_epoch::Guard::pin();
        pin.retire(node);
        pin.flush();
        assert!(left.upgrade().is_some());
        drop(pin);
        while left.upgrade().is_some() {
            crossbeam_epoch::pin().flush();
            thread::yield_now();
        }
    }
}
