//! What one task does, as a state diagram: the states that its variable has in a state graph, and the actions that change it.

mod drawing;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context as _, ensure};

use crate::counterexample::State;
use crate::state_graph::Graph;
use crate::swimlanes::{Layout, Style, tasks};
use crate::value::Value;

/// What a task that a state leaves out is: one that has not begun. Graphs are kept in short.
const LEFT_OUT: &str = "idle";

/// One task's states, and what leads from one to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagram {
    task: String,
    /// The state in which it begins, and where each other one is drawn: the longest way first, and what is not on it behind.
    order: Vec<String>,
    styles: Vec<Style>,
    /// By the places of both states in `order`: the actions, and whether each is another task's.
    edges: BTreeMap<(usize, usize), BTreeSet<Action>>,
}

/// An action that changes the task's state. Others' go behind its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Action {
    by_another: bool,
    name: String,
}

impl Diagram {
    /// The diagram of `task` in the text of a whole state graph, as `interlock graph` writes it.
    ///
    /// # Errors
    /// If the text is no such graph, has no variable of the layout, or no task of this name.
    pub fn project(graph: &str, layout: &Layout, task: &str) -> anyhow::Result<Diagram> {
        let graph = Graph::read(graph)?;
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut states = Vec::new();
        for (vars, number) in graph.states.into_iter().zip(0..) {
            let state = State {
                number,
                action: String::new(),
                args: Vec::new(),
                vars,
            };
            let shows = |name: &String| state.vars.contains_key(name);
            let tasks = match layout.variables.iter().any(shows) {
                true => tasks(&state, &layout.variables)?,
                false => BTreeMap::new(),
            };
            names.extend(tasks.keys().cloned());
            states.push(tasks.get(task).map_or(LEFT_OUT.to_owned(), |values| {
                let labels = values.iter().map(|value| value.label());
                labels.collect::<Vec<_>>().join("/")
            }));
        }
        ensure!(
            names.contains(task),
            "no task is named `{task}`; there are {}",
            names.into_iter().collect::<Vec<_>>().join(", ")
        );
        let mut steps: BTreeMap<(&str, &str), BTreeSet<Action>> = BTreeMap::new();
        for (from, step, to) in &graph.steps {
            let (from, to) = (&states[*from], &states[*to]);
            if from != to {
                let takers: Vec<String> = step.args.iter().map(Value::label).collect();
                let is_of_a_task = takers.iter().any(|taker| names.contains(taker));
                let action = Action {
                    by_another: is_of_a_task && !takers.iter().any(|taker| taker == task),
                    name: step.action.clone(),
                };
                steps.entry((from, to)).or_default().insert(action);
            }
        }
        let first = states.get(graph.initial).context("no initial state")?;
        let order = order(first, &steps);
        let place = |state: &str| order.iter().position(|other| other == state);
        let edges = steps.into_iter().map(|((from, to), actions)| {
            let ends = place(from).zip(place(to));
            let ends = ends.with_context(|| format!("`{from}` is not reached from `{first}`"))?;
            Ok((ends, actions))
        });
        let style_of = |state: &String| {
            let values: Vec<String> = state.split('/').map(str::to_owned).collect();
            layout.style_of(&values)
        };
        Ok(Diagram {
            task: task.to_owned(),
            edges: edges.collect::<anyhow::Result<_>>()?,
            styles: order.iter().map(style_of).collect(),
            order,
        })
    }

    /// Each edge in words, for those who cannot see the picture.
    pub fn description(&self) -> String {
        let mut words = format!("{} begins in {}.", self.task, self.order[0]);
        for ((from, to), actions) in &self.edges {
            let (from, to) = (&self.order[*from], &self.order[*to]);
            let _ = write!(words, " From {from} to {to}: {}.", said(actions));
        }
        words
    }
}

/// `Wake; Queue, Steal by another`.
fn said(actions: &BTreeSet<Action>) -> String {
    let of = |by_another: bool| {
        let actions = actions
            .iter()
            .filter(|action| action.by_another == by_another);
        let names: Vec<&str> = actions.map(|action| action.name.as_str()).collect();
        names.join(", ")
    };
    match (of(false), of(true)) {
        (own, others) if others.is_empty() => own,
        (own, others) if own.is_empty() => format!("{others} by another"),
        (own, others) => format!("{own}; {others} by another"),
    }
}

/// The states in the order in which they are drawn: the longest way from the first one, on which a step leads from each to the next,
/// and then the others as they are reached.
fn order(first: &str, steps: &BTreeMap<(&str, &str), BTreeSet<Action>>) -> Vec<String> {
    let next = |state: &str| {
        let steps = steps.keys().filter(move |(from, _)| *from == state);
        steps.map(|(_, to)| *to).collect::<Vec<_>>()
    };
    let mut longest = vec![first];
    let mut open = vec![vec![first]];
    while let Some(way) = open.pop() {
        for state in next(way[way.len() - 1]) {
            if !way.contains(&state) {
                open.push(way.iter().copied().chain([state]).collect());
            }
        }
        if way.len() > longest.len() {
            longest = way;
        }
    }
    let mut at = 0;
    while at < longest.len() {
        for state in next(longest[at]) {
            if !longest.contains(&state) {
                longest.push(state);
            }
        }
        at += 1;
    }
    longest.into_iter().map(str::to_owned).collect()
}
