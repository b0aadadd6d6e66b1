//! A JVM that stays finds of each model what one of its own finds, whatever it has run before.

mod runner;

use std::collections::BTreeMap;

use interlock_checker::manifest::{Manifest, Model};
use interlock_checker::resident::Resident;
use interlock_checker::tlc::{Ask, Tlc};
use interlock_checker::verdict::{Outcome, Totals};
use runner::{root, temp, tools};

/// Rows in whose midst TLC ends with a lasso, a deadlock and a violation.
const ROWS: [&str; 7] = [
    "PerExtent-N5-M1-ExtentWritten",
    "SyncStopEarly-N6-CommitProgress",
    "SyncStopEarly-N6-deadlock",
    "NoPoint-N6-bounds",
    "TwoLists-ATF-OneList",
    "DropsDirty-P-TypeOK",
    "Budget1-CallsNobody-RW-NoIdleLockWithWaiters",
];

fn row<'a>(manifest: &'a Manifest, name: &str) -> &'a Model {
    let found = manifest.models.iter().find(|model| model.name == name);
    found.expect("a row")
}

/// What a run tells of a model.
type Told = (
    Outcome,
    Option<Totals>,
    Option<BTreeMap<String, u64>>,
    Option<usize>,
);

fn told(tlc: &Tlc, model: &Model) -> Told {
    let ask = Ask {
        edges: false,
        ..Ask::all(model)
    };
    let run = tlc.run(model, ask).expect("a run");
    let verdict = run.verdict;
    (verdict.outcome, verdict.totals, verdict.fired, run.witness)
}

#[test]
fn it_finds_what_a_jvm_of_its_own_finds() {
    let manifest = Manifest::load(&root().join("specs")).expect("the manifest");
    let [alone, together] = [temp(), temp()];
    let resident = Resident::new(together.path().join("jvm"));
    let cold = Tlc::new(&manifest, tools(), alone.path());
    let warm = Tlc::new(&manifest, tools(), together.path()).on(&resident);
    let models = ROWS.map(|name| row(&manifest, name));
    let expected = models.map(|model| told(&cold, model));
    // In two orders, so that each comes behind others; an error is between them.
    for (model, expected) in models.iter().zip(&expected) {
        assert_eq!(told(&warm, model), *expected, "{}", model.name);
    }
    let mut bad = models[0].clone();
    bad.constants
        .insert("Pages".to_owned(), "\"none\"".to_owned());
    let [bad_cold, bad_warm] = [&cold, &warm].map(|tlc| told(tlc, &bad));
    assert!(matches!(bad_cold.0, Outcome::Error { .. }), "{bad_cold:?}");
    assert_eq!(bad_warm, bad_cold);
    for (model, expected) in models.iter().zip(&expected).rev() {
        assert_eq!(told(&warm, model), *expected, "{}", model.name);
    }
}

/// Without an answer in time it is killed, and another takes its place.
#[test]
fn a_budget_ends_a_run_and_not_those_behind_it() {
    let manifest = Manifest::load(&root().join("specs")).expect("the manifest");
    let out = temp();
    let resident = Resident::new(out.path().join("jvm"));
    let tlc = Tlc::new(&manifest, tools(), out.path()).on(&resident);
    let small = row(&manifest, "NoPoint-N6-bounds");
    let expected = told(&tlc, small);
    assert_eq!(expected.0, Outcome::Holds);
    let mut endless = row(&manifest, "BetweenHandles-N12-bounds").clone();
    endless.budget = 1;
    endless
        .constants
        .insert("Pages".to_owned(), "100000".to_owned());
    let told_of_endless = told(&tlc, &endless);
    assert!(
        matches!(told_of_endless.0, Outcome::Inconclusive { .. }),
        "{told_of_endless:?}"
    );
    assert_eq!(told(&tlc, small), expected);
}
