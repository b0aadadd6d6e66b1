//! Each rule about one row fires on a planted fault, and is silent on the clean manifest.

#[path = "manifests/findings.rs"]
mod findings;
mod manifests;

use findings::{findings, finds, finds_only};
use manifests::Copy;

#[test]
fn the_clean_manifest_has_no_fault() {
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
            let copy = Copy::with(
                &format!("name = \"{model}\","),
                &format!("name = \"{model}\", {key} = \"Symmetry\","),
            );
            let expected = format!(
                "specs/manifest.toml:{line}: unsound-reduction: model `{model}`: {keyword} Symmetry beside the property {property}: \
                 TLC's verdict would mean nothing (remove it, or move the property to a row without it)"
            );
            finds_only(&copy, &[&expected]);
        }
    }
}

#[test]
fn a_row_that_checks_nothing() {
    let copy = Copy::with(r#"invariants = ["TypeOK", "Mutex"], symmetry"#, "symmetry");
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:30: checks-nothing: model `Fifo-RRW-safety`: no invariant, property or deadlock",
        ],
    );
}

#[test]
fn an_expected_violation_that_is_not_checked() {
    let copy = Copy::with(
        r#"invariants = ["Mutex"], expect"#,
        r#"invariants = ["TypeOK"], expect"#,
    );
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:55: expectation-not-checked: model `Broken-RW-Mutex`: expects a violation of Mutex, which it does not check (list it",
        ],
    );
    let copy = Copy::with(
        "deadlock = true, silent",
        "invariants = [\"TypeOK\"], silent",
    );
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:56: expectation-not-checked: model `Never-RW-deadlock`: expects a violation of Deadlock, which it does not check (say violates",
        ],
    );
}

#[test]
fn a_kind_that_does_not_fit() {
    let rule = |line: u32, model: &str, rest: &str| {
        format!("specs/manifest.toml:{line}: kind-mismatch: model `{model}`: {rest}")
    };
    let copy = Copy::with(
        r#"violates = "Mutex", kind = "invariant""#,
        r#"violates = "Mutex", kind = "action""#,
    );
    finds_only(
        &copy,
        &[&rule(
            55,
            "Broken-RW-Mutex",
            "a violation of Mutex cannot be of kind action (say kind = \"invariant\")",
        )],
    );
    let copy = Copy::with(
        r#"violates = "InOrder", kind = "action""#,
        r#"violates = "InOrder", kind = "invariant""#,
    );
    finds_only(
        &copy,
        &[&rule(
            45,
            "Any-RW-InOrder",
            "a violation of InOrder cannot be of kind invariant (say kind = \"action\")",
        )],
    );
    let copy = Copy::with(
        r#"violates = "Progress", kind = "temporal" }, distinct = 31, total = 76"#,
        r#"violates = "Progress", kind = "action" }"#,
    );
    finds_only(
        &copy,
        &[&rule(
            44,
            "Any-RRW-Progress",
            "a violation of Progress cannot be of kind action (say kind = \"temporal\")",
        )],
    );
}

#[test]
fn a_formula_in_the_wrong_place() {
    let copy = Copy::with(
        r#"["TypeOK", "Mutex"], deadlock"#,
        r#"["TypeOK", "Mutex", "Progress"], deadlock"#,
    );
    finds(
        &copy,
        "specs/manifest.toml:29: kind-mismatch: model `Fifo-RW-safety`: Progress is a leads-to, not a state predicate (give it as `property`)",
    );
    let copy = Copy::with(
        r#"["TypeOK", "Mutex"], deadlock"#,
        r#"["TypeOK", "Mutex", "InOrder"], deadlock"#,
    );
    finds(
        &copy,
        "specs/manifest.toml:29: kind-mismatch: model `Fifo-RW-safety`: InOrder is an action property",
    );
    let copy = Copy::with(
        r#"property = "InOrder", expect = "holds""#,
        r#"property = "Mutex", expect = "holds""#,
    );
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:31: kind-mismatch: model `Fifo-RW-InOrder`: Mutex is a state predicate: as a property",
        ],
    );
}

#[test]
fn a_leads_to_without_its_probe() {
    let copy = Copy::with(r#"probe = "Fifo-RW-probe", "#, "");
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:32: missing-probe: model `Fifo-RW-Progress`: Progress may hold because nothing ever starts it",
        ],
    );
    let copy = Copy::with(r#"probe = "Fifo-RW-probe", "#, r#"probe = "gone", "#);
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:32: missing-probe: model `Fifo-RW-Progress`: its probe `gone` is not in the manifest",
        ],
    );
}

#[test]
fn a_probe_that_shows_nothing() {
    let rule = |rest: &str| {
        format!("specs/manifest.toml:32: bad-probe: model `Fifo-RW-Progress`: its probe `{rest}")
    };
    let copy = Copy::with(
        r#"name = "Fifo-RW-probe","#,
        r#"name = "Fifo-RW-probe", size = "RRW","#,
    );
    finds_only(
        &copy,
        &[&rule(
            "Fifo-RW-probe` has other constants, so it shows nothing about Progress",
        )],
    );
    let copy = Copy::with(
        r#"probe = "Fifo-RW-probe", "#,
        r#"probe = "Fifo-RW-safety", "#,
    );
    finds_only(
        &copy,
        &[&rule(
            "Fifo-RW-safety` is not expected to violate an invariant",
        )],
    );
    let module = "[[module]]\narea = \"demo\"\nname = \"Lock\"\nactions = [\"Enter\", \"Take\", \"Release\"]\nemit = \"Emit\"\n\n[[group]]";
    let copy = Copy::with(
        r#"name = "Fifo-RW-probe","#,
        r#"name = "Fifo-RW-probe", module = "Lock", constants = { Policy = "p" },"#,
    )
    .edit("specs/manifest.toml", "[[group]]", module);
    finds(
        &copy,
        &rule("Fifo-RW-probe` runs on another module").replace(":32:", ":38:"),
    );
}

#[test]
fn liveness_without_fairness() {
    let copy = Copy::with(
        r#"spec = "FairSpec", property = "Progress", probe"#,
        r#"spec = "Spec", property = "Progress", probe"#,
    );
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:32: no-fairness: model `Fifo-RW-Progress`: Progress fails of itself: Spec promises no step, so nothing need ever happen (use a spec with WF_ or SF_)",
        ],
    );
    let copy = Copy::with(
        r#"spec = "FairSpec", property = "Progress", expect = { violates"#,
        r#"spec = "Spec", property = "Progress", expect = { violates"#,
    );
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:44: no-fairness: model `Any-RRW-Progress`: Progress fails of itself",
        ],
    );
}

#[test]
fn numbers_that_are_not_pinned() {
    let copy = Copy::with("distinct = 17, total = 34", "distinct = 17");
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:30: unpinned: model `Fifo-RRW-safety`: `total` is not pinned, so a model that shrinks would pass",
        ],
    );
    let copy = Copy::with("distinct = 31, total = 76, ", "");
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:44: unpinned: model `Any-RRW-Progress`: `distinct`",
            "specs/manifest.toml:44: unpinned: model `Any-RRW-Progress`: `total`",
        ],
    );
    let copy = Copy::with(", witness = 5", "");
    finds_only(
        &copy,
        &["specs/manifest.toml:55: unpinned: model `Broken-RW-Mutex`: `witness` is not pinned"],
    );
}

#[test]
fn numbers_that_cannot_be_compared() {
    let copy = Copy::with("witness = 5", "witness = 5, distinct = 10");
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:55: useless-pin: model `Broken-RW-Mutex`: `distinct` is pinned, but the whole graph is not counted",
        ],
    );
    let copy = Copy::with("distinct = 17,", "distinct = 17, witness = 3,");
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:30: useless-pin: model `Fifo-RRW-safety`: `witness` is pinned, but no counterexample",
        ],
    );
}

#[test]
fn operators_that_the_module_lacks() {
    let edits = [
        (
            r#"spec = "FairSpec", property = "Progress", probe"#,
            r#"spec = "FairSpecs", property = "Progress", probe"#,
            32,
            "`spec` names FairSpecs, which MCLock does not define; did you mean `FairSpec`?",
        ),
        (
            r#"["TypeOK", "Mutex"], deadlock"#,
            r#"["TypeOk", "Mutex"], deadlock"#,
            29,
            "`invariants` names TypeOk, which MCLock does not define; did you mean `TypeOK`?",
        ),
        (
            r#"property = "InOrder", expect = { "#,
            r#"property = "InOrdr", expect = { "#,
            45,
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
            44,
            "`constants.Policy` names AnOrder, which MCLock does not define; did you mean `AnyOrder`?",
        ),
    ];
    for (from, to, line, expected) in edits {
        let findings = findings(&Copy::with(from, to));
        let start = format!("specs/manifest.toml:{line}: undefined-operator: model");
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
        "specs/manifest.toml:29: constant-not-given: model `Fifo-RW-safety`: the constant Bound of MCLock gets no value (add it",
    );
    let copy = Copy::with(
        r#"{ Policy = "<- Fifo" }"#,
        r#"{ Policy = "<- Fifo", Reader = "{}" }"#,
    );
    finds(
        &copy,
        "specs/manifest.toml:29: constant-not-declared: model `Fifo-RW-safety`: MCLock declares no constant Reader; did you mean `Readers`?",
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
            "specs/manifest.toml:56: silent-unknown: model `Never-RW-deadlock`: `silent` names Tke, which is no action of MCLock; did you mean `Take`?",
        ],
    );
    let copy = Copy::with(
        r#"actions = ["Enter", "#,
        r#"actions = ["Entry", "Enter", "#,
    );
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:14: undefined-operator: module `MCLock` does not define Entry; did you mean `Enter`?",
        ],
    );
    let copy = Copy::with(r#"emit = "EmitPrint""#, r#"emit = "EmitPrin""#);
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:14: undefined-operator: module `MCLock` does not define EmitPrin; did you mean `EmitPrint`?",
        ],
    );
    let copy = Copy::with(r#"actions = ["Enter", "#, "actions = [");
    finds_only(
        &copy,
        &[
            "specs/manifest.toml:14: action-unlisted: `actions` of module `MCLock` lacks Enter, a step of its next-state relation (add it)",
        ],
    );
}
