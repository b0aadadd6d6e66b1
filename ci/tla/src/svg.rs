//! A counterexample as a picture: time from top to bottom, a lane a task. So drawn it fits a phone, and each step's label is level.

mod grid;
pub(crate) mod style;

use std::fmt::Write as _;
use std::ops::Range;

use interlock_picture::{Canvas, Document, Font, measure};

use self::grid::{Grid, LABEL_LINE, MARGIN, NAME_LINE, closes};
use self::style::{
    ALARM, COLOURS, DEFINITIONS, LABEL, LEGEND, MARKS, NUMBER, STORY, STYLE, SUBTITLE, TASK, TITLE,
    VALUE,
};
use crate::counterexample::Counterexample;
use crate::swimlanes::{Layout, Move, Style, Swimlanes, moves};

/// The most that a lane's segments are wide.
const BAR: f64 = 90.0;
/// A line of prose ends behind one of these.
pub(crate) const BREAKS: [char; 3] = [' ', '-', '/'];
/// With more states than these, the tasks' names stand below the lanes too.
const TALL: usize = 16;

/// Draws the counterexample as a standalone SVG. The same input gives the same bytes.
///
/// # Errors
/// If the layout's variable is not a function with the same domain in every state.
pub fn render(
    cex: &Counterexample,
    layout: &Layout,
    title: &str,
    subtitle: &str,
) -> anyhow::Result<String> {
    let lanes = Swimlanes::new(cex, layout)?;
    let picture = Picture::new(cex, &lanes);
    let mut canvas = Canvas::default();
    let y = picture.paragraph(&mut canvas, TITLE, MARGIN, title);
    let y = picture.paragraph(&mut canvas, SUBTITLE, y, subtitle);
    let mut y = picture.lanes(&mut canvas, y + 10.0) + 4.0;
    for sentence in lanes.story(cex) {
        y = picture.paragraph(&mut canvas, STORY, y, &sentence);
    }
    let y = picture.legend(&mut canvas, y + 24.0);
    Ok(canvas.finish(&Document {
        width: picture.grid.width,
        height: (y + MARGIN).ceil(),
        title,
        description: &picture.description(),
        definitions: DEFINITIONS,
        style: &format!("{STYLE}{MARKS}"),
    }))
}

struct Picture<'a> {
    cex: &'a Counterexample,
    lanes: &'a Swimlanes,
    steps: Vec<Move<'a>>,
    labels: Vec<String>,
    stuck: Vec<usize>,
    /// The first state of what repeats for ever; the number of states if nothing does.
    repeats: usize,
    grid: Grid,
}

impl<'a> Picture<'a> {
    fn new(cex: &'a Counterexample, lanes: &'a Swimlanes) -> Self {
        let steps = moves(cex);
        let labels: Vec<String> = steps.iter().map(|step| lanes.step_label(step)).collect();
        Picture {
            cex,
            lanes,
            stuck: lanes.stuck(cex),
            repeats: cex.states.len() - cex.repeated().len(),
            grid: Grid::new(lanes, &steps, &labels, !cex.repeated().is_empty()),
            steps,
            labels,
        }
    }

    /// A text below `y`; returns where it ends.
    fn paragraph(&self, canvas: &mut Canvas, font: Font, y: f64, text: &str) -> f64 {
        let width = self.grid.width - 2.0 * MARGIN;
        canvas.paragraph(font, (MARGIN, y), width, text, &BREAKS)
    }

    /// Draws the states below `top`; returns where they end.
    fn lanes(&self, canvas: &mut Canvas, top: f64) -> f64 {
        let (left, right) = self.grid.across;
        let names = self.grid.names.iter().map(Vec::len).max().unwrap_or(0);
        let head = top + NAME_LINE * names as f64;
        self.names(canvas, head);
        canvas.text(NUMBER.0, MARGIN, head, "state");
        let top = head + 8.0;
        let edge = |state: usize| top + self.grid.edges[state];
        let states = self.cex.states.len();
        let mut bottom = edge(states);

        let repeated = self.repeats..states;
        let of_loop = edge(self.repeats)..bottom;
        let height = of_loop.end - of_loop.start;
        if !repeated.is_empty() {
            canvas.rect("loop", (left, of_loop.start), (right - left, height));
        }
        for (step, label) in self.steps.iter().zip(&self.grid.steps) {
            let y = edge(boundary(step));
            canvas.line("step", (left - 5.0, y), (right, y));
            let first = y + 4.0 - LABEL_LINE * (label.len() - 1) as f64 / 2.0;
            for (line, count) in label.iter().zip(0_u8..) {
                let y = first + LABEL_LINE * f64::from(count);
                canvas.text(LABEL.0, self.grid.labels, y, line);
            }
        }
        for (lane, &(x, width)) in self.grid.lanes.iter().enumerate() {
            for segment in self.segments(lane) {
                let row = edge(segment.start)..edge(segment.start + 1);
                let ends = edge(segment.end);
                self.segment(canvas, lane, segment.start, (row, ends));
            }
            if self.stuck.contains(&lane) && !repeated.is_empty() {
                let width = BAR.min(width - 6.0) + 4.0;
                let from = (x - width / 2.0, of_loop.start + 1.0);
                canvas.rect("stuck", from, (width, height - 2.0));
            }
        }
        for step in &self.steps {
            for lane in self.lanes.changed(step.from, step.to) {
                let (x, _) = self.grid.lanes[lane];
                canvas.circle("dot", (x, edge(boundary(step))), 3.2);
            }
        }
        for (state, place) in self.cex.states.iter().zip(0..) {
            let middle = f64::midpoint(edge(place), edge(place + 1));
            canvas.text(NUMBER.0, MARGIN, middle + 4.0, state.number);
        }
        let words = if repeated.is_empty() {
            canvas.line("end", (left, bottom), (right, bottom));
            self.ending()
        } else {
            self.arrow(canvas, of_loop);
            self.again()
        };
        if states > TALL {
            bottom += 4.0 + NAME_LINE * names as f64;
            self.names(canvas, bottom);
        }
        bottom += LABEL_LINE * self.closing_lines() as f64 / 2.0 + 16.0;
        let middle = f64::midpoint(left, right);
        let half = measure(ALARM, &words) / 2.0;
        let x = middle
            .min(self.grid.width - MARGIN - half)
            .max(MARGIN + half);
        canvas.text(ALARM.0, x, bottom, words);
        bottom
    }

    /// Writes the tasks' names, each in lines of which the last is at `y`.
    fn names(&self, canvas: &mut Canvas, y: f64) {
        for (lane, lines) in self.grid.names.iter().enumerate() {
            let class = format!("{} {}", TASK.0, self.hold_class(lane));
            for (line, above) in lines.iter().rev().zip(0_u8..) {
                let y = y - NAME_LINE * f64::from(above);
                canvas.text(&class, self.grid.lanes[lane].0, y, line);
            }
        }
    }

    /// How many lines of a label stand at the lanes' end.
    fn closing_lines(&self) -> usize {
        let closing = self.steps.iter().zip(&self.grid.steps).next_back();
        let closing = closing.filter(|(step, _)| closes(step));
        closing.map_or(0, |(_, lines)| lines.len())
    }

    /// Runs of states with the same value of a lane; what repeats for ever begins a new one.
    fn segments(&self, lane: usize) -> Vec<Range<usize>> {
        let mut segments: Vec<Range<usize>> = Vec::new();
        for state in 0..self.cex.states.len() {
            match segments.last_mut() {
                Some(last)
                    if self.lanes.rows[last.start][lane] == self.lanes.rows[state][lane]
                        && state != self.repeats =>
                {
                    last.end = state + 1;
                }
                _ => segments.push(state..state + 1),
            }
        }
        segments
    }

    /// Draws what a task does from the top of `row` to `ends`, and writes it into `row`, the first of its states.
    fn segment(
        &self,
        canvas: &mut Canvas,
        lane: usize,
        state: usize,
        (row, ends): (Range<f64>, f64),
    ) {
        let cell = &self.lanes.rows[state][lane];
        let (x, width) = self.grid.lanes[lane];
        let (class, ink) = match cell.style {
            Style::Idle => return canvas.line("idle", (x, row.start), (x, ends)),
            Style::Busy => ("busy".to_owned(), ""),
            Style::Wait => ("wait".to_owned(), ""),
            Style::Hold => (self.hold_class(lane), " held"),
        };
        let width = BAR.min(width - 6.0);
        let height = ends - row.start - 2.0;
        canvas.rect(&class, (x - width / 2.0, row.start + 1.0), (width, height));
        let y = f64::midpoint(row.start, row.end);
        if cell.style == Style::Wait {
            let length = measure(VALUE, &cell.text) + 2.0;
            canvas.rect("plate", (x - length / 2.0, y - 7.0), (length, 14.0));
        }
        canvas.text(&format!("{}{ink}", VALUE.0), x, y + 4.0, &cell.text);
    }

    /// Draws the line beside what repeats, with an arrow back to its start.
    fn arrow(&self, canvas: &mut Canvas, rows: Range<f64>) {
        let (x, back) = (self.grid.across.1 + 2.0, self.grid.across.1 + 11.0);
        let Range { start, end } = rows;
        canvas.path(
            "back",
            &format!("M{x:.1} {end:.1}H{back:.1}V{start:.1}H{:.1}", x + 5.0),
        );
        canvas.path("arrow", &format!("M{x:.1} {start:.1}l7 -4.5v9z"));
    }

    /// What happens at the end of what repeats.
    fn again(&self) -> String {
        if self.cex.ends_stuttering {
            return "lasts for ever".to_owned();
        }
        let first = self.cex.states[self.repeats].number;
        format!("repeats for ever, from state {first} on")
    }

    fn legend(&self, canvas: &mut Canvas, y: f64) -> f64 {
        let used = |style: Style| {
            self.lanes
                .rows
                .iter()
                .flatten()
                .any(|cell| cell.style == style)
        };
        let styles = [
            (Style::Idle, "idle", "idle"),
            (Style::Busy, "busy", "busy"),
            (Style::Wait, "wait", "waits"),
        ];
        let mut items: Vec<(String, String)> = Vec::new();
        items.extend(
            styles
                .into_iter()
                .filter(|item| used(item.0))
                .map(|(_, class, words)| (class.into(), words.into())),
        );
        let groups = self.groups();
        let holds = |lane: usize| {
            self.lanes
                .rows
                .iter()
                .any(|row| row[lane].style == Style::Hold)
        };
        for (index, whose) in groups.iter().enumerate() {
            let mut members = self
                .lanes
                .names
                .iter()
                .enumerate()
                .filter(|(_, name)| group(name) == *whose);
            if !members.any(|(lane, _)| holds(lane)) {
                continue;
            }
            let words = if groups.len() == 1 {
                "holds".to_owned()
            } else {
                format!("holds ({whose})")
            };
            items.push((format!("hold{}", index % COLOURS), words));
        }
        if !self.stuck.is_empty() {
            items.push(("stuck".to_owned(), "waits for ever".to_owned()));
        }
        let (mut x, mut y) = (MARGIN, y);
        for (class, words) in items {
            let width = 30.0 + measure(LEGEND, &words) + 14.0;
            if x + width > self.grid.width - MARGIN && x > MARGIN {
                (x, y) = (MARGIN, y + 20.0);
            }
            if class == "idle" {
                canvas.line("idle", (x, y - 4.0), (x + 24.0, y - 4.0));
            } else {
                canvas.rect(&class, (x, y - 10.0), (24.0, 12.0));
            }
            canvas.text(LEGEND.0, x + 30.0, y, &words);
            x += width;
        }
        y
    }

    /// The groups of tasks: the letters that their names begin with.
    fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = Vec::new();
        for name in &self.lanes.names {
            if !groups.contains(&group(name)) {
                groups.push(group(name));
            }
        }
        groups
    }

    fn hold_class(&self, lane: usize) -> String {
        let index = self
            .groups()
            .iter()
            .position(|name| *name == group(&self.lanes.names[lane]));
        format!("hold{}", index.unwrap_or(0) % COLOURS)
    }

    fn ending(&self) -> String {
        match self.cex.violated.as_deref() {
            Some("Deadlock") => "deadlock".to_owned(),
            Some(property) => format!("violates {property}"),
            None => "ends here".to_owned(),
        }
    }

    /// The picture in words, for those who cannot see it.
    fn description(&self) -> String {
        let mut words = String::from("Step by step: 1 initially");
        for (step, label) in self.steps.iter().zip(&self.labels) {
            let back = if closes(step) { "back to " } else { "" };
            let _ = write!(words, "; {back}{} {label}", self.cex.states[step.to].number);
        }
        words.push('.');
        for sentence in self.lanes.story(self.cex) {
            let _ = write!(words, " {sentence}");
        }
        words
    }
}

/// The edge at which a step is drawn: where the state that it leads to begins; of the closing one, where the last state ends.
fn boundary(step: &Move<'_>) -> usize {
    if closes(step) { step.from + 1 } else { step.to }
}

fn group(name: &str) -> &str {
    name.split(|c: char| !c.is_alphabetic())
        .find(|letters| !letters.is_empty())
        .unwrap_or(name)
}
