//! The lock without a value: [`State`] behind a mutex, and a gate for each that waits.
//!
//! Each call is one step of the state, under the mutex. Those that it lets in are told after that: their gates are opened, and then
//! they are woken. A wait that ends takes the mutex once more, and finds that it has left the queue, or that it was granted the lock.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::task::Waker;

use super::gate::Gate;
use super::rules::Rules as _;
use super::state::{Inside, Mode, State};
use super::sys::{Guarded as _, Sys};

/// The lock without a value, over its system. The [module](super) says what it guarantees.
pub struct RawQueuedRwLock<S: Sys> {
    pub(super) state: S::Guarded<State<Waiting<S>>>,
}

/// What stands for a waiter in the queue.
pub(super) struct Waiting<S: Sys> {
    pub(super) gate: Arc<Gate<S>>,
    pub(super) waker: Waker,
}

impl<S: Sys> Waiting<S> {
    /// It waits at this gate.
    pub(super) fn at(gate: &Arc<Gate<S>>) -> impl Fn(&Self) -> bool {
        |waiting| Arc::ptr_eq(&waiting.gate, gate)
    }
}

/// Those that were granted the lock, and are yet to be told. A waker that panics keeps none of the others from it.
struct Granted<S: Sys>(Vec<Waiting<S>>);

impl<S: Sys> Granted<S> {
    fn tell(granted: Vec<Waiting<S>>) {
        granted.iter().for_each(|waiting| waiting.gate.open());
        drop(Granted(granted));
    }
}

impl<S: Sys> Drop for Granted<S> {
    fn drop(&mut self) {
        if let Some(waiting) = self.0.pop() {
            // Made first, so that it is dropped also if the waker panics.
            let _others = Granted(core::mem::take(&mut self.0));
            waiting.waker.wake();
        }
    }
}

impl<S: Sys> Default for RawQueuedRwLock<S> {
    fn default() -> Self {
        let state = S::Guarded::new(State::new());
        RawQueuedRwLock { state }
    }
}

impl<S: Sys> RawQueuedRwLock<S> {
    /// Who is inside, at some moment between the call and the return.
    pub fn inside(&self) -> Inside {
        self.state.with(|state| state.inside())
    }

    /// How many wait, at some moment between the call and the return.
    pub fn waiting(&self) -> usize {
        self.state.with(|state| state.queue().len())
    }

    /// Takes the lock, if it need not wait.
    pub fn try_acquire(&self, mode: Mode) -> bool {
        self.state.with(|state| state.enter(mode))
    }

    /// Takes the lock, and waits for it if need be, until the deadline if there is one: `false`. Who has it must
    /// [`release`](Self::release) it, in the same mode.
    pub fn acquire(&self, mode: Mode, deadline: Option<S::Deadline>) -> bool {
        let arrive = |state: &mut _, who| S::Rules::arrive(state, mode, who);
        self.try_acquire(mode) || self.wait(deadline, arrive)
    }

    /// Goes on to write, if it need not wait.
    ///
    /// # Safety
    ///
    /// The caller has the lock upgradable; and for writing, if this is `true`.
    pub unsafe fn try_upgrade(&self) -> bool {
        self.state.with(|state| state.try_upgrade())
    }

    /// Goes on to write, and waits if need be until all who read have left; or until the deadline, if there is one: `false`.
    ///
    /// # Safety
    ///
    /// As of [`try_upgrade`](Self::try_upgrade).
    pub unsafe fn upgrade(&self, deadline: Option<S::Deadline>) -> bool {
        // SAFETY: the caller's.
        let at_once = unsafe { self.try_upgrade() };
        at_once || self.wait(deadline, S::Rules::upgrade)
    }

    /// Gives the lock back.
    ///
    /// # Safety
    ///
    /// The caller has the lock, in this mode.
    pub unsafe fn release(&self, mode: Mode) {
        let release = |state: &mut _| S::Rules::release(state, mode);
        Granted::tell(self.state.with(release));
    }

    /// Goes on with less.
    ///
    /// # Safety
    ///
    /// The caller has the lock in the mode `from`, and `to` is less; it has it in the mode `to` after that.
    pub unsafe fn downgrade(&self, from: Mode, to: Mode) {
        let downgrade = |state: &mut _| S::Rules::downgrade(state, from, to);
        Granted::tell(self.state.with(downgrade));
    }

    /// [`acquire`](Self::acquire) without a deadline, to be released when what it returns is dropped.
    pub fn hold(&self, mode: Mode) -> Hold<'_, S> {
        self.acquire(mode, None);
        Hold { lock: self, mode }
    }

    /// Waits, once `arrive` has put the thread in the queue; that may also be done without a wait.
    fn wait(
        &self,
        deadline: Option<S::Deadline>,
        arrive: impl FnOnce(&mut State<Waiting<S>>, Waiting<S>) -> Option<Waiting<S>>,
    ) -> bool {
        let gate = Gate::new(Some(S::current()));
        let waiting = Waiting {
            gate: gate.clone(),
            waker: Waker::from(gate.clone()),
        };
        let has_it = self.state.with(|state| arrive(state, waiting)).is_some();
        has_it || gate.wait(deadline) || !self.give_up(&gate)
    }

    /// The wait at this gate ends. `false`: it was granted the lock.
    pub(super) fn give_up(&self, gate: &Arc<Gate<S>>) -> bool {
        let give_up = |state: &mut _| S::Rules::give_up(state, Waiting::at(gate));
        let Some((_gone, granted)) = self.state.with(give_up) else {
            return false;
        };
        Granted::tell(granted);
        true
    }
}

/// The lock is held until this is dropped, on any system: `lock_api`'s guards are for the published lock only.
pub struct Hold<'a, S: Sys> {
    lock: &'a RawQueuedRwLock<S>,
    mode: Mode,
}

impl<S: Sys> Drop for Hold<'_, S> {
    fn drop(&mut self) {
        // SAFETY: acquired in this mode when this was made, and released nowhere else.
        unsafe { self.lock.release(self.mode) }
    }
}
