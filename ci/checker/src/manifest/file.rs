//! The manifest as it is written: its tables and keys.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};
use toml::Spanned;

use super::{Engine, Expect, Kind, Lane};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default)]
    pub(super) size: BTreeMap<String, Size>,
    #[serde(default)]
    pub(super) area: Vec<Spanned<AreaTable>>,
    #[serde(default)]
    pub(super) module: Vec<Spanned<ModuleTable>>,
    #[serde(default)]
    pub(super) group: Vec<Spanned<Row>>,
    #[serde(default)]
    pub(super) second: Vec<Spanned<SecondTable>>,
}

/// Models of TLC's that another explicit-state engine decides too.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SecondTable {
    pub(super) engine: Engine,
    pub(super) budget: Option<u64>,
    pub(super) models: Vec<String>,
}

/// The constants of a size, and the actions that no model of it can take.
#[derive(Deserialize)]
pub(super) struct Size {
    #[serde(default)]
    pub(super) silent: Vec<String>,
    #[serde(flatten)]
    pub(super) constants: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AreaTable {
    pub(super) name: String,
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModuleTable {
    pub(super) area: String,
    pub(super) name: String,
    pub(super) engine: Option<Engine>,
    pub(super) actions: Option<Vec<String>>,
    pub(super) emit: Option<String>,
}

/// A group, or one of its models: they share every field but `name`, a model's, and `models`, a group's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) name: Option<String>,
    pub(super) models: Option<Vec<Spanned<Row>>>,
    pub(super) area: Option<String>,
    pub(super) module: Option<String>,
    pub(super) design: Option<String>,
    pub(super) stands_for: Option<String>,
    pub(super) engine: Option<Engine>,
    pub(super) lane: Option<Lane>,
    pub(super) size: Option<String>,
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
    pub(super) expect: Option<Expect>,
    pub(super) probe: Option<String>,
    pub(super) distinct: Option<u64>,
    pub(super) total: Option<u64>,
    pub(super) witness: Option<usize>,
    pub(super) budget: Option<u64>,
    pub(super) heap: Option<u64>,
}

impl<'de> Deserialize<'de> for Expect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExpectVisitor)
    }
}

struct ExpectVisitor;

impl<'de> Visitor<'de> for ExpectVisitor {
    type Value = Expect;

    fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(r#""holds", "typed" or { violates = "Property", kind = "temporal" }"#)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Expect, E> {
        match value {
            "holds" => Ok(Expect::Holds),
            "typed" => Ok(Expect::Typed),
            _ => Err(E::invalid_value(de::Unexpected::Str(value), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Expect, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Violates {
            violates: String,
            kind: Kind,
        }
        let Violates {
            violates: property,
            kind,
        } = Violates::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Expect::Violates { property, kind })
    }
}
