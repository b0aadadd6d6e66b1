//! The state machine of `specs/range/RangeList.tla`: tasks that lock a range each, by the decisions of a [`Policy`].

use std::collections::BTreeSet;

use super::list_policy::{Ask, OnConflict, Place, Policy};

use super::tree::Mode;

/// The tasks of a list and its design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// What each task asks for. Tasks are indices.
    pub asks: Vec<Ask>,
    /// How many nodes each task has.
    pub slots: usize,
    /// The design.
    pub policy: Policy,
}

/// What a task is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pc {
    /// `"idle"`.
    Idle,
    /// `"insert"`: it looks for its place.
    Insert,
    /// `"validate"`: it is in the list, and looks for conflicts once more.
    Validate,
    /// `"met"`: it has read that a node that conflicts is not marked.
    Met,
    /// `"met inside"`: the same of one that validates.
    MetInside,
    /// `"sleep"`.
    Sleep,
    /// `"again"`: its try has failed.
    Again,
    /// `"hold"`.
    Hold,
}

/// A node: task and slot.
pub type Node = (usize, usize);

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Task {
    /// What it is doing.
    pub pc: Pc,
    /// Which of its nodes it uses.
    pub slot: usize,
    /// The node that its walk has passed last; none is the head.
    pub prev: Option<Node>,
    /// The node that it looks at; none is the end.
    pub cur: Option<Node>,
    /// How often it has lost since it began to ask.
    pub tries: u32,
}

/// A state of the list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// The node behind the head.
    pub head: Option<Node>,
    /// The node behind each, by task and slot.
    pub next: Vec<Vec<Option<Node>>>,
    /// The nodes that are marked.
    pub marked: BTreeSet<Node>,
    /// Who has the auxiliary lock, and who waits for it.
    pub aux: Vec<usize>,
}

/// An action of `RangeList.tla`, with the task that takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It begins to ask.
    Lock(usize),
    /// It begins another try.
    Retry(usize),
    /// It unlinks a marked node, or somebody was faster.
    Unlink(usize),
    /// It passes a node.
    Pass(usize),
    /// It inserts its own, or somebody was faster.
    Insert(usize),
    /// It has found no conflict.
    Validated(usize),
    /// It has found one.
    Meet(usize),
    /// It sleeps, and is not in the list.
    Sleep(usize),
    /// It marks its own node.
    Retreat(usize),
    /// It gives up its range.
    Unlock(usize),
}

impl Machine {
    /// Nobody asks.
    pub fn init(&self) -> State {
        let task = Task {
            pc: Pc::Idle,
            slot: 0,
            prev: None,
            cur: None,
            tries: 0,
        };
        State {
            tasks: vec![task; self.asks.len()],
            head: None,
            next: vec![vec![None; self.slots]; self.asks.len()],
            marked: BTreeSet::new(),
            aux: Vec::new(),
        }
    }

    /// Every action there could be, enabled or not.
    pub fn candidates(&self) -> Vec<Action> {
        let of = |task| {
            [
                Action::Lock(task),
                Action::Retry(task),
                Action::Unlink(task),
                Action::Pass(task),
                Action::Insert(task),
                Action::Validated(task),
                Action::Meet(task),
                Action::Sleep(task),
                Action::Retreat(task),
                Action::Unlock(task),
            ]
        };
        (0..self.asks.len()).flat_map(of).collect()
    }

    /// The state after the action, if it is enabled.
    pub fn step(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        let is = |task: usize, pc| state.tasks[task].pc == pc;
        let enabled = match action {
            Action::Lock(task) => is(task, Pc::Idle) && self.begin(&mut next, task),
            Action::Retry(task) => is(task, Pc::Again) && self.begin(&mut next, task),
            Action::Unlink(task) => self.unlink(&mut next, task),
            Action::Pass(task) => self.pass(&mut next, task),
            Action::Insert(task) => self.insert(&mut next, task),
            Action::Validated(task) => {
                let enabled =
                    is(task, Pc::Validate) && self.finds(state, task) == Some(Place::Behind);
                next.enter(task);
                enabled
            }
            Action::Meet(task) => self.meet(&mut next, task),
            Action::Sleep(task) => {
                next.tasks[task].pc = Pc::Sleep;
                next.end_walk(task);
                self.policy.sleeps && self.acts_on(state, task, Pc::Insert, Pc::Met)
            }
            Action::Retreat(task) => {
                let sleeps = self.policy.sleeps;
                next.mark(task, if sleeps { Pc::Sleep } else { Pc::Again });
                self.lose(&mut next, task);
                self.on_conflict(task) == OnConflict::Retreat
                    && self.acts_on(state, task, Pc::Validate, Pc::MetInside)
            }
            Action::Unlock(task) => {
                next.mark(task, Pc::Idle);
                is(task, Pc::Hold)
            }
        };
        enabled.then_some(next)
    }

    fn on_conflict(&self, task: usize) -> OnConflict {
        self.policy.on_conflict(self.asks[task].1)
    }

    /// What the walk of a task finds, if it walks.
    fn finds(&self, state: &State, task: usize) -> Option<Place> {
        let Task { pc, cur, .. } = state.tasks[task];
        let (node, ask) = (cur.map(|(other, _)| &self.asks[other]), &self.asks[task]);
        match pc {
            Pc::Insert => Some(self.policy.place(node, ask)),
            Pc::Validate => {
                let is_own = cur == Some(state.own(task));
                Some(self.policy.place_inside(node, is_own, ask))
            }
            _ => None,
        }
    }

    /// The same of a node that is not marked.
    fn finds_unmarked(&self, state: &State, task: usize) -> Option<Place> {
        let is_marked = state.is_marked(state.tasks[task].cur);
        self.finds(state, task).filter(|_| !is_marked)
    }

    /// A try, with the first node of its own that nobody can reach; false if there is none, or others have the auxiliary lock.
    fn begin(&self, state: &mut State, task: usize) -> bool {
        let reached = state.reached();
        let free = (0..self.slots).find(|slot| !reached.contains(&(task, *slot)));
        let (Some(slot), true) = (free, state.aux.first().is_none_or(|first| *first == task))
        else {
            return false;
        };
        state.next[task][slot] = None;
        state.marked.remove(&(task, slot));
        let tries = state.tasks[task].tries;
        state.tasks[task] = Task {
            pc: Pc::Insert,
            slot,
            prev: None,
            cur: state.head,
            tries,
        };
        true
    }

    fn restart(&self, state: &mut State, task: usize) {
        let validates = state.tasks[task].pc == Pc::Validate;
        let inside = validates && self.asks[task].1 == Mode::Read;
        let prev = inside.then(|| state.own(task));
        state.walk_from(task, prev);
    }

    fn lose(&self, state: &mut State, task: usize) {
        let (patience, tries) = (self.policy.patience, &mut state.tasks[task].tries);
        if patience != Policy::NEVER && *tries != patience {
            *tries += 1;
            if *tries == patience {
                state.aux.push(task);
            }
        }
    }

    fn unlink(&self, state: &mut State, task: usize) -> bool {
        let Task { pc, prev, cur, .. } = state.tasks[task];
        if !matches!(pc, Pc::Insert | Pc::Validate) || !state.is_marked(cur) {
            return false;
        }
        if state.can_swap(prev, cur) {
            let behind = state.behind(cur);
            state.link(prev, behind);
            state.tasks[task].cur = behind;
        } else {
            self.restart(state, task);
            self.lose(state, task);
        }
        true
    }

    fn pass(&self, state: &mut State, task: usize) -> bool {
        let passes = self.finds_unmarked(state, task) == Some(Place::Before);
        if passes {
            let cur = state.tasks[task].cur;
            state.walk_from(task, cur);
        }
        passes
    }

    fn insert(&self, state: &mut State, task: usize) -> bool {
        let Task { pc, prev, cur, .. } = state.tasks[task];
        if pc != Pc::Insert || self.finds(state, task) != Some(Place::Behind) {
            return false;
        }
        if state.can_swap(prev, cur) {
            let own = Some(state.own(task));
            state.link(prev, own);
            state.link(own, cur);
            if self.policy.validates(self.asks[task].1) {
                state.tasks[task].pc = Pc::Validate;
                self.restart(state, task);
            } else {
                state.enter(task);
            }
        } else {
            if state.is_marked(prev) {
                self.restart(state, task);
            } else {
                state.walk_from(task, prev);
            }
            self.lose(state, task);
        }
        true
    }

    fn meet(&self, state: &mut State, task: usize) -> bool {
        let (met, acts) = match state.tasks[task].pc {
            Pc::Insert => (Pc::Met, self.policy.sleeps),
            _ => (Pc::MetInside, self.on_conflict(task) == OnConflict::Retreat),
        };
        let meets = self.finds_unmarked(state, task) == Some(Place::Conflict);
        state.tasks[task].pc = met;
        !self.policy.rechecks && meets && acts
    }

    /// Whether a task acts on a conflict: at once, if it has read the mark under the sleepers' lock, else when it has met the node.
    fn acts_on(&self, state: &State, task: usize, at: Pc, met: Pc) -> bool {
        let pc = state.tasks[task].pc;
        let at_once = self.policy.rechecks && pc == at;
        pc == met || at_once && self.finds_unmarked(state, task) == Some(Place::Conflict)
    }
}

impl State {
    fn own(&self, task: usize) -> Node {
        (task, self.tasks[task].slot)
    }

    fn is_marked(&self, node: Option<Node>) -> bool {
        node.is_some_and(|node| self.marked.contains(&node))
    }

    /// The node behind this one, or behind the head.
    fn behind(&self, node: Option<Node>) -> Option<Node> {
        node.map_or(self.head, |(task, slot)| self.next[task][slot])
    }

    fn link(&mut self, node: Option<Node>, to: Option<Node>) {
        match node {
            None => self.head = to,
            Some((task, slot)) => self.next[task][slot] = to,
        }
    }

    fn can_swap(&self, node: Option<Node>, from: Option<Node>) -> bool {
        self.behind(node) == from && !self.is_marked(node)
    }

    /// The nodes that can be reached, from the head or by who walks.
    fn reached(&self) -> BTreeSet<Node> {
        let walks =
            |task: &&Task| matches!(task.pc, Pc::Insert | Pc::Validate | Pc::Met | Pc::MetInside);
        let walkers = self.tasks.iter().filter(walks);
        let mut unexplored: Vec<Node> = walkers
            .flat_map(|task| [task.prev, task.cur])
            .chain([self.head])
            .flatten()
            .collect();
        let mut reached = BTreeSet::new();
        while let Some(node) = unexplored.pop() {
            if reached.insert(node) {
                unexplored.extend(self.behind(Some(node)));
            }
        }
        reached
    }

    fn walk_from(&mut self, task: usize, prev: Option<Node>) {
        let cur = self.behind(prev);
        let task = &mut self.tasks[task];
        (task.prev, task.cur) = (prev, cur);
    }

    fn end_walk(&mut self, task: usize) {
        let task = &mut self.tasks[task];
        (task.prev, task.cur) = (None, None);
    }

    fn enter(&mut self, task: usize) {
        self.end_walk(task);
        self.tasks[task].pc = Pc::Hold;
        self.tasks[task].tries = 0;
        self.aux.retain(|other| *other != task);
    }

    fn mark(&mut self, task: usize, pc: Pc) {
        self.marked.insert(self.own(task));
        self.end_walk(task);
        for other in self.tasks.iter_mut().filter(|other| other.pc == Pc::Sleep) {
            other.pc = Pc::Again;
        }
        self.tasks[task].pc = pc;
    }
}
