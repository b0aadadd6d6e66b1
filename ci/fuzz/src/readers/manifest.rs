//! What a folder of specifications claims, and its lock.

use std::cell::LazyCell;
use std::fs;
use std::path::PathBuf;

use interlock_checker::manifest::Manifest;
use tempfile::TempDir;

use crate::{Target, root};

/// The bytes are `models.toml`, and behind [`LOCK`] `models.lock`.
pub const TARGET: Target = Target {
    name: "manifest",
    read,
    seeds,
};

/// What stands between the two files.
const LOCK: &[u8] = b"\n# lock\n";

/// A manifest of one model.
pub(super) const SMALL: &str = "[area]\ntitle = \"t\"\nseed = \"s\"\nswimlanes = [\"pc\"]\n\n[size]\nRW = { Readers = \"{r}\", silent = [\"Spin\"] }\n\n\
        [module.MCRwsem]\nactions = [\"Enter\", \"Spin\"]\nconstants = { N = \"2\" }\n\n[module.MCRwsem.check]\n\
        safety = { invariants = [\"TypeOK\"], deadlock = true }\n\n[[design]]\nname = \"Fifo\"\nmodule = \"MCRwsem\"\nstands_for = \"x\"\n\
        models = [{ size = \"RW\", holds = \"safety\", budget = 9 }]\n\n[[second]]\nengine = \"tla-checker\"\nmodels = [\"Fifo-RW-safety\"]\n";

/// The area that a fuzzed manifest is of, whose modules are there.
const AREA: &str = "rwsem";

thread_local! {
    static SPECS: LazyCell<(TempDir, PathBuf)> = LazyCell::new(|| {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let area = dir.path().join("specs").join(AREA);
        fs::create_dir_all(&area).expect("a folder");
        for entry in fs::read_dir(root().join("specs").join(AREA)).expect("it is there") {
            let name = entry.expect("an entry").file_name();
            if name.to_string_lossy().ends_with(".tla") {
                fs::write(area.join(name), "").expect("there is room");
            }
        }
        (dir, area)
    });
}

fn read(bytes: &[u8]) {
    let at = bytes.windows(LOCK.len()).position(|part| part == LOCK);
    let (claims, lock) = match at {
        Some(at) => (&bytes[..at], &bytes[at + LOCK.len()..]),
        None => (bytes, &[][..]),
    };
    SPECS.with(|specs| {
        let area = &specs.1;
        fs::write(area.join("models.toml"), claims).expect("there is room");
        fs::write(area.join("models.lock"), lock).expect("there is room");
        match Manifest::load(area.parent().expect("specs")) {
            Err(error) => super::names(&error, "rwsem/models."),
            Ok(manifest) => {
                for model in &manifest.models {
                    manifest.module(model);
                    manifest.stands_for(model);
                    manifest.tasks(&model.area, &model.size);
                }
            }
        }
    });
}

fn seeds() -> Vec<Vec<u8>> {
    let folder = root().join("specs").join(AREA);
    let text = |name| fs::read(folder.join(name)).expect("it is there");
    let lock = "Fifo-RW-safety = { distinct = 12, total = 40, witness = 3 }\n";
    vec![
        [SMALL.as_bytes(), LOCK, lock.as_bytes()].concat(),
        [&text("models.toml")[..], LOCK, &text("models.lock")].concat(),
    ]
}
