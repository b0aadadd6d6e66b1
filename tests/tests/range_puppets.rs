//! Real threads on the lock of ranges, driven step by step along paths that take every step of the specification's graphs.
//!
//! One thread a task. After each step the tree is that of the specification's state, account for account, those who wait are at
//! their gates, and whoever is let in, or gives up, has come back from its call.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle, Thread};

use anyhow::{Context as _, Result, bail, ensure};
use conformance::corpus;
use conformance::in_time::PATIENCE;
use conformance::tours::tours;
use interlock::range::lock::{RangeGuard, RangeLock};
use interlock::range::machine::{Account, Action, Ask, Machine, Part, State};
use interlock::range::policy::Policy;
use interlock::range::probe::{Probe, Step};
use interlock::range::sys::{StdSys, Sys, TimedFutex};
use interlock::range::tree::{Arrival, Entry, Mode, Tree};
use interlock_rwlock::sys::{Futex, Ordering};
use interlock_traces::machines::counterpart::Counterpart as _;
use interlock_traces::machines::range::RangeTree;

/// What a thread is told to do.
enum Command {
    Lock,
    Narrow(Vec<Part>),
    Unlock,
}

/// What a thread tells.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    /// It took this step, of the range with this ticket, and the tree is then this.
    Took(Action, u64, Vec<Entry>),
    /// It waits at its gate.
    Waits(usize),
    /// Its call that locks the range has returned.
    Returned(usize),
    /// It has returned without the range.
    GaveUp(usize),
}

/// What a thread is, to itself and to the probe.
struct Puppet {
    task: usize,
    tell: Sender<Told>,
    /// Its wait is to end.
    ends: Arc<AtomicBool>,
}

thread_local! {
    static PUPPET: std::cell::OnceCell<Puppet> = const { std::cell::OnceCell::new() };
}

fn tell(told: impl FnOnce(usize) -> Told) {
    PUPPET.with(|puppet| {
        let puppet = puppet.get().expect("this thread is a puppet");
        // The stage may have failed and gone.
        let _ = puppet.tell.send(told(puppet.task));
    });
}

/// Tells of each step.
#[derive(Default)]
struct Strings;

impl Probe for Strings {
    fn step(&self, step: Step<'_>, tree: &Tree) {
        let entries = tree.entries();
        tell(|task| match step {
            Step::Arrives(place, arrival) => {
                let action = match arrival {
                    Arrival::Lock => Action::Lock(task),
                    Arrival::Pass => Action::Pass(task),
                    Arrival::Wait(_) => Action::Wait(task),
                };
                Told::Took(action, place.ticket, entries)
            }
            Step::Becomes(place, _) => {
                let left = entries.iter().any(|it| it.place.ticket == place.ticket);
                let action = match left {
                    true => Action::Narrow(task),
                    false => Action::Unlock(task),
                };
                Told::Took(action, place.ticket, entries)
            }
            Step::GivesUp(place) => Told::Took(Action::Interrupt(task), place.ticket, entries),
            Step::Refused(..) => unreachable!("nobody tries"),
        });
    }
}

/// The published lock's, with threads that tell, and do not look before they arrive; without a wait it is faulty.
struct Stringed<const WAITS: bool>;

impl<const WAITS: bool> Sys for Stringed<WAITS> {
    type Guarded<T: Send> = <StdSys as Sys>::Guarded<T>;
    type Word = AtomicU64;
    type Deadline = OnCommand;
    type Futex = Bed<WAITS>;
    type Probe = Strings;

    const LOOKS_BEFORE_ARRIVAL: u32 = 0;
    const SPINS_BEFORE_SLEEP: u32 = 0;
    const READERS_BEFORE_OPEN: u32 = 1;

    fn spin_hint() {}
}

/// A wait ends when the thread is told to give up.
#[derive(Clone, Copy)]
struct OnCommand;

struct Bed<const WAITS: bool> {
    value: AtomicU32,
    sleeper: OnceLock<Thread>,
}

impl<const WAITS: bool> Futex for Bed<WAITS> {
    fn new() -> Self {
        Bed {
            value: AtomicU32::new(0),
            sleeper: OnceLock::new(),
        }
    }

    fn load(&self, order: Ordering) -> u32 {
        self.value.load(order)
    }

    fn update(&self, order: Ordering, step: impl Fn(u32) -> u32) -> u32 {
        Futex::update(&self.value, order, step)
    }

    /// Done once by who is to sleep, and by nobody else.
    fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
        if WAITS {
            let first = self.sleeper.set(thread::current());
            first.expect("one thread sleeps here");
            let before = self.value.fetch_or(bits, order);
            tell(Told::Waits);
            before
        } else {
            u32::MAX
        }
    }

    fn wait(&self, _: u32) {
        unreachable!("every wait may end");
    }

    fn wake_all(&self) {
        self.sleeper.get().expect("one sleeps").unpark();
    }
}

impl<const WAITS: bool> TimedFutex<OnCommand> for Bed<WAITS> {
    fn wait_until(&self, expected: u32, OnCommand: OnCommand) -> bool {
        let ends = || {
            PUPPET.with(|puppet| {
                let puppet = puppet.get().expect("this thread is a puppet");
                puppet.ends.swap(false, Ordering::Acquire)
            })
        };
        while self.value.load(Ordering::Acquire) == expected {
            if ends() {
                return true;
            }
            thread::park();
        }
        false
    }
}

/// One call, after which a thread has these parts of what it had.
fn narrow<S: Sys>(guards: &mut Vec<RangeGuard<'_, S>>, parts: &[Part]) {
    let changes = |guard: &RangeGuard<'_, S>| !parts.contains(&(guard.range(), guard.mode()));
    let at = guards.iter().position(changes).expect("a call is made");
    let mut guard = guards.remove(at);
    let Range { start, end } = guard.range();
    let lies = |(part, _): &&Part| start <= part.start && part.end <= end;
    match &parts.iter().filter(lies).collect::<Vec<_>>()[..] {
        [] => return,
        [(part, mode)] if *mode == guard.mode() => guard.shrink(part.clone()),
        [(_, Mode::Read)] => guard.downgrade(),
        [(one, _), (other, _)] => {
            let (head, tail) = guard.split(one.start.max(other.start));
            guards.push(head);
            guard = tail;
        }
        other => unreachable!("{other:?} are two calls"),
    }
    guards.push(guard);
}

/// What a thread does until nobody commands it any more.
fn dance<S: Sys<Deadline = OnCommand>>(
    lock: &RangeLock<S>,
    ask: &Ask,
    commands: &Receiver<Command>,
) {
    let mut guards = Vec::new();
    for command in commands {
        match command {
            Command::Lock => {
                let (range, mode) = ask.part.clone();
                let guard = match mode {
                    Mode::Read => lock.try_read_until(range, OnCommand),
                    Mode::Write => lock.try_write_until(range, OnCommand),
                };
                tell(match guard {
                    Some(_) => Told::Returned,
                    None => Told::GaveUp,
                });
                guards.extend(guard);
            }
            Command::Narrow(parts) => narrow(&mut guards, &parts),
            Command::Unlock => guards.clear(),
        }
    }
}

/// The strings of a thread.
struct Strung {
    command: Sender<Command>,
    ends: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Strung {
    fn give_up(&self) {
        self.ends.store(true, Ordering::Release);
        self.thread.thread().unpark();
    }
}

/// The threads of a machine's tasks, and their strings.
struct Stage<'a> {
    machine: &'a Machine,
    strung: Vec<Strung>,
    told: Receiver<Told>,
    /// Whose a ticket is.
    tickets: BTreeMap<u64, usize>,
}

impl<'a> Stage<'a> {
    fn new<const WAITS: bool>(machine: &'a Machine, policy: Policy) -> Self {
        let lock = Arc::new(RangeLock::<Stringed<WAITS>>::with(policy));
        let (tell, told) = channel();
        let thread = |(task, ask): (usize, &Ask)| {
            let (command, commands) = channel();
            let ends = Arc::new(AtomicBool::new(false));
            let (lock, ask) = (lock.clone(), ask.clone());
            let puppet = Puppet {
                task,
                tell: tell.clone(),
                ends: ends.clone(),
            };
            let thread = thread::spawn(move || {
                PUPPET.with(|own| assert!(own.set(puppet).is_ok()));
                dance(&lock, &ask, &commands);
            });
            Strung {
                command,
                ends,
                thread,
            }
        };
        Stage {
            machine,
            strung: machine.asks.iter().enumerate().map(thread).collect(),
            told,
            tickets: BTreeMap::new(),
        }
    }

    /// Takes one step of the specification and compares.
    fn take(&mut self, state: &State, action: Action, next: &State) -> Result<()> {
        let (task, command) = match action {
            Action::Lock(task) | Action::Pass(task) | Action::Wait(task) => {
                (task, Some(Command::Lock))
            }
            Action::Unlock(task) => (task, Some(Command::Unlock)),
            Action::Narrow(task) => {
                let its = state.iter().find(|account| account.task == task);
                let narrowed = its.context("it has nothing")?.narrowed;
                let parts = self.machine.asks[task].then[narrowed].clone();
                (task, Some(Command::Narrow(parts)))
            }
            Action::Interrupt(task) => (task, None),
        };
        match command {
            Some(command) => self.strung[task].command.send(command)?,
            None => self.strung[task].give_up(),
        }
        let entries = match self.listen()? {
            Told::Took(took, ticket, entries) if took == action => {
                self.tickets.insert(ticket, task);
                entries
            }
            other => bail!("told {other:?}"),
        };
        self.compare(&entries, next)?;
        if let Action::Wait(_) = action {
            let told = self.listen()?;
            ensure!(told == Told::Waits(task), "told {told:?}");
        }
        // Whoever the specification lets in comes back from its call, and whoever gives up.
        let let_in = holders(next).into_iter();
        let let_in = let_in.filter(|task| !holders(state).contains(task));
        let mut returns: Vec<Told> = let_in.map(Told::Returned).collect();
        if let Action::Interrupt(task) = action {
            returns.push(Told::GaveUp(task));
        }
        while !returns.is_empty() {
            let told = self.listen()?;
            let at = returns.iter().position(|expected| *expected == told);
            let at = at.with_context(|| format!("told {told:?}, expected {returns:?}"))?;
            returns.remove(at);
        }
        Ok(())
    }

    /// The tree is the state's, whose tickets are places.
    fn compare(&self, entries: &[Entry], next: &State) -> Result<()> {
        let mut tickets: Vec<u64> = entries.iter().map(|entry| entry.place.ticket).collect();
        tickets.dedup();
        let tasks = tickets.iter().map(|ticket| self.tickets[ticket]);
        ensure!(
            tasks.eq(next.iter().map(|account| account.task)),
            "{entries:?} are not those of {next:?}"
        );
        let place = |entry: &Entry| {
            let mut entry = entry.clone();
            let at = tickets.binary_search(&entry.place.ticket);
            entry.place.ticket = at.expect("it is one of them") as u64;
            entry
        };
        let found: Vec<Entry> = entries.iter().map(place).collect();
        let expected = self.machine.tree(next).entries();
        ensure!(
            found == expected,
            "the tree is {found:?}, expected {expected:?}"
        );
        Ok(())
    }

    fn listen(&self) -> Result<Told> {
        match self.told.recv_timeout(PATIENCE) {
            Err(RecvTimeoutError::Timeout) => bail!("nothing happens"),
            told => Ok(told?),
        }
    }
}

fn holders(state: &State) -> Vec<usize> {
    let held = |account: &&Account| account.blocking == 0;
    state
        .iter()
        .filter(held)
        .map(|account| account.task)
        .collect()
}

/// Drives the threads of a lock of this design through the model's graph: how many steps they take, of how many.
fn tour<const WAITS: bool>(model: &str, policy: Option<Policy>) -> Result<(usize, usize)> {
    let graph = corpus::graph(model)?;
    let tree = RangeTree::new(&graph.constants)?;
    let policy = policy.unwrap_or(tree.machine.policy);
    let mut taken = BTreeSet::new();
    for path in tours(&graph, &tree, |_| true)? {
        let mut stage = Stage::new::<WAITS>(&tree.machine, policy);
        let mut state = tree.init();
        for action in path {
            let next = tree.step(&state, action).context("it is not enabled")?;
            let told = stage.take(&state, action, &next);
            told.with_context(|| format!("{} in {}", tree.label(action), tree.show(&state)))?;
            taken.insert((state, action));
            state = next;
        }
    }
    Ok((taken.len(), graph.steps.len()))
}

#[test]
fn threads_follow_the_specification() -> Result<()> {
    for (model, figures) in [
        ("TreeFifo-share-graph", (166, 166)),
        ("TreeFifo-W3-killed-graph", (241, 241)),
        ("TreeFifo-chain-killed-graph", (232, 232)),
        ("TreeFifo-parts-killed-graph", (520, 520)),
        ("PassOne-share-graph", (314, 314)),
        ("PassOne-W3-killed-graph", (401, 401)),
        ("PassOne-parts-graph", (577, 577)),
        ("PassTwo-chain-killed-graph", (912, 912)),
    ] {
        let found = tour::<true>(model, None).with_context(|| model.to_owned())?;
        println!("{model}: {} of {} steps", found.0, found.1);
        ensure!(found == figures, "{model}: other figures: {found:?}");
    }
    Ok(())
}

#[test]
fn threads_of_another_design_are_found() {
    fn finds<const WAITS: bool>(model: &str, policy: Option<Policy>, tells: &str) {
        let error = tour::<WAITS>(model, policy).expect_err("the fault is found");
        let error = format!("{error:#}");
        assert!(error.contains(tells), "{error}");
    }
    let parts = "TreeFifo-parts-killed-graph";
    finds::<true>(
        parts,
        Some(Policy::NARROW_COUNTS_ONE),
        "Narrow(w) in [w holds; r waits for 1]: the tree is",
    );
    finds::<true>(
        parts,
        Some(Policy::NARROW_WAKES_ALL),
        "Narrow(v) in [v holds; w waits for 1]: the tree is",
    );
    finds::<true>(
        parts,
        Some(Policy::NARROW_WAKES_NOBODY),
        "Narrow(w) in [w holds, narrowed 2; r waits for 1]: the tree is",
    );
    finds::<true>(
        "TreeFifo-W3-killed-graph",
        Some(Policy::PASS_ONE),
        "told Took(Pass(",
    );
    finds::<true>(
        "PassTwo-chain-killed-graph",
        Some(Policy::PASS_ONE),
        "told Took(Wait(",
    );
    finds::<true>(
        "TreeFifo-chain-killed-graph",
        Some(Policy::INTERRUPT_NO_SEQ),
        "the tree is",
    );
    finds::<false>(parts, None, "told Returned(");
}
