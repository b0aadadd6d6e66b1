//! What `interlock mutate` is asked.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use glob::Pattern;
use interlock_checker::manifest::Engine;
use interlock_checker::shard::Shard;

/// Which mutants, and where to write.
#[derive(Debug, Clone)]
pub struct Request {
    /// Those of these areas; of all, if it is empty.
    pub areas: Vec<String>,
    /// Of these, those of the definitions that one of these matches; of all, if it is empty.
    pub definitions: Vec<Pattern>,
    /// Of these, only this part.
    pub shard: Option<Shard>,
    /// Of these, so many.
    pub sample: Option<usize>,
    /// Which ones that are, and in which order they come.
    pub seed: u64,
    /// Start no more mutants after so long.
    pub budget: Option<Duration>,
    /// Ask every row, also when one has noticed.
    pub matrix: bool,
    /// No more runs a mutant, those first whose rows notice most for their time.
    pub runs: Option<NonZero<usize>>,
    /// Whose rows are asked: TLC's about what they read, or Apalache's about what they alone read.
    pub engine: Engine,
    /// Write what is found of whole areas, or of a sample, into the documentation.
    pub keep: bool,
    /// How many mutants run at once.
    pub jobs: NonZero<usize>,
    /// The directory of the specifications and their claims.
    pub specs: PathBuf,
    /// Where results and the models' own files go, in a folder of their own.
    pub out: PathBuf,
}

impl Request {
    /// The command line that asks for the same mutants of these areas, and keeps what is found.
    pub fn command(&self, areas: &[String]) -> String {
        let mut command = vec!["interlock mutate".to_owned()];
        command.extend(areas.iter().cloned());
        if let Some(sample) = self.sample {
            command.push(format!("--sample {sample} --seed {}", self.seed));
        }
        command.extend((self.engine == Engine::Apalache).then(|| "--apalache".to_owned()));
        command.extend(self.runs.map(|runs| format!("--runs {runs}")));
        command.push("--keep".to_owned());
        command.join(" ")
    }
}
