//! The state of the lock with a queue of names has TLC's graphs, state for state and step for step; and the comparison tells a
//! fault of one line in it.

use std::collections::BTreeSet;

use anyhow::Result;
use conformance::corpus;
use conformance::difference::{assert_equal, assert_told};
use conformance::queued_faults::*;
use conformance::rwsem_queued::QueuedRwsem;
use interlock_rwlock::queued::Mode;
use interlock_rwlock::queued::rules::{Queued, Rules};
use interlock_traces::machines::counterpart::reached;

const GRAPHS: [&str; 2] = ["Queued-RRWU-safety", "Queued-RWUU-safety"];

#[test]
fn the_state_is_the_specification() -> Result<()> {
    assert_eq!(corpus::graphs("MCQueuedRwsem")?, GRAPHS);
    let mut taken = BTreeSet::new();
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        assert_equal(&QueuedRwsem::new(&graph.constants)?, model, &graph)?;
        taken.extend(graph.steps.into_iter().map(|(_, how, _)| how.action));
    }
    let actions = [
        "Downgrade",
        "Enter",
        "GiveUp",
        "Queue",
        "Release",
        "Upgrade",
    ];
    assert_eq!(Vec::from_iter(taken), actions);
    Ok(())
}

/// For a size that has no graph in the corpus: as many states as TLC counts (`Queued-RRRWWU-safety` in `models.lock`), and steps.
#[test]
fn the_state_space_is_as_large_as_the_manifest_says() {
    let [r, w, u] = [Mode::Read, Mode::Write, Mode::Upgradable];
    let model = QueuedRwsem::of(&[r, r, r, w, w, u]);
    let (states, steps) = reached(&model, |state, action| {
        model.step_by::<Queued>(state, action)
    });
    // TLC generates the initial state too.
    assert_eq!((states.len(), steps + 1), (2_902, 19_697));
}

/// The first thing that tells the lock by these rules from TLC's graph.
fn tells<R: Rules>(fault: &str, model: &str, difference: &str) -> Result<()> {
    let graph = corpus::graph(model)?;
    let rwsem = QueuedRwsem::new(&graph.constants)?;
    assert_told(&rwsem, &graph, (fault, difference), |state, action| {
        rwsem.step_by::<R>(state, action)
    })
}

#[test]
fn each_fault_is_told() -> Result<()> {
    let [rrwu, rwuu] = GRAPHS;
    tells::<GivesUpInSilence>(
        "a give-up that lets nobody in",
        rrwu,
        "in [r1 idle, r2 wait, w1 wait, u1 read; queue w1 r2], GiveUp(w1): \
         TLC [r1 idle, r2 read, w1 idle, u1 read; queue ]; the machine [r1 idle, r2 wait, w1 idle, u1 read; queue r2]",
    )?;
    tells::<LetsFirstIn>(
        "a give-up that lets the first in",
        rrwu,
        "in [r1 idle, r2 wait, w1 wait, u1 read; queue w1 r2], GiveUp(r2): \
         TLC [r1 idle, r2 idle, w1 wait, u1 read; queue w1]; the machine [r1 idle, r2 idle, w1 write, u1 read; queue ]",
    )?;
    tells::<UpgradesInLine>(
        "an upgrade that stands in line",
        rwuu,
        "in [r1 read, w1 upgradable, u1 wait, u2 wait; queue u2 u1], Upgrade(w1): \
         TLC [r1 read, w1 upgrade, u1 wait, u2 wait; queue w1 u2 u1]; the machine [r1 read, w1 upgrade, u1 wait, u2 wait; queue u2 u1 w1]",
    )?;
    tells::<ReadersInLine>(
        "readers that join no readers",
        rrwu,
        "in [r1 idle, r2 wait, w1 write, u1 wait; queue r2 u1], Queue(r1): \
         TLC [r1 wait, r2 wait, w1 write, u1 wait; queue r2 r1 u1]; the machine [r1 wait, r2 wait, w1 write, u1 wait; queue r2 u1 r1]",
    )?;
    tells::<DowngradesInSilence>(
        "a downgrade that lets nobody in",
        rwuu,
        "in [r1 wait, w1 write, u1 idle, u2 idle; queue r1], Downgrade(w1, Read): \
         TLC [r1 read, w1 read, u1 idle, u2 idle; queue ]; the machine [r1 wait, w1 read, u1 idle, u2 idle; queue r1]",
    )
}
