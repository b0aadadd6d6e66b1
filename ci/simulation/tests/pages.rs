//! The tables of the simulated report: what was measured is the same on both pages and in the simulation, and what is simulated is what a
//! run gives, of all points but the two that take half a minute.

use std::fs;

use interlock::jbd2::policy::Policy;
use interlock_simulation::points::{self, Point, Range};
use interlock_simulation::setup::{Mode, Setup};
use interlock_simulation::simulate;
use interlock_simulation::tally::Tally;

/// The rows of the table that begins so.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let path = format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("a page");
    let table = text.lines().skip_while(|line| !line.starts_with(heading));
    let rows = table.skip(2).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|').map(str::trim);
        cells.map(str::to_owned).collect()
    };
    rows.map(cells).collect()
}

/// `7.8k to 11.2k`, `313 to 1368 ms`, `7.6 ms, for log space`.
fn range(cell: &str) -> Range {
    let cell = cell.split(',').next().unwrap_or(cell);
    let cell = cell.trim_end_matches(" ms");
    let number = |text: &str| {
        let thousands = text.strip_suffix('k');
        let number: f64 = thousands.unwrap_or(text).parse().expect("a figure");
        if thousands.is_some() {
            (number * 1e3).round()
        } else {
            number
        }
    };
    let (least, most) = cell.split_once(" to ").unwrap_or((cell, cell));
    (number(least), number(most))
}

/// Which point a row is of: threads, the journal in MiB, and how they write.
fn place(row: &[String]) -> Option<(usize, u32, Mode)> {
    let (number, unit) = row[1].split_once(' ').expect("a size");
    let number: u32 = number.parse().expect("a number");
    let journal = if unit == "GiB" { number << 10 } else { number };
    let mode = match row[2].trim_start_matches("dioread_") {
        "nolock" => Mode::Nolock,
        "lock" => Mode::Lock,
        _ => return None,
    };
    Some((row[0].parse().expect("a number"), journal, mode))
}

fn row_of<'a>(rows: &'a [Vec<String>], point: &Point) -> &'a [String] {
    let wanted = (point.threads, point.journal, point.mode);
    let found = rows.iter().find(|row| place(row) == Some(wanted));
    found.unwrap_or_else(|| panic!("no row of {wanted:?}"))
}

fn chapter() -> Vec<Vec<String>> {
    rows("jbd2.md", "| threads | journal | mode |")
}

fn appendix() -> Vec<Vec<String>> {
    rows("appendix/jbd2.md", "| threads | journal | mode |")
}

/// The demand as a page has it, to two digits or three.
fn demand(cell: &str, setup: &Setup) -> bool {
    match cell.parse::<f64>() {
        Ok(number) => (number - setup.demand()).abs() < 0.06,
        Err(_) => cell == "no reservation" && setup.mode == Mode::Lock,
    }
}

#[test]
fn what_was_measured_is_the_same_in_all_places() {
    let (chapter, appendix) = (chapter(), appendix());
    assert_eq!(appendix.len(), points::ALL.len());
    for point in &points::ALL {
        let kernel = point.kernel.expect("it was measured");
        let setup = Setup::new(point.threads, point.journal, point.mode);
        for (rows, rate, start) in [(&chapter, 4, 5), (&appendix, 4, 7)] {
            let row = row_of(rows, point);
            assert_eq!(range(&row[rate]), kernel.rate, "{row:?}");
            assert_eq!(range(&row[start]), kernel.start, "{row:?}");
            assert!(demand(&row[3], &setup), "{row:?}");
        }
        let row = row_of(&appendix, point);
        assert_eq!(row[5].ends_with(" (fitted)"), point.is_fitted, "{row:?}");
    }
}

/// Whether a cell is this figure, to as many digits as it has.
fn is(cell: &str, figure: f64) -> bool {
    let cell = cell.trim_end_matches(" (fitted)").trim_end_matches(" ms");
    let (number, unit) = match cell.strip_suffix('k') {
        Some(thousands) => (thousands, 1e3),
        None => (cell, 1.0),
    };
    let digits = number.split_once('.').map_or(0, |(_, digits)| digits.len());
    number == format!("{:.digits$}", figure / unit)
}

#[test]
fn what_is_simulated_is_what_a_run_gives() {
    let appendix = appendix();
    let is_slow = |point: &Point| point.threads == 2048 && (128..=512).contains(&point.journal);
    for point in &points::ALL {
        let row = row_of(&appendix, point);
        let tally = |policy| {
            let setup = Setup::new(point.threads, point.journal, point.mode);
            simulate(&Setup { policy, ..setup }).expect("it does not stall")
        };
        let same = |of: &Tally, [rate, start, wakes]: [usize; 3]| {
            assert!(is(&row[rate], of.rate()), "{row:?}: {}", of.rate());
            let mean = of.mean_start();
            assert!(is(&row[start], mean), "{row:?}: {mean}");
            let woken = of.wakes_per_grant();
            assert!(is(&row[wakes], woken), "{row:?}: {woken}");
        };
        if point.mode == Mode::Lock {
            same(&tally(Policy::UPSTREAM), [5, 8, 10]);
            assert_eq!([&row[6], &row[9], &row[11]], ["—"; 3]);
            continue;
        }
        if !is_slow(point) {
            same(&tally(Policy::UPSTREAM), [5, 8, 10]);
        }
        same(&tally(Policy::HAND_OVER), [6, 9, 11]);
    }
}

#[test]
fn a_cell_with_another_figure_is_told() {
    for (cell, figure) in [
        ("9613", 9613.2),
        ("16.6k (fitted)", 16624.0),
        ("1.04 ms", 1.0401),
    ] {
        assert!(is(cell, figure), "{cell}");
        assert!(!is(cell, figure * 1.1), "{cell}");
    }
    assert_eq!(range("7.8k to 11.2k"), (7_800.0, 11_200.0));
    assert_eq!(range("0.22 to 0.29 ms"), (0.22, 0.29));
}
