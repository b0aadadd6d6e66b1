//! The state machine of the wait for reserved credits, and the ways to wake: `ReserveWait.tla`.
//!
//! States and actions bear the names that they have in the specification. What only the model checker needs is left out: the
//! sizes of the herds, and of the number of wake-ups all but whether there was one.

/// Whom a release wakes, and an attempt that takes back what was too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wake {
    /// `"all"`: wake_up, of waiters that are not exclusive.
    All,
    /// `"one"`: wake_up, of exclusive waiters.
    One,
    /// `"chain"`: the same, and whoever has got its credits wakes the next.
    Chain,
    /// `"hand-off"`: as many as the credits serve, in their order; they need not test, and who tests adds nothing that it takes
    /// back.
    HandOff,
    /// `"untested"`: control; all, and a thread takes what does not fit.
    Untested,
    /// `"quiet"`: control; a release wakes all, an attempt that fails nobody.
    Quiet,
}

impl Wake {
    /// Every way under its name in the specification.
    pub const NAMED: [(&str, Wake); 6] = [
        ("all", Wake::All),
        ("one", Wake::One),
        ("chain", Wake::Chain),
        ("hand-off", Wake::HandOff),
        ("untested", Wake::Untested),
        ("quiet", Wake::Quiet),
    ];
}

/// The reserved credits as a decision sees them; each method is the operator of that name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reserved {
    pub wake: Wake,
    /// j_max_transaction_buffers / 2.
    pub half: u32,
    /// How many are reserved.
    pub sum: u32,
}

impl Reserved {
    /// `Fits`: so many more.
    pub fn fits(self, need: u32) -> bool {
        let sum = self.sum.checked_add(need);
        sum.is_some_and(|sum| sum <= self.half)
    }

    /// `Fitting`: how many waiters, from the first on, fit together. `queue` is what each needs, first to come first.
    fn fitting(self, queue: &[u32]) -> usize {
        let mut now = self;
        let fits = |need: &&u32| {
            let fits = now.fits(**need);
            now.sum = now.sum.saturating_add(**need);
            fits
        };
        queue.iter().take_while(fits).count()
    }

    /// `WokenBy`: how many waiters, from the first on, a release wakes that leaves these credits.
    pub fn woken_by(self, queue: &[u32]) -> usize {
        match self.wake {
            Wake::All | Wake::Untested | Wake::Quiet => queue.len(),
            Wake::One | Wake::Chain => queue.len().min(1),
            Wake::HandOff => self.fitting(queue),
        }
    }

    /// `StirredBy`: how many an attempt wakes that has taken back what was too much.
    pub fn stirred_by(self, queue: &[u32]) -> usize {
        match self.wake {
            Wake::Quiet => 0,
            _ => self.woken_by(queue),
        }
    }

    /// `Exact`: the test adds nothing that it takes back, and nobody passes others that wait.
    pub fn is_exact(self) -> bool {
        self.wake == Wake::HandOff
    }

    /// `ChainedBy`: how many waiters a thread wakes that has just taken its credits, which count in the sum; `woken` says
    /// whether it was woken itself.
    pub fn chained_by(self, woken: bool, queue: &[u32]) -> usize {
        let first = queue.first().filter(|need| self.fits(**need));
        match self.wake {
            Wake::Chain if woken => first.iter().len(),
            _ => 0,
        }
    }

    /// `MayTake`: a thread may take what it needs.
    pub fn may_take(self, need: u32, queue: &[u32]) -> bool {
        match self.wake {
            Wake::Untested => true,
            _ => self.fits(need) && (!self.is_exact() || queue.is_empty()),
        }
    }
}

/// What a thread is doing; in `ReserveWait.tla` a string of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pc {
    /// Holds no reservation, wants none.
    Idle,
    /// Is to add its credits, and see.
    Test,
    /// Has added too much, is to take it back.
    Undo,
    /// In wait_event(j_wait_reserved), awake.
    Look,
    /// The same, asleep.
    Sleep,
    /// Has its reservation.
    Hold,
}

/// A state of the reserved credits and the threads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// What each thread is doing.
    pub pc: Vec<Pc>,
    /// j_wait_reserved: the sleepers, first to come first.
    pub queue: Vec<usize>,
    /// j_reserved_credits.
    pub reserved: u32,
    /// Whether each thread was woken since its start.
    pub woken: Vec<bool>,
}

/// An action of `ReserveWait.tla`, with the thread that takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// jbd2__journal_start with reserved blocks.
    Start(usize),
    /// The test succeeds.
    Take(usize),
    /// It fails: until it is taken back others see what was added.
    Fail(usize),
    /// sub_reserved_credits takes it back, and wakes.
    Undo(usize),
    /// wait_event goes to sleep, or sleeps on: the thread's own credits do not fit.
    Sleep(usize),
    /// wait_event returns: they fit.
    Retry(usize),
    /// sub_reserved_credits: the reservation is used, or given back.
    Release(usize),
}

impl Action {
    /// The thread that takes it.
    pub fn thread(self) -> usize {
        match self {
            Action::Start(t)
            | Action::Take(t)
            | Action::Fail(t)
            | Action::Undo(t)
            | Action::Sleep(t)
            | Action::Retry(t)
            | Action::Release(t) => t,
        }
    }
}

/// The threads, the credits for them, and the way to wake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// What each thread reserves.
    pub needs: Vec<u32>,
    /// j_max_transaction_buffers / 2.
    pub half: u32,
    /// Whom a release wakes.
    pub wake: Wake,
}

impl Machine {
    /// Threads with these needs, and `half` credits for them.
    pub fn new(needs: Vec<u32>, half: u32, wake: Wake) -> Machine {
        Machine { needs, half, wake }
    }

    /// `Init`: all idle.
    pub fn init(&self) -> State {
        State {
            pc: vec![Pc::Idle; self.needs.len()],
            queue: Vec::new(),
            reserved: 0,
            woken: vec![false; self.needs.len()],
        }
    }

    /// Every action there could be, enabled or not.
    pub fn candidates(&self) -> Vec<Action> {
        let of_thread = [
            Action::Start,
            Action::Take,
            Action::Fail,
            Action::Undo,
            Action::Sleep,
            Action::Retry,
            Action::Release,
        ];
        let threads = 0..self.needs.len();
        threads
            .flat_map(|t| of_thread.map(|action| action(t)))
            .collect()
    }

    /// The actions that are enabled.
    pub fn actions(&self, state: &State) -> Vec<Action> {
        let mut actions = self.candidates();
        actions.retain(|&action| self.step(state, action).is_some());
        actions
    }

    /// The state after `action`, or `None` if it is not enabled: also for a thread or a state that is not this machine's.
    pub fn step(&self, state: &State, action: Action) -> Option<State> {
        let threads = self.needs.len();
        let known = |t: &usize| *t < threads;
        let ours = (state.pc.len(), state.woken.len()) == (threads, threads);
        if !ours || !state.queue.iter().all(known) || !known(&action.thread()) {
            return None;
        }
        match action {
            Action::Start(t) => self.start(state, t),
            Action::Take(t) => self.take(state, t),
            Action::Fail(t) => self.fail(state, t),
            Action::Undo(t) => self.undo(state, t),
            Action::Sleep(t) => self.sleep(state, t),
            Action::Retry(t) => self.retry(state, t),
            Action::Release(t) => self.release(state, t),
        }
    }

    fn reserved(&self, sum: u32) -> Reserved {
        Reserved {
            wake: self.wake,
            half: self.half,
            sum,
        }
    }

    /// What each sleeper needs.
    fn queue(&self, state: &State) -> Vec<u32> {
        state.queue.iter().map(|&t| self.needs[t]).collect()
    }

    fn may_take(&self, state: &State, t: usize) -> bool {
        let reserved = self.reserved(state.reserved);
        reserved.may_take(self.needs[t], &self.queue(state))
    }

    /// The state, if t is there, with t gone on to `to`.
    fn goes(state: &State, t: usize, from: Pc, to: Pc) -> Option<State> {
        let mut next = (state.pc[t] == from).then(|| state.clone())?;
        next.pc[t] = to;
        Some(next)
    }

    /// `WakeUp`: the first `count` sleepers wake up, to do what `then` says.
    fn wake_up(next: &mut State, count: usize, then: Pc) {
        for t in next.queue.drain(..count) {
            next.pc[t] = then;
            next.woken[t] = true;
        }
    }

    fn start(&self, state: &State, t: usize) -> Option<State> {
        let mut next = Self::goes(state, t, Pc::Idle, Pc::Test)?;
        next.woken[t] = false;
        Some(next)
    }

    fn take(&self, state: &State, t: usize) -> Option<State> {
        let mut next = Self::goes(state, t, Pc::Test, Pc::Hold)?;
        next.reserved = state.reserved.checked_add(self.needs[t])?;
        let reserved = self.reserved(next.reserved);
        let chained = reserved.chained_by(state.woken[t], &self.queue(state));
        Self::wake_up(&mut next, chained, Pc::Look);
        self.may_take(state, t).then_some(next)
    }

    fn fail(&self, state: &State, t: usize) -> Option<State> {
        let mut next = Self::goes(state, t, Pc::Test, Pc::Undo)?;
        next.reserved = state.reserved.checked_add(self.needs[t])?;
        let fails = !self.reserved(state.reserved).is_exact() && !self.may_take(state, t);
        fails.then_some(next)
    }

    fn undo(&self, state: &State, t: usize) -> Option<State> {
        let mut next = Self::goes(state, t, Pc::Undo, Pc::Look)?;
        next.reserved = state.reserved.checked_sub(self.needs[t])?;
        let woken = self.reserved(next.reserved).stirred_by(&self.queue(state));
        Self::wake_up(&mut next, woken, Pc::Look);
        Some(next)
    }

    fn sleep(&self, state: &State, t: usize) -> Option<State> {
        let reserved = self.reserved(state.reserved);
        let sleeps = match state.pc[t] {
            Pc::Look => !reserved.fits(self.needs[t]),
            Pc::Test => reserved.is_exact() && !self.may_take(state, t),
            _ => false,
        };
        let mut next = sleeps.then(|| state.clone())?;
        next.pc[t] = Pc::Sleep;
        next.queue.push(t);
        Some(next)
    }

    fn retry(&self, state: &State, t: usize) -> Option<State> {
        let next = Self::goes(state, t, Pc::Look, Pc::Test)?;
        let fits = self.reserved(state.reserved).fits(self.needs[t]);
        fits.then_some(next)
    }

    /// With `"hand-off"` it takes the credits of those whom it wakes.
    fn release(&self, state: &State, t: usize) -> Option<State> {
        let mut next = Self::goes(state, t, Pc::Hold, Pc::Idle)?;
        next.reserved = state.reserved.checked_sub(self.needs[t])?;
        let queue = self.queue(state);
        let woken = self.reserved(next.reserved).woken_by(&queue);
        if self.wake == Wake::HandOff {
            let handed: u32 = queue[..woken].iter().sum();
            next.reserved += handed;
            Self::wake_up(&mut next, woken, Pc::Hold);
        } else {
            Self::wake_up(&mut next, woken, Pc::Look);
        }
        Some(next)
    }
}
