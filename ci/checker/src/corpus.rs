//! The files of `tests/corpus`, which the reference is compared with.

use std::path::{Path, PathBuf};

use crate::manifest::{Engine, Expect, Model};

/// A whole state graph.
pub(crate) const GRAPH: &str = ".graph";
/// A counterexample.
pub(crate) const TRACE: &str = ".itf.json";

/// The file in `tests/corpus` that is kept of a model of TLC's.
pub fn kept(root: &Path, model: &Model) -> Option<PathBuf> {
    let name = format!("{}{}", model.name, suffix(model));
    let path = root.join("tests/corpus").join(name);
    (model.engine == Engine::Tlc && path.is_file()).then_some(path)
}

/// The kind of file that is kept of a model.
pub(crate) fn suffix(model: &Model) -> &'static str {
    match model.expect {
        Expect::Holds | Expect::Typed => GRAPH,
        Expect::Violates { .. } => TRACE,
    }
}
