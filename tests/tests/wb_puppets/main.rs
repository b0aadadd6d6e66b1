//! Real threads on the flusher's code, driven step by step along paths of the machine. After each step the requests, the bytes on
//! the device, who of the callers has come back and what the flusher does next are those of the machine's state. A flusher that
//! waits for the device does so while the device is at work, and is to be woken.
//!
//! `Want` is no step of the code's threads: somebody else wants the flusher's processor, and the flusher finds that where it asks.
//! Of the other steps some are not taken, see [`LeftOut`].
//!
//! | graph              | steps | taken | another page | under the lock | behind those |
//! |--------------------|-------|-------|--------------|----------------|--------------|
//! | FlushBeforeResched |   503 |   401 |           30 |             14 |           58 |
//! | PlugPerInode       |   231 |   216 |            4 |              4 |            7 |
//! | FinishUnderLock    |   304 |   222 |           22 |             18 |           42 |
//! | DropRetake         |   304 |   234 |           22 |              8 |           40 |
//! | PlugOutside        |   304 |   234 |           22 |              8 |           40 |
//! | SleepKeepsPlug     |   506 |   407 |           29 |             14 |           56 |
//! | NeverFinished      |   400 |   321 |           23 |             14 |           42 |

mod stage;

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use conformance::corpus;
use conformance::tours::tours;
use conformance::wb_flusher_rules::{
    DropsLock, FinishesUnderLock, KeepsPlug, NeverFinishes, SleepsWithPlug, SyncsPastPlug,
    WakesNobody,
};
use interlock::writeback::plug::{Action, Machine, State};
use interlock::writeback::rules::{PerInode, Rules, Today};
use interlock_traces::machines::counterpart::Counterpart;
use interlock_traces::machines::wb_plug::WbPlug;

use stage::drive;

/// Why the threads do not take a step of the machine's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeftOut {
    /// A thread that is throttled waits for the first page that is submitted; in the machine for any.
    WaitsForAnother,
    /// A puppet dirties its inode when it is to be throttled, and whoever does waits for wb->list_lock. (A thread that has dirtied
    /// one before the lock is taken may be throttled then: loom's models have that.)
    LockIsHeld,
}

impl LeftOut {
    const ALL: [LeftOut; 2] = [LeftOut::WaitsForAnother, LeftOut::LockIsHeld];

    fn of(state: &State, action: Action) -> Option<LeftOut> {
        let Action::Throttle(inode) = action else {
            return None;
        };
        let flying = state.flying.iter().map(|run| run.first);
        let first = state.plug.iter().copied().chain(flying).min();
        if first != Some(inode) {
            return Some(LeftOut::WaitsForAnother);
        }
        state.locked.then_some(LeftOut::LockIsHeld)
    }
}

/// The device's threads take requests in turn, as many as it has slots. (In the graphs there are never more.)
fn has_turn(machine: &Machine, state: &State, action: Action) -> bool {
    let Action::Complete(run) = action else {
        return true;
    };
    let mut served = state.flying.iter().take(machine.slots);
    served.any(|first| *first == run)
}

/// What threads can take of a graph.
struct Tour {
    machine: Machine,
    paths: Vec<Vec<Action>>,
    /// The graph's steps: those on the paths, those left out for each reason, and those that only such a step leads to.
    figures: [usize; 4],
}

impl Tour {
    fn of(model: &str) -> Result<Tour> {
        let graph = corpus::graph(model)?;
        let plug = WbPlug::new(&graph.constants)?;
        let mut why = Vec::new();
        for (from, how, _) in &graph.steps {
            let state = plug.state(&graph.states[*from])?;
            why.push(LeftOut::of(&state, plug.action(how)?));
        }
        let paths = tours(&graph, &plug, |place| why[place].is_none())?;
        let mut walked = BTreeSet::new();
        for path in &paths {
            let mut state = plug.machine.init();
            for &action in path {
                let next = plug.machine.step(&state, action);
                walked.insert((state, action));
                state = next.context("it is not enabled")?;
            }
        }
        let count = |reason| why.iter().filter(|why| **why == Some(reason)).count();
        let [another, locked] = LeftOut::ALL.map(count);
        let behind = why.len() - walked.len() - another - locked;
        Ok(Tour {
            machine: plug.machine,
            paths,
            figures: [walked.len(), another, locked, behind],
        })
    }
}

fn follow<R: Rules>(machine: &Machine, path: &[Action]) -> Result<()> {
    let driven = drive::<R>(machine, path).map_err(anyhow::Error::msg);
    driven.with_context(|| format!("{path:?}"))
}

/// Threads with these rules take the steps of the graph.
fn takes<R: Rules>(model: &str, figures: [usize; 4]) -> Result<()> {
    let tour = Tour::of(model)?;
    ensure!(tour.machine.policy == R::POLICY, "{model}: other rules");
    for path in &tour.paths {
        follow::<R>(&tour.machine, path).with_context(|| model.to_owned())?;
    }
    let (paths, steps) = (tour.paths.len(), tour.figures.iter().sum::<usize>());
    let lengths: usize = tour.paths.iter().map(Vec::len).sum();
    let shown = format!("{:?} of {steps} steps", tour.figures);
    println!("{model}: {shown}, in {paths} paths of {lengths} steps");
    ensure!(tour.figures == figures, "{model}: other figures: {shown}");
    Ok(())
}

#[test]
fn threads_take_every_step_of_the_graphs() -> Result<()> {
    takes::<Today>("FlushBeforeResched-F2-graph", [401, 30, 14, 58])?;
    takes::<PerInode>("PlugPerInode-F2-graph", [216, 4, 4, 7])?;
    takes::<FinishesUnderLock>("FinishUnderLock-F2-graph", [222, 22, 18, 42])?;
    takes::<DropsLock>("DropRetake-F2-graph", [234, 22, 8, 40])?;
    takes::<KeepsPlug>("PlugOutside-F2-graph", [234, 22, 8, 40])?;
    takes::<SleepsWithPlug>("SleepKeepsPlug-F2-graph", [415, 30, 14, 58])?;
    takes::<NeverFinishes>("NeverFinished-F2-graph", [329, 24, 14, 44])
}

/// A path that is picked at random.
fn stroll(machine: &Machine, length: usize, seed: u64) -> Vec<Action> {
    let (mut state, mut path, mut random) = (machine.init(), Vec::new(), seed | 1);
    while path.len() < length {
        let mut actions = machine.actions(&state);
        actions.retain(|action| {
            LeftOut::of(&state, *action).is_none() && has_turn(machine, &state, *action)
        });
        if actions.is_empty() {
            break;
        }
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let action = actions[(random >> 16) as usize % actions.len()];
        state = machine.step(&state, action).expect("it is enabled");
        path.push(action);
    }
    path
}

/// More inodes than a graph has.
fn strolls<R: Rules>(files: usize) -> Result<()> {
    let machine = Machine::new(R::POLICY, files, 1);
    let mut steps = 0;
    for number in 1..=20 {
        let path = stroll(&machine, 150, 0x9E37_79B9 * number);
        follow::<R>(&machine, &path)?;
        steps += path.len();
    }
    println!("{files} inodes, {:?}: 20 paths, {steps} steps", R::POLICY);
    Ok(())
}

#[test]
fn threads_follow_the_machine() -> Result<()> {
    strolls::<Today>(4)?;
    strolls::<Today>(7)?;
    strolls::<PerInode>(4)?;
    strolls::<FinishesUnderLock>(4)
}

/// Threads with these rules do not follow the graph: the first difference is this.
fn differs<R: Rules>(model: &str, tells: &str) -> Result<()> {
    let tour = Tour::of(model)?;
    let mut driven = tour
        .paths
        .iter()
        .map(|path| drive::<R>(&tour.machine, path));
    let first = driven.find_map(Result::err).unwrap_or_default();
    ensure!(first.contains(tells), "expected {tells}: {first}");
    Ok(())
}

#[test]
fn other_variants_and_faults_are_told() -> Result<()> {
    let today = "FlushBeforeResched-F2-graph";
    differs::<PerInode>(today, "GoOn: the flusher is about to Finish")?;
    differs::<NeverFinishes>(today, "Finish: the flusher is about to End")?;
    differs::<KeepsPlug>(today, "Resched: 2 requests, expected 3")?;
    differs::<SleepsWithPlug>(today, "Sleep: 0 requests, expected 1")?;
    // Behind which step that is seen is the scheduler's.
    differs::<SyncsPastPlug>(today, ": a sync returns")?;
    let returns = "nothing happens";
    differs::<WakesNobody>(today, returns)?;
    // Who is to be throttled waits for the lock.
    let (drops, waits) = (
        "DropRetake-F2-graph",
        "Throttle(2): nothing happens: no step",
    );
    differs::<FinishesUnderLock>(drops, waits)
}
