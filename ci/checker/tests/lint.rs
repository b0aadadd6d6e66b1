//! Each rule about one row fires on a planted fault, and is silent on the clean claims.

#[path = "manifests/findings.rs"]
mod findings;
mod manifests;

use findings::{findings, finds, finds_only};
use manifests::{CLAIMS, Copy};

const LOCK: &str = "specs/demo/models.lock";

#[test]
fn the_clean_claims_have_no_fault() {
    finds_only(&Copy::clean(), &[]);
}

#[test]
fn reductions_beside_a_property() {
    for (key, keyword) in [
        ("symmetry", "SYMMETRY"),
        ("view", "VIEW"),
        ("constraint", "CONSTRAINT"),
    ] {
        for (model, property, line) in [
            ("Fifo-RW-InOrder", "InOrder", 31),
            ("Fifo-RW-Progress", "Progress", 32),
        ] {
            let row = format!("{{ size = \"RW\", holds = \"{property}\"");
            let copy = Copy::with(&row, &format!("{row}, {key} = \"Symmetry\""));
            // a property of steps is checked between the states that a constraint leaves
            if (key, property) == ("constraint", "InOrder") {
                finds_only(&copy, &[]);
                continue;
            }
            let expected = format!(
                "specs/demo/models.toml:{line}: unsound-reduction: model `{model}`: {keyword} Symmetry beside the property {property}: \
                 TLC's verdict would mean nothing (remove it, or move the property to a row without it)"
            );
            finds_only(&copy, &[&expected]);
        }
    }
}

#[test]
fn a_row_that_checks_nothing() {
    let copy = Copy::with(
        r#""safety", symmetry"#,
        r#""safety", invariants = [], symmetry"#,
    );
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:30: checks-nothing: model `Fifo-RRW-safety`: no invariant, property or deadlock",
        ],
    );
}

#[test]
fn an_expected_violation_that_is_not_checked() {
    let copy = Copy::with(
        r#"violates = "Mutex""#,
        r#"violates = "Mutex", invariants = ["TypeOK"]"#,
    );
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:52: expectation-not-checked: model `Broken-RW-Mutex`: expects a violation of Mutex, which it does not check (list it",
        ],
    );
    let copy = Copy::with(
        r#"kind = "deadlock""#,
        r#"kind = "deadlock", invariants = ["TypeOK"]"#,
    );
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:61: expectation-not-checked: model `Never-RW-deadlock`: expects a violation of Deadlock, which it does not check (say violates",
        ],
    );
}

#[test]
fn a_kind_that_does_not_fit() {
    let rule = |line: u32, model: &str, rest: &str| {
        format!("specs/demo/models.toml:{line}: kind-mismatch: model `{model}`: {rest}")
    };
    let copy = Copy::with(
        r#"violates = "Mutex""#,
        r#"violates = "Mutex", invariants = ["Mutex"], kind = "action""#,
    );
    finds_only(
        &copy,
        &[&rule(
            52,
            "Broken-RW-Mutex",
            "a violation of Mutex cannot be of kind action (say kind = \"invariant\")",
        )],
    );
    let copy = Copy::with(
        r#"violates = "InOrder""#,
        r#"violates = "InOrder", property = "InOrder", kind = "invariant", spec = "Spec""#,
    );
    finds_only(
        &copy,
        &[&rule(
            43,
            "Any-RW-InOrder",
            "a violation of InOrder cannot be of kind invariant (say kind = \"action\")",
        )],
    );
    let copy = Copy::with(
        r#"violates = "Progress""#,
        r#"violates = "Progress", kind = "action", spec = "FairSpec""#,
    )
    .edit(LOCK, "distinct = 31, total = 76, ", "");
    finds_only(
        &copy,
        &[&rule(
            42,
            "Any-RRW-Progress",
            "a violation of Progress cannot be of kind action (say kind = \"temporal\")",
        )],
    );
}

#[test]
fn a_formula_in_the_wrong_place() {
    let copy = Copy::with(
        r#""safety", lane"#,
        r#""safety", invariants = ["TypeOK", "Mutex", "Progress"], lane"#,
    );
    finds(
        &copy,
        "specs/demo/models.toml:29: kind-mismatch: model `Fifo-RW-safety`: Progress is a leads-to, not a state predicate (give it as `property`)",
    );
    let copy = Copy::with(
        r#""safety", lane"#,
        r#""safety", invariants = ["TypeOK", "Mutex", "InOrder"], lane"#,
    );
    finds(
        &copy,
        "specs/demo/models.toml:29: kind-mismatch: model `Fifo-RW-safety`: InOrder is an action property",
    );
    let copy = Copy::with(
        r#"holds = "InOrder""#,
        r#"holds = "InOrder", property = "Mutex""#,
    );
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:31: kind-mismatch: model `Fifo-RW-InOrder`: Mutex is a state predicate: as a property",
        ],
    );
}

#[test]
fn a_leads_to_without_its_probe() {
    let copy = Copy::with(r#", probe = "probe""#, "");
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:32: missing-probe: model `Fifo-RW-Progress`: Progress may hold because nothing ever starts it",
        ],
    );
    let copy = Copy::with(r#"probe = "probe""#, r#"probe = "gone""#);
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:32: missing-probe: model `Fifo-RW-Progress`: its probe `Fifo-RW-gone` is not there (add that model)",
        ],
    );
}

#[test]
fn a_probe_that_shows_nothing() {
    let rule = |rest: &str| {
        format!("specs/demo/models.toml:32: bad-probe: model `Fifo-RW-Progress`: its probe `{rest}")
    };
    let copy = Copy::with(
        r#"{ size = "RW", violates = "probe""#,
        r#"{ name = "Fifo-RW-probe", size = "RRW", violates = "probe""#,
    );
    finds_only(
        &copy,
        &[&rule(
            "Fifo-RW-probe` has other constants, so it shows nothing about Progress",
        )],
    );
    let copy = Copy::with(r#"probe = "probe""#, r#"probe = "safety""#);
    finds_only(
        &copy,
        &[&rule(
            "Fifo-RW-safety` is not expected to violate an invariant, or a property of steps",
        )],
    );
    let other = r#"
[module.Lock]
actions = ["Enter", "Take", "Release"]

[[design]]
name = "Other"
module = "Lock"
stands_for = "no lock"
constants = { Policy = "p" }
models = [
  { name = "elsewhere", size = "RW", violates = "NobodyWaits" },
]
"#;
    let copy = Copy::with(
        r#"holds = "Progress""#,
        r#"holds = "Progress", probe = "elsewhere""#,
    );
    let claims = std::fs::read_to_string(copy.path(CLAIMS)).expect("the claims");
    copy.write(CLAIMS, &(claims + other));
    finds(&copy, &rule("elsewhere` runs on another module"));
}

#[test]
fn a_probe_of_something_else() {
    for operator in [
        // what nothing need wait for
        "NobodyWaits == \\A t \\in Task : pc[t] # \"hold\"",
        // nobody is a reader that waits, but a writer may be
        "NobodyWaits == \\A t \\in Task : t \\in Readers => pc[t] = \"idle\"",
        // it is enough that one does not wait
        "NobodyWaits == \\E t \\in Task : pc[t] # \"wait\"",
    ] {
        let copy = Copy::clean().edit(
            "specs/demo/Lock.tla",
            "NobodyWaits == \\A t \\in Task : pc[t] # \"wait\"",
            operator,
        );
        finds_only(
            &copy,
            &[
                "specs/demo/models.toml:32: bad-probe: model `Fifo-RW-Progress`: its probe `Fifo-RW-probe` violates what need not be violated where that starts, so it shows nothing about Progress (name one that does)",
            ],
        );
    }
    let more = "NobodyWaits == \\A t \\in Task : pc[t] = \"wait\" => queue = <<>>";
    let copy = Copy::clean().edit(
        "specs/demo/Lock.tla",
        "NobodyWaits == \\A t \\in Task : pc[t] # \"wait\"",
        more,
    );
    finds_only(&copy, &[]);
}

#[test]
fn a_probe_in_a_later_lane() {
    let copy = Copy::with(
        r#"violates = "probe""#,
        r#"violates = "probe", lane = "nightly""#,
    );
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:32: bad-probe: model `Fifo-RW-Progress`: its probe `Fifo-RW-probe` runs in a later lane, so it shows nothing about Progress",
        ],
    );
}

#[test]
fn a_property_of_steps_without_its_probe() {
    // a step that is this or that is about every step; one that follows from something is not
    let copy = || {
        Copy::clean().edit(
            "specs/demo/Lock.tla",
            "[][Len(queue') >= Len(queue) \\/ queue' = Tail(queue)]_vars",
            "[][Len(queue') < Len(queue) => queue' = Tail(queue)]_vars\nNobodyTakes == [][~(Len(queue') < Len(queue))]_vars",
        )
    };
    finds_only(
        &copy(),
        &[
            "specs/demo/Lock.tla:45: unread-definition: no row reads NobodyTakes",
            "specs/demo/models.toml:31: missing-probe: model `Fifo-RW-InOrder`: InOrder may hold because nothing ever starts it",
        ],
    );
    let probed = |probe: &str| {
        let row = "{ size = \"RW\", holds = \"InOrder\"";
        let last = "  { size = \"RW\", violates = \"probe\" },\n";
        copy()
            .edit(CLAIMS, row, &format!("{row}, probe = \"{probe}\""))
            .edit(
                CLAIMS,
                last,
                &format!(
                    "{last}  {{ size = \"RW\", violates = \"NobodyTakes\", kind = \"action\" }},\n"
                ),
            )
            .edit(
                LOCK,
                "Fifo-RW-Progress",
                "Fifo-RW-NobodyTakes = { witness = 3 }\nFifo-RW-Progress",
            )
    };
    finds_only(&probed("Fifo-RW-NobodyTakes"), &[]);
    finds_only(
        &probed("Fifo-RW-probe"),
        &[
            "specs/demo/models.toml:31: bad-probe: model `Fifo-RW-InOrder`: its probe `Fifo-RW-probe` violates what need not be violated",
        ],
    );
}

#[test]
fn liveness_without_fairness() {
    let copy = Copy::with(
        r#"holds = "Progress""#,
        r#"holds = "Progress", spec = "Spec""#,
    );
    finds(
        &copy,
        "specs/demo/models.toml:32: no-fairness: model `Fifo-RW-Progress`: Progress fails of itself: Spec promises no step, so nothing need ever happen (use a spec with WF_ or SF_)",
    );
    let copy = Copy::with(
        r#"violates = "Progress""#,
        r#"violates = "Progress", spec = "Spec""#,
    );
    finds(
        &copy,
        "specs/demo/models.toml:42: no-fairness: model `Any-RRW-Progress`: Progress fails of itself",
    );
}

/// The clean claims, and a lock in which the first `from` is `to`.
fn locked(from: &str, to: &str) -> Copy {
    Copy::clean().edit(LOCK, from, to)
}

#[test]
fn counts_that_are_missing() {
    finds_only(
        &locked("distinct = 17, total = 34", "distinct = 17"),
        &[
            "specs/demo/models.toml:30: no-count: model `Fifo-RRW-safety`: the lock has no `total` of it, so a model that shrinks would pass (run `interlock check --bless Fifo-RRW-safety`)",
        ],
    );
    finds_only(
        &locked("distinct = 31, total = 76, ", ""),
        &[
            "specs/demo/models.toml:42: no-count: model `Any-RRW-Progress`: the lock has no `distinct`",
            "specs/demo/models.toml:42: no-count: model `Any-RRW-Progress`: the lock has no `total`",
        ],
    );
    finds_only(
        &locked(", witness = 7", ""),
        &[
            "specs/demo/models.toml:42: no-count: model `Any-RRW-Progress`: the lock has no `witness`",
        ],
    );
    finds_only(
        &locked("Broken-RW-Mutex = { witness = 5 }\n", ""),
        &[
            "specs/demo/models.toml:52: no-count: model `Broken-RW-Mutex`: the lock has no `witness`",
        ],
    );
}

#[test]
fn without_a_lock_every_count_is_missing() {
    let copy = Copy::clean();
    std::fs::remove_file(copy.path(LOCK)).expect("removed");
    let counts = findings(&copy);
    assert_eq!(counts.len(), 15, "{counts:#?}");
    assert!(counts.iter().all(|count| count.contains(": no-count: ")));
}

#[test]
fn counts_that_are_stale() {
    finds_only(
        &locked(
            "Broken-RW-Mutex = { witness = 5 }",
            "Broken-RW-Mutex = { distinct = 10, witness = 5 }",
        ),
        &[
            "specs/demo/models.lock:3: stale-count: `distinct` of model `Broken-RW-Mutex`, but the whole graph is not counted",
        ],
    );
    finds_only(
        &locked("distinct = 17,", "witness = 3, distinct = 17,"),
        &[
            "specs/demo/models.lock:4: stale-count: `witness` of model `Fifo-RRW-safety`, but no counterexample is expected",
        ],
    );
    finds_only(
        &locked("Any-RW-InOrder", "Gone = { witness = 2 }\nAny-RW-InOrder"),
        &["specs/demo/models.lock:2: stale-count: no model of this area is named `Gone`"],
    );
}

#[test]
fn operators_that_the_module_lacks() {
    let edits = [
        (
            r#"holds = "Progress""#,
            r#"holds = "Progress", spec = "FairSpecs""#,
            32,
            "`spec` names FairSpecs, which MCLock does not define; did you mean `FairSpec`?",
        ),
        (
            r#"["TypeOK", "Mutex"]"#,
            r#"["TypeOk", "Mutex"]"#,
            29,
            "`invariants` names TypeOk, which MCLock does not define; did you mean `TypeOK`?",
        ),
        (
            r#"violates = "InOrder""#,
            r#"violates = "InOrdr", kind = "action""#,
            43,
            "`property` names InOrdr, which MCLock does not define; did you mean `InOrder`?",
        ),
        (
            r#"symmetry = "Symmetry""#,
            r#"symmetry = "Symmetric""#,
            30,
            "`symmetry` names Symmetric",
        ),
        (
            r#"symmetry = "Symmetry""#,
            r#"view = "Vista""#,
            30,
            "`view` names Vista, which MCLock does not define",
        ),
        (
            r#"symmetry = "Symmetry""#,
            r#"constraint = "Few""#,
            30,
            "`constraint` names Few, which MCLock does not define",
        ),
        (
            r#"Policy = "<- AnyOrder""#,
            r#"Policy = "<- AnOrder""#,
            42,
            "`constants.Policy` names AnOrder, which MCLock does not define; did you mean `AnyOrder`?",
        ),
    ];
    for (from, to, line, expected) in edits {
        let findings = findings(&Copy::with(from, to));
        let start = format!("specs/demo/models.toml:{line}: undefined-operator: model");
        assert!(
            findings
                .iter()
                .any(|finding| finding.starts_with(&start) && finding.contains(expected)),
            "no `{expected}` in {findings:#?}"
        );
    }
}

#[test]
fn constants_that_are_not_the_modules() {
    let copy = Copy::clean().edit(
        "specs/demo/Lock.tla",
        "Writers,   ",
        "Writers, Bound(_),   ",
    );
    finds(
        &copy,
        "specs/demo/models.toml:29: constant-not-given: model `Fifo-RW-safety`: the constant Bound of MCLock gets no value (add it",
    );
    let copy = Copy::with(
        r#"{ Policy = "<- Fifo" }"#,
        r#"{ Policy = "<- Fifo", Reader = "{}" }"#,
    );
    finds(
        &copy,
        "specs/demo/models.toml:29: constant-not-declared: model `Fifo-RW-safety`: MCLock declares no constant Reader; did you mean `Readers`?",
    );
    let copy = Copy::with(
        r#"{ Policy = "<- Fifo" }"#,
        r#"{ Policy = "<- Fifo", MayTake = "<- Fifo" }"#,
    );
    finds_only(&copy, &[]);
}

#[test]
fn actions_that_the_module_lacks() {
    let copy = Copy::with(
        r#"silent = ["Take", "Release"]"#,
        r#"silent = ["Tke", "Release"]"#,
    );
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:61: silent-unknown: model `Never-RW-deadlock`: `silent` names Tke, which is no action of MCLock; did you mean `Take`?",
        ],
    );
    let copy = Copy::with(
        r#"actions = ["Enter", "#,
        r#"actions = ["Entry", "Enter", "#,
    );
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:13: undefined-operator: module `MCLock` does not define Entry; did you mean `Enter`?",
        ],
    );
    let copy = Copy::with(r#"actions = ["Enter", "#, "actions = [");
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:13: action-unlisted: `actions` of module `MCLock` lacks Enter, a step of its next-state relation (add it)",
        ],
    );
}
