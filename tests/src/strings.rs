//! The strings that the threads of a puppet play hang on: what their director sees of them, and how it lets them go on.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::cast::Cast;
use crate::in_time::PATIENCE;

/// So often it is looked whether all threads rest.
const GLANCE: Duration = Duration::from_millis(1);

/// The strings of a play, in which `T` is what is seen.
pub struct Strings<T> {
    /// The threads.
    pub cast: Cast,
    seen: Mutex<T>,
    changed: Condvar,
}

impl<T: Default> Strings<T> {
    /// Those of a new play, in which nothing is seen yet.
    pub fn new(cast: Cast) -> Self {
        Strings {
            cast,
            seen: Mutex::default(),
            changed: Condvar::new(),
        }
    }
}

impl<T> Strings<T> {
    fn lock(&self) -> MutexGuard<'_, T> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is seen.
    pub fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// A thread of the play comes to rest here, if it is to, until it may go on.
    pub fn hang(
        &self,
        rests: impl FnOnce(&mut T) -> bool,
        mut goes_on: impl FnMut(&mut T) -> bool,
    ) {
        let mut seen = self.lock();
        if rests(&mut seen) {
            self.changed.notify_all();
            self.cast.rests();
        }
        while !goes_on(&mut seen) {
            let woken = self.changed.wait(seen);
            seen = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until it gives something.
    ///
    /// # Errors
    ///
    /// All threads rest, and it has given nothing.
    ///
    /// # Panics
    ///
    /// When the [patience](PATIENCE) has ended.
    pub fn wait<R>(
        &self,
        what: &str,
        mut of: impl FnMut(&mut T) -> Option<R>,
    ) -> Result<R, String> {
        let mut seen = self.lock();
        let began = Instant::now();
        loop {
            // Looked at first: what they did before they rested is seen.
            let all_rest = self.cast.all_rest();
            if let Some(result) = of(&mut seen) {
                drop(seen);
                self.changed.notify_all();
                return Ok(result);
            }
            if all_rest {
                return Err(format!("nothing happens: {what}"));
            }
            assert!(began.elapsed() < PATIENCE, "it hangs: {what}");
            let woken = self.changed.wait_timeout(seen, GLANCE);
            (seen, _) = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}
