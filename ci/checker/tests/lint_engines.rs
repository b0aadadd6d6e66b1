//! The rules about rows of other engines than TLC, each on a planted fault; and what of such rows does not load.

#[path = "manifests/findings.rs"]
mod findings;
mod manifests;

use findings::{finds, finds_only};
use manifests::{CLAIMS, Copy};

const MODULE: &str = "---- MODULE APLock ----
EXTENDS Integers, Sequences
CONSTANTS Readers, Writers, Policy
VARIABLES pc, queue
INSTANCE Lock
AnyTasks == Readers = {\"r1_OF_T\"} /\\ Writers = {\"w1_OF_T\"}
IndInv == Mutex
IndInit == TypeOK /\\ IndInv
WeakInv == TypeOK
====
";

const ROWS: &str = "
[module.APLock]
engine = \"apalache\"

[[design]]
name = \"Fifo\"
module = \"APLock\"
stands_for = \"any tasks\"
cinit = \"AnyTasks\"
models = [
  { name = \"base\", length = 0, holds = [\"IndInv\", \"TypeOK\"] },
  { name = \"step\", init = \"IndInit\", length = 1, holds = [\"IndInv\", \"TypeOK\"] },
  { name = \"safe\", init = \"IndInit\", length = 0, holds = \"Mutex\" },
  { name = \"weak\", init = \"WeakInv\", length = 1, violates = \"IndInv\" },
  { name = \"opinion\", length = 4, violates = \"Mutex\", second_of = \"Broken-RW-Mutex\" },
  { typed = true },
]

[[second]]
engine = \"tla-checker\"
models = [\"Fifo-RW-safety\", \"Broken-RW-Mutex\"]
";

const LOCK: &str = "specs/demo/models.lock";

const COUNTS: &str = "
opinion = { witness = 5 }
weak = { witness = 2 }
";

fn copy() -> Copy {
    let copy = Copy::clean();
    copy.write("specs/demo/APLock.tla", MODULE);
    for (file, more) in [(CLAIMS, ROWS), (LOCK, COUNTS)] {
        let clean = std::fs::read_to_string(copy.path(file)).expect("it is there");
        copy.write(file, &(clean + more));
    }
    copy
}

fn with(from: &str, to: &str) -> Copy {
    copy().edit(CLAIMS, from, to)
}

#[test]
fn clean_rows_have_no_findings() {
    finds_only(&copy(), &[]);
}

#[test]
fn a_root_module_that_no_row_uses() {
    let copy = copy();
    copy.write("specs/demo/APOther.tla", "---- MODULE APOther ----\n====\n");
    finds(&copy, "specs/demo/APOther.tla:1: unused-module:");
}

#[test]
fn a_step_without_its_base() {
    let base = "  { name = \"base\", length = 0, holds = [\"IndInv\", \"TypeOK\"] },\n";
    finds(
        &with(base, ""),
        "specs/demo/models.toml:73: half-induction: model `step`: is a step from IndInit, and no model says that the first states have its invariant",
    );
    let other = base.replace("length", "cinit = \"Any\", length");
    finds(
        &with(base, &other),
        "specs/demo/models.toml:74: half-induction:",
    );
}

#[test]
fn a_step_that_no_other_breaks() {
    let weak = "length = 1, violates";
    finds(
        &with(weak, "length = 1, holds"),
        "specs/demo/models.toml:74: never-violated: model `step`: is a step that keeps its invariant, and no step of `demo` breaks one",
    );
}

#[test]
fn a_step_that_may_leave_what_it_starts_from() {
    let step = "length = 1, holds = [\"IndInv\", \"TypeOK\"]";
    finds(
        &with(step, "length = 1, holds = [\"IndInv\"]"),
        "specs/demo/models.toml:74: half-induction: model `step`: is a step from IndInit, and no model says that a step keeps all of it",
    );
}

#[test]
fn a_second_opinion_on_another_question() {
    for (from, to) in [
        ("second_of = \"Broken-RW-Mutex\"", "second_of = \"None\""),
        (
            "second_of = \"Broken-RW-Mutex\"",
            "second_of = \"Fifo-RW-safety\"",
        ),
        (
            "length = 4, violates = \"Mutex\"",
            "length = 4, violates = \"TypeOK\"",
        ),
    ] {
        finds(
            &with(from, to),
            "specs/demo/models.toml:77: second-opinion: model `opinion`:",
        );
    }
    finds(
        &copy().edit(LOCK, "witness = 5 }\nweak", "witness = 6 }\nweak"),
        "specs/demo/models.toml:77: second-opinion: model `opinion`:",
    );
}

#[test]
fn constants_that_are_not_given() {
    finds(
        &with("cinit = \"AnyTasks\"\n", ""),
        "specs/demo/models.toml:72: constant-not-given: model `base`: the constant Policy of APLock gets no value",
    );
}

#[test]
fn operators_that_are_not_there() {
    for (from, to, key) in [
        ("cinit = \"AnyTasks\"", "cinit = \"AnyTask\"", "cinit"),
        ("init = \"WeakInv\"", "init = \"WeakInit\"", "init"),
        (
            "{ name = \"safe\", ",
            "{ name = \"safe\", next = \"Nxt\", ",
            "next",
        ),
    ] {
        let found = findings::findings(&with(from, to)).join("\n");
        assert!(found.contains("undefined-operator: model `"), "{found}");
        assert!(found.contains(&format!("`{key}` names ")), "{found}");
    }
}

#[test]
fn counts_of_what_is_not_counted() {
    for (line, told) in [
        (
            "safe = { distinct = 3 }",
            "`distinct` of model `safe`, but the whole graph is not counted",
        ),
        (
            "tla-checker-Broken-RW-Mutex = { witness = 5 }",
            "`tla-checker-Broken-RW-Mutex` is counted by TLC's row",
        ),
    ] {
        finds(
            &copy().edit(LOCK, "\nweak", &format!("\n{line}\nweak")),
            &format!("specs/demo/models.lock:12: stale-count: {told}"),
        );
    }
}

#[test]
fn types_are_apalaches() {
    finds(
        &with(
            "{ size = \"RW\", holds = \"InOrder\" }",
            "{ size = \"RW\", typed = true }",
        ),
        "specs/demo/models.toml:31: kind-mismatch: model `MCLock-typed`: only Apalache finds types",
    );
}

#[test]
fn rows_that_do_not_load() {
    for (from, to, tells) in [
        (
            "length = 0, holds = [\"IndInv\"",
            "holds = [\"IndInv\"",
            "model `base` has no `length`",
        ),
        (
            "{ name = \"base\", ",
            "{ name = \"base\", size = \"RW\", ",
            "a row of Apalache's has a `size`",
        ),
        (
            "engine = \"tla-checker\"",
            "engine = \"apalache\"",
            "apalache reads no model of TLC's as it is",
        ),
        (
            "models = [\"Fifo-RW-safety\", ",
            "models = [\"Fifo-RW-safty\", ",
            "TLC has no model `Fifo-RW-safty` here; did you mean `Fifo-RW-safety`?",
        ),
        (
            "models = [\"Fifo-RW-safety\", ",
            "models = [\"base\", ",
            "TLC has no model `base`",
        ),
        (
            "models = [\"Fifo-RW-safety\", ",
            "models = [\"Broken-RW-Mutex\", ",
            "model `tla-checker-Broken-RW-Mutex` is already on line 81",
        ),
        (
            "actions = [\"Enter\", \"Take\", \"Release\"]\n",
            "",
            "module `MCLock` has no `actions`",
        ),
    ] {
        let error = with(from, to).load().expect_err(tells);
        let error = format!("{error:#}");
        assert!(error.contains(tells), "{error}");
        assert!(error.contains("specs/demo/models.toml:"), "{error}");
    }
}
