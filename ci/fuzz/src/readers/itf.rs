//! Counterexamples as ITF, the project's own and Apalache's.

use interlock_tla::itf;

use crate::{Target, files, root};

/// The bytes are the JSON.
pub const TARGET: Target = Target {
    name: "itf",
    read,
    seeds,
};

/// Larger counterexamples are no seeds.
const LARGEST: usize = 4000;

fn read(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(found) = itf::from_apalache(&text, "Inv") {
        assert!(!found.states.is_empty());
    }
    let Ok(found) = itf::from_json(&text) else {
        return;
    };
    // A text that is both a string and a model value is not written.
    if let Ok(json) = itf::to_json(&found, "fuzzed") {
        let again = itf::from_json(&json.to_string()).expect("what is written is read");
        assert_eq!(again, found);
    }
    // What draws a counterexample looks at each part of it.
    found.repeated();
}

fn seeds() -> Vec<Vec<u8>> {
    let mut kept = files(&root().join("tests/corpus"), ".itf.json");
    kept.retain(|json| json.len() <= LARGEST);
    kept
}
