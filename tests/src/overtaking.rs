//! How many tasks get a lock before one that queued earlier: the counts of `Overtaking.tla`, for every waiter at once.

use interlock::rwsem::machine::{Kind, Machine, Pc, State};

/// The counts, on the way through a machine.
pub struct Overtaking<'a> {
    machine: &'a Machine,
    budget: usize,
    /// For a waiter: who was queued before it and still is.
    older: Vec<Vec<usize>>,
    /// For a waiter: how many readers and writers got the lock that were not.
    by: Vec<(usize, usize)>,
}

impl<'a> Overtaking<'a> {
    /// Nobody waits. The bounds are those of `BatchQueue` with this budget: see `BudgetOvertaking.tla`.
    pub fn new(machine: &'a Machine, budget: u32) -> Self {
        let tasks = machine.kinds.len();
        Overtaking {
            machine,
            budget: budget as usize,
            older: vec![Vec::new(); tasks],
            by: vec![(0, 0); tasks],
        }
    }

    /// Takes the step from `state` to `next` into account.
    ///
    /// # Errors
    /// If a waiter is overtaken by more than its bound.
    pub fn account(&mut self, state: &State, next: &State) -> Result<(), String> {
        let holds = |state: &State, task: usize| matches!(state.pc[task], Pc::Hold | Pc::Shared);
        let tasks = 0..self.machine.kinds.len();
        let got: Vec<usize> = tasks
            .filter(|&task| !holds(state, task) && holds(next, task))
            .collect();
        for &waiter in &next.queue {
            if !state.queue.contains(&waiter) {
                self.older[waiter] = state.queue.clone();
                self.by[waiter] = (0, 0);
                continue;
            }
            for &task in got.iter().filter(|task| !self.older[waiter].contains(task)) {
                match self.machine.kinds[task] {
                    Kind::Reader => self.by[waiter].0 += 1,
                    Kind::Writer => self.by[waiter].1 += 1,
                }
            }
            self.older[waiter].retain(|task| !got.contains(task));
            let (kind, by) = (self.machine.kinds[waiter], self.by[waiter]);
            let (by_writers, in_all) = self.bound(kind);
            if by.1 > by_writers || by.0 + by.1 > in_all {
                return Err(format!(
                    "{kind:?} {waiter} overtaken by {by:?} readers and writers"
                ));
            }
        }
        Ok(())
    }

    /// By how many writers, and by how many in all, a waiter of this kind may be overtaken.
    fn bound(&self, kind: Kind) -> (usize, usize) {
        let of = |kind: Kind| {
            let kinds = self.machine.kinds.iter();
            kinds.filter(|other| **other == kind).count()
        };
        let by_writers = self.budget * of(Kind::Writer);
        let passes = by_writers + self.budget;
        let in_all = match kind {
            Kind::Reader => passes,
            Kind::Writer => of(Kind::Reader).saturating_sub(1) + passes,
        };
        (by_writers, in_all)
    }
}
