//! The state machine of a journal's credits: `Jbd2Credits.tla`.
//!
//! States and actions bear the names that they have in the specification, where each action's kernel function is told. The
//! actions that are enabled in a state, and the state after each, are a function of the state: no threads, no clock.

use std::collections::BTreeSet;

use super::policy::Policy;
use super::steps::Steps;

/// Credits, each for one block; blocks are counted in them too.
pub type Credits = i64;

/// Numbers beyond this are not the machine's. Sums of a few within it do not overflow.
const BOUND: Credits = 1 << 40;

/// Who starts handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// A thread that starts handles without a reservation.
    Plain(usize),
    /// A writepages thread, which has one page.
    Pages(usize),
    /// The worker of this page.
    Worker(usize),
}

/// t_state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TState {
    /// There is no transaction.
    None,
    /// Handles join.
    Running,
    /// Ordinary handles no longer join.
    Locked,
    /// Nobody joins.
    Switch,
    /// Its data is waited for.
    Flush,
    /// It is in the log, which it has not left to its successors yet.
    Tail,
}

/// A transaction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transaction {
    /// t_state.
    pub state: TState,
    /// t_outstanding_credits.
    pub out: Credits,
    /// t_updates.
    pub updates: i64,
    /// The blocks that it has to log.
    pub log: Credits,
    /// The pages whose data is to be on disk before it commits (t_inode_list).
    pub data: BTreeSet<usize>,
    /// Its commit is asked for.
    pub asked: bool,
}

impl Transaction {
    /// `None`: there is no transaction.
    pub const NONE: Transaction = Transaction {
        state: TState::None,
        out: 0,
        updates: 0,
        log: 0,
        data: BTreeSet::new(),
        asked: false,
    };
}

/// What a task is doing; in `Jbd2Credits.tla` a string of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pc {
    /// Nothing to do.
    Idle,
    /// start_this_handle, from the top.
    Try,
    /// wait_transaction_locked.
    WaitLocked,
    /// Has reserved too much, is to take it back.
    Undo,
    /// wait_event(j_wait_reserved), in test 4.
    WaitReserved,
    /// The same, in test 2.
    WaitRoom,
    /// wait_transaction_switching.
    WaitSwitch,
    /// __jbd2_log_wait_for_space.
    Space,
    /// The same, with j_checkpoint_mutex.
    Checkpoint,
    /// The same, jbd2_log_wait_commit of the transaction that commits.
    WaitCommit,
    /// The same, of the running one.
    WaitRunning,
    /// Has a handle.
    Attached,
    /// The same, with more credits.
    Extended,
    /// The same, without: must restart.
    Denied,
    /// -ENOSPC, -EROFS.
    Refused,
}

impl Pc {
    /// Every one under its name in the specification.
    pub const NAMED: [(&str, Pc); 15] = [
        ("idle", Pc::Idle),
        ("try", Pc::Try),
        ("wait-locked", Pc::WaitLocked),
        ("undo", Pc::Undo),
        ("wait-reserved", Pc::WaitReserved),
        ("wait-room", Pc::WaitRoom),
        ("wait-switch", Pc::WaitSwitch),
        ("space", Pc::Space),
        ("checkpoint", Pc::Checkpoint),
        ("wait-commit", Pc::WaitCommit),
        ("wait-running", Pc::WaitRunning),
        ("attached", Pc::Attached),
        ("extended", Pc::Extended),
        ("denied", Pc::Denied),
        ("refused", Pc::Refused),
    ];

    /// Its name in the specification.
    pub fn name(self) -> &'static str {
        let named = Pc::NAMED.iter().find(|(_, pc)| *pc == self);
        named.map_or("", |(name, _)| name)
    }
}

/// A state of the journal and its tasks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// j_running_transaction.
    pub running: Transaction,
    /// j_committing_transaction.
    pub committing: Transaction,
    /// j_free.
    pub free: Credits,
    /// The blocks of each committed transaction, oldest first.
    pub checkpoint: Vec<Credits>,
    /// j_reserved_credits.
    pub reserved: Credits,
    /// The pages of those who wait for reserved credits, first to come first; if the order matters.
    pub queue: Vec<usize>,
    /// The pages to whose threads reserved credits are handed over that are not yet charged.
    pub promised: BTreeSet<usize>,
    /// Who holds j_checkpoint_mutex.
    pub mutex: Option<Task>,
    /// What each task is doing, in the order of [`Machine::tasks`].
    pub pc: Vec<Pc>,
    /// Whether each page is under writeback.
    pub writeback: Vec<bool>,
    /// The journal has given up.
    pub aborted: bool,
}

/// An action of `Jbd2Credits.tla`, with the task that takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// jbd2__journal_start; for a worker, the end of its page's I/O.
    Start(Task),
    /// start_this_handle of an ordinary handle.
    Try(Task),
    /// Its fourth test fails: it has added what is too much.
    Fail(Task),
    /// It takes that back, and goes to wait.
    Undo(Task),
    /// wait_event(j_wait_reserved) returns.
    Look(Task),
    /// It gets -EROFS.
    Refuse(Task),
    /// start_this_handle of a reserved handle.
    TryReserved(Task),
    /// jbd2_journal_extend.
    Extend(Task),
    /// jbd2__journal_restart.
    Restart(Task),
    /// jbd2_journal_stop of a plain handle.
    Stop(Task),
    /// The page is submitted, and the handle stopped.
    Submit(Task),
    /// There is nothing to convert: jbd2_journal_free_reserved.
    Unreserve(Task),
    /// The conversion is done, and the page's writeback ends.
    Convert(Task),
    /// Takes j_checkpoint_mutex.
    LockCheckpoint(Task),
    /// Looks for space with it.
    MakeSpace(Task),
    /// A checkpoint finds a buffer that the running transaction owns.
    FindNewer(Task),
    /// The same, and the one that commits owns it.
    FindCommitting(Task),
    /// fsync, or the commit interval.
    AskCommit,
    /// Ordinary handles no longer join.
    CommitLock,
    /// All handles have stopped.
    CommitSwitch,
    /// What is reserved goes on to the next transaction.
    CommitFlush,
    /// The log takes the blocks.
    CommitWrite,
    /// The log's tail is updated.
    CommitEnd,
}

impl Action {
    /// The task that takes it; none for the commit's.
    pub fn task(self) -> Option<Task> {
        match self {
            Action::Start(t)
            | Action::Try(t)
            | Action::Fail(t)
            | Action::Undo(t)
            | Action::Look(t)
            | Action::Refuse(t)
            | Action::TryReserved(t)
            | Action::Extend(t)
            | Action::Restart(t)
            | Action::Stop(t)
            | Action::Submit(t)
            | Action::Unreserve(t)
            | Action::Convert(t)
            | Action::LockCheckpoint(t)
            | Action::MakeSpace(t)
            | Action::FindNewer(t)
            | Action::FindCommitting(t) => Some(t),
            Action::AskCommit
            | Action::CommitLock
            | Action::CommitSwitch
            | Action::CommitFlush
            | Action::CommitWrite
            | Action::CommitEnd => None,
        }
    }
}

/// The sizes of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// Blocks in the log.
    pub log: Credits,
    /// j_max_transaction_buffers: a quarter or a third of them.
    pub max: Credits,
    /// Credits that every transaction begins with.
    pub overhead: Credits,
    /// Blocks that jbd2_log_space_left keeps back: 32.
    pub slack: Credits,
}

/// Who uses the journal, and for how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Load {
    /// How many plain threads there are.
    pub plain: usize,
    /// How many writepages threads, each with one page and one worker.
    pub pages: usize,
    /// Credits of a plain handle.
    pub cost: Credits,
    /// Blocks that it dirties.
    pub uses: Credits,
    /// Credits that it may ask for later; it uses them.
    pub extra: Credits,
    /// The same of a conversion.
    pub convert_extra: Credits,
    /// Credits of a writepages thread's handle.
    pub page_cost: Credits,
    /// Blocks that it dirties.
    pub page_uses: Credits,
    /// Its reservation.
    pub reserve: Credits,
    /// Blocks that a conversion dirties.
    pub convert_uses: Credits,
}

/// A journal, its tasks, and its variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The variant.
    pub policy: Policy,
    /// The journal's sizes.
    pub sizes: Sizes,
    /// Its tasks.
    pub load: Load,
}

impl Machine {
    /// A journal of these sizes and its tasks.
    pub fn new(policy: Policy, sizes: Sizes, load: Load) -> Machine {
        Machine {
            policy,
            sizes,
            load,
        }
    }

    /// Every task: the plain ones, the writepages threads, their workers.
    pub fn tasks(&self) -> Vec<Task> {
        let plain = (0..self.load.plain).map(Task::Plain);
        let pages = (0..self.load.pages).map(Task::Pages);
        let workers = (0..self.load.pages).map(Task::Worker);
        plain.chain(pages).chain(workers).collect()
    }

    /// The task's place in [`Machine::tasks`], if it is one of them.
    pub fn place(&self, task: Task) -> Option<usize> {
        let Load { plain, pages, .. } = self.load;
        match task {
            Task::Plain(p) => (p < plain).then_some(p),
            Task::Pages(w) => (w < pages).then(|| plain + w),
            Task::Worker(w) => (w < pages).then(|| plain + pages + w),
        }
    }

    /// `Init`: an empty log, and nobody wants anything.
    pub fn init(&self) -> State {
        State {
            running: Transaction::NONE,
            committing: Transaction::NONE,
            free: self.sizes.log,
            checkpoint: Vec::new(),
            reserved: 0,
            queue: Vec::new(),
            promised: BTreeSet::new(),
            mutex: None,
            pc: vec![Pc::Idle; self.load.plain + 2 * self.load.pages],
            writeback: vec![false; self.load.pages],
            aborted: false,
        }
    }

    /// Every action there could be, enabled or not.
    pub fn candidates(&self) -> Vec<Action> {
        let of_task = [
            Action::Start,
            Action::Try,
            Action::Fail,
            Action::Undo,
            Action::Look,
            Action::Refuse,
            Action::TryReserved,
            Action::Extend,
            Action::Restart,
            Action::Stop,
            Action::Submit,
            Action::Unreserve,
            Action::Convert,
            Action::LockCheckpoint,
            Action::MakeSpace,
            Action::FindNewer,
            Action::FindCommitting,
        ];
        let of_commit = [
            Action::AskCommit,
            Action::CommitLock,
            Action::CommitSwitch,
            Action::CommitFlush,
            Action::CommitWrite,
            Action::CommitEnd,
        ];
        let tasks = self.tasks().into_iter();
        tasks
            .flat_map(|t| of_task.map(|action| action(t)))
            .chain(of_commit)
            .collect()
    }

    /// The actions that are enabled.
    pub fn actions(&self, state: &State) -> Vec<Action> {
        let mut actions = self.candidates();
        actions.retain(|&action| self.step(state, action).is_some());
        actions
    }

    /// The state after `action`, or `None` if it is not enabled: also for a task or a state that is not this machine's.
    pub fn step(&self, state: &State, action: Action) -> Option<State> {
        let known = |task: Task| self.place(task).is_some();
        if !action.task().is_none_or(known) || !self.knows(state) {
            return None;
        }
        let mut next = state.clone();
        self.advance(&mut next, action).then_some(next)
    }

    /// Takes `action` in `state` itself, if it is enabled; otherwise nothing changes. What [`Machine::step`] does to a copy, for
    /// those who take millions of steps.
    ///
    /// # Panics
    ///
    /// It may, if the state is not this machine's: use only what `init` and `step` gave.
    pub fn advance(&self, state: &mut State, action: Action) -> bool {
        let mut now = Steps {
            machine: self,
            state,
        };
        now.step(action).is_some()
    }

    /// Whether the state has the tasks of this machine, and no number that the machine cannot add to.
    fn knows(&self, state: &State) -> bool {
        let Load { plain, pages, .. } = self.load;
        let (sizes, load) = (self.sizes, self.load);
        let constants = [
            sizes.log,
            sizes.max,
            sizes.overhead,
            sizes.slack,
            load.cost,
            load.uses,
            load.extra,
            load.convert_extra,
            load.page_cost,
            load.page_uses,
            load.reserve,
            load.convert_uses,
        ];
        let small = |number: &Credits| (-BOUND..=BOUND).contains(number);
        let ours = |transaction: &Transaction| {
            let Transaction {
                out, updates, log, ..
            } = transaction;
            [out, updates, log].into_iter().all(small)
                && transaction.data.iter().all(|page| *page < pages)
        };
        constants.iter().all(small)
            && state.pc.len() == plain + 2 * pages
            && state.writeback.len() == pages
            && state.queue.len() <= pages
            && state
                .queue
                .iter()
                .chain(&state.promised)
                .all(|page| *page < pages)
            && state.mutex.is_none_or(|task| self.place(task).is_some())
            && small(&state.free)
            && small(&state.reserved)
            && state.checkpoint.iter().all(small)
            && ours(&state.running)
            && ours(&state.committing)
    }
}
