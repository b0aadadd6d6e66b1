//! What lies in `specs/` that no row accounts for, and tables and diagrams that are not what the claims
//! and the corpus give.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Lint;
use crate::corpus::{FOLDER, GRAPH, TRACE, file};
use crate::explain::PICTURES;
use crate::manifest::claims;
use crate::{cfg, states, table};

pub(super) fn check(lint: &mut Lint) {
    let specs = lint.manifest.specs.clone();
    let mut pages = vec![("README.md".to_owned(), specs.with_file_name("README.md"))];
    let mut files = Vec::new();
    if let Err(error) = walk(&specs, "specs", &mut files) {
        lint.at(
            "specs",
            1,
            "unreadable-file",
            format!("cannot list it: {error} (look at its permissions)"),
        );
    }
    for (shown, path) in files {
        let name = shown.rsplit('/').next().unwrap_or_default().to_owned();
        if name.contains("_TTrace_") {
            lint.at(
                &shown,
                1,
                "debris",
                "a trace that TLC left (remove it)".into(),
            );
        } else if name.ends_with(".cfg") {
            configuration(lint, &shown, &path);
        } else if is_page(&shown) {
            pages.push((shown, path));
        } else if ["MC", "AP"].iter().any(|root| name.starts_with(root)) && name.ends_with(".tla") {
            root_module(lint, &shown);
        }
    }
    let docs = specs.with_file_name("docs");
    if docs.is_dir() && walk(&docs, "docs", &mut pages).is_err() {
        let message = "cannot list it (look at its permissions)".into();
        lint.at("docs", 1, "unreadable-file", message);
    }
    for (shown, path) in pages.into_iter().filter(|(shown, _)| is_page(shown)) {
        page(lint, &shown, &path);
    }
    corpus(lint);
    diagrams(lint);
}

/// The state diagrams are those of the graphs in the corpus, and each is one that claims declare.
fn diagrams(lint: &mut Lint) {
    let manifest = lint.manifest;
    let declared = manifest.areas.iter().filter(|area| area.states.is_some());
    let declared: BTreeSet<String> = declared.map(|area| states::file(&area.name)).collect();
    for area in &manifest.areas {
        let text = match states::draw(manifest, area) {
            Ok(None) => continue,
            Ok(Some(text)) => text,
            Err(error) => {
                let message = format!("its state diagram cannot be drawn: {error:#}");
                lint.at(&claims(&area.name), area.line, "stale-diagram", message);
                continue;
            }
        };
        let file = states::file(&area.name);
        if fs::read_to_string(manifest.base().join(&file)).ok() != Some(text) {
            let message = "is not the diagram of the graph in the corpus (run `make docs`)";
            lint.at(&file, 1, "stale-diagram", message.into());
        }
    }
    let mut files = Vec::new();
    let folder = manifest.base().join(PICTURES);
    if folder.is_dir() && walk(&folder, PICTURES, &mut files).is_err() {
        let message = "cannot list it (look at its permissions)".into();
        lint.at(PICTURES, 1, "unreadable-file", message);
    }
    let is_diagram = |shown: &String| shown.starts_with(&format!("{PICTURES}/states-"));
    for (shown, _) in files.into_iter().filter(|(shown, _)| is_diagram(shown)) {
        if !declared.contains(&shown) {
            let message = "no claims have a [states] for it (add one, or remove the file)";
            lint.at(&shown, 1, "stale-diagram", message.into());
        }
    }
}

/// The corpus has the file of each model that is kept, and no other's: one that is deleted would be compared no more.
fn corpus(lint: &mut Lint) {
    let manifest = lint.manifest;
    let folder = manifest.base().join(FOLDER);
    let kept = || manifest.models.iter().filter(|model| model.kept);
    for model in kept().filter(|model| !folder.join(file(model)).is_file()) {
        let message = format!(
            "is `kept`, but {FOLDER}/{} is not there (write it with `interlock graph {}`, or say it is not kept)",
            file(model),
            model.name
        );
        lint.report(model, "corpus", message);
    }
    let names: BTreeSet<String> = kept().map(file).collect();
    let mut files = Vec::new();
    if folder.is_dir() && walk(&folder, FOLDER, &mut files).is_err() {
        let message = "cannot list it (look at its permissions)".into();
        lint.at(FOLDER, 1, "unreadable-file", message);
    }
    for (shown, _) in files {
        let name = shown.rsplit('/').next().unwrap_or_default();
        if [GRAPH, TRACE].iter().any(|kind| name.ends_with(kind)) && !names.contains(name) {
            let message = "no model that is `kept` has this file (say `kept = true` in its row, or remove the file)";
            lint.at(&shown, 1, "corpus", message.into());
        }
    }
}

/// Whether a file may have generated tables: a README, or any page of the book.
pub(crate) fn is_page(shown: &str) -> bool {
    let of_book = shown.starts_with("docs/") && shown.ends_with(".md");
    of_book || shown.rsplit('/').next() == Some("README.md")
}

/// Every file beneath `directory`, as it is shown and where it is, in alphabetic order.
pub(crate) fn walk(
    directory: &Path,
    shown: &str,
    files: &mut Vec<(String, PathBuf)>,
) -> io::Result<()> {
    let mut entries = fs::read_dir(directory)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let shown = format!("{shown}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &shown, files)?;
        } else {
            files.push((shown, entry.path()));
        }
    }
    Ok(())
}

fn root_module(lint: &mut Lint, shown: &str) {
    let used = |area: &str, name: &str| shown == format!("specs/{area}/{name}.tla");
    if !lint
        .manifest
        .models
        .iter()
        .any(|model| used(&model.area, &model.module))
    {
        lint.at(
            shown,
            1,
            "unused-module",
            "a root module that no model runs on (add a model, or remove the file)".into(),
        );
    }
}

/// A committed cfg is the one that its row prints.
fn configuration(lint: &mut Lint, shown: &str, path: &Path) {
    let Some(text) = read(lint, shown, path) else {
        return;
    };
    let Some(name) = text.lines().next().and_then(cfg::model_name) else {
        let message =
            "names no model in its first line (remove it, or write it with `interlock cfg MODEL`)"
                .into();
        return lint.at(shown, 1, "debris", message);
    };
    let Some(model) = lint.manifest.model(name) else {
        let message = format!(
            "its model `{name}` is not there (remove it, or write it with `interlock cfg MODEL`)"
        );
        return lint.at(shown, 1, "stale-cfg", message);
    };
    let expected = cfg::text(model, false);
    if text != expected {
        let line = text
            .lines()
            .zip(expected.lines())
            .take_while(|(is, should)| is == should)
            .count()
            + 1;
        let message = format!("is not the cfg of model `{name}` (run `make docs`)");
        lint.at(shown, line, "stale-cfg", message);
    }
}

fn page(lint: &mut Lint, shown: &str, path: &Path) {
    if !path.exists() {
        return;
    }
    let Some(text) = read(lint, shown, path) else {
        return;
    };
    match table::update(lint.manifest, &text) {
        Ok(updated) if updated == text => {}
        Ok(updated) => {
            let line = text
                .lines()
                .zip(updated.lines())
                .take_while(|(is, should)| is == should)
                .count()
                + 1;
            let message = "its table is not what the claims give (run `make docs`)".into();
            lint.at(shown, line, "stale-table", message);
        }
        Err(error) => lint.at(shown, error.line, "stale-table", error.message),
    }
}

fn read(lint: &mut Lint, shown: &str, path: &Path) -> Option<String> {
    match fs::read_to_string(path) {
        Ok(text) => Some(text),
        Err(error) => {
            lint.at(
                shown,
                1,
                "unreadable-file",
                format!("cannot read it: {error} (look at its permissions and encoding)"),
            );
            None
        }
    }
}
