//! Definitions that nothing reads: no row does, so that none of their mutants is made, and no trace module.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use interlock_tla::edges::SHORT;
use interlock_tla::module::Site;

use super::files::walk;
use super::names::operators;
use super::{Lint, module};

/// Begins the names of modules that take a trace.
const TRACE: &str = "Trace";

/// Ends the name, in small letters, of a definition that only carries type aliases for Apalache.
const ALIASES: &str = "aliases";

pub(super) fn check(lint: &mut Lint) {
    let mut defined = BTreeSet::new();
    let mut read = BTreeSet::new();
    let mut named: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
    for model in &lint.manifest.models {
        let of_module = named.entry((model.area.clone(), model.module.clone()));
        let of_row = operators(model).into_iter().map(|(_, operator)| operator);
        of_module.or_default().extend(of_row);
    }
    for (module, operators) in named {
        if let Some(module) = lint.modules.get(&module) {
            read.extend(module.sites_read(operators.into_iter().chain([SHORT])));
            defined.extend(module.sites());
        }
    }
    for (area, name, path) in others(lint, &defined) {
        let folder = lint.manifest.specs.join(area);
        let traces = lint.manifest.specs.join("trace");
        // What cannot be read is a finding elsewhere, or TLC's.
        let Ok(module) = module::Module::read_from(&[&folder, &traces], &name) else {
            continue;
        };
        let own = module.sites().into_iter().filter(|site| site.path == path);
        if name.starts_with(TRACE) {
            let own: Vec<String> = own.map(|site| site.name).collect();
            read.extend(module.sites_read(own.iter().map(String::as_str)));
        } else {
            defined.extend(own);
        }
    }
    let unread = defined.difference(&read);
    for site in unread.filter(|site| !site.name.to_lowercase().ends_with(ALIASES)) {
        let shown = site
            .path
            .strip_prefix(lint.manifest.base())
            .unwrap_or(&site.path);
        let message = format!(
            "no row reads {}, so that nothing is shown of it (remove it, or add a row)",
            site.name
        );
        let shown = shown.display().to_string();
        lint.at(&shown, site.line, "unread-definition", message);
    }
}

/// The modules of the areas, each with its area and file, that no module of a row takes.
fn others(lint: &Lint, taken: &BTreeSet<Site>) -> Vec<(String, String, PathBuf)> {
    let taken: BTreeSet<&PathBuf> = taken.iter().map(|site| &site.path).collect();
    let mut others = Vec::new();
    for area in &lint.manifest.areas {
        let mut files = Vec::new();
        if walk(&lint.manifest.specs.join(&area.name), "", &mut files).is_err() {
            continue;
        }
        for (_, path) in files {
            let is_module = path.extension().is_some_and(|extension| extension == "tla");
            if let Some(name) = path.file_stem().and_then(|stem| stem.to_str())
                && is_module
                && !taken.contains(&path)
            {
                others.push((area.name.clone(), name.to_owned(), path));
            }
        }
    }
    others
}
