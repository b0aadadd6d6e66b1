//! The waits of each lock and side as a picture: a scale of time from left to right, a panel a scenario.

use std::fmt::Write as _;
use std::time::Duration;

use crate::contended::Summary;
use crate::locks::{Fight, Outcome, Results};
use crate::report::{duration, worst};

/// The picture's width in pixels: that of a README on GitHub.
const WIDTH: f64 = 900.0;
/// What is left free at the picture's sides.
const MARGIN: f64 = 20.0;
/// Where the scale begins and ends.
const SCALE: (f64, f64) = (210.0, WIDTH - MARGIN - 110.0);
/// The waits at the scale's ends, as powers of ten of a nanosecond: 1 us to 10 s.
const POWERS: (i32, i32) = (3, 10);
/// The height of a side's row.
const ROW: f64 = 15.0;
/// What parts a lock from the next one.
const BETWEEN: f64 = 8.0;

const TITLE: &str = "How long threads wait for the lock";

// A page of its own colour, so that the picture can be read on a dark one too.
const STYLE: &str = "<style>
text { fill: #1f2430; font: 12px system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif; }
.title { font-size: 17px; font-weight: bold; }
.panel { font-size: 13px; font-weight: bold; }
.lock { text-anchor: end; }
.small { font-size: 11px; fill: #667080; }
.tick { font-size: 11px; fill: #667080; text-anchor: middle; }
.page { fill: #ffffff; stroke: #d0d7de; }
.grid { stroke: #dde3ea; }
line.readers { stroke: #1f5fa8; } line.writers { stroke: #c2571a; }
circle.readers, rect.readers { fill: #1f5fa8; } circle.writers, rect.writers { fill: #c2571a; }
text.readers { fill: #1f5fa8; } text.writers { fill: #a8470f; }
.range { stroke-width: 2; }
</style>
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
    picture.text("title", MARGIN, 36.0, TITLE);
    let mut y = picture.legend(58.0);
    for fight in fights {
        y = picture.panel(fight, y);
    }
    picture.finish(y + 6.0, &description(fights))
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
    body: String,
}

impl Picture {
    fn text(&mut self, class: &str, x: f64, y: f64, content: &str) {
        let content = content.replace('&', "&amp;").replace('<', "&lt;");
        self.add(format_args!(
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{content}</text>"#
        ));
    }

    fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.add(format_args!(
            r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#
        ));
    }

    /// The mark of a side: its median, its 99th percentile, its longest wait.
    fn marks(&mut self, side: &str, [p50, p99, worst]: [f64; 3], y: f64) {
        self.line(&format!("range {side}"), (p50, y), (worst, y));
        self.line(&format!("range {side}"), (p50, y - 4.0), (p50, y + 4.0));
        self.add(format_args!(
            r#"<circle class="{side}" cx="{p99:.1}" cy="{y:.1}" r="3.5"/>"#
        ));
        let (left, top) = (worst - 1.5, y - 5.5);
        self.add(format_args!(
            r#"<rect class="{side}" x="{left:.1}" y="{top:.1}" width="3" height="11"/>"#
        ));
    }

    /// Says what the marks mean; returns where it ends.
    fn legend(&mut self, y: f64) -> f64 {
        let words = "median, 99th percentile and longest wait, medians of rounds; logarithmic, 1 us also stands for less";
        self.marks(
            "readers",
            [MARGIN + 2.0, MARGIN + 20.0, MARGIN + 40.0],
            y - 4.0,
        );
        self.text("readers", MARGIN + 50.0, y, "readers");
        self.marks(
            "writers",
            [MARGIN + 112.0, MARGIN + 130.0, MARGIN + 150.0],
            y - 4.0,
        );
        self.text("writers", MARGIN + 160.0, y, "writers");
        self.text("small", MARGIN + 216.0, y, words);
        y + 12.0
    }

    /// Draws a scenario below `top`; returns where it ends.
    fn panel(&mut self, fight: &Fight, top: f64) -> f64 {
        let title = format!("{}: {}", fight.scenario.name, fight.scenario.what);
        self.text("panel", MARGIN, top + 22.0, &title);
        let top = top + 32.0;
        let bottom = top + (2.0 * ROW + BETWEEN) * drawn(fight).count() as f64 + BETWEEN;
        for power in POWERS.0..=POWERS.1 {
            let wait = Duration::from_nanos(10_u64.pow(power.unsigned_abs()));
            self.line("grid", (x(wait), top), (x(wait), bottom));
            self.text("tick", x(wait), bottom + 14.0, &tick(wait));
        }
        let mut y = top + BETWEEN;
        for Outcome {
            which,
            readers,
            writers,
        } in drawn(fight)
        {
            self.text("lock", SCALE.0 - 12.0, y + ROW + 4.0, &which.name());
            self.row(fight, "readers", readers, y + 0.5 * ROW);
            self.row(fight, "writers", writers, y + 1.5 * ROW);
            y += 2.0 * ROW + BETWEEN;
        }
        bottom + 22.0
    }

    fn row(&mut self, fight: &Fight, side: &str, summary: &Summary, y: f64) {
        let places = [summary.p50, summary.p99, summary.worst].map(x);
        self.marks(side, places, y);
        self.text(side, places[2] + 7.0, y + 4.0, &longest(fight, summary));
    }

    fn finish(self, height: f64, description: &str) -> String {
        let (width, inner) = (WIDTH - 1.0, height - 1.0);
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0}" viewBox="0 0 {WIDTH} {height:.0}" role="img" aria-labelledby="title desc">
<title id="title">{TITLE}</title>
<desc id="desc">{description}</desc>
{STYLE}<rect class="page" x="0.5" y="0.5" width="{width:.1}" height="{inner:.1}" rx="3"/>
{}</svg>
"#,
            self.body
        )
    }

    fn add(&mut self, shape: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{shape}");
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
