//! What was simulated, as tables beside what was measured.

use comfy_table::{CellAlignment, Table, presets};

use super::goals::{self, Goal};
use super::points::{self, Kernel, Point, Range};
use super::setup::{Mode, Setup};
use super::tally::{Site, Tally};
use super::{Cure, Run};

/// The form of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For a terminal.
    Text,
    /// For a Markdown file.
    Markdown,
}

/// The whole report.
pub fn render(runs: &[Run], form: Form) -> String {
    let goals = goals::goals(runs);
    let mut parts = vec![
        "Simulated in virtual time on the journal's state machine, beside the measured kernel and the report of 2022:"
            .to_owned(),
        rates(runs, form).to_string(),
        "What stood in the way, of a writer's start of a handle and of all its waiting:".to_owned(),
        waits(runs, form).to_string(),
    ];
    if runs.iter().any(|run| run.point == points::ALL[0]) {
        parts.push(points::TRACED.to_owned());
    }
    if !goals.is_empty() {
        parts.push("The goals of the hand-over:".to_owned());
        parts.push(verdicts(&goals, form).to_string());
        parts.extend(goals.into_iter().filter_map(|goal| goal.reason));
    }
    let blank = format!("{}\n", parts.join("\n\n"));
    match form {
        Form::Markdown => blank,
        Form::Text => blank.replace(":\n\n", ":\n"),
    }
}

fn rates(runs: &[Run], form: Form) -> Table {
    let headings = [
        "threads",
        "MiB",
        "mode",
        "demand",
        "wakes",
        "writes/s",
        "kernel",
        "off",
        "2022",
        "start, ms",
        "kernel",
        "off",
        "2022",
    ];
    let mut table = table(form, 5, &headings);
    for run in runs {
        let Point { kernel, seed, .. } = run.point;
        // What was measured is today's journal.
        let today = |kernel: Option<Kernel>| kernel.filter(|_| run.cure == Cure::WakeAll);
        let (kernel, seed) = (today(kernel), today(seed));
        let columns = |of: fn(Kernel) -> Range, simulated: f64, form: fn(f64) -> String| {
            let range = |kernel: Kernel| interval(of(kernel), form);
            let off = kernel.map(|kernel| match run.point.is_fitted {
                true if of(kernel) == kernel.rate => "fitted".to_owned(),
                _ => off(simulated, of(kernel)),
            });
            [
                form(simulated),
                kernel.map(range).unwrap_or_default(),
                off.unwrap_or_default(),
                seed.map(range).unwrap_or_default(),
            ]
        };
        let tally = &run.tally;
        let mut cells = who(run);
        cells.insert(3, demand(&run.setup));
        cells.extend(columns(|kernel| kernel.rate, tally.rate(), whole));
        cells.extend(columns(|kernel| kernel.start, tally.mean_start(), short));
        table.add_row(cells);
    }
    table
}

fn waits(runs: &[Run], form: Form) -> Table {
    let mut headings = vec![
        "threads",
        "MiB",
        "mode",
        "wakes",
        "tries/start",
        "wake-ups/start",
        "by failures",
        "most",
        "test 1",
        "test 2",
        "test 3",
        "test 4",
    ];
    headings.extend(Site::ALL.map(Site::name));
    let mut table = table(form, 4, &headings);
    for run in runs {
        let tally = &run.tally;
        let mut cells = who(run);
        cells.push(short(tally.tries_per_grant()));
        cells.push(short(tally.wakes_per_grant()));
        cells.push(short(tally.stirred_per_grant()));
        cells.push(tally.most_woken.to_string());
        cells.extend(failures(tally).map(percent));
        cells.extend(Site::ALL.map(|site| percent(tally.share(site))));
        table.add_row(cells);
    }
    table
}

fn verdicts(goals: &[Goal], form: Form) -> Table {
    let mut table = table(form, 1, &["goal", "wanted", "simulated", ""]);
    for goal in goals {
        table.add_row([
            goal.what.clone(),
            format!("≤ {}", short(goal.limit)),
            format!("{:.2}", goal.simulated),
            (if goal.is_met() { "met" } else { "MISSED" }).to_owned(),
        ]);
    }
    table
}

fn who(run: &Run) -> Vec<String> {
    let (mode, cure) = match run.setup.mode {
        Mode::Lock => ("lock", "—"),
        Mode::Nolock => ("nolock", run.cure.name()),
    };
    vec![
        run.setup.threads.to_string(),
        run.setup.journal.to_string(),
        mode.to_owned(),
        cure.to_owned(),
    ]
}

fn demand(setup: &Setup) -> String {
    match setup.mode {
        Mode::Lock => "—".to_owned(),
        Mode::Nolock => format!("{:.2}", setup.demand()),
    }
}

/// Of the tries, those that each test failed.
fn failures(tally: &Tally) -> [f64; 4] {
    let tries = tally.tries.max(1) as f64;
    tally.failed.map(|failed| failed as f64 / tries)
}

/// How far a simulated figure is from a measured range.
fn off(simulated: f64, (low, high): Range) -> String {
    if simulated < low {
        format!("x{}", short(simulated / low))
    } else if simulated > high {
        format!("x{}", short(simulated / high))
    } else {
        "within".to_owned()
    }
}

fn interval((low, high): Range, form: fn(f64) -> String) -> String {
    if low == high {
        form(low)
    } else {
        format!("{}..{}", form(low), form(high))
    }
}

fn whole(number: f64) -> String {
    format!("{number:.0}")
}

/// Two or three digits.
fn short(number: f64) -> String {
    let digits = match number.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 || size == 0.0 => 2,
        _ => 3,
    };
    let text = format!("{number:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn percent(part: f64) -> String {
    format!("{:.0} %", part * 100.0)
}

/// A table whose columns but the first `left` are numbers.
fn table(form: Form, left: usize, headings: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(match form {
        Form::Text => presets::UTF8_HORIZONTAL_ONLY,
        Form::Markdown => presets::ASCII_MARKDOWN,
    });
    table.set_header(headings);
    for column in table.column_iter_mut().skip(left) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_as_far_off_as_from_the_nearer_end() {
        let range = (10.0, 20.0);
        assert_eq!(off(15.0, range), "within");
        assert_eq!(off(5.0, range), "x0.5");
        assert_eq!(off(60.0, range), "x3");
    }

    #[test]
    fn figures_are_short() {
        let texts = [0.0, 0.25, 0.0012, 4.0, 12.34, 1234.5].map(short);
        assert_eq!(texts, ["0", "0.25", "0.001", "4", "12.3", "1234"]);
    }
}
