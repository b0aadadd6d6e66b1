//! What was measured of reader/writer locks, as tables.

use comfy_table::Table;

use super::list::{self, Kind, LOCKS};
use super::wakeups::WRITERS;
use super::{Fight, Outcome, Results};
use crate::contended::Summary;
use crate::report::{Form, duration, rate, ratio, spread, table, worst};

/// What locks cost, get done and wake: titles and tables.
pub fn all(results: &Results, form: Form) -> Vec<(String, Table)> {
    let mut tables = vec![
        ("The locks".to_owned(), promises(form)),
        (
            "Uncontended, CPU time per lock and unlock".to_owned(),
            costs(results, form),
        ),
    ];
    for fight in results.fights() {
        let title = format!(
            "{}: {} ({} rounds of {})",
            fight.scenario.name,
            fight.scenario.what,
            fight.rounds,
            duration(fight.scenario.time)
        );
        tables.push((title, shares(fight, form)));
    }
    tables.push((
        "Wake-ups a grant: how often a writer slept for each grant, of writers that hold 200 us asleep, without a gap"
            .to_owned(),
        herds(results, form),
    ));
    tables
}

fn promises(form: Form) -> Table {
    let mut table = table(form, 3, ["lock", "order", "waiters"]);
    for known in LOCKS {
        let order = match known.kind {
            Kind::Ours => "fair: nobody takes the lock past a queue",
            Kind::Budget => "fair but for a bounded number past each waiter",
            Kind::Fair | Kind::FairSpinning => "fair, as documented",
            Kind::Unfair => "none that bounds a wait",
        };
        let waiters = if known.kind.spins() { "spin" } else { "sleep" };
        table.add_row([known.name(), order.to_owned(), waiters.to_owned()]);
    }
    table
}

fn costs(results: &Results, form: Form) -> Table {
    let headings = ["lock", "", "ns", "rounds", "ratio", "instructions"];
    let mut table = table(form, 2, headings);
    for cost in &results.costs {
        let base = results.cost(list::base(), cost.op);
        let instructions = cost.instructions.map(|count| format!("{count:.1}"));
        table.add_row([
            cost.which.name(),
            format!("{:?}", cost.op).to_lowercase(),
            format!("{:.2}", cost.nanos.median),
            spread(&cost.nanos),
            ratio(cost.nanos.median / base.nanos.median),
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
        "rounds",
        "ratio",
        "p50 wait",
        "p99 wait",
        "worst wait",
        "rounds",
    ];
    let mut table = table(form, 2, headings);
    let base = fight.outcome(list::base());
    let round = fight.scenario.time;
    for outcome in &fight.outcomes {
        let Outcome {
            which,
            readers,
            writers,
        } = outcome;
        let mut row = |side: &str, summary: &Summary, base: &Summary| {
            table.add_row([
                which.name(),
                side.to_owned(),
                rate(summary.rate),
                spread(&summary.rates),
                ratio(summary.rate / base.rate),
                duration(summary.p50),
                duration(summary.p99),
                worst(summary.worst, round),
                format!(
                    "{}–{}",
                    duration(summary.worst_at_best),
                    duration(summary.worst_ever)
                ),
            ]);
        };
        row("readers", readers, &base.readers);
        row("writers", writers, &base.writers);
    }
    table
}

/// A row a lock, a column a number of writers.
fn herds(results: &Results, form: Form) -> Table {
    let mut headings = vec!["lock".to_owned()];
    headings.extend(WRITERS.map(|writers| format!("{writers} writers")));
    let mut table = table(form, 1, headings);
    for herd in &results.herds {
        let name = match herd.which {
            Some(which) => which.name(),
            None => format!("{}, returns from its futex", list::first(Kind::Ours).name()),
        };
        let cells = herd.woken.iter().map(|woken| {
            format!(
                "{} ({}–{})",
                ratio(woken.median),
                ratio(woken.least),
                ratio(woken.most)
            )
        });
        table.add_row([name].into_iter().chain(cells));
    }
    table
}
