//! What was measured, as tables for a terminal or for Markdown.

use std::fmt::Write as _;
use std::thread;
use std::time::Duration;

use comfy_table::{Cell, CellAlignment, Table, presets};

use crate::contended::{Outcome, Scenario, Summary};
use crate::direct::{self, Case, Writes};
use crate::goals;
use crate::journal;
use crate::latency::Stretches;
use crate::locks::{Op, Which};
use crate::ranges;
use crate::stats::Spread;
use crate::uncontended::Cost;

/// Everything that a run measured.
pub struct Results {
    /// The rounds were too short to judge the goals by.
    pub quick: bool,
    /// The load averages before and after.
    pub load: (String, String),
    /// The compiler's version.
    pub compiler: String,
    /// What the locks cost when nobody fights.
    pub costs: Vec<Cost>,
    /// Short holds.
    pub mixed: Vec<Fight>,
    /// Holds that starve.
    pub starving: Vec<Fight>,
    /// Direct writes, one a case.
    pub direct: Vec<Writes>,
    /// The journal.
    pub journal: journal::Results,
    /// A loop over pages.
    pub latency: Vec<Stretches>,
    /// Range locks.
    pub ranges: ranges::Results,
}

/// A scenario and its outcome for each lock.
pub struct Fight {
    /// What was fought for, and how.
    pub scenario: Scenario,
    /// How many rounds the medians are of.
    pub rounds: usize,
    /// One a lock.
    pub outcomes: Vec<Outcome>,
}

impl Results {
    /// What an uncontended lock and unlock costs.
    pub fn cost(&self, which: Which, op: Op) -> &Cost {
        let found = self
            .costs
            .iter()
            .find(|cost| cost.which == which && cost.op == op);
        found.expect("every lock is measured both ways")
    }
}

impl Fight {
    /// What the lock got.
    pub fn outcome(&self, which: Which) -> &Outcome {
        let found = self.outcomes.iter().find(|outcome| outcome.which == which);
        found.expect("every lock is fought for")
    }
}

/// The form of a table.
#[derive(Clone, Copy)]
pub enum Form {
    /// For a terminal.
    Text,
    /// For a Markdown file.
    Markdown,
}

/// The whole report.
pub fn render(results: &Results, form: Form) -> String {
    let mut out = String::new();
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let _ = writeln!(
        out,
        "{} processors, rustc and std {}, load before {} and after {}.\n\
         Medians of rounds, all locks in turn in each; ratios are to {}.",
        processors,
        results.compiler,
        results.load.0,
        results.load.1,
        BASE.name(),
    );
    section(
        &mut out,
        form,
        "Uncontended, CPU time per lock and unlock",
        &costs(results, form),
    );
    for fight in results.mixed.iter().chain(&results.starving) {
        let title = format!(
            "{}: {} ({} rounds)",
            fight.scenario.name, fight.scenario.what, fight.rounds
        );
        section(&mut out, form, &title, &shares(fight, form));
    }
    section(
        &mut out,
        form,
        &direct_title(),
        &direct(&results.direct, form),
    );
    for (title, table) in of_journal(&results.journal, form) {
        section(&mut out, form, title, &table);
    }
    section(&mut out, form, LATENCY, &latency(&results.latency, form));
    for (title, table) in ranges::tables::all(&results.ranges, form) {
        section(&mut out, form, &title, &table);
    }
    let title = goals_title(results.quick);
    section(
        &mut out,
        form,
        title,
        &goals::table(&goals::all(results), form),
    );
    out
}

/// The title of the goals' table.
pub fn goals_title(quick: bool) -> &'static str {
    match quick {
        true => "Goals (a quick run is too short to judge them)",
        false => "Goals",
    }
}

/// The lock that ratios are to.
const BASE: Which = Which::ParkingLot;

fn section(out: &mut String, form: Form, title: &str, table: &Table) {
    let mark = match form {
        Form::Text => "",
        Form::Markdown => "### ",
    };
    let _ = write!(out, "\n{mark}{title}\n");
    if matches!(form, Form::Markdown) {
        out.push('\n');
    }
    let _ = writeln!(out, "{table}");
}

/// An empty table, its first `left` columns aligned to the left and the others to the right.
pub fn table<H: Into<Cell>>(
    form: Form,
    left: usize,
    headings: impl IntoIterator<Item = H>,
) -> Table {
    let mut table = Table::new();
    table.load_style(match form {
        Form::Text => presets::UTF8_BORDERS_ONLY,
        Form::Markdown => presets::ASCII_MARKDOWN,
    });
    table.set_header(headings.into_iter().map(Into::<Cell>::into));
    for column in table.column_iter_mut().skip(left) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn costs(results: &Results, form: Form) -> Table {
    let headings = ["lock", "", "ns", "ratio", "instructions"];
    let mut table = table(form, 2, headings);
    for cost in &results.costs {
        let instructions = cost.instructions.map(|count| format!("{count:.1}"));
        table.add_row([
            cost.which.name(),
            format!("{:?}", cost.op).to_lowercase(),
            format!("{:.2}", cost.nanos),
            format!("{:.2}", cost.nanos / results.cost(BASE, cost.op).nanos),
            instructions.unwrap_or_else(|| "not counted".to_owned()),
        ]);
    }
    table
}

fn shares(fight: &Fight, form: Form) -> Table {
    let headings = [
        "lock",
        "side",
        "grants/s",
        "ratio",
        "p50 wait",
        "p99 wait",
        "worst wait",
        "worst of all rounds",
    ];
    let mut table = table(form, 2, headings);
    let base = fight.outcome(BASE);
    for outcome in &fight.outcomes {
        let mut row = |side: &str, summary: &Summary, base: &Summary| {
            table.add_row([
                outcome.which.name(),
                side.to_owned(),
                rate(summary.rate),
                ratio(summary.rate / base.rate),
                duration(summary.p50),
                duration(summary.p99),
                duration(summary.worst),
                duration(summary.worst_ever),
            ]);
        };
        row("readers", &outcome.readers, &base.readers);
        row("writers", &outcome.writers, &base.writers);
    }
    table
}

fn direct_title() -> String {
    format!(
        "Direct writes of 2 KiB to blocks of 4 KiB, 256 in flight, a device that takes {} for an I/O",
        duration(direct::LATENCY)
    )
}

/// What direct writes got under the shared lock, beside the cases that need the exclusive one.
pub fn direct(writes: &[Writes], form: Form) -> Table {
    let headings = [
        "design, blocks",
        "writes/s",
        "shared to this",
        "on a kernel",
    ];
    let mut table = table(form, 1, headings);
    let shared = writes.iter().find(|writes| writes.case == Case::Shared);
    for writes in writes {
        table.add_row([
            writes.case.name().to_owned(),
            rate(writes.rate),
            shared.map_or_else(String::new, |shared| ratio(shared.rate / writes.rate)),
            writes.case.on_a_kernel().to_owned(),
        ]);
    }
    table
}

/// What the journal got done: titles and tables.
pub fn of_journal(results: &journal::Results, form: Form) -> [(&'static str, Table); 4] {
    let mut handles = table(form, 1, ["device", "threads", "handles/s", "to 1 thread"]);
    for measured in &results.handles {
        let mut same = results
            .handles
            .iter()
            .filter(|other| other.on == measured.on);
        let one = same.find(|other| other.threads == 1);
        handles.add_row([
            measured.on.to_owned(),
            measured.threads.to_string(),
            rate(measured.rate),
            one.map_or_else(String::new, |one| ratio(measured.rate / one.rate)),
        ]);
    }
    let mut commits = table(form, 1, ["device", "median", "99 %", "worst"]);
    for (on, waits) in &results.commits {
        commits.add_row([
            (*on).to_owned(),
            duration(waits.percentile(0.5)),
            duration(waits.percentile(0.99)),
            duration(waits.worst()),
        ]);
    }
    let mut reserving = table(form, 1, ["discipline", "writes/s", "to wake-all"]);
    let [hand_over, wake_all] = results.reserving;
    for (name, writers) in [("hand-over", hand_over), ("wake-all", wake_all)] {
        let row = [name.to_owned(), rate(writers), ratio(writers / wake_all)];
        reserving.add_row(row);
    }
    let mut recovery = table(form, 1, ["log", "MiB/s"]);
    let of = &results.recovery;
    recovery.add_row([format!("{} MiB", of.mebibytes), rate(of.rate)]);
    [
        (
            "Journal: handles that dirty 3 blocks of 4 KiB, a log of 64 MiB",
            handles,
        ),
        (
            "Journal: one small transaction, from force_commit to its return",
            commits,
        ),
        (
            "Journal: 64 threads reserve for I/O of 100 us, half of a transaction holds two",
            reserving,
        ),
        ("Journal: recovery of a full log in memory", recovery),
    ]
}

/// The title of that table.
pub const LATENCY: &str = "A loop that copies pages of 4 KiB: time between two yield points";

/// How long a loop over pages keeps the processor, beside the loop that never yields.
pub fn latency(measured: &[Stretches], form: Form) -> Table {
    let headings = [
        "pages",
        "pieces",
        "99 %",
        "longest",
        "median, whole to this",
    ];
    let mut table = table(form, 2, headings);
    for stretches in measured {
        let whole = measured.iter().find(|whole| whole.pages == stretches.pages);
        let median = |of: &Stretches| of.waits.percentile(0.5).as_secs_f64();
        let longer = whole.map(|whole| median(whole) / median(stretches));
        table.add_row([
            stretches.pages.to_string(),
            stretches.name.to_owned(),
            duration(stretches.waits.percentile(0.99)),
            duration(stretches.waits.worst()),
            longer.map_or_else(String::new, ratio),
        ]);
    }
    table
}

/// The rounds' least and most, to their median.
pub fn spread(of: &Spread) -> String {
    let to_median = |value: f64| ratio(value / of.median);
    format!("{}–{}", to_median(of.least), to_median(of.most))
}

/// A ratio, with as many decimals as say something.
pub fn ratio(ratio: f64) -> String {
    if !ratio.is_finite() {
        "—".to_owned()
    } else if ratio < 10.0 {
        format!("{ratio:.2}")
    } else {
        format!("{ratio:.0}")
    }
}

/// A number a second.
pub fn rate(rate: f64) -> String {
    match rate {
        rate if rate >= 1e6 => format!("{:.2} M", rate / 1e6),
        rate if rate >= 1e4 => format!("{:.0} k", rate / 1e3),
        rate if rate >= 10.0 => format!("{rate:.0}"),
        rate => format!("{rate:.1}"),
    }
}

/// A duration in the largest unit of which it is at least one, with three digits or fewer.
pub fn duration(duration: Duration) -> String {
    let nanos = duration.as_nanos() as f64;
    let (value, unit) = match nanos {
        n if n >= 1e9 => (n / 1e9, "s"),
        n if n >= 1e6 => (n / 1e6, "ms"),
        n if n >= 1e3 => (n / 1e3, "us"),
        n => (n, "ns"),
    };
    if value < 10.0 && unit != "ns" {
        format!("{value:.1} {unit}")
    } else {
        format!("{value:.0} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit_of_which_they_are_at_least_one() {
        let said = |nanos| duration(Duration::from_nanos(nanos));
        assert_eq!(said(0), "0 ns");
        assert_eq!(said(999), "999 ns");
        assert_eq!(said(1_200), "1.2 us");
        assert_eq!(said(45_600_000), "46 ms");
        assert_eq!(said(2_500_000_000), "2.5 s");
    }
}
