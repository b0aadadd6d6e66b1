//! Real threads on the published lock's code, driven step by step through the specification's own graphs.
//!
//! One thread a task. A tour takes every step of the graph at least once; a thread that has released the lock and must wake the
//! queue is held by the probe until the tour takes its `Wake`. After each step the threads that have the lock, those that wait,
//! and the word, in which the batches are counts, agree with the specification's state.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;

use anyhow::{Context as _, Result, bail, ensure};
use conformance::corpus::{self, Graph};
use conformance::faulty_rules::{LateWriter, ReaderOvertakes};
use conformance::in_time::PATIENCE;
use conformance::rwsem_log::{machine_action, project};
use interlock::rwsem::machine::{Action, Kind, Pc, State};
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::probe::Probe;
use interlock_rwlock::rules::{BatchQueue, Rules};
use interlock_rwlock::sys::StdSys;
use interlock_rwlock::word::{self, Counts, Word};
use interlock_traces::machines::counterpart::Counterpart;
use interlock_traces::machines::rwsem::Rwsem;

/// What a thread is told to do.
#[derive(Clone, Copy)]
enum Command {
    Acquire,
    Release,
    Downgrade,
    Wake,
}

/// What a thread tells.
#[derive(PartialEq, Debug)]
enum Told {
    /// It took this step, and the word is then this.
    Took(Action, Counts),
    /// Its call that acquires the lock has returned.
    Returned(usize),
}

/// What a thread is, to itself and to the probe.
struct Puppet {
    task: usize,
    kind: Kind,
    commands: Receiver<Command>,
    tell: Sender<Told>,
}

thread_local! {
    static PUPPET: std::cell::OnceCell<Puppet> = const { std::cell::OnceCell::new() };
}

/// Runs `then` with the puppet that this thread is.
fn puppet<T>(then: impl FnOnce(&Puppet) -> T) -> T {
    PUPPET.with(|puppet| then(puppet.get().expect("this thread is a puppet")))
}

/// Tells of each step, and holds a thread between its `Release` and its `Wake`.
struct Strings;

impl Probe for Strings {
    fn step(&self, _: Word, action: word::Action, after: Word) {
        puppet(|puppet| {
            let told = Told::Took(machine_action(puppet.task, action), after.counts());
            // The tour may have failed and gone.
            let _ = puppet.tell.send(told);
            if matches!(action, word::Action::Release(_)) && after.must_wake() {
                let _ = puppet.commands.recv();
            }
        });
    }
}

type Lock<R> = RawBarrierRwLock<StdSys, Strings, R>;

/// What a thread does until nobody commands it any more.
fn dance<R: Rules>(lock: &Lock<R>) {
    let (task, kind) = puppet(|puppet| (puppet.task, puppet.kind));
    let mut held_for = kind;
    while let Ok(command) = puppet(|puppet| puppet.commands.recv()) {
        match command {
            Command::Acquire => {
                lock.acquire(kind);
                held_for = kind;
                let _ = puppet(|puppet| puppet.tell.send(Told::Returned(task)));
            }
            // SAFETY: the tour releases only what it has seen acquired.
            Command::Release => unsafe { lock.release(held_for) },
            Command::Downgrade => {
                // SAFETY: as above; only a writer that has not downgraded does.
                unsafe { lock.downgrade() };
                held_for = Kind::Reader;
            }
            Command::Wake => unreachable!("the probe waits for it"),
        }
    }
}

/// The threads of a machine's tasks, their strings, and what has been seen of them.
struct Stage<'a, R> {
    rwsem: &'a Rwsem,
    lock: Arc<Lock<R>>,
    commands: Vec<Sender<Command>>,
    told: Receiver<Told>,
    holders: BTreeSet<usize>,
    waiters: BTreeSet<usize>,
}

impl<'a, R: Rules + Send + Sync + 'static> Stage<'a, R> {
    fn new(rwsem: &'a Rwsem) -> Self {
        let lock = Arc::new(Lock::<R>::with(Word::FREE, Strings));
        let (tell, told) = channel();
        let thread = |(task, &kind): (usize, &Kind)| {
            let (command, commands) = channel();
            let (lock, tell) = (lock.clone(), tell.clone());
            thread::spawn(move || {
                let puppet = Puppet {
                    task,
                    kind,
                    commands,
                    tell,
                };
                PUPPET.with(|own| assert!(own.set(puppet).is_ok()));
                dance(&lock);
            });
            command
        };
        let commands = rwsem.machine.kinds.iter().enumerate().map(thread).collect();
        Stage {
            rwsem,
            lock,
            commands,
            told,
            holders: BTreeSet::new(),
            waiters: BTreeSet::new(),
        }
    }

    /// Takes one step of the specification and compares.
    fn take(&mut self, state: &State, action: Action, next: &State) -> Result<()> {
        let task = action.task().context("a step of a task")?;
        let command = match action {
            Action::Enter(_) | Action::Queue(_) => Command::Acquire,
            Action::Release(_) => Command::Release,
            Action::Downgrade(_) => Command::Downgrade,
            Action::Wake(_) => Command::Wake,
            other => bail!("{other:?} is no step of BatchQueue"),
        };
        self.commands[task].send(command)?;
        let counts = project(&self.rwsem.machine, next);
        match action {
            Action::Queue(_) => drop(self.waiters.insert(task)),
            Action::Release(_) => drop(self.holders.remove(&task)),
            _ => {}
        }
        // Whoever the specification lets in comes back from its call: one that spins may do so before the thread that has let it in
        // tells of the step.
        let held = |state: &State| tasks(state, |pc| matches!(pc, Pc::Hold | Pc::Shared));
        let mut took = false;
        for _ in 0..=held(next).difference(&held(state)).count() {
            match self.listen()? {
                Told::Returned(task) => {
                    self.waiters.remove(&task);
                    self.holders.insert(task);
                }
                told => {
                    ensure!(
                        told == Told::Took(action, counts),
                        "told {told:?}, expected {counts:?}"
                    );
                    took = true;
                }
            }
        }
        ensure!(took, "it does not tell of its step");
        ensure!(
            self.holders == held(next),
            "{:?} have the lock",
            self.holders
        );
        ensure!(
            self.waiters == tasks(next, |pc| pc == Pc::Wait),
            "{:?} wait",
            self.waiters
        );
        ensure!(
            self.lock.snapshot().counts() == counts,
            "the word is {:?}",
            self.lock.snapshot()
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

fn tasks(state: &State, is: impl Fn(Pc) -> bool) -> BTreeSet<usize> {
    let pcs = state.pc.iter().enumerate();
    pcs.filter(|(_, pc)| is(**pc))
        .map(|(task, _)| task)
        .collect()
}

/// The shortest way, as steps' places in the graph, from a state to a step that has not been taken.
fn way(graph: &Graph, outgoing: &[Vec<usize>], from: usize, taken: &[bool]) -> Option<Vec<usize>> {
    let mut came_by: Vec<Option<usize>> = vec![None; graph.states.len()];
    let mut todo = VecDeque::from([from]);
    while let Some(state) = todo.pop_front() {
        for &step in &outgoing[state] {
            if !taken[step] {
                let (mut way, mut at) = (vec![step], state);
                while at != from {
                    let step = came_by[at]?;
                    way.push(step);
                    at = graph.steps[step].0;
                }
                way.reverse();
                return Some(way);
            }
            let to = graph.steps[step].2;
            if to != from && came_by[to].is_none() {
                came_by[to] = Some(step);
                todo.push_back(to);
            }
        }
    }
    None
}

/// Drives threads through every step of the model's graph, and returns how many steps the graph has and the tour took.
fn tour<R: Rules + Send + Sync + 'static>(model: &str) -> Result<(usize, usize)> {
    let graph = corpus::graph(model)?;
    let rwsem = Rwsem::new(&graph.constants)?;
    let states = graph
        .states
        .iter()
        .map(|vars| rwsem.state(vars))
        .collect::<Result<Vec<_>>>()?;
    let mut outgoing = vec![Vec::new(); states.len()];
    for (place, step) in graph.steps.iter().enumerate() {
        outgoing[step.0].push(place);
    }
    let mut stage = Stage::<R>::new(&rwsem);
    let (mut at, mut taken, mut length) = (graph.initial, vec![false; graph.steps.len()], 0);
    while let Some(way) = way(&graph, &outgoing, at, &taken) {
        for place in way {
            let (from, how, to) = &graph.steps[place];
            let action = rwsem.action(how)?;
            let told = stage.take(&states[*from], action, &states[*to]);
            told.with_context(|| {
                format!("{} in {}", rwsem.label(action), rwsem.show(&states[*from]))
            })?;
            (at, taken[place], length) = (*to, true, length + 1);
        }
    }
    ensure!(
        taken.iter().all(|taken| *taken),
        "the tour does not reach every step"
    );
    Ok((graph.steps.len(), length))
}

#[test]
fn threads_follow_the_specification() -> Result<()> {
    for model in ["RRW", "RWW", "RRWW", "RWWW", "Downgrade-RRWW"] {
        let model = format!("BatchQueue-{model}-safety");
        let (steps, length) = tour::<BatchQueue>(&model).with_context(|| model.clone())?;
        println!("{model}: each of {steps} steps, in a tour of {length}");
    }
    Ok(())
}

#[test]
fn threads_with_faulty_rules_are_found() {
    let late = tour::<LateWriter>("BatchQueue-RWW-safety").map_err(|error| format!("{error:#}"));
    assert!(
        late.as_ref()
            .is_err_and(|error| error.contains("told Took(Queue")),
        "{late:?}"
    );
    let overtakes =
        tour::<ReaderOvertakes>("BatchQueue-RRW-safety").map_err(|error| format!("{error:#}"));
    assert!(
        overtakes
            .as_ref()
            .is_err_and(|error| error.contains("told Took(Enter")),
        "{overtakes:?}"
    );
}
