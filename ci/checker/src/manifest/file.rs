//! `models.toml` as it is written: its tables and keys. The doc comments are the page `docs/reference/manifest.md`.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::chosen::ChosenTable;
use super::states::StatesTable;
use super::{Encoding, Engine, Kind, Lane};

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// The area itself.
    pub(super) area: Spanned<AreaTable>,
    /// By name, the tables that a chapter shows: `<!-- table:chosen AREA NAME -->`.
    #[serde(default)]
    pub(super) table: BTreeMap<String, Spanned<ChosenTable>>,
    /// The state diagram of the area's chapter.
    pub(super) states: Option<Spanned<StatesTable>>,
    /// By name, who takes part, or what else makes a model large.
    #[serde(default)]
    pub(super) size: BTreeMap<String, Size>,
    /// By name, the root modules that models run on.
    #[serde(default)]
    pub(super) module: BTreeMap<String, Spanned<ModuleTable>>,
    /// The designs, each with its rows.
    #[serde(default)]
    pub(super) design: Vec<Spanned<Design>>,
    /// What other engines decide too.
    #[serde(default)]
    pub(super) second: Vec<Spanned<SecondTable>>,
}

/// The protocol of the folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AreaTable {
    /// One line for tables and headings.
    pub(super) title: String,
    /// The mailing-list thread that it models, by the name of its seed.
    pub(super) seed: String,
    /// The variables that a timeline draws as lanes, one a task.
    pub(super) swimlanes: Vec<String>,
    /// By a value of these variables, how it is drawn: `idle`, `busy`, `wait` or `hold`.
    #[serde(default)]
    pub(super) style: BTreeMap<String, String>,
    /// The columns of the area's table of designs: each a check, and behind it, in this order, `with CONSTANT = VALUE` for each of its
    /// parameters, `under SPEC` where that is not the designs' own specification, and `at SIZE` where it is of one size alone.
    #[serde(default)]
    pub(super) columns: Vec<String>,
    /// The models that are the area's rows in the table of all areas.
    #[serde(default)]
    pub(super) headlines: Vec<String>,
}

/// What a size gives to each model of it.
#[derive(Deserialize)]
pub(super) struct Size {
    /// The actions that no model of this size can take. Default: the module's.
    pub(super) silent: Option<Vec<String>>,
    /// A constant of that name, and its value: `<- Operator` is a substitution.
    #[serde(flatten)]
    pub(super) constants: BTreeMap<String, String>,
}

/// A root module, and what most of its models have in common.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModuleTable {
    /// What decides its models. Default: `tlc`.
    pub(super) engine: Option<Engine>,
    /// Every action of its next-state relation; needed for TLC. Each must fire in every model that does not name it among its `silent` ones.
    pub(super) actions: Option<Vec<String>>,
    /// By check, the constants that it is about and no step depends on, such as the bound that it asks for: with another value it is
    /// another check, and a column says which.
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, Vec<String>>,
    /// Operators that a model may replace to forget a history: it then checks `TypeOK` alone.
    #[serde(default)]
    pub(super) forgets: Vec<String>,
    /// Constants that are sets of tasks of which each may stay away for ever, since no fairness obliges it to arrive.
    #[serde(default)]
    pub(super) arriving: Vec<String>,
    /// Constants of every model, the first of those that are merged.
    #[serde(default)]
    pub(super) constants: BTreeMap<String, String>,
    /// The actions that no model can take whose size says nothing of them.
    #[serde(default)]
    pub(super) silent: Vec<String>,
    /// By name, what a row checks that names it.
    #[serde(default)]
    pub(super) check: BTreeMap<String, Check>,
    /// Of Apalache's, the predicate of the first state. Default: `Init`.
    pub(super) init: Option<String>,
    /// Of Apalache's, the next-state relation. Default: `Next`.
    pub(super) next: Option<String>,
    /// Of Apalache's, how the solver is told. Default: `oopsla19`.
    #[serde(default)]
    pub(super) encoding: Encoding,
    /// Seconds of CPU time for a model of it. Default: [`BUDGET`](super::BUDGET).
    pub(super) budget: Option<u64>,
    /// The largest heap of the JVM, in MiB. Default: [`HEAP`](super::HEAP).
    pub(super) heap: Option<u64>,
}

/// What a row checks that names it. Without formulas it checks the operator of its own name.
#[derive(Deserialize, Clone, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    /// How it is violated. Default: `temporal` of a `property`, `deadlock` of freedom from deadlock, else `invariant`.
    pub(super) kind: Option<Kind>,
    /// State predicates that hold in every state.
    pub(super) invariants: Option<Vec<String>>,
    /// A temporal or an action property.
    pub(super) property: Option<String>,
    /// A state without a successor is a violation. Default: `false`.
    pub(super) deadlock: Option<bool>,
    /// An operator that gives the permutations of which TLC looks at one each; for invariants alone.
    pub(super) symmetry: Option<String>,
    /// Constants, which win over the design's.
    #[serde(default)]
    pub(super) constants: BTreeMap<String, String>,
    /// The specification that is checked. Default: the design's.
    pub(super) spec: Option<String>,
    /// Of what starts from something: the check that shows, by being violated, that it starts at all in a model of the same design and size.
    pub(super) probe: Option<String>,
    /// The graph or counterexample of each row is in `tests/corpus`, and each run is compared with it. Default: `false`.
    pub(super) kept: Option<bool>,
}

/// A design, and its rows on one module.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Design {
    /// Its name, with which the names of its models begin.
    pub(super) name: String,
    /// The module that its models run on.
    pub(super) module: String,
    /// The seed, commit, paper or kernel function that it stands for; needed of the first table of this name. Default: what the first one says.
    pub(super) stands_for: Option<String>,
    /// Constants, which win over the size's.
    #[serde(default)]
    pub(super) constants: BTreeMap<String, String>,
    /// Actions that no row of it can take, beside those of the size.
    pub(super) silent: Option<Vec<String>>,
    /// The specification that is checked. Default: `FairSpec` for a temporal property, `Spec` for all else.
    pub(super) spec: Option<String>,
    /// Of Apalache's, the predicate that says what the constants may be.
    pub(super) cinit: Option<String>,
    /// Seconds of CPU time for a row of it. Default: the module's.
    pub(super) budget: Option<u64>,
    /// By name, what its rows check that name it, instead of the module's check of that name.
    #[serde(default)]
    pub(super) check: BTreeMap<String, Check>,
    /// Its rows.
    pub(super) models: Vec<Spanned<Row>>,
}

/// One claim, which is one model: it has exactly one of `holds`, `violates` and `typed`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    /// What it is called, and the files that it writes. Default: `DESIGN-SIZE-CHECK`; `MODULE-typed` of one of types.
    pub(super) name: Option<String>,
    /// One of the area's sizes; needed, but for Apalache's, which has none.
    pub(super) size: Option<String>,
    /// A check of the design's or the module's, or an invariant; or several invariants.
    pub(super) holds: Option<Holds>,
    /// A check that has a counterexample.
    pub(super) violates: Option<String>,
    /// Apalache finds a type for everything, and is asked for nothing else.
    pub(super) typed: Option<Typed>,
    /// How it is violated. Default: the check's.
    pub(super) kind: Option<Kind>,
    /// The first lane that it runs in. Default: `ci`.
    pub(super) lane: Option<Lane>,
    /// Constants, which win over all others.
    #[serde(default)]
    pub(super) constants: BTreeMap<String, String>,
    /// The specification that is checked. Default: the check's.
    pub(super) spec: Option<String>,
    /// Of Apalache's, the predicate of the first state. Default: the module's.
    pub(super) init: Option<String>,
    /// Of Apalache's, the next-state relation. Default: the module's.
    pub(super) next: Option<String>,
    /// Of Apalache's, the predicate that says what the constants may be. Default: the design's.
    pub(super) cinit: Option<String>,
    /// Of Apalache's, how many steps; needed, but for one of types.
    pub(super) length: Option<usize>,
    /// Of Apalache's, the model of TLC's that a bounded check is a second opinion of, whose verdict it has.
    pub(super) second_of: Option<String>,
    /// State predicates that hold in every state, or of which one is violated. Default: the check's.
    pub(super) invariants: Option<Vec<String>>,
    /// A temporal or an action property. Default: the check's.
    pub(super) property: Option<String>,
    /// A state without a successor is a violation. Default: the check's.
    pub(super) deadlock: Option<bool>,
    /// An operator that gives the permutations of which TLC looks at one each; for invariants alone. Default: the check's.
    pub(super) symmetry: Option<String>,
    /// The operator by whose value TLC tells states apart; refused beside a temporal property.
    pub(super) view: Option<String>,
    /// The operator beyond which TLC does not go on; refused beside a temporal property.
    pub(super) constraint: Option<String>,
    /// Actions that it cannot take, beside those of the size. Default: the design's.
    pub(super) silent: Option<Vec<String>>,
    /// Of what holds and starts from something: the model that shows, by being violated, that it starts at all. Default: the check's.
    pub(super) probe: Option<String>,
    /// Of a row of the lane nightly: the model of an earlier lane whose verdict it has too, without a run of its own. What holds follows
    /// from a larger size, what is violated from a smaller one, where the two differ in tasks of `arriving` alone.
    pub(super) follows_from: Option<String>,
    /// Its graph or counterexample is in `tests/corpus`, and each run is compared with it. Default: the check's.
    pub(super) kept: Option<bool>,
    /// Seconds of CPU time, after which it is ended without a verdict. Default: the design's.
    pub(super) budget: Option<u64>,
    /// The largest heap of the JVM, in MiB. Default: the module's.
    pub(super) heap: Option<u64>,
}

/// What holds: a check by its name, or these invariants.
#[derive(Deserialize)]
#[serde(untagged, expecting = "the name of a check, or a list of invariants")]
pub(super) enum Holds {
    Check(String),
    Invariants(Vec<String>),
}

/// `typed = true`.
#[derive(Deserialize)]
#[serde(try_from = "bool")]
pub(super) struct Typed;

impl TryFrom<bool> for Typed {
    type Error = &'static str;

    fn try_from(typed: bool) -> Result<Self, Self::Error> {
        typed
            .then_some(Self)
            .ok_or("`typed` can only be true: leave it out")
    }
}

/// Models of TLC's that another explicit-state engine decides too.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SecondTable {
    /// That engine, which reads modules as they are.
    pub(super) engine: Engine,
    /// Seconds of CPU time for each. Default: the model's.
    pub(super) budget: Option<u64>,
    /// When they run. Default: the model's.
    pub(super) lane: Option<Lane>,
    /// The models, each once more under its name with the engine's before it.
    pub(super) models: Vec<String>,
}
