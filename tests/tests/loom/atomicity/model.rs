//! Operations on a file, a thread each, and what is checked of each schedule of them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use conformance::file_atomicity::{Case, Invariant, Left, file, leaves, perform, writers};
use interlock::range::atomicity::file::RangedFile;
use interlock::range::atomicity::machine::{Action, Step};
use interlock::range::atomicity::probe::Probe;
use interlock::range::atomicity::rules::Rules;
use loom::thread;

use crate::explored::{Figures, explore};
use crate::range::sys::{LoomSys, NONE};

/// The steps in their order. loom does not see it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<Action>>>);

/// The log of one task.
struct Logged(Log, usize);

impl Probe for Logged {
    fn step(&self, step: Step) {
        let mut log = self.0.0.lock().expect("nobody panics with it");
        log.push(Action { task: self.1, step });
    }
}

/// What the schedules have shown.
#[derive(Debug, Default)]
pub struct Shown {
    /// What bytes were left that break these.
    pub broken: BTreeSet<Invariant>,
    /// A schedule whose steps are no path of the machine, or that has left other bytes where locks order all: what differs.
    pub strays: Option<String>,
}

/// A file under loom.
pub type File<R> = RangedFile<LoomSys<NONE>, R>;

/// Runs every schedule, with at most so many preemptions, of a case's operations under these rules.
pub fn run<R: Rules + Send + Sync>(case: &Case, preemptions: Option<usize>) -> (Figures, Shown) {
    run_beside::<R>(case, preemptions, None)
}

/// The same beside a thread that does this to the file.
pub fn run_beside<R: Rules + Send + Sync>(
    case: &Case,
    preemptions: Option<usize>,
    beside: Option<fn(&File<R>)>,
) -> (Figures, Shown) {
    let machine = case.counterpart.machine.clone();
    let run = move || {
        let log = Log::default();
        let file: Arc<File<R>> = Arc::new(file(&machine));
        let does = |task: usize| {
            let (file, machine, log) = (file.clone(), machine.clone(), log.clone());
            move || perform(&file, &machine, task, &Logged(log, task))
        };
        let threads = (1..machine.ops.len()).map(|task| thread::spawn(does(task)));
        let threads: Vec<_> = threads.collect();
        let beside = beside.map(|beside| {
            let file = file.clone();
            thread::spawn(move || beside(&file))
        });
        let mut read = vec![does(0)()];
        read.extend(
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no thread panics")),
        );
        if let Some(beside) = beside {
            beside.join().expect("no thread panics");
        }
        let left = Left {
            read: read.iter().map(|bytes| writers(&machine, bytes)).collect(),
            file: writers(&machine, &file.snapshot()),
        };
        let log = std::mem::take(&mut *log.0.lock().expect("nobody panics with it"));
        ((log, left), ())
    };
    let counterpart = case.counterpart.clone();
    // Where no lock orders two that share a cell, what is found there need not be of one order of all, as the machine's is.
    let is_ordered = case.verdicts.values().all(|holds| *holds);
    let judge = move |(log, left): (Vec<Action>, Left), (): &(), shown: &mut Shown| {
        for invariant in [Invariant::ReadAtomic, Invariant::WriteAtomic] {
            if left.shows(&counterpart.machine, invariant) {
                shown.broken.insert(invariant);
            }
        }
        let differs = match leaves(&counterpart, &log) {
            Err(error) => Some(error.to_string()),
            Ok(expected) if is_ordered && expected != left => {
                Some(format!("{left:?} is left, expected {expected:?}"))
            }
            Ok(_) => None,
        };
        if shown.strays.is_none() {
            shown.strays = differs;
        }
    };
    explore(&case.name, preemptions, run, judge)
}
