//! Whether a trace is a behaviour of a machine.
//!
//! Events whose times overlap may have been taken in either order. The search keeps every state that some order leads to, level by
//! level: after so many events. Strands are in order, and an event comes no later than one that began after it had ended.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;

use anyhow::{Context as _, Result, ensure};

use super::again::Passed;
use super::protocol::Again;
use crate::machines::counterpart::Counterpart;
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

/// Searches. If the trace is accepted, `again` is then handed what searches others, which are the same but for a few events: only what
/// may differ is searched anew.
///
/// # Errors
/// If an event has an action or an argument that the machine has not: with its place. And what `again` returns.
pub fn search<M: Traced>(model: &M, trace: &Trace, again: Option<&mut Again<'_>>) -> Result<Found> {
    let search = Search::new(model, trace, read_steps(model, trace)?)?;
    let mut levels = Vec::new();
    let found = search.go_on(0, search.starts(), |_, level| {
        if again.is_some() {
            levels.push(level.clone());
        }
        ControlFlow::Continue(())
    });
    if let Some(again) = again
        && found == Found::Accepted
    {
        let passed = Passed::of(search, levels);
        again(&|other| passed.search(other))?;
    }
    Ok(found)
}

fn read_steps<M: Traced>(model: &M, trace: &Trace) -> Result<Vec<Rc<Step<M::Action>>>> {
    let events = trace.events.iter().enumerate();
    let steps = events.map(|(place, event)| {
        let step = Step::read(model, event).with_context(|| trace.place(place))?;
        Ok(Rc::new(step))
    });
    steps.collect()
}

/// Of each strand so many events taken, and a state that they lead to.
pub(super) type Point<M> = (Vec<usize>, <M as Counterpart>::State);

/// All that there are after so many events.
pub(super) type Level<M> = BTreeSet<Point<M>>;

/// A trace, and what may be taken besides its events.
pub(super) struct Search<'a, M: Traced> {
    pub(super) model: &'a M,
    pub(super) trace: &'a Trace,
    pub(super) names: Vec<&'a str>,
    pub(super) strands: Vec<Vec<usize>>,
    pub(super) steps: Vec<Rc<Step<M::Action>>>,
    unseen: Vec<M::Action>,
    silent: Vec<M::Action>,
}

impl<'a, M: Traced> Search<'a, M> {
    pub(super) fn new(
        model: &'a M,
        trace: &'a Trace,
        steps: Vec<Rc<Step<M::Action>>>,
    ) -> Result<Self> {
        let (names, strands) = trace.strands()?.into_iter().unzip();
        let unseen = unseen(model, &trace.head)?;
        Ok(Search {
            model,
            trace,
            names,
            strands,
            steps,
            silent: [silent(model, &trace.head)?, unseen.clone()].concat(),
            unseen,
        })
    }

    pub(super) fn starts(&self) -> Level<M> {
        let starts = self.model.starts().into_iter();
        starts
            .map(|state| (vec![0; self.strands.len()], state))
            .collect()
    }

    /// From a level of so many events on. Each level goes to `each`, with all that silent actions lead to, which may accept the trace.
    pub(super) fn go_on(
        &self,
        from: usize,
        mut level: Level<M>,
        mut each: impl FnMut(usize, &Level<M>) -> ControlFlow<()>,
    ) -> Found {
        for fit in from..=self.trace.events.len() {
            self.close(&mut level);
            if level.len() > WIDEST {
                return Found::TooWide;
            }
            if each(fit, &level).is_break() || fit == self.trace.events.len() {
                return Found::Accepted;
            }
            let mut next = BTreeSet::new();
            let mut refused: Vec<(usize, String)> = Vec::new();
            for (at, state) in &level {
                for (place, after) in self.after(at, state) {
                    match after {
                        Ok(after) => {
                            next.insert(after);
                        }
                        Err(why) if !refused.contains(&(place, why.clone())) => {
                            refused.push((place, why))
                        }
                        Err(_) => {}
                    }
                }
            }
            if next.is_empty() {
                let states = level.iter().map(|(_, state)| self.model.show(state));
                let states: BTreeSet<String> = states.collect();
                return Found::Refused(Refusal {
                    fit,
                    taken: level
                        .iter()
                        .next()
                        .map(|(at, _)| at.clone())
                        .unwrap_or_default(),
                    next: refused,
                    states: states.into_iter().take(SHOWN).collect(),
                });
            }
            level = next;
        }
        Found::Accepted
    }

    /// Each event that may come next, by its place, and what it leads to, or why it does not fit.
    pub(super) fn after(
        &self,
        at: &[usize],
        state: &M::State,
    ) -> impl Iterator<Item = (usize, Result<Point<M>, String>)> {
        let upcoming = self.upcoming(at).into_iter();
        upcoming.flat_map(move |(strand, place)| {
            let after = self.steps[place].after(self.model, state);
            after.map(move |after| {
                let taken = after.map(|state| {
                    let mut at = at.to_vec();
                    at[strand] += 1;
                    (at, state)
                });
                (place, taken)
            })
        })
    }

    /// The states that an action without an event leads to.
    pub(super) fn silently(
        &self,
        at: &[usize],
        state: &M::State,
    ) -> impl Iterator<Item = M::State> {
        let next = self.upcoming(at).into_iter();
        let next: Vec<&[Value]> = next.map(|(_, place)| &self.steps[place].args[..]).collect();
        self.silent.iter().filter_map(move |action| {
            let after = self.model.step(state, *action)?;
            let in_time = self.unseen.contains(action)
                || self.model.is_in_time(*action, [state, &after], &next);
            in_time.then_some(after)
        })
    }

    /// Adds what silent actions lead to.
    fn close(&self, level: &mut Level<M>) {
        if self.silent.is_empty() {
            return;
        }
        let mut unexplored: Vec<_> = level.iter().cloned().collect();
        while let Some((at, state)) = unexplored.pop() {
            for next in self.silently(&at, &state) {
                if level.len() <= WIDEST && level.insert((at.clone(), next.clone())) {
                    unexplored.push((at.clone(), next));
                }
            }
        }
    }

    /// The next event of each strand.
    fn next(&self, at: &[usize]) -> impl Iterator<Item = (usize, usize)> {
        let next = self.strands.iter().zip(at).enumerate();
        next.filter_map(|(strand, (places, &taken))| Some((strand, *places.get(taken)?)))
    }

    pub(super) fn first_end(&self, at: &[usize]) -> Option<u64> {
        let ends = self.next(at).map(|(_, place)| self.trace.events[place].to);
        ends.min()
    }

    /// The strands whose next event may come next, and that event.
    fn upcoming(&self, at: &[usize]) -> Vec<(usize, usize)> {
        let first_end = self.first_end(at);
        let events = &self.trace.events;
        let in_time = |place: usize| first_end.is_none_or(|end| events[place].from <= end);
        self.next(at).filter(|(_, place)| in_time(*place)).collect()
    }
}

/// What an event may have been, and what it has seen.
pub(super) struct Step<A> {
    /// `None`: nothing was done.
    actions: Vec<Option<A>>,
    args: Vec<Value>,
    seen: BTreeMap<String, Value>,
}

impl<A: Copy> Step<A> {
    pub(super) fn read(model: &impl Traced<Action = A>, event: &Event) -> Result<Step<A>> {
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
