//! A JVM that stays finds of each model what one of its own finds, whatever it has run before; and a check of many rows is on such.

mod runner;

use std::collections::BTreeMap;
use std::fs;

use assert_cmd::assert::OutputAssertExt;
use interlock_checker::counts::Counts;
use interlock_checker::manifest::{Manifest, Model};
use interlock_checker::resident::Resident;
use interlock_checker::tlc::{Ask, Tlc};
use interlock_checker::verdict::{Outcome, Totals};
use predicates::prelude::*;
use predicates::str::contains;
use runner::{Clone, report, root, specs, temp, tools};

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

/// What a run tells of a model. Of each action, if it fires: TLC on a JVM of its own also counts formulas of some.
type Told = (
    Outcome,
    Option<Totals>,
    Option<BTreeMap<String, bool>>,
    Option<usize>,
);

fn told(tlc: &Tlc, model: &Model) -> Told {
    told_as(tlc, model, (false, Counts::Actions))
}

/// Perhaps with its steps, and counted.
fn told_as(tlc: &Tlc, model: &Model, (edges, counts): (bool, Counts)) -> Told {
    let ask = Ask {
        edges,
        counts,
        ..Ask::all(model)
    };
    let run = tlc.run(model, ask).expect("a run");
    let verdict = run.verdict;
    let fires = |fired: BTreeMap<String, u64>| {
        let fired = fired.into_iter();
        fired.map(|(action, times)| (action, times > 0)).collect()
    };
    let fired = verdict.fired.map(fires);
    (verdict.outcome, verdict.totals, fired, run.witness)
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

/// The module that prints the steps is in a folder of its own; and what counts formulas runs on another JVM than what does not.
#[test]
fn it_writes_down_steps_and_counts_only_if_asked() {
    let manifest = Manifest::load(&root().join("specs")).expect("the manifest");
    let [alone, together] = [temp(), temp()];
    let resident = Resident::new(together.path().join("jvm"));
    let cold = Tlc::new(&manifest, tools(), alone.path());
    let warm = Tlc::new(&manifest, tools(), together.path()).on(&resident);
    let model = row(&manifest, "NoPoint-N6-bounds");
    let (nothing, actions, formulas) = (Counts::Nothing, Counts::Actions, Counts::Formulas);
    for how in [
        (true, nothing),
        (false, actions),
        (true, formulas),
        (true, actions),
        (false, formulas),
        (false, nothing),
    ] {
        let expected = told_as(&cold, model, how);
        assert_eq!(expected.2.is_some(), how.1 != nothing);
        assert_eq!(told_as(&warm, model, how), expected, "{how:?}");
        let edges = |out: &tempfile::TempDir| {
            let file = out.path().join("run").join(&model.name).join("edges.txt");
            fs::read_to_string(file).ok()
        };
        assert_eq!(edges(&alone).is_some(), how.0);
        assert_eq!(edges(&together), edges(&alone), "{how:?}");
    }
}

/// What TLC says of a violation has its states, and with them the model: a third of this heap each.
#[test]
fn what_it_has_said_is_forgotten() {
    let manifest = Manifest::load(&root().join("specs")).expect("the manifest");
    let out = temp();
    let resident = Resident::new(out.path().join("jvm"));
    let tlc = Tlc::new(&manifest, tools(), out.path()).on(&resident);
    let mut large = row(&manifest, "Final612-XD-eof-data").clone();
    large.heap = 300;
    for run in 1..=4 {
        let (outcome, ..) = told_as(&tlc, &large, (false, Counts::Formulas));
        assert!(
            matches!(outcome, Outcome::Violates { .. }),
            "{run}: {outcome:?}"
        );
    }
}

/// Of the rows of a report, how many had a JVM of their own: what one takes is known of those alone.
fn alone(report: &serde_json::Value) -> usize {
    let models = report["models"].as_array().expect("models").iter();
    models.filter(|row| row["mebibytes"] != 0).count()
}

#[test]
fn a_check_of_many_rows_is_on_jvms_that_stay_unless_it_is_to_be_fresh() {
    let clone = Clone::new().pinned_jar().java("exec \"$JAVA\" \"$@\"");
    let check = || clone.check("many.toml", "good");
    check().assert().code(0);
    assert_eq!(alone(&report(&clone.out())), 0);
    assert!(!clone.out().join("jvm").exists(), "nothing is left of them");
    check().arg("--fresh").assert().code(0);
    assert_eq!(alone(&report(&clone.out())), 20);
    // What the fresh one has found answers a check on JVMs that stay, and not the reverse.
    check().arg("--bless").assert().code(0);
    assert_eq!(alone(&report(&clone.out())), 20);
}

/// Its answer counts, not that of the JVM that others have used.
#[test]
fn a_row_that_is_not_as_expected_is_asked_again_on_a_jvm_of_its_own() {
    let clone = Clone::new().pinned_jar().java("exec \"$JAVA\" \"$@\"");
    let lock = specs("many.toml", clone.dir.path()).join("demo/models.lock");
    let text = fs::read_to_string(&lock).expect("the lock");
    let wrong = text.replace("small-7 = { witness = 5 }", "small-7 = { witness = 6 }");
    assert_ne!(wrong, text);
    fs::write(&lock, wrong).expect("the lock");
    clone
        .check("many.toml", "good")
        .assert()
        .code(1)
        .stderr(contains(
            "small-7: asked again, on a JVM of its own: witness is 5, but the lock says 6",
        ))
        .stderr(contains("small-8: asked again").not())
        .stdout(contains("19 as expected, 1 not"));
    assert_eq!(alone(&report(&clone.out())), 1);
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
