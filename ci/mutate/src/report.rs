//! What became of the mutants: per operator, per module and per row, and how that differs from the lists.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;

use anyhow::Result;
use interlock_checker::manifest::Lane;
use interlock_checker::markdown;

use crate::list::{self, List};
use crate::mutant::Mutant;
use crate::operators::Operator;
use crate::results::{Fate, How, Kill, Record};

/// So many of the rows that kill are shown.
const ROWS: usize = 10;

/// What became of a mutant, and whether it may survive.
#[derive(Debug)]
pub struct Judged {
    record: Record,
    listed: bool,
}

impl Judged {
    /// The records, by the lists of their areas.
    pub fn all<'r>(
        records: impl IntoIterator<Item = &'r Record>,
        lists: &BTreeMap<String, List>,
    ) -> Vec<Judged> {
        let mut judged: Vec<Judged> = records
            .into_iter()
            .map(|record| {
                let list = lists.get(&record.area);
                let listed = list.is_some_and(|list| list.reason(&record.mutant).is_some());
                let record = record.clone();
                Judged { record, listed }
            })
            .collect();
        judged.sort_by(|a, b| {
            let key = |judged: &Judged| (judged.record.area.clone(), judged.record.mutant.clone());
            key(a).cmp(&key(b))
        });
        judged
    }

    fn survives(&self) -> bool {
        self.record.fate == Fate::Survived
    }
}

/// How many mutants of a kind had which fate.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    made: usize,
    by: [usize; 5],
    refused: usize,
    listed: usize,
    unlisted: usize,
}

const HEADINGS: [&str; 10] = [
    "", "made", "shown", "verdict", "count", "coverage", "no value", "no end", "listed", "survived",
];

impl Tally {
    fn add(&mut self, judged: &Judged) {
        match &judged.record.fate {
            Fate::Killed(kills) => {
                if let Some(kill) = kills.first() {
                    self.by[kill.how as usize] += 1;
                }
            }
            Fate::Refused => self.refused += 1,
            Fate::Survived if judged.listed => self.listed += 1,
            Fate::Survived => self.unlisted += 1,
        }
    }

    fn shown(&self) -> usize {
        self.by.iter().sum::<usize>() + self.listed + self.unlisted
    }

    fn cells(&self, name: String) -> Vec<String> {
        let [verdict, count, coverage, evaluation, endless] = self.by;
        let numbers = [
            self.made - self.refused,
            self.shown(),
            verdict,
            count,
            coverage,
            evaluation,
            endless,
            self.listed,
            self.unlisted,
        ];
        let numbers = numbers.iter().map(usize::to_string);
        std::iter::once(name).chain(numbers).collect()
    }
}

/// The rows that were asked.
#[derive(Debug)]
pub struct Rows {
    /// The lane of each, by its name.
    pub lanes: BTreeMap<String, Lane>,
    /// Those that share a run, by the digest of the ask.
    pub runs: BTreeMap<String, Vec<String>>,
}

impl Rows {
    /// Those of which one has noticed. Whose formula has no value or no end, a run that several share does not tell.
    fn noticing<'r>(&'r self, kill: &'r Kill) -> Vec<&'r String> {
        match kill.how {
            How::Verdict | How::Count | How::Coverage => vec![&kill.row],
            How::Evaluation | How::Endless => {
                let run = self.runs.get(&kill.ask).into_iter().flatten();
                run.chain([&kill.row]).collect()
            }
        }
    }
}

/// All that is to be told.
#[derive(Debug)]
pub struct Report {
    operators: BTreeMap<Operator, Tally>,
    modules: BTreeMap<(String, String), Tally>,
    all: Tally,
    judged: Vec<Judged>,
    left: usize,
    matrix: bool,
}

impl Report {
    /// Of those that were `made`, what is known of some. `asked` is how many were to be shown.
    pub fn new(made: &[&Mutant], judged: Vec<Judged>, asked: usize, matrix: bool) -> Report {
        let mut report = Report {
            operators: BTreeMap::new(),
            modules: BTreeMap::new(),
            all: Tally::default(),
            left: asked - judged.len(),
            judged: Vec::new(),
            matrix,
        };
        for mutant in made {
            let identity = &mutant.identity;
            report.all.made += 1;
            report.operators.entry(identity.operator).or_default().made += 1;
            let module = (mutant.area.clone(), identity.module.clone());
            report.modules.entry(module).or_default().made += 1;
        }
        for one in &judged {
            let identity = &one.record.mutant;
            report.all.add(one);
            report
                .operators
                .entry(identity.operator)
                .or_default()
                .add(one);
            let module = (one.record.area.clone(), identity.module.clone());
            report.modules.entry(module).or_default().add(one);
        }
        report.judged = judged;
        report
    }

    /// Whether those that survive are the listed ones.
    pub fn is_as_listed(&self) -> bool {
        self.judged
            .iter()
            .all(|judged| judged.survives() == judged.listed)
    }

    /// For a terminal. So many of those that are left are `open`: some of their rows were not asked.
    ///
    /// # Errors
    ///
    /// When a mutant cannot be written down.
    pub fn text(&self, open: usize) -> Result<String> {
        let mut text = self.tables() + "\n" + &self.rows();
        if self.left > open {
            let left = self.left - open;
            text += &format!("{left} were not shown: the time was over\n");
        }
        if open > 0 {
            text += &format!("{open} are not judged: a row that was not asked may notice them\n");
        }
        let survived = self
            .judged
            .iter()
            .filter(|one| one.survives() && !one.listed);
        for (area, of_area) in by_area(survived) {
            let path = format!("specs/{area}/{}", list::LIST);
            text += &format!(
                "no row notices these (add one that does, or list them in {path} with the reason):\n"
            );
            for judged in of_area {
                text += &list::line(&judged.record.mutant)?;
            }
        }
        let killed = self
            .judged
            .iter()
            .filter(|one| !one.survives() && one.listed);
        for (area, of_area) in by_area(killed) {
            let path = format!("specs/{area}/{}", list::LIST);
            text += &format!("{path} lists these, and a row notices (remove them there):\n");
            for judged in of_area {
                let by = match &judged.record.fate {
                    Fate::Killed(kills) => kills.first().map_or("", |kill| &kill.row),
                    _ => "TLC's parser",
                };
                text += &format!("  {} ({by})\n", judged.record.mutant);
            }
        }
        let Tally {
            listed, unlisted, ..
        } = self.all;
        let killed: usize = self.all.by.iter().sum();
        text +=
            &format!("{killed} killed, {listed} survive with a reason, {unlisted} without one\n");
        Ok(text)
    }

    /// For the documentation; `command` has made it today, with so many `runs` a mutant, of these rows.
    pub fn section(&self, command: &str, runs: Option<NonZero<usize>>, rows: &Rows) -> String {
        let runs = runs.map_or_else(String::new, |runs| format!(", each in {runs} runs at most"));
        let Tally {
            made,
            by,
            listed,
            unlisted,
            ..
        } = self.all;
        let (shown, killed) = (self.all.shown(), by.iter().sum::<usize>());
        let refused = self.all.refused;
        let today = chrono::Utc::now().date_naive();
        format!(
            "`{command}`, on {today}: of {made} mutants {shown} were shown{runs}, and {refused} are no TLA+. {killed} were noticed, {listed} are \
             listed with their reason, and {unlisted} are not explained.\n\n{}\n{}{}",
            self.tables(),
            self.rows(),
            self.needless(rows)
                .map_or_else(String::new, |text| format!("\n{text}"))
        )
    }

    fn tables(&self) -> String {
        let operators = self.operators.iter();
        let operators = operators.map(|(operator, tally)| tally.cells(operator.name().to_owned()));
        let all = std::iter::once(self.all.cells("all".to_owned()));
        let modules = self.modules.iter();
        let modules =
            modules.map(|((area, module), tally)| tally.cells(format!("{area}/{module}")));
        let headings = |first| {
            let mut headings = HEADINGS;
            headings[0] = first;
            headings
        };
        [
            markdown::table(&headings("operator"), 1, operators.chain(all)),
            markdown::table(&headings("module"), 1, modules),
        ]
        .join("\n")
    }

    /// The rows that kill most; where each was asked about every mutant, also those without which as many would be killed.
    fn rows(&self) -> String {
        let mut kills: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for judged in &self.judged {
            let Fate::Killed(by) = &judged.record.fate else {
                continue;
            };
            for kill in by {
                let (all, alone) = kills.entry(&kill.row).or_default();
                *all += 1;
                *alone += usize::from(self.matrix && by.len() == 1);
            }
        }
        let mut most: Vec<_> = kills.iter().collect();
        most.sort_by_key(|(row, kills)| (std::cmp::Reverse(kills.0), **row));
        let rows = most.iter().take(ROWS);
        if !self.matrix {
            let rows = rows.map(|(row, (all, _))| vec![row.to_string(), all.to_string()]);
            return markdown::table(&["the first row to notice", "kills"], 1, rows);
        }
        let rows = rows
            .map(|(row, (all, alone))| vec![row.to_string(), all.to_string(), alone.to_string()]);
        let table = markdown::table(&["row", "kills", "that no other does"], 1, rows);
        let needless: BTreeSet<&str> = kills
            .iter()
            .filter(|(_, (_, alone))| *alone == 0)
            .map(|(row, _)| *row)
            .collect();
        let needless: Vec<&str> = needless.into_iter().collect();
        format!(
            "{table}\nThese {} rows kill nothing that another does not: {}\n",
            needless.len(),
            needless.join(", ")
        )
    }

    /// The rows that were never the first to notice a mutant, by lane, if all mutants were shown: whatever they would notice, one of the
    /// others has noticed.
    fn needless(&self, rows: &Rows) -> Option<String> {
        let kills = self
            .judged
            .iter()
            .filter_map(|one| one.record.kills().first());
        let first: BTreeSet<&String> = kills.flat_map(|kill| rows.noticing(kill)).collect();
        let all = &rows.lanes;
        let mut lanes: BTreeMap<Lane, Vec<&str>> = BTreeMap::new();
        for (name, lane) in all.iter().filter(|(name, _)| !first.contains(name)) {
            lanes.entry(*lane).or_default().push(name);
        }
        let needless = lanes.iter().map(|(lane, rows)| {
            let (lane, count, names) = (lane.name(), rows.len(), rows.join(", "));
            format!("- {lane}, {count}: {names}\n")
        });
        let (all, some) = (all.len(), first.len());
        (self.all.made == self.judged.len()).then(|| {
            format!(
                "<details><summary>Of {all} rows {some} were first to notice one, by themselves or in a run that several share. Without the \
                 others as many are noticed; they are these, by lane.</summary>\n\n{}\n</details>\n",
                needless.collect::<String>()
            )
        })
    }
}

fn by_area<'a>(judged: impl Iterator<Item = &'a Judged>) -> BTreeMap<&'a str, Vec<&'a Judged>> {
    let mut areas: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
    for one in judged {
        areas.entry(&one.record.area).or_default().push(one);
    }
    areas
}

// The tally counts kills in this order.
const _: () = assert!(How::Verdict as usize == 0 && How::Endless as usize == 4);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::Identity;

    fn judged(to: &str, how: How, kills: &[&str]) -> Judged {
        let mutant = Identity {
            module: "Lock".to_owned(),
            definition: "Enter".to_owned(),
            operator: Operator::DropConjunct,
            from: "free".to_owned(),
            to: to.to_owned(),
            nth: 1,
        };
        let kills = kills.iter().map(|row| Kill {
            row: row.to_string(),
            how,
            ask: row.to_string(),
        });
        let record = Record {
            key: to.to_owned(),
            area: "lock".to_owned(),
            mutant,
            fate: Fate::Killed(kills.collect()),
            passed: BTreeSet::new(),
            unread: BTreeSet::new(),
            cpu: 0.0,
        };
        Judged {
            record,
            listed: false,
        }
    }

    /// What is told if of so many mutants these were shown to three rows, of which two share a run.
    fn needless(made: usize, judged: Vec<Judged>) -> Option<String> {
        let lanes = [
            ("first", Lane::Smoke),
            ("idle", Lane::Ci),
            ("late", Lane::Nightly),
        ];
        let lanes = lanes.map(|(row, lane)| (row.to_owned(), lane));
        let run = ["first", "late"].map(str::to_owned).to_vec();
        let rows = Rows {
            lanes: BTreeMap::from(lanes),
            runs: BTreeMap::from([("first".to_owned(), run)]),
        };
        let mut report = Report::new(&[], judged, made, false);
        report.all.made = made;
        report.needless(&rows)
    }

    #[test]
    fn who_is_never_first_is_not_needed() {
        let judged = vec![
            judged("a", How::Verdict, &["first", "late"]),
            judged("b", How::Count, &["first"]),
        ];
        let needless = needless(2, judged).expect("all are shown");
        assert!(needless.contains("Of 3 rows 1 were first"), "{needless}");
        let (_, lanes) = needless.split_once("\n\n").expect("the lanes");
        assert!(
            lanes.starts_with("- ci, 1: idle\n- nightly, 1: late\n"),
            "{lanes}"
        );
    }

    #[test]
    fn who_shares_a_run_without_a_value_may_be_needed() {
        for how in [How::Evaluation, How::Endless] {
            let judged = vec![judged("a", how, &["first"])];
            let needless = needless(1, judged).expect("all are shown");
            assert!(needless.contains("Of 3 rows 2 were first"), "{needless}");
            assert!(!needless.contains("late"), "{needless}");
        }
    }

    #[test]
    fn a_part_does_not_tell_who_is_needed() {
        let judged = vec![judged("a", How::Verdict, &["first"])];
        assert_eq!(needless(2, judged), None);
    }
}
