//! A part of the models, for one of several machines.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::manifest::{Engine, Model};

/// One of several parts. Which models it has follows from the models alone: every machine that has the same manifest, and asks for
/// the same models, has the same parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    of: usize,
}

impl Shard {
    /// Whether what has this number is in this part.
    pub fn has(&self, number: u64) -> bool {
        number % self.of as u64 == self.index as u64 - 1
    }

    /// The models of this part, in their order. Models on one state graph are in one part: they may share what is found about it.
    pub fn part<'a>(&self, models: &[&'a Model]) -> Vec<&'a Model> {
        let mut graphs: BTreeMap<_, Vec<&Model>> = BTreeMap::new();
        for model in models {
            let of_engine = (model.engine, &model.area, &model.module);
            let graph = (of_engine, &model.spec, &model.constants);
            graphs.entry(graph).or_default().push(model);
        }
        let mut graphs: Vec<(u64, Vec<&Model>)> = graphs
            .into_values()
            .map(|models| (models.iter().map(|model| cost(model)).sum(), models))
            .collect();
        // The sort is stable, and the map's order the same everywhere.
        graphs.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
        let mut parts = vec![(0, Vec::new()); self.of];
        for (cost, models) in graphs {
            if let Some(least) = parts.iter_mut().min_by_key(|(cost, _)| *cost) {
                least.0 += cost;
                least.1.extend(models);
            }
        }
        let part = &parts[self.index - 1].1;
        let is_mine = |model: &&Model| part.iter().any(|mine| mine.name == model.name);
        models.iter().copied().filter(is_mine).collect()
    }
}

/// About how long a model takes, in milliseconds of CPU time: what its counts let one expect, since no measured time is the same on
/// two machines.
fn cost(model: &Model) -> u64 {
    let states = model.distinct.unwrap_or_default();
    match (model.engine, &model.property) {
        (Engine::Tlc, None) => 1_500 + states / 40,
        (Engine::Tlc, Some(_)) => 1_500 + states / 6,
        (Engine::TlaChecker, _) => 100 + states / 10,
        (Engine::Apalache, _) => 8_000,
    }
}

/// As `2/3`.
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parsed = || -> Option<Shard> {
            let (index, of) = text.split_once('/')?;
            let shard = Shard {
                index: index.parse().ok()?,
                of: of.parse().ok()?,
            };
            (1..=shard.of).contains(&shard.index).then_some(shard)
        };
        parsed().ok_or_else(|| "a shard is I/N with I from 1 to N, as in 2/3".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_them() {
        for good in ["1/1", "1/7", "7/7"] {
            assert_eq!(
                good.parse::<Shard>().map(|shard| shard.to_string()),
                Ok(good.into())
            );
        }
        for bad in ["", "1", "0/3", "4/3", "0/0", "a/3", "1/b", "-1/3", "1/3/5"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
