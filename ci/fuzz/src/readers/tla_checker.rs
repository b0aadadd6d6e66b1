//! What tla-checker writes to its output: lines about the specification, and a report as JSON.

use std::sync::LazyLock;

use interlock_checker::manifest::{Engine, Manifest, Model};
use interlock_checker::tla_checker::verdict;
use interlock_checker::verdict::Outcome;

use super::printed::Printed;
use crate::{Target, files, root};

/// Of a [`Printed`].
pub const TARGET: Target = Target {
    name: "tla-checker",
    read,
    seeds,
};

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let manifest = Manifest::load(&root().join("specs")).expect("the project's own");
    let mut models = manifest.models.into_iter();
    let model = models.find(|model| model.engine == Engine::TlaChecker);
    Model {
        // Of the recorded outputs.
        invariants: vec!["Mutex".into()],
        property: None,
        ..model.expect("a second opinion")
    }
});

fn read(bytes: &[u8]) {
    let printed = Printed::of(bytes);
    let (status, (stdout, stderr)) = (printed.status, printed.outputs());
    let found = verdict::found(&MODEL, printed.end(), stdout, stderr);
    match found.outcome {
        Outcome::Holds => {
            let passes_over = |line: &str| line.contains("Warning:") && line.contains("ignoring");
            assert!(status == 0 && !stderr.lines().any(passes_over));
            // It has said of how many states it was true.
            let states = found.totals.expect("they are counted").distinct;
            assert!(stdout.contains(&format!("\"satisfied\": {states}")));
        }
        Outcome::Violates { property, .. } => {
            assert!(status == 1 && stdout.contains(&property) || property == "Deadlock");
        }
        Outcome::Typed => panic!("it knows no types"),
        Outcome::Inconclusive { why } | Outcome::Error { why } => assert!(!why.is_empty()),
    }
}

/// What 0.24.11 has printed of `ci/tests/specs/demo`, with each of its exit statuses.
fn seeds() -> Vec<Vec<u8>> {
    let recorded = files(&root().join("ci/fuzz/outputs/tla-checker"), ".txt");
    let with = |output: Vec<u8>| [0, 1].map(|status| [&[status][..], &output].concat());
    recorded.into_iter().flat_map(with).collect()
}
