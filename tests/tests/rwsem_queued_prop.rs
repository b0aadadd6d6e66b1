//! Random walks of more tasks than a graph has room for: in each state nobody is kept out without a reason, and the bounds of
//! `QueuedOvertaking.tla` hold; and a walk finds each fault.

use conformance::queued_faults::*;
use conformance::random::runner;
use conformance::rwsem_queued::{Action, Pc, QueuedRwsem, State};
use interlock_rwlock::queued::Mode;
use interlock_rwlock::queued::rules::{Queued, Rules};
use interlock_traces::machines::counterpart::Counterpart as _;
use proptest::prelude::*;
use proptest::test_runner::TestError;

/// Who waits beside a history: whom each found in the queue, and who has overtaken it since.
#[derive(Clone, Default)]
struct Waits {
    older: Vec<usize>,
    by_readers: usize,
}

fn excludes(a: Mode, b: Mode) -> bool {
    a == Mode::Write || b == Mode::Write || a == Mode::Upgradable && b == Mode::Upgradable
}

/// What a task that is inside has the lock for.
fn has(pc: Pc) -> Option<Mode> {
    match pc {
        Pc::Has(mode) => Some(mode),
        Pc::Upgrade => Some(Mode::Upgradable),
        Pc::Idle | Pc::Wait => None,
    }
}

/// Two that exclude each other are not inside together, and whoever waits is excluded by one inside or one ahead.
fn judge(state: &State) -> Result<(), String> {
    let inside: Vec<(usize, Mode)> = (0..state.pc.len())
        .filter_map(|task| Some((task, has(state.pc[task])?)))
        .collect();
    for (at, (_, mode)) in inside.iter().enumerate() {
        if inside[..at]
            .iter()
            .any(|(_, other)| excludes(*mode, *other))
        {
            return Err(format!("{inside:?} are inside together"));
        }
    }
    let queue: Vec<_> = state.lock.queue().collect();
    for (at, waiter) in queue.iter().enumerate() {
        let keeps_out =
            |&(task, mode): &(usize, Mode)| task != waiter.who && excludes(mode, waiter.wants);
        let ahead = queue[..at]
            .iter()
            .any(|other| excludes(other.wants, waiter.wants));
        if !ahead && !inside.iter().any(keeps_out) {
            return Err(format!("{waiter:?} waits in vain"));
        }
    }
    Ok(())
}

/// Counts who overtakes whom in a step.
fn count(
    model: &QueuedRwsem,
    waits: &mut [Waits],
    [before, after]: [&State; 2],
) -> Result<(), String> {
    let queued: Vec<usize> = before.lock.queue().map(|place| place.who).collect();
    let got = |task: &usize| has(before.pc[*task]).is_none() && has(after.pc[*task]).is_some();
    let got: Vec<usize> = (0..model.modes.len()).filter(got).collect();
    let still: Vec<usize> = after.lock.queue().map(|place| place.who).collect();
    let readers = model
        .modes
        .iter()
        .filter(|mode| **mode == Mode::Read)
        .count();
    for (task, waits) in waits.iter_mut().enumerate() {
        match (before.pc[task], after.pc[task]) {
            (Pc::Wait, Pc::Wait) => {
                for &by in &got {
                    let mode = model.modes[by];
                    if waits.older.contains(&by) || !excludes(mode, model.modes[task]) {
                        continue;
                    }
                    waits.by_readers += 1;
                    let bound = match model.modes[task] {
                        Mode::Write if mode == Mode::Read => readers,
                        _ => 0,
                    };
                    if waits.by_readers > bound {
                        return Err(format!("{by} overtakes {task}"));
                    }
                }
                waits.older.retain(|other| still.contains(other));
            }
            (_, Pc::Wait) => {
                *waits = Waits {
                    older: queued.clone(),
                    by_readers: 0,
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Takes the actions that are enabled, of those chosen, from the start.
fn walk<R: Rules>(model: &QueuedRwsem, choices: &[usize]) -> Result<(), String> {
    let candidates = model.candidates();
    let mut state = model.init();
    let mut waits = vec![Waits::default(); model.modes.len()];
    for choice in choices {
        let action: Action = candidates[choice % candidates.len()];
        let Some(next) = model.step_by::<R>(&state, action) else {
            continue;
        };
        judge(&next)?;
        count(model, &mut waits, [&state, &next])?;
        state = next;
    }
    Ok(())
}

/// What the walks find, if anything: a fixed sequence of them.
fn found<R: Rules>() -> Option<String> {
    let mode = prop_oneof![
        2 => Just(Mode::Read),
        1 => Just(Mode::Upgradable),
        1 => Just(Mode::Write)
    ];
    let walks = (
        prop::collection::vec(mode, 2..9),
        prop::collection::vec(any::<usize>(), 0..400),
    );
    let outcome = runner(400, 1000).run(&walks, |(modes, choices)| {
        walk::<R>(&QueuedRwsem::of(&modes), &choices).map_err(TestCaseError::fail)
    });
    match outcome {
        Ok(()) => None,
        Err(TestError::Fail(reason, _)) => Some(reason.to_string()),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn no_walk_finds_anything() {
    assert_eq!(found::<Queued>(), None);
}

#[test]
fn walks_find_each_fault() {
    let finds = |reason: Option<String>, symptom: &str| {
        let reason = reason.expect("a walk finds it");
        assert!(reason.contains(symptom), "{reason}");
    };
    finds(found::<GivesUpInSilence>(), "waits in vain");
    finds(found::<LetsFirstIn>(), "are inside together");
    finds(found::<DowngradesInSilence>(), "waits in vain");
    finds(found::<WritersFirst>(), "overtakes");
}
