//! loom as the system of a lock of ranges, as it is and with faults.

use interlock::range::sys::{Gate, Guarded, Sys};
use loom::sync::{Condvar, Mutex};

/// No fault.
pub const NONE: u8 = 0;
/// A gate is not opened, though who waits there is notified.
pub const NOT_OPENED: u8 = 1;
/// A gate is waited at without a look whether it is open.
pub const NO_LOOK: u8 = 2;
/// A gate is not waited at.
pub const NO_WAIT: u8 = 3;

/// loom with one of the faults above.
pub struct LoomSys<const FAULT: u8 = NONE>;

pub struct Value<T>(Mutex<T>);

pub struct Barred<const FAULT: u8> {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl<const FAULT: u8> Sys for LoomSys<FAULT> {
    type Guarded<T: Send> = Value<T>;
    type Gate = Barred<FAULT>;
}

impl<T> Guarded<T> for Value<T> {
    fn new(value: T) -> Self {
        Value(Mutex::new(value))
    }

    fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R {
        act(&mut self.0.lock().expect("nobody panics with it"))
    }
}

impl<const FAULT: u8> Gate for Barred<FAULT> {
    fn new() -> Self {
        Barred {
            is_open: Mutex::new(false),
            opened: Condvar::new(),
        }
    }

    fn open(&self) {
        *self.is_open.lock().expect("nobody panics with it") = FAULT != NOT_OPENED;
        self.opened.notify_one();
    }

    fn wait(&self) {
        if FAULT == NO_WAIT {
            return;
        }
        let mut is_open = self.is_open.lock().expect("nobody panics with it");
        let mut looks = FAULT != NO_LOOK;
        while !looks || !*is_open {
            is_open = self.opened.wait(is_open).expect("nobody panics with it");
            looks = true;
        }
    }
}
