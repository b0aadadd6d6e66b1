//! The steps of a journal's tasks, as a path of the machine, and the invariants I1 to I7 in their numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use interlock::jbd2::machine::{
    Action, Credits, Machine, Pc, Sizes, State, TState, Task, Transaction,
};
use interlock::jbd2::numbers::{self, Numbers};
use interlock::jbd2::probe::{Probe, Step, Who};

use crate::jbd2_invariants::Invariant;

/// Between the names of plain threads, of writepages threads and of workers.
const KIND: u32 = 100;

/// The task's name for the probe.
pub fn who(task: Task) -> Who {
    let (kind, number) = match task {
        Task::Plain(p) => (0, p),
        Task::Pages(w) => (1, w),
        Task::Worker(w) => (2, w),
    };
    Who(kind * KIND + u32::try_from(number).expect("a few tasks"))
}

/// The task of this name.
pub fn task(who: Who) -> Task {
    let number = (who.0 % KIND) as usize;
    match who.0 / KIND {
        0 => Task::Plain(number),
        1 => Task::Pages(number),
        _ => Task::Worker(number),
    }
}

/// A step, and the numbers that it left.
pub type Logged = (Step, Numbers);

/// Logs every step.
#[derive(Default)]
pub struct Log(Mutex<Vec<Logged>>);

impl Log {
    /// The steps until now.
    pub fn taken(&self) -> Vec<Logged> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Probe for Log {
    fn step(&self, step: Step, now: &Numbers) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.push((step, now.clone()));
    }
}

/// The machine's action, and what its task does after it if the step says so; none if the machine has no such action.
pub fn action(step: Step) -> Option<(Action, Option<Pc>)> {
    let of = |action: fn(Task) -> Action, who: Who| (action(task(who)), None);
    let to = |action: fn(Task) -> Action, who: Who, pc: Pc| (action(task(who)), Some(pc));
    Some(match step {
        Step::Start { who, .. } | Step::StartReserved { who, .. } => of(Action::Start, who),
        Step::Try(who, pc) => to(Action::Try, who, pc),
        Step::Fail(who) => to(Action::Fail, who, Pc::Undo),
        Step::Undo(who) => to(Action::Undo, who, Pc::WaitReserved),
        Step::Look(who) => to(Action::Look, who, Pc::Try),
        Step::Refuse(who) => to(Action::Refuse, who, Pc::Refused),
        Step::TryReserved(who, pc) => to(Action::TryReserved, who, pc),
        Step::Extend { who, granted, .. } => {
            let pc = if granted { Pc::Extended } else { Pc::Denied };
            to(Action::Extend, who, pc)
        }
        Step::Restart { who, .. } => of(Action::Restart, who),
        Step::Stop(who) => of(Action::Stop, who),
        Step::Submit(who) => of(Action::Submit, who),
        Step::Unreserve(who) => of(Action::Unreserve, who),
        Step::Convert(who) => of(Action::Convert, who),
        Step::LockCheckpoint(who) => of(Action::LockCheckpoint, who),
        Step::MakeSpace(who, pc) => to(Action::MakeSpace, who, pc),
        Step::FindNewer(who) => of(Action::FindNewer, who),
        Step::FindCommitting(who) => of(Action::FindCommitting, who),
        Step::AskCommit => (Action::AskCommit, None),
        Step::CommitLock => (Action::CommitLock, None),
        Step::CommitSwitch => (Action::CommitSwitch, None),
        Step::CommitFlush => (Action::CommitFlush, None),
        Step::CommitWrite => (Action::CommitWrite, None),
        Step::CommitEnd => (Action::CommitEnd, None),
        Step::FreeReserved(_) | Step::CheckpointFails(_) | Step::Abort | Step::Close => {
            return None;
        }
    })
}

/// The numbers in which the state and the journal differ.
pub fn differs(state: &State, now: &Numbers) -> Option<String> {
    let page = |who: &Who| match task(*who) {
        Task::Pages(w) => Some(w),
        Task::Plain(_) | Task::Worker(_) => None,
    };
    let queue = now.queue.iter().map(|(who, _)| page(who)).collect();
    let mut promised: Vec<Option<usize>> = now.promised.iter().map(|(who, _)| page(who)).collect();
    promised.sort_unstable();
    let is_over = now.aborted.is_some() || now.closed;
    let same = [
        ("running", same(&state.running, &now.running)),
        ("committing", same(&state.committing, &now.committing)),
        ("free", state.free == now.free),
        ("checkpoint", now.checkpoint == state.checkpoint),
        ("reserved", state.reserved == now.reserved),
        (
            "queue",
            state.queue.iter().copied().map(Some).collect::<Vec<_>>()
                == Vec::from_iter::<Vec<_>>(queue),
        ),
        (
            "promised",
            promised == state.promised.iter().copied().map(Some).collect::<Vec<_>>(),
        ),
        ("mutex", state.mutex == now.mutex.map(task)),
        ("aborted", state.aborted == is_over),
    ];
    let differ = same.iter().find(|(_, same)| !same);
    differ.map(|(name, _)| format!("{name} differs: {now:?}, expected {state:?}"))
}

fn same(transaction: &Transaction, now: &numbers::Transaction) -> bool {
    let Transaction {
        state,
        out,
        updates,
        log,
        asked,
        ..
    } = transaction;
    (*state, *out, *log, *asked) == (now.state, now.out, now.log, now.asked)
        && *updates == i64::from(now.updates)
}

/// The states of a path, the first one included; each is compared with the journal's numbers, and keeps I1 to I7. An abort from
/// outside and a close are the journal's `aborted`; what they do beside, to wake all who wait, is done to the machine's state.
///
/// # Errors
///
/// A step that is not enabled in the machine, or leaves other numbers or breaks an invariant.
pub fn replay(machine: &Machine, steps: &[Logged]) -> Result<Vec<State>, String> {
    let mut states = vec![machine.init()];
    for (place, (step, now)) in steps.iter().enumerate() {
        let path = || {
            let path: Vec<Step> = steps[..=place].iter().map(|(step, _)| *step).collect();
            format!("{path:?}")
        };
        let next = follow(machine, &states[place], *step);
        let mut next =
            next.ok_or_else(|| format!("{step:?} is not enabled in the machine: {}", path()))?;
        if now.aborted.is_some() || now.closed {
            next.queue.clear();
        }
        let broken = Invariant::ALL.into_iter();
        let mut broken = broken.filter(|invariant| !invariant.holds(machine, &next));
        if let Some(wrong) = differs(&next, now) {
            return Err(format!("after {step:?} {wrong}: {}", path()));
        }
        if let Some(broken) = broken.next() {
            return Err(format!("after {step:?} {broken:?} is broken: {}", path()));
        }
        states.push(next);
    }
    Ok(states)
}

fn follow(machine: &Machine, state: &State, step: Step) -> Option<State> {
    let Some((action, pc)) = action(step) else {
        let mut next = state.clone();
        next.aborted = true;
        return match step {
            Step::Abort | Step::Close => Some(next),
            Step::CheckpointFails(who) => {
                next.mutex = None;
                next.pc[machine.place(task(who))?] = Pc::Try;
                Some(next)
            }
            _ => None,
        };
    };
    let mut from = state.clone();
    let place = action.task().and_then(|task| machine.place(task));
    if let (Step::Refuse(_), Some(place), true) = (step, place, state.aborted) {
        from.pc[place] = Pc::Try;
    }
    let next = machine.step(&from, action)?;
    let is = place.map(|place| next.pc[place]);
    (pc.is_none() || pc == is).then_some(next)
}

/// I1 to I7 in the numbers of each step, of handles of any size.
///
/// # Errors
///
/// The first step after which one of them is broken.
pub fn keeps(sizes: &Sizes, steps: &[Logged]) -> Result<(), String> {
    let mut held = Held::default();
    for (place, (step, now)) in steps.iter().enumerate() {
        held.follow(*step);
        let broken = held.broken(sizes, now);
        if let Some(broken) = broken {
            let path: Vec<Step> = steps[..=place].iter().map(|(step, _)| *step).collect();
            return Err(format!("{broken:?} is broken: {now:?}: {path:?}"));
        }
    }
    Ok(())
}

/// What the steps say that the tasks hold.
#[derive(Default)]
struct Held {
    asks: BTreeMap<Who, (Credits, Credits)>,
    /// Who is to start a reserved handle.
    workers: BTreeSet<Who>,
    handles: BTreeMap<Who, Credits>,
    reserved: Credits,
    /// What a test that has failed is to take back: of credits, and of reserved ones.
    undoing: (Credits, Credits),
}

impl Held {
    fn follow(&mut self, step: Step) {
        let asked = |who: &Who| self.asks.get(who).copied().unwrap_or_default();
        match step {
            Step::Start {
                who,
                credits,
                reserve,
            } => {
                self.asks.insert(who, (credits, reserve));
            }
            Step::StartReserved { who, credits } => {
                self.workers.insert(who);
                self.asks.insert(who, (credits, 0));
            }
            Step::Try(who, Pc::Attached) => {
                let (credits, reserve) = asked(&who);
                self.handles.insert(who, credits);
                self.reserved += reserve;
            }
            Step::Fail(who) => self.undoing = asked(&who),
            Step::Undo(_) => self.undoing = (0, 0),
            Step::Refuse(who) => {
                let (credits, reserve) = asked(&who);
                if reserve == 0 && self.workers.contains(&who) {
                    self.reserved -= credits;
                }
            }
            Step::TryReserved(who, Pc::Attached) => {
                let (credits, _) = asked(&who);
                self.workers.remove(&who);
                self.handles.insert(who, credits);
                self.reserved -= credits;
            }
            Step::Extend {
                who,
                extra,
                granted: true,
            } => *self.handles.entry(who).or_default() += extra,
            Step::Restart { who, credits } => {
                self.handles.remove(&who);
                self.asks.insert(who, (credits, 0));
            }
            Step::Stop(who) | Step::Submit(who) | Step::Convert(who) => {
                self.handles.remove(&who);
            }
            Step::Unreserve(who) => {
                let (_, reserve) = asked(&who);
                self.handles.remove(&who);
                self.reserved -= reserve;
            }
            Step::FreeReserved(credits) => self.reserved -= credits,
            _ => {}
        }
    }

    fn broken(&self, sizes: &Sizes, now: &Numbers) -> Option<Invariant> {
        let running = &now.running;
        let handles: Credits = self.handles.values().sum();
        let promised: Credits = now.promised.iter().map(|(_, credits)| credits).sum();
        let writes = match now.committing.state {
            TState::Tail => now.committing.blocks,
            _ => 0,
        };
        let waiting: Credits = now.checkpoint.iter().sum();
        let takes_updates = matches!(running.state, TState::Running | TState::Locked);
        let (adds, reserves) = self.undoing;
        let all = running.log + handles + now.reserved + sizes.overhead + adds;
        let holds = |invariant: &Invariant| match invariant {
            Invariant::CreditsInBounds => {
                running.state != TState::Switch || running.out <= sizes.max
            }
            Invariant::LoggedWithinCredits => running.log <= running.out,
            Invariant::CommitWithinCredits => {
                now.committing.state != TState::Flush || now.committing.log <= now.committing.out
            }
            Invariant::CommitNeverNeedsSpace => now.free >= 1,
            Invariant::ReservedIsReserved => {
                now.reserved == self.reserved + reserves
                    && self.reserved + promised <= (sizes.max - sizes.overhead) / 2
            }
            Invariant::CreditsConserved => running.state == TState::None || running.out == all,
            Invariant::SpaceConserved => now.free == sizes.log - waiting - writes,
            Invariant::HandlesAreInTime => takes_updates || self.handles.is_empty(),
        };
        Invariant::ALL
            .into_iter()
            .find(|invariant| !holds(invariant))
    }
}

/// Whom the step has sent to wait for reserved credits.
pub fn waits_for_reserved(step: Step) -> Option<Who> {
    match step {
        Step::Undo(who) | Step::Try(who, Pc::WaitReserved | Pc::WaitRoom) => Some(who),
        _ => None,
    }
}

/// How often a task's wait for reserved credits has ended, for each handle that it got: the sum, and the most for one.
pub fn wakes_per_grant(steps: &[Logged]) -> (usize, usize) {
    let mut woken: BTreeMap<Who, usize> = BTreeMap::new();
    let mut waits: BTreeMap<Who, bool> = BTreeMap::new();
    let (mut sum, mut most) = (0, 0);
    for (step, _) in steps {
        match *step {
            Step::Look(who) => *woken.entry(who).or_default() += 1,
            Step::Try(who, pc) => {
                // Who is served tries again without a look.
                if waits.insert(who, pc == Pc::WaitReserved) == Some(true) {
                    *woken.entry(who).or_default() += 1;
                }
                if pc == Pc::Attached {
                    let wakes = woken.remove(&who).unwrap_or_default();
                    sum += wakes;
                    most = most.max(wakes);
                }
            }
            _ => {}
        }
    }
    (sum, most)
}
