//! Reads the manifest's TOML, checks its names, and flattens groups into models.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use interlock_tla::Layout;
use toml::Spanned;

use super::file::{AreaTable, File, ModuleTable, Row, SecondTable, Size};
use super::{Area, Engine, Expect, Lane, Manifest, Model, Module, Symbolic};
use crate::near::did_you_mean;

/// The manifest's text and name, to say where an error is.
struct Source<'a> {
    shown: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    /// Line and column of a byte offset, both from 1; the column counts characters.
    fn position(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        )
    }

    fn line(&self, span: &Range<usize>) -> usize {
        self.position(span.start).0
    }

    fn error(&self, span: &Range<usize>, message: impl std::fmt::Display) -> anyhow::Error {
        let (line, column) = self.position(span.start);
        anyhow!("{}:{line}:{column}: {message}", self.shown.display())
    }
}

pub(super) fn load(shown: &Path) -> anyhow::Result<Manifest> {
    let path = shown.canonicalize().with_context(|| {
        format!(
            "{}: no manifest here (run at the repository's root, or give its path)",
            shown.display()
        )
    })?;
    let specs = path.parent().context("a file has a directory")?;
    if specs.file_name().is_none_or(|name| name != "specs") {
        bail!(
            "{}: the manifest does not lie in a directory named `specs` (move it there)",
            shown.display()
        );
    }
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{}: cannot read it", shown.display()))?;
    let source = Source { shown, text: &text };
    let file: File = toml::from_str(&text).map_err(|error| {
        let message = error.message().trim_end();
        source.error(
            &error.span().unwrap_or(0..0),
            format!("{message} (CONTRIBUTING.md shows a row)"),
        )
    })?;

    let areas = areas(&source, file.area)?;
    let modules = modules(&source, specs, &areas, file.module)?;
    let mut models = models(&source, &file.size, &areas, &modules, file.group)?;
    seconds(&source, &mut models, file.second)?;
    if models.is_empty() {
        bail!(
            "{}: no model in it, so nothing would be checked (add a [[group]])",
            shown.display()
        );
    }
    Ok(Manifest {
        path,
        sizes: file
            .size
            .into_iter()
            .map(|(name, size)| (name, size.constants))
            .collect(),
        areas,
        modules,
        models,
    })
}

fn areas(source: &Source, tables: Vec<Spanned<AreaTable>>) -> anyhow::Result<Vec<Area>> {
    let mut areas: Vec<Area> = Vec::new();
    for table in tables {
        let (
            span,
            AreaTable {
                name,
                title,
                seed,
                swimlanes,
                style,
                columns,
                headlines,
            },
        ) = (table.span(), table.into_inner());
        check_name(source, &span, "an area", &name)?;
        if let Some(first) = areas.iter().find(|other| other.name == name) {
            return Err(source.error(
                &span,
                format!(
                    "area `{name}` is already on line {} (remove one)",
                    first.line
                ),
            ));
        }
        areas.push(Area {
            name,
            title,
            seed,
            swimlanes: Layout {
                variables: swimlanes,
                style,
            },
            columns,
            headlines,
            line: source.line(&span),
        });
    }
    Ok(areas)
}

fn modules(
    source: &Source,
    specs: &Path,
    areas: &[Area],
    tables: Vec<Spanned<ModuleTable>>,
) -> anyhow::Result<Vec<Module>> {
    let mut modules: Vec<Module> = Vec::new();
    for table in tables {
        let (
            span,
            ModuleTable {
                area,
                name,
                engine,
                actions,
                emit,
            },
        ) = (table.span(), table.into_inner());
        check_name(source, &span, "a module", &name)?;
        let engine = engine.unwrap_or(Engine::Tlc);
        if engine == Engine::Tlc && (actions.is_none() || emit.is_none()) {
            let message = format!("module `{name}` has no `actions`, or no `emit` (give both)");
            return Err(source.error(&span, message));
        }
        check_area(source, &span, areas, &area)?;
        if let Some(first) = modules
            .iter()
            .find(|other| other.area == area && other.name == name)
        {
            return Err(source.error(
                &span,
                format!(
                    "module `{name}` is already on line {} (remove one)",
                    first.line
                ),
            ));
        }
        let shown = format!("specs/{area}/{name}.tla");
        let file = specs
            .join(&area)
            .join(format!("{name}.tla"))
            .canonicalize()
            .map_err(|error| {
                source.error(
                    &span,
                    format!("{shown}: {error} (write the module, or correct its name)"),
                )
            })?;
        if !file.starts_with(specs) {
            return Err(source.error(
                &span,
                format!(
                    "{shown} lies outside specs/ (a link leads out: put the file itself there)"
                ),
            ));
        }
        modules.push(Module {
            area,
            name,
            engine,
            actions: actions.unwrap_or_default(),
            emit: emit.unwrap_or_default(),
            line: source.line(&span),
        });
    }
    Ok(modules)
}

/// Every group's models, each of a known area and module and with a name of its own.
fn models(
    source: &Source,
    sizes: &BTreeMap<String, Size>,
    areas: &[Area],
    modules: &[Module],
    groups: Vec<Spanned<Row>>,
) -> anyhow::Result<Vec<Model>> {
    let mut models: Vec<Model> = Vec::new();
    for group in groups {
        let (span, mut group) = (group.span(), group.into_inner());
        if group.name.is_some() {
            return Err(source.error(&span, "a group has a `name` (only its models have one)"));
        }
        let Some(rows) = group.models.take() else {
            let message = "a group without `models` (add `models = [ { name = ... } ]`)";
            return Err(source.error(&span, message));
        };
        for row in rows {
            let (span, row) = (row.span(), row.into_inner());
            let model = flatten(source, &span, sizes, &group, row)?;
            let Model {
                name, area, module, ..
            } = &model;
            if let Some(first) = models.iter().find(|other| other.name == *name) {
                let line = first.line;
                let message =
                    format!("model `{name}` is already on line {line} (rename one of them)");
                return Err(source.error(&span, message));
            }
            check_area(source, &span, areas, area)?;
            let of_area = || {
                modules
                    .iter()
                    .filter(|module| module.area == *area)
                    .map(|module| module.name.as_str())
            };
            if !of_area().any(|known| known == module) {
                let near = did_you_mean(module, of_area());
                let message =
                    format!("area `{area}` has no module `{module}`{near} (add a [[module]])");
                return Err(source.error(&span, message));
            }
            let meant = modules
                .iter()
                .find(|known| (&known.area, &known.name) == (area, module));
            if meant.is_some_and(|known| known.engine != model.engine) {
                let engine = model.engine.name();
                let message = format!(
                    "model `{name}` is for {engine}, but module `{module}` is not (correct either's `engine`)"
                );
                return Err(source.error(&span, message));
            }
            models.push(model);
        }
    }
    Ok(models)
}

/// The models that another engine decides too: each the same model, but for what that engine does not count.
fn seconds(
    source: &Source,
    models: &mut Vec<Model>,
    tables: Vec<Spanned<SecondTable>>,
) -> anyhow::Result<()> {
    for table in tables {
        let span = table.span();
        let SecondTable {
            engine,
            budget,
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
            let Some(first) = models
                .iter()
                .find(|model| model.name == name && model.engine == Engine::Tlc)
            else {
                let near = did_you_mean(&name, models.iter().map(|model| model.name.as_str()));
                let message = format!("TLC has no model `{name}`{near} (correct the name)");
                return Err(source.error(&span, message));
            };
            let second = Model {
                name: format!("{}-{name}", engine.name()),
                engine,
                second_of: Some(name),
                total: None,
                silent: Vec::new(),
                probe: None,
                budget: budget.unwrap_or(first.budget),
                line: source.line(&span),
                ..first.clone()
            };
            if models.iter().any(|other| other.name == second.name) {
                let message = format!(
                    "model `{}` is there already (remove one of them)",
                    second.name
                );
                return Err(source.error(&span, message));
            }
            models.push(second);
        }
    }
    Ok(())
}

fn check_area(
    source: &Source,
    span: &Range<usize>,
    areas: &[Area],
    name: &str,
) -> anyhow::Result<()> {
    if areas.iter().any(|area| area.name == name) {
        return Ok(());
    }
    let near = did_you_mean(name, areas.iter().map(|area| area.name.as_str()));
    Err(source.error(
        span,
        format!("no area is named `{name}`{near} (add an [[area]])"),
    ))
}

/// Names become file names, so they are kept to characters that cannot lead out of a directory; `whose` is `a model`, say.
fn check_name(source: &Source, span: &Range<usize>, whose: &str, name: &str) -> anyhow::Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(plain) {
        return Ok(());
    }
    let escapes = if name.split('/').any(|part| part == "..") {
        ", and leads outside specs/"
    } else {
        ""
    };
    let message =
        format!("`{name}` is not a name for {whose}{escapes} (use letters, digits, `_` and `-`)");
    Err(source.error(span, message))
}

/// One model: the row's own fields, else the group's, else the defaults.
fn flatten(
    source: &Source,
    span: &Range<usize>,
    sizes: &BTreeMap<String, Size>,
    group: &Row,
    row: Row,
) -> anyhow::Result<Model> {
    if row.models.is_some() {
        return Err(source.error(span, "a model has `models` (only a group has them)"));
    }
    let Some(name) = row.name else {
        return Err(source.error(
            span,
            "a model without a `name` (add one that no other model has)",
        ));
    };
    check_name(source, span, "a model", &name)?;
    let missing = |key: &str| {
        source.error(
            span,
            format!("model `{name}` has no `{key}` (give it in the row or in its group)"),
        )
    };
    macro_rules! field {
        ($key:ident) => {
            row.$key.or_else(|| group.$key.clone())
        };
    }
    macro_rules! required {
        ($key:ident) => {
            field!($key).ok_or_else(|| missing(stringify!($key)))?
        };
    }
    let engine = field!(engine).unwrap_or(Engine::Tlc);
    let expect = required!(expect);
    let (size, spec, symbolic, mut constants, mut silent);
    if engine == Engine::Apalache {
        let cinit = field!(cinit);
        size = cinit.clone().unwrap_or_default();
        (spec, constants, silent) = (String::new(), BTreeMap::new(), Vec::new());
        symbolic = match expect {
            Expect::Typed => None,
            _ => Some(Symbolic {
                init: field!(init).unwrap_or_else(|| "Init".into()),
                next: field!(next).unwrap_or_else(|| "Next".into()),
                cinit,
                length: required!(length),
            }),
        };
    } else {
        size = required!(size);
        let Some(of_size) = sizes.get(&size) else {
            let near = did_you_mean(&size, sizes.keys().map(String::as_str));
            return Err(source.error(
                span,
                format!("model `{name}`: no size is named `{size}`{near} (add it to [size])"),
            ));
        };
        (spec, symbolic) = (required!(spec), None);
        constants = of_size.constants.clone();
        constants.extend(group.constants.clone());
        constants.extend(row.constants);
        silent = of_size.silent.clone();
        silent.extend(field!(silent).unwrap_or_default());
    }
    let design = required!(design);
    check_name(source, span, "a design", &design)?;
    Ok(Model {
        area: required!(area),
        module: required!(module),
        design,
        stands_for: required!(stands_for),
        engine,
        lane: field!(lane).unwrap_or(Lane::Ci),
        size,
        constants,
        spec,
        symbolic,
        second_of: field!(second_of),
        invariants: field!(invariants).unwrap_or_default(),
        property: field!(property),
        deadlock: field!(deadlock).unwrap_or(false),
        symmetry: field!(symmetry),
        view: field!(view),
        constraint: field!(constraint),
        silent,
        expect,
        probe: field!(probe),
        distinct: field!(distinct),
        total: field!(total),
        witness: field!(witness),
        budget: field!(budget).unwrap_or(60),
        heap: field!(heap).unwrap_or(1500),
        line: source.line(span),
        name,
    })
}
