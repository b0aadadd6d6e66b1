//! The manifest as Markdown tables, and their place in a page.
//!
//! A README, or a page of the book, marks where a table goes with `<!-- table:designs AREA -->`, `<!-- table:designs AREA MODULE -->`,
//! `<!-- table:rows AREA -->`, `<!-- table:engines AREA -->`, `<!-- table:chosen AREA NAME -->`, `<!-- table:headlines -->`,
//! `<!-- table:findings -->`, `<!-- table:keys TABLE -->` or `<!-- table:measured RECORD TABLE -->`, and its end with `<!-- /table -->`;
//! each marker is a line of its own.

mod chosen;
mod findings;
mod keys;

use std::cell::LazyCell;

use crate::manifest::column::Column;
use crate::manifest::{Answer, Engine, Expect, Kind, Manifest, Model, answer};
use crate::markdown;
use crate::marks::{self, MarkerError};
use crate::measured;
use crate::near::did_you_mean;

const NOTHING: &str = "—";

/// Every model of an area that TLC decides, one row each; empty when no area has this name.
pub fn rows(manifest: &Manifest, area: &str) -> String {
    let headings = [
        "model",
        "design",
        "stands for",
        "size",
        "checks",
        "expected",
        "distinct",
        "total",
        "witness",
        "lane",
    ];
    let number = |number: Option<u64>| {
        number.map_or_else(|| NOTHING.to_owned(), |number| number.to_string())
    };
    let models = manifest
        .models
        .iter()
        .filter(|model| model.area == area && model.engine == Engine::Tlc)
        .map(|model| {
            vec![
                model.name.clone(),
                model.design.clone(),
                model.stands_for.clone(),
                model.size.clone(),
                questions(manifest, model),
                expected(model),
                number(model.distinct),
                number(model.total),
                number(model.witness.map(|states| states as u64)),
                model.lane.name().to_owned(),
            ]
        });
    markdown::table(&headings, headings.len(), models)
}

fn expected(model: &Model) -> String {
    match &model.expect {
        Expect::Holds => "holds".to_owned(),
        Expect::Typed => "typed".to_owned(),
        Expect::Violates {
            property,
            kind: Kind::Deadlock,
        } => format!("**violates** {property}"),
        Expect::Violates { property, kind } => {
            format!("**violates** {property} ({})", kind.name())
        }
    }
}

/// Every model of an area that another engine than TLC decides, one row each; empty when no area has this name.
pub fn engines(manifest: &Manifest, area: &str) -> String {
    let headings = [
        "model",
        "engine",
        "design",
        "constants",
        "asked",
        "expected",
        "states",
        "also TLC's",
    ];
    let others = manifest
        .models
        .iter()
        .filter(|model| model.area == area && model.engine != Engine::Tlc);
    let rows = others.map(|model| {
        let states = model.witness.map(|states| states as u64).or(model.distinct);
        let states = states.map_or_else(|| NOTHING.to_owned(), |states| states.to_string());
        let named = |text: &str| {
            if text.is_empty() {
                NOTHING.to_owned()
            } else {
                text.to_owned()
            }
        };
        vec![
            model.name.clone(),
            model.engine.name().to_owned(),
            model.design.clone(),
            named(&model.size),
            asked(manifest, model),
            expected(model),
            states,
            named(model.second_of.as_deref().unwrap_or_default()),
        ]
    });
    markdown::table(&headings, headings.len(), rows)
}

/// What a model checks, with the parameters of each check, and under what if that is not usual:
/// `BoundedOvertaking with Watch = {r1} with ByReaders = 0`.
fn questions(manifest: &Manifest, model: &Model) -> String {
    let module = manifest.module(model);
    let checks = model.checks().map(|check| {
        let with = module.asked_with(model, check).into_iter();
        let with = with.map(|(constant, value)| format!(" with {constant} = {value}"));
        check.to_owned() + &with.collect::<String>()
    });
    let checks = checks.collect::<Vec<_>>().join(", ");
    match unusual(model) {
        Some(spec) => format!("{checks} under {spec}"),
        None => checks,
    }
}

/// The specification that a model of an explicit-state engine is judged under, if that is neither `Spec` nor `FairSpec`.
fn unusual(model: &Model) -> Option<&str> {
    let usual = ["", "Spec", "FairSpec"].contains(&model.spec.as_str());
    (!usual).then_some(&model.spec)
}

/// `IndInit, 1 step: IndInv`; of what, if that is not all of `Next`: `IndInit, 1 step of Device: IndInv`.
fn asked(manifest: &Manifest, model: &Model) -> String {
    let checks = questions(manifest, model);
    match &model.symbolic {
        None if model.expect == Expect::Typed => "types".into(),
        None => checks,
        Some(asked) => {
            let part = match asked.next.as_str() {
                "Next" => String::new(),
                part => format!(" of {part}"),
            };
            match asked.length {
                0 => format!("{}: {checks}", asked.init),
                1 => format!("{}, 1 step{part}: {checks}", asked.init),
                steps => format!("{}, {steps} steps{part}: {checks}", asked.init),
            }
        }
    }
}

/// One row a design, one column for each of the area's `columns`: the smallest size that violates the property, with the length of
/// its counterexample, or the largest that it holds at; or what it is at the column's size. What a design is judged under stands
/// behind what it stands for, unless it is `Spec` and `FairSpec`, or the column says it. Of one `module`: only the designs and the
/// columns that its models have. A design of which no column says anything has no row. Empty when no area has this name.
pub fn designs(manifest: &Manifest, area: &str, module: Option<&str>) -> String {
    let Some(area) = manifest.area(area) else {
        return String::new();
    };
    let mut seen: Vec<&Model> = Vec::new();
    for model in manifest
        .models
        .iter()
        .filter(|model| model.area == area.name && model.engine == Engine::Tlc)
        .filter(|model| module.is_none_or(|module| model.module == module))
    {
        if !seen.iter().any(|other| other.design == model.design) {
            seen.push(model);
        }
    }
    let has_cell = |column: &&String| {
        module.is_none()
            || seen
                .iter()
                .any(|first| cell(manifest, first, column) != NOTHING)
    };
    let columns: Vec<&String> = area.columns.iter().filter(has_cell).collect();
    let headings: Vec<&str> = ["design", "stands for"]
        .into_iter()
        .chain(columns.iter().map(|column| column.as_str()))
        .collect();
    let rows = seen.iter().filter_map(|first| {
        let cells = columns.iter().map(|column| cell(manifest, first, column));
        let cells: Vec<String> = cells.collect();
        let says = columns.is_empty() || cells.iter().any(|cell| cell != NOTHING);
        let begin = [first.design.clone(), described(manifest, first)];
        says.then(|| begin.into_iter().chain(cells).collect())
    });
    markdown::table(&headings, headings.len(), rows)
}

/// What the model's design stands for, and what all of its models are judged under if that is not usual.
fn described(manifest: &Manifest, first: &Model) -> String {
    let mut of_design = manifest.models.iter().filter(|model| {
        (&model.area, &model.design, model.engine) == (&first.area, &first.design, Engine::Tlc)
    });
    match unusual(first) {
        Some(spec) if of_design.all(|model| model.spec == spec) => {
            format!("{} (under {spec})", manifest.stands_for(first))
        }
        _ => manifest.stands_for(first),
    }
}

/// The headlines of every area, one row each, for a page beside the chapters.
pub fn headlines(manifest: &Manifest) -> String {
    let rows = manifest.areas.iter().flat_map(|area| {
        let models = area.headlines.iter();
        let models = models.filter_map(|name| manifest.model(name));
        models.map(|model| {
            vec![
                format!("[{}]({}.md)", area.title, area.name),
                model.design.clone(),
                manifest.stands_for(model),
                verdict(model),
            ]
        })
    });
    let headings = ["protocol", "design", "stands for", "verdict"];
    markdown::table(&headings, headings.len(), rows)
}

/// A model's verdict in a few words.
fn verdict(model: &Model) -> String {
    let size = &model.size;
    if let Expect::Violates { property, .. } = &model.expect {
        let states = model.witness.map(|states| format!(" in {states} states"));
        let states = states.unwrap_or_default();
        return format!("**{property} is violated**{states}, {size}");
    }
    let mut checks = model.checks().filter(|check| *check != "TypeOK");
    let first = checks.next().unwrap_or("TypeOK");
    match checks.count() {
        0 => format!("{first} holds, {size}"),
        others => format!("{first} and {others} more hold, {size}"),
    }
}

/// `text` with every marked table written anew; the same text when all are up to date.
///
/// # Errors
///
/// When a marker names no table or no area, or has no end.
pub fn update(manifest: &Manifest, text: &str) -> Result<String, MarkerError> {
    // A page has all of them or none.
    let declared = LazyCell::new(keys::declared);
    marks::fill(text, "table", |named| match named.split_once(' ') {
        None if named == "headlines" => Ok(headlines(manifest)),
        None if named == "findings" => findings::findings(manifest),
        Some(("keys", of)) => keys::keys(of, &declared),
        Some(("measured", of)) => measured::table(manifest.base(), of),
        _ => of_area(manifest, named),
    })
}

/// The table that a marker names: its kind, the area, and the module if there is one.
fn of_area(manifest: &Manifest, named: &str) -> Result<String, String> {
    let Some((kind, area)) = named.split_once(' ') else {
        return Err(
            "a table's marker needs a kind and an area (write `<!-- table:designs AREA -->`)"
                .into(),
        );
    };
    let (area, module) = match area.split_once(' ') {
        Some((area, module)) => (area, Some(module)),
        None => (area, None),
    };
    if manifest.area(area).is_none() {
        return Err(format!("no area is named `{area}` (correct the marker)"));
    }
    if kind == "chosen" {
        return declared(manifest, area, module);
    }
    let is_of_area = |name: &str| {
        let mut modules = manifest.modules.iter();
        modules.any(|module| module.area == area && module.name == name)
    };
    if let Some(module) = module
        && !is_of_area(module)
    {
        return Err(format!(
            "area `{area}` has no module `{module}` (correct the marker)"
        ));
    }
    match (kind, module) {
        ("designs", module) => Ok(designs(manifest, area, module)),
        ("rows", None) => Ok(rows(manifest, area)),
        ("engines", None) => Ok(engines(manifest, area)),
        ("rows" | "engines", Some(module)) => Err(format!(
            "the {kind} are those of a whole area (leave `{module}` out)"
        )),
        _ => Err(format!(
            "no table is named `{kind}` (say `chosen`, `designs`, `rows`, `engines`, `keys` or `measured`)"
        )),
    }
}

/// The table that the area's claims declare by this name.
fn declared(manifest: &Manifest, area: &str, name: Option<&str>) -> Result<String, String> {
    let Some(name) = name else {
        return Err(format!(
            "a chosen table needs its name (write `<!-- table:chosen {area} NAME -->`)"
        ));
    };
    let tables = manifest.area(area).map(|area| &area.tables);
    let tables = || tables.into_iter().flatten();
    let Some(table) = tables().find(|table| table.name == name) else {
        let near = did_you_mean(name, tables().map(|table| table.name.as_str()));
        return Err(format!(
            "area `{area}` declares no table `{name}`{near} (add a [table.{name}] to its models.toml)"
        ));
    };
    Ok(chosen::chosen(manifest, area, table))
}

/// Whether a table in `text` is not the one that the manifest gives.
///
/// # Errors
///
/// As [`update`].
pub fn stale(manifest: &Manifest, text: &str) -> Result<bool, MarkerError> {
    Ok(update(manifest, text)? != text)
}

/// What a design's models say of one property.
fn cell(manifest: &Manifest, Model { area, design, .. }: &Model, heading: &str) -> String {
    let column = Column::read(heading);
    match (answer(manifest, area, design, &column), column.at) {
        (None, _) => NOTHING.to_owned(),
        (Some(Answer::No(Model { size, witness, .. })), at) => {
            let states = witness.map(|states| format!("{states} states"));
            let of_size = at.is_none().then(|| size.clone());
            let parts: Vec<String> = of_size.into_iter().chain(states).collect();
            format!("**violated**: {}", parts.join(", "))
        }
        (Some(Answer::Yes(_)), Some(_)) => "holds".to_owned(),
        (Some(Answer::Yes(model)), None) => format!("holds, up to {}", model.size),
    }
}
