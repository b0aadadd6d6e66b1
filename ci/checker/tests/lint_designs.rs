//! A cell of a table has one meaning: each way to file a verdict under a design, or a column, that it is not of is refused.

#[path = "manifests/findings.rs"]
mod findings;
mod manifests;

use findings::{finds, finds_only};
use manifests::{CLAIMS, Copy};

const LOCK: &str = "specs/demo/models.lock";

/// A clean copy whose module has a bound that a check is about, a history that may be forgotten, and weaker fairness.
fn copy() -> Copy {
    let operators = "Max == 3\nRemember(x) == x\nForget(x) == 0\nFewQueued == Len(Remember(queue)) <= Bound\n\
                     WeakSpec == Spec /\\ \\A t \\in Task : WF_vars(Take(t))\n====";
    let copy = Copy::clean();
    let reads = "Reads == <<Max, Remember(0), Forget(0), FewQueued, WeakSpec>>";
    copy.write(
        "specs/demo/TraceLock.tla",
        &format!("---- MODULE TraceLock ----\nEXTENDS MCLock\n{reads}\n====\n"),
    );
    copy.edit("specs/demo/Lock.tla", "Writers,   ", "Writers, Bound,   ")
        .edit("specs/demo/MCLock.tla", "====", operators)
        .edit(
            CLAIMS,
            "\n# By the names",
            "constants = { Bound = \"2\" }\nparameters = { FewQueued = [\"Bound\"] }\nforgets = [\"Remember\"]\n\n# By the names",
        )
}

/// The copy with another row of design Fifo, which counts 9 and 15 if it holds.
fn with_row(row: &str) -> Copy {
    let count = match row {
        row if row.contains("holds") => "{ distinct = 9, total = 15 }",
        row if row.contains("Progress") => "{ distinct = 9, total = 15, witness = 4 }",
        _ => "{ witness = 4 }",
    };
    let last = "  { size = \"RW\", violates = \"probe\" },\n";
    copy()
        .edit(CLAIMS, last, &format!("{last}  {row},\n"))
        .edit(LOCK, "Never-", &format!("Misfiled = {count}\nNever-"))
}

fn refused(copy: &Copy, rule: &str, tells: &str) {
    finds_only(
        copy,
        &[&format!(
            "specs/demo/models.toml:37: {rule}: model `Misfiled`: {tells}"
        )],
    );
}

#[test]
fn the_copy_has_no_fault() {
    finds_only(&copy(), &[]);
}

#[test]
fn another_specification() {
    let row = r#"{ name = "Misfiled", size = "RW", violates = "Progress", spec = "WeakSpec" }"#;
    refused(
        &with_row(row),
        "other-spec",
        "is judged under WeakSpec, and design `Fifo` under FairSpec: one cell of a table would mean both (give it a design of its own, \
         or its property a column `PROPERTY under WeakSpec`)",
    );
    // of safety too, where a stronger specification may hide a bad state
    let row = r#"{ name = "Misfiled", size = "RW", violates = "NobodyWaits", spec = "FairSpec" }"#;
    refused(
        &with_row(row),
        "other-spec",
        "is judged under FairSpec, and design `Fifo` under Spec:",
    );
}

#[test]
fn another_specification_in_a_column_that_says_so() {
    let row = r#"{ name = "Misfiled", size = "RW", violates = "Progress", spec = "WeakSpec" }"#;
    let columns = r#""Progress", "Progress under WeakSpec"]"#;
    finds_only(&with_row(row).edit(CLAIMS, "\"Progress\"]", columns), &[]);
    let columns = r#""Progress", "Progress under Spec"]"#;
    finds(
        &with_row(row).edit(CLAIMS, "\"Progress\"]", columns),
        "specs/demo/models.toml:2: bad-column: the column `Progress under Spec` of area `demo` is of no model",
    );
}

const WEAK: &str = r#"
[[design]]
name = "Fifo-Weak"
module = "MCLock"
stands_for = "the same, without weak fairness of a release"
constants = { Policy = "<- Fifo" }
spec = "WeakSpec"
models = [
  { size = "RW", violates = "Progress" },
]

[[design]]"#;

fn with_variant(from: &str, to: &str) -> Copy {
    let variant = WEAK.replacen(from, to, 1);
    assert!(from == to || variant != WEAK, "the variant has no `{from}`");
    let name = variant.split('"').nth(1).expect("its name");
    let count = format!("{name}-RW-Progress = {{ distinct = 9, total = 15, witness = 4 }}\nNever-");
    copy()
        .edit(
            CLAIMS,
            "\n[[design]]\nname = \"Any\"",
            &format!("{variant}\nname = \"Any\""),
        )
        .edit(LOCK, "Never-", &count)
}

#[test]
fn a_design_under_another_specification_is_named_after_its_own() {
    finds_only(&with_variant("", ""), &[]);
    for (from, to) in [
        ("Fifo-Weak", "Weak"),
        ("Fifo-Weak", "Any-Weak"),
        ("<- Fifo", "<- AnyOrder"),
    ] {
        finds(
            &with_variant(from, to),
            "specs/demo/models.toml:46: unnamed-variant: model `",
        );
    }
}

#[test]
fn what_a_design_is_judged_under_stands_in_its_table() {
    let table = interlock_checker::table::designs(&with_variant("", "").manifest(), "demo", None);
    assert!(
        table.contains(
            "| Fifo-Weak | the same, without weak fairness of a release (under WeakSpec) |"
        ),
        "{table}"
    );
}

#[test]
fn the_constants_of_another_design() {
    let row = r#"{ name = "Misfiled", size = "RW", violates = "NobodyWaits", constants = { Policy = '"broken"' } }"#;
    refused(
        &with_row(row),
        "other-constants",
        "has another Policy than its size and design `Fifo` give (give it a design or a size of its own, or list a constant that a \
         check is about in its module's `parameters`)",
    );
}

#[test]
fn two_verdicts_on_one_question() {
    finds_only(
        &with_row(r#"{ name = "Misfiled", size = "RW", violates = "Mutex" }"#),
        &[
            "specs/demo/models.toml:32: two-verdicts: model `Fifo-RW-safety`: says that Mutex holds, and `Misfiled` that it is violated, of the same design at the same size (correct one of them)",
        ],
    );
    // at another size, and of what another row does not ask, they are two questions
    finds_only(
        &with_row(r#"{ name = "Misfiled", size = "RRW", violates = "NobodyWaits" }"#),
        &[],
    );
}

#[test]
fn the_constants_of_another_size() {
    let row = r#"{ name = "Misfiled", size = "RW", violates = "NobodyWaits", constants = { Readers = "{}" } }"#;
    refused(
        &with_row(row),
        "other-constants",
        "has another Readers than its size and design `Fifo` give (give it a design or a size of its own, or list a constant that a \
         check is about in its module's `parameters`)",
    );
}

#[test]
fn a_bound_that_is_not_sharp_beside_one_that_is() {
    let row = |claim: &str, bound: u32| {
        format!(
            r#"{{ name = "Misfiled", size = "RW", {claim} = "FewQueued", constants = {{ Bound = "{bound}" }} }}"#
        )
    };
    // each is another check
    finds_only(&with_row(&row("violates", 1)), &[]);
    let both = with_row(&row("violates", 1)).edit(
        CLAIMS,
        "holds = \"safety\", lane",
        "holds = [\"Mutex\", \"FewQueued\"], name = \"Fifo-RW-safety\", lane",
    );
    finds_only(&both, &[]);
    // the same bound is not
    let both = with_row(&row("violates", 2)).edit(
        CLAIMS,
        "holds = \"safety\", lane",
        "holds = [\"Mutex\", \"FewQueued\"], name = \"Fifo-RW-safety\", lane",
    );
    finds_only(
        &both,
        &[
            "specs/demo/models.toml:32: two-verdicts: model `Fifo-RW-safety`: says that FewQueued holds, and `Misfiled` that it is violated, of the same design at the same size (correct one of them)",
        ],
    );
}

#[test]
fn a_column_that_leaves_out_what_its_check_is_about() {
    let row = r#"{ name = "Misfiled", size = "RW", violates = "FewQueued", constants = { Bound = "1" } }"#;
    let column = |text: &str| {
        with_row(row).edit(
            CLAIMS,
            "\"Progress\"]",
            &format!("\"Progress\", \"{text}\"]"),
        )
    };
    finds_only(
        &column("FewQueued"),
        &[
            "specs/demo/models.toml:2: bad-column: the column `FewQueued` of area `demo` says nothing of Bound, which FewQueued is about (write `FewQueued with Bound = VALUE`)",
        ],
    );
    finds_only(
        &column("FewQueued with Bound = 2"),
        &[
            "specs/demo/models.toml:2: bad-column: the column `FewQueued with Bound = 2` of area `demo` is of no model (correct its name, or what stands behind it)",
        ],
    );
    let right = column("FewQueued with Bound = 1");
    finds_only(&right, &[]);
    let table = interlock_checker::table::designs(&right.manifest(), "demo", None);
    assert!(table.contains("| **violated**: RW, 4 states |"), "{table}");
    let rows = interlock_checker::table::rows(&right.manifest(), "demo");
    assert!(
        rows.contains("| FewQueued with Bound = 1 | **violates** FewQueued (invariant) |"),
        "{rows}"
    );
}

#[test]
fn parameters_that_are_not_what_a_check_is_about() {
    let bad =
        "specs/demo/models.toml:13: bad-parameters: `parameters` of module `MCLock` are not what ";
    finds(
        &copy().edit(
            CLAIMS,
            "{ FewQueued = [\"Bound\"] }",
            "{ Mutex = [\"Bound\"], FewQueued = [\"Bound\"] }",
        ),
        &format!("{bad}Mutex is about, which is: none (correct them)"),
    );
    finds(
        &copy().edit(
            CLAIMS,
            "{ FewQueued = [\"Bound\"] }",
            "{ FewQueued = [\"Bound\", \"Readers\"] }",
        ),
        &format!("{bad}FewQueued is about, which is: Bound (correct them)"),
    );
}

#[test]
fn a_history_that_a_check_is_about_is_not_forgotten() {
    let row = |checks: &str| {
        format!(
            r#"{{ name = "Misfiled", size = "RW", holds = [{checks}], constants = {{ Remember = "<- Forget" }} }}"#
        )
    };
    finds_only(&with_row(&row("\"TypeOK\"")), &[]);
    refused(
        &with_row(&row("\"TypeOK\", \"Mutex\"")),
        "forgotten-history",
        "replaces Remember, and so forgets a history that its checks may be about (let it check TypeOK alone, or leave Remember as it is)",
    );
}

#[test]
fn one_name_for_two_designs() {
    let again = |module: &str, stands_for: &str| {
        let design = format!(
            "[[design]]\nname = \"Fifo\"\nmodule = \"{module}\"\nstands_for = \"{stands_for}\"\nconstants = {{ Policy = \"<- Fifo\" }}\n\
             models = [\n  {{ name = \"Misfiled\", size = \"RW\", violates = \"Mutex\" }},\n]\n\n[[design]]\nname = \"Any\""
        );
        copy()
            .edit(CLAIMS, "[[design]]\nname = \"Any\"", &design)
            .edit(LOCK, "Never-", "Misfiled = { witness = 5 }\nNever-")
    };
    finds(
        &again("MCLock", "another lock"),
        "specs/demo/models.toml:45: mixed-design: model `Misfiled`: stands for \"another lock\", but `Fifo-RW-safety` of the same design for",
    );
    let copy = again("MCOther", "ticket lock | queue").edit(
        CLAIMS,
        "[module.MCLock]",
        "[module.MCOther]\nactions = [\"Enter\", \"Take\", \"Release\"]\nconstants = { Bound = \"2\" }\n\n[module.MCLock]",
    );
    let module = std::fs::read_to_string(copy.path("specs/demo/MCLock.tla")).expect("it is there");
    copy.write(
        "specs/demo/MCOther.tla",
        &module.replace("MCLock", "MCOther"),
    );
    finds(
        &copy,
        "specs/demo/models.toml:49: mixed-design: model `Misfiled`: runs on module MCOther, but `Fifo-RW-safety` of the same design on MCLock",
    );
}
