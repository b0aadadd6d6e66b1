//! A counterexample of TLC's, step by step on the machine.

use anyhow::{Context as _, Result, ensure};
use interlock_tla::counterexample::{Counterexample, Step};

use interlock_traces::machines::counterpart::Counterpart;

/// A behaviour of the machine: a stem, and for a lasso the loop after it.
#[derive(Debug, Clone)]
pub struct Behaviour<State, Action> {
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
pub fn replay<M: Counterpart>(
    model: &M,
    cex: &Counterexample,
) -> Result<Behaviour<M::State, M::Action>> {
    let states = cex.states.iter().map(|state| model.state(&state.vars));
    let states = states.collect::<Result<Vec<M::State>>>()?;
    ensure!(
        states.first() == Some(&model.init()),
        "the first state is not the machine's"
    );
    let mut actions = Vec::new();
    for (reached, pair) in cex.states[1..].iter().zip(states.windows(2)) {
        let step = Step {
            action: reached.action.clone(),
            args: reached.args.clone(),
        };
        let taken = take(model, &pair[0], &step, &pair[1]);
        actions.push(taken.with_context(|| format!("step to state {}", reached.number))?);
    }
    let mut cycle = Vec::new();
    if let (Some(target), Some(closing), Some(last)) = (cex.loop_to, &cex.closing, states.last()) {
        let back = take(model, last, closing, &states[target]);
        cycle.push(back.context("the step that closes the loop")?);
        cycle.extend(&actions[target..]);
    }
    Ok(Behaviour {
        states,
        actions,
        cycle,
    })
}

fn take<M: Counterpart>(
    model: &M,
    from: &M::State,
    step: &Step,
    to: &M::State,
) -> Result<M::Action> {
    let action = model.action(step)?;
    let next = model.step(from, action);
    let shown = |state: &M::State| model.show(state);
    ensure!(
        next.as_ref() == Some(to),
        "in {}, {}: TLC {}; the machine {}",
        shown(from),
        model.label(action),
        shown(to),
        next.as_ref().map_or("is not enabled".to_owned(), shown)
    );
    Ok(action)
}
