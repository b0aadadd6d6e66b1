//! The models that a reproduction cites, and how they are asked for.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use interlock_checker::check;
use interlock_checker::select::Selection;

/// The run of these models.
pub(crate) fn models(root: &Path, names: Vec<String>, out: &Path) -> check::Request {
    check::Request {
        selection: Selection {
            names,
            ..Selection::default()
        },
        failed: false,
        shard: None,
        distributed: None,
        required: Vec::new(),
        specs: root.join("specs"),
        bless: false,
        jobs: NonZero::new(2).expect("not 0"),
        fresh: false,
        fail_fast: false,
        verbose: true,
        out: PathBuf::from(out),
    }
}
