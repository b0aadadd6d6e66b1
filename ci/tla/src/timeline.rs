//! A counterexample as text: a line a step, a lane a task.

use std::fmt::Write as _;

use crate::counterexample::Counterexample;
use crate::swimlanes::{Cell, Layout, Move, Style, Swimlanes, moves};
use crate::value::Value;

/// Draws the counterexample. Each line has a step, what the tasks do after it, and how the other variables change. A task that
/// the step does not change shows a mark for what it goes on doing. The loop of a lasso is bracketed on the left. With a `width`,
/// in characters, the changes of variables are wrapped; the lanes never are.
///
/// # Errors
/// If the layout's variable is not a function with the same domain in every state.
pub fn render(
    cex: &Counterexample,
    layout: &Layout,
    width: Option<usize>,
) -> anyhow::Result<String> {
    let lanes = Swimlanes::new(cex, layout)?;
    let steps = moves(cex);
    let labels: Vec<String> = steps.iter().map(|step| lanes.step_label(step)).collect();
    let columns = Columns {
        label: labels
            .iter()
            .map(|label| label.chars().count())
            .max()
            .unwrap_or(0)
            .max("initially".len()),
        lanes: (0..lanes.names.len())
            .map(|lane| lane_width(&lanes, lane))
            .collect(),
        width,
    };

    let mut out = String::new();
    let heading: Vec<Cell> = lanes
        .names
        .iter()
        .map(|name| Cell {
            text: name.clone(),
            style: Style::Idle,
        })
        .collect();
    columns.line(&mut out, ' ', "", "step", &heading, "other variables");
    for (state, row) in cex.states.iter().zip(&lanes.rows).take(1) {
        let head = Head {
            bar: bracket(cex, 0),
            number: state.number,
            label: "initially",
            cells: row,
        };
        let values = state
            .vars
            .iter()
            .filter(|(name, _)| !layout.variables.contains(name));
        let values: Vec<String> = values
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        columns.step(&mut out, &head, &marks(row), &values);
    }
    for (step, label) in steps.iter().zip(&labels) {
        let closes = step.to <= step.from;
        let bar = if closes { '└' } else { bracket(cex, step.to) };
        let marks = marks(&lanes.rows[step.to]);
        let mut cells = marks.clone();
        for lane in lanes.changed(step.from, step.to) {
            cells[lane] = lanes.rows[step.to][lane].clone();
        }
        let head = Head {
            bar,
            number: cex.states[step.to].number,
            label,
            cells: &cells,
        };
        columns.step(&mut out, &head, &marks, &changes(cex, layout, step));
    }
    if let Some(target) = cex.loop_to {
        let _ = writeln!(
            out,
            "       back to state {}: this repeats for ever",
            cex.states[target].number
        );
    }
    let [idle, busy, waits, holds] = [Style::Idle, Style::Busy, Style::Wait, Style::Hold].map(mark);
    let _ = writeln!(
        out,
        "\n       Unchanged: {idle} idle  {busy} busy  {waits} waits  {holds} holds\n"
    );
    for sentence in lanes.story(cex) {
        let _ = writeln!(out, "{sentence}");
    }
    Ok(out)
}

/// Where the columns of a timeline are.
struct Columns {
    label: usize,
    lanes: Vec<usize>,
    width: Option<usize>,
}

/// What a step's line has before the changes.
struct Head<'a> {
    bar: char,
    number: usize,
    label: &'a str,
    cells: &'a [Cell],
}

impl Columns {
    fn line(
        &self,
        out: &mut String,
        bar: char,
        number: &str,
        label: &str,
        cells: &[Cell],
        rest: &str,
    ) {
        let mut line = format!("{bar} {number:>3}  {label:<width$}", width = self.label);
        for (cell, width) in cells.iter().zip(&self.lanes) {
            let _ = write!(line, "  {:<width$}", cell.text);
        }
        let _ = writeln!(out, "{}", format!("{line}  {rest}").trim_end());
    }

    /// A step's line, and as many more as its changes need; on those the lanes show `marks`.
    fn step(&self, out: &mut String, head: &Head<'_>, marks: &[Cell], changes: &[String]) {
        let room = self
            .width
            .map(|width| width.saturating_sub(self.before_changes()).max(20));
        let mut lines = wrap(changes, room).into_iter();
        self.line(
            out,
            head.bar,
            &head.number.to_string(),
            head.label,
            head.cells,
            &lines.next().unwrap_or_default(),
        );
        let bar = match head.bar {
            '┌' => '│',
            '└' => ' ',
            other => other,
        };
        lines.for_each(|line| self.line(out, bar, "", "", marks, &line));
    }

    fn before_changes(&self) -> usize {
        "| 123  ".len() + self.label + self.lanes.iter().map(|width| width + 2).sum::<usize>() + 2
    }
}

fn wrap(items: &[String], room: Option<usize>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        let length = item.chars().count();
        match lines.last_mut() {
            Some(line) if room.is_none_or(|room| line.chars().count() + 2 + length <= room) => {
                line.push_str(", ");
                line.push_str(item);
            }
            _ => lines.push(item.clone()),
        }
    }
    lines
}

fn lane_width(lanes: &Swimlanes, lane: usize) -> usize {
    let texts = lanes.rows.iter().map(|row| row[lane].text.as_str());
    texts
        .chain([lanes.names[lane].as_str()])
        .map(|text| text.chars().count())
        .max()
        .unwrap_or(0)
}

fn bracket(cex: &Counterexample, state: usize) -> char {
    match cex.loop_to {
        Some(target) if state == target => '┌',
        Some(target) if state > target => '│',
        _ => ' ',
    }
}

fn marks(cells: &[Cell]) -> Vec<Cell> {
    cells
        .iter()
        .map(|cell| Cell {
            text: mark(cell.style).to_owned(),
            style: cell.style,
        })
        .collect()
}

/// How a lane that does not change shows what it goes on doing.
fn mark(style: Style) -> &'static str {
    match style {
        Style::Idle => "·",
        Style::Busy => "│",
        Style::Wait => ":",
        Style::Hold => "█",
    }
}

fn changes(cex: &Counterexample, layout: &Layout, step: &Move<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for (name, old) in &cex.states[step.from].vars {
        if let Some(new) = cex.states[step.to].vars.get(name)
            && !layout.variables.contains(name)
        {
            diff(name, old, new, &mut out);
        }
    }
    out
}

/// Adds `name: old -> new`, of a function or record only the parts that differ.
fn diff(name: &str, old: &Value, new: &Value, out: &mut Vec<String>) {
    match (old, new) {
        _ if old == new => {}
        (Value::Record(a), Value::Record(b)) if a.keys().eq(b.keys()) => {
            a.iter()
                .zip(b.values())
                .for_each(|((field, a), b)| diff(&format!("{name}.{field}"), a, b, out));
        }
        (Value::Fn(a), Value::Fn(b)) if a.keys().eq(b.keys()) => {
            a.iter()
                .zip(b.values())
                .for_each(|((key, a), b)| diff(&format!("{name}[{key}]"), a, b, out));
        }
        _ => out.push(format!("{name}: {old} -> {new}")),
    }
}
