//! A guard against hangs, for tests that wait for other threads.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Who has waited so long waits for ever: many times what anything here takes beside whatever else a machine does. No verdict but
/// "it hangs" depends on it.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Runs it in a thread of its own, and gives what it gives.
///
/// # Panics
///
/// As it does, and if it has not ended when the [patience](PATIENCE) has.
pub fn in_time<R: Send + 'static>(body: impl FnOnce() -> R + Send + 'static) -> R {
    in_time_or_tell(PATIENCE, String::new, body)
}

/// The same with another patience, and with what to tell of a state that hangs.
///
/// # Panics
///
/// As for it.
pub fn in_time_or_tell<R: Send + 'static>(
    patience: Duration,
    state: impl FnOnce() -> String,
    body: impl FnOnce() -> R + Send + 'static,
) -> R {
    let (tells, told) = mpsc::channel();
    let thread = thread::spawn(move || {
        // Who waits for it is gone if it comes too late.
        let _ = tells.send(body());
    });
    match told.recv_timeout(patience) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("it hangs {}", state()),
        Err(RecvTimeoutError::Disconnected) => {
            let panic = thread.join().expect_err("it has told nothing");
            std::panic::resume_unwind(panic)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic = "it hangs with the lock held"]
    fn a_hang_is_told_with_its_state() {
        let state = || "with the lock held".to_owned();
        in_time_or_tell(Duration::from_millis(10), state, || -> () {
            loop {
                thread::park();
            }
        });
    }
}
