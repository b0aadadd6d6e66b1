//! The lock that is biased to readers, step by step: what each schedule does to the word and to the tree is a path of the machine.

use std::sync::{Arc, Mutex, PoisonError};

use conformance::symptom::assert_found;
use interlock::range::bias_machine::{Action, BiasMachine};
use interlock::range::lock::RangeLock;
use interlock::range::machine::{self, Ask, Machine, Part};
use interlock::range::policy::Policy;
use interlock::range::probe::{Probe, Step, WordStep};
use interlock::range::tree::{Arrival, Mode, Place, Tree};
use loom::thread;
use rusty_fork::rusty_fork_test;

use super::sys::{LoomSys, NONE, Passed, STAYS_OPEN};
use crate::explored::{Figures, explore};

loom::thread_local! {
    static TASK: std::cell::Cell<usize> = std::cell::Cell::new(usize::MAX);
}

/// An action, and after one of the tree's what each range there waits for, and how often it was passed.
type Event = (Action, Option<Vec<(usize, usize)>>);

/// The steps in their order: loom switches threads at its own operations alone, and none is between a step and its entry here.
#[derive(Default)]
struct Path(Mutex<Vec<Event>>);

impl Path {
    fn add(&self, action: fn(usize) -> Action, tree: Option<&Tree>) {
        let accounts = tree.map(|tree| {
            let entries = tree.entries().into_iter();
            entries
                .map(|entry| (entry.blocking, entry.passed))
                .collect()
        });
        let action = action(TASK.with(|task| task.get()));
        let mut path = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        path.push((action, accounts));
    }
}

fn is_crowd(place: &Place) -> bool {
    place.range == (0..u64::MAX)
}

impl Probe for Path {
    fn step(&self, step: Step<'_>, tree: &Tree) {
        let action: fn(usize) -> Action = match step {
            // It has come with `Close`.
            Step::Arrives(place, _) if is_crowd(place) => return,
            Step::Arrives(_, Arrival::Lock) => |task| Action::Tree(machine::Action::Lock(task)),
            Step::Arrives(_, Arrival::Pass) => |task| Action::Tree(machine::Action::Pass(task)),
            Step::Arrives(_, Arrival::Wait(_)) => |task| Action::Tree(machine::Action::Wait(task)),
            Step::Becomes(place, _) if is_crowd(place) => Action::Drain,
            Step::Becomes(..) => |task| Action::Tree(machine::Action::Unlock(task)),
            Step::GivesUp(_) => |task| Action::Tree(machine::Action::Interrupt(task)),
            Step::Refused(..) => return,
        };
        self.add(action, Some(tree));
    }

    fn word(&self, step: WordStep) {
        let action: fn(usize) -> Action = match step {
            WordStep::Enter => Action::Enter,
            WordStep::Leave => Action::Leave,
            WordStep::Close => Action::Close,
            WordStep::Open => |_| Action::Open,
        };
        self.add(action, None);
    }
}

/// Runs every schedule of threads that lock these ranges one after the other, and follows each on the machine. The `mortal` of them may
/// give up.
fn follows<const FAULT: u8>(
    name: &str,
    policy: Policy,
    programs: &[&[Part]],
    mortal: &'static [usize],
    preemptions: usize,
) -> Figures {
    let programs: Vec<Vec<Part>> = programs.iter().map(|program| program.to_vec()).collect();
    let all = programs.concat();
    let crowd = all.len();
    let asks = all.iter().cloned().chain([(0..u64::MAX, Mode::Read)]);
    let asks: Vec<Ask> = asks
        .map(|part| Ask {
            part,
            then: Vec::new(),
        })
        .collect();
    let machine = BiasMachine {
        tree: Machine {
            mortal: (0..asks.len()).map(|task| mortal.contains(&task)).collect(),
            asks,
            policy,
        },
        crowd,
    };
    let run = move || {
        let lock = Arc::new(RangeLock::<LoomSys<FAULT, Path>>::biased_with(policy));
        let mut first = 0;
        let threads = programs.iter().cloned().map(|program| {
            let (lock, task) = (Arc::clone(&lock), first);
            first += program.len();
            move || {
                for (at, (range, mode)) in program.into_iter().enumerate() {
                    TASK.with(|current| current.set(task + at));
                    drop(match (mode, mortal.contains(&(task + at))) {
                        (Mode::Read, false) => Some(lock.read(range)),
                        (Mode::Write, false) => Some(lock.write(range)),
                        (Mode::Read, true) => lock.try_read_until(range, Passed),
                        (Mode::Write, true) => lock.try_write_until(range, Passed),
                    });
                }
            }
        });
        let mut threads: Vec<_> = threads.collect();
        let last = threads.pop().expect("a thread");
        let others: Vec<_> = threads.into_iter().map(thread::spawn).collect();
        last();
        for other in others {
            other.join().expect("no thread panics");
        }
        let path = lock
            .probe()
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        (path.clone(), ())
    };
    let judge = move |path: Vec<Event>, (): &(), (): &mut ()| {
        let mut state = machine.init();
        for (action, accounts) in &path {
            let next = machine.step(&state, *action);
            state = next.unwrap_or_else(|| {
                panic!("{action:?} is not enabled in the machine: {state:?} of {path:?}")
            });
            let there = state.tree.iter();
            let there: Vec<_> = there.map(|range| (range.blocking, range.passed)).collect();
            if let Some(accounts) = accounts {
                assert_eq!(*accounts, there, "after {action:?} of {path:?}");
            }
        }
        assert!(state.tree.is_empty() && state.inside.is_empty() && state.last.is_empty());
    };
    explore(name, Some(preemptions), run, judge).0
}

fn read(first: u64, last: u64) -> Part {
    (first..last + 1, Mode::Read)
}

fn write(first: u64, last: u64) -> Part {
    (first..last + 1, Mode::Write)
}

fn holds(
    name: &str,
    policy: Policy,
    programs: &[&[Part]],
    mortal: &'static [usize],
    figures: (usize, usize),
) {
    let (iterations, paths) = figures;
    let found = follows::<NONE>(name, policy, programs, mortal, 3);
    assert_eq!(found, Figures { iterations, paths }, "{name}");
}

rusty_fork_test! {
    #[test]
    fn each_schedule_is_a_path_of_the_machine() {
        let crowded: &[&[Part]] = &[&[read(1, 2)], &[read(2, 3)], &[write(2, 2)]];
        holds("r+r+w", Policy::TREE_FIFO, crowded, &[], (1_206, 50));
        // The writer may give up, which then has closed the word; and a reader that has come behind it.
        holds("r+r+w, the last two give up", Policy::TREE_FIFO, crowded, &[1, 2], (986, 63));
        holds("r+r+w, passing", Policy::PASS_ONE, crowded, &[], (1_194, 52));
        let again: &[&[Part]] = &[&[read(1, 2), read(1, 1)], &[write(1, 1), read(2, 2)]];
        holds("rr+wr", Policy::TREE_FIFO, again, &[], (165, 33));
        let writers: &[&[Part]] = &[&[read(1, 2)], &[write(1, 1)], &[write(1, 2)]];
        holds("r+w+w", Policy::PASS_ONE, writers, &[], (978, 38));
    }

    #[test]
    fn a_word_that_stays_open_leaves_the_path() {
        let symptom = ["is not enabled in the machine"];
        assert_found("a word that stays open", &symptom, || {
            // One after the other, so that nobody is counted when it is not closed, which would be a deadlock.
            let programs: &[&[Part]] = &[&[read(1, 1)], &[write(1, 1)]];
            follows::<STAYS_OPEN>("a word that stays open", Policy::TREE_FIFO, programs, &[], 0);
        });
    }
}
