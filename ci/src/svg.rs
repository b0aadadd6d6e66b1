//! A counterexample as a picture: time from left to right, a lane a task, in as many bands as the width needs.

use std::fmt::Write as _;

use crate::counterexample::Counterexample;
use crate::lanes::{Lanes, Move, Style, moves};
use crate::manifest::Area;

/// The picture's width in pixels: that of a README on GitHub.
const WIDTH: f64 = 900.0;
const MARGIN: f64 = 20.0;
const LANE: f64 = 34.0;
const BAR: f64 = 20.0;
const LABEL_SIZE: f64 = 12.0;
/// Labels of steps rise at this angle, so that neighbours cannot overlap.
const LABEL_DEGREES: f64 = 50.0;
/// An upper bound on the width of a character, in parts of the font's size.
const CHARACTER: f64 = 0.62;
/// Colours of the holders, one a group of tasks: told apart also by those who do not tell red from green.
const HOLDERS: [&str; 4] = ["#1f5fa8", "#7b3294", "#1b7837", "#8c510a"];
const INK: &str = "#1f2430";
const GREY: &str = "#667080";
const ALARM: &str = "#c0392b";

/// Draws the counterexample as a standalone SVG. The same input gives the same bytes.
///
/// # Errors
/// If the area's variable of lanes is not a function with the same domain in every state.
pub fn render(
    cex: &Counterexample,
    area: &Area,
    title: &str,
    subtitle: &str,
) -> anyhow::Result<String> {
    let lanes = Lanes::new(cex, area)?;
    let picture = Picture::new(cex, &lanes);
    let mut body = String::new();
    let mut y = MARGIN;
    for line in wrap(title, 17.0) {
        y += 21.0;
        text(
            &mut body,
            MARGIN,
            y,
            &format!(r#"font-size="17" font-weight="bold" fill="{INK}""#),
            &line,
        );
    }
    for line in wrap(subtitle, 12.0) {
        y += 18.0;
        text(
            &mut body,
            MARGIN,
            y,
            &format!(r#"font-size="12" fill="{GREY}""#),
            &line,
        );
    }
    for start in (0..cex.states.len()).step_by(picture.columns) {
        y = picture.band(&mut body, y + 8.0, start);
    }
    for line in lanes
        .story(cex)
        .iter()
        .flat_map(|sentence| wrap(sentence, 13.0))
    {
        y += 20.0;
        text(
            &mut body,
            MARGIN,
            y,
            &format!(r#"font-size="13" fill="{INK}""#),
            &line,
        );
    }
    y = picture.legend(&mut body, y + 30.0);
    let height = y + MARGIN;

    let mut out = String::new();
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0}" viewBox="0 0 {WIDTH} {height:.0}" role="img" aria-labelledby="title desc" font-family="system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif">"#
    );
    let _ = writeln!(out, r#"<title id="title">{}</title>"#, escape(title));
    let _ = writeln!(
        out,
        r#"<desc id="desc">{}</desc>"#,
        escape(&picture.description())
    );
    out.push_str(
        r##"<defs><pattern id="wait" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="7" height="7" fill="#fdf0cf"/><rect width="3" height="7" fill="#efb73e"/></pattern></defs>
"##,
    );
    let _ = writeln!(
        out,
        r##"<rect x="0.5" y="0.5" width="{:.1}" height="{:.1}" rx="8" fill="#ffffff" stroke="#d0d7de"/>"##,
        WIDTH - 1.0,
        height - 1.0
    );
    out.push_str(&body);
    out.push_str("</svg>\n");
    Ok(out)
}

struct Picture<'a> {
    cex: &'a Counterexample,
    lanes: &'a Lanes,
    steps: Vec<Move<'a>>,
    labels: Vec<String>,
    stuck: Vec<usize>,
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
    fn new(cex: &'a Counterexample, lanes: &'a Lanes) -> Self {
        let steps = moves(cex);
        let labels: Vec<String> = steps.iter().map(|step| lanes.step_label(step)).collect();
        let longest = |texts: &mut dyn Iterator<Item = &String>, size: f64| {
            texts.map(|text| measure(text, size)).fold(0.0, f64::max)
        };
        let label = longest(&mut labels.iter(), LABEL_SIZE);
        let left = MARGIN + longest(&mut lanes.names.iter(), 14.0) + 16.0;
        let right = WIDTH - MARGIN - label * LABEL_DEGREES.to_radians().cos() - 8.0;
        let value = longest(
            &mut lanes.rows.iter().flatten().map(|cell| &cell.text),
            11.0,
        );
        let least = (value + 10.0).clamp(38.0, 90.0);
        let fit = (((right - left) / least).floor() as usize).max(1);
        // Bands of about the same length look better than a full one and a rest.
        let columns = cex.states.len().div_ceil(cex.states.len().div_ceil(fit));
        Picture {
            cex,
            lanes,
            stuck: lanes.stuck(cex),
            left,
            cell: ((right - left) / columns as f64).min(80.0),
            columns,
            head: label * LABEL_DEGREES.to_radians().sin() + 16.0,
            steps,
            labels,
        }
    }

    fn x(&self, column: usize) -> f64 {
        self.left + self.cell * column as f64
    }

    /// Draws the states from `start` on below `top`; returns where it ends.
    fn band(&self, out: &mut String, top: f64, start: usize) -> f64 {
        let end = (start + self.columns).min(self.cex.states.len());
        let top = top + self.head;
        let bottom = top + LANE * self.lanes.names.len() as f64;
        let right = self.x(end - start);

        let repeats = self.cex.states.len() - self.cex.repeated().len();
        let repeated = repeats.max(start)..end;
        if !repeated.is_empty() {
            let (x, width) = (
                self.x(repeated.start - start),
                self.cell * repeated.len() as f64,
            );
            let _ = writeln!(
                out,
                r##"<rect x="{x:.1}" y="{top:.1}" width="{width:.1}" height="{:.1}" fill="#e6eef9"/>"##,
                bottom - top
            );
        }
        for (lane, name) in self.lanes.names.iter().enumerate() {
            let y = top + LANE * (lane as f64 + 0.5);
            let style = format!(
                r#"font-size="14" font-weight="bold" text-anchor="end" fill="{}""#,
                self.colour(lane)
            );
            text(out, self.left - 10.0, y + 5.0, &style, name);
            self.lane(out, y, lane, start, end);
            if self.stuck.contains(&lane) && !repeated.is_empty() {
                let (x, width) = (
                    self.x(repeated.start - start),
                    self.cell * repeated.len() as f64,
                );
                let (y, height) = (y - BAR / 2.0 - 3.0, BAR + 6.0);
                let _ = writeln!(
                    out,
                    r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="4" fill="none" stroke="{ALARM}" stroke-width="2"/>"#
                );
            }
        }
        for (step, label) in self.steps.iter().zip(&self.labels) {
            // Where a band is cut, the step is drawn at the end of the upper one for a lasso's closing step, else at the lower one's start.
            let closes = step.to <= step.from;
            let column = if closes { step.from + 1 } else { step.to };
            if (start..end).contains(&if closes { step.from } else { column }) {
                self.step(out, step, label, self.x(column - start), top, bottom);
            }
        }
        for state in start..end {
            let style = format!(r#"font-size="11" text-anchor="middle" fill="{GREY}""#);
            text(
                out,
                self.x(state - start) + self.cell / 2.0,
                bottom + 15.0,
                &style,
                &self.cex.states[state].number.to_string(),
            );
        }
        text(
            out,
            self.left - 10.0,
            bottom + 15.0,
            &format!(r#"font-size="11" text-anchor="end" fill="{GREY}""#),
            "state",
        );
        if repeated.is_empty() {
            if end == self.cex.states.len() {
                let _ = writeln!(
                    out,
                    r#"<line x1="{right:.1}" y1="{:.1}" x2="{right:.1}" y2="{bottom:.1}" stroke="{ALARM}" stroke-width="3"/>"#,
                    top - 4.0
                );
                let style = format!(
                    r#"font-size="12" font-weight="bold" text-anchor="end" fill="{ALARM}""#
                );
                text(out, right, bottom + 32.0, &style, &self.ending());
                return bottom + 36.0;
            }
            return bottom + 20.0;
        }
        self.bracket(
            out,
            self.x(repeated.start - start),
            right,
            bottom + 28.0,
            repeats >= start,
            end == self.cex.states.len(),
        );
        bottom + 52.0
    }

    /// Draws a lane's states from `start` to `end`, those with the same value as one segment.
    fn lane(&self, out: &mut String, y: f64, lane: usize, start: usize, end: usize) {
        let mut from = start;
        while from < end {
            let cell = &self.lanes.rows[from][lane];
            let to = (from..end)
                .find(|&state| self.lanes.rows[state][lane] != *cell)
                .unwrap_or(end);
            let (x, width) = (self.x(from - start), self.cell * (to - from) as f64);
            let (fill, ink) = match cell.style {
                Style::Idle => (None, GREY),
                Style::Busy => (Some(r##"fill="#dde3ea" stroke="#aab4c0""##.to_owned()), INK),
                Style::Wait => (
                    Some(r##"fill="url(#wait)" stroke="#c98f12""##.to_owned()),
                    INK,
                ),
                Style::Hold => (Some(format!(r#"fill="{}""#, self.colour(lane))), "#ffffff"),
            };
            match fill {
                None => {
                    let _ = writeln!(
                        out,
                        r##"<line x1="{x:.1}" y1="{y:.1}" x2="{:.1}" y2="{y:.1}" stroke="#9aa4b2" stroke-width="1.5"/>"##,
                        x + width
                    );
                }
                Some(fill) => {
                    let _ = writeln!(
                        out,
                        r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{BAR}" rx="3" {fill}/>"#,
                        x + 1.0,
                        y - BAR / 2.0,
                        width - 2.0
                    );
                    let length = measure(&cell.text, 11.0);
                    if length + 4.0 <= width {
                        if cell.style == Style::Wait {
                            let _ = writeln!(
                                out,
                                r##"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="14" rx="3" fill="#fdf0cf"/>"##,
                                x + (width - length) / 2.0 - 1.0,
                                y - 7.0,
                                length + 2.0
                            );
                        }
                        text(
                            out,
                            x + width / 2.0,
                            y + 4.0,
                            &format!(r#"font-size="11" text-anchor="middle" fill="{ink}""#),
                            &cell.text,
                        );
                    }
                }
            }
            from = to;
        }
    }

    /// Draws a step at `x`: its label, and a line down to dots on the lanes that it changes.
    fn step(&self, out: &mut String, step: &Move<'_>, label: &str, x: f64, top: f64, bottom: f64) {
        let _ = writeln!(
            out,
            r##"<line x1="{x:.1}" y1="{:.1}" x2="{x:.1}" y2="{bottom:.1}" stroke="#8792a2" stroke-width="0.8" stroke-dasharray="2 3"/>"##,
            top - 6.0
        );
        for lane in self.lanes.changed(step.from, step.to) {
            let y = top + LANE * (lane as f64 + 0.5);
            let _ = writeln!(
                out,
                r##"<circle cx="{x:.1}" cy="{y:.1}" r="3.2" fill="{INK}" stroke="#ffffff"/>"##
            );
        }
        let style = format!(
            r#"font-size="{LABEL_SIZE}" fill="{INK}" transform="rotate(-{LABEL_DEGREES} {x:.1} {:.1})""#,
            top - 10.0
        );
        text(out, x, top - 10.0, &style, label);
    }

    /// Draws the line below the part that repeats, with an arrow back to its start where this band has that.
    fn bracket(&self, out: &mut String, from: f64, to: f64, y: f64, starts: bool, ends: bool) {
        let start = if starts {
            format!("M{from:.1} {:.1}V{y:.1}", y - 8.0)
        } else {
            format!("M{from:.1} {y:.1}")
        };
        let end = if ends {
            format!("V{:.1}", y - 8.0)
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            r#"<path d="{start}H{to:.1}{end}" fill="none" stroke="{ALARM}" stroke-width="1.6"/>"#
        );
        if starts {
            let _ = writeln!(
                out,
                r#"<path d="M{from:.1} {:.1}l-4 8h8z" fill="{ALARM}"/>"#,
                y - 13.0
            );
        }
        let words = if self.cex.ends_stuttering {
            "lasts for ever"
        } else {
            "repeats for ever"
        };
        let (x, anchor) = match (from + to) / 2.0 {
            middle if to - from < measure(words, 12.0) => (middle.max(from), "middle"),
            middle => (middle, "middle"),
        };
        text(
            out,
            x,
            y + 16.0,
            &format!(r#"font-size="12" font-weight="bold" text-anchor="{anchor}" fill="{ALARM}""#),
            words,
        );
    }

    fn legend(&self, out: &mut String, y: f64) -> f64 {
        let used = |style: Style| {
            self.lanes
                .rows
                .iter()
                .flatten()
                .any(|cell| cell.style == style)
        };
        let mut items: Vec<(String, String)> = Vec::new();
        for (style, fill, words) in [
            (Style::Busy, r##"fill="#dde3ea" stroke="#aab4c0""##, "busy"),
            (
                Style::Wait,
                r##"fill="url(#wait)" stroke="#c98f12""##,
                "waits",
            ),
        ] {
            if used(style) {
                items.push((fill.to_owned(), words.to_owned()));
            }
        }
        for (index, group) in self
            .groups()
            .into_iter()
            .enumerate()
            .filter(|_| used(Style::Hold))
        {
            let whose = if self.groups().len() == 1 {
                String::new()
            } else {
                format!(" ({group})")
            };
            items.push((
                format!(r#"fill="{}""#, HOLDERS[index % HOLDERS.len()]),
                format!("holds{whose}"),
            ));
        }
        if !self.stuck.is_empty() {
            items.push((
                format!(r#"fill="none" stroke="{ALARM}" stroke-width="2""#),
                "waits for ever".to_owned(),
            ));
        }
        let style = format!(r#"font-size="12" fill="{GREY}""#);
        let mut x = MARGIN;
        let _ = writeln!(
            out,
            r##"<line x1="{x}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="#9aa4b2" stroke-width="1.5"/>"##,
            y - 4.0,
            x + 24.0,
            y - 4.0
        );
        text(out, x + 30.0, y, &style, "idle");
        x += 30.0 + measure("idle", 12.0) + 20.0;
        for (fill, words) in items {
            let _ = writeln!(
                out,
                r#"<rect x="{x:.1}" y="{:.1}" width="24" height="12" rx="3" {fill}/>"#,
                y - 10.0
            );
            text(out, x + 30.0, y, &style, &words);
            x += 30.0 + measure(&words, 12.0) + 20.0;
        }
        y
    }

    /// The groups of tasks: what their names begin with, up to a digit.
    fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = self.lanes.names.iter().map(|name| group(name)).collect();
        groups.dedup();
        groups
    }

    fn colour(&self, lane: usize) -> &'static str {
        let index = self
            .groups()
            .iter()
            .position(|name| *name == group(&self.lanes.names[lane]))
            .unwrap_or(0);
        HOLDERS[index % HOLDERS.len()]
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

fn measure(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * CHARACTER
}

/// Breaks a text at spaces so that each line fits the picture.
fn wrap(text: &str, size: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line)
                if measure(line, size) + measure(word, size) + size < WIDTH - 2.0 * MARGIN =>
            {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn text(out: &mut String, x: f64, y: f64, attributes: &str, content: &str) {
    let _ = writeln!(
        out,
        r#"<text x="{x:.1}" y="{y:.1}" {attributes}>{}</text>"#,
        escape(content)
    );
}

/// Escapes markup; control characters, which XML cannot have, become replacement characters.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
