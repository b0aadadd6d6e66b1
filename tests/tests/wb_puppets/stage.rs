//! The threads of a flusher, those that call it, and the strings that they hang on.

use std::collections::{BTreeSet, VecDeque};
use std::mem;
use std::sync::Arc;

use conformance::cast::{Cast, Puppets};
use conformance::strings::Strings;
use interlock::device::{BlockDevice, MemoryDevice};
use interlock::writeback::flusher::{Flusher, Sizes};
use interlock::writeback::flusher_probe::{Numbers, Probe};
use interlock::writeback::plug::{Action, Cpu, Machine, Pc, State, awaits_room};
use interlock::writeback::plug_policy::Finish;
use interlock::writeback::rules::Rules;

const BLOCK: usize = 4;

/// What a throttled thread writes: no pass begins before it is overwritten.
const THROTTLED: u8 = u8::MAX;

/// What the threads are about to do, and what they have done.
#[derive(Default)]
struct Seen {
    /// The steps that threads are about to take, and may not yet.
    held: BTreeSet<Action>,
    /// What the flusher is to do behind the step that it may take.
    then: Option<Action>,
    /// Steps taken, not yet looked at.
    steps: VecDeque<Action>,
    /// What the last pass began over.
    inodes: Vec<usize>,
    /// The flusher was told that it is off its processor.
    away: Option<Cpu>,
    /// How many threads have come back from dirtying an inode.
    dirtied: usize,
    /// How many have come back from a sync.
    synced: usize,
    /// The play is over: all may go on.
    over: bool,
}

/// The strings as the flusher's probe.
struct Held(Arc<Strings<Seen>>);

impl Probe for Held {
    fn begins(&self, inodes: &[usize]) {
        self.0.with(|seen| seen.inodes = inodes.to_vec());
    }

    fn about_to(&self, action: Action) {
        self.0.hang(
            |seen| !seen.over && seen.held.insert(action),
            |seen| !seen.held.contains(&action),
        );
    }

    fn step(&self, action: Action, _: &Numbers) {
        self.0.with(|seen| seen.steps.push_back(action));
    }

    fn sleeps(&self) -> bool {
        self.0.with(|seen| seen.then == Some(Action::Sleep))
    }

    fn wants(&self) -> bool {
        self.0.with(|seen| seen.then == Some(Action::Resched))
    }

    fn away(&self, cpu: Cpu) {
        self.0.with(|seen| seen.away = Some(cpu));
    }
}

type Writer<R> = Flusher<MemoryDevice, Puppets, R, Held>;

struct Stage<'a, R: Rules> {
    machine: &'a Machine,
    flusher: Arc<Writer<R>>,
    strings: Arc<Strings<Seen>>,
    /// What this pass writes, a byte.
    pass: u8,
    /// The requests of the passes before.
    issued: u64,
    /// How many inodes are dirty again.
    dirty: usize,
    /// How many threads were started to dirty an inode.
    dirtiers: usize,
    /// How many were started to sync.
    syncers: usize,
    /// The flusher may take the next step already, and waits for what this one changes.
    ahead: bool,
    /// The flusher is to be preempted, and waits for room first.
    delayed: bool,
}

/// Drives threads of a flusher with these rules along a path of the machine.
///
/// # Errors
///
/// What a thread does that the path does not say, or does not do that it says, or where the flusher and the machine differ.
pub fn drive<R: Rules>(machine: &Machine, path: &[Action]) -> Result<(), String> {
    let mut stage = Stage::<R>::new(machine);
    let result = stage.follow(path);
    stage.strings.with(|seen| {
        seen.over = true;
        seen.then = None;
        let held = mem::take(&mut seen.held);
        held.iter().for_each(|_| stage.strings.cast.goes_on());
    });
    result?;
    // Who waits for a page in a plug that nobody finishes waits for ever.
    match machine.policy.finish {
        Finish::Never => Ok(()),
        Finish::Locked | Finish::Dropped => stage.all_return(),
    }
}

/// The step is one that the flusher decides on.
fn is_flushers(action: Action) -> bool {
    let is_others = matches!(
        action,
        Action::Want | Action::Throttle(_) | Action::Complete(_)
    );
    !is_others
}

/// Everything that was dirty at the pass's begin is on the device, or lost.
fn is_over(machine: &Machine, state: &State) -> bool {
    let is_submitted = state.next > machine.files;
    state.pc == Pc::Idle || is_submitted && state.plug.is_empty() && state.flying.is_empty()
}

/// How many pages of the pass are not on the device.
fn pages(machine: &Machine, state: &State) -> usize {
    let flying = state.flying.iter().map(|run| run.last + 1 - run.first);
    machine.files + 1 - state.next + state.plug.len() + flying.sum::<usize>()
}

impl<'a, R: Rules> Stage<'a, R> {
    fn new(machine: &'a Machine) -> Self {
        let strings = Arc::new(Strings::<Seen>::new(Cast::directed()));
        // The machine's inodes bear the same numbers: none is 0.
        let device = MemoryDevice::new(BLOCK, machine.files + 1, 0);
        let sizes = Sizes {
            block: BLOCK,
            slots: machine.slots,
            dirty: machine.files,
        };
        let flusher = Flusher::on(device, sizes, Held(strings.clone()));
        Stage {
            machine,
            flusher: Arc::new(flusher.expect("the sizes are right")),
            strings,
            pass: 1,
            issued: 0,
            dirty: 0,
            dirtiers: 0,
            syncers: 0,
            ahead: false,
            delayed: false,
        }
    }

    fn follow(&mut self, path: &[Action]) -> Result<(), String> {
        let mut state = self.machine.init();
        for (place, action) in path.iter().enumerate() {
            let next = self.machine.step(&state, *action);
            let next = next.ok_or_else(|| format!("{action:?} is not enabled"))?;
            let taken = self.take(&state, &path[place..], &next);
            taken.map_err(|error| format!("{action:?}: {error}"))?;
            state = next;
        }
        Ok(())
    }

    /// Has the first of these steps taken, and compares.
    fn take(&mut self, state: &State, steps: &[Action], next: &State) -> Result<(), String> {
        let does = steps[0];
        let is_gone = mem::take(&mut self.ahead);
        match does {
            Action::Begin => {
                (1..=self.machine.files).for_each(|inode| self.dirties(inode, self.pass));
                self.who_returns(state)?;
                self.syncs();
                self.dirty = 0;
                self.go(steps)?;
            }
            // The flusher finds that where it asks, before it is preempted.
            Action::Want => return Ok(()),
            Action::Throttle(_) => {
                // As many as are not throttled yet, and one more; the first page that is done lets that go on.
                while pages(self.machine, state) + self.dirty < self.machine.files {
                    self.dirties_again();
                    self.who_returns(state)?;
                }
                self.dirties_again();
            }
            Action::Complete(_) => {
                // A flusher that waits for the device is to be woken.
                if let Some(&then) = steps.get(1)
                    && is_flushers(then)
                    && self.machine.step(state, then).is_none()
                {
                    self.go(&steps[1..])?;
                    self.ahead = true;
                }
                self.go(steps)?;
            }
            _ if is_gone => {}
            _ => self.go(steps)?,
        }
        self.told(does)?;
        if does == Action::Resched {
            self.delayed = next.cpu == Cpu::Asleep;
        }
        match does {
            Action::Begin => self.begins_over_all()?,
            Action::Resume => self.was_away(state)?,
            Action::End => {
                self.issued += u64::from(state.requests);
                self.pass += 1;
            }
            _ => {}
        }
        // Otherwise the flusher may have done more than this step.
        match self.ahead {
            true => Ok(()),
            false => {
                self.who_returns(next)?;
                self.compare(next)
            }
        }
    }

    /// Lets a thread take the first of these steps.
    fn go(&self, steps: &[Action]) -> Result<(), String> {
        let mut behind = steps[1..].iter().copied();
        let then = behind.find(|action| is_flushers(*action));
        if steps[0] == Action::Resched && !self.delayed {
            self.release(Action::Want, None)?;
            self.told(Action::Want)?;
        }
        self.release(steps[0], then)
    }

    /// Lets the thread go on that is about to take this step; the flusher's next one is `then`.
    fn release(&self, does: Action, then: Option<Action>) -> Result<(), String> {
        let is_device = |action: &Action| matches!(action, Action::Complete(_));
        self.strings.wait("nobody is about to", |seen| {
            if seen.held.remove(&does) {
                self.strings.cast.goes_on();
                if !is_device(&does) {
                    seen.then = then;
                }
                return Some(Ok(()));
            }
            let other = seen.held.iter().find(|held| !is_device(held))?;
            (!is_device(&does)).then(|| Err(format!("the flusher is about to {other:?}")))
        })?
    }

    /// The next step that is taken is this.
    fn told(&self, does: Action) -> Result<(), String> {
        let told = self
            .strings
            .wait("no step", |seen| seen.steps.pop_front())?;
        match told == does {
            true => Ok(()),
            false => Err(format!("told {told:?}")),
        }
    }

    /// Starts a thread that makes a call, and counts it when it is back.
    fn call(&self, call: impl FnOnce(&Writer<R>) + Send + 'static, back: fn(&mut Seen)) {
        let (flusher, strings) = (self.flusher.clone(), self.strings.clone());
        self.strings.cast.spawn(move || {
            call(&flusher);
            drop(flusher);
            strings.with(back);
        });
    }

    fn dirties(&mut self, inode: usize, byte: u8) {
        let dirty = move |flusher: &Writer<R>| {
            let dirtied = flusher.dirty(inode, &[byte; BLOCK]);
            dirtied.expect("the device has it");
        };
        self.call(dirty, |seen| seen.dirtied += 1);
        self.dirtiers += 1;
    }

    /// One more of the pass's inodes gets dirty.
    fn dirties_again(&mut self) {
        self.dirty += 1;
        self.dirties(self.dirty, THROTTLED);
    }

    fn syncs(&mut self) {
        let sync = |flusher: &Writer<R>| flusher.sync().expect("the device works");
        self.call(sync, |seen| seen.synced += 1);
        self.syncers += 1;
    }

    /// Whoever waits for nothing in this state comes back from its call, and nobody else.
    fn who_returns(&self, state: &State) -> Result<(), String> {
        let dirtied = self.dirtiers - usize::from(state.throttled);
        let is_over = self.syncers == 0 || is_over(self.machine, state);
        let synced = self.syncers - usize::from(!is_over);
        let come = |seen: &mut Seen| {
            let come = seen.dirtied >= dirtied && seen.synced >= synced;
            come.then_some([seen.dirtied > dirtied, seen.synced > synced])
        };
        match self.strings.wait("somebody does not return", come)? {
            [true, _] => Err("a throttled thread returns".to_owned()),
            [_, true] => Err("a sync returns".to_owned()),
            _ => Ok(()),
        }
    }

    /// Everybody comes back.
    fn all_return(&self) -> Result<(), String> {
        self.strings.wait("somebody does not return", |seen| {
            let all = seen.dirtied == self.dirtiers && seen.synced == self.syncers;
            all.then_some(())
        })
    }

    fn begins_over_all(&self) -> Result<(), String> {
        let inodes = self.strings.with(|seen| mem::take(&mut seen.inodes));
        match (1..=self.machine.files).eq(inodes.iter().copied()) {
            true => Ok(()),
            false => Err(format!("a pass over {inodes:?}")),
        }
    }

    /// The flusher was off its processor as the state says; of a device that is full it is told nothing.
    fn was_away(&self, state: &State) -> Result<(), String> {
        let away = self.strings.with(|seen| mem::take(&mut seen.away));
        match away == (!awaits_room(state)).then_some(state.cpu) {
            true => Ok(()),
            false => Err(format!("the flusher was away: {away:?}")),
        }
    }

    /// How many requests there were, and what of the pass is on the device. It may have begun what flies.
    fn compare(&self, state: &State) -> Result<(), String> {
        let (is, expected) = (
            self.flusher.requests(),
            self.issued + u64::from(state.requests),
        );
        if is != expected {
            return Err(format!("{is} requests, expected {expected}"));
        }
        for inode in 1..=self.machine.files {
            let mut bytes = [0; BLOCK];
            let position = (inode * BLOCK) as u64;
            let read = self.flusher.device().read_at(&mut bytes, position);
            read.expect("the device works");
            let is_done = inode < state.next && !state.plug.contains(&inode);
            let flies = state.flying.iter().any(|run| run.has(inode));
            if !flies && is_done != (bytes == [self.pass; BLOCK]) {
                return Err(format!("inode {inode} is {bytes:?} in pass {}", self.pass));
            }
        }
        Ok(())
    }
}
