//! A gate that is shut, and is opened once: where threads wait for a range.
//!
//! ```text
//! wait:  look a while whether OPEN is set; set SLEEPER; sleep while OPEN is not, until the deadline if there is one
//! open:  set OPEN; SLEEPER was set: wake it
//! ```

use super::sys::{Sys, TimedFutex as _};
use interlock_rwlock::sys::{Futex as _, Ordering};

const OPEN: u32 = 1;
const SLEEPER: u32 = 2;

/// A gate on a futex of the system's, for any number of threads.
pub struct Gate<S: Sys>(S::Futex);

impl<S: Sys> Gate<S> {
    /// A gate that is shut.
    pub(super) fn new() -> Self {
        Gate(S::Futex::new())
    }

    /// Opens it: what was done before is seen by who comes through.
    pub(super) fn open(&self) {
        if self.0.update(Ordering::Release, |_| OPEN) & SLEEPER != 0 {
            self.0.wake_all();
        }
    }

    /// Waits until it is open: `true`; or until the deadline.
    pub(super) fn wait(&self, deadline: Option<S::Deadline>) -> bool {
        for _ in 0..S::SPINS_BEFORE_SLEEP {
            if self.0.load(Ordering::Acquire) & OPEN != 0 {
                return true;
            }
            S::spin_hint();
        }
        let mut value = self.0.fetch_or(SLEEPER, Ordering::Acquire);
        while value & OPEN == 0 {
            match deadline {
                None => self.0.wait(SLEEPER),
                Some(deadline) if self.0.wait_until(SLEEPER, deadline) => return false,
                Some(_) => {}
            }
            value = self.0.load(Ordering::Acquire);
        }
        true
    }
}
