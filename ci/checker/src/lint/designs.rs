//! A cell of a table has one meaning: one property, under one specification, of the design's own constants.
//!
//! Constants are a design's own but for those that the module or the size gives; those that are `parameters` of a check, such as the bound that it
//! asks for, which make it another check; and those that no step depends on.

use std::collections::{BTreeMap, BTreeSet};

use super::Lint;
use crate::cfg;
use crate::manifest::column::Column;
use crate::manifest::{Engine, Expect, Manifest, Model, Module, claims};

pub(super) fn check(lint: &mut Lint) {
    one_module(lint);
    for rows in designs(lint.manifest).into_values() {
        own_constants(lint, &rows);
        for live in [false, true] {
            one_spec(lint, &rows, live);
        }
    }
    verdicts(lint);
    columns(lint);
    parameters(lint);
}

/// The models of TLC's that the tables of designs are made of: by area, design and module.
fn designs(manifest: &Manifest) -> BTreeMap<(&str, &str, &str), Vec<&Model>> {
    let mut designs: BTreeMap<_, Vec<&Model>> = BTreeMap::new();
    let of_tlc = |model: &&Model| model.engine == Engine::Tlc;
    for model in manifest.models.iter().filter(of_tlc) {
        let design = (
            model.area.as_str(),
            model.design.as_str(),
            model.module.as_str(),
        );
        designs.entry(design).or_default().push(model);
    }
    designs
}

/// A design's name stands for one thing.
fn one_module(lint: &mut Lint) {
    let manifest = lint.manifest;
    let mut first: BTreeMap<_, &Model> = BTreeMap::new();
    for model in manifest
        .models
        .iter()
        .filter(|model| model.engine == Engine::Tlc)
    {
        let first = *first.entry((&model.area, &model.design)).or_insert(model);
        let differs = if model.module != first.module {
            format!(
                "runs on module {}, but `{}` of the same design on {}",
                model.module, first.name, first.module
            )
        } else if model.stands_for != first.stands_for {
            format!(
                "stands for {:?}, but `{}` of the same design for {:?}",
                model.stands_for, first.name, first.stands_for
            )
        } else {
            continue;
        };
        let message = format!("{differs} (give it a design of its own)");
        lint.report(model, "mixed-design", message);
    }
}

/// A design's checks of one kind, those of liveness or all others, are judged under one specification. If that is not what others of
/// its module are judged under, the design is a variant of one of them, and its name says of which.
fn one_spec(lint: &mut Lint, rows: &[&Model], live: bool) {
    let of_kind: Vec<&Model> = rows
        .iter()
        .copied()
        .filter(|model| is_live(lint, model) == live && !has_column(lint.manifest, model))
        .collect();
    let Some(&model) = of_kind.first() else {
        return;
    };
    let usual = usual_spec(lint, model, live);
    let mut specs = of_kind.iter().map(|model| model.spec.as_str());
    let own = specs.clone().find(|spec| *spec == usual);
    let Some(own) = own.or_else(|| specs.next()) else {
        return;
    };
    for model in of_kind.iter().filter(|model| model.spec != own) {
        let message = format!(
            "is judged under {}, and design `{}` under {own}: one cell of a table would mean both (give it a design of its own, or \
             its property a column `PROPERTY under {0}`)",
            model.spec, model.design
        );
        lint.report(model, "other-spec", message);
    }
    if own == usual {
        return;
    }
    let mine = own_of_design(lint, rows);
    let designs = designs(lint.manifest);
    let is_base = |base: &str| {
        let base = designs.get(&(model.area.as_str(), base, model.module.as_str()));
        base.is_some_and(|base| own_of_design(lint, base) == mine)
    };
    let mut dashes = model.design.match_indices('-');
    if !dashes.any(|(at, _)| is_base(&model.design[..at])) {
        let message = format!(
            "is judged under {own}, as other designs of {} are not, and its design `{}` is not named after the one that it is a \
             variant of (name it `DESIGN-VARIANT`, with the constants of `DESIGN`)",
            model.module, model.design
        );
        lint.report(model, "unnamed-variant", message);
    }
}

/// Whether a column says that it is judged under the model's specification.
fn has_column(manifest: &Manifest, model: &Model) -> bool {
    let columns = manifest.area(&model.area).map(|area| &area.columns);
    let mut columns = columns.into_iter().flatten().map(|text| Column::read(text));
    columns.any(|column| {
        column.under == Some(&model.spec) && model.checks().any(|check| check == column.check)
    })
}

fn is_live(lint: &Lint, model: &Model) -> bool {
    let property = model.property.as_ref();
    let shape = property.and_then(|property| lint.shape(model, property));
    shape.is_some_and(|shape| shape.is_liveness())
}

/// Rows of one design differ in constants that say how it is asked, not in what it is.
fn own_constants(lint: &mut Lint, rows: &[&Model]) {
    let usual = own_of_design(lint, rows);
    for model in rows {
        let own = own(lint, model);
        let (lacks, has) = (usual.iter(), own.iter());
        let differing: BTreeSet<&str> = lacks
            .filter(|pair| own.get(*pair.0) != Some(pair.1))
            .chain(has.filter(|pair| usual.get(*pair.0) != Some(pair.1)))
            .map(|(constant, _)| constant.as_str())
            .collect();
        if !differing.is_empty() {
            let differing = differing.into_iter().collect::<Vec<_>>().join(", ");
            let message = format!(
                "has another {differing} than its size and design `{}` give (give it a design or a size of its own, or list a constant \
                 that a check is about in its module's `parameters`)",
                model.design
            );
            lint.report(model, "other-constants", message);
        }
        let module = lint.manifest.module(model);
        let forgets = module.forgets.iter();
        let mut forgotten = forgets.filter(|operator| model.constants.contains_key(*operator));
        if let Some(operator) = forgotten.next()
            && model.checks().any(|check| check != "TypeOK")
        {
            let message = format!(
                "replaces {operator}, and so forgets a history that its checks may be about (let it check TypeOK alone, or leave \
                 {operator} as it is)"
            );
            lint.report(model, "forgotten-history", message);
        }
    }
}

fn own_of_design<'a>(lint: &Lint<'a>, rows: &[&'a Model]) -> BTreeMap<&'a String, &'a String> {
    let each = rows.iter().map(|model| own(lint, model));
    most_common(each).unwrap_or_default()
}

/// The constants that a model has from its design: not the module's or the size's, no check's parameters, and none that its steps do not depend on.
fn own<'a>(lint: &Lint<'a>, model: &'a Model) -> BTreeMap<&'a String, &'a String> {
    let declared = lint.manifest.module(model);
    let module = lint.module(model);
    let used = module.map(|module| module.used_by(&model.spec));
    let is_own = |(constant, value): &(&String, &String)| {
        let printed = cfg::substitution(value).is_some()
            && module.is_some_and(|module| !module.constants().contains(*constant))
            && used
                .as_ref()
                .is_some_and(|used| !used.contains(constant.as_str()));
        let beside = declared.is_parameter(constant) || declared.forgets.contains(constant);
        let usual = lint.manifest.usual_value(model, constant);
        usual != Some(value.as_str()) && !beside && !printed
    };
    model.constants.iter().filter(is_own).collect()
}

/// What the designs of a module are judged under: Spec, and FairSpec where it is about liveness; or what all of its rows name.
fn usual_spec<'a>(lint: &Lint<'a>, model: &Model, live: bool) -> &'a str {
    let models = lint.manifest.models.iter();
    let like = models.filter(|other| {
        (&other.area, &other.module) == (&model.area, &model.module) && is_live(lint, other) == live
    });
    let specs: BTreeSet<&str> = like.map(|other| other.spec.as_str()).collect();
    let usual = if live { "FairSpec" } else { "Spec" };
    match specs.first() {
        Some(only) if specs.len() == 1 => only,
        _ => usual,
    }
}

/// What one row says holds, no other says is violated.
fn verdicts(lint: &mut Lint) {
    let manifest = lint.manifest;
    let mut said: BTreeMap<_, &Model> = BTreeMap::new();
    for violating in [true, false] {
        for model in designs(manifest).into_values().flatten() {
            let violated = match &model.expect {
                Expect::Violates { property, .. } => Some(property.as_str()),
                Expect::Holds | Expect::Typed => None,
            };
            if violated.is_some() != violating {
                continue;
            }
            let module = manifest.module(model);
            for check in model
                .checks()
                .filter(|check| violated.is_none_or(|name| name == *check))
            {
                let with = module.asked_with(model, check);
                let (area, design, spec) = (&model.area, &model.design, &model.spec);
                let question = (area, design, &model.size, spec, check.to_owned(), with);
                if violating {
                    said.insert(question, model);
                } else if let Some(other) = said.get(&question) {
                    let message = format!(
                        "says that {check} holds, and `{}` that it is violated, of the same design at the same size (correct one of \
                         them)",
                        other.name
                    );
                    lint.report(model, "two-verdicts", message);
                }
            }
        }
    }
}

/// A column names a check that some model has, with each of its parameters.
fn columns(lint: &mut Lint) {
    let manifest = lint.manifest;
    for area in &manifest.areas {
        for heading in &area.columns {
            let column = Column::read(heading);
            let models = manifest.models.iter();
            let asked: Vec<&Model> = models
                .filter(|model| model.area == area.name && model.engine == Engine::Tlc)
                .filter(|model| model.checks().any(|check| check == column.check))
                .collect();
            let lacks = asked.iter().find_map(|model| {
                let parameters = manifest.module(model).parameters.get(column.check)?;
                let mut parameters = parameters.iter();
                parameters.find(|name| !column.with.iter().any(|(given, _)| given == name))
            });
            let fault = match lacks {
                Some(constant) => format!(
                    "says nothing of {constant}, which {} is about (write `{0} with {constant} = VALUE`)",
                    column.check
                ),
                None if !asked.iter().any(|model| column.takes(model)) => {
                    "is of no model (correct its name, or what stands behind it)".to_owned()
                }
                None => continue,
            };
            let message = format!("the column `{heading}` of area `{}` {fault}", area.name);
            lint.at(&claims(&area.name), area.line, "bad-column", message);
        }
    }
}

/// A check's parameters are the constants among all parameters that its definition reads.
fn parameters(lint: &mut Lint) {
    let manifest = lint.manifest;
    let mut found = Vec::new();
    for declared in &manifest.modules {
        let key = (declared.area.clone(), declared.name.clone());
        let Some(module) = lint.modules.get(&key) else {
            continue;
        };
        let models = manifest.models.iter();
        let of_module = models.filter(|model| (&model.area, &model.module) == (&key.0, &key.1));
        let asked = of_module.flat_map(Model::checks);
        let checks: BTreeSet<&str> = asked
            .chain(declared.parameters.keys().map(String::as_str))
            .collect();
        for check in checks.into_iter().filter(|check| *check != "TypeOK") {
            let listed = declared
                .parameters
                .get(check)
                .map_or(&[][..], Vec::as_slice);
            let listed: BTreeSet<&String> = listed.iter().collect();
            let all = declared.parameters.values().flatten();
            let read = all
                .filter(|constant| module.reads(check, constant))
                .collect();
            if listed != read {
                let names: Vec<&str> = read.into_iter().map(String::as_str).collect();
                let names = if names.is_empty() {
                    "none".to_owned()
                } else {
                    names.join(", ")
                };
                let message = format!(
                    "`parameters` of module `{}` are not what {check} is about, which is: {names} (correct them)",
                    declared.name
                );
                found.push((claims(&declared.area), declared.line, message));
            }
        }
    }
    for (file, line, message) in found {
        lint.at(&file, line, "bad-parameters", message);
    }
}

fn most_common<T: Ord>(all: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for each in all {
        *counts.entry(each).or_default() += 1;
    }
    counts
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .map(|(each, _)| each)
}

impl Module {
    fn is_parameter(&self, constant: &String) -> bool {
        self.parameters
            .values()
            .any(|constants| constants.contains(constant))
    }
}
