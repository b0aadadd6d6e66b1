//! Reads every area's `models.toml` and lock, and checks their names.

use std::collections::{BTreeMap, btree_map};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use interlock_tla::Layout;
use toml::Spanned;

use super::chosen;
use super::counts::{self, Lock};
use super::file::{AreaTable, File, ModuleTable, SecondTable};
use super::flatten::flatten;
use super::source::Source;
use super::states;
use super::{Area, CLAIMS, Engine, Manifest, Model, Module, RECORD, measured};
use crate::near::did_you_mean;

pub(super) fn load(shown: &Path) -> anyhow::Result<Manifest> {
    let specs = shown.canonicalize().with_context(|| {
        format!(
            "{}: no specifications here (run at the repository's root, or give their directory)",
            shown.display()
        )
    })?;
    if !specs.is_dir() || specs.file_name().is_none_or(|name| name != "specs") {
        bail!(
            "{}: not a directory named `specs` (give the one that has a folder an area)",
            shown.display()
        );
    }
    let record = specs.parent().unwrap_or(Path::new("")).join(RECORD);
    let mut manifest = Manifest {
        measured: measured::read(&record)?,
        specs,
        sizes: BTreeMap::new(),
        areas: Vec::new(),
        modules: Vec::new(),
        models: Vec::new(),
        locks: BTreeMap::new(),
    };
    for area in areas(shown)? {
        let lock = counts::read(&shown.join(&area).join(counts::LOCK))?;
        self::area(&mut manifest, &shown.join(&area).join(CLAIMS), &area, &lock)?;
        manifest.locks.insert(area, lock);
    }
    if manifest.areas.is_empty() {
        bail!(
            "{}: no area in it, so nothing would be checked (add a folder with a {CLAIMS})",
            shown.display()
        );
    }
    Ok(manifest)
}

/// The folders that have claims, in alphabetic order.
fn areas(specs: &Path) -> anyhow::Result<Vec<String>> {
    let list = || -> std::io::Result<Vec<PathBuf>> {
        let folders = fs::read_dir(specs)?.map(|entry| Ok(entry?.path()));
        folders.collect()
    };
    let mut folders = list().with_context(|| format!("{} cannot be listed", specs.display()))?;
    folders.retain(|folder| folder.join(CLAIMS).exists());
    let names = folders.iter().filter_map(|folder| folder.file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
    names.sort_unstable();
    Ok(names)
}

/// Adds what an area's `models.toml` says.
fn area(manifest: &mut Manifest, path: &Path, name: &str, lock: &Lock) -> anyhow::Result<()> {
    let source = Source::read(path)?;
    let file: File = source.parse("CONTRIBUTING.md shows a row")?;
    let span = file.area.span();
    source.check_name(&span, "an area", name)?;
    let AreaTable {
        title,
        seed,
        swimlanes,
        style,
        columns,
        headlines,
    } = file.area.into_inner();
    manifest.areas.push(Area {
        name: name.to_owned(),
        title,
        seed,
        swimlanes: Layout {
            variables: swimlanes,
            style,
        },
        columns,
        headlines,
        tables: Vec::new(),
        states: None,
        line: source.line(&span),
    });
    modules(&source, manifest, name, &file.module)?;

    let mut stands_for = BTreeMap::new();
    let first = manifest.models.len();
    for design in file.design {
        let (span, mut design) = (design.span(), design.into_inner());
        source.check_name(&span, "a design", &design.name)?;
        match (&design.stands_for, stands_for.entry(design.name.clone())) {
            (Some(_), btree_map::Entry::Vacant(entry)) => {
                entry.insert(design.stands_for.clone());
            }
            (None, btree_map::Entry::Occupied(entry)) => design.stands_for.clone_from(entry.get()),
            (None, btree_map::Entry::Vacant(_)) => {
                let message = format!(
                    "design `{}` has no `stands_for` (say the seed, commit or function that it stands for)",
                    design.name
                );
                return Err(source.error(&span, message));
            }
            (Some(_), btree_map::Entry::Occupied(_)) => {}
        }
        let Some(module) = file.module.get(&design.module) else {
            let near = did_you_mean(&design.module, file.module.keys().map(String::as_str));
            let message = format!(
                "area `{name}` has no module `{0}`{near} (add a [module.{0}])",
                design.module
            );
            return Err(source.error(&span, message));
        };
        for row in std::mem::take(&mut design.models) {
            let (span, row) = (row.span(), row.into_inner());
            let module = module.get_ref();
            let model = flatten(&source, &span, name, &file.size, module, &design, row, lock)?;
            add(&source, &span, &mut manifest.models, model)?;
        }
    }
    seconds(&source, &mut manifest.models, first, file.second)?;
    if manifest.models.len() == first {
        let message =
            "no model in it, so nothing would be checked (add a [[design]] with `models`)";
        return Err(source.error(&span, message));
    }
    let sizes = file.size.into_iter();
    let sizes = sizes.map(|(size, table)| ((name.to_owned(), size), table.constants));
    manifest.sizes.extend(sizes);
    let tables = chosen::read(&source, manifest, name, file.table)?;
    let states = file.states;
    let states = states.map(|table| states::read(&source, manifest, name, table));
    let states = states.transpose()?;
    if let Some(area) = manifest.areas.last_mut() {
        area.tables = tables;
        area.states = states;
    }
    Ok(())
}

/// Models' names are files' names, so they differ across areas too.
fn add(
    source: &Source,
    span: &std::ops::Range<usize>,
    models: &mut Vec<Model>,
    model: Model,
) -> anyhow::Result<()> {
    if let Some(first) = models.iter().find(|other| other.name == model.name) {
        let message = format!(
            "model `{}` is already on line {} of {} (rename one of them)",
            model.name, first.line, first.file
        );
        return Err(source.error(span, message));
    }
    models.push(model);
    Ok(())
}

fn modules(
    source: &Source,
    manifest: &mut Manifest,
    area: &str,
    tables: &BTreeMap<String, Spanned<ModuleTable>>,
) -> anyhow::Result<()> {
    let mut tables: Vec<_> = tables.iter().collect();
    tables.sort_by_key(|(_, table)| table.span().start);
    for (name, table) in tables {
        let (span, table) = (table.span(), table.get_ref());
        source.check_name(&span, "a module", name)?;
        let engine = table.engine.unwrap_or(Engine::Tlc);
        if engine == Engine::Tlc && table.actions.is_none() {
            let message = format!("module `{name}` has no `actions`");
            return Err(source.error(&span, message));
        }
        let shown = format!("specs/{area}/{name}.tla");
        let file = manifest.specs.join(area).join(format!("{name}.tla"));
        let file = file.canonicalize().map_err(|error| {
            source.error(
                &span,
                format!("{shown}: {error} (write the module, or correct its name)"),
            )
        })?;
        if !file.starts_with(&manifest.specs) {
            return Err(source.error(
                &span,
                format!(
                    "{shown} lies outside specs/ (a link leads out: put the file itself there)"
                ),
            ));
        }
        manifest.modules.push(Module {
            area: area.to_owned(),
            name: name.clone(),
            engine,
            actions: table.actions.clone().unwrap_or_default(),
            constants: table.constants.clone(),
            parameters: table.parameters.clone(),
            forgets: table.forgets.clone(),
            arriving: table.arriving.clone(),
            line: source.line(&span),
        });
    }
    Ok(())
}

/// The models that another engine decides too, of those from `first` on: each the same model, but for what that engine does not
/// count.
fn seconds(
    source: &Source,
    models: &mut Vec<Model>,
    first: usize,
    tables: Vec<Spanned<SecondTable>>,
) -> anyhow::Result<()> {
    for table in tables {
        let span = table.span();
        let SecondTable {
            engine,
            budget,
            lane,
            models: names,
        } = table.into_inner();
        if engine != Engine::TlaChecker {
            let message = format!(
                "{} reads no model of TLC's as it is (give it rows of its own with `second_of`)",
                engine.name()
            );
            return Err(source.error(&span, message));
        }
        for name in names {
            let of_area = || models[first..].iter();
            let Some(first) =
                of_area().find(|model| model.name == name && model.engine == Engine::Tlc)
            else {
                let near = did_you_mean(&name, of_area().map(|model| model.name.as_str()));
                let message = format!("TLC has no model `{name}` here{near} (correct the name)");
                return Err(source.error(&span, message));
            };
            let second = Model {
                name: format!("{}-{name}", engine.name()),
                engine,
                second_of: Some(name),
                total: None,
                silent: Vec::new(),
                probe: None,
                follows_from: None,
                kept: false,
                budget: budget.unwrap_or(first.budget),
                lane: lane.unwrap_or(first.lane),
                line: source.line(&span),
                ..first.clone()
            };
            add(source, &span, models, second)?;
        }
    }
    Ok(())
}
