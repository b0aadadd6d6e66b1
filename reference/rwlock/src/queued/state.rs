//! The lock's protocol: who is inside, who waits, and what each call makes of that. `specs/rwsem/QueuedRwsem.tla` without
//! threads; each step bears the name of its action there.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// What the lock is held for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// For reading, beside others that read.
    Read,
    /// For reading beside others that read, and by one task at a time, which may go on to write.
    Upgradable,
    /// For writing, beside nobody.
    Write,
}

/// Who is inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Inside {
    /// How many read, the upgradable one left out.
    pub readers: usize,
    /// One reads upgradable.
    pub upgradable: bool,
    /// One writes.
    pub writer: bool,
}

/// A place in the queue.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Waiter<W> {
    /// What it waits for.
    pub wants: Mode,
    /// It is inside, upgradable, and waits to write.
    pub upgrades: bool,
    /// Whose place it is.
    pub who: W,
}

/// A state of the lock, whose waiters are told apart by what stands for them.
///
/// A waiter gets the lock as soon as it excludes nobody inside and nobody ahead of it. So whatever a step changes, those get in
/// whom it returns: the lock is theirs, and they must be told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State<W> {
    inside: Inside,
    queue: VecDeque<Waiter<W>>,
    /// How many in the queue want to write.
    writers: usize,
}

impl<W> Default for State<W> {
    fn default() -> Self {
        State::new()
    }
}

impl<W> State<W> {
    /// `Init`: free, and nobody waits.
    pub const fn new() -> Self {
        State {
            inside: Inside {
                readers: 0,
                upgradable: false,
                writer: false,
            },
            queue: VecDeque::new(),
            writers: 0,
        }
    }

    /// With these inside, and these in the queue, first to be served first; for tests.
    pub fn with(inside: Inside, queue: impl IntoIterator<Item = Waiter<W>>) -> Self {
        let queue = VecDeque::from_iter(queue);
        let writers = queue.iter().filter(|waiter| waiter.wants == Mode::Write);
        State {
            inside,
            writers: writers.count(),
            queue,
        }
    }

    /// What [`State::with`] puts together.
    pub fn into_parts(self) -> (Inside, Vec<Waiter<W>>) {
        (self.inside, self.queue.into())
    }

    /// Who is inside.
    pub fn inside(&self) -> Inside {
        self.inside
    }

    /// Who waits, first to be served first.
    pub fn queue(&self) -> impl ExactSizeIterator<Item = &Waiter<W>> {
        self.queue.iter()
    }

    /// Whoever is inside, this one excludes nobody of them.
    fn admits(&self, wants: Mode, upgrades: bool) -> bool {
        let Inside {
            readers,
            upgradable,
            writer,
        } = self.inside;
        match wants {
            Mode::Read => !writer,
            Mode::Upgradable => !writer && !upgradable,
            Mode::Write => !writer && readers == 0 && upgradable == upgrades,
        }
    }

    fn let_in(&mut self, mode: Mode, upgrades: bool) {
        match mode {
            Mode::Read => self.inside.readers += 1,
            Mode::Upgradable => self.inside.upgradable = true,
            Mode::Write => {
                self.inside.upgradable &= !upgrades;
                self.inside.writer = true;
            }
        }
    }

    fn let_out(&mut self, mode: Mode) {
        match mode {
            Mode::Read => self.inside.readers -= 1,
            Mode::Upgradable => self.inside.upgradable = false,
            Mode::Write => self.inside.writer = false,
        }
    }

    /// `Enter`: takes the lock, if it need not wait.
    pub fn enter(&mut self, mode: Mode) -> bool {
        // A writer excludes everybody that waits, another one a writer alone: an upgradable reader that waits keeps none out
        // whom who is inside does not keep out.
        let nobody_ahead = match mode {
            Mode::Read | Mode::Upgradable => self.writers == 0,
            Mode::Write => self.queue.is_empty(),
        };
        let enters = nobody_ahead && self.admits(mode, false);
        if enters {
            self.let_in(mode, false);
        }
        enters
    }

    /// [`State::enter`], or else `Queue`: a reader joins the last reader that waits, everybody else goes to the tail. Gives `who` back if
    /// it has entered.
    pub fn arrive(&mut self, mode: Mode, who: W) -> Option<W> {
        if self.enter(mode) {
            return Some(who);
        }
        let reads = |waiter: &Waiter<W>| waiter.wants == Mode::Read;
        let last_reader = match mode {
            Mode::Read => self.queue.iter().rposition(reads),
            Mode::Upgradable | Mode::Write => None,
        };
        let place = last_reader.map_or(self.queue.len(), |last| last + 1);
        self.insert(place, mode, false, who);
        None
    }

    /// `Upgrade` of the upgradable reader, if it need not wait.
    pub fn try_upgrade(&mut self) -> bool {
        let writes = self.admits(Mode::Write, true);
        if writes {
            self.let_in(Mode::Write, true);
        }
        writes
    }

    /// `Upgrade`, with a wait if need be: at the head of the queue. Gives `who` back if it writes at once.
    pub fn upgrade(&mut self, who: W) -> Option<W> {
        if self.try_upgrade() {
            return Some(who);
        }
        self.insert(0, Mode::Write, true, who);
        None
    }

    /// `Release`: one that has it for this leaves.
    pub fn release(&mut self, mode: Mode) -> Vec<W> {
        self.let_out(mode);
        self.settle()
    }

    /// `Downgrade`: one that has it for `from` goes on with `to`, which is less.
    pub fn downgrade(&mut self, from: Mode, to: Mode) -> Vec<W> {
        debug_assert!(to < from, "{to:?} is not less than {from:?}");
        self.let_out(from);
        self.let_in(to, false);
        self.settle()
    }

    /// `GiveUp`: the waiter that this is leaves the queue. `None`: it does not wait, for it was granted the lock.
    pub fn give_up(&mut self, is: impl Fn(&W) -> bool) -> Option<(W, Vec<W>)> {
        let place = self.queue.iter().position(|waiter| is(&waiter.who))?;
        let waiter = self.take(place)?;
        Some((waiter.who, self.settle()))
    }

    /// What stands for the waiter that this is, if it waits.
    pub fn waiter_mut(&mut self, is: impl Fn(&W) -> bool) -> Option<&mut W> {
        let mut waiters = self.queue.iter_mut().map(|waiter| &mut waiter.who);
        waiters.find(|who| is(who))
    }

    fn insert(&mut self, place: usize, wants: Mode, upgrades: bool, who: W) {
        let waiter = Waiter {
            wants,
            upgrades,
            who,
        };
        self.queue.insert(place, waiter);
        self.writers += usize::from(wants == Mode::Write);
    }

    fn take(&mut self, place: usize) -> Option<Waiter<W>> {
        let waiter = self.queue.remove(place)?;
        self.writers -= usize::from(waiter.wants == Mode::Write);
        Some(waiter)
    }

    /// `Granted`: those get the lock that exclude nobody inside and nobody ahead of them.
    fn settle(&mut self) -> Vec<W> {
        let mut granted = Vec::new();
        let mut place = 0;
        // Who is granted the lock leaves its place to the next.
        while let Some(waiter) = self.queue.get(place) {
            let (wants, upgrades) = (waiter.wants, waiter.upgrades);
            // Who waits ahead is kept out by somebody inside, who keeps out a writer as well.
            if self.admits(wants, upgrades) {
                self.let_in(wants, upgrades);
                granted.extend(self.take(place).map(|waiter| waiter.who));
            } else {
                place += 1;
            }
            if wants == Mode::Write {
                // It excludes everybody behind it, inside or not.
                break;
            }
        }
        granted
    }
}
