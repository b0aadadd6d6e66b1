//! What the mutex of a [`RangeLock`](super::lock::RangeLock) guards: the tree, the gates at which its waiters wait, and who may change
//! the word of a lock that is biased to readers.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::bias;
use super::gate::Gate;
use super::policy::Policy;
use super::probe::{Probe as _, Step, WordStep};
use super::sys::Sys;
use super::tree::{Arrival, Mode, Place, Tree};
use interlock_rwlock::sys::{AtomicWord, Ordering};

/// What the mutex guards.
pub struct Ranges<S: Sys> {
    tree: Tree,
    /// Where each that waits is woken, by its ticket.
    gates: HashMap<u64, Arc<Gate<S>>>,
    /// How many in the tree are for writing, or wait to.
    writes: usize,
    biased: bool,
    /// Is the word open?
    open: bool,
    /// The crowd's place in the tree.
    crowd: Option<Place>,
    /// How many readers in a row have found that nobody writes.
    readers: u32,
}

/// What becomes of a task that has come.
pub(super) enum Coming<S: Sys> {
    /// It has its range, by this ticket.
    Holds(u64),
    /// It waits for it here.
    Waits(u64, Arc<Gate<S>>),
    /// It has not arrived, and is to look again.
    Looks,
}

impl<S: Sys> Ranges<S> {
    /// No range.
    pub(super) fn new(policy: Policy, biased: bool) -> Self {
        Ranges {
            tree: Tree::new(policy),
            gates: HashMap::new(),
            writes: 0,
            biased,
            open: biased,
            crowd: None,
            readers: 0,
        }
    }

    /// A task comes for a range, and arrives unless it `may_look` first.
    #[inline]
    pub(super) fn come(
        &mut self,
        word: &S::Word,
        probe: &S::Probe,
        (range, mode): (Range<u64>, Mode),
        may_look: bool,
    ) -> Coming<S> {
        match mode {
            Mode::Read => self.open_if_patient(word, probe),
            Mode::Write => self.close(word, probe),
        }
        if may_look && self.gates.is_empty() {
            return match self.enter(probe, &range, mode) {
                Some(place) => Coming::Holds(place.ticket),
                None => Coming::Looks,
            };
        }
        let (place, arrival) = self.tree.lock(range, mode);
        probe.step(Step::Arrives(&place, arrival), &self.tree);
        self.writes += usize::from(mode == Mode::Write);
        match arrival {
            Arrival::Lock | Arrival::Pass => Coming::Holds(place.ticket),
            Arrival::Wait(_) => {
                let gate = Arc::new(Gate::new());
                self.gates.insert(place.ticket, Arc::clone(&gate));
                Coming::Waits(place.ticket, gate)
            }
        }
    }

    /// A task has its range, if it need not wait.
    pub(super) fn try_lock(
        &mut self,
        probe: &S::Probe,
        range: &Range<u64>,
        mode: Mode,
    ) -> Option<Place> {
        let place = self.enter(probe, range, mode);
        if place.is_none() {
            probe.step(Step::Refused(range, mode), &self.tree);
        }
        place
    }

    /// The same; if it would have to wait, nothing has happened.
    #[inline]
    fn enter(&mut self, probe: &S::Probe, range: &Range<u64>, mode: Mode) -> Option<Place> {
        let (place, arrival) = self.tree.try_lock(range.clone(), mode)?;
        probe.step(Step::Arrives(&place, arrival), &self.tree);
        self.writes += usize::from(mode == Mode::Write);
        Some(place)
    }

    /// `Close`: who is counted is in the crowd from now on, which reads everything.
    fn close(&mut self, word: &S::Word, probe: &S::Probe) {
        self.readers = 0;
        if self.open {
            let closed = word.update(Ordering::Acquire, bias::close);
            let (before, _) = closed.expect("it is open");
            probe.word(WordStep::Close);
            self.open = false;
            if bias::is_crowded(before) {
                let (place, arrival) = self.tree.lock(0..u64::MAX, Mode::Read);
                probe.step(Step::Arrives(&place, arrival), &self.tree);
                self.crowd = Some(place);
            }
        }
    }

    /// The same, if nobody is counted: is it closed now?
    pub(super) fn try_close(&mut self, word: &S::Word, probe: &S::Probe) -> bool {
        if self.open {
            if word.update(Ordering::Acquire, bias::close_empty).is_none() {
                return false;
            }
            probe.word(WordStep::Close);
            self.open = false;
        }
        true
    }

    /// `Open`, once enough readers in a row have found that nobody writes.
    fn open_if_patient(&mut self, word: &S::Word, probe: &S::Probe) {
        if self.biased && !self.open && self.writes == 0 && self.crowd.is_none() {
            self.readers += 1;
            if self.readers >= S::READERS_BEFORE_OPEN {
                self.readers = 0;
                self.open = true;
                word.update(Ordering::Release, |word| Some(bias::open(word)));
                probe.word(WordStep::Open);
            }
        }
    }

    /// Parts of a range that is held in its place, and the gates of those that hold theirs now.
    pub(super) fn replace(
        &mut self,
        probe: &S::Probe,
        place: &Place,
        parts: &[(Range<u64>, Mode)],
    ) -> (Vec<Place>, Vec<Arc<Gate<S>>>) {
        let writes = parts.iter().filter(|(_, mode)| *mode == Mode::Write);
        self.writes += writes.count();
        self.writes -= usize::from(place.mode == Mode::Write);
        let (places, ready) = self.tree.replace(place, parts);
        probe.step(Step::Becomes(place, &places), &self.tree);
        (places, self.gates_of(&ready))
    }

    /// The same without parts.
    #[inline]
    pub(super) fn unlock(&mut self, probe: &S::Probe, place: &Place) -> Vec<Arc<Gate<S>>> {
        self.writes -= usize::from(place.mode == Mode::Write);
        let ready = self.tree.unlock(place);
        probe.step(Step::Becomes(place, &[]), &self.tree);
        if ready.is_empty() {
            return Vec::new();
        }
        self.gates_of(&ready)
    }

    /// A wait ends: the gates of those that hold their ranges now. `None`: it was granted its own.
    pub(super) fn give_up(&mut self, probe: &S::Probe, place: &Place) -> Option<Vec<Arc<Gate<S>>>> {
        let ready = S::interrupt(&mut self.tree, place)?;
        self.gates.remove(&place.ticket);
        self.writes -= usize::from(place.mode == Mode::Write);
        probe.step(Step::GivesUp(place), &self.tree);
        Some(self.gates_of(&ready))
    }

    fn gates_of(&mut self, ready: &[u64]) -> Vec<Arc<Gate<S>>> {
        let gates = ready.iter().map(|ticket| self.gates.remove(ticket));
        gates
            .map(|gate| gate.expect("who waits has a gate"))
            .collect()
    }

    /// `Drain`: the crowd has left, and these are the gates of those that hold their ranges now.
    pub(super) fn drain(&mut self, probe: &S::Probe) -> Vec<Arc<Gate<S>>> {
        let crowd = self.crowd.take().expect("the last one ends a crowd");
        self.unlock(probe, &crowd)
    }
}
