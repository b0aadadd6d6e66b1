//! What is generated in the documentation: tables in READMEs and in the book, a cfg beside each module, state diagrams, and pictures of
//! counterexamples.
//!
//! `interlock lint` finds tables, cfgs and diagrams that are out of date, `interlock check` pictures; [`update`] brings all up to date.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cfg;
use crate::explain::picture;
use crate::lint::files;
use crate::manifest::Manifest;
use crate::states;
use crate::table;
use crate::trace;
use crate::whole::write_whole;

/// Writes every table, cfg, diagram and picture anew, and returns the files that have changed. The pictures' models are run, with their
/// files in `out`.
///
/// # Errors
///
/// A page's marker that names no table, a cfg or a picture of no model, a diagram of no task, a model without a counterexample, a file that cannot
/// be read or written.
pub fn update(root: &Path, manifest: &Manifest, out: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![("README.md".to_owned(), root.join("README.md"))];
    for folder in ["specs", "docs"] {
        let path = root.join(folder);
        files::walk(&path, folder, &mut found)
            .with_context(|| format!("{} cannot be listed", path.display()))?;
    }
    let mut changed = Vec::new();
    for (shown, path) in found {
        let read = || fs::read_to_string(&path).with_context(|| format!("{shown} cannot be read"));
        if files::is_page(&shown) {
            let text = read()?;
            let new = table::update(manifest, &text).with_context(|| shown.clone())?;
            write(&path, &text, &new, &mut changed)?;
        } else if shown.ends_with(".cfg") {
            let text = read()?;
            let name = text.lines().next().and_then(cfg::model_name);
            let model = name
                .and_then(|name| manifest.model(name))
                .with_context(|| {
                    format!("{shown}:1: names no model (write it with `interlock cfg MODEL`)")
                })?;
            write(&path, &text, &cfg::text(model, false), &mut changed)?;
        }
    }
    for area in &manifest.areas {
        if let Some(new) = states::draw(manifest, area)? {
            let path = root.join(states::file(&area.name));
            let old = fs::read_to_string(&path).unwrap_or_default();
            write(&path, &old, &new, &mut changed)?;
        }
    }
    for model in &manifest.models {
        if let Some(path) = picture(root, model) {
            let traced = trace::trace(root, &manifest.specs, &model.name, out)?;
            let (_, dir) = traced
                .counterexample
                .with_context(|| format!("{} shows no counterexample", path.display()))?;
            let old = fs::read_to_string(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            let new = fs::read_to_string(dir.join("trace.svg"))
                .with_context(|| format!("{} has no picture", dir.display()))?;
            write(&path, &old, &new, &mut changed)?;
        }
    }
    Ok(changed)
}

fn write(path: &Path, old: &str, new: &str, changed: &mut Vec<PathBuf>) -> Result<()> {
    if old != new {
        let dir = path.parent().context("a file has a directory")?;
        let name = path.file_name().context("a file has a name")?;
        write_whole(dir, &name.to_string_lossy(), new)?;
        changed.push(path.to_owned());
    }
    Ok(())
}
