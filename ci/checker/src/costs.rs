//! What models cost, in CPU seconds: as measured when they last ran, or by an estimate from the size of their state graph.
//!
//! It decides the order in which models run and how the JVM compiles, never what is found.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::manifest::{Engine, Expect, Kind, Model};
use crate::whole::write_whole;

/// The name of the file in the folder of the reports.
const FILE: &str = "costs.json";

/// CPU seconds by model.
#[derive(Debug, Clone, Default)]
pub struct Costs {
    path: PathBuf,
    measured: BTreeMap<String, f64>,
}

impl Costs {
    /// Those that are kept in `out`; none if there is no such file, or it is damaged.
    pub fn read(out: &Path) -> Costs {
        let path = out.join(FILE);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        Costs {
            measured: serde_json::from_str(&text).unwrap_or_default(),
            path,
        }
    }

    /// What `model` costs: measured, or estimated.
    pub fn of(&self, model: &Model) -> f64 {
        let measured = self.measured.get(&model.name);
        measured.copied().unwrap_or_else(|| estimate(model))
    }

    /// A run of `model` has cost so much.
    pub fn measured(&mut self, model: &str, seconds: f64) {
        self.measured.insert(model.to_owned(), seconds);
    }

    /// Writes the file anew. What cannot be written is estimated the next time.
    pub fn write(&self) {
        let (Some(dir), Ok(text)) = (
            self.path.parent(),
            serde_json::to_string_pretty(&self.measured),
        ) else {
            return;
        };
        drop(write_whole(dir, FILE, &(text + "\n")));
    }
}

/// CPU seconds of a model that was never measured here (fitted to JDK 17 on one machine: only the order matters). A run is mostly
/// the start of its JVM, and then its states; those of a temporal property cost more, since fairness is evaluated on each step.
pub fn estimate(model: &Model) -> f64 {
    match (model.engine, &model.expect) {
        (Engine::Apalache, Expect::Typed) => 5.0,
        (Engine::Apalache, _) => 15.0,
        (engine, expect) => {
            let start = if engine == Engine::Tlc { 0.8 } else { 0.1 };
            let lasso = matches!(
                expect,
                Expect::Violates {
                    kind: Kind::Temporal,
                    ..
                }
            );
            let each = if lasso || model.property.is_some() {
                0.5e-3
            } else {
                0.07e-3
            };
            // Where no count is pinned TLC ends at the first bad state.
            let generated = model.total.unwrap_or(2_000);
            start + each * generated as f64
        }
    }
}
