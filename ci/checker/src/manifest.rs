//! `specs/AREA/models.toml`: every model of an area, and the verdict it must have; beside it `models.lock`, what was counted.
//!
//! A row leaves to its check, design, size and module what these share; its own field wins. Loading flattens them into
//! [`Model`]s, so the rest of the runner never sees them.

mod cfg_text;
mod chosen;
pub mod column;
pub mod counts;
mod file;
mod flatten;
mod load;
mod measured;
mod source;
mod states;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interlock_tla::Layout;

pub use chosen::Chosen;
pub(crate) use chosen::{Answer, answer};
use counts::Lock;
pub use states::States;

/// The name of an area's claims, in its folder.
pub const CLAIMS: &str = "models.toml";

/// What kernels did (`interlock kernels`), beside the folder of the specifications.
pub const RECORD: &str = "docs/kernels.json";

/// What declares the tables of the claims and of their lock: their reference is made of it.
pub(crate) const SOURCES: [&str; 5] = [
    include_str!("manifest.rs"),
    include_str!("manifest/file.rs"),
    include_str!("manifest/chosen.rs"),
    include_str!("manifest/counts.rs"),
    include_str!("manifest/states.rs"),
];

/// An area's claims as they are shown, relative to the directory that `specs` lies in.
pub fn claims(area: &str) -> String {
    format!("specs/{area}/{CLAIMS}")
}

/// Seconds of CPU time for a row that states no budget: several times what the most expensive of them uses.
pub const BUDGET: u64 = 240;

/// The largest heap of a JVM, in MiB, for a row that states none.
pub const HEAP: u64 = 1500;

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

impl Lane {
    /// Its name in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Ci => "ci",
            Self::Nightly => "nightly",
        }
    }
}

/// The program that decides a model.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// TLC, explicit state.
    Tlc,
    /// Apalache, symbolic.
    Apalache,
    /// tla-checker, explicit state too, and written by others: a second opinion.
    TlaChecker,
}

impl Engine {
    /// Its name in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tlc => "tlc",
            Self::Apalache => "apalache",
            Self::TlaChecker => "tla-checker",
        }
    }
}

/// What Apalache is asked: whether the invariants are kept by every run of `length` steps of `next` from `init`. With an
/// inductive invariant for `init`, one step says it of every run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Symbolic {
    /// The predicate of the first state.
    pub init: String,
    /// Whether that is the module's own predicate of the first states.
    pub starts: bool,
    /// The next-state relation.
    pub next: String,
    /// The predicate that says what the constants may be.
    pub cinit: Option<String>,
    /// How many steps.
    pub length: usize,
    /// How it is told to the solver.
    pub encoding: Encoding,
}

/// How Apalache tells its solver what a value is. The verdict does not depend on it, the time does.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "camelCase")]
pub enum Encoding {
    /// A function is a set of pairs (Konnov, Kukovec and Tran: TLA+ Model Checking Made Symbolic, OOPSLA 2019).
    #[default]
    Oopsla19,
    /// A function is an array: quicker where functions have functions for values.
    FunArrays,
}

impl Encoding {
    /// Its name in the manifest and on Apalache's command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Oopsla19 => "oopsla19",
            Self::FunArrays => "funArrays",
        }
    }
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

impl Kind {
    /// Its name in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Invariant => "invariant",
            Self::Action => "action",
            Self::Temporal => "temporal",
            Self::Deadlock => "deadlock",
            Self::Assumption => "assumption",
        }
    }
}

/// The verdict a model must have.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub enum Expect {
    /// The whole state space satisfies every check of the row.
    Holds,
    /// Apalache finds a type for everything; nothing else is checked.
    Typed,
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
    /// What a timeline draws as lanes, one a task.
    pub swimlanes: Layout,
    /// The properties that the area's table of designs shows, one column each; of one size only if it says `PROPERTY at SIZE`.
    pub columns: Vec<String>,
    /// The models that say what is most worth to know of it: its rows in the table of all areas.
    pub headlines: Vec<String>,
    /// The tables of its chapter.
    pub tables: Vec<Chosen>,
    /// The state diagram of its chapter.
    pub states: Option<States>,
    /// Its line in the area's claims, from 1.
    pub line: usize,
}

/// A root module that models are run on.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Module {
    /// The area whose directory holds it.
    pub area: String,
    /// The module's name, and its file's without `.tla`.
    pub name: String,
    /// The program that its models are for. Of Apalache's, `actions` are empty.
    pub engine: Engine,
    /// Every action of its next-state relation. One that fires in no state must be named `silent` by the model.
    pub actions: Vec<String>,
    /// The constants that its models have where neither size nor design, check or row gives another value.
    pub constants: BTreeMap<String, String>,
    /// By check, the constants that it is about and no step depends on, such as the bound that it asks for: with another value it is
    /// another check.
    pub parameters: BTreeMap<String, Vec<String>>,
    /// Operators that a model may replace to forget a history: then it checks types alone.
    pub forgets: Vec<String>,
    /// Constants that are sets of tasks of which each may stay away for ever, as if it were not there.
    pub arriving: Vec<String>,
    /// Its line in the area's claims, from 1.
    pub line: usize,
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
    /// The name of the size in the area's `[size]` table, e.g. `RRW`; of Apalache's, what `cinit` is.
    pub size: String,
    /// Constants for the cfg, from the module, the size, the design, the check and the row: a value that starts with `<-` is a
    /// substitution.
    pub constants: BTreeMap<String, String>,
    /// The operator that is checked as `SPECIFICATION`; empty for Apalache, which has `symbolic`.
    pub spec: String,
    /// Of Apalache's rows, but those of types alone: what is asked.
    pub symbolic: Option<Symbolic>,
    /// The model of TLC's that this is a second opinion of: it has the same verdict.
    pub second_of: Option<String>,
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
    /// Actions that never fire in this model, and must not: its size's, and its own or its design's.
    pub silent: Vec<String>,
    /// The verdict it must have.
    pub expect: Expect,
    /// For a leads-to that holds: the model that shows its antecedent reachable.
    pub probe: Option<String>,
    /// Of a nightly model: the one of an earlier lane whose verdict it has too, without a run of its own.
    pub follows_from: Option<String>,
    /// Whether its graph or counterexample is kept in `tests/corpus`, and each run compared with it.
    pub kept: bool,
    /// Distinct states of the whole state graph.
    pub distinct: Option<u64>,
    /// States generated, duplicates included.
    pub total: Option<u64>,
    /// States in the counterexample.
    pub witness: Option<usize>,
    /// Seconds of CPU time after which it is killed and reported inconclusive.
    pub budget: u64,
    /// The JVM's largest heap in MiB; Apalache's solver is outside of it.
    pub heap: u64,
    /// The file that claims it, relative to the directory that `specs` lies in.
    pub file: String,
    /// Its line in `file`, from 1.
    pub line: usize,
}

/// The claims of every area, flattened.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The `specs` directory, which has a folder an area: absolute, without symbolic links.
    pub specs: PathBuf,
    /// By area and name, the constants that a size gives.
    pub sizes: BTreeMap<(String, String), BTreeMap<String, String>>,
    /// Protocols, in the order of their names.
    pub areas: Vec<Area>,
    /// Root modules.
    pub modules: Vec<Module>,
    /// Models: area by area, each in its file's order.
    pub models: Vec<Model>,
    /// What each area's lock says, of models that are there no more too.
    pub locks: BTreeMap<String, Lock>,
    /// Of each area and design, the releases of kernels on which it was measured, as [`RECORD`] has them.
    pub measured: BTreeMap<(String, String), Vec<String>>,
}

impl Manifest {
    /// Reads and checks the areas of the directory `specs`, which must have that name.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, is not TOML, has an unknown or lacks a needed key, names something twice, or names a module, size
    /// or module file that does not exist. The message gives file, line and column, and the cure.
    pub fn load(specs: &Path) -> anyhow::Result<Self> {
        load::load(specs)
    }

    /// What the model's design stands for, and on which kernels that was measured.
    pub fn stands_for(&self, model: &Model) -> String {
        let key = (model.area.clone(), model.design.clone());
        match self.measured.get(&key) {
            Some(releases) => format!("{}; measured: {}", model.stands_for, releases.join(", ")),
            None => model.stands_for.clone(),
        }
    }

    /// Every area's name, for a message.
    pub fn area_names(&self) -> String {
        let names = self.areas.iter().map(|area| area.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    }

    /// The directory that `specs` lies in: what files are shown relative to.
    pub fn base(&self) -> &Path {
        self.specs.parent().unwrap_or(Path::new(""))
    }

    /// The area with this name.
    pub fn area(&self, name: &str) -> Option<&Area> {
        self.areas.iter().find(|area| area.name == name)
    }

    /// The root module that `model` runs on.
    ///
    /// # Panics
    ///
    /// When `model` is of another manifest: loading refuses a model without its module.
    pub fn module(&self, model: &Model) -> &Module {
        self.modules
            .iter()
            .find(|module| module.area == model.area && module.name == model.module)
            .expect("the model is of this manifest")
    }

    /// The value that a model has of a constant because of its size, or because of its module where the size says nothing.
    ///
    /// # Panics
    ///
    /// As [`Manifest::module`].
    pub fn usual_value(&self, model: &Model, constant: &str) -> Option<&str> {
        let size = self.sizes.get(&(model.area.clone(), model.size.clone()));
        let of_size = size.and_then(|size| size.get(constant));
        let value = of_size.or_else(|| self.module(model).constants.get(constant));
        value.map(String::as_str)
    }

    /// How many tasks a size of an area has: the members of the sets, `{r1, r2}`, that its constants are.
    pub fn tasks(&self, area: &str, size: &str) -> usize {
        let members = |value: &String| {
            let set = value
                .trim()
                .strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'));
            set.map_or(0, |set| {
                set.split(',')
                    .filter(|member| !member.trim().is_empty())
                    .count()
            })
        };
        self.sizes
            .get(&(area.to_owned(), size.to_owned()))
            .map_or(0, |constants| constants.values().map(members).sum())
    }

    /// The model with this name.
    pub fn model(&self, name: &str) -> Option<&Model> {
        self.models.iter().find(|model| model.name == name)
    }
}

impl Module {
    /// The parameters of a check, with the model's values.
    pub fn asked_with<'a>(&'a self, model: &'a Model, check: &str) -> Vec<(&'a str, &'a str)> {
        let parameters = self.parameters.get(check).into_iter().flatten();
        let given = parameters.filter_map(|name| model.constants.get_key_value(name));
        given
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }
}

impl Model {
    /// What it checks, by name: its invariants, its property, and `Deadlock`.
    pub fn checks(&self) -> impl Iterator<Item = &str> {
        let named = self
            .invariants
            .iter()
            .chain(&self.property)
            .map(String::as_str);
        named.chain(self.deadlock.then_some("Deadlock"))
    }

    /// Whether a run as expected counts the whole state graph.
    pub fn counts_graph(&self) -> bool {
        let temporal = matches!(
            self.expect,
            Expect::Violates {
                kind: Kind::Temporal,
                ..
            }
        );
        self.engine != Engine::Apalache && (self.expect == Expect::Holds || temporal)
    }

    /// Whether a run as expected has a counterexample whose states are counted.
    pub fn counts_trace(&self) -> bool {
        matches!(&self.expect, Expect::Violates { kind, .. } if *kind != Kind::Assumption)
    }
}
