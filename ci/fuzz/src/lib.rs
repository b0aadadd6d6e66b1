//! Targets for fuzzers: each reads bytes as if a stranger had written them, and panics if the reader does not keep its promise.
//!
//! The promise: no panic, whatever the bytes; an error that names the place; and what was read, written again and read again, is the
//! same. That a reader ends, and in bounded memory, is for who runs a target to see. `tests/bounded.rs` does so with a fixed number of
//! changed seeds in each `make test`, and `make fuzz` with libFuzzer for as long as one likes.

mod readers;

use std::fs;
use std::path::{Path, PathBuf};

/// A reader, and what a fuzzer begins with.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, which its folder of `corpus/` has too.
    pub name: &'static str,
    /// Reads the bytes. Panics if a promise is broken.
    pub read: fn(&[u8]),
    seeds: fn() -> Vec<Vec<u8>>,
}

/// All of them.
pub const TARGETS: [Target; 17] = [
    readers::log::TARGET,
    readers::kernel::TARGET,
    readers::recording::TARGET,
    readers::itf::TARGET,
    readers::value::TARGET,
    readers::tlc::TARGET,
    readers::edges::TARGET,
    readers::apalache::TARGET,
    readers::tla_checker::TARGET,
    readers::manifest::TARGET,
    readers::kernels::TARGET,
    readers::report::TARGET,
    readers::evidence::TARGET,
    readers::plan::TARGET,
    readers::guest::TARGET,
    readers::nbd::TARGET,
    readers::modules::TARGET,
];

impl Target {
    /// The target of this name.
    pub fn named(name: &str) -> Option<Target> {
        TARGETS.into_iter().find(|target| target.name == name)
    }

    /// What a fuzzer begins with: bytes that the reader takes, and those of `corpus/` that one has found.
    ///
    /// # Panics
    /// If a file of the project cannot be read.
    pub fn corpus(&self) -> Vec<Vec<u8>> {
        let found = root().join("ci/fuzz/corpus").join(self.name);
        let mut corpus = (self.seeds)();
        if found.is_dir() {
            corpus.extend(files(&found, ""));
        }
        corpus
    }
}

/// The project's folder.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the project's folder is there")
}

/// What the files of a folder hold whose names end so, in the order of their names.
fn files(folder: &Path, ending: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_wanted = |path: &PathBuf| path.is_file() && path.to_string_lossy().ends_with(ending);
    let mut paths: Vec<PathBuf> = paths.filter(is_wanted).collect();
    paths.sort();
    let read =
        |path: &PathBuf| fs::read(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    paths.iter().map(read).collect()
}
