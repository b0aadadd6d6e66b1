//! What was measured of range locks, as tables.

use comfy_table::Table;

use super::locks::Which;
use super::{Fight, Results};
use crate::contended::Op;
use crate::report::{Form, duration, rate, ratio, spread, table, worst};

/// The lock that ratios are to, but for what is shared.
const PEER: Which = Which::RangeMutex;
/// The one that shared work is compared with.
const WHOLE: Which = Which::ParkingLot;

/// What range locks cost and get done: titles and tables.
pub fn all(results: &Results, form: Form) -> Vec<(String, Table)> {
    let peer = PEER.name();
    let to_peer = format!("to {peer}");
    let headings = [
        "others held",
        "lock",
        "ns",
        "rounds",
        &to_peer,
        "instructions",
    ];
    let mut costs = table(form, 2, headings);
    for cost in &results.costs {
        let base = results.cost(PEER, cost.held);
        let base = base.map_or(f64::NAN, |base| base.nanos.median);
        let instructions = cost.instructions.map(|count| format!("{count:.0}"));
        costs.add_row([
            cost.held.to_string(),
            cost.which.name(),
            format!("{:.0}", cost.nanos.median),
            spread(&cost.nanos),
            ratio(cost.nanos.median / base),
            instructions.unwrap_or_else(|| "not counted".to_owned()),
        ]);
    }
    let mut disjoint = table(form, 1, ["lock", "calls/s", "rounds", &to_peer]);
    let base = results.disjoint.iter().find(|(which, _)| *which == PEER);
    let base = base.map_or(f64::NAN, |(_, rates)| rates.median);
    for (which, rates) in &results.disjoint {
        disjoint.add_row([
            which.name(),
            rate(rates.median),
            spread(rates),
            ratio(rates.median / base),
        ]);
    }
    let mut tables = vec![
        (
            "Range locks, uncontended: CPU time per lock and unlock for writing, beside ranges that are held".to_owned(),
            costs,
        ),
        (
            "Range locks: 2 threads, disjoint ranges, held for no time".to_owned(),
            disjoint,
        ),
    ];
    for fight in &results.fights {
        let title = format!(
            "Range locks: {} ({} rounds)",
            fight.scenario.what, fight.rounds
        );
        tables.push((title, range_shares(fight, form)));
    }
    tables.push((
        format!("Range locks: threads that read blocks at random, held for no time: calls to those of {}", WHOLE.name()),
        sharing(results, form),
    ));
    tables
}

fn range_shares(fight: &Fight, form: Form) -> Table {
    let to_peer = format!("to {}", PEER.name());
    let headings = [
        "lock",
        "side",
        "grants/s",
        "rounds",
        &to_peer,
        "p50 wait",
        "p99 wait",
        "worst wait",
    ];
    let mut table = table(form, 2, headings);
    for (which, summaries) in &fight.outcomes {
        let parties = fight.scenario.parties.iter().zip(fight.of(PEER));
        for (summary, (party, base)) in summaries.iter().zip(parties) {
            let reads_alone = party.op == Op::Read && !which.has_readers();
            table.add_row([
                which.name(),
                format!(
                    "{}{}",
                    party.name,
                    if reads_alone { ", exclusive" } else { "" }
                ),
                rate(summary.rate),
                spread(&summary.rates),
                ratio(summary.rate / base.rate),
                duration(summary.p50),
                duration(summary.p99),
                worst(summary.worst, fight.scenario.time),
            ]);
        }
    }
    table
}

/// A row a lock, a column a number of threads.
fn sharing(results: &Results, form: Form) -> Table {
    let threads = results
        .shared
        .iter()
        .map(|(threads, _)| format!("{threads} threads"));
    let mut headings = vec!["lock".to_owned()];
    headings.extend(threads);
    let mut table = table(form, 1, headings);
    let locks = results.shared.first().map_or(&[][..], |(_, rates)| rates);
    for (which, _) in locks {
        let mut row = vec![which.name()];
        for (_, rates) in &results.shared {
            let of = |lock| {
                rates
                    .iter()
                    .find(|(which, _)| *which == lock)
                    .map(|(_, rates)| rates)
            };
            let cell = of(*which).zip(of(WHOLE)).map(|(rates, base)| {
                let ratio = ratio(rates.median / base.median);
                format!("{ratio} ({})", rate(rates.median))
            });
            row.push(cell.unwrap_or_default());
        }
        table.add_row(row);
    }
    table
}
