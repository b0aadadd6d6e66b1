//! The state machine of the lists under wb->list_lock: `WbLists.tla`.
//!
//! States and actions bear the names that they have in the specification, where each action's kernel function is told.

use std::collections::BTreeSet;

use super::list_policy::Policy;
use super::list_steps::Steps;

/// An inode, by its place in [`Machine::inodes`].
pub type Inode = usize;

/// A page: its inode, and its number from 1.
pub type Page = (Inode, usize);

/// Who does something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// The flusher of the bdi_writeback.
    Flusher,
    /// A thread that writes one inode by itself.
    Fsyncer,
    /// Whoever calls sync(2).
    Caller,
}

/// Who writes inodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writer {
    /// The flusher.
    Flusher,
    /// The thread that writes one inode by itself.
    Fsyncer,
}

/// What a task is doing; in `WbLists.tla` a string of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pc {
    /// Nothing.
    Idle,
    /// Has work: at the top of a loop, under list_lock.
    Pick,
    /// inode_sleep_on_writeback.
    Wait,
    /// Has I_SYNC; do_writepages.
    Write,
    /// The same, its slice is used up.
    Spent,
    /// The same, the inode is written.
    Requeue,
    /// Has written its inode, the only one.
    Done,
    /// Waits for its sync, whose work is queued.
    Queued,
    /// Waits for its sync, which the flusher is at.
    Served,
    /// sync(2) has returned.
    Returned,
}

/// A list of inodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum List {
    /// b_dirty.
    Dirty,
    /// b_io.
    Io,
    /// b_more_io.
    More,
    /// b_dirty_time.
    Time,
}

impl List {
    /// Every list.
    pub const ALL: [List; 4] = [List::Dirty, List::Io, List::More, List::Time];
}

/// A state of the lists, the inodes and the tasks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// What each [`Task`] is doing.
    pub pc: [Pc; 3],
    /// The inodes on each [`List`].
    pub list: [BTreeSet<Inode>; 4],
    /// The inode that each [`Writer`] is at.
    pub inode: [Option<Inode>; 2],
    /// The pages that each [`Writer`] has tagged and not written yet.
    pub towrite: [BTreeSet<Page>; 2],
    /// The pages that are tagged dirty.
    pub dirty: BTreeSet<Page>,
    /// The page that is tagged, its inode not marked yet.
    pub marking: Option<Page>,
    /// Inodes with I_DIRTY_PAGES.
    pub i_dirty_pages: BTreeSet<Inode>,
    /// Inodes with I_DIRTY_TIME.
    pub i_dirty_time: BTreeSet<Inode>,
    /// Inodes dirtied after the work of the sync began.
    pub fresh: BTreeSet<Inode>,
    /// Pages dirty when sync(2) was called, not written yet.
    pub promised_pages: BTreeSet<Page>,
    /// Inodes, the same of their timestamps.
    pub promised_times: BTreeSet<Inode>,
}

impl State {
    /// What the task is doing.
    pub fn pc(&self, task: Task) -> Pc {
        self.pc[task as usize]
    }

    /// The inodes on the list.
    pub fn on(&self, list: List) -> &BTreeSet<Inode> {
        &self.list[list as usize]
    }

    /// `ISync`: somebody writes the inode.
    pub fn is_written(&self, i: Inode) -> bool {
        let writes = |place: usize| {
            let pc = self.pc[place];
            matches!(pc, Pc::Write | Pc::Spent | Pc::Requeue) && self.inode[place] == Some(i)
        };
        [Writer::Flusher, Writer::Fsyncer]
            .into_iter()
            .any(|w| writes(w as usize))
    }
}

/// An action of `WbLists.tla`, with what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// A page is written to: its tag.
    Dirty(Page),
    /// __mark_inode_dirty(I_DIRTY_PAGES).
    Mark(Page),
    /// __mark_inode_dirty(I_DIRTY_TIME).
    DirtyTime(Inode),
    /// sync(2) is called.
    Sync,
    /// Its caller goes on.
    Return,
    /// writeback_single_inode begins.
    Fsync(Inode),
    /// It ends.
    FsyncEnd(Inode),
    /// do_writepages, of one page.
    WritePage(Writer, Page),
    /// The rest of __writeback_single_inode.
    WriteInode(Writer),
    /// Background work begins.
    StartBackground,
    /// The work of a sync begins.
    StartSync,
    /// queue_io.
    QueueIo,
    /// writeback_sb_inodes, the next inode.
    Pick(Inode),
    /// The same, of one that somebody writes.
    PickBusy(Inode),
    /// requeue_inode.
    Requeue(Inode),
    /// Background work stops for the sync.
    Yield,
    /// There is nothing left for this work.
    FinishWork,
}

/// What may happen to an inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind {
    /// How many pages it has.
    pub pages: usize,
    /// Its timestamps may become dirty alone.
    pub stamped: bool,
    /// It may be written by itself.
    pub synced: bool,
}

/// The inodes, and the variant of the lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The inodes.
    pub inodes: Vec<Kind>,
    /// A thread that has written an inode by itself may do so again.
    pub again: bool,
    /// A page is tagged and its inode marked in one step.
    pub at_once: bool,
    /// The variant.
    pub policy: Policy,
}

impl Machine {
    /// `Init`: all clean, all idle.
    pub fn init(&self) -> State {
        State {
            pc: [Pc::Idle; 3],
            list: Default::default(),
            inode: [None; 2],
            towrite: Default::default(),
            dirty: BTreeSet::new(),
            marking: None,
            i_dirty_pages: BTreeSet::new(),
            i_dirty_time: BTreeSet::new(),
            fresh: BTreeSet::new(),
            promised_pages: BTreeSet::new(),
            promised_times: BTreeSet::new(),
        }
    }

    /// Every page of every inode.
    pub fn pages(&self) -> Vec<Page> {
        let inodes = self.inodes.iter().enumerate();
        inodes
            .flat_map(|(i, kind)| (1..=kind.pages).map(move |page| (i, page)))
            .collect()
    }

    /// Every action there could be, enabled or not.
    pub fn candidates(&self) -> Vec<Action> {
        let mut all = vec![
            Action::Sync,
            Action::Return,
            Action::WriteInode(Writer::Flusher),
            Action::WriteInode(Writer::Fsyncer),
            Action::StartBackground,
            Action::StartSync,
            Action::QueueIo,
            Action::Yield,
            Action::FinishWork,
        ];
        let of_inode = [
            Action::DirtyTime,
            Action::Fsync,
            Action::FsyncEnd,
            Action::Pick,
            Action::PickBusy,
            Action::Requeue,
        ];
        let inodes = 0..self.inodes.len();
        all.extend(inodes.flat_map(|i| of_inode.map(|action| action(i))));
        for page in self.pages() {
            all.extend([
                Action::Dirty(page),
                Action::Mark(page),
                Action::WritePage(Writer::Flusher, page),
                Action::WritePage(Writer::Fsyncer, page),
            ]);
        }
        all
    }

    /// The actions that are enabled.
    pub fn actions(&self, state: &State) -> Vec<Action> {
        let mut actions = self.candidates();
        actions.retain(|&action| self.step(state, action).is_some());
        actions
    }

    /// The state after `action`, or `None` if it is not enabled: also for an inode or a page that is not this machine's.
    pub fn step(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        let mut steps = Steps {
            machine: self,
            before: state,
            next: &mut next,
        };
        steps.take(action).then_some(next)
    }
}
