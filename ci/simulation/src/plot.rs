//! The mean time in a handle's start against what is asked to be reserved, as a picture: both scales are logarithmic.

use std::fmt::Write as _;

use super::setup::Mode;
use super::{Cure, Run};

/// The picture's width in pixels: that of a README on GitHub.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 470.0;
/// What is left free at the picture's sides.
const MARGIN: f64 = 20.0;
/// The scales' ends, in pixels.
const ACROSS: (f64, f64) = (80.0, 860.0);
const UP: (f64, f64) = (410.0, 92.0);
/// The scales' ends, as powers of ten: of the demand, and of milliseconds.
const DEMAND: (f64, f64) = (-0.4, 1.7);
const WAIT: (f64, f64) = (-3.0, 4.0);

const TITLE: &str = "How long a handle's start takes, by what all threads ask to reserve";

// A page of its own colour, so that the picture can be read on a dark one too.
const STYLE: &str = "<style>
text { fill: #1f2430; font: 12px system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif; }
.title { font-size: 17px; font-weight: bold; }
.small { font-size: 11px; fill: #667080; }
.tick { font-size: 11px; fill: #667080; text-anchor: middle; }
.side { font-size: 11px; fill: #667080; text-anchor: end; }
.page { fill: #ffffff; stroke: #d0d7de; }
.grid { stroke: #dde3ea; }
.half { stroke: #8792a2; stroke-dasharray: 4 4; }
circle.all { fill: #c2571a; } rect.hand { fill: #1f5fa8; }
line.kernel { stroke: #1f2430; stroke-width: 2; }
</style>
";

/// Draws the runs with reservations as a standalone SVG.
pub fn render(runs: &[Run]) -> String {
    let mut body = String::new();
    let mut add = |shape: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(body, "{shape}");
    };
    add(format_args!(
        r#"<text class="title" x="{MARGIN}" y="36">{TITLE}</text>"#
    ));
    legend(&mut add);
    let (left, right, bottom, top) = (ACROSS.0, ACROSS.1, UP.0, UP.1);
    for power in -3..=4 {
        let (y, tick) = (
            y(10_f64.powi(power)),
            [
                "1 us", "10 us", "0.1 ms", "1 ms", "10 ms", "0.1 s", "1 s", "10 s",
            ],
        );
        let tick = tick[usize::try_from(power + 3).unwrap_or_default()];
        add(format_args!(
            r#"<line class="grid" x1="{left:.1}" y1="{y:.1}" x2="{right:.1}" y2="{y:.1}"/><text class="side" x="{:.1}" y="{:.1}">{tick}</text>"#,
            left - 8.0,
            y + 4.0
        ));
    }
    for demand in [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0] {
        let x = x(demand);
        let class = if demand == 1.0 { "half" } else { "grid" };
        add(format_args!(
            r#"<line class="{class}" x1="{x:.1}" y1="{bottom:.1}" x2="{x:.1}" y2="{top:.1}"/><text class="tick" x="{x:.1}" y="{:.1}">{demand}</text>"#,
            bottom + 16.0
        ));
    }
    add(format_args!(
        r#"<text class="tick" x="{:.1}" y="{:.1}">threads x reservation / half of the largest transaction; beyond 1 not all reservations fit</text>"#,
        f64::midpoint(left, right),
        bottom + 36.0
    ));
    for run in runs.iter().filter(|run| run.setup.mode == Mode::Nolock) {
        mark(run, &mut add);
    }
    let description = description(runs);
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="title desc">
<title id="title">{TITLE}</title>
<desc id="desc">{description}</desc>
{STYLE}<rect class="page" x="0.5" y="0.5" width="{:.1}" height="{:.1}" rx="3"/>
{body}</svg>
"#,
        WIDTH - 1.0,
        HEIGHT - 1.0
    )
}

fn legend(add: &mut impl FnMut(std::fmt::Arguments<'_>)) {
    let y = 62.0;
    add(format_args!(
        r#"<circle class="all" cx="26" cy="{:.1}" r="4.5"/><text x="38" y="{y}">simulated, all are woken</text>"#,
        y - 4.0
    ));
    add(format_args!(
        r#"<rect class="hand" x="202" y="{:.1}" width="8" height="8"/><text x="218" y="{y}">simulated, handed over</text>"#,
        y - 8.0
    ));
    add(format_args!(
        r#"<line class="kernel" x1="378" y1="{:.1}" x2="378" y2="{:.1}"/><text x="390" y="{y}">Linux 6.18, all runs</text>"#,
        y - 10.0,
        y + 2.0
    ));
    add(format_args!(
        r#"<text class="small" x="520" y="{y}">each by its threads and MiB of journal</text>"#
    ));
}

/// The marks of a run; 256 threads stand beside 2048, which ask for as much in a smaller journal.
fn mark(run: &Run, add: &mut impl FnMut(std::fmt::Arguments<'_>)) {
    let is_few = run.setup.threads <= 256;
    let (x, y) = (
        x(run.setup.demand()) + if is_few { 18.0 } else { 0.0 },
        y(run.tally.mean_start()),
    );
    match run.cure {
        Cure::HandOver => add(format_args!(
            r#"<rect class="hand" x="{:.1}" y="{:.1}" width="8" height="8"/>"#,
            x - 4.0,
            y - 4.0
        )),
        Cure::WakeAll => {
            add(format_args!(
                r#"<circle class="all" cx="{x:.1}" cy="{y:.1}" r="4.5"/>"#
            ));
            let label = format!("{}, {}", run.setup.threads, run.setup.journal);
            let (class, x) = if is_few {
                ("small", x + 14.0)
            } else {
                ("side", x - 8.0)
            };
            add(format_args!(
                r#"<text class="{class}" x="{x:.1}" y="{:.1}">{label}</text>"#,
                y + 4.0
            ));
        }
    }
    if let (Some(kernel), Cure::WakeAll) = (run.point.kernel, run.cure) {
        let (low, high) = kernel.start;
        let (low, high) = (self::y(low) + 2.0, self::y(high) - 2.0);
        let x = x + 7.0;
        add(format_args!(
            r#"<line class="kernel" x1="{x:.1}" y1="{low:.1}" x2="{x:.1}" y2="{high:.1}"/>"#
        ));
    }
}

fn x(demand: f64) -> f64 {
    place(demand, DEMAND, ACROSS)
}

/// Of milliseconds.
fn y(wait: f64) -> f64 {
    place(wait, WAIT, UP)
}

/// The place of a number on a logarithmic scale; what is beyond an end is drawn there.
fn place(number: f64, (low, high): (f64, f64), (from, to): (f64, f64)) -> f64 {
    let power = number.max(1e-9).log10().clamp(low, high);
    from + (to - from) * (power - low) / (high - low)
}

/// The picture in words, for those who cannot see it.
fn description(runs: &[Run]) -> String {
    let mut words = String::from("Mean times in a handle's start.");
    for run in runs.iter().filter(|run| run.setup.mode == Mode::Nolock) {
        let _ = write!(
            words,
            " {} threads, {} MiB, wake {}: {:.3} ms;",
            run.setup.threads,
            run.setup.journal,
            run.cure.name(),
            run.tally.mean_start()
        );
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scales_are_logarithmic_and_end_where_the_picture_does() {
        assert_eq!(y(0.001), UP.0);
        assert_eq!(y(0.0), UP.0);
        assert_eq!(y(1e9), UP.1);
        assert!((y(0.1) - y(1.0) - (y(10.0) - y(100.0))).abs() < 1e-9);
        assert!(x(1.0) < x(2.0));
    }
}
