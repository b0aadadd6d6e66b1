//! `specs/manifest.toml`: every model, and the verdict it must have.
//!
//! A [`Group`] holds what its models share; a model's own field wins. Loading flattens the groups into [`Model`]s, so the
//! rest of the runner never sees a group.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// When a model runs: each lane includes the ones before it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Lane {
    /// A few seconds: one model of each kind.
    Smoke,
    /// Every push.
    Ci,
    /// On a schedule: the larger sizes.
    Nightly,
}

/// The program that decides a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// TLC, explicit state.
    Tlc,
}

/// How a property is violated, as TLC reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A state predicate is false in a reachable state.
    Invariant,
    /// A `[][A]_v` is false of a reachable step.
    Action,
    /// A temporal formula is false of a lasso.
    Temporal,
    /// A state without a successor.
    Deadlock,
    /// An `ASSUME` is false.
    Assumption,
}

/// The verdict a model must have.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub enum Expect {
    /// The whole state space satisfies every check of the row.
    Holds,
    /// A counterexample to this property, of this kind.
    Violates {
        /// The violated invariant or property; `Deadlock` for a deadlock.
        property: String,
        /// What kind of counterexample it is.
        kind: Kind,
    },
}

/// A directory of `specs/`: one protocol.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Area {
    /// The directory's name.
    pub name: String,
    /// One line for tables and headings.
    pub title: String,
    /// The mailing-list seed it models.
    pub seed: String,
    /// The variable, a function from tasks, that a timeline draws as one lane a task.
    pub lanes: String,
    /// For each value of `lanes`, how it is drawn: `idle`, `busy`, `wait`, `hold`.
    pub style: BTreeMap<String, String>,
    /// The properties that the area's table of designs shows, one column each.
    pub columns: Vec<String>,
}

/// A root module that models are run on.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Module {
    /// The area whose directory holds it.
    pub area: String,
    /// The module's name, and its file's without `.tla`.
    pub name: String,
    /// Every action of its next-state relation. One that fires in no state must be named `silent` by the model.
    pub actions: Vec<String>,
    /// The operator that replaces `Emit` when the edges are wanted with their arguments; see `edges`.
    pub emit: String,
}

/// One run of one engine, and the verdict it must have.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Model {
    /// Unique in the manifest.
    pub name: String,
    /// The directory of `specs/` it belongs to.
    pub area: String,
    /// The root module.
    pub module: String,
    /// The design, or variant of one, that it is about.
    pub design: String,
    /// The seed, commit or kernel function that the design stands for.
    pub stands_for: String,
    /// The program that decides it.
    pub engine: Engine,
    /// When it runs.
    pub lane: Lane,
    /// The name of the size in the manifest's `[size]` table, e.g. `RRW`.
    pub size: String,
    /// Constants for the cfg, from the size, the group and the row: a value that starts with `<-` is a substitution.
    pub constants: BTreeMap<String, String>,
    /// The operator that is checked as `SPECIFICATION`.
    pub spec: String,
    /// State predicates that must hold in every reachable state.
    pub invariants: Vec<String>,
    /// At most one temporal or action property.
    pub property: Option<String>,
    /// Whether a state without a successor is a violation.
    pub deadlock: bool,
    /// `SYMMETRY`, for invariants only.
    pub symmetry: Option<String>,
    /// `VIEW`; present so that lint can refuse it beside a temporal property.
    pub view: Option<String>,
    /// `CONSTRAINT`; present so that lint can refuse it beside a temporal property.
    pub constraint: Option<String>,
    /// Actions that never fire in this model, and must not.
    pub silent: Vec<String>,
    /// The verdict it must have.
    pub expect: Expect,
    /// For a leads-to that holds: the model that shows its antecedent reachable.
    pub probe: Option<String>,
    /// Distinct states of the whole state graph.
    pub distinct: Option<u64>,
    /// States generated, duplicates included.
    pub total: Option<u64>,
    /// States in the counterexample.
    pub witness: Option<usize>,
    /// Seconds after which it is killed and reported inconclusive.
    pub budget: u64,
    /// The JVM's largest heap in MiB.
    pub heap: u64,
}

/// The whole manifest, flattened.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// Where it was read from.
    pub path: PathBuf,
    /// Protocols, in the manifest's order.
    pub areas: Vec<Area>,
    /// Root modules.
    pub modules: Vec<Module>,
    /// Models, in the manifest's order.
    pub models: Vec<Model>,
}
