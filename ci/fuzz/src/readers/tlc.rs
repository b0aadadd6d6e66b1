//! What TLC writes to its output: messages, a verdict and a counterexample, which is drawn.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::LazyLock;
use std::time::Duration;

use interlock_checker::manifest::{Manifest, Model};
use interlock_checker::process::{End, Stop};
use interlock_checker::verdict::{Outcome, Verdict};
use interlock_tla::counterexample::Counterexample;
use interlock_tla::messages::Output;
use interlock_tla::{Layout, itf, timeline};

use crate::{Target, files, root};

/// The first byte is the exit status, the others are the output.
pub const TARGET: Target = Target {
    name: "tlc",
    read,
    seeds,
};

/// The exit statuses of TLC, one of which each output comes with.
const STATUSES: [u8; 6] = [0, 10, 11, 12, 13, 75];

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let manifest = Manifest::load(&root().join("specs")).expect("the project's own");
    manifest.models.into_iter().next().expect("a model")
});

fn read(bytes: &[u8]) {
    let (status, output) = bytes.split_first().unwrap_or((&0, &[]));
    let output = Output::parse(&String::from_utf8_lossy(output));
    let end = End {
        stop: Stop::Exited(ExitStatus::from_raw(i32::from(*status) << 8)),
        took: Duration::ZERO,
        cpu: Duration::ZERO,
        peak: 0,
    };
    let verdict = Verdict::new(&MODEL, end, &output, "", true);
    if let Outcome::Error { why } | Outcome::Inconclusive { why } = &verdict.outcome {
        assert!(!why.is_empty());
    }
    match Counterexample::from_messages(&output.messages) {
        Err(error) => super::names(&error, "in TLC's message "),
        Ok(None) => {}
        Ok(Some(found)) => {
            let numbers = found.states.iter().map(|state| state.number);
            assert!(
                numbers.eq(1..=found.states.len()),
                "states have their numbers"
            );
            found.repeated();
            let layout = Layout {
                variables: vec!["pc".into()],
                ..Layout::default()
            };
            // A counterexample without this variable cannot be drawn.
            let _ = timeline::render(&found, &layout, None);
            if let Ok(json) = itf::to_json(&found, "fuzzed") {
                itf::from_json(&json.to_string()).expect("what is written is read");
            }
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let recorded = files(&root().join("ci/tla/tests/traces"), ".out");
    let with = |output: Vec<u8>| STATUSES.map(|status| [&[status][..], &output].concat());
    recorded.into_iter().flat_map(with).collect()
}
