//! The log of a lock's atomic steps, and the check that it is a path of the machine.

use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use interlock::rwsem::budget_machine::{self, BudgetMachine};
use interlock::rwsem::machine::{self, Kind, Machine, Pc, State};
use interlock::rwsem::policy::Policy;
use interlock_rwlock::layout::{Layout, NoBudget};
use interlock_rwlock::probe::Probe;
use interlock_rwlock::word::{Action, Counts, WordOf};

use crate::overtaking::Overtaking;

/// What was seen of a lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event<L: Layout = NoBudget> {
    /// A task took a step.
    Step {
        /// Its number in the machine.
        task: usize,
        /// The word before.
        before: WordOf<L>,
        /// The step.
        action: Action,
        /// The word after.
        after: WordOf<L>,
    },
    /// A call by which the task acquires the lock has returned.
    Returned(usize),
    /// A call by which the task tries to acquire the lock has failed.
    Refused(usize),
}

/// A probe that writes down every step. It asks `task` which task of the machine the current thread is.
pub struct Log<L: Layout = NoBudget> {
    events: Mutex<Vec<Event<L>>>,
    task: fn() -> usize,
}

impl<L: Layout> Log<L> {
    /// An empty log.
    pub fn new(task: fn() -> usize) -> Self {
        Log {
            events: Mutex::new(Vec::new()),
            task,
        }
    }

    /// Writes down that the current thread has returned from acquiring the lock.
    pub fn returned(&self) {
        self.push(Event::Returned((self.task)()));
    }

    /// Writes down that the current thread has failed to acquire the lock, as one step with the attempt.
    pub fn refused(&self) {
        self.push(Event::Refused((self.task)()));
    }

    /// All events so far, in order.
    pub fn events(&self) -> Vec<Event<L>> {
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn push(&self, event: Event<L>) {
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(event);
    }
}

impl<L: Layout> Probe<L> for Log<L> {
    fn step(&self, before: WordOf<L>, action: Action, after: WordOf<L>) {
        self.push(Event::Step {
            task: (self.task)(),
            before,
            action,
            after,
        });
    }
}

/// The machine of `BatchQueue` with these tasks, readers first; every writer may downgrade.
pub fn batch_queue(readers: usize, writers: usize) -> Machine {
    let machine = Machine::new(readers, writers, Policy::BATCH_QUEUE);
    Machine {
        downgraders: machine
            .kinds
            .iter()
            .map(|kind| *kind == Kind::Writer)
            .collect(),
        ..machine
    }
}

/// A machine that a lock is compared with.
pub trait Path {
    /// Its states.
    type State: Eq + Debug;

    /// All idle.
    fn init(&self) -> Self::State;
    /// The state after this step of the lock by the task.
    fn step(&self, state: &Self::State, task: usize, action: Action) -> Option<Self::State>;
    /// The tasks, and the lock without a budget.
    fn lock(&self) -> &Machine;
    /// The part of a state that the lock without a budget has.
    fn lock_state(state: &Self::State) -> &State;
    /// How many have passed the head, and whether it is called.
    fn passed(state: &Self::State) -> (u32, bool);
    /// How many may pass it.
    fn budget(&self) -> u32;
}

impl Path for Machine {
    type State = State;

    fn init(&self) -> State {
        Machine::init(self)
    }

    fn step(&self, state: &State, task: usize, action: Action) -> Option<State> {
        Machine::step(self, state, machine_action(task, action))
    }

    fn lock(&self) -> &Machine {
        self
    }

    fn lock_state(state: &State) -> &State {
        state
    }

    fn passed(_: &State) -> (u32, bool) {
        (0, false)
    }

    fn budget(&self) -> u32 {
        0
    }
}

impl Path for BudgetMachine {
    type State = budget_machine::State;

    fn init(&self) -> Self::State {
        BudgetMachine::init(self)
    }

    fn step(&self, state: &Self::State, task: usize, action: Action) -> Option<Self::State> {
        let action = match action {
            Action::Enter(_) => budget_machine::Action::Enter(task),
            Action::Queue(_) => budget_machine::Action::Queue(task),
            Action::Release(_) => budget_machine::Action::Release(task),
            Action::Downgrade => budget_machine::Action::Downgrade(task),
            Action::Wake => budget_machine::Action::Wake(task),
            Action::Rouse => budget_machine::Action::Rouse(task),
            Action::Take => budget_machine::Action::Take(task),
            Action::Miss => budget_machine::Action::Miss(task),
        };
        BudgetMachine::step(self, state, action)
    }

    fn lock(&self) -> &Machine {
        &self.lock
    }

    fn lock_state(state: &Self::State) -> &State {
        &state.lock
    }

    fn passed(state: &Self::State) -> (u32, bool) {
        (state.passed, state.roused)
    }

    fn budget(&self) -> u32 {
        self.budget
    }
}

/// The same tasks on a lock with the budget of a layout.
pub fn with_budget<L: Layout>(readers: usize, writers: usize) -> BudgetMachine {
    BudgetMachine {
        lock: batch_queue(readers, writers),
        budget: L::BUDGET,
    }
}

/// The machine's action that a step of the lock by this task is.
pub fn machine_action(task: usize, action: Action) -> machine::Action {
    match action {
        Action::Enter(_) => machine::Action::Enter(task),
        Action::Queue(_) => machine::Action::Queue(task),
        Action::Release(_) => machine::Action::Release(task),
        Action::Downgrade => machine::Action::Downgrade(task),
        Action::Wake => machine::Action::Wake(task),
        Action::Rouse | Action::Take | Action::Miss => {
            panic!("the machine has no budget: {action:?}")
        }
    }
}

/// The machine's state as the lock's word has it: counts for identities.
pub fn project(machine: &Machine, state: &State) -> Counts {
    let kind = |task: &usize| machine.kinds[*task];
    let mut counts = Counts::default();
    for (task, pc) in state.pc.iter().enumerate() {
        match (pc, kind(&task)) {
            (Pc::Hold, Kind::Writer) => counts.writer = true,
            (Pc::Hold, Kind::Reader) | (Pc::Shared, _) => counts.active += 1,
            _ => {}
        }
    }
    for task in &state.queue {
        match kind(task) {
            Kind::Reader => counts.readers += 1,
            Kind::Writer if counts.readers == 0 => counts.ahead += 1,
            Kind::Writer => counts.behind += 1,
        }
    }
    counts
}

/// Checks that the log of a lock that was free at its beginning is a path of the machine, which ends free again; that no call
/// returned before the machine gave its task the lock, or failed while the machine would let it in; and that overtaking is bounded.
///
/// # Panics
///
/// With the first event that does not fit.
pub fn check<M: Path, L: Layout>(machine: &M, events: &[Event<L>]) {
    let lock = machine.lock();
    let ours = |word: WordOf<L>| (word.counts(), (word.passed(), word.is_called()));
    let theirs = |state: &M::State| (project(lock, M::lock_state(state)), M::passed(state));
    let mut state = machine.init();
    let mut overtaking = Overtaking::new(lock, machine.budget());
    let mut word = None;
    for (at, event) in events.iter().enumerate() {
        match *event {
            Event::Returned(task) => {
                assert_eq!(
                    M::lock_state(&state).pc[task],
                    Pc::Hold,
                    "event {at}: task {task} returned without the lock\n{events:#?}"
                );
            }
            Event::Refused(task) => {
                let enters = machine.step(&state, task, Action::Enter(lock.kinds[task]));
                assert_eq!(
                    enters, None,
                    "event {at}: task {task} failed although it could enter\n{events:#?}"
                );
            }
            Event::Step {
                task,
                before,
                action,
                after,
            } => {
                let told = || format!("event {at}: {event:?} in {state:?}\n{events:#?}");
                assert!(
                    word.is_none_or(|word| word == before),
                    "the word changed between two steps, {}",
                    told()
                );
                assert_eq!(ours(before), theirs(&state), "before, {}", told());
                let next = machine.step(&state, task, action);
                let next = next.unwrap_or_else(|| panic!("not enabled in the machine, {}", told()));
                assert_eq!(ours(after), theirs(&next), "after, {}", told());
                let bounded = overtaking.account(M::lock_state(&state), M::lock_state(&next));
                bounded.unwrap_or_else(|told| panic!("{told}"));
                state = next;
                word = Some(after);
            }
        }
    }
    assert_eq!(
        state,
        machine.init(),
        "at the end the lock is not free\n{events:#?}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use interlock_rwlock::word::Word;

    /// The events of these actions of a machine, as its lock would log them.
    fn events(machine: &Machine, actions: &[machine::Action]) -> Vec<Event> {
        let word = |state: &State| Word::FREE.with_counts(project(machine, state));
        let mut state = machine.init();
        let event = |&action: &machine::Action| {
            let next = machine.step(&state, action).expect("it is enabled");
            let task = action.task().expect("a step of a task");
            let kind = machine.kinds[task];
            let step = match action {
                machine::Action::Enter(_) => Action::Enter(kind),
                machine::Action::Queue(_) => Action::Queue(kind),
                machine::Action::Release(_) => Action::Release(kind),
                _ => Action::Wake,
            };
            let event = Event::Step {
                task,
                before: word(&state),
                action: step,
                after: word(&next),
            };
            state = next;
            event
        };
        actions.iter().map(event).collect()
    }

    #[test]
    #[should_panic = "overtaken by (2, 0) readers and writers"]
    fn too_many_overtakers_are_found() {
        use machine::Action::{Enter, Queue, Release};
        let machine = Machine::new(2, 1, Policy::READER_PREF);
        let again = [Enter(0), Queue(2), Enter(1), Release(1), Enter(1)];
        check(&machine, &events(&machine, &again));
    }

    #[test]
    #[should_panic = "returned without the lock"]
    fn a_return_without_the_lock_is_found() {
        use machine::Action::{Enter, Queue};
        let machine = batch_queue(1, 1);
        let mut events = events(&machine, &[Enter(0), Queue(1)]);
        events.push(Event::Returned(1));
        check(&machine, &events);
    }

    #[test]
    #[should_panic = "failed although it could enter"]
    fn a_refusal_without_reason_is_found() {
        check::<_, NoBudget>(&batch_queue(1, 1), &[Event::Refused(0)]);
    }

    #[test]
    #[should_panic = "the lock is not free"]
    fn a_waiter_left_behind_is_found() {
        use machine::Action::{Enter, Queue, Release};
        let machine = batch_queue(1, 1);
        check(
            &machine,
            &events(&machine, &[Enter(0), Queue(1), Release(0)]),
        );
    }
}
