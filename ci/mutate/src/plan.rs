//! In which runs the mutants of a definition are shown to the rows that read it.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::time::Duration;

use interlock_checker::costs::{Costs, estimate};
use interlock_checker::manifest::{Manifest, Model};
use interlock_checker::{plan, tlc};

use crate::operators::Role;
use crate::reach::Area;
use crate::request::Request;
use crate::results::{Fate, Record};

/// A run, and the rows that it asks at once.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    /// At least one.
    pub rows: Vec<&'a Model>,
    /// How TLC is asked, if it is.
    pub how: tlc::Ask,
    /// Of all that decides what the rows say.
    pub digest: String,
}

impl<'a> Ask<'a> {
    /// Those that ask all rows of an area, first those that count a whole graph, and of these the cheapest; with `matrix` each row by
    /// itself.
    pub fn all(manifest: &Manifest, area: &Area<'a>, matrix: bool) -> Vec<Ask<'a>> {
        let costs = Costs::default();
        let jobs = plan::jobs(manifest, &area.all_rows(), |_| false, &costs).into_iter();
        let mut asks: Vec<Ask> = jobs
            .map(|job| {
                let rows = job.members.iter().map(|(_, row)| *row);
                Ask::new(rows.collect(), job.ask, area)
            })
            .collect();
        if matrix {
            let alone = |ask: Ask<'a>| {
                let how = ask.how;
                let rows = ask.rows.into_iter();
                rows.map(move |row| Ask::new(vec![row], how, area))
            };
            asks = asks.into_iter().flat_map(alone).collect();
        }
        asks.sort_by_cached_key(|ask| (ask.is_partial(), ask.cost(), ask.name()));
        asks
    }

    fn new(rows: Vec<&'a Model>, how: tlc::Ask, area: &Area) -> Ask<'a> {
        let digest = area.digest(&rows);
        Ask { rows, how, digest }
    }

    /// CPU time that it may take.
    pub fn budget(&self) -> Duration {
        Duration::from_secs(self.rows.iter().map(|row| row.budget).sum())
    }

    /// CPU time that it takes, as estimated.
    pub fn cost(&self) -> Duration {
        Duration::from_secs_f64(self.rows.iter().map(|row| estimate(row)).sum())
    }

    /// Whether a row counts the whole graph.
    fn counts(&self) -> bool {
        self.rows.iter().any(|row| row.distinct.is_some())
    }

    /// Whether none does.
    pub fn is_partial(&self) -> bool {
        !self.counts()
    }

    /// Of these rows alone, if there is one.
    fn only(&self, wanted: &BTreeSet<&str>, area: &Area) -> Option<Ask<'a>> {
        let rows = self.rows.iter().copied();
        let rows: Vec<&Model> = rows
            .filter(|row| wanted.contains(row.name.as_str()))
            .collect();
        (!rows.is_empty()).then(|| Ask::new(rows, self.how, area))
    }

    /// Of its rows.
    pub fn name(&self) -> String {
        let names: Vec<&str> = self.rows.iter().map(|row| row.name.as_str()).collect();
        names.join(" ")
    }
}

/// The runs that show a definition's mutants to its rows.
#[derive(Debug)]
pub struct Plan<'a> {
    /// In the order in which they are made, as long as none has noticed anything.
    pub asks: Vec<Ask<'a>>,
    /// The rows that count how often they evaluate the definition.
    pub counting: BTreeSet<&'a str>,
}

impl<'a> Plan<'a> {
    /// For the mutants of a definition: of an area's asks those that read it. If they make it weaker, of the rows that this leaves as
    /// they are only the cheapest, which finds that a formula has no value without its guard.
    pub fn of(
        asks: &[Ask<'a>],
        area: &Area<'a>,
        module: &str,
        definition: &str,
        is_weaker: bool,
    ) -> Plan<'a> {
        let mut rows = area.rows(module, definition);
        if is_weaker {
            let blind = area.blind(module, definition);
            let asked = asks.iter().flat_map(|ask| &ask.rows);
            let mut names = asked.map(|row| row.name.as_str());
            let first = names.find(|row| blind.contains(row));
            rows.retain(|row| first == Some(&row.name) || !blind.contains(row.name.as_str()));
        }
        let wanted: BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        // What only checks use changes no count: who expects to see it violated may see it no more.
        let first = match area.role(definition) {
            Role::Property => Ask::is_partial,
            Role::Initial | Role::Behavior | Role::Policy => Ask::counts,
        };
        let asks = asks.iter().filter_map(|ask| ask.only(&wanted, area));
        Plan {
            asks: mixed(asks, first),
            counting: area.counting(module, definition),
        }
    }

    /// What its asks have found, as far as is known.
    pub fn of_known(&self, record: &Record) -> Record {
        record.of(&self.asks.iter().map(|ask| &ask.digest[..]).collect())
    }

    /// Whether nothing else is found by so many runs, or by as many as there are.
    pub fn is_enough(&self, record: &Record, request: &Request) -> bool {
        match record.fate {
            Fate::Refused => true,
            Fate::Killed(_) if !request.matrix => true,
            Fate::Killed(_) | Fate::Survived => is_over(record, request) || self.is_whole(record),
        }
    }

    /// Whether nobody has noticed it in so many runs as were asked for, and others may.
    pub fn is_open(&self, record: &Record, request: &Request) -> bool {
        record.fate == Fate::Survived && is_over(record, request) && !self.is_whole(record)
    }

    fn is_whole(&self, record: &Record) -> bool {
        self.asks.iter().all(|ask| record.has(&ask.digest))
    }
}

/// Whether it was shown in so many runs as were asked for.
fn is_over(record: &Record, request: &Request) -> bool {
    let is_over = |runs: NonZero<usize>| record.runs() >= runs.get();
    request.runs.is_some_and(is_over)
}

/// The asks in an order in which each is of another module, design and size than those before it, as far as there are any, after those
/// that come `first`: what one row does not notice, another that is like it hardly does.
fn mixed<'a>(asks: impl Iterator<Item = Ask<'a>>, first: fn(&Ask<'a>) -> bool) -> Vec<Ask<'a>> {
    let mut left: Vec<Ask> = asks.collect();
    let mut mixed = Vec::new();
    let mut seen: BTreeMap<(u8, &str), usize> = BTreeMap::new();
    let kinds = |ask: &Ask<'a>| {
        let row = ask.rows[0];
        [
            (0, &row.module[..]),
            (1, &row.design[..]),
            (2, &row.size[..]),
        ]
    };
    while !left.is_empty() {
        let like = |ask: &Ask<'a>| -> usize {
            let kinds = kinds(ask).into_iter();
            kinds.filter_map(|kind| seen.get(&kind)).sum()
        };
        let next = (0..left.len()).min_by_key(|at| (!first(&left[*at]), like(&left[*at])));
        let ask = left.remove(next.unwrap_or(0));
        for kind in kinds(&ask) {
            *seen.entry(kind).or_default() += 1;
        }
        mixed.push(ask);
    }
    mixed
}
