//! `models.toml` as it is written: its tables and keys.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::chosen::ChosenTable;
use super::{Engine, Kind, Lane};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) area: Spanned<AreaTable>,
    #[serde(default)]
    pub(super) table: BTreeMap<String, Spanned<ChosenTable>>,
    #[serde(default)]
    pub(super) size: BTreeMap<String, Size>,
    #[serde(default)]
    pub(super) module: BTreeMap<String, Spanned<ModuleTable>>,
    #[serde(default)]
    pub(super) design: Vec<Spanned<Design>>,
    #[serde(default)]
    pub(super) second: Vec<Spanned<SecondTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AreaTable {
    pub(super) title: String,
    pub(super) seed: String,
    pub(super) swimlanes: Vec<String>,
    #[serde(default)]
    pub(super) style: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) columns: Vec<String>,
    #[serde(default)]
    pub(super) headlines: Vec<String>,
}

/// The constants of a size, and the actions that no model of it can take: the module's, if it says nothing of them.
#[derive(Deserialize)]
pub(super) struct Size {
    pub(super) silent: Option<Vec<String>>,
    #[serde(flatten)]
    pub(super) constants: BTreeMap<String, String>,
}

/// A root module, and what most of its models have in common.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModuleTable {
    pub(super) engine: Option<Engine>,
    pub(super) actions: Option<Vec<String>>,
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(super) forgets: Vec<String>,
    #[serde(default)]
    pub(super) arriving: Vec<String>,
    #[serde(default)]
    pub(super) constants: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) silent: Vec<String>,
    #[serde(default)]
    pub(super) check: BTreeMap<String, Check>,
    pub(super) init: Option<String>,
    pub(super) next: Option<String>,
    pub(super) budget: Option<u64>,
    pub(super) heap: Option<u64>,
}

/// What a row checks that names it. Without formulas it checks the operator of its own name.
#[derive(Deserialize, Clone, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    pub(super) kind: Option<Kind>,
    pub(super) invariants: Option<Vec<String>>,
    pub(super) property: Option<String>,
    pub(super) deadlock: Option<bool>,
    pub(super) symmetry: Option<String>,
    #[serde(default)]
    pub(super) constants: BTreeMap<String, String>,
    pub(super) spec: Option<String>,
    pub(super) probe: Option<String>,
    pub(super) kept: Option<bool>,
}

/// A design, and its rows on one module.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Design {
    pub(super) name: String,
    pub(super) module: String,
    pub(super) stands_for: Option<String>,
    #[serde(default)]
    pub(super) constants: BTreeMap<String, String>,
    pub(super) silent: Option<Vec<String>>,
    pub(super) spec: Option<String>,
    pub(super) cinit: Option<String>,
    pub(super) budget: Option<u64>,
    #[serde(default)]
    pub(super) check: BTreeMap<String, Check>,
    pub(super) models: Vec<Spanned<Row>>,
}

/// One claim: it has exactly one of `holds`, `violates` and `typed`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) name: Option<String>,
    pub(super) size: Option<String>,
    pub(super) holds: Option<Holds>,
    pub(super) violates: Option<String>,
    pub(super) typed: Option<Typed>,
    pub(super) kind: Option<Kind>,
    pub(super) lane: Option<Lane>,
    #[serde(default)]
    pub(super) constants: BTreeMap<String, String>,
    pub(super) spec: Option<String>,
    pub(super) init: Option<String>,
    pub(super) next: Option<String>,
    pub(super) cinit: Option<String>,
    pub(super) length: Option<usize>,
    pub(super) second_of: Option<String>,
    pub(super) invariants: Option<Vec<String>>,
    pub(super) property: Option<String>,
    pub(super) deadlock: Option<bool>,
    pub(super) symmetry: Option<String>,
    pub(super) view: Option<String>,
    pub(super) constraint: Option<String>,
    pub(super) silent: Option<Vec<String>>,
    pub(super) probe: Option<String>,
    pub(super) follows_from: Option<String>,
    pub(super) kept: Option<bool>,
    pub(super) budget: Option<u64>,
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
    pub(super) engine: Engine,
    pub(super) budget: Option<u64>,
    pub(super) models: Vec<String>,
}
