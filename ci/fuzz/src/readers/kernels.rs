//! The record of what kernels did, `docs/kernels.json`: the rack's reader, its page, and the manifest's reader.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use interlock_checker::manifest::{Manifest, RECORD};
use interlock_rack::page;
use interlock_rack::record::{Kernel, Record};
use tempfile::TempDir;

use crate::{Target, root};

use super::manifest::SMALL;
use super::names;

/// The bytes are the file.
pub const TARGET: Target = Target {
    name: "kernels",
    read,
    seeds,
};

thread_local! {
    /// A project of one model.
    static PROJECT: LazyCell<(TempDir, PathBuf)> = LazyCell::new(|| {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let area = dir.path().join("specs/rwsem");
        fs::create_dir_all(&area).expect("a folder");
        fs::create_dir_all(dir.path().join("docs")).expect("a folder");
        fs::write(area.join("MCRwsem.tla"), "").expect("there is room");
        fs::write(area.join("models.toml"), SMALL).expect("there is room");
        let specs = dir.path().join("specs");
        (dir, specs)
    });
}

fn read(bytes: &[u8]) {
    PROJECT.with(|project| {
        let (root, specs) = (project.0.path(), &project.1);
        fs::write(root.join(RECORD), bytes).expect("there is room");
        let manifest = Manifest::load(specs);
        if let Err(error) = &manifest {
            names(error, RECORD);
        }
        match Record::load(root) {
            Err(error) => names(&error, RECORD),
            Ok(record) => {
                // What a table shows is in the record.
                let manifest = manifest.expect("the manifest reads a part of it");
                for (area, design) in manifest.measured.keys() {
                    let name = format!("{area}/{design}");
                    let mut kernels = record.kernels.values();
                    assert!(kernels.any(|kernel| kernel.measured.contains_key(&name)));
                }
                let text = page::text(&record);
                assert!(text.ends_with('\n') && !text.contains('\r'));
                record.store(root).expect("there is room");
                let again = Record::load(root).expect("what is written is read");
                assert_eq!(page::text(&again), text);
            }
        }
    });
}

/// One seed a kernel, with a few of what it has of each.
fn seeds() -> Vec<Vec<u8>> {
    fn first<T>(all: BTreeMap<String, T>) -> BTreeMap<String, T> {
        all.into_iter().take(3).collect()
    }
    let record = Record::load(&root()).expect("the project's own");
    let seed = |(version, kernel): (String, Kernel)| {
        let kernel = Kernel {
            plans: first(kernel.plans),
            traces: first(kernel.traces),
            measured: first(kernel.measured),
            ..kernel
        };
        let record = Record {
            kernels: BTreeMap::from([(version, kernel)]),
        };
        serde_json::to_vec_pretty(&record).expect("JSON")
    };
    record.kernels.into_iter().map(seed).collect()
}
