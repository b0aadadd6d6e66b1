//! Whether a tool is here, or will be.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

/// Whether the models of an engine can run.
#[derive(Debug, Clone)]
pub enum Availability<T> {
    /// They can, on this.
    Ready(T),
    /// They cannot, and this sentence says why.
    Missing(String),
}

impl<T> Availability<T> {
    /// The tool, if it is here.
    pub fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(tool) => Some(tool),
            Self::Missing(_) => None,
        }
    }

    /// Why it is not, if it is not.
    pub fn missing(&self) -> Option<&str> {
        match self {
            Self::Ready(_) => None,
            Self::Missing(why) => Some(why),
        }
    }
}

/// A tool that may still be in the making.
#[derive(Debug)]
pub struct Awaited<T> {
    known: OnceLock<Availability<T>>,
    maker: Mutex<Option<JoinHandle<Availability<T>>>>,
}

impl<T: Send + 'static> Awaited<T> {
    /// A tool of which all is known.
    pub fn known(tool: Availability<T>) -> Awaited<T> {
        Awaited {
            known: tool.into(),
            maker: Mutex::default(),
        }
    }

    /// A tool that `make` makes in a thread of its own, from now on.
    pub fn made(make: impl FnOnce() -> Availability<T> + Send + 'static) -> Awaited<T> {
        Awaited {
            known: OnceLock::new(),
            maker: Mutex::new(Some(thread::spawn(make))),
        }
    }

    /// The tool, if it is known by now.
    pub fn so_far(&self) -> Option<&Availability<T>> {
        self.known.get()
    }

    /// The tool. Waits until it is made.
    pub fn get(&self) -> &Availability<T> {
        self.known.get_or_init(|| {
            let mut maker = self.maker.lock().unwrap_or_else(PoisonError::into_inner);
            let made = maker.take().map(JoinHandle::join);
            made.and_then(Result::ok)
                .unwrap_or_else(|| Availability::Missing("its making has failed".into()))
        })
    }
}
