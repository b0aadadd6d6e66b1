//! The picture of a state diagram. The states stand in one column. A step to the next one leads down; any other leaves its state to
//! the right, on a line of its own below the action's name, and goes up or down in a track of its own: so nothing is written over.

use std::collections::BTreeSet;

use interlock_picture::{Canvas, Document, Font, PHONE, lines, measure};

use super::{Action, Diagram, said};
use crate::svg::BREAKS;
use crate::svg::style::{DEFINITIONS, MARKS};
use crate::swimlanes::Style;

const TITLE: Font = Font::bold("title", 15.0);
const SUBTITLE: Font = Font::plain("subtitle", 12.0);
const STATE: Font = Font::bold("state", 12.0);
const ACTION: Font = Font::plain("action", 11.0);

/// What is left free at the picture's sides.
const MARGIN: f64 = 10.0;
/// The height of a line of an action's name, and of a line that arrives.
const LINE: f64 = 14.0;
const ARRIVAL: f64 = 9.0;
/// The width of a track.
const TRACK: f64 = 9.0;
/// The widest that an action's name is; a longer one goes on in the next line.
const ACTIONS: f64 = 140.0;

const STYLE: &str = "
.title { font-size: 15px; font-weight: bold; }
.subtitle { font-size: 12px; fill: $quiet; }
.state { font-size: 12px; font-weight: bold; text-anchor: middle; }
.action { font-size: 11px; }
.free { fill: $paper; stroke: $idle; stroke-width: 1.5; }
.edge { fill: none; stroke: $quiet; stroke-width: 1.2; }
.another { fill: none; stroke: $quiet; stroke-width: 1.2; stroke-dasharray: 4 3; }
.head { fill: $quiet; }
";

/// An edge that is not drawn straight down.
struct Side {
    from: usize,
    to: usize,
    /// Where it leaves, and where it arrives.
    leaves: f64,
    arrives: f64,
    track: usize,
    label: Vec<String>,
    class: &'static str,
}

/// A state's box.
struct Box {
    top: f64,
    height: f64,
}

impl Diagram {
    /// Draws the diagram as a standalone SVG. The same diagram gives the same bytes.
    pub fn render(&self, title: &str, subtitle: &str) -> String {
        let state = widest(STATE, self.order.iter()) + 18.0;
        let labels = self.edges.values().map(said);
        let labels: Vec<Vec<String>> = labels
            .map(|said| lines(ACTION, ACTIONS, &said, &[' ']))
            .collect();
        let action = widest(ACTION, labels.iter().flatten());
        let mut sides = self.sides();
        // The places depend on the title's height, which depends on the width; the width only on the tracks.
        let (_, _) = self.place(0.0, &mut sides);
        let tracks = assign(&mut sides);
        let width = MARGIN + state + 8.0 + action + 8.0 + TRACK * tracks as f64 + MARGIN;
        let width = width.max(PHONE).ceil();

        let mut canvas = Canvas::default();
        let mut y = MARGIN;
        for (font, text) in [(TITLE, title), (SUBTITLE, subtitle)] {
            y = canvas.paragraph(font, (MARGIN, y), width - 2.0 * MARGIN, text, &BREAKS);
        }
        let (boxes, mut bottom) = self.place(y + 16.0, &mut sides);
        let right = MARGIN + state;
        for side in &sides {
            let x = right + action + 16.0 + TRACK * side.track as f64 + TRACK / 2.0;
            let Side {
                leaves, arrives, ..
            } = *side;
            let tip = right + 6.0;
            canvas.path(
                side.class,
                &format!("M{right:.1} {leaves:.1}H{x:.1}V{arrives:.1}H{tip:.1}"),
            );
            canvas.path("head", &format!("M{right:.1} {arrives:.1}l7 -3.5v7z"));
            for (line, above) in side.label.iter().rev().zip(0_u8..) {
                let y = leaves - 3.0 - LINE * f64::from(above);
                canvas.text(ACTION.0, right + 8.0, y, line);
            }
        }
        let middle = MARGIN + state / 2.0;
        for (place, at) in boxes.iter().enumerate() {
            self.state(&mut canvas, place, at, (middle, state));
            let down = self.edges.get(&(place, place + 1));
            if let (Some(actions), Some(next)) = (down, boxes.get(place + 1)) {
                let from = at.top + at.height;
                let class = class(actions);
                canvas.path(
                    class,
                    &format!("M{middle:.1} {from:.1}V{:.1}", next.top - 6.0),
                );
                canvas.path("head", &format!("M{middle:.1} {:.1}l-3.5 -7h7z", next.top));
                let label = lines(ACTION, ACTIONS, &said(actions), &[' ']);
                let first =
                    f64::midpoint(from, next.top) + 4.0 - LINE * (label.len() - 1) as f64 / 2.0;
                for (line, below) in label.iter().zip(0_u8..) {
                    let y = first + LINE * f64::from(below);
                    canvas.text(ACTION.0, middle + 8.0, y, line);
                }
            }
        }
        if self
            .edges
            .values()
            .flatten()
            .any(|action| action.by_another)
        {
            bottom += 20.0;
            let y = bottom;
            canvas.path("another", &format!("M{MARGIN:.1} {:.1}h24", y - 4.0));
            canvas.text(SUBTITLE.0, MARGIN + 30.0, y, "steps of other tasks alone");
        }
        canvas.finish(&Document {
            width,
            height: (bottom + MARGIN).ceil(),
            title,
            description: &self.description(),
            definitions: DEFINITIONS,
            style: &format!("{MARKS}{STYLE}"),
        })
    }

    /// The edges that go sideways, without their places.
    fn sides(&self) -> Vec<Side> {
        let edges = self.edges.iter().filter(|((from, to), _)| *to != from + 1);
        let sides = edges.map(|((from, to), actions)| Side {
            from: *from,
            to: *to,
            leaves: 0.0,
            arrives: 0.0,
            track: 0,
            label: lines(ACTION, ACTIONS, &said(actions), &[' ']),
            class: class(actions),
        });
        sides.collect()
    }

    /// Gives each state its box below `top`, with room for what arrives and leaves at its side; returns them and where they end.
    fn place(&self, top: f64, sides: &mut [Side]) -> (Vec<Box>, f64) {
        let mut boxes: Vec<Box> = Vec::new();
        let mut y = top;
        for place in 0..self.order.len() {
            let mut inside = y + 2.0;
            for side in sides.iter_mut().filter(|side| side.to == place) {
                inside += ARRIVAL;
                side.arrives = inside;
            }
            for side in sides.iter_mut().filter(|side| side.from == place) {
                inside += LINE * side.label.len() as f64 + 4.0;
                side.leaves = inside;
            }
            let height = (inside + 6.0 - y).max(26.0);
            boxes.push(Box { top: y, height });
            let down = self.edges.get(&(place, place + 1));
            let label = down.map_or(0, |actions| {
                lines(ACTION, ACTIONS, &said(actions), &[' ']).len()
            });
            y += height + LINE * label as f64 + 14.0;
        }
        let bottom = boxes.last().map_or(top, |last| last.top + last.height);
        (boxes, bottom)
    }

    fn state(&self, canvas: &mut Canvas, place: usize, at: &Box, (middle, width): (f64, f64)) {
        let name = &self.order[place];
        let (class, ink) = match self.styles[place] {
            Style::Idle => ("free", ""),
            Style::Busy => ("busy", ""),
            Style::Wait => ("wait", ""),
            Style::Hold => ("hold0", " held"),
        };
        canvas.rect(class, (MARGIN, at.top), (width, at.height));
        let y = at.top + at.height / 2.0;
        if self.styles[place] == Style::Wait {
            let length = measure(STATE, name) + 2.0;
            canvas.rect("plate", (middle - length / 2.0, y - 8.0), (length, 16.0));
        }
        canvas.text(&format!("{}{ink}", STATE.0), middle, y + 4.0, name);
    }
}

/// Gives each edge a track in which no other one is at its height, the short ones to the left; returns how many there are.
fn assign(sides: &mut [Side]) -> usize {
    let span = |side: &Side| (side.leaves.min(side.arrives), side.leaves.max(side.arrives));
    let mut order: Vec<usize> = (0..sides.len()).collect();
    order.sort_by(|one, other| {
        let length = |at: &usize| span(&sides[*at]).1 - span(&sides[*at]).0;
        length(one).total_cmp(&length(other))
    });
    let mut tracks: Vec<Vec<(f64, f64)>> = Vec::new();
    for at in order {
        let (top, bottom) = span(&sides[at]);
        let is_free = |taken: &Vec<(f64, f64)>| {
            taken
                .iter()
                .all(|other| bottom + 4.0 < other.0 || other.1 + 4.0 < top)
        };
        let track = tracks.iter().position(is_free).unwrap_or(tracks.len());
        if track == tracks.len() {
            tracks.push(Vec::new());
        }
        tracks[track].push((top, bottom));
        sides[at].track = track;
    }
    tracks.len()
}

/// Solid where the task itself takes a step, else dashed.
fn class(actions: &BTreeSet<Action>) -> &'static str {
    match actions.iter().all(|action| action.by_another) {
        true => "another",
        false => "edge",
    }
}

fn widest<'a>(font: Font, texts: impl Iterator<Item = &'a String>) -> f64 {
    texts.map(|text| measure(font, text)).fold(0.0, f64::max)
}
