//! Rules for the lock with a queue of names, each with one fault: controls of `MCQueuedRwsem.tla` in the lock itself.

use std::mem;

use interlock_rwlock::queued::Mode;
use interlock_rwlock::queued::rules::Rules;
use interlock_rwlock::queued::state::{State, Waiter};

/// Takes the waiter that this is out of the queue, and lets nobody in.
fn remove<W>(state: &mut State<W>, is: impl Fn(&W) -> bool) -> Option<W> {
    let (inside, mut queue) = mem::take(state).into_parts();
    let place = queue.iter().position(|waiter| is(&waiter.who));
    let gone = place.map(|place| queue.remove(place).who);
    *state = State::with(inside, queue);
    gone
}

/// Puts one at the tail.
fn append<W>(state: &mut State<W>, wants: Mode, upgrades: bool, who: W) {
    let (inside, mut queue) = mem::take(state).into_parts();
    queue.push(Waiter {
        wants,
        upgrades,
        who,
    });
    *state = State::with(inside, queue);
}

/// `Nobody`, for `GrantedInstead`: whoever gives up lets nobody in.
pub struct GivesUpInSilence;

impl Rules for GivesUpInSilence {
    fn give_up<W>(state: &mut State<W>, is: impl Fn(&W) -> bool) -> Option<(W, Vec<W>)> {
        remove(state, is).map(|gone| (gone, Vec::new()))
    }
}

/// `First`: whoever gives up lets the first in, whoever is inside.
pub struct LetsFirstIn;

impl Rules for LetsFirstIn {
    fn give_up<W>(state: &mut State<W>, is: impl Fn(&W) -> bool) -> Option<(W, Vec<W>)> {
        let gone = remove(state, is)?;
        let (mut inside, mut queue) = mem::take(state).into_parts();
        let mut granted = Vec::new();
        if !queue.is_empty() {
            let first = queue.remove(0);
            match first.wants {
                Mode::Read => inside.readers += 1,
                Mode::Upgradable => inside.upgradable = true,
                Mode::Write => inside.writer = true,
            }
            granted.push(first.who);
        }
        *state = State::with(inside, queue);
        Some((gone, granted))
    }
}

/// `InLine`: an upgrade stands behind those that wait already.
pub struct UpgradesInLine;

impl Rules for UpgradesInLine {
    fn upgrade<W>(state: &mut State<W>, who: W) -> Option<W> {
        if state.try_upgrade() {
            return Some(who);
        }
        append(state, Mode::Write, true, who);
        None
    }
}

/// `AtTail`: a reader joins no readers.
pub struct ReadersInLine;

impl Rules for ReadersInLine {
    fn arrive<W>(state: &mut State<W>, mode: Mode, who: W) -> Option<W> {
        if state.enter(mode) {
            return Some(who);
        }
        append(state, mode, false, who);
        None
    }
}

/// A downgrade lets nobody in.
pub struct DowngradesInSilence;

impl Rules for DowngradesInSilence {
    fn downgrade<W>(state: &mut State<W>, from: Mode, to: Mode) -> Vec<W> {
        let (mut inside, queue) = mem::take(state).into_parts();
        match from {
            Mode::Read => {}
            Mode::Upgradable => inside.upgradable = false,
            Mode::Write => inside.writer = false,
        }
        match to {
            Mode::Read => inside.readers += 1,
            Mode::Upgradable => inside.upgradable = true,
            Mode::Write => {}
        }
        *state = State::with(inside, queue);
        Vec::new()
    }
}

/// `WriterFirst`: a writer goes to the head.
pub struct WritersFirst;

impl Rules for WritersFirst {
    fn arrive<W>(state: &mut State<W>, mode: Mode, who: W) -> Option<W> {
        if mode != Mode::Write || state.queue().len() == 0 {
            return state.arrive(mode, who);
        }
        let (inside, mut queue) = mem::take(state).into_parts();
        let first = Waiter {
            wants: mode,
            upgrades: false,
            who,
        };
        // Behind an upgrade, which has to stay the first.
        let place = usize::from(queue[0].upgrades);
        queue.insert(place, first);
        *state = State::with(inside, queue);
        None
    }
}
