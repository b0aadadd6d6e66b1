//! A counterexample as lanes, one a task: what a timeline and a picture of it share.

use std::collections::BTreeMap;

use anyhow::{Context as _, ensure};

use crate::counterexample::{Counterexample, State};
use crate::value::Value;

/// What is drawn as lanes, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Layout {
    /// The variables, functions from tasks, that are drawn as one lane a task. A state has one of them, or one for each of its
    /// nested locks, the outermost first.
    pub variables: Vec<String>,
    /// For each of their values, how it is drawn: `idle`, `busy`, `wait`, `hold`.
    pub style: BTreeMap<String, String>,
}

impl Layout {
    /// How a task with these values, the outermost lock's first, is drawn: by the last one that is not idle.
    pub(crate) fn style_of(&self, values: &[String]) -> Style {
        let styles = values
            .iter()
            .map(|value| match self.style.get(value).map(String::as_str) {
                Some("idle") => Style::Idle,
                Some("wait") => Style::Wait,
                Some("hold") => Style::Hold,
                _ => Style::Busy,
            });
        styles
            .rev()
            .find(|style| *style != Style::Idle)
            .unwrap_or(Style::Idle)
    }
}

/// How a task's value is drawn; the layout's `style` maps values to these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Idle,
    Busy,
    Wait,
    Hold,
}

/// A task in one state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) style: Style,
}

/// A step of a counterexample between two of its states, by their indices.
pub(crate) struct Move<'a> {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) action: &'a str,
    pub(crate) args: &'a [Value],
}

/// Every task in every state.
pub(crate) struct Swimlanes {
    /// The tasks, in the order of their names, `r2` before `r10`.
    pub(crate) names: Vec<String>,
    /// For each state, a cell a task.
    pub(crate) rows: Vec<Vec<Cell>>,
    /// For each state, what the other functions from tasks give each task.
    details: Vec<Vec<String>>,
}

impl Swimlanes {
    /// Fails if a state lacks all of the layout's variables, or one is no function, or the tasks change.
    pub(crate) fn new(cex: &Counterexample, layout: &Layout) -> anyhow::Result<Swimlanes> {
        let mut names: Vec<String> = Vec::new();
        let mut rows = Vec::new();
        let mut details = Vec::new();
        for state in &cex.states {
            let mut tasks: Vec<_> = tasks(state, &layout.variables)?.into_iter().collect();
            tasks.sort_by_cached_key(|(name, _)| natural_key(name));
            let (row_names, row): (Vec<_>, Vec<_>) = tasks.into_iter().unzip();
            if rows.is_empty() {
                names = row_names;
            } else {
                ensure!(
                    names == row_names,
                    "the tasks of `{}` change in state {}: they cannot be drawn as lanes",
                    layout.variables.join("`, `"),
                    state.number
                );
            }
            rows.push(row.iter().map(|values| cell(values, layout)).collect());
            details.push(
                names
                    .iter()
                    .map(|name| detail(state, name, names.len()))
                    .collect(),
            );
        }
        Ok(Swimlanes {
            names,
            rows,
            details,
        })
    }

    /// The tasks, by index, whose value a step changes.
    pub(crate) fn changed(&self, from: usize, to: usize) -> Vec<usize> {
        (0..self.names.len())
            .filter(|&lane| self.rows[from][lane].text != self.rows[to][lane].text)
            .collect()
    }

    /// The one task, by index, of which a step changes any value at all; none if there are more.
    fn touched(&self, from: usize, to: usize) -> Vec<usize> {
        let (before, after) = (&self.details[from], &self.details[to]);
        let mut touched: Vec<usize> = (0..before.len())
            .filter(|&lane| before[lane] != after[lane])
            .collect();
        if touched.len() > 1 {
            touched.clear();
        }
        touched
    }

    /// `Take(w2)`; when the arguments are not known, `Take: w2` names the tasks whose value changes.
    pub(crate) fn step_label(&self, step: &Move<'_>) -> String {
        let list = |items: Vec<String>| items.join(", ");
        let mut changed = self.changed(step.from, step.to);
        if changed.is_empty() {
            changed = self.touched(step.from, step.to);
        }
        if !step.args.is_empty() {
            format!(
                "{}({})",
                step.action,
                list(step.args.iter().map(Value::label).collect())
            )
        } else if changed.is_empty() {
            step.action.to_owned()
        } else {
            format!(
                "{}: {}",
                step.action,
                list(
                    changed
                        .into_iter()
                        .map(|lane| self.names[lane].clone())
                        .collect()
                )
            )
        }
    }

    /// The tasks, by index, that wait in every state of the part that repeats for ever.
    pub(crate) fn stuck(&self, cex: &Counterexample) -> Vec<usize> {
        self.all_repeated(cex, |style| style == Style::Wait)
    }

    /// Sentences that say how it ends, and what a part that repeats for ever does to whom.
    pub(crate) fn story(&self, cex: &Counterexample) -> Vec<String> {
        let stuck = self.stuck(cex);
        let mut story = Vec::new();
        if cex.ends_stuttering {
            story.push(format!(
                "Nothing has to happen after state {}: it may last for ever.",
                cex.states.len()
            ));
            if !stuck.is_empty() {
                story.push(format!(
                    "{} for ever.",
                    self.subject(&stuck, "waits", "wait")
                ));
            }
        } else if let Some(target) = cex.loop_to {
            story.push(self.round(&stuck, &moves(cex)[target..]));
            let mut denied =
                self.all_repeated(cex, |style| style == Style::Wait || style == Style::Busy);
            denied.retain(|lane| !stuck.contains(lane));
            if !denied.is_empty() {
                let subject = self.subject(
                    &denied,
                    "never comes to hold in the loop, nor idles",
                    "never come to hold in the loop, nor idle",
                );
                story.push(format!("{subject}."));
            }
        } else {
            story.push(self.ending(cex));
        }
        story
    }

    /// How a finite counterexample ends.
    fn ending(&self, cex: &Counterexample) -> String {
        let last = cex.states.len();
        let waits = |lane: &usize| self.rows[last - 1][*lane].style == Style::Wait;
        let waiting: Vec<usize> = (0..self.names.len()).filter(waits).collect();
        match cex.violated.as_deref() {
            Some("Deadlock") if waiting.is_empty() => {
                format!("Deadlock: no step is possible in state {last}.")
            }
            Some("Deadlock") => {
                format!(
                    "Deadlock: no step is possible in state {last}, where {}.",
                    self.subject(&waiting, "waits", "wait")
                )
            }
            Some(property) => format!("{property} is violated when state {last} is reached."),
            None => format!("It ends in state {last}."),
        }
    }

    /// What one round of the loop does.
    fn round(&self, stuck: &[usize], steps: &[Move<'_>]) -> String {
        let takes_part = |lane: usize, step: &Move<'_>| {
            step.args.iter().any(|arg| arg.label() == self.names[lane])
                || self.changed(step.from, step.to).contains(&lane)
        };
        let movers: Vec<usize> = (0..self.names.len())
            .filter(|&lane| {
                !stuck.contains(&lane) && steps.iter().any(|step| takes_part(lane, step))
            })
            .collect();
        let grants: Vec<(&str, usize)> = movers
            .iter()
            .filter_map(|&lane| {
                let hold = |state: usize| self.rows[state][lane].style == Style::Hold;
                let times = steps
                    .iter()
                    .filter(|step| !hold(step.from) && hold(step.to))
                    .count();
                (times > 0).then(|| (self.names[lane].as_str(), times))
            })
            .collect();
        let steps = count(steps.len(), "step");
        let mut sentence = match (stuck.is_empty(), movers.is_empty()) {
            (false, false) => format!(
                "{} in every state of the loop, while {} {steps}",
                self.subject(stuck, "waits", "wait"),
                self.subject(&movers, "does", "do")
            ),
            (false, true) => format!(
                "{} in every state of the loop of {steps}",
                self.subject(stuck, "waits", "wait")
            ),
            (true, _) => format!("The loop has {steps}"),
        };
        for (index, (name, times)) in grants.into_iter().enumerate() {
            sentence += &if index == 0 {
                format!(": {name} comes to hold")
            } else {
                format!(", {name}")
            };
            sentence += &match times {
                1 => " once".to_owned(),
                2 => " twice".to_owned(),
                _ => format!(" {times} times"),
            };
        }
        sentence + "."
    }

    fn all_repeated(&self, cex: &Counterexample, test: impl Fn(Style) -> bool) -> Vec<usize> {
        let repeated = &self.rows[self.rows.len() - cex.repeated().len()..];
        let all = |lane: &usize| {
            !repeated.is_empty() && repeated.iter().all(|row| test(row[*lane].style))
        };
        (0..self.names.len()).filter(all).collect()
    }

    /// `r1 waits`, `r1 and w1 wait`.
    fn subject(&self, lanes: &[usize], one: &str, several: &str) -> String {
        let names: Vec<&str> = lanes
            .iter()
            .map(|&lane| self.names[lane].as_str())
            .collect();
        match names.as_slice() {
            [name] => format!("{name} {one}"),
            [others @ .., last] => format!("{} and {last} {several}", others.join(", ")),
            [] => several.to_owned(),
        }
    }
}

/// Every step, in order; a lasso's closing step is the last. Step `i` starts in state `i`.
pub(crate) fn moves(cex: &Counterexample) -> Vec<Move<'_>> {
    let inner = cex.states.iter().enumerate().skip(1);
    let inner = inner.map(|(to, state)| Move {
        from: to - 1,
        to,
        action: &state.action,
        args: &state.args,
    });
    let closing = cex.closing.iter().zip(cex.loop_to);
    let closing = closing.map(|(step, to)| Move {
        from: cex.states.len() - 1,
        to,
        action: &step.action,
        args: &step.args,
    });
    inner.chain(closing).collect()
}

/// What each task does: its value in each of the variables that the state has, in the order of `lanes`.
pub(crate) fn tasks<'a>(
    state: &'a State,
    lanes: &[String],
) -> anyhow::Result<BTreeMap<String, Vec<&'a Value>>> {
    let mut tasks: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for (name, value) in lanes
        .iter()
        .filter_map(|name| state.vars.get_key_value(name))
    {
        let pairs = value.pairs().with_context(|| {
            format!("`{name}` must be a function from tasks to be drawn as lanes; in state {} it is {value}", state.number)
        })?;
        for (task, value) in pairs {
            tasks.entry(task.label()).or_default().push(value);
        }
    }
    ensure!(
        lanes.iter().any(|name| state.vars.contains_key(name)),
        "state {} has no variable `{}`, which `swimlanes` names in the manifest; it has {}",
        state.number,
        lanes.join("`, `"),
        state.vars.keys().cloned().collect::<Vec<_>>().join(", ")
    );
    Ok(tasks)
}

/// What the functions from all the tasks give `task`.
fn detail(state: &State, task: &str, tasks: usize) -> String {
    let values = state.vars.iter().filter_map(|(variable, value)| {
        let pairs: Vec<_> = value.pairs()?.into_iter().collect();
        let of_tasks = pairs.len() == tasks;
        let (_, value) = pairs
            .into_iter()
            .find(|(name, _)| of_tasks && name.label() == task)?;
        Some(format!("{variable}: {value}"))
    });
    values.collect::<Vec<_>>().join(", ")
}

/// A task is drawn by the last of its values that is not idle: of two nested locks, by what it does at the inner one.
fn cell(values: &[&Value], layout: &Layout) -> Cell {
    let texts: Vec<String> = values.iter().map(|value| value.label()).collect();
    Cell {
        style: layout.style_of(&texts),
        text: texts.join("/"),
    }
}

/// The name before its trailing digits, and their number.
fn natural_key(name: &str) -> (String, u64, String) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (
        stem.to_owned(),
        name[stem.len()..].parse().unwrap_or(0),
        name.to_owned(),
    )
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}
