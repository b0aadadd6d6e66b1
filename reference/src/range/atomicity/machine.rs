//! The state machine of `specs/range/FileAtomicity.tla`: tasks that do one operation each on the cells of a file.

use std::collections::BTreeSet;
use std::ops::Range;

use super::policy::{Folios, Kind, Policy};
use crate::range::tree::Mode;

/// What a task does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Op {
    /// Its kind.
    pub kind: Kind,
    /// The cells that it copies, from 0.
    pub cells: Range<usize>,
}

/// The tasks of a file and its choice of locks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// What each task does. Tasks are indices.
    pub ops: Vec<Op>,
    /// Cells of a folio.
    pub folio_cells: usize,
    /// Cells of a segment.
    pub segment_cells: usize,
    /// The choice.
    pub policy: Policy,
}

/// What a task is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pc {
    /// It has not begun.
    Idle,
    /// It has its locks.
    Copy,
    /// It has given them back.
    Done,
}

/// A state of the file and its tasks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// What each task does.
    pub pc: Vec<Pc>,
    /// The next cell that each copies.
    pub at: Vec<usize>,
    /// Who has each folio's lock.
    pub owner: Vec<Option<usize>>,
    /// The writes that each cell has seen, in their order.
    pub content: Vec<Vec<usize>>,
    /// Of each task that reads, the writes that it has found in each cell.
    pub seen: Vec<Vec<BTreeSet<usize>>>,
}

/// What a task does at once: an action of `FileAtomicity.tla`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Takes its locks, and with a batch those of all its folios.
    Begin,
    /// Takes the lock of the folio that it copies next.
    LockFolio,
    /// Copies a cell; a folio's lock that was taken for it alone goes with its last.
    Copy,
    /// Gives its locks back.
    End,
}

/// A step of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// The task.
    pub task: usize,
    /// Its step.
    pub step: Step,
}

impl Machine {
    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.ops.iter().map(|op| op.cells.end).max().unwrap_or(0)
    }

    /// Nobody has begun.
    pub fn init(&self) -> State {
        let (tasks, cells) = (self.ops.len(), self.cells());
        State {
            pc: vec![Pc::Idle; tasks],
            at: self.ops.iter().map(|op| op.cells.start).collect(),
            owner: vec![None; cells.div_ceil(self.folio_cells)],
            content: vec![Vec::new(); cells],
            seen: vec![vec![BTreeSet::new(); cells]; tasks],
        }
    }

    /// Every action there could be, enabled or not.
    pub fn candidates(&self) -> Vec<Action> {
        let steps = [Step::Begin, Step::LockFolio, Step::Copy, Step::End];
        let of = |task| steps.map(|step| Action { task, step });
        (0..self.ops.len()).flat_map(of).collect()
    }

    /// What the task does next, now or when others let it; nothing if it is done.
    pub fn next(&self, state: &State, task: usize) -> Option<Step> {
        let (op, at) = (&self.ops[task], state.at[task]);
        match state.pc[task] {
            Pc::Idle => Some(Step::Begin),
            Pc::Done => None,
            Pc::Copy if at == op.cells.end => Some(Step::End),
            Pc::Copy if self.folios(task) != Folios::Each => Some(Step::Copy),
            Pc::Copy if state.owner[self.folio(at)] == Some(task) => Some(Step::Copy),
            Pc::Copy => Some(Step::LockFolio),
        }
    }

    /// The state after the action, if it is enabled.
    pub fn step(&self, state: &State, Action { task, step }: Action) -> Option<State> {
        if self.next(state, task) != Some(step) {
            return None;
        }
        let mut next = state.clone();
        let (op, at) = (&self.ops[task], state.at[task]);
        match step {
            Step::Begin => {
                let copies = |other: &usize| state.pc[*other] == Pc::Copy;
                let mut others = (0..self.ops.len()).filter(copies);
                if !others.all(|other| self.lets(task, other)) {
                    return None;
                }
                if self.folios(task) == Folios::All {
                    for owner in &mut next.owner[self.folio(at)..=self.folio(op.cells.end - 1)] {
                        if owner.replace(task).is_some() {
                            return None;
                        }
                    }
                }
                next.pc[task] = Pc::Copy;
            }
            Step::LockFolio => {
                if next.owner[self.folio(at)].replace(task).is_some() {
                    return None;
                }
            }
            Step::Copy => {
                let content = &mut next.content[at];
                if op.kind.is_read() {
                    next.seen[task][at] = content.iter().copied().collect();
                } else {
                    content.push(task);
                }
                next.at[task] = at + 1;
                let is_last = at + 1 == op.cells.end || self.folio(at + 1) != self.folio(at);
                if self.folios(task) == Folios::Each && is_last {
                    next.owner[self.folio(at)] = None;
                }
            }
            Step::End => {
                next.pc[task] = Pc::Done;
                let owned = next.owner.iter_mut();
                owned
                    .filter(|owner| **owner == Some(task))
                    .for_each(|owner| *owner = None);
            }
        }
        Some(next)
    }

    fn folio(&self, cell: usize) -> usize {
        cell / self.folio_cells
    }

    fn folios(&self, task: usize) -> Folios {
        self.policy.folio[self.ops[task].kind as usize]
    }

    /// Whether both can have their locks at once, folios left aside.
    fn lets(&self, task: usize, other: usize) -> bool {
        let [one, two] = [task, other].map(|task| &self.ops[task]);
        let [m, n] = [one.kind as usize, two.kind as usize];
        let Policy {
            inode,
            range,
            segments,
            ..
        } = &self.policy;
        let inode_lets = !matches!((inode[m], inode[n]), (Some(m), Some(n)) if !m.lets(n));
        let shares = |unit: usize| {
            let of = |op: &Op| op.cells.start / unit..(op.cells.end - 1) / unit + 1;
            of(one).start < of(two).end && of(two).start < of(one).end
        };
        let excludes = matches!((range[m], range[n]), (Some(m), Some(n)) if (m, n) != (Mode::Read, Mode::Read));
        let range_lets = !(shares(1) && excludes);
        let segments_let = !(shares(self.segment_cells) && segments[m] && segments[n]);
        inode_lets && range_lets && segments_let
    }
}
