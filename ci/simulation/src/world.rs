//! The simulated machine: who does what, who sleeps where, and the one state of the journal, which takes a step of
//! `interlock::jbd2` for each step of a task.

use std::collections::VecDeque;

use anyhow::{Result, bail, ensure};
use interlock::jbd2::machine::{Action, Machine, Pc, State, TState, Task};
use interlock::jbd2::policy::Wake;

use super::clock::{Actor, Clock, Event};
use super::costs::Nanos;
use super::phase::{Next, Phase, Wait};
use super::setup::{Mode, Setup};
use super::tally::{Site, Tally};

/// Nobody has finished a write for so long: a stall.
const PATIENCE: Nanos = 60_000_000_000;

/// Sees the machine and its state after each step.
pub type Watch<'a> = dyn FnMut(&Machine, &State) + 'a;

/// How many sorts of [`Wait`] have a queue.
const QUEUES: usize = 5;

/// An actor between its steps.
struct Life {
    phase: Phase,
    /// Sleeps until somebody wakes it up.
    is_asleep: bool,
    /// Where a writer waits, and since when.
    waits: Option<(Site, Nanos)>,
    /// What it owes its processor for those whom it woke.
    debt: Nanos,
    /// How long it has run at a stretch.
    stretch: Nanos,
    /// How long it has run, or would have if it had not slept: a scheduler's vruntime.
    ran: Nanos,
}

/// A run.
pub(super) struct World<'a> {
    pub setup: &'a Setup,
    pub machine: Machine,
    pub state: State,
    pub clock: Clock,
    pub tally: Tally,
    lives: Vec<Life>,
    queues: [VecDeque<Actor>; QUEUES],
    /// Who is taking a step.
    acts: Option<Actor>,
    /// When the counts began.
    settled: Nanos,
    /// The last write that ended, and how many there were.
    finished: (Nanos, u64),
    /// When each writer began to start its handle.
    pub started: Vec<Nanos>,
    /// How often it was woken up since then, of those who wait for reserved credits.
    pub woken: Vec<u64>,
    /// The transaction that each writer waits for.
    pub tids: Vec<u64>,
    /// The running transaction, and the last that is committed.
    pub tid: (u64, u64),
    /// Data that is being written, and who is to write next.
    pub disk: (usize, VecDeque<usize>),
    /// Pages to convert, and the one that is being converted.
    pub pages: (VecDeque<usize>, usize),
    watch: &'a mut Watch<'a>,
}

impl<'a> World<'a> {
    pub fn new(setup: &'a Setup, watch: &'a mut Watch<'a>) -> World<'a> {
        let machine = setup.machine();
        let state = machine.init();
        let phases = std::iter::repeat_n(Phase::Write, setup.threads);
        let lives = phases.chain([Phase::Fetch, Phase::Ask]).map(|phase| Life {
            phase,
            is_asleep: true,
            waits: None,
            debt: 0,
            stretch: 0,
            ran: 0,
        });
        World {
            setup,
            machine,
            state,
            clock: Clock::new(setup.costs.processors),
            tally: Tally::default(),
            lives: lives.collect(),
            queues: Default::default(),
            acts: None,
            settled: 0,
            finished: (0, 0),
            started: vec![0; setup.threads],
            woken: vec![0; setup.threads],
            tids: vec![0; setup.threads],
            tid: (1, 0),
            disk: (0, VecDeque::new()),
            pages: (VecDeque::new(), 0),
            watch,
        }
    }

    /// Runs until enough is written.
    ///
    /// # Errors
    ///
    /// When nothing is written any more, or the journal's machine does not take a step.
    pub fn run(mut self) -> Result<Tally> {
        let threads = self.setup.threads as u64;
        let (before, counted) = self.setup.rounds;
        let (settled, end) = (threads * before, threads * (before + counted));
        for writer in 0..self.setup.threads {
            self.wake(Actor::Writer(writer));
        }
        while self.finished.1 < end {
            while let Some(actor) = self.clock.dispatch() {
                self.resume(actor);
            }
            let Some(event) = self.clock.next() else {
                bail!(self.stall("nothing is to happen"));
            };
            ensure!(
                self.clock.now() - self.finished.0 < PATIENCE,
                self.stall("no write has ended for a minute")
            );
            let settles = self.finished.1 < settled;
            match event {
                Event::Ran(actor) => self.ran(actor)?,
                Event::Wrote(actor) => self.enqueue(actor),
                Event::Data(writer) => self.data_is_written(writer),
            }
            if settles && self.finished.1 >= settled {
                self.tally = Tally::default();
                self.settled = self.clock.now();
            }
        }
        let forgotten = self.forgotten();
        ensure!(
            forgotten == 0,
            self.stall(&format!("{forgotten} were not told that they may go on"))
        );
        self.close();
        Ok(self.tally)
    }

    /// How many sleep although the journal has woken them: while they do, others may write on.
    fn forgotten(&self) -> usize {
        let sleepers = [Wait::Reserved, Wait::Locked].map(|wait| &self.queues[wait as usize]);
        let sleepers = sleepers.into_iter().flatten();
        sleepers
            .filter(|actor| !self.is_kept_waiting(**actor))
            .count()
    }

    /// The journal says that the actor's task sleeps.
    fn is_kept_waiting(&self, actor: Actor) -> bool {
        let task = match actor {
            Actor::Writer(writer) => self.task(writer),
            Actor::Kworker | Actor::Commit => Task::Worker(self.pages.1),
        };
        let may_look = || self.machine.step(&self.state, Action::Look(task)).is_some();
        match self.pc(task) {
            Pc::WaitLocked | Pc::WaitSwitch => true,
            Pc::WaitReserved if self.machine.policy.wake == Wake::HandOver => true,
            Pc::WaitReserved | Pc::WaitRoom => !may_look(),
            _ => false,
        }
    }

    /// Counts what is not over yet.
    fn close(&mut self) {
        let now = self.clock.now();
        self.tally.time = now - self.settled;
        for writer in 0..self.setup.threads {
            let life = &mut self.lives[writer];
            let starts = [Phase::Try, Phase::Space, Phase::Checkpoint, Phase::Look];
            let is_starting = starts.contains(&life.phase);
            if let Some((site, since)) = life.waits.take() {
                self.tally.waited[site.place()] += now - since.max(self.settled);
            }
            if is_starting {
                self.tally.starting += self.since(self.started[writer]);
            }
        }
    }

    /// How long it is since then, of what is counted.
    pub fn since(&self, time: Nanos) -> Nanos {
        self.clock.now() - time.max(self.settled)
    }

    /// Where everybody is, when nothing goes on.
    fn stall(&self, why: &str) -> String {
        let sleepers = |wait: Wait| self.queues[wait as usize].len();
        let space = sleepers(Wait::Mutex) + sleepers(Wait::Space);
        format!(
            "stalled after {} writes, {why}: {} sleep for reserved credits, {} for a transaction, {space} for space, {} for a commit",
            self.finished.1,
            sleepers(Wait::Reserved),
            sleepers(Wait::Locked),
            sleepers(Wait::Fsync)
        )
    }

    fn place(&self, actor: Actor) -> usize {
        match actor {
            Actor::Writer(writer) => writer,
            Actor::Kworker => self.setup.threads,
            Actor::Commit => self.setup.threads + 1,
        }
    }

    fn life(&mut self, actor: Actor) -> &mut Life {
        let place = self.place(actor);
        &mut self.lives[place]
    }

    /// An actor gets a processor.
    fn resume(&mut self, actor: Actor) {
        let life = self.life(actor);
        life.stretch = 0;
        if let Some((site, since)) = life.waits.take() {
            self.tally.waited[site.place()] += self.since(since);
        }
        self.pay(actor, self.setup.costs.switch);
    }

    /// It runs for what its step costs, and for what it owes.
    fn pay(&mut self, actor: Actor, more: Nanos) {
        let cost = self.cost(self.lives[self.place(actor)].phase);
        let life = self.life(actor);
        let cost = cost + more + std::mem::take(&mut life.debt);
        life.stretch += cost;
        life.ran += cost;
        self.clock.tell(cost, Event::Ran(actor));
    }

    fn cost(&self, phase: Phase) -> Nanos {
        let costs = &self.setup.costs;
        match phase {
            Phase::Write => costs.write,
            Phase::Handle => costs.handle,
            Phase::Convert => costs.convert,
            Phase::Fetch => 0,
            Phase::Blocks => costs.commit_block * self.state.committing.log.unsigned_abs(),
            Phase::Try
            | Phase::Space
            | Phase::Checkpoint
            | Phase::Look
            | Phase::Sync
            | Phase::TryReserved
            | Phase::Ask
            | Phase::Drain
            | Phase::Flush
            | Phase::End => costs.attempt,
        }
    }

    /// It has paid for its step, and takes it.
    fn ran(&mut self, actor: Actor) -> Result<()> {
        self.acts = Some(actor);
        let phase = self.life(actor).phase;
        let next = match actor {
            Actor::Writer(writer) => self.writer(writer, phase),
            Actor::Kworker => self.kworker(phase),
            Actor::Commit => self.commit(phase),
        }?;
        self.acts = None;
        let now = self.clock.now();
        let site = |wait: Wait| matches!(actor, Actor::Writer(_)).then(|| (wait.site(), now));
        let life = self.life(actor);
        match next {
            Next::Go(phase) => {
                life.phase = phase;
                let ran = life.ran;
                let is_over = life.stretch >= self.setup.costs.slice;
                if is_over && self.clock.is_contended() {
                    self.clock.enqueue(actor, ran);
                } else {
                    self.pay(actor, 0);
                    return Ok(());
                }
            }
            Next::Sleep(phase, wait) => {
                (life.phase, life.is_asleep, life.waits) = (phase, true, site(wait));
                if wait != Wait::Own {
                    self.queues[wait as usize].push_back(actor);
                }
            }
            Next::Write(phase, time) => {
                (life.phase, life.waits) = (phase, site(Wait::Space));
                self.clock.tell(time, Event::Wrote(actor));
            }
        }
        self.clock.release();
        Ok(())
    }

    /// What a writer does in the journal is its task's.
    pub fn task(&self, writer: usize) -> Task {
        match self.setup.mode {
            Mode::Nolock => Task::Pages(writer),
            Mode::Lock => Task::Plain(writer),
        }
    }

    /// What the journal says that a task is doing.
    pub fn pc(&self, task: Task) -> Pc {
        let place = self.machine.place(task);
        place.map_or(Pc::Refused, |place| self.state.pc[place])
    }

    /// The journal takes a step, if it is enabled.
    pub fn offer(&mut self, action: Action) -> bool {
        let is_taken = self.machine.advance(&mut self.state, action);
        if is_taken {
            self.tally.steps += 1;
            (self.watch)(&self.machine, &self.state);
            self.nudge_commit();
        }
        is_taken
    }

    /// The journal takes a step.
    ///
    /// # Errors
    ///
    /// When it is not enabled.
    pub fn take(&mut self, action: Action) -> Result<()> {
        ensure!(self.offer(action), "the journal does not take {action:?}");
        Ok(())
    }

    /// A write is synced.
    pub fn finish(&mut self) {
        self.finished = (self.clock.now(), self.finished.1 + 1);
        self.tally.writes += 1;
    }

    /// An actor that slept is runnable; of what it ran more than others, or less, it keeps two slices at most
    /// (update_entity_lag).
    fn enqueue(&mut self, actor: Actor) {
        let (floor, lag) = (self.clock.floor(), 2 * self.setup.costs.slice);
        let life = self.life(actor);
        life.ran = life.ran.clamp(floor.saturating_sub(lag), floor + lag);
        let ran = life.ran;
        self.clock.enqueue(actor, ran);
    }

    /// Wakes an actor that sleeps, at the cost of the one that acts.
    pub fn wake(&mut self, actor: Actor) {
        let life = self.life(actor);
        if !std::mem::take(&mut life.is_asleep) {
            return;
        }
        let is_of_herd = matches!(life.waits, Some((Site::Reserved, _)));
        if let (true, Actor::Writer(writer)) = (is_of_herd, actor) {
            self.woken[writer] += 1;
        }
        self.enqueue(actor);
        if let Some(waker) = self.acts {
            let cost = self.setup.costs.wake;
            self.life(waker).debt += cost;
        }
    }

    /// Wakes those whom the journal's last step has woken, in the order in which they came.
    pub fn wake_those_who_may(&mut self, wait: Wait) {
        if self.setup.is_deaf {
            return;
        }
        for actor in std::mem::take(&mut self.queues[wait as usize]) {
            if self.is_kept_waiting(actor) {
                self.queues[wait as usize].push_back(actor);
            } else {
                self.wake(actor);
            }
        }
    }

    /// sub_reserved_credits: wakes all who wait for reserved credits, or those who are served; says how many.
    pub fn give_back(&mut self) -> u64 {
        let sleepers = self.queues[Wait::Reserved as usize].len();
        if self.machine.policy.wake == Wake::HandOver {
            self.wake_those_who_may(Wait::Reserved);
        } else if !self.setup.is_deaf {
            self.wake_all(Wait::Reserved);
        }
        (sleepers - self.queues[Wait::Reserved as usize].len()) as u64
    }

    /// Wakes all who sleep for this.
    pub fn wake_all(&mut self, wait: Wait) {
        for actor in std::mem::take(&mut self.queues[wait as usize]) {
            self.wake(actor);
        }
    }

    /// Wakes the first who sleeps for this.
    pub fn wake_first(&mut self, wait: Wait) {
        if let Some(actor) = self.queues[wait as usize].pop_front() {
            self.wake(actor);
        }
    }

    /// Wakes the kworker, if it has nothing to convert.
    pub fn call_kworker(&mut self) {
        if self.life(Actor::Kworker).phase == Phase::Fetch {
            self.wake(Actor::Kworker);
        }
    }

    /// Wakes the commit thread, if there is something for it to do.
    fn nudge_commit(&mut self) {
        let has_work = match self.life(Actor::Commit).phase {
            Phase::Ask => self.may_commit(),
            Phase::Drain => self.state.running.updates == 0,
            Phase::End => self.state.mutex.is_none(),
            _ => false,
        };
        if has_work {
            self.wake(Actor::Commit);
        }
    }

    /// A commit is asked for, and no other is under way.
    pub fn may_commit(&self) -> bool {
        let (running, committing) = (&self.state.running, &self.state.committing);
        running.state == TState::Running && running.asked && committing.state == TState::None
    }
}
