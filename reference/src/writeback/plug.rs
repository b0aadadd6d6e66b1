//! The state machine of the flusher's plug: `WbPlug.tla`.
//!
//! States and actions bear the names that they have in the specification. An inode is its number, from 1 on; neighbours in
//! number are neighbours on the disk.

use std::collections::BTreeSet;

use super::plug_policy::{Finish, Leave, Next, Plug, Policy};

/// One request: inodes that are neighbours, the first and the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Run {
    /// The first inode.
    pub first: usize,
    /// The last one.
    pub last: usize,
}

impl Run {
    /// It writes this inode.
    pub fn has(self, inode: usize) -> bool {
        (self.first..=self.last).contains(&inode)
    }
}

/// `Runs`: I/O of neighbours is one request.
pub fn runs(plug: &BTreeSet<usize>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for &inode in plug {
        match runs.last_mut() {
            Some(run) if run.last.checked_add(1) == Some(inode) => run.last = inode,
            _ => runs.push(Run {
                first: inode,
                last: inode,
            }),
        }
    }
    runs
}

/// What the flusher does; in `WbPlug.tla` a string of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pc {
    /// Has no work.
    Idle,
    /// Is to take wb->list_lock.
    Lock,
    /// Has it, looks at b_io.
    Pick,
    /// __writeback_single_inode, before the I/O.
    Write,
    /// The same, has slept there.
    Submit,
    /// Is to finish the plug of one inode.
    Inode,
    /// Behind the inode, without the lock.
    After,
    /// Is to finish the plug.
    Finish,
    /// Is to end the pass.
    End,
}

/// Where the flusher is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cpu {
    /// On its processor.
    On,
    /// Off it, and wants it back.
    Preempted,
    /// Off it, and waits for something.
    Asleep,
}

/// A state of the flusher, its plug and the device.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// What the flusher does.
    pub pc: Pc,
    /// What the dirtier does: it is throttled.
    pub throttled: bool,
    /// The inode in hand, or from which on b_io is looked at.
    pub next: usize,
    /// The inode to take next, if that is kept; 0: none.
    pub cached: usize,
    /// Inodes that somebody else has taken off b_io.
    pub moved: BTreeSet<usize>,
    /// The flusher holds wb->list_lock.
    pub locked: bool,
    /// current->plug is there.
    pub plugged: bool,
    /// Inodes whose page is submitted, and not issued.
    pub plug: BTreeSet<usize>,
    /// Requests in front of the device.
    pub queue: BTreeSet<Run>,
    /// The device's requests.
    pub flying: BTreeSet<Run>,
    /// Where the flusher is.
    pub cpu: Cpu,
    /// Somebody else wants the processor.
    pub resched: bool,
    /// The inode whose page a throttled task waits for; 0: none.
    pub waits: usize,
    /// How many requests this pass has issued.
    pub requests: u32,
    /// How often its plug was flushed before its end.
    pub breaks: u32,
}

/// An action of `WbPlug.tla`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// wb_writeback has work.
    Begin,
    /// spin_lock(wb->list_lock).
    Lock,
    /// The next inode of b_io, and the lock is dropped for it; or there is none.
    Pick,
    /// ->writepages sleeps.
    Sleep,
    /// submit_bio, into the plug.
    Submit,
    /// blk_finish_plug.
    Finish,
    /// cond_resched, where somebody wants the processor.
    Resched,
    /// The same, where nobody does.
    GoOn,
    /// The pass is over.
    End,
    /// The flusher gets its processor back.
    Resume,
    /// Somebody else becomes runnable.
    Want,
    /// Somebody else takes this inode off b_io.
    Move(usize),
    /// balance_dirty_pages waits for this inode's page.
    Throttle(usize),
    /// The device takes a request from the queue.
    Issue(Run),
    /// The device has done a request.
    Complete(Run),
}

impl Action {
    /// Those without an argument.
    const PLAIN: [Action; 11] = [
        Action::Begin,
        Action::Lock,
        Action::Pick,
        Action::Sleep,
        Action::Submit,
        Action::Finish,
        Action::Resched,
        Action::GoOn,
        Action::End,
        Action::Resume,
        Action::Want,
    ];
}

/// What is in front of the device; in `WbPlug.tla` a string of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// Nothing: whoever hands requests over waits until the device takes them.
    None,
    /// A queue that keeps requests as they are.
    Keeps,
    /// A queue in which I/O continues a request that waits there.
    Merges,
}

/// The inodes, the device and the variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The variant.
    pub policy: Policy,
    /// How many inodes are on b_io.
    pub files: usize,
    /// How many requests the device takes at a time.
    pub slots: usize,
    /// What is in front of it.
    pub queue: Queue,
    /// Inodes that somebody else may take off b_io.
    pub movable: BTreeSet<usize>,
}

impl Machine {
    /// So many inodes that nobody else takes, and a device that takes so many requests, with no queue.
    pub fn new(policy: Policy, files: usize, slots: usize) -> Machine {
        Machine {
            policy,
            files,
            slots,
            queue: Queue::None,
            movable: BTreeSet::new(),
        }
    }

    /// `Init`: no work.
    pub fn init(&self) -> State {
        State {
            pc: Pc::Idle,
            throttled: false,
            next: 1,
            cached: 0,
            moved: BTreeSet::new(),
            locked: false,
            plugged: false,
            plug: BTreeSet::new(),
            queue: BTreeSet::new(),
            flying: BTreeSet::new(),
            cpu: Cpu::On,
            resched: false,
            waits: 0,
            requests: 0,
            breaks: 0,
        }
    }

    /// Every action there could be, enabled or not.
    pub fn candidates(&self) -> Vec<Action> {
        let inodes = 1..=self.files;
        let runs = inodes
            .clone()
            .flat_map(|first| (first..=self.files).map(move |last| Run { first, last }));
        let of_inodes = inodes.flat_map(|inode| [Action::Move(inode), Action::Throttle(inode)]);
        let of_runs = runs.flat_map(|run| [Action::Issue(run), Action::Complete(run)]);
        let plain = Action::PLAIN.into_iter();
        plain.chain(of_inodes).chain(of_runs).collect()
    }

    /// The actions that are enabled.
    pub fn actions(&self, state: &State) -> Vec<Action> {
        let mut actions = self.candidates();
        actions.retain(|&action| self.step(state, action).is_some());
        actions
    }

    /// The state after `action`, or `None` if it is not enabled: also for a state with inodes that are not this machine's.
    pub fn step(&self, state: &State, action: Action) -> Option<State> {
        if !self.is_ours(state) {
            return None;
        }
        let mut next = state.clone();
        match action {
            Action::Resume => self.resume(&mut next)?,
            Action::Throttle(inode) => throttle(&mut next, inode)?,
            Action::Complete(run) => complete(&mut next, run)?,
            Action::Move(inode) => self.take_off(&mut next, inode)?,
            Action::Issue(run) => self.issue(&mut next, run)?,
            Action::Want => {
                let wants = next.cpu == Cpu::On && !next.resched;
                wants.then(|| next.resched = true)?;
            }
            _ => {
                let running = next.cpu == Cpu::On;
                running.then_some(())?;
                self.flusher(&mut next, action)?;
            }
        }
        Some(next)
    }

    fn is_ours(&self, state: &State) -> bool {
        let known = |inode: usize| (1..=self.files).contains(&inode);
        let orderly = |run: &Run| known(run.first) && known(run.last) && run.first <= run.last;
        let inodes = state.plug.iter().chain(&state.moved);
        let mut requests = state.queue.iter().chain(&state.flying);
        state.next >= 1
            && state.next - 1 <= self.files
            && state.cached <= self.files + 1
            && state.waits <= self.files
            && inodes.copied().all(known)
            && requests.all(orderly)
    }

    /// `First`: the first inode on b_io from this one on; behind the last one there is one more.
    fn first(&self, state: &State, from: usize) -> usize {
        let mut inodes = from..=self.files;
        let found = inodes.find(|inode| !state.moved.contains(inode));
        found.unwrap_or(self.files + 1)
    }

    /// `HasRoom`: whoever hands over what is in the plug need not wait.
    pub fn has_room(&self, state: &State) -> bool {
        self.queue != Queue::None || state.flying.len() + runs(&state.plug).len() <= self.slots
    }

    /// `HandOver`, of what is in the plug; says whether there was something.
    fn hand_over(&self, state: &mut State) -> Option<bool> {
        let runs = runs(&state.plug);
        state.plug.clear();
        if self.queue == Queue::None {
            let issued = u32::try_from(runs.len()).ok()?;
            state.requests = state.requests.checked_add(issued)?;
            state.flying.extend(&runs);
        } else {
            state.queue.extend(&runs);
        }
        Some(!runs.is_empty())
    }

    /// The plug of a task that is about to leave its processor; `Break`, if it is flushed.
    fn leave(&self, state: &mut State, leave: Leave) -> Option<()> {
        if leave == Leave::Flushes && self.hand_over(state)? {
            state.breaks = state.breaks.checked_add(1)?;
        }
        Some(())
    }
}

/// The rest of the world's; each is `None` unless it is enabled.
impl Machine {
    fn take_off(&self, state: &mut State, inode: usize) -> Option<()> {
        let in_hand = matches!(state.pc, Pc::Write | Pc::Submit) && inode == state.next;
        let free = state.pc != Pc::Idle && !state.locked;
        let may = self.movable.contains(&inode) && free && inode >= state.next && !in_hand;
        (may && state.moved.insert(inode)).then_some(())
    }

    fn issue(&self, state: &mut State, run: Run) -> Option<()> {
        let taken = state.flying.len() < self.slots && state.queue.remove(&run);
        taken.then_some(())?;
        state.flying.insert(run);
        state.requests = state.requests.checked_add(1)?;
        Some(())
    }
}

/// The flusher's own steps; each is `None` unless it is enabled.
impl Machine {
    fn flusher(&self, state: &mut State, action: Action) -> Option<()> {
        match (action, state.pc) {
            (Action::Begin, Pc::Idle) => {
                state.pc = Pc::Lock;
                state.plugged = self.policy.plug == Plug::Outside;
            }
            (Action::Lock, Pc::Lock) => {
                state.pc = Pc::Pick;
                state.locked = true;
                state.plugged |= self.policy.plug == Plug::Loop;
            }
            (Action::Pick, Pc::Pick) => self.pick(state),
            (Action::Sleep, Pc::Write) => {
                self.leave(state, self.policy.sleep)?;
                state.cpu = Cpu::Asleep;
                state.pc = Pc::Submit;
            }
            (Action::Submit, Pc::Write | Pc::Submit) => {
                (state.next <= self.files).then_some(())?;
                self.submit(state);
                state.next += 1;
                state.pc = match self.policy.plug {
                    Plug::Inode => Pc::Inode,
                    Plug::Loop | Plug::Outside => Pc::After,
                };
            }
            (Action::Finish, Pc::Inode | Pc::Finish) => self.finish(state)?,
            (Action::Resched, Pc::After) if state.resched => {
                let leaves = self.policy.resched == Leave::Stays || self.has_room(state);
                if !leaves {
                    state.cpu = Cpu::Asleep;
                    return Some(());
                }
                self.leave(state, self.policy.resched)?;
                state.cpu = Cpu::Preempted;
                state.resched = false;
                state.pc = Pc::Lock;
            }
            (Action::GoOn, Pc::After) if !state.resched => state.pc = Pc::Lock,
            (Action::End, Pc::End) if has_ended(state) => {
                *state = State {
                    resched: state.resched,
                    ..self.init()
                };
            }
            _ => return None,
        }
        Some(())
    }

    /// Into the plug, or behind a request in the queue.
    fn submit(&self, state: &mut State) {
        let inode = state.next;
        let continues = |run: &&Run| self.queue == Queue::Merges && run.has(inode - 1);
        match state.queue.iter().find(continues).copied() {
            Some(run) => {
                state.queue.remove(&run);
                state.queue.insert(Run { last: inode, ..run });
            }
            None => {
                state.plug.insert(inode);
            }
        }
    }

    fn pick(&self, state: &mut State) {
        let Policy { plug, finish, .. } = self.policy;
        state.next = match state.cached {
            0 => self.first(state, state.next),
            cached => cached,
        };
        if self.policy.next == Next::Cached && state.next <= self.files {
            state.cached = self.first(state, state.next + 1);
        }
        if state.next <= self.files {
            state.pc = Pc::Write;
            state.locked = false;
            state.plugged |= plug == Plug::Inode;
        } else {
            let ends = plug == Plug::Inode || finish == Finish::Never;
            state.pc = if ends { Pc::End } else { Pc::Finish };
            state.locked = finish == Finish::Locked;
        }
    }

    fn finish(&self, state: &mut State) -> Option<()> {
        if !self.has_room(state) {
            state.cpu = Cpu::Asleep;
            return Some(());
        }
        self.hand_over(state)?;
        state.plugged = false;
        state.pc = match state.pc {
            Pc::Inode => Pc::After,
            _ => Pc::End,
        };
        state.locked = false;
        Some(())
    }

    fn resume(&self, state: &mut State) -> Option<()> {
        let resumes = state.cpu != Cpu::On && (!awaits_room(state) || self.has_room(state));
        resumes.then(|| state.cpu = Cpu::On)
    }
}

/// `AwaitsRoom`: the flusher sleeps in the midst of handing its plug over.
pub fn awaits_room(state: &State) -> bool {
    state.cpu == Cpu::Asleep && matches!(state.pc, Pc::Inode | Pc::After | Pc::Finish)
}

/// The device has done all, so that nobody is throttled.
fn has_ended(state: &State) -> bool {
    state.queue.is_empty() && state.flying.is_empty() && state.waits == 0
}

fn throttle(state: &mut State, inode: usize) -> Option<()> {
    let mut handed_over = state.queue.iter().chain(&state.flying);
    let flies = handed_over.any(|run| run.has(inode));
    let waits = state.waits == 0 && (flies || state.plug.contains(&inode));
    waits.then(|| {
        state.waits = inode;
        state.throttled = true;
    })
}

fn complete(state: &mut State, run: Run) -> Option<()> {
    let was_there = state.flying.remove(&run);
    was_there.then(|| {
        if run.has(state.waits) {
            state.waits = 0;
            state.throttled = false;
        }
    })
}
