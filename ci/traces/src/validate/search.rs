//! Whether a trace is a behaviour of a machine.
//!
//! Events whose times overlap may have been taken in either order. The search keeps every state that some order leads to, level by
//! level: after so many events. Strands are in order, and an event comes no later than one that began after it had ended.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, ensure};

use crate::machines::traced::Traced;
use crate::recording::{Event, Head, SEE, Trace};
use interlock_tla::counterexample;
use interlock_tla::value::Value;

/// So many states at a time at most.
const WIDEST: usize = 200_000;

/// What the search finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The trace is a behaviour.
    Accepted,
    /// It is none.
    Refused(Refusal),
    /// There are more states than are kept at a time.
    TooWide,
}

/// Where a trace stops to be a behaviour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// How many events fit, in the order that fits most.
    pub fit: usize,
    /// Of each strand the events that do.
    pub taken: Vec<usize>,
    /// The events that could come next, by their places, and why each does not fit.
    pub next: Vec<(usize, String)>,
    /// The states that are possible there.
    pub states: Vec<String>,
}

/// How many states a refusal shows.
const SHOWN: usize = 8;

/// Searches.
///
/// # Errors
/// If an event has an action or an argument that the machine has not: with its place.
pub fn search<M: Traced>(model: &M, trace: &Trace) -> Result<Found> {
    let strands: Vec<Vec<usize>> = trace.strands()?.into_values().collect();
    let mut steps = Vec::new();
    for (place, event) in trace.events.iter().enumerate() {
        steps.push(Step::read(model, event).with_context(|| trace.place(place))?);
    }
    let unseen = unseen(model, &trace.head)?;
    let silent = [silent(model, &trace.head)?, unseen.clone()].concat();
    let starts = model.starts().into_iter();
    let mut level: BTreeSet<_> = starts
        .map(|state| (vec![0; strands.len()], state))
        .collect();
    for fit in 0..=trace.events.len() {
        let is_in_time = |at: &[usize], action: M::Action, states: [&M::State; 2]| {
            let next = upcoming(trace, &strands, at).into_iter();
            let next: Vec<&[Value]> = next.map(|(_, place)| &steps[place].args[..]).collect();
            unseen.contains(&action) || model.is_in_time(action, states, &next)
        };
        close(model, &silent, is_in_time, &mut level);
        if level.len() > WIDEST {
            return Ok(Found::TooWide);
        }
        if fit == trace.events.len() {
            return Ok(Found::Accepted);
        }
        let mut next = BTreeSet::new();
        let mut refused: Vec<(usize, String)> = Vec::new();
        for (at, state) in &level {
            for (strand, place) in upcoming(trace, &strands, at) {
                for after in steps[place].after(model, state) {
                    match after {
                        Ok(state) => {
                            let mut at = at.clone();
                            at[strand] += 1;
                            next.insert((at, state));
                        }
                        Err(why) if !refused.contains(&(place, why.clone())) => {
                            refused.push((place, why))
                        }
                        Err(_) => {}
                    }
                }
            }
        }
        if next.is_empty() {
            let states = level.iter().map(|(_, state)| model.show(state));
            let states: BTreeSet<String> = states.collect();
            return Ok(Found::Refused(Refusal {
                fit,
                taken: level
                    .iter()
                    .next()
                    .map(|(at, _)| at.clone())
                    .unwrap_or_default(),
                next: refused,
                states: states.into_iter().take(SHOWN).collect(),
            }));
        }
        level = next;
    }
    Ok(Found::Accepted)
}

/// The strands whose next event may come next, and that event.
fn upcoming(trace: &Trace, strands: &[Vec<usize>], at: &[usize]) -> Vec<(usize, usize)> {
    let next = strands.iter().zip(at).enumerate();
    let next: Vec<(usize, usize)> = next
        .filter_map(|(strand, (places, &taken))| Some((strand, *places.get(taken)?)))
        .collect();
    let first_end = next.iter().map(|(_, place)| trace.events[*place].to).min();
    let in_time = |place: usize| first_end.is_none_or(|end| trace.events[place].from <= end);
    next.into_iter()
        .filter(|(_, place)| in_time(*place))
        .collect()
}

/// What an event may have been, and what it has seen.
struct Step<A> {
    /// `None`: nothing was done.
    actions: Vec<Option<A>>,
    args: Vec<Value>,
    seen: BTreeMap<String, Value>,
}

impl<A: Copy> Step<A> {
    fn read(model: &impl Traced<Action = A>, event: &Event) -> Result<Step<A>> {
        let step = event.step()?;
        let mut actions = Vec::new();
        for name in event.names() {
            if name == SEE && model.may_see() {
                actions.push(None);
                continue;
            }
            let named = model.actions(&counterexample::Step {
                action: name.to_owned(),
                ..step.clone()
            });
            actions.extend(named?.into_iter().map(Some));
        }
        Ok(Step {
            actions,
            args: step.args,
            seen: event.seen()?,
        })
    }

    /// The state after each of the actions, or why there is none.
    fn after<M: Traced<Action = A>>(
        &self,
        model: &M,
        state: &M::State,
    ) -> impl Iterator<Item = Result<M::State, String>> {
        self.actions.iter().map(|action| {
            let next = match action {
                Some(action) => model.step(state, *action).ok_or("it is not enabled")?,
                None => state.clone(),
            };
            for (name, value) in &self.seen {
                match model.sees(&next, name) {
                    Some(is) if is == *value => {}
                    Some(is) => {
                        let after = if action.is_some() { " after it" } else { "" };
                        return Err(format!("{name} is {is}{after}, and was seen as {value}"));
                    }
                    None => return Err(format!("nothing of the state is called {name}")),
                }
            }
            Ok(next)
        })
    }
}

/// The actions that leave no event: never, or not in this trace.
fn silent<M: Traced>(model: &M, head: &Head) -> Result<Vec<M::Action>> {
    let mut silent = model.candidates();
    let is_of = |action: M::Action, name: &str| {
        let label = model.label(action);
        let rest = label.strip_prefix(name);
        model.may_be_silent(action) && rest.is_some_and(|rest| rest.starts_with('('))
    };
    for name in head.silent_actions() {
        ensure!(
            silent.iter().any(|action| is_of(*action, name)),
            "{name} is no action of {} that may leave no event",
            head.module
        );
    }
    let in_head = |action| head.silent_actions().any(|name| is_of(action, name));
    silent.retain(|action| model.is_silent(*action) || in_head(*action));
    Ok(silent)
}

/// The steps of those who are not in this trace.
fn unseen<M: Traced>(model: &M, head: &Head) -> Result<Vec<M::Action>> {
    let steps = head.unseen_steps().map(|step| {
        let mut candidates = model.candidates().into_iter();
        let found =
            candidates.find(|action| model.may_be_unseen(*action) && model.label(*action) == step);
        found.with_context(|| format!("{step} is no step of {} that may be unseen", head.module))
    });
    steps.collect()
}

/// Adds what silent actions lead to.
fn close<M: Traced>(
    model: &M,
    silent: &[M::Action],
    is_in_time: impl Fn(&[usize], M::Action, [&M::State; 2]) -> bool,
    level: &mut BTreeSet<(Vec<usize>, M::State)>,
) {
    if silent.is_empty() {
        return;
    }
    let mut unexplored: Vec<_> = level.iter().cloned().collect();
    while let Some((at, state)) = unexplored.pop() {
        for action in silent {
            if let Some(next) = model.step(&state, *action)
                && is_in_time(&at, *action, [&state, &next])
                && level.len() <= WIDEST
                && level.insert((at.clone(), next.clone()))
            {
                unexplored.push((at.clone(), next));
            }
        }
    }
}
