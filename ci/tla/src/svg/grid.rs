//! Where the states, the steps' labels and the tasks of a picture are.

use interlock_picture::{Font, PHONE, lines, measure};

use super::style::{LABEL, NUMBER, TASK, VALUE};
use crate::swimlanes::{Move, Swimlanes};

/// What is left free at the picture's sides.
pub(super) const MARGIN: f64 = 10.0;
/// The height of a state.
const ROW: f64 = 24.0;
/// What the arrow of a loop needs, right of the lanes.
const ARROW: f64 = 14.0;
/// The height of a line of a label.
pub(super) const LABEL_LINE: f64 = 14.0;
/// The height of a line of a task's name.
pub(super) const NAME_LINE: f64 = 16.0;
/// A label, and a name, goes on in the next line behind one of these.
const BREAKS: [char; 2] = [' ', '('];

/// The picture's columns and rows.
pub(super) struct Grid {
    /// The picture's width: a phone's, or what the lanes and the longest word of a label need.
    pub(super) width: f64,
    /// The x where labels begin.
    pub(super) labels: f64,
    /// Each lane's middle and width.
    pub(super) lanes: Vec<(f64, f64)>,
    /// The x where lanes begin, and end.
    pub(super) across: (f64, f64),
    /// Each task's name, in lines.
    pub(super) names: Vec<Vec<String>>,
    /// Each step's label, in lines.
    pub(super) steps: Vec<Vec<String>>,
    /// The y where each state begins, from the first state's, and where the last one ends.
    pub(super) edges: Vec<f64>,
}

impl Grid {
    pub(super) fn new(
        lanes: &Swimlanes,
        moves: &[Move<'_>],
        labels: &[String],
        is_lasso: bool,
    ) -> Grid {
        let words = |text: &str| lines(LABEL, 0.0, text, &BREAKS);
        let names: Vec<Vec<String>> = lanes
            .names
            .iter()
            .map(|name| lines(TASK, 90.0, name, &BREAKS))
            .collect();
        let needed = lane_widths(lanes, &names);
        let left = MARGIN + measure(NUMBER, "00") + 6.0;
        let arrow = if is_lasso { ARROW } else { 0.0 };
        let around = left + 8.0 + needed.iter().sum::<f64>() + arrow + MARGIN;
        let longest = widest(LABEL, labels.iter().cloned());
        let least = widest(LABEL, labels.iter().flat_map(|label| words(label)));
        let room = longest.min((PHONE - around).max(least));
        let width = (around + room).max(PHONE);
        // Lanes share what is left.
        let more = (width - around - room) / needed.len().max(1) as f64;
        let from = left + room + 8.0;
        let mut x = from;
        let lanes = needed.iter().map(|needed| {
            let lane = (x + (needed + more) / 2.0, needed + more);
            x += needed + more;
            lane
        });
        let lanes = lanes.collect();
        let steps: Vec<Vec<String>> = labels
            .iter()
            .map(|label| lines(LABEL, room, label, &BREAKS))
            .collect();
        Grid {
            width,
            labels: left,
            lanes,
            across: (from, x),
            names,
            edges: edges(moves, &steps),
            steps,
        }
    }
}

/// A lane is as wide as its task's name and the values that it has.
fn lane_widths(lanes: &Swimlanes, names: &[Vec<String>]) -> Vec<f64> {
    let of_lane = |(lane, name): (usize, &Vec<String>)| {
        let values = lanes.rows.iter().map(|row| row[lane].text.clone());
        let name = widest(TASK, name.iter().cloned());
        (widest(VALUE, values) + 10.0).max(name + 6.0).max(40.0)
    };
    names.iter().enumerate().map(of_lane).collect()
}

/// Labels stand at the edge where their state begins; two of them need not touch.
fn edges(moves: &[Move<'_>], steps: &[Vec<String>]) -> Vec<f64> {
    let heights = moves.iter().zip(steps);
    let heights = heights.map(|(_, lines)| LABEL_LINE * lines.len() as f64);
    // A label for each edge but the first; the last has one where there is a closing step.
    let mut heights: Vec<f64> = std::iter::once(0.0).chain(heights).collect();
    if !moves.last().is_some_and(closes) {
        heights.push(0.0);
    }
    let mut edges = vec![0.0];
    for pair in heights.windows(2) {
        let last = edges[edges.len() - 1];
        edges.push(last + ROW.max(f64::midpoint(pair[0], pair[1]) + 4.0));
    }
    edges
}

/// Whether the step leads back to where a loop begins.
pub(super) fn closes(step: &Move<'_>) -> bool {
    step.to <= step.from
}

fn widest(font: Font, texts: impl Iterator<Item = String>) -> f64 {
    texts.map(|text| measure(font, &text)).fold(0.0, f64::max)
}
