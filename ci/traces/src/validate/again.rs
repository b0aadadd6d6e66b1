//! Searches traces that are the same as an accepted one but for a few events.
//!
//! What was possible before the first event that differs is not searched again. And once the rest of the two is the same, the other is
//! accepted as well as soon as it may be where the accepted one was, and from where that one came to its end.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use anyhow::{Context as _, Result};

use super::search::{Found, Level, Point, Search, Step};
use crate::machines::traced::Traced;
use crate::recording::{Event, Trace};

/// What was possible after so many events, and whether the trace comes to its end from there.
type Known<M> = BTreeMap<Point<M>, bool>;

/// The search of a trace that is accepted.
pub(super) struct Passed<'a, M: Traced> {
    search: Search<'a, M>,
    levels: Vec<Known<M>>,
    /// Up to each level, the latest end of an event that has decided what could come next.
    latest: Vec<u64>,
}

impl<'a, M: Traced> Passed<'a, M> {
    /// With all levels that it went through.
    pub(super) fn of(search: Search<'a, M>, levels: Vec<Level<M>>) -> Self {
        let ends = levels.iter().scan(0, |latest: &mut u64, level| {
            let ends = level.iter().filter_map(|(at, _)| search.first_end(at));
            *latest = (*latest).max(ends.max().unwrap_or(u64::MAX));
            Some(*latest)
        });
        let latest = ends.collect();
        let mut known: Vec<Known<M>> = Vec::with_capacity(levels.len());
        for level in levels.into_iter().rev() {
            let here = match known.last() {
                Some(next) => arriving(&search, level, next),
                None => level.into_iter().map(|at| (at, true)).collect(),
            };
            known.push(here);
        }
        known.reverse();
        Passed {
            search,
            levels: known,
            latest,
        }
    }

    /// Searches another trace of the same head.
    ///
    /// # Errors
    /// If an event that differs has something that the machine has not: with its place.
    pub(super) fn search(&self, other: &Trace) -> Result<Found> {
        let (own, events) = (&self.search.trace.events, &other.events);
        let same = |(one, other): &(&Event, &Event)| one == other;
        let before = own.iter().zip(events).take_while(same).count();
        let rest = own.len().min(events.len()) - before;
        let backwards = own.iter().rev().zip(events.iter().rev());
        let behind = backwards.take(rest).take_while(same).count();
        let (of_own, of_other) = (before..own.len() - behind, before..events.len() - behind);
        let mut steps = self.search.steps[..before].to_vec();
        for place in of_other.clone() {
            let step = Step::read(self.search.model, &events[place]);
            let step = step.with_context(|| other.place(place))?;
            steps.push(Rc::new(step));
        }
        steps.extend_from_slice(&self.search.steps[of_own.end..]);
        let search = Search::new(self.search.model, other, steps)?;
        if search.names != self.search.names {
            return Ok(search.go_on(0, search.starts(), |_, _| ControlFlow::Continue(())));
        }
        let tail = of_other.end;
        let differ = own[of_own].iter().chain(&events[of_other]);
        let first = differ.map(|event| event.from).min();
        // The last level before which no event that differs could have come.
        let is_before = |latest: &u64| first.is_none_or(|first| *latest < first);
        let (from, level) = match self.latest.partition_point(is_before).checked_sub(1) {
            Some(known) => (known, self.levels[known].keys().cloned().collect()),
            None => (0, search.starts()),
        };
        Ok(search.go_on(from, level, |fit, level| {
            let mut states = level.iter();
            if fit >= tail && states.any(|(at, state)| self.arrives(&search, tail, at, state)) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }))
    }

    /// Whether the rest of another trace is the same from here on, all of it behind `tail`, and leads to the end.
    fn arrives(&self, other: &Search<'_, M>, tail: usize, at: &[usize], state: &M::State) -> bool {
        let strands = self.search.strands.iter().zip(&other.strands).zip(at);
        let own: Option<Vec<usize>> = strands
            .map(|((own, other), taken)| {
                let is_same = other.get(*taken).is_none_or(|place| *place >= tail);
                is_same.then(|| own.len() + taken - other.len())
            })
            .collect();
        own.is_some_and(|at| {
            let fit: usize = at.iter().sum();
            self.levels[fit].get(&(at, state.clone())) == Some(&true)
        })
    }
}

/// From where of a level an event leads to one of the next from which the end is reached, or what leaves no event leads to where one does.
fn arriving<M: Traced>(search: &Search<'_, M>, level: Level<M>, next: &Known<M>) -> Known<M> {
    let here = level.into_iter().map(|(at, state)| {
        let mut after = search.after(&at, &state);
        let arrives = after.any(|(_, after)| after.is_ok_and(|at| next.get(&at) == Some(&true)));
        drop(after);
        ((at, state), arrives)
    });
    let mut here: Known<M> = here.collect();
    loop {
        let arrives_silently = |(at, state): &Point<M>| {
            let mut after = search.silently(at, state);
            after.any(|state| here.get(&(at.clone(), state)) == Some(&true))
        };
        let rest = here.iter().filter(|(_, arrives)| !**arrives);
        let rest = rest.map(|(at, _)| at);
        let more: Vec<_> = rest.filter(|at| arrives_silently(at)).cloned().collect();
        if more.is_empty() {
            return here;
        }
        here.extend(more.into_iter().map(|at| (at, true)));
    }
}
