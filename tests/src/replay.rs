//! A counterexample of TLC's, step by step on the machine.

use anyhow::{Context as _, Result, ensure};
use interlock::rwsem::machine::{Action, State};
use interlock_ci::counterexample::{Counterexample, Step};

use crate::rwsem::Rwsem;

/// A behaviour of the machine: a stem, and for a lasso the loop after it.
#[derive(Debug, Clone)]
pub struct Behaviour {
    /// The states of the counterexample, the initial one first.
    pub states: Vec<State>,
    /// The action that leads to each state but the first.
    pub actions: Vec<Action>,
    /// For a lasso, the actions that lead from its last state round to that state again.
    pub cycle: Vec<Action>,
}

/// Replays a counterexample: each state must be the one that the machine steps to, by the action that TLC names.
///
/// # Errors
/// At the first step that is not the machine's; the error says which.
pub fn replay(rwsem: &Rwsem, cex: &Counterexample) -> Result<Behaviour> {
    let states = cex.states.iter().map(|state| rwsem.state(&state.vars));
    let states = states.collect::<Result<Vec<State>>>()?;
    ensure!(
        states.first() == Some(&rwsem.machine.init()),
        "the first state is not the machine's"
    );
    let mut actions = Vec::new();
    for (reached, pair) in cex.states[1..].iter().zip(states.windows(2)) {
        let step = Step {
            action: reached.action.clone(),
            args: reached.args.clone(),
        };
        let taken = take(rwsem, &pair[0], &step, &pair[1]);
        actions.push(taken.with_context(|| format!("step to state {}", reached.number))?);
    }
    let mut cycle = Vec::new();
    if let (Some(target), Some(closing), Some(last)) = (cex.loop_to, &cex.closing, states.last()) {
        let back = take(rwsem, last, closing, &states[target]);
        cycle.push(back.context("the step that closes the loop")?);
        cycle.extend(&actions[target..]);
    }
    Ok(Behaviour {
        states,
        actions,
        cycle,
    })
}

fn take(rwsem: &Rwsem, from: &State, step: &Step, to: &State) -> Result<Action> {
    let action = rwsem.action(step)?;
    let next = rwsem.machine.step(from, action);
    let shown = |state: &State| rwsem.show(state);
    ensure!(
        next.as_ref() == Some(to),
        "in {}, {}: TLC {}; the machine {}",
        shown(from),
        rwsem.label(action),
        shown(to),
        next.as_ref().map_or("is not enabled".to_owned(), shown)
    );
    Ok(action)
}
