//! The rules that a lock follows, as a type, so that tests can put a faulty one in.

use alloc::vec::Vec;

use super::state::{Mode, State};

/// What each call makes of the lock's state. The defaults are those of [`State`].
pub trait Rules: 'static {
    /// See [`State::arrive`].
    fn arrive<W>(state: &mut State<W>, mode: Mode, who: W) -> Option<W> {
        state.arrive(mode, who)
    }

    /// See [`State::upgrade`].
    fn upgrade<W>(state: &mut State<W>, who: W) -> Option<W> {
        state.upgrade(who)
    }

    /// See [`State::release`].
    fn release<W>(state: &mut State<W>, mode: Mode) -> Vec<W> {
        state.release(mode)
    }

    /// See [`State::downgrade`].
    fn downgrade<W>(state: &mut State<W>, from: Mode, to: Mode) -> Vec<W> {
        state.downgrade(from, to)
    }

    /// See [`State::give_up`].
    fn give_up<W>(state: &mut State<W>, is: impl Fn(&W) -> bool) -> Option<(W, Vec<W>)> {
        state.give_up(is)
    }
}

/// Those of `specs/rwsem/QueuedRwsem.tla`.
pub struct Queued;

impl Rules for Queued {}
