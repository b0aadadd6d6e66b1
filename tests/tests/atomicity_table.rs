//! The machine against every row of the manifest: the verdict is the row's, over as many states as TLC counts, and the first violation
//! is as deep as TLC's.

use std::collections::BTreeSet;

use anyhow::Result;
use conformance::file_atomicity::{Row, rows};
use interlock::range::atomicity::machine::State;
use interlock_traces::machines::counterpart::Counterpart as _;

/// The states by their distance from the initial one.
fn layers(row: &Row) -> Vec<Vec<State>> {
    let machine = &row.counterpart;
    let mut reached = BTreeSet::from([machine.init()]);
    let mut layers = vec![vec![machine.init()]];
    loop {
        let last = layers[layers.len() - 1].iter();
        let next = last.flat_map(|state| {
            let steps = machine.candidates().into_iter();
            steps.filter_map(|action| machine.step(state, action))
        });
        let layer: Vec<State> = next.filter(|state| reached.insert(state.clone())).collect();
        if layer.is_empty() {
            return layers;
        }
        layers.push(layer);
    }
}

#[test]
fn each_row_says_what_the_machine_does() -> Result<()> {
    let (mut hold, mut violate) = (0, 0);
    for row in rows()? {
        let (name, layers) = (&row.model.name, layers(&row));
        let machine = &row.counterpart.machine;
        for &(invariant, holds) in &row.verdicts {
            let breaks =
                |layer: &Vec<State>| layer.iter().any(|state| !invariant.holds(machine, state));
            let first = layers.iter().position(breaks);
            if holds {
                assert_eq!(first, None, "{name}: {invariant:?} is violated");
                hold += 1;
            } else {
                let witness = row.model.witness.expect("it was counted");
                assert_eq!(first, Some(witness - 1), "{name}: {invariant:?}");
                violate += 1;
            }
        }
        if let Some(distinct) = row.model.distinct {
            let states: usize = layers.iter().map(Vec::len).sum();
            assert_eq!(states as u64, distinct, "{name}");
        }
    }
    println!("{hold} verdicts hold, {violate} are violated");
    assert!(hold > 0 && violate > 0);
    Ok(())
}
