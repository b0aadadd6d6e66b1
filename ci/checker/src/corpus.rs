//! The files of `tests/corpus`, which the reference is compared with.

use std::path::{Path, PathBuf};

use crate::manifest::{Engine, Expect, Model};

/// A whole state graph.
pub(crate) const GRAPH: &str = ".graph";
/// A counterexample.
pub(crate) const TRACE: &str = ".itf.json";

/// The files' folder, relative to the repository's root.
pub(crate) const FOLDER: &str = "tests/corpus";

/// The file that runs of a model of TLC's are compared with, whether it is there or not. Which counterexample Apalache finds is its
/// solver's choice.
pub fn kept(root: &Path, model: &Model) -> Option<PathBuf> {
    (model.engine == Engine::Tlc && model.kept).then(|| root.join(FOLDER).join(file(model)))
}

/// The name of the file that is kept of a model.
pub(crate) fn file(model: &Model) -> String {
    format!("{}{}", model.name, suffix(model))
}

/// The kind of file that is kept of a model.
pub(crate) fn suffix(model: &Model) -> &'static str {
    match model.expect {
        Expect::Holds | Expect::Typed => GRAPH,
        Expect::Violates { .. } => TRACE,
    }
}
