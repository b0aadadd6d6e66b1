//! A counterexample as a picture: time from left to right, a lane a task, in as many bands as the width needs.

mod canvas;

use std::fmt::Write as _;
use std::ops::Range;

use self::canvas::{
    ALARM, Canvas, LABEL, LABEL_DEGREES, LEGEND, MARGIN, NUMBER, STORY, SUBTITLE, TASK, TITLE,
    VALUE, WIDTH, measure, wrap,
};
use crate::counterexample::Counterexample;
use crate::swimlanes::{Layout, Move, Style, Swimlanes, moves};

/// The height of a lane.
const LANE: f64 = 34.0;
/// The height of a lane's segments.
const BAR: f64 = 20.0;
/// How many classes `hold0`, `hold1`... the style sheet has.
const COLOURS: usize = 4;

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
    let mut y = MARGIN;
    for line in wrap(TITLE, title) {
        y += 21.0;
        canvas.text(TITLE, MARGIN, y, &line);
    }
    for line in wrap(SUBTITLE, subtitle) {
        y += 18.0;
        canvas.text(SUBTITLE, MARGIN, y, &line);
    }
    for start in (0..cex.states.len()).step_by(picture.columns) {
        let states = start..(start + picture.columns).min(cex.states.len());
        y = picture.band(&mut canvas, y + 8.0, states);
    }
    for line in lanes
        .story(cex)
        .iter()
        .flat_map(|sentence| wrap(STORY, sentence))
    {
        y += 20.0;
        canvas.text(STORY, MARGIN, y, &line);
    }
    y = picture.legend(&mut canvas, y + 30.0);
    Ok(canvas.finish(y + MARGIN, title, &picture.description()))
}

struct Picture<'a> {
    cex: &'a Counterexample,
    lanes: &'a Swimlanes,
    steps: Vec<Move<'a>>,
    labels: Vec<String>,
    stuck: Vec<usize>,
    /// The first state of what repeats for ever; the number of states if nothing does.
    repeats: usize,
    /// The x where states begin.
    left: f64,
    /// The width of a state.
    cell: f64,
    /// States a band.
    columns: usize,
    /// The height of the steps' labels.
    head: f64,
}

impl<'a> Picture<'a> {
    fn new(cex: &'a Counterexample, lanes: &'a Swimlanes) -> Self {
        let steps = moves(cex);
        let labels: Vec<String> = steps.iter().map(|step| lanes.step_label(step)).collect();
        let label = labels
            .iter()
            .map(|label| measure(LABEL, label))
            .fold(0.0, f64::max);
        let name = lanes
            .names
            .iter()
            .map(|name| measure(TASK, name))
            .fold(measure(NUMBER, "state"), f64::max);
        let value = lanes
            .rows
            .iter()
            .flatten()
            .map(|cell| measure(VALUE, &cell.text))
            .fold(0.0, f64::max);
        let left = MARGIN + name + 14.0;
        let right = WIDTH - MARGIN - label * LABEL_DEGREES.to_radians().cos() - 8.0;
        let least = (value + 10.0).clamp(38.0, 90.0);
        let fit = (((right - left) / least).floor() as usize).max(1);
        // Bands of about the same length look better than full ones and a rest.
        let columns = cex.states.len().div_ceil(cex.states.len().div_ceil(fit));
        Picture {
            cex,
            lanes,
            stuck: lanes.stuck(cex),
            repeats: cex.states.len() - cex.repeated().len(),
            left,
            cell: ((right - left) / columns as f64).min(80.0),
            columns,
            head: label * LABEL_DEGREES.to_radians().sin() + 16.0,
            steps,
            labels,
        }
    }

    /// Draws some of the states below `top`; returns where it ends.
    fn band(&self, canvas: &mut Canvas, top: f64, states: Range<usize>) -> f64 {
        let top = top + self.head;
        let bottom = top + LANE * self.lanes.names.len() as f64;
        let x = |state: usize| self.left + self.cell * (state - states.start) as f64;
        let lane_y = |lane: usize| top + LANE * (lane as f64 + 0.5);
        let repeated = self.repeats.max(states.start)..states.end;
        let repeated_width = self.cell * repeated.len() as f64;

        if !repeated.is_empty() {
            canvas.rect("loop", x(repeated.start), top, repeated_width, bottom - top);
        }
        // A step is drawn where the state that it leads to begins; the closing one, where the last state ends.
        let boundary = |step: &Move<'_>| {
            if step.to > step.from {
                step.to
            } else {
                step.from + 1
            }
        };
        let inside = |step: &Move<'_>| {
            states.contains(if step.to > step.from {
                &step.to
            } else {
                &step.from
            })
        };
        let steps = || {
            self.steps
                .iter()
                .zip(&self.labels)
                .filter(|(step, _)| inside(step))
        };
        for (step, label) in steps() {
            let x = x(boundary(step));
            canvas.line("step", (x, top - 6.0), (x, bottom));
            canvas.slanted(x, top - 10.0, label);
        }
        for (lane, name) in self.lanes.names.iter().enumerate() {
            let y = lane_y(lane);
            canvas.text_with(
                TASK,
                &self.hold_class(lane),
                self.left - 10.0,
                y + 5.0,
                name,
            );
            for segment in self.segments(lane, states.clone()) {
                let width = self.cell * segment.len() as f64;
                self.segment(canvas, lane, segment.start, (x(segment.start), y), width);
            }
            if self.stuck.contains(&lane) && !repeated.is_empty() {
                canvas.rect(
                    "stuck",
                    x(repeated.start),
                    y - BAR / 2.0 - 3.0,
                    repeated_width,
                    BAR + 6.0,
                );
            }
        }
        for (step, _) in steps() {
            self.lanes
                .changed(step.from, step.to)
                .into_iter()
                .for_each(|lane| canvas.dot(x(boundary(step)), lane_y(lane)));
        }
        for state in states.clone() {
            let number = self.cex.states[state].number.to_string();
            canvas.text(NUMBER, x(state) + self.cell / 2.0, bottom + 15.0, &number);
        }
        canvas.text(
            NUMBER,
            self.left - 10.0 - measure(NUMBER, "state") / 2.0,
            bottom + 15.0,
            "state",
        );
        if !repeated.is_empty() {
            self.bracket(
                canvas,
                &states,
                x(repeated.start),
                x(states.end),
                bottom + 28.0,
            );
            bottom + 52.0
        } else if states.end == self.cex.states.len() {
            let x = x(states.end);
            canvas.line("end", (x, top - 4.0), (x, bottom));
            alarm(canvas, x, bottom + 34.0, &self.ending());
            bottom + 40.0
        } else {
            bottom + 20.0
        }
    }

    /// Runs of states with the same value of a lane; what repeats for ever begins a new one.
    fn segments(&self, lane: usize, states: Range<usize>) -> Vec<Range<usize>> {
        let mut segments: Vec<Range<usize>> = Vec::new();
        for state in states {
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

    fn segment(
        &self,
        canvas: &mut Canvas,
        lane: usize,
        state: usize,
        (x, y): (f64, f64),
        width: f64,
    ) {
        let cell = &self.lanes.rows[state][lane];
        let (class, ink) = match cell.style {
            Style::Idle => return canvas.line("idle", (x, y), (x + width, y)),
            Style::Busy => ("busy".to_owned(), ""),
            Style::Wait => ("wait".to_owned(), ""),
            Style::Hold => (self.hold_class(lane), "held"),
        };
        canvas.rect(&class, x + 1.0, y - BAR / 2.0, width - 2.0, BAR);
        let length = measure(VALUE, &cell.text);
        if length + 4.0 <= width {
            if cell.style == Style::Wait {
                canvas.rect(
                    "plate",
                    x + (width - length) / 2.0 - 1.0,
                    y - 7.0,
                    length + 2.0,
                    14.0,
                );
            }
            canvas.text_with(VALUE, ink, x + width / 2.0, y + 4.0, &cell.text);
        }
    }

    /// Draws the line below what repeats, with an arrow back to its start in the band that has it.
    fn bracket(&self, canvas: &mut Canvas, states: &Range<usize>, from: f64, to: f64, y: f64) {
        let starts = self.repeats >= states.start;
        let ends = states.end == self.cex.states.len();
        let rise = if starts {
            format!("M{from:.1} {:.1}V{y:.1}", y - 8.0)
        } else {
            format!("M{from:.1} {y:.1}")
        };
        let end = if ends {
            format!("V{:.1}", y - 8.0)
        } else {
            String::new()
        };
        canvas.path("back", &format!("{rise}H{to:.1}{end}"));
        if starts {
            canvas.path("arrow", &format!("M{from:.1} {:.1}l-4 8h8z", y - 13.0));
        }
        let words = if self.cex.ends_stuttering {
            "lasts for ever".to_owned()
        } else if ends && !starts {
            format!(
                "repeats for ever, from state {} on",
                self.cex.states[self.repeats].number
            )
        } else {
            "repeats for ever".to_owned()
        };
        alarm(canvas, (from + to) / 2.0, y + 16.0, &words);
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
            if x + width > WIDTH - MARGIN && x > MARGIN {
                (x, y) = (MARGIN, y + 20.0);
            }
            if class == "idle" {
                canvas.line("idle", (x, y - 4.0), (x + 24.0, y - 4.0));
            } else {
                canvas.rect(&class, x, y - 10.0, 24.0, 12.0);
            }
            canvas.text(LEGEND, x + 30.0, y, &words);
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
            let back = if step.to <= step.from { "back to " } else { "" };
            let _ = write!(words, "; {back}{} {label}", self.cex.states[step.to].number);
        }
        words.push('.');
        for sentence in self.lanes.story(self.cex) {
            let _ = write!(words, " {sentence}");
        }
        words
    }
}

fn group(name: &str) -> &str {
    name.split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or(name)
}

/// Writes the words around `x`, moved as far as they need to stay inside the picture.
fn alarm(canvas: &mut Canvas, x: f64, y: f64, words: &str) {
    let half = measure(ALARM, words) / 2.0;
    canvas.text(
        ALARM,
        x.min(WIDTH - MARGIN - half).max(MARGIN + half),
        y,
        words,
    );
}
