//! One model's result.

use std::path::PathBuf;
use std::time::Duration;

use crate::judge;
use crate::manifest::counts::Counts;
use crate::manifest::{Engine, Expect, Lane, Model};

/// How a row ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Verdict, name, counts and coverage are the manifest's.
    AsExpected,
    /// Something of these is not.
    Unexpected,
    /// Its budget was used up.
    Inconclusive,
    /// There is no verdict.
    Error,
    /// Its engine is not here.
    NotRun,
    /// The check ended before it was its turn.
    NotJudged,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 6] = [
        Status::AsExpected,
        Status::Unexpected,
        Status::Inconclusive,
        Status::Error,
        Status::NotRun,
        Status::NotJudged,
    ];

    /// Whether it was judged, and is not as it should be.
    pub fn is_fault(self) -> bool {
        match self {
            Self::Unexpected | Self::Inconclusive | Self::Error => true,
            Self::AsExpected | Self::NotRun | Self::NotJudged => false,
        }
    }
}

/// What kind of claim a row is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// That nothing bad is reachable.
    Safety,
    /// That a property of whole behaviours holds.
    Temporal,
    /// That something is violated.
    Violation,
    /// That everything has a type.
    Types,
}

impl Claim {
    fn of(model: &Model) -> Claim {
        match (&model.expect, &model.property) {
            (Expect::Holds, None) => Self::Safety,
            (Expect::Holds, Some(_)) => Self::Temporal,
            (Expect::Violates { .. }, _) => Self::Violation,
            (Expect::Typed, _) => Self::Types,
        }
    }

    /// Its name, as in `3 safety claims`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safety => "safety",
            Self::Temporal => "temporal",
            Self::Violation => "violation",
            Self::Types => "types",
        }
    }
}

/// One model's result.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Row {
    /// The model's name.
    pub model: String,
    /// Its area.
    pub area: String,
    /// Its design.
    pub design: String,
    /// Its size.
    pub size: String,
    /// The program that decides it.
    pub engine: Engine,
    /// The lane it belongs to.
    pub lane: Lane,
    /// What kind of claim it is.
    pub claim: Claim,
    /// The file that claims it, relative to the directory that `specs` lies in.
    pub file: String,
    /// Its line in `file`.
    pub line: usize,
    /// The seconds of CPU time after which it is killed.
    pub budget: u64,
    /// How it ended.
    pub status: Status,
    /// The verdict that the manifest expects.
    pub expected: String,
    /// The verdict found.
    pub found: String,
    /// Distinct states.
    pub distinct: Option<u64>,
    /// States generated.
    pub total: Option<u64>,
    /// States of the counterexample.
    pub witness: Option<usize>,
    /// Wall time in seconds; its part of a run that models share.
    pub seconds: f64,
    /// CPU time in seconds, the same way.
    pub cpu: f64,
    /// Whether it was judged from what an earlier run found, and its cost is that run's.
    pub evidence: bool,
    /// What is not as expected; none if all is.
    pub sentences: Vec<String>,
    /// The timeline of a counterexample that was not expected.
    pub timeline: Option<String>,
    /// The most memory that the engine had resident, in MiB; 0 if that is not known.
    pub mebibytes: u64,
    /// How many runs it took: a lasso that TLC fails to write down is asked for again.
    pub runs: u32,
    /// The engine and its version.
    pub tool: Option<String>,
    /// What `--bless` writes into the lock.
    #[serde(skip)]
    pub counts: Option<Counts>,
    /// Where the run's files are.
    pub dir: PathBuf,
}

impl Row {
    /// The row of a model that has no verdict yet.
    pub fn new(model: &Model, took: Duration) -> Row {
        Row {
            model: model.name.clone(),
            area: model.area.clone(),
            design: model.design.clone(),
            size: model.size.clone(),
            engine: model.engine,
            lane: model.lane,
            claim: Claim::of(model),
            file: model.file.clone(),
            line: model.line,
            budget: model.budget,
            status: Status::Error,
            expected: judge::expected(&model.expect),
            found: String::new(),
            distinct: None,
            total: None,
            witness: None,
            seconds: took.as_secs_f64(),
            cpu: 0.0,
            evidence: false,
            sentences: Vec::new(),
            timeline: None,
            mebibytes: 0,
            runs: 1,
            tool: None,
            counts: None,
            dir: PathBuf::new(),
        }
    }

    /// The row of a model whose engine is not here.
    pub fn not_run(model: &Model, why: &str) -> Row {
        Row {
            status: Status::NotRun,
            found: "NOT RUN".into(),
            sentences: vec![why.to_owned()],
            ..Row::new(model, Duration::ZERO)
        }
    }

    /// The row of a model whose turn has not come.
    pub fn not_judged(model: &Model) -> Row {
        Row {
            status: Status::NotJudged,
            found: "NOT JUDGED".into(),
            ..Row::new(model, Duration::ZERO)
        }
    }

    /// Adds what is not as expected, if anything is.
    pub fn add_fault(&mut self, fault: Option<String>) {
        if let Some(fault) = fault {
            self.sentences.push(fault);
            if self.status == Status::AsExpected {
                self.status = Status::Unexpected;
            }
        }
    }

    /// What it costs: CPU time in seconds, which other work on the machine does not change; wall time where that alone is known.
    pub fn cost(&self) -> f64 {
        if self.cpu > 0.0 {
            self.cpu
        } else {
            self.seconds
        }
    }

    /// The headings of [`Row::cells`], of which the first [`Row::LEFT`] are text, the others numbers.
    pub(super) const HEAD: [&str; 8] = [
        "model", "expected", "found", "distinct", "total", "witness", "s", "MiB",
    ];
    pub(super) const LEFT: usize = 3;

    pub(super) fn cells(&self) -> [String; 8] {
        let number =
            |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        [
            self.model.clone(),
            self.expected.clone(),
            match (self.status, self.runs) {
                (Status::AsExpected, _) if self.evidence => "as expected, from evidence".into(),
                (Status::AsExpected, 1) => "as expected".into(),
                (Status::AsExpected, runs) => format!("as expected, run {runs}"),
                _ if self.evidence => format!("{}, from evidence", self.found),
                _ => self.found.clone(),
            },
            number(self.distinct),
            number(self.total),
            number(self.witness.map(|states| states as u64)),
            format!("{:.1}", self.seconds),
            number(Some(self.mebibytes).filter(|mebibytes| *mebibytes > 0)),
        ]
    }
}
