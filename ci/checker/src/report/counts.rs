//! How many rows ended how, and how many claims were not checked.

use std::collections::BTreeMap;
use std::fmt;

use super::row::{Claim, Row, Status};
use crate::manifest::Engine;

/// How many rows ended how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// As the manifest says.
    pub as_expected: usize,
    /// Otherwise.
    pub unexpected: usize,
    /// Killed at their budget.
    pub inconclusive: usize,
    /// Without a verdict.
    pub error: usize,
    /// Their engine is not here.
    pub not_run: usize,
    /// The check ended before it was their turn.
    pub not_judged: usize,
}

impl Counts {
    /// Those of these rows.
    pub fn of(rows: &[Row]) -> Counts {
        let count = |status| rows.iter().filter(|row| row.status == status).count();
        Counts {
            as_expected: count(Status::AsExpected),
            unexpected: count(Status::Unexpected),
            inconclusive: count(Status::Inconclusive),
            error: count(Status::Error),
            not_run: count(Status::NotRun),
            not_judged: count(Status::NotJudged),
        }
    }
}

/// `104 as expected, 0 not, 0 inconclusive, 0 errors`, and `, 3 not run` and `, 2 not judged` if there are any.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{} as expected, {} not, {} inconclusive, {} errors",
            self.as_expected, self.unexpected, self.inconclusive, self.error
        )?;
        for (models, what) in [(self.not_run, "not run"), (self.not_judged, "not judged")] {
            if models > 0 {
                write!(f, ", {models} {what}")?;
            }
        }
        Ok(())
    }
}

/// Claims of one engine and kind that were not checked, since the engine is not here or the check ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Unchecked {
    /// The engine.
    pub engine: Engine,
    /// The kind.
    pub claim: Claim,
    /// How many.
    pub claims: usize,
}

impl Unchecked {
    /// Those of these rows, in the engines' order.
    pub fn of(rows: &[Row]) -> Vec<Unchecked> {
        let mut counts: BTreeMap<(Engine, Claim), usize> = BTreeMap::new();
        let unchecked = |row: &&Row| matches!(row.status, Status::NotRun | Status::NotJudged);
        for row in rows.iter().filter(unchecked) {
            *counts.entry((row.engine, row.claim)).or_default() += 1;
        }
        let counts = counts.into_iter();
        counts
            .map(|((engine, claim), claims)| Unchecked {
                engine,
                claim,
                claims,
            })
            .collect()
    }

    /// `NOT CHECKED: 5 of 9 claims (apalache: 3 safety, 2 types)`; `None` if all were.
    pub fn sentence(rows: &[Row]) -> Option<String> {
        let unchecked = Unchecked::of(rows);
        let claims: usize = unchecked.iter().map(|unchecked| unchecked.claims).sum();
        let engines = unchecked.chunk_by(|a, b| a.engine == b.engine);
        let engines = engines.map(|of_engine| {
            let kinds = of_engine
                .iter()
                .map(|kind| format!("{} {}", kind.claims, kind.claim.name()));
            let kinds = kinds.collect::<Vec<_>>().join(", ");
            format!("{}: {kinds}", of_engine[0].engine.name())
        });
        let engines = engines.collect::<Vec<_>>().join("; ");
        (claims > 0).then(|| format!("NOT CHECKED: {claims} of {} claims ({engines})", rows.len()))
    }
}
