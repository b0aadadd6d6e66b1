//! The rules about rows of other engines than TLC, each on a planted fault; and what of such rows does not load.

#[path = "manifests/findings.rs"]
mod findings;
mod manifests;

use findings::{finds, finds_only};
use manifests::Copy;

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
[[module]]
area = \"demo\"
name = \"APLock\"
engine = \"apalache\"

[[group]]
area = \"demo\"
module = \"APLock\"
engine = \"apalache\"
design = \"Fifo\"
stands_for = \"any tasks\"
cinit = \"AnyTasks\"
models = [
  { name = \"base\", length = 0, invariants = [\"IndInv\", \"TypeOK\"], expect = \"holds\" },
  { name = \"step\", init = \"IndInit\", length = 1, invariants = [\"IndInv\", \"TypeOK\"], expect = \"holds\" },
  { name = \"safe\", init = \"IndInit\", length = 0, invariants = [\"Mutex\"], expect = \"holds\" },
  { name = \"weak\", init = \"WeakInv\", length = 1, invariants = [\"IndInv\"], expect = { violates = \"IndInv\", kind = \"invariant\" }, witness = 2 },
  { name = \"opinion\", length = 4, invariants = [\"Mutex\"], expect = { violates = \"Mutex\", kind = \"invariant\" }, witness = 5, second_of = \"Broken-RW-Mutex\" },
  { name = \"typed\", expect = \"typed\" },
]

[[second]]
engine = \"tla-checker\"
models = [\"Fifo-RW-safety\", \"Broken-RW-Mutex\"]
";

fn copy() -> Copy {
    let copy = Copy::clean();
    copy.write("specs/demo/APLock.tla", MODULE);
    let clean = std::fs::read_to_string(copy.path("specs/manifest.toml")).expect("the manifest");
    copy.write("specs/manifest.toml", &(clean + ROWS));
    copy
}

fn with(from: &str, to: &str) -> Copy {
    copy().edit("specs/manifest.toml", from, to)
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
    let base = "  { name = \"base\", length = 0, invariants = [\"IndInv\", \"TypeOK\"], expect = \"holds\" },\n";
    finds(
        &with(base, ""),
        "specs/manifest.toml:72: half-induction: model `step`: is a step from IndInit, and no model says that the first states have its invariant",
    );
    let other = base.replace("length", "cinit = \"Any\", length");
    finds(
        &with(base, &other),
        "specs/manifest.toml:73: half-induction:",
    );
}

#[test]
fn a_step_that_no_other_breaks() {
    let weak = "{ violates = \"IndInv\", kind = \"invariant\" }, witness = 2";
    finds(
        &with(weak, "\"holds\""),
        "specs/manifest.toml:73: never-violated: model `step`: is a step that keeps its invariant, and no step of `demo` breaks one",
    );
}

#[test]
fn a_step_that_may_leave_what_it_starts_from() {
    let step = "length = 1, invariants = [\"IndInv\", \"TypeOK\"]";
    finds(
        &with(step, "length = 1, invariants = [\"IndInv\"]"),
        "specs/manifest.toml:73: half-induction: model `step`: is a step from IndInit, and no model says that a step keeps all of it",
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
        ("witness = 5, second_of", "witness = 6, second_of"),
        (
            "{ name = \"opinion\", length = 4, invariants = [\"Mutex\"], expect = { violates = \"Mutex\"",
            "{ name = \"opinion\", length = 4, invariants = [\"TypeOK\"], expect = { violates = \"TypeOK\"",
        ),
    ] {
        finds(
            &with(from, to),
            "specs/manifest.toml:76: second-opinion: model `opinion`:",
        );
    }
}

#[test]
fn constants_that_are_not_given() {
    finds(
        &with("cinit = \"AnyTasks\"\n", ""),
        "specs/manifest.toml:71: constant-not-given: model `base`: the constant Policy of APLock gets no value",
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
fn pins_of_what_is_not_counted() {
    finds(
        &with(
            "invariants = [\"Mutex\"], expect = \"holds\" },\n  { name = \"weak\"",
            "invariants = [\"Mutex\"], expect = \"holds\", distinct = 3 },\n  { name = \"weak\"",
        ),
        "specs/manifest.toml:74: useless-pin: model `safe`: `distinct` is pinned, but the whole graph is not counted",
    );
}

#[test]
fn types_are_apalaches() {
    finds(
        &with(
            "deadlock = true, expect = \"holds\", distinct = 9, total = 15",
            "expect = \"typed\", distinct = 9, total = 15",
        ),
        "specs/manifest.toml:29: kind-mismatch: model `Fifo-RW-safety`: only Apalache finds types",
    );
}

#[test]
fn rows_that_do_not_load() {
    for (from, to, tells) in [
        (
            "length = 0, invariants = [\"IndInv\", \"TypeOK\"]",
            "invariants = [\"IndInv\"]",
            "model `base` has no `length`",
        ),
        (
            "engine = \"apalache\"\ndesign",
            "design",
            "model `base` has no `size`",
        ),
        (
            "name = \"APLock\"\nengine = \"apalache\"",
            "name = \"APLock\"\nactions = []\nemit = \"Emit\"",
            "model `base` is for apalache, but module `APLock` is not",
        ),
        (
            "engine = \"tla-checker\"",
            "engine = \"apalache\"",
            "apalache reads no model of TLC's as it is",
        ),
        (
            "models = [\"Fifo-RW-safety\", ",
            "models = [\"Fifo-RW-safty\", ",
            "TLC has no model `Fifo-RW-safty`; did you mean `Fifo-RW-safety`?",
        ),
        (
            "models = [\"Fifo-RW-safety\", ",
            "models = [\"base\", ",
            "TLC has no model `base`",
        ),
        (
            "models = [\"Fifo-RW-safety\", ",
            "models = [\"Broken-RW-Mutex\", ",
            "model `tla-checker-Broken-RW-Mutex` is there already",
        ),
        (
            "actions = [\"Enter\", \"Take\", \"Release\"]\n",
            "",
            "module `MCLock` has no `actions`, or no `emit`",
        ),
    ] {
        let error = with(from, to).load().expect_err(tells);
        let error = format!("{error:#}");
        assert!(error.contains(tells), "{error}");
        assert!(error.contains("manifest.toml:"), "{error}");
    }
}
