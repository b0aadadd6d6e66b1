//! The auxiliary lock of a list of ranges: who has lost its patience queues for it, and nobody begins a try while somebody has it or
//! waits for it. Tries under way go on.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::gate::Gate;
use super::list_policy::Policy;
use super::list_sys::ListSys;
use super::sys::Guarded;
use interlock_rwlock::sys::Futex;

/// The auxiliary lock.
pub(super) struct Auxiliary<S: ListSys> {
    /// After how many losses one queues.
    patience: u32,
    /// How many queue, of whom the first has it; written under the mutex.
    length: S::Futex,
    line: S::Guarded<Line<S>>,
}

struct Line<S: ListSys> {
    /// Who queues. The first one's gate is open.
    queue: VecDeque<Arc<Gate<S>>>,
    /// Who waits until nobody does.
    barred: Vec<Arc<Gate<S>>>,
}

/// What a task has lost since it asked, and its gate if it queues.
pub(super) struct Turn<S: ListSys> {
    losses: u32,
    gate: Option<Arc<Gate<S>>>,
}

impl<S: ListSys> Default for Turn<S> {
    fn default() -> Self {
        Turn {
            losses: 0,
            gate: None,
        }
    }
}

impl<S: ListSys> Auxiliary<S> {
    /// One that nobody has.
    pub(super) fn new(patience: u32) -> Self {
        Auxiliary {
            patience,
            length: S::Futex::new(),
            line: S::Guarded::new(Line {
                queue: VecDeque::new(),
                barred: Vec::new(),
            }),
        }
    }

    /// Waits until the task may begin a try (`MayBegin`).
    pub(super) fn begin(&self, turn: &Turn<S>) {
        if let Some(gate) = &turn.gate {
            gate.wait(None);
            return;
        }
        while self.length.load(Ordering::Acquire) != 0 {
            let gate = self.line.with(|line| {
                let gate = (!line.queue.is_empty()).then(|| Arc::new(Gate::new()));
                line.barred.extend(gate.clone());
                gate
            });
            if let Some(gate) = gate {
                gate.wait(None);
            }
        }
    }

    /// The task has lost once more, and perhaps its patience.
    pub(super) fn lose(&self, turn: &mut Turn<S>) {
        if self.patience == Policy::NEVER || turn.losses == self.patience {
            return;
        }
        turn.losses += 1;
        if turn.losses == self.patience {
            let gate = Arc::new(Gate::new());
            turn.gate = Some(Arc::clone(&gate));
            self.line.with(|line| {
                line.queue.push_back(gate);
                self.changed(line);
            });
        }
    }

    /// The task has its range, and gives the auxiliary lock back.
    pub(super) fn enter(&self, turn: Turn<S>) {
        let Some(gate) = turn.gate else {
            return;
        };
        let woken = self.line.with(|line| {
            line.queue.retain(|other| !Arc::ptr_eq(other, &gate));
            self.changed(line);
            if line.queue.is_empty() {
                std::mem::take(&mut line.barred)
            } else {
                Vec::new()
            }
        });
        woken.iter().for_each(|gate| gate.open());
    }

    /// The queue has changed: its first task has the lock.
    fn changed(&self, line: &Line<S>) {
        let length = u32::try_from(line.queue.len()).expect("a task each");
        self.length.update(Ordering::Release, |_| length);
        if let Some(first) = line.queue.front() {
            first.open();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use super::*;
    use crate::range::sys::StdSys;

    /// How many queue for the lock, and how many wait until nobody does.
    fn line(auxiliary: &Auxiliary<StdSys>) -> (usize, usize) {
        auxiliary
            .line
            .with(|line| (line.queue.len(), line.barred.len()))
    }

    #[test]
    fn who_has_lost_its_patience_bars_others_until_it_has_its_range() {
        let auxiliary = Auxiliary::new(2);
        let [mut own, mut second] = [Turn::default(), Turn::default()];
        auxiliary.lose(&mut own);
        auxiliary.lose(&mut second);
        assert_eq!(line(&auxiliary), (0, 0), "each has lost once");
        auxiliary.begin(&own);
        // A third time changes nothing.
        for _ in 0..2 {
            auxiliary.lose(&mut own);
            assert_eq!(line(&auxiliary), (1, 0));
        }
        auxiliary.begin(&own);
        auxiliary.lose(&mut second);
        assert_eq!(line(&auxiliary), (2, 0));

        let (own_is_in, second_is_in) = (AtomicBool::new(false), AtomicBool::new(false));
        thread::scope(|scope| {
            let next = scope.spawn(|| {
                auxiliary.begin(&second);
                assert!(own_is_in.load(Ordering::SeqCst), "it went before the first");
                second_is_in.store(true, Ordering::SeqCst);
                auxiliary.enter(second);
            });
            let barred = scope.spawn(|| {
                auxiliary.begin(&Turn::default());
                assert!(second_is_in.load(Ordering::SeqCst), "it was not barred");
            });
            while line(&auxiliary).1 == 0 && !barred.is_finished() {
                thread::yield_now();
            }
            own_is_in.store(true, Ordering::SeqCst);
            auxiliary.enter(own);
            next.join().expect("its turn came");
        });
        assert_eq!(line(&auxiliary), (0, 0));
        auxiliary.begin(&Turn::default());
    }

    #[test]
    fn who_never_loses_its_patience_bars_nobody() {
        let auxiliary = Auxiliary::<StdSys>::new(Policy::NEVER);
        let mut turn = Turn::default();
        auxiliary.lose(&mut turn);
        assert_eq!((turn.losses, line(&auxiliary)), (0, (0, 0)));
        auxiliary.enter(turn);
    }
}
