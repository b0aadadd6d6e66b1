//! The mean time in a handle's start against what is asked to be reserved, as a picture: both scales are logarithmic.

use std::fmt::Write as _;

use interlock_picture::{Canvas, Document, Font, PHONE};

use super::setup::Mode;
use super::{Cure, Run};

const HEIGHT: f64 = 490.0;
/// What is left free at the picture's sides.
const MARGIN: f64 = 10.0;
/// The scales' ends, in pixels.
const ACROSS: (f64, f64) = (48.0, PHONE - MARGIN);
const UP: (f64, f64) = (432.0, 152.0);
/// The scales' ends, as powers of ten: of the demand, and of milliseconds.
const DEMAND: (f64, f64) = (-0.8, 2.0);
const WAIT: (f64, f64) = (-3.0, 4.0);

const TITLE: &str = "How long a handle's start takes, by what all threads ask to reserve";

const STYLE: &str = "
.title { font-size: 15px; font-weight: bold; }
.small { font-size: 11px; fill: $quiet; }
.tick { font-size: 11px; fill: $quiet; text-anchor: middle; }
.side { font-size: 11px; fill: $quiet; text-anchor: end; }
.grid { stroke: $grid; }
.half { stroke: $rule; stroke-dasharray: 4 4; }
.all { fill: $orange; }
.hand { fill: $blue; }
.kernel { stroke: $ink; stroke-width: 2; }
";

/// Draws the runs with reservations as a standalone SVG.
pub fn render(runs: &[Run]) -> String {
    let mut canvas = Canvas::default();
    let (font, width) = (Font::bold("title", 15.0), PHONE - 2.0 * MARGIN);
    let y = canvas.paragraph(font, (MARGIN, MARGIN), width, TITLE, &[' ']);
    legend(&mut canvas, y + 20.0);
    scales(&mut canvas);
    for run in runs.iter().filter(|run| run.setup.mode == Mode::Nolock) {
        mark(run, &mut canvas);
    }
    canvas.finish(&Document {
        width: PHONE,
        height: HEIGHT,
        title: TITLE,
        description: &description(runs),
        definitions: "",
        style: STYLE,
    })
}

fn scales(canvas: &mut Canvas) {
    let (left, right, bottom, top) = (ACROSS.0, ACROSS.1, UP.0, UP.1);
    let waits = [
        "1 us", "10 us", "0.1 ms", "1 ms", "10 ms", "0.1 s", "1 s", "10 s",
    ];
    for (tick, power) in waits.iter().zip(-3..) {
        let y = y(10_f64.powi(power));
        canvas.line("grid", (left, y), (right, y));
        canvas.text("side", left - 6.0, y + 4.0, tick);
    }
    for demand in [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0] {
        let x = x(demand);
        let class = if demand == 1.0 { "half" } else { "grid" };
        canvas.line(class, (x, bottom), (x, top));
        canvas.text("tick", x, bottom + 16.0, demand);
    }
    let middle = PHONE / 2.0;
    let said = [
        "threads x reservation / half of the largest",
        "transaction; beyond 1 not all reservations fit",
    ];
    canvas.text("tick", middle, bottom + 33.0, said[0]);
    canvas.text("tick", middle, bottom + 47.0, said[1]);
}

fn legend(canvas: &mut Canvas, y: f64) {
    let (mark, words) = (MARGIN + 5.0, MARGIN + 16.0);
    canvas.circle("all", (mark, y - 4.0), 4.5);
    canvas.text("words", words, y, "simulated, all are woken");
    canvas.text(
        "small",
        words,
        y + 48.0,
        "each by its threads and MiB of journal",
    );
    let y = y + 16.0;
    canvas.rect("hand", (mark - 4.0, y - 8.0), (8.0, 8.0));
    canvas.text("words", words, y, "simulated, handed over");
    let y = y + 16.0;
    canvas.line("kernel", (mark, y - 10.0), (mark, y + 2.0));
    canvas.text("words", words, y, "Linux 6.18, all runs");
}

/// The marks of a run; 256 threads stand beside 2048, which ask for as much in a smaller journal.
fn mark(run: &Run, canvas: &mut Canvas) {
    let is_few = run.setup.threads <= 256;
    let (x, y) = (
        x(run.setup.demand()) + if is_few { 12.0 } else { 0.0 },
        y(run.tally.mean_start()),
    );
    match run.cure {
        Cure::HandOver => canvas.rect("hand", (x - 4.0, y - 4.0), (8.0, 8.0)),
        Cure::WakeAll => {
            canvas.circle("all", (x, y), 4.5);
            let label = format!("{}, {}", run.setup.threads, run.setup.journal);
            let (class, x) = if is_few {
                ("small", x + 9.0)
            } else {
                ("side", x - 7.0)
            };
            canvas.text(class, x, y + 4.0, label);
        }
    }
    if let (Some(kernel), Cure::WakeAll) = (run.point.kernel, run.cure) {
        let (low, high) = kernel.start;
        let (low, high) = (self::y(low) + 2.0, self::y(high) - 2.0);
        canvas.line("kernel", (x + 5.0, low), (x + 5.0, high));
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
