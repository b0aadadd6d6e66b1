//! Plans that guests play.

use interlock_rack::plan::Plan;

use crate::{Target, files, root};

/// The bytes are the file.
pub const TARGET: Target = Target {
    name: "plan",
    read,
    seeds,
};

fn read(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match Plan::parse(&text) {
        Ok(plan) => {
            let again = Plan::parse(&plan.to_string()).expect("what is written is read");
            assert_eq!(again, plan);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn seeds() -> Vec<Vec<u8>> {
    files(&root().join("ci/rack/plans"), ".plan")
}
