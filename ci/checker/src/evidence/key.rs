//! What decides what an engine finds: the program, how it is started, and everything that it reads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::toolchain::hex_sha256;

/// Environment variables that add options to every JVM.
const ENVIRONMENT: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

/// Modules that come with TLC. One of the same name in a specification's folder takes its place wherever another of them extends
/// it.
const STANDARD: [&str; 11] = [
    "Bags",
    "FiniteSets",
    "Integers",
    "Naturals",
    "ProtoReals",
    "Randomization",
    "RealTime",
    "Reals",
    "Sequences",
    "TLC",
    "Toolbox",
];

/// The digest of all that decides a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(String);

/// What decides a run.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The program: its kind, version and digest.
    pub program: &'a [String],
    /// Its arguments that say what it does; not where its files are.
    pub arguments: &'a [String],
    /// Its configuration.
    pub cfg: &'a str,
    /// The folder of the specification.
    pub folder: &'a Path,
    /// The root module.
    pub module: &'a str,
}

impl Key {
    /// The key of a question, by the files as they are now.
    ///
    /// # Errors
    ///
    /// When a file of the specification cannot be read.
    pub fn of(question: &Question) -> Result<Key> {
        let environment: Vec<String> = ENVIRONMENT
            .iter()
            .map(|name| format!("{:?}", std::env::var_os(name)))
            .collect();
        let modules = closure(question.folder, question.module)?;
        // Each part is quoted, so that none runs over into the next.
        let text = format!(
            "1 {:?} {:?} {environment:?} {:?} {:?} {modules:?}",
            question.program, question.arguments, question.cfg, question.module
        );
        Ok(Key(hex_sha256(text.as_bytes())))
    }

    /// In hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.0
    }
}

/// The digests of the root module and of each module of the folder that one of them may take in. That is asked of no parser:
/// whatever has the name of a module counts, in a comment too.
fn closure(folder: &Path, root: &str) -> Result<BTreeMap<String, String>> {
    let list = fs::read_dir(folder)
        .and_then(|files| files.collect::<Result<Vec<_>, _>>())
        .with_context(|| format!("{} cannot be listed", folder.display()))?;
    let there: BTreeSet<String> = list
        .iter()
        .filter_map(|file| {
            file.file_name()
                .to_str()?
                .strip_suffix(".tla")
                .map(str::to_owned)
        })
        .collect();
    let standard = STANDARD.iter().map(|name| (*name).to_owned());
    let mut todo: Vec<String> = standard.filter(|name| there.contains(name)).collect();
    todo.push(root.to_owned());
    let mut closure = BTreeMap::new();
    while let Some(name) = todo.pop() {
        if closure.contains_key(&name) {
            continue;
        }
        let path = folder.join(format!("{name}.tla"));
        let bytes =
            fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        todo.extend(
            words
                .filter(|word| there.contains(*word))
                .map(str::to_owned),
        );
        closure.insert(name, hex_sha256(&bytes));
    }
    Ok(closure)
}
