//! Whether a trace is a behaviour of a machine.
//!
//! Events whose times overlap may have been taken in either order. The search keeps every state that some order leads to, level by
//! level: after so many events. Lanes are in order, and an event comes no later than one that began after it had ended.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};

use super::trace::Trace;
use crate::machines::traced::Traced;

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
    /// Of each lane the events that do.
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
    let lanes: Vec<Vec<usize>> = trace.lanes()?.into_values().collect();
    let mut actions = Vec::new();
    for (place, event) in trace.events.iter().enumerate() {
        let read = || anyhow::Ok((model.action(&event.step()?)?, event.seen()?));
        actions.push(read().with_context(|| trace.place(place))?);
    }
    let silent: Vec<M::Action> = model
        .candidates()
        .into_iter()
        .filter(|action| model.is_silent(*action))
        .collect();
    let fits = |state: &M::State, place: usize| -> Result<M::State, String> {
        let (action, seen) = &actions[place];
        let Some(next) = model.step(state, *action) else {
            return Err("it is not enabled".into());
        };
        for (name, value) in seen {
            match model.sees(&next, name) {
                Some(is) if is == *value => {}
                Some(is) => {
                    return Err(format!("{name} is {is} after it, and was seen as {value}"));
                }
                None => return Err(format!("nothing of the state is called {name}")),
            }
        }
        Ok(next)
    };
    let starts = model.starts().into_iter();
    let mut level: BTreeSet<_> = starts.map(|state| (vec![0; lanes.len()], state)).collect();
    for fit in 0..=trace.events.len() {
        close(model, &silent, &mut level);
        if level.len() > WIDEST {
            return Ok(Found::TooWide);
        }
        if fit == trace.events.len() {
            return Ok(Found::Accepted);
        }
        let mut next = BTreeSet::new();
        let mut refused: Vec<(usize, String)> = Vec::new();
        for (at, state) in &level {
            for (lane, place) in upcoming(trace, &lanes, at) {
                match fits(state, place) {
                    Ok(state) => {
                        let mut at = at.clone();
                        at[lane] += 1;
                        next.insert((at, state));
                    }
                    Err(why) if !refused.contains(&(place, why.clone())) => {
                        refused.push((place, why))
                    }
                    Err(_) => {}
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

/// The lanes whose next event may come next, and that event.
fn upcoming(trace: &Trace, lanes: &[Vec<usize>], at: &[usize]) -> Vec<(usize, usize)> {
    let next = lanes.iter().zip(at).enumerate();
    let next: Vec<(usize, usize)> = next
        .filter_map(|(lane, (places, &taken))| Some((lane, *places.get(taken)?)))
        .collect();
    let first_end = next.iter().map(|(_, place)| trace.events[*place].to).min();
    let in_time = |place: usize| first_end.is_none_or(|end| trace.events[place].from <= end);
    next.into_iter()
        .filter(|(_, place)| in_time(*place))
        .collect()
}

/// Adds what silent actions lead to.
fn close<M: Traced>(model: &M, silent: &[M::Action], level: &mut BTreeSet<(Vec<usize>, M::State)>) {
    if silent.is_empty() {
        return;
    }
    let mut unexplored: Vec<_> = level.iter().cloned().collect();
    while let Some((at, state)) = unexplored.pop() {
        for action in silent {
            if let Some(next) = model.step(&state, *action)
                && level.len() <= WIDEST
                && level.insert((at.clone(), next.clone()))
            {
                unexplored.push((at.clone(), next));
            }
        }
    }
}
