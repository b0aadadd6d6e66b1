//! The modules of `specs/`, in the order in which somebody reads them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::markdown;
use crate::places::Places;

/// The folder of the specifications.
const SPECS: &str = "specs";

/// A folder of specifications. Its paths are relative to the repository's root.
pub(crate) struct Area {
    pub(crate) folder: PathBuf,
    /// Its README.md and its text, if it has one.
    pub(crate) readme: Option<(PathBuf, String)>,
    pub(crate) modules: Vec<PathBuf>,
}

/// The areas: first those of which a chapter is, in the order of `chapters`, which are files in the order of the book.
///
/// # Errors
///
/// When a folder cannot be listed, or a README cannot be read.
pub(crate) fn areas(places: &Places, chapters: &[PathBuf]) -> Result<Vec<Area>> {
    let mut areas = Vec::new();
    for folder in entries(places, Path::new(SPECS))? {
        if places.on_disk(&folder).is_dir() {
            areas.push(area(places, folder)?);
        }
    }
    areas.retain(|area| !area.modules.is_empty());
    let is_of = |chapter: &PathBuf, area: &Area| chapter.file_stem() == area.folder.file_name();
    areas.sort_by_key(|area| {
        let place = chapters.iter().position(|chapter| is_of(chapter, area));
        place.unwrap_or(chapters.len())
    });
    Ok(areas)
}

/// Its README names the first modules; behind them are the others, by kind.
fn area(places: &Places, folder: PathBuf) -> Result<Area> {
    let files = entries(places, &folder)?;
    let mut modules: Vec<PathBuf> = files
        .iter()
        .filter(|file| file.extension().is_some_and(|is| is == "tla"))
        .cloned()
        .collect();
    let readme = folder.join("README.md");
    let readme = match files.contains(&readme) {
        true => Some((readme.clone(), read(places, &readme)?)),
        false => None,
    };
    let mut named = Vec::new();
    if let Some((file, text)) = &readme {
        for (_, target) in markdown::links(text)? {
            named.extend(places.meant(file, &target)?.map(|(meant, _)| meant));
        }
    }
    modules.sort_by_key(|module| {
        let name = module.file_stem().unwrap_or_default().to_string_lossy();
        let place = named.iter().position(|meant| meant == module);
        (place.unwrap_or(named.len()), kind(&name), name.into_owned())
    });
    Ok(Area {
        folder,
        readme,
        modules,
    })
}

/// Designs come first, then what has no kind, then the instances for engines and judges.
fn kind(module: &str) -> usize {
    let instances = ["MC", "AP", "Trace"];
    match instances
        .iter()
        .position(|prefix| module.starts_with(prefix))
    {
        Some(kind) => 2 + kind,
        None if module.ends_with("Policies") => 0,
        None => 1,
    }
}

/// What is in the folder, but what is hidden or made by a build, in alphabetic order.
///
/// # Errors
///
/// When it cannot be listed.
pub(crate) fn entries(places: &Places, folder: &Path) -> Result<Vec<PathBuf>> {
    let context = || format!("{}: it cannot be listed", folder.display());
    let mut entries = Vec::new();
    for entry in fs::read_dir(places.on_disk(folder)).with_context(context)? {
        let name = entry.with_context(context)?.file_name();
        if name != "target" && !name.to_string_lossy().starts_with('.') {
            entries.push(folder.join(name));
        }
    }
    entries.sort();
    Ok(entries)
}

/// The file's text.
///
/// # Errors
///
/// When it cannot be read.
pub(crate) fn read(places: &Places, file: &Path) -> Result<String> {
    fs::read_to_string(places.on_disk(file))
        .with_context(|| format!("{}: it cannot be read", file.display()))
}
