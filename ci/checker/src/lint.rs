//! What makes a check vacuous, or leaves a table or a cfg out of date: found before any model runs.
//!
//! `row` looks at one model, `probe` at what shows that it is not vacuous, `names` compares it with its module, `across` compares models with each other: `controls` what holds
//! with what is violated, `designs` those of one design, `follows` those that need not run, `induction` those that one induction takes, `counts` with their locks. `unread`
//! finds definitions that no model reads. `files` looks at what lies in `specs/` and at the READMEs.

mod across;
mod controls;
mod counts;
mod designs;
pub(crate) mod files;
mod follows;
mod induction;
mod names;
mod probe;
mod row;
mod unread;

use std::collections::BTreeMap;
use std::fmt;

use crate::manifest::{Manifest, Model, claims};
use interlock_tla::module::{self, Shape};

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The model it is about, if it is about one.
    pub model: Option<String>,
    /// The file it is in, relative to the repository's root, with `/`.
    pub file: String,
    /// The line in `file`, from 1.
    pub line: usize,
    /// The rule's name, e.g. `missing-probe`.
    pub rule: &'static str,
    /// What is wrong, and the cure in parentheses.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self {
            file,
            line,
            rule,
            message,
            ..
        } = self;
        write!(f, "{file}:{line}: {rule}: {message}")
    }
}

/// Every fault of the manifest, of the modules that it names and of the tables printed from it; by file and line.
pub fn lint(manifest: &Manifest) -> Vec<Finding> {
    let mut lint = Lint {
        manifest,
        modules: BTreeMap::new(),
        findings: Vec::new(),
    };
    lint.read_modules();
    for model in &manifest.models {
        row::check(&mut lint, model);
        probe::check(&mut lint, model);
        names::check_model(&mut lint, model);
    }
    for module in &manifest.modules {
        names::check_module(&mut lint, module);
    }
    across::check(&mut lint);
    controls::check(&mut lint);
    designs::check(&mut lint);
    follows::check(&mut lint);
    counts::check(&mut lint);
    induction::check(&mut lint);
    unread::check(&mut lint);
    files::check(&mut lint);
    let mut findings = lint.findings;
    findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    findings
}

struct Lint<'a> {
    manifest: &'a Manifest,
    /// By area and name; without those that cannot be read.
    modules: BTreeMap<(String, String), module::Module>,
    findings: Vec<Finding>,
}

impl Lint<'_> {
    fn read_modules(&mut self) {
        for module in &self.manifest.modules {
            let directory = self.manifest.specs.join(&module.area);
            match module::Module::read(&directory, &module.name) {
                Ok(read) => {
                    self.modules
                        .insert((module.area.clone(), module.name.clone()), read);
                }
                Err(error) => self.at(
                    &claims(&module.area),
                    module.line,
                    "unreadable-module",
                    format!("{error:#}"),
                ),
            }
        }
    }

    fn module(&self, model: &Model) -> Option<&module::Module> {
        self.modules
            .get(&(model.area.clone(), model.module.clone()))
    }

    /// The shape of an operator of the model's module; `None` when it is not defined there, which is a finding of its own.
    fn shape(&self, model: &Model, operator: &str) -> Option<Shape> {
        self.module(model)
            .filter(|module| module.defines(operator))
            .map(|module| module.shape(operator))
    }

    fn report(&mut self, model: &Model, rule: &'static str, message: String) {
        let message = format!("model `{}`: {message}", model.name);
        let (file, line) = (model.file.clone(), model.line);
        self.findings.push(Finding {
            model: Some(model.name.clone()),
            file,
            line,
            rule,
            message,
        });
    }

    fn at(&mut self, file: &str, line: usize, rule: &'static str, message: String) {
        self.findings.push(Finding {
            model: None,
            file: file.to_owned(),
            line,
            rule,
            message,
        });
    }
}
