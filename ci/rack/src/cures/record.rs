//! What the kernels with the cures did, as the last run has written it down: `docs/cures.json`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use interlock_checker::record::{self, Cell};
use serde::{Deserialize, Serialize};

use crate::plan::Fs;
use crate::workload::costs::Cost;
use crate::workload::cuts;
use crate::workload::herd::{Barriers, Measured, Shape};

/// Where it is in a clone.
const RECORD: &str = "docs/cures.json";

/// All of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Record {
    /// By a source's version and a cure's name: `6.12`, `ext4`.
    pub sources: BTreeMap<String, BTreeMap<String, Built>>,
}

/// What a kernel did that was built.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Built {
    /// Its release: `6.12.117`.
    pub release: String,
    /// Of each plan, by its name.
    pub plans: BTreeMap<String, Asked>,
    /// The threads that write and fsync, in short journals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub herds: Vec<Herd>,
    /// Barriers beside most of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barriers: Option<Barriers>,
    /// Losses of power beside a herd.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cuts: Option<Cuts>,
    /// What direct writes cost, of each file system.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub costs: BTreeMap<Fs, Vec<Cost>>,
    /// Of which ways to wake it is a behaviour what those do who reserve credits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spoken: Option<Spoken>,
    /// What programs found, each by its name and variant.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
    /// The plans and programs that could not be run, and [`HERD`], [`COSTS`] and [`SPOKEN`], if they could not be run to their end; and
    /// why.
    pub not_run: BTreeMap<String, String>,
    /// What the kernel complained of when it was last asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub complaints: Vec<String>,
}

/// What threads are called among what was not run.
pub const HERD: &str = "herd";

/// What costs are called there.
pub const COSTS: &str = "costs";

/// What those who reserve credits are called there.
pub const SPOKEN: &str = "spoken";

/// What those did who reserve credits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spoken {
    /// Events of the trace.
    pub events: usize,
    /// Each way to wake of `ReserveWait.tla`: how many of them fit. `None`: all, and it is a behaviour of it.
    pub ways: BTreeMap<String, Option<usize>>,
}

impl Spoken {
    /// The ways of which it is a behaviour.
    pub fn accepted(&self) -> impl Iterator<Item = &str> {
        let ways = self.ways.iter().filter(|(_, fit)| fit.is_none());
        ways.map(|(way, _)| &way[..])
    }
}

/// Threads in a journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Herd {
    /// How many, and how long it is.
    pub shape: Shape,
    /// What they did each time.
    pub runs: Vec<Measured>,
}

/// What was found when power was lost.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Cuts {
    /// All of it.
    pub all: cuts::Measured,
    /// Control: some, where what is acknowledged later is looked for as well.
    pub late: cuts::Measured,
}

/// What came of a plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Asked {
    /// Played as it is.
    pub aimed: Cell,
    /// Played with each write completed at a random time: of a plan that the kernel as it is shipped loses.
    pub unaimed: Option<Unaimed>,
}

/// Of runs in which nothing is held back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unaimed {
    /// How many.
    pub runs: u32,
    /// In how many of them something that was acknowledged is not there.
    pub lost: u32,
}

impl Built {
    /// The threads of this shape, if they were run.
    pub fn herd(&self, shape: Shape) -> Option<&Herd> {
        let mut herds = self.herds.iter();
        herds.find(|herd| herd.shape == shape && !herd.runs.is_empty())
    }

    /// What it did when it was asked again, or something else. Of another release nothing stays.
    pub fn add(&mut self, did: Built) {
        if self.release != did.release {
            *self = did;
            return;
        }
        if !did.herds.is_empty() {
            (self.herds, self.barriers) = (did.herds, did.barriers);
            self.not_run.remove(HERD);
        }
        if !did.costs.is_empty() {
            self.costs.extend(did.costs);
            self.not_run.remove(COSTS);
        }
        if did.spoken.is_some() {
            self.spoken = did.spoken;
            self.not_run.remove(SPOKEN);
        }
        self.cuts = did.cuts.or_else(|| self.cuts.take());
        self.complaints = did.complaints;
        self.plans.retain(|name, _| !did.not_run.contains_key(name));
        self.programs
            .retain(|name, _| !did.not_run.contains_key(name));
        let ran = |name: &String| did.plans.contains_key(name) || did.programs.contains_key(name);
        self.not_run.retain(|name, _| !ran(name));
        for (name, mut asked) in did.plans {
            let before = self.plans.get(&name).and_then(|before| before.unaimed);
            asked.unaimed = asked.unaimed.or(before);
            self.plans.insert(name, asked);
        }
        self.programs.extend(did.programs);
        self.not_run.extend(did.not_run);
    }
}

impl Record {
    /// The one that is there; an empty one, if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn load(root: &Path) -> Result<Record> {
        record::load(&root.join(RECORD))
    }

    /// Writes it down.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn store(&self, root: &Path) -> Result<()> {
        record::store(&root.join(RECORD), self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(did: &str) -> Asked {
        Asked {
            aimed: Cell {
                design: String::new(),
                loses: None,
                did: did.to_owned(),
                says: String::new(),
            },
            unaimed: None,
        }
    }

    fn built(release: &str, plans: &[(&str, &str)], not_run: &[&str]) -> Built {
        Built {
            release: release.to_owned(),
            plans: plans
                .iter()
                .map(|(name, did)| ((*name).to_owned(), asked(did)))
                .collect(),
            not_run: not_run
                .iter()
                .map(|name| ((*name).to_owned(), "why".to_owned()))
                .collect(),
            ..Built::default()
        }
    }

    fn told(built: &Built) -> Vec<String> {
        let plans = built.plans.iter();
        let plans = plans.map(|(name, asked)| format!("{name} {}", asked.aimed.did));
        plans.chain(built.not_run.keys().cloned()).collect()
    }

    #[test]
    fn what_is_asked_again_takes_the_place_of_what_was_said_before() {
        let mut record = built("6.12.1", &[("A", "differs"), ("B", "differs")], &["C", "D"]);
        record.add(built(
            "6.12.1",
            &[("A", "reproduced"), ("C", "differs")],
            &["B"],
        ));
        assert_eq!(told(&record), ["A reproduced", "C differs", "B", "D"]);
        record.add(built("6.12.2", &[("C", "differs")], &[]));
        assert_eq!(told(&record), ["C differs"]);
    }
}
