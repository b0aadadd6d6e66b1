//! The waits of each lock and side as a picture: a scale of time from left to right, a panel a scenario.

use std::fmt::Write as _;
use std::time::Duration;

use interlock_picture::{Canvas, Document, Font, PHONE};

use crate::contended::Summary;
use crate::locks::{Fight, Outcome, Results};
use crate::report::{duration, worst};

/// What is left free at the picture's sides.
const MARGIN: f64 = 10.0;
/// Where the scale begins and ends.
const SCALE: (f64, f64) = (MARGIN + 8.0, PHONE - MARGIN - 88.0);
/// The waits at the scale's ends, as powers of ten of a nanosecond: 1 us to 10 s.
const POWERS: (i32, i32) = (3, 10);
/// The height of a side's row.
const ROW: f64 = 15.0;
/// The height of a lock's name, above its rows.
const NAME: f64 = 18.0;

const TITLE: &str = "How long threads wait for the lock";

const STYLE: &str = "
.title { font-size: 15px; font-weight: bold; }
.panel { font-size: 13px; font-weight: bold; }
.small { font-size: 11px; fill: $quiet; }
.tick { font-size: 11px; fill: $quiet; text-anchor: middle; }
.grid { stroke: $grid; }
.range { stroke-width: 2; }
.readers { stroke: $blue; }
.writers { stroke: $orange; }
.of-readers { fill: $blue; }
.of-writers { fill: $orange; }
";

/// The pictures of all scenarios that starve, as standalone SVGs: those whose holders sleep long, and those that tell the price.
/// Locks that spin are in the tables only.
pub fn all(results: &Results) -> [(&'static str, String); 2] {
    let (price, waits): (Vec<&Fight>, Vec<&Fight>) = results
        .starving
        .iter()
        .partition(|fight| ["S1", "S4"].contains(&fight.scenario.name));
    [
        ("bench-waits.svg", render(&waits)),
        ("bench-price.svg", render(&price)),
    ]
}

fn render(fights: &[&Fight]) -> String {
    let mut picture = Picture::default();
    picture.canvas.text("title", MARGIN, 28.0, TITLE);
    let mut y = picture.legend(50.0);
    for fight in fights {
        y = picture.panel(fight, y);
    }
    picture.canvas.finish(&Document {
        width: PHONE,
        height: y + 6.0,
        title: TITLE,
        description: &description(fights),
        definitions: "",
        style: STYLE,
    })
}

/// The outcomes that are drawn.
fn drawn(fight: &Fight) -> impl Iterator<Item = &Outcome> {
    fight
        .outcomes
        .iter()
        .filter(|outcome| !outcome.which.kind.spins())
}

#[derive(Default)]
struct Picture {
    canvas: Canvas,
}

impl Picture {
    /// The mark of a side: its median, its 99th percentile, its longest wait.
    fn marks(&mut self, side: &str, [p50, p99, worst]: [f64; 3], y: f64) {
        let (line, fill) = (format!("range {side}"), format!("of-{side}"));
        self.canvas.line(&line, (p50, y), (worst, y));
        self.canvas.line(&line, (p50, y - 4.0), (p50, y + 4.0));
        self.canvas.circle(&fill, (p99, y), 3.5);
        self.canvas.rect(&fill, (worst - 1.5, y - 5.5), (3.0, 11.0));
    }

    /// A text below `y`; returns where it ends.
    fn paragraph(&mut self, font: Font, y: f64, text: &str) -> f64 {
        let width = PHONE - 2.0 * MARGIN;
        self.canvas
            .paragraph(font, (MARGIN, y), width, text, &[' '])
    }

    /// Says what the marks mean; returns where it ends.
    fn legend(&mut self, y: f64) -> f64 {
        let words = "median, 99th percentile and longest wait, medians of rounds; logarithmic, 1 us also stands for less";
        for (side, x) in [("readers", MARGIN + 2.0), ("writers", MARGIN + 112.0)] {
            self.marks(side, [x, x + 18.0, x + 38.0], y - 4.0);
            self.canvas.text(&format!("of-{side}"), x + 48.0, y, side);
        }
        self.paragraph(Font::plain("small", 11.0), y + 4.0, words)
    }

    /// Draws a scenario below `top`; returns where it ends.
    fn panel(&mut self, fight: &Fight, top: f64) -> f64 {
        let title = format!("{}: {}", fight.scenario.name, fight.scenario.what);
        let top = self.paragraph(Font::bold("panel", 13.0), top + 14.0, &title) + 8.0;
        let bottom = top + (2.0 * ROW + NAME) * drawn(fight).count() as f64 + 6.0;
        for power in POWERS.0..=POWERS.1 {
            let wait = Duration::from_nanos(10_u64.pow(power.unsigned_abs()));
            self.canvas.line("grid", (x(wait), top), (x(wait), bottom));
            // A tick's text is wider than a decade.
            if power % 3 == 0 {
                self.canvas.text("tick", x(wait), bottom + 14.0, tick(wait));
            }
        }
        let mut y = top + NAME;
        for Outcome {
            which,
            readers,
            writers,
        } in drawn(fight)
        {
            self.canvas.text("lock", MARGIN, y - 4.0, which.name());
            self.row(fight, "readers", readers, y + 0.5 * ROW);
            self.row(fight, "writers", writers, y + 1.5 * ROW);
            y += 2.0 * ROW + NAME;
        }
        bottom + 18.0
    }

    fn row(&mut self, fight: &Fight, side: &str, summary: &Summary, y: f64) {
        let places = [summary.p50, summary.p99, summary.worst].map(x);
        self.marks(side, places, y);
        // How long the whole round is, the description says.
        let words = longest(fight, summary);
        let words = words.split(" (").next().unwrap_or(&words);
        let class = format!("of-{side}");
        self.canvas.text(&class, places[2] + 6.0, y + 4.0, words);
    }
}

fn longest(fight: &Fight, summary: &Summary) -> String {
    worst(summary.worst, fight.scenario.time)
}

/// The place of a wait on the scale; what is beyond an end is drawn there.
fn x(wait: Duration) -> f64 {
    let (low, high) = (f64::from(POWERS.0), f64::from(POWERS.1));
    let power = (wait.as_nanos() as f64).max(1.0).log10().clamp(low, high);
    SCALE.0 + (SCALE.1 - SCALE.0) * (power - low) / (high - low)
}

fn tick(wait: Duration) -> String {
    let text = duration(wait);
    text.replace(".0 ", " ")
}

/// The picture in words, for those who cannot see it.
fn description(fights: &[&Fight]) -> String {
    let mut words = String::from("The longest waits.");
    for fight in fights {
        let _ = write!(words, " {}:", fight.scenario.name);
        for outcome in drawn(fight) {
            let readers = longest(fight, &outcome.readers);
            let writers = longest(fight, &outcome.writers);
            let _ = write!(
                words,
                " {}: readers {readers}, writers {writers};",
                outcome.which.name()
            );
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_logarithmic_and_ends_where_the_picture_does() {
        let at = |nanos| x(Duration::from_nanos(nanos));
        assert_eq!(at(1_000), SCALE.0);
        assert_eq!(at(0), SCALE.0);
        assert_eq!(at(10_000_000_000), SCALE.1);
        assert_eq!(at(99_000_000_000), SCALE.1);
        let decade = at(10_000) - at(1_000);
        assert!((at(1_000_000) - at(100_000) - decade).abs() < 1e-9);
    }
}
