//! The threads of a machine's tasks, and the strings that they hang on.

use std::collections::{BTreeSet, VecDeque};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use conformance::in_time::PATIENCE;
use conformance::jbd2_log::{Logged, action, differs, who};
use interlock::errno::Errno;
use interlock::jbd2::admission::Admission;
use interlock::jbd2::machine::{Action, Credits, Load, Machine, Pc, State, Task};
use interlock::jbd2::numbers::{Numbers, Tid};
use interlock::jbd2::probe::{Probe, Step, Who};
use interlock::jbd2::refused::{Reason, Refused};
use interlock::jbd2::rules::Rules;
use interlock::jbd2::space::{Checkpointed, Store};
use interlock::jbd2::ticket::{Reservation, Ticket};
use interlock::sys::StdSys;

/// The strings: where everybody is, and who may go on; `None` is the commit thread.
#[derive(Default)]
struct Strings {
    seen: Mutex<Seen>,
    changed: Condvar,
}

#[derive(Default)]
struct Seen {
    /// Who waits to go on.
    at: BTreeSet<Option<Who>>,
    /// Who may.
    go: Option<Option<Who>>,
    /// Steps taken, not yet looked at.
    steps: VecDeque<Logged>,
    /// A checkpoint finds a buffer of this transaction.
    newer: Option<Tid>,
    /// The play is over: all may go on.
    over: bool,
}

impl Strings {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<R>(&self, change: impl FnOnce(&mut Seen) -> R) -> R {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Waits until it gives something.
    fn wait<R>(&self, what: &str, mut of: impl FnMut(&mut Seen) -> Option<R>) -> Result<R, String> {
        let mut result = None;
        let look = |seen: &mut Seen| {
            result = of(seen);
            result.is_none()
        };
        let waited = self.changed.wait_timeout_while(self.lock(), PATIENCE, look);
        drop(waited);
        self.changed.notify_all();
        result.ok_or_else(|| format!("nothing happens: {what}"))
    }
}

/// The strings as the journal's probe and its store.
#[derive(Clone)]
struct Held(Arc<Strings>);

impl Probe for Held {
    fn about(&self, who: Option<Who>) {
        let strings = &self.0;
        let mut seen = strings.lock();
        seen.at.insert(who);
        strings.changed.notify_all();
        while !seen.over && seen.go != Some(who) {
            let woken = strings.changed.wait(seen);
            seen = woken.unwrap_or_else(PoisonError::into_inner);
        }
        seen.at.remove(&who);
        seen.go = None;
    }

    fn step(&self, step: Step, now: &Numbers) {
        self.0
            .with(|seen| seen.steps.push_back((step, now.clone())));
    }
}

impl Store for Held {
    fn checkpoint(&self) -> Result<Checkpointed, Errno> {
        let newer = self.0.lock().newer;
        Ok(newer.map_or(Checkpointed::Written, Checkpointed::Newer))
    }
}

type Journal<R> = Admission<R, StdSys, Held>;

/// The reservations of the pages whose workers have not started.
type Reservations = Mutex<Vec<Option<Reservation>>>;

/// A puppet: does what it is told, and keeps its handle in between.
struct Puppet<R> {
    task: Task,
    load: Load,
    journal: Arc<Journal<R>>,
    store: Held,
    reservations: Arc<Reservations>,
    ticket: Option<Ticket>,
}

fn number(credits: Credits) -> u32 {
    u32::try_from(credits).expect("a small number")
}

impl<R: Rules> Puppet<R> {
    fn play(mut self, told: &Receiver<Action>) {
        for action in told {
            // A refused task has nothing more to do.
            if self.does(action).is_err() {
                return;
            }
        }
        // A handle that is left is the journal's no more: it is aborted.
    }

    fn reservation(&self, page: usize) -> MutexGuard<'_, Vec<Option<Reservation>>> {
        let mut reservations = self.reservations.lock().expect("no puppet panics");
        let pages = reservations.len().max(page + 1);
        reservations.resize_with(pages, || None);
        reservations
    }

    fn does(&mut self, action: Action) -> Result<(), Refused> {
        let (journal, load) = (&self.journal, self.load);
        let name = who(self.task);
        let extra = match &self.ticket {
            Some(ticket) if ticket.credits() > load.cost => load.extra,
            _ => 0,
        };
        let uses = number(load.uses + extra);
        let handle = |ticket: Option<Ticket>| ticket.expect("it has a handle");
        self.ticket = match (action, self.task) {
            (Action::Start(_), Task::Plain(_)) => {
                Some(journal.start(name, number(load.cost), 0, &self.store)?)
            }
            (Action::Start(_), Task::Pages(_)) => {
                let (cost, reserve) = (number(load.page_cost), number(load.reserve));
                Some(journal.start(name, cost, reserve, &self.store)?)
            }
            (Action::Start(_), Task::Worker(w)) => {
                let reservation = self.reservation(w)[w].take();
                Some(journal.start_reserved(name, reservation.expect("it was submitted"))?)
            }
            (Action::Extend(_), _) => {
                let mut ticket = handle(self.ticket.take());
                journal.extend(&mut ticket, number(load.extra));
                Some(ticket)
            }
            (Action::Restart(_), _) => {
                let ticket = handle(self.ticket.take());
                Some(journal.restart(ticket, number(load.cost), uses, &self.store)?)
            }
            (Action::Submit(_), Task::Pages(w)) => {
                let ticket = handle(self.ticket.take());
                // The worker may start as soon as the step is told.
                let mut reservations = self.reservation(w);
                reservations[w] = journal.stop(ticket, number(load.page_uses));
                None
            }
            (Action::Unreserve(_), _) => {
                journal.stop_unreserved(handle(self.ticket.take()), number(load.page_uses));
                None
            }
            (Action::Convert(_), _) => {
                journal.stop(handle(self.ticket.take()), number(load.convert_uses));
                None
            }
            (Action::Stop(_), _) => {
                journal.stop(handle(self.ticket.take()), uses);
                None
            }
            (other, _) => panic!("{other:?} is nothing that a puppet is told"),
        };
        Ok(())
    }
}

/// Writes as many blocks as the machine.
fn commit<R: Rules>(journal: &Journal<R>) {
    while let Some(committing) = journal.next_commit() {
        if journal.wrote(number(committing.log + 2)).is_err() {
            return;
        }
        journal.ended();
    }
}

struct Stage<'a, R> {
    machine: &'a Machine,
    journal: Arc<Journal<R>>,
    strings: Arc<Strings>,
    told: Vec<Sender<Action>>,
    threads: Vec<JoinHandle<()>>,
}

/// Drives threads of a journal along a path of the machine.
///
/// # Errors
///
/// What a thread does that the path does not say, or where the journal and the machine differ.
pub fn drive<R: Rules>(machine: &Machine, path: &[Action]) -> Result<(), String> {
    let mut stage = Stage::<R>::new(machine);
    let result = stage.follow(path);
    stage.clear()?;
    result
}

impl<'a, R: Rules> Stage<'a, R> {
    fn new(machine: &'a Machine) -> Self {
        let strings = Arc::new(Strings::default());
        let store = Held(strings.clone());
        let journal = Arc::new(Journal::<R>::new(machine.sizes, store.clone()));
        let reservations = Arc::new(Reservations::default());
        let (mut told, mut threads) = (Vec::new(), Vec::new());
        for task in machine.tasks() {
            let (tells, is_told) = mpsc::channel();
            let puppet = Puppet {
                task,
                load: machine.load,
                journal: journal.clone(),
                store: store.clone(),
                reservations: reservations.clone(),
                ticket: None,
            };
            told.push(tells);
            threads.push(thread::spawn(move || puppet.play(&is_told)));
        }
        let commits = journal.clone();
        threads.push(thread::spawn(move || commit(&commits)));
        Stage {
            machine,
            journal,
            strings,
            told,
            threads,
        }
    }

    fn follow(&mut self, path: &[Action]) -> Result<(), String> {
        let mut state = self.machine.init();
        for &action in path {
            let next = self.machine.step(&state, action);
            let next = next.ok_or_else(|| format!("{action:?} is not enabled"))?;
            self.take(action, &next)?;
            state = next;
        }
        Ok(())
    }

    /// Has one step taken, and compares.
    fn take(&self, does: Action, next: &State) -> Result<(), String> {
        let place = does.task().and_then(|task| self.machine.place(task));
        match does {
            Action::Start(_)
            | Action::Extend(_)
            | Action::Restart(_)
            | Action::Stop(_)
            | Action::Submit(_)
            | Action::Unreserve(_)
            | Action::Convert(_) => {
                let told = place.map(|place| self.told[place].send(does));
                told.transpose()
                    .map_err(|_| format!("{does:?}: the puppet has left"))?;
                self.go(does)?;
            }
            Action::AskCommit => {
                self.journal.ask_commit();
            }
            // A thread takes it in one step with the failure.
            Action::Undo(_) => {}
            _ => self.go(does)?,
        }
        let what = format!("{does:?}");
        let (step, now) = self.strings.wait(&what, |seen| seen.steps.pop_front())?;
        let Some((is, pc)) = action(step) else {
            return Err(format!("told {step:?}, expected {does:?}"));
        };
        let then = place.map(|place| next.pc[place]);
        if is != does || (pc.is_some() && pc != then) {
            return Err(format!("told {step:?}, expected {does:?} to {then:?}"));
        }
        // All who wait are woken.
        let mut expected = next.clone();
        if now.aborted.is_some() {
            expected.queue.clear();
        }
        match differs(&expected, &now) {
            Some(wrong) => Err(format!("after {does:?} {wrong}")),
            None => self.all_sleep(next),
        }
    }

    fn go(&self, does: Action) -> Result<(), String> {
        let here = does.task().map(who);
        let numbers = self.journal.numbers();
        let newer = match does {
            Action::FindNewer(_) => Some(numbers.running.tid),
            Action::FindCommitting(_) => Some(numbers.committing.tid),
            _ => None,
        };
        self.strings.wait(&format!("{does:?}"), |seen| {
            seen.newer = newer;
            seen.at.contains(&here).then(|| seen.go = Some(here))
        })
    }

    /// Nobody who waits in the machine is about to do something, but for who may be awake and has not looked yet.
    fn all_sleep(&self, state: &State) -> Result<(), String> {
        let seen = self.strings.lock();
        let mut tasks = self.machine.tasks().into_iter().zip(&state.pc);
        let is_up = |(task, pc): &(Task, &Pc)| {
            let waits = matches!(pc, Pc::WaitLocked | Pc::WaitSwitch);
            waits && !state.aborted && seen.at.contains(&Some(who(*task)))
        };
        let up = tasks.find(is_up);
        up.map_or(Ok(()), |(task, pc)| {
            Err(format!("{task:?} is not in {pc:?}"))
        })
    }

    /// Lets everybody go to the end.
    fn clear(&mut self) -> Result<(), String> {
        self.strings.with(|seen| seen.over = true);
        self.told.clear();
        self.journal.abort(Reason::NoSpace);
        for thread in self.threads.drain(..) {
            thread.join().map_err(|_| "a puppet panics".to_owned())?;
        }
        Ok(())
    }
}
