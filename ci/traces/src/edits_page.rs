//! Every edit of every kept trace of a kernel, as a page: how many are refused, and why those may live that are not.
//!
//! What is accepted is listed in [`LIST`], by classes, each with its reason. A class that is accepted and not listed, or listed and
//! never accepted, is told; and a page that is not of the list that is there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use crate::kernel::{self, Reading, projections};
use crate::recording::Trace;
use crate::validate::classes::{Class, Figures, ask};
use crate::validate::edits::{EDITS, Edit};
use crate::validate::protocol::Protocol;

/// Where the traces are.
const TRACES: &str = "tests/kernel";

/// Which classes are accepted, and why.
pub const LIST: &str = "tests/kernel/edits.toml";

/// The page.
pub const PAGE: &str = "docs/edits.md";

/// Those that begin while something is under way.
const FROM_THE_MIDDLE: [&str; 3] = [
    "iii_xfs_8r8w_steady_contention",
    "iv_ext4_attached",
    "iv_xfs_attached",
];

/// A kept trace of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its name: `ii_ext4_hole_512`.
    pub name: String,
    /// The area that it is of.
    pub area: &'static str,
    /// The file.
    pub file: PathBuf,
}

/// All kept traces, in the order of their names.
///
/// # Errors
/// If one cannot be read, or its name tells no area.
pub fn kept(root: &Path) -> Result<Vec<Kept>> {
    let folder = root.join(TRACES);
    let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut kept = Vec::new();
    for entry in entries {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if let Some(name) = name.strip_suffix(".txt.gz") {
            let area = area(name).with_context(|| format!("{}: of no area", file.display()))?;
            let name = name.to_owned();
            kept.push(Kept { name, area, file });
        }
    }
    kept.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(kept)
}

/// The area that a name tells: by its first part, or, of a guest's kernel, its second one.
fn area(name: &str) -> Option<&'static str> {
    let (first, rest) = name.split_once('_')?;
    Some(match first {
        "i" => "jbd2",
        "ii" => "dio",
        "iii" => "rwsem",
        "iv" => "writeback",
        _ if rest.starts_with("jbd2") => "jbd2",
        _ if rest.starts_with("dio") => "dio",
        _ if rest.starts_with("rwsem") => "rwsem",
        _ if rest.starts_with("writeback") => "writeback",
        _ => return None,
    })
}

/// What was found of a file, by the specifications that its traces are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The file's name.
    pub name: String,
    /// The specification.
    pub module: String,
    /// How many events its traces have.
    pub events: usize,
    /// By class.
    pub figures: BTreeMap<Class, Figures>,
}

/// Hands over each trace of a file, and the specification that it is of.
///
/// # Errors
/// If the file is no trace, and what `each` returns.
pub fn traces(
    kept: &Kept,
    each: &mut dyn FnMut(&'static Protocol, Trace) -> Result<()>,
) -> Result<()> {
    let reading = Reading {
        // Two of them do not say.
        kernel: (!says_its_kernel(&kept.file)?).then(|| "6.18".to_owned()),
        midway: FROM_THE_MIDDLE.contains(&&kept.name[..]),
        ..Reading::default()
    };
    let projection = projections::of_area(kept.area)?;
    kernel::read(&kept.file, &reading, projection, &mut |trace| {
        each(Protocol::of(kept.area, &trace)?, trace)
    })?;
    Ok(())
}

/// Asks of every edit of one event of `stride` in a file's traces.
///
/// # Errors
/// If the file is no trace, or one in it is refused as it is.
pub fn find(kept: &Kept, stride: usize) -> Result<Vec<Found>> {
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    traces(kept, &mut |protocol, trace| {
        let figures = ask(protocol, &trace, stride)?;
        let module = &trace.head.module;
        let found = found.entry(module.clone()).or_insert_with(|| Found {
            name: kept.name.clone(),
            module: module.clone(),
            events: 0,
            figures: BTreeMap::new(),
        });
        found.events += trace.events.len();
        for (class, figures) in figures {
            let all = found.figures.entry(class).or_default();
            all.refused += figures.refused;
            all.tried += figures.tried;
            all.accepted_at = all.accepted_at.or(figures.accepted_at);
        }
        Ok(())
    })?;
    Ok(found.into_values().collect())
}

fn says_its_kernel(file: &Path) -> Result<bool> {
    use std::io::BufRead as _;
    for line in kernel::text::open(file)?.lines() {
        let line = line?;
        if !line.starts_with('#') {
            return Ok(false);
        }
        if line.starts_with("# kernel:") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The classes that may be accepted, with their reasons.
#[derive(Debug, Clone, Default)]
pub struct List(BTreeMap<Class, String>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListFile {
    accepted: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    module: String,
    reason: String,
    classes: Vec<String>,
}

impl List {
    /// Reads it.
    ///
    /// # Errors
    /// With what is wrong in it.
    pub fn read(root: &Path) -> Result<List> {
        let path = root.join(LIST);
        let text = fs::read_to_string(&path).with_context(|| LIST.to_owned())?;
        List::parse(&text).with_context(|| LIST.to_owned())
    }

    /// Reads its text.
    ///
    /// # Errors
    /// With what is wrong in it.
    pub fn parse(text: &str) -> Result<List> {
        let file: ListFile = toml::from_str(text)?;
        let mut list = BTreeMap::new();
        for entry in file.accepted {
            ensure!(
                !entry.reason.trim().is_empty(),
                "{:?} has no reason",
                entry.classes
            );
            for text in entry.classes {
                let class = Class::parse(&entry.module, &text)
                    .with_context(|| format!("`{text}` is no class: `more Start: argument 2`"))?;
                let twice = list.insert(class, entry.reason.clone());
                ensure!(
                    twice.is_none(),
                    "`{text}` of {} is there twice",
                    entry.module
                );
            }
        }
        Ok(List(list))
    }

    /// What of these is accepted and not listed; and, if they are of `all` edits, listed and not accepted: a line for each.
    pub fn differs(&self, found: &[Found], all: bool) -> Vec<String> {
        let accepted: BTreeSet<&Class> = accepted(found).into_keys().collect();
        let new = accepted.iter().filter(|class| !self.0.contains_key(class));
        let new =
            new.map(|class| format!("{}: `{class}` is accepted, and not listed", class.module));
        let stale = self
            .0
            .keys()
            .filter(|class| all && !accepted.contains(class));
        let stale =
            stale.map(|class| format!("{}: `{class}` is listed, and never accepted", class.module));
        new.chain(stale).collect()
    }

    fn reason(&self, class: &Class) -> &str {
        self.0.get(class).map_or("", |reason| reason.trim())
    }
}

/// What is accepted of a class, of all traces.
#[derive(Default)]
struct Accepted {
    /// So many.
    accepted: usize,
    /// Of so many.
    tried: usize,
    /// The first one's event: `k61_writeback:84`.
    first: Option<String>,
}

/// Of each class that is not always refused.
fn accepted(found: &[Found]) -> BTreeMap<&Class, Accepted> {
    let mut classes: BTreeMap<&Class, Accepted> = BTreeMap::new();
    for found in found {
        for (class, figures) in &found.figures {
            let of_class = classes.entry(class).or_default();
            of_class.accepted += figures.tried - figures.refused;
            of_class.tried += figures.tried;
            let first = figures.accepted_at;
            let first = first.map(|line| format!("{}:{line}", found.name));
            of_class.first = of_class.first.take().or(first);
        }
    }
    classes.retain(|_, of_class| of_class.accepted > 0);
    classes
}

const HEAD: &str = "\
# Edits of the kernel's traces

Each trace in [tests/kernel](../tests/kernel/README.md) becomes the events of a specification; each of these is left out (drop), comes
twice (repeat), or changes places with the one behind it (swap); each number in its arguments and in what it has seen is one more (more)
and one less (less); and what is no number becomes what another event of the action has there (other). The machine is asked of each
trace with one such edit: so many it refuses, of so many. Written by `interlock edits --keep`.

| trace | specification | events | drop | repeat | swap | more | less | other | refused |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
";

const ACCEPTED: &str = "
## What is accepted

By classes, all traces together: the edit, the action, and the place or, of a swap, the action behind it; `at once` are two whose times
overlap, so that the trace itself leaves open which was first. The first one of each class is told by its trace and the line of its
event. The reasons are those of [tests/kernel/edits.toml](../tests/kernel/edits.toml).

| specification | class | accepted | of | first | why |
| --- | --- | --- | --- | --- | --- |
";

impl Found {
    /// Its line of the page.
    pub fn row(&self) -> String {
        let sum = |edit: Option<Edit>| {
            let figures = self.figures.iter();
            let figures = figures.filter(|(class, _)| edit == Some(class.edit) || edit.is_none());
            figures.fold((0, 0), |(refused, tried), (_, figures)| {
                (refused + figures.refused, tried + figures.tried)
            })
        };
        let cell = |edit| match sum(Some(edit)) {
            (_, 0) => "-".to_owned(),
            (refused, tried) => format!("{refused} of {tried}"),
        };
        let cells: Vec<String> = EDITS.map(cell).into();
        let (refused, tried) = sum(None);
        // Rounded down: only all of them are 100.
        let percent = refused * 1000 / tried.max(1);
        format!(
            "| {} | {} | {} | {} | {}.{} % |\n",
            self.name,
            self.module,
            self.events,
            cells.join(" | "),
            percent / 10,
            percent % 10
        )
    }
}

/// The page of what was found of every event of all traces.
pub fn page(found: &[Found], list: &List) -> String {
    let rows: String = found.iter().map(Found::row).collect();
    let classes = accepted(found).into_iter().map(|(class, of_class)| {
        let (module, reason) = (&class.module, list.reason(class));
        let (accepted, tried) = (of_class.accepted, of_class.tried);
        let first = of_class.first.unwrap_or_default();
        format!("| {module} | {class} | {accepted} | {tried} | {first} | {reason} |\n")
    });
    [HEAD, &rows, ACCEPTED].concat() + &classes.collect::<String>()
}

/// How a page differs from what is listed, and from the traces that are kept: a line for each. Its figures are not looked at.
pub fn stale(page: &str, kept: &[Kept], list: &List) -> Vec<String> {
    let other = (!page.starts_with(HEAD)).then(|| "the page begins otherwise".to_owned());
    let (traces, accepted) = page.split_once(ACCEPTED).unwrap_or((page, ""));
    let shown = accepted.lines().filter_map(|line| {
        let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
        let [module, class, _, _, _, why] =
            cells.split(" | ").collect::<Vec<_>>().try_into().ok()?;
        Some(format!("{module}: `{class}`: {why}"))
    });
    let shown: BTreeSet<String> = shown.collect();
    let listed = list.0.keys().map(|class| {
        let reason = list.reason(class);
        format!("{}: `{class}`: {reason}", class.module)
    });
    let listed: BTreeSet<String> = listed.collect();
    let missing = listed.difference(&shown);
    let missing = missing.map(|row| format!("listed, and not on the page: {row}"));
    let gone = shown.difference(&listed);
    let gone = gone.map(|row| format!("on the page, and not listed: {row}"));
    let unknown = kept.iter().filter(|kept| {
        let row = format!("| {} |", kept.name);
        !traces.lines().any(|line| line.starts_with(&row))
    });
    let unknown = unknown.map(|kept| format!("kept, and not on the page: {}", kept.name));
    other
        .into_iter()
        .chain(missing)
        .chain(gone)
        .chain(unknown)
        .collect()
}
