//! Real threads on the file's code, driven step by step along paths that TLC has walked. After each step the bytes of the file are
//! those of the machine's state.
//!
//! What a counterexample tears or mixes is torn or mixed here; what the table says is serialised waits.

mod stage;

use anyhow::{Context as _, Result};
use conformance::corpus;
use conformance::file_atomicity::{Invariant, MODULE, leaves, rows};
use conformance::in_time::in_time;
use conformance::replay::replay;
use conformance::tours::tours;
use interlock::range::atomicity::machine::{Action, Machine, State, Step};
use interlock::range::atomicity::policy::Policy;
use interlock_traces::machines::file_atomicity::FileAtomicity;

use stage::{drive, waits};

#[test]
fn counterexamples_tear_the_bytes() -> Result<()> {
    let mut torn = 0;
    for row in rows()? {
        let [(invariant, false)] = row.verdicts[..] else {
            continue;
        };
        if matches!(invariant, Invariant::Serialises(..)) {
            continue;
        }
        let (name, counterpart) = (&row.model.name, &row.counterpart);
        let path = replay(counterpart, &corpus::counterexample(name)?)?.actions;
        let machine = counterpart.machine.clone();
        let driven = {
            let (machine, path) = (machine.clone(), path.clone());
            in_time(move || drive(&machine, &path)).map_err(anyhow::Error::msg)
        };
        let left = driven.with_context(|| name.clone())?;
        assert_eq!(left, leaves(counterpart, &path)?, "{name}");
        assert!(left.shows(&machine, invariant), "{name}: {left:?}");
        let (last, before) = path.split_last().context("it has steps")?;
        let whole = leaves(counterpart, before)?;
        assert!(!whole.shows(&machine, invariant), "{name}: before {last:?}");
        println!("{name}: {} steps leave {left:?}", path.len());
        torn += 1;
    }
    println!("{torn} counterexamples");
    assert!(torn > 0);
    Ok(())
}

#[test]
fn threads_take_every_step_of_the_graphs() -> Result<()> {
    for model in corpus::graphs(MODULE)? {
        let graph = corpus::graph(&model)?;
        let counterpart = FileAtomicity::new(&graph.constants)?;
        let tours = tours(&graph, &counterpart, |_| true)?;
        let steps: usize = tours.iter().map(Vec::len).sum();
        let paths = tours.len();
        for path in tours {
            let expected = leaves(&counterpart, &path)?;
            let machine = counterpart.machine.clone();
            let driven = in_time({
                let path = path.clone();
                move || drive(&machine, &path)
            });
            let left = driven.map_err(anyhow::Error::msg);
            let left = left.with_context(|| format!("{model}: {path:?}"))?;
            assert_eq!(left, expected, "{model}: {path:?}");
        }
        println!(
            "{model}: each of {} steps, in {paths} paths of {steps} steps",
            graph.steps.len()
        );
    }
    Ok(())
}

/// Whether the second cannot begin once the first has.
fn excludes(machine: &Machine, (first, second): (usize, usize)) -> bool {
    let begin = |state: &State, task| {
        let step = Step::Begin;
        machine.step(state, Action { task, step })
    };
    let begun = begin(&machine.init(), first).expect("nobody is before it");
    begin(&begun, second).is_none()
}

/// Operations that share no cell wait for each other where the table says so, and nowhere else.
#[test]
fn what_is_serialised_waits() -> Result<()> {
    let (mut serialised, mut together) = (0, 0);
    let mut about_nobody = Vec::new();
    for row in rows()? {
        let [(invariant @ Invariant::Serialises(..), holds)] = row.verdicts[..] else {
            continue;
        };
        let name = &row.model.name;
        let machine = row.counterpart.machine;
        let pairs = invariant.pairs(&machine).into_iter();
        let pairs: Vec<_> = pairs.flat_map(|(t, u)| [(t, u), (u, t)]).collect();
        if pairs.is_empty() {
            assert!(holds, "{name}");
            about_nobody.push(name.clone());
            continue;
        }
        let expected: Vec<bool> = pairs.iter().map(|pair| excludes(&machine, *pair)).collect();
        let waited = in_time(move || {
            let waited = pairs.iter().map(|(t, u)| waits(&machine, *t, *u));
            waited.collect::<Result<Vec<bool>, String>>()
        });
        let waited = waited.map_err(anyhow::Error::msg);
        let waited = waited.with_context(|| name.clone())?;
        println!("{name}: {waited:?}");
        assert_eq!(waited, expected, "{name}");
        assert_eq!(waited.iter().all(|waits| *waits), holds, "{name}");
        if holds {
            serialised += 1
        } else {
            together += 1
        }
    }
    println!("{serialised} rows wait, {together} are together");
    assert!(serialised > 0 && together > 0);
    // Of what has a cell in common nothing is said, as this row has it.
    assert_eq!(about_nobody, ["NoLock-writes-SerialisesWrites"]);
    Ok(())
}

/// Threads of another choice of locks do not follow: the stage says what they do instead.
#[test]
fn another_choice_does_not_follow() -> Result<()> {
    let mut refused = Vec::new();
    for row in rows()? {
        let [(Invariant::ReadAtomic | Invariant::WriteAtomic, false)] = row.verdicts[..] else {
            continue;
        };
        let path = replay(&row.counterpart, &corpus::counterexample(&row.model.name)?)?.actions;
        let mut machine = row.counterpart.machine;
        machine.policy = Policy::RANGE_LOCK;
        let told =
            in_time(move || drive(&machine, &path)).expect_err("the range lock keeps it whole");
        refused.push(told);
    }
    println!("{refused:#?}");
    let stuck = |told: &String| told.starts_with("nothing happens: ");
    assert!(!refused.is_empty() && refused.iter().all(stuck));
    Ok(())
}
