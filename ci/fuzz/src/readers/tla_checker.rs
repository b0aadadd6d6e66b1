//! What tla-checker writes to its output: lines about the specification, and a report as JSON.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::LazyLock;
use std::time::Duration;

use interlock_checker::manifest::{Engine, Manifest, Model};
use interlock_checker::process::{End, Stop};
use interlock_checker::tla_checker::verdict;
use interlock_checker::verdict::Outcome;

use crate::{Target, files, root};

/// The first byte is the exit status, the others are the standard output and, behind [`STDERR`], the standard error.
pub const TARGET: Target = Target {
    name: "tla-checker",
    read,
    seeds,
};

/// What stands between the two outputs.
const STDERR: &str = "\n# stderr\n";

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
    let (status, output) = bytes.split_first().unwrap_or((&0, &[]));
    let output = String::from_utf8_lossy(output);
    let (stdout, stderr) = output.split_once(STDERR).unwrap_or((&output, ""));
    let end = End {
        stop: Stop::Exited(ExitStatus::from_raw(i32::from(*status) << 8)),
        took: Duration::ZERO,
        cpu: Duration::ZERO,
        peak: 0,
    };
    let found = verdict::found(&MODEL, end, stdout, stderr);
    match found.outcome {
        Outcome::Holds => {
            let passes_over = |line: &str| line.contains("Warning:") && line.contains("ignoring");
            assert!(*status == 0 && !stderr.lines().any(passes_over));
            // It has said of how many states it was true.
            let states = found.totals.expect("they are counted").distinct;
            assert!(stdout.contains(&format!("\"satisfied\": {states}")));
        }
        Outcome::Violates { property, .. } => {
            assert!(*status == 1 && stdout.contains(&property) || property == "Deadlock");
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
