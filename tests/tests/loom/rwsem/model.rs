//! A model: threads, each with a program of operations on one lock, run by loom in every schedule.

use std::sync::Arc;

use conformance::rwsem_log::{self, Event, Log};
use conformance::symptom::assert_found;
use conformance::traces;
use interlock::rwsem::recorder::Recorder;
use interlock_rwlock::Kind;
use interlock_rwlock::layout::{Layout, NoBudget};
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::probe::Probe;
use interlock_rwlock::rules::Rules;
use interlock_rwlock::sys::Sys;
use interlock_rwlock::word::{Action, WordOf};
use loom::cell::UnsafeCell;

use super::HEAD;
use crate::explored::{self, Figures, Seen, figures_of};

/// One operation of a thread, from the call that acquires the lock to its release.
#[derive(Clone, Copy, PartialEq)]
pub enum Op {
    Read,
    Write,
    /// Write, then downgrade, then read.
    Downgrade,
    TryRead,
    TryWrite,
}

impl Op {
    fn kind(self) -> Kind {
        match self {
            Op::Read | Op::TryRead => Kind::Reader,
            Op::Write | Op::Downgrade | Op::TryWrite => Kind::Writer,
        }
    }
}

/// The programs of a model, one a thread.
pub type Programs = &'static [&'static [Op]];

loom::thread_local! {
    static TASK: std::cell::Cell<usize> = std::cell::Cell::new(usize::MAX);
}

fn this_task() -> usize {
    TASK.with(|task| task.get())
}

/// The log, and the record that `interlock validate` judges.
struct Logs<L: Layout> {
    log: Log<L>,
    recorder: Recorder,
}

impl<L: Layout> Probe<L> for Logs<L> {
    fn step(&self, before: WordOf<L>, action: Action, after: WordOf<L>) {
        self.log.step(before, action, after);
        self.recorder.step(before, action, after);
    }
}

struct Shared<S: Sys, R, L: Layout> {
    lock: RawBarrierRwLock<S, Logs<L>, R, L>,
    /// How often it was written.
    value: UnsafeCell<u32>,
}

/// The machine's task of each thread as each kind, readers first.
fn tasks(programs: Programs) -> Vec<(usize, Kind)> {
    let of = |kind| {
        let threads = programs
            .iter()
            .enumerate()
            .filter(move |(_, ops)| ops.iter().any(|op| op.kind() == kind));
        threads.map(move |(thread, _)| (thread, kind))
    };
    of(Kind::Reader).chain(of(Kind::Writer)).collect()
}

/// Each task's name in the specification: r1, r2, ..., w1, w2, ...
fn names(tasks: &[(usize, Kind)]) -> Vec<String> {
    let (mut readers, mut writers) = (0, 0);
    let name = |(_, kind): &(usize, Kind)| {
        let (letter, number) = match kind {
            Kind::Reader => ('r', &mut readers),
            Kind::Writer => ('w', &mut writers),
        };
        *number += 1;
        format!("{letter}{number}")
    };
    tasks.iter().map(name).collect()
}

/// Runs one operation; true: it wrote.
fn run<S: Sys, R: Rules<L>, L: Layout>(shared: &Shared<S, R, L>, op: Op) -> bool {
    let Shared { lock, value } = shared;
    let kind = op.kind();
    if matches!(op, Op::TryRead | Op::TryWrite) {
        if !lock.try_acquire(kind) {
            lock.probe().log.refused();
            return false;
        }
    } else {
        lock.acquire(kind);
    }
    lock.probe().log.returned();
    match kind {
        // SAFETY: the lock is held for reading or writing; loom panics if not.
        Kind::Reader => drop(value.with(|value| unsafe { *value })),
        Kind::Writer => value.with_mut(|value| unsafe { *value += 1 }),
    }
    let mut held_for = kind;
    if op == Op::Downgrade {
        lock.probe().recorder.about();
        // SAFETY: held for writing.
        unsafe { lock.downgrade() };
        held_for = Kind::Reader;
        // SAFETY: held for reading.
        value.with(|value| unsafe { *value });
    }
    lock.probe().recorder.about();
    // SAFETY: acquired above.
    unsafe { lock.release(held_for) };
    kind == Kind::Writer
}

/// Sequences of steps, and a trace of each.
#[derive(Default)]
struct Found {
    steps: Seen,
    traces: Vec<String>,
}

/// Runs every schedule with at most `preemptions` preemptions, all if `None`, and checks each. Returns how many there were, and
/// a trace of each sequence of steps.
pub fn explore<S, R, L>(
    name: &str,
    programs: Programs,
    preemptions: Option<usize>,
) -> (usize, Vec<String>)
where
    S: Sys<Word: Send + Sync, Beds: Send + Sync> + 'static,
    R: Rules<L> + Send + Sync + 'static,
    L: Layout,
{
    let tasks = Arc::new(tasks(programs));
    let readers = tasks
        .iter()
        .filter(|(_, kind)| *kind == Kind::Reader)
        .count();
    let machine = Arc::new(rwsem_log::with_budget::<L>(readers, tasks.len() - readers));
    let names = Arc::new(names(&tasks));
    let of_judge = names.clone();
    let run = move || {
        let logs = Logs {
            log: Log::new(this_task),
            recorder: Recorder::of(this_task),
        };
        // The next ticket and the next batch are the last ones before they wrap.
        let start = WordOf::starting_at(4095, 15);
        let lock = RawBarrierRwLock::<S, Logs<L>, R, L>::with(start, logs);
        let shared = Arc::new(Shared {
            lock,
            value: UnsafeCell::new(0),
        });
        let thread = |number: usize| {
            let (shared, tasks, names) = (shared.clone(), tasks.clone(), names.clone());
            move || {
                let mut writes = 0;
                for &op in programs[number] {
                    let task = tasks.iter().position(|task| *task == (number, op.kind()));
                    let task = task.expect("a task for each operation");
                    TASK.with(|current| current.set(task));
                    shared.lock.probe().recorder.join(&names[task]);
                    writes += u32::from(run(&shared, op));
                }
                writes
            }
        };
        let others: Vec<_> = (1..programs.len())
            .map(|number| loom::thread::spawn(thread(number)))
            .collect();
        let mut writes = thread(0)();
        for other in others {
            writes += other.join().expect("no thread panics");
        }
        // SAFETY: all threads have ended.
        assert_eq!(
            shared.value.with(|value| unsafe { *value }),
            writes,
            "a write was lost"
        );
        (shared.lock.probe().log.events(), shared)
    };
    let judge = move |events: Vec<Event<L>>, shared: &Arc<Shared<S, R, L>>, found: &mut Found| {
        rwsem_log::check(&*machine, &events);
        if found.steps.is_new(&steps(&events)) {
            let tasks: Vec<&str> = of_judge.iter().map(String::as_str).collect();
            let recorder = &shared.lock.probe().recorder;
            let trace = recorder.to_text("a schedule of loom's", &tasks);
            found.traces.push(trace);
        }
    };
    let (figures, found) = explored::explore(name, preemptions, run, judge);
    (figures.iterations, found.traces)
}

/// Explores without faults; the figures must be those of the head, so that a model that explores less is noticed. All traces are behaviours,
/// says the machine; returns them.
pub fn holds<S, R>(name: &str, programs: Programs, preemptions: Option<usize>) -> Vec<String>
where
    S: Sys<Word: Send + Sync, Beds: Send + Sync> + 'static,
    R: Rules + Send + Sync + 'static,
{
    let recorded = explores_as_told::<S, R, NoBudget>(name, programs, preemptions);
    traces::accepted(name, "rwsem", &recorded);
    recorded
}

/// Explores with a budget; the figures must be those of the head.
pub fn holds_with<L, S, R>(name: &str, programs: Programs, preemptions: Option<usize>)
where
    S: Sys<Word: Send + Sync, Beds: Send + Sync> + 'static,
    R: Rules<L> + Send + Sync + 'static,
    L: Layout,
{
    explores_as_told::<S, R, L>(name, programs, preemptions);
}

fn explores_as_told<S, R, L>(
    name: &str,
    programs: Programs,
    preemptions: Option<usize>,
) -> Vec<String>
where
    S: Sys<Word: Send + Sync, Beds: Send + Sync> + 'static,
    R: Rules<L> + Send + Sync + 'static,
    L: Layout,
{
    let (iterations, recorded) = explore::<S, R, L>(name, programs, preemptions);
    let paths = recorded.len();
    let told = figures_of(HEAD, name, preemptions);
    assert_eq!(Figures { iterations, paths }, told, "{name}");
    recorded
}

/// Explores with a budget and a fault, which must be found by a panic that says one of `symptoms`.
pub fn finds_with<L, S, R>(
    name: &str,
    programs: Programs,
    preemptions: Option<usize>,
    symptoms: &[&str],
) where
    S: Sys<Word: Send + Sync, Beds: Send + Sync> + 'static,
    R: Rules<L> + Send + Sync + 'static,
    L: Layout,
{
    assert_found(name, symptoms, || {
        explore::<S, R, L>(name, programs, preemptions)
    });
}

/// Explores with a fault, which must be found by a panic that says one of `symptoms`.
pub fn finds<S, R>(name: &str, programs: Programs, preemptions: Option<usize>, symptoms: &[&str])
where
    S: Sys<Word: Send + Sync, Beds: Send + Sync> + 'static,
    R: Rules + Send + Sync + 'static,
{
    finds_with::<NoBudget, S, R>(name, programs, preemptions, symptoms);
}

fn steps<L: Layout>(events: &[Event<L>]) -> Vec<(usize, interlock_rwlock::word::Action)> {
    let step = |event: &Event<L>| match *event {
        Event::Step { task, action, .. } => Some((task, action)),
        Event::Returned(_) | Event::Refused(_) => None,
    };
    events.iter().filter_map(step).collect()
}
