//! A row that need not run on each push says which row its verdict follows from, and lint refuses every other claim of the kind.

#[path = "manifests/findings.rs"]
mod findings;
mod manifests;

use findings::{finds, finds_only};
use manifests::{CLAIMS, Copy};

/// A copy whose tasks may stay away, with this row of design Fifo in the lane `nightly`.
fn with_row(row: &str) -> Copy {
    let last = "  { size = \"RW\", violates = \"probe\" },\n";
    let count = if row.contains("holds") {
        "{ distinct = 5, total = 5 }"
    } else {
        "{ witness = 3 }"
    };
    let row = format!("{{ name = \"Follows\", lane = \"nightly\", {row} }}");
    Copy::clean()
        .edit(CLAIMS, "\n# By the names", "arriving = [\"Readers\", \"Writers\"]\n\n# By the names")
        .edit(CLAIMS, "RRW = {", "R = { Readers = \"{r1}\", Writers = \"{}\" }\nSS = { Readers = \"{s1}\", Writers = \"{}\" }\nRRW = {")
        .edit(CLAIMS, last, &format!("{last}  {row},\n"))
        .edit("specs/demo/models.lock", "Never-", &format!("Follows = {count}\nNever-"))
}

#[test]
fn what_is_true_at_a_larger_size_and_what_is_violated_at_a_smaller_one() {
    for row in [
        r#"size = "R", holds = ["Mutex"], follows_from = "Fifo-RW-safety""#,
        r#"size = "R", holds = "InOrder", follows_from = "Fifo-RW-InOrder""#,
        r#"size = "R", holds = "Progress", probe = "Fifo-R-probe", follows_from = "Fifo-RW-Progress""#,
        r#"size = "RRW", violates = "probe", follows_from = "Fifo-RW-probe""#,
    ] {
        let probe = "{ size = \"R\", violates = \"probe\" },\n  { name = \"Follows\"";
        let copy = with_row(row)
            .edit(CLAIMS, "{ name = \"Follows\"", probe)
            .edit(
                "specs/demo/models.lock",
                "Follows",
                "Fifo-R-probe = { witness = 2 }\nFollows",
            );
        finds_only(&copy, &[]);
    }
}

#[test]
fn what_does_not_follow() {
    for (row, why) in [
        (
            r#"size = "R", holds = ["Mutex"], follows_from = "None""#,
            "`None`, which is not among the models",
        ),
        (
            r#"size = "R", holds = ["Mutex"], deadlock = true, follows_from = "Fifo-RW-safety""#,
            "`Fifo-RW-safety`, which cannot say that a smaller size has no deadlock",
        ),
        (
            r#"size = "RRW", holds = ["Mutex"], follows_from = "Fifo-RW-safety""#,
            "`Fifo-RW-safety`, which is not of a size of which only tasks that may stay away make the difference",
        ),
        (
            r#"size = "SS", holds = ["Mutex"], follows_from = "Fifo-RW-safety""#,
            "`Fifo-RW-safety`, which is not of a size of which only tasks",
        ),
        (
            r#"size = "R", holds = ["NobodyWaits"], follows_from = "Fifo-RW-safety""#,
            "`Fifo-RW-safety`, which does not check as much",
        ),
        (
            r#"size = "R", violates = "probe", follows_from = "Fifo-RW-probe""#,
            "`Fifo-RW-probe`, which is not of a size of which only tasks",
        ),
        (
            r#"size = "R", violates = "probe", follows_from = "Fifo-RW-safety""#,
            "`Fifo-RW-safety`, which has another verdict",
        ),
        (
            r#"size = "R", holds = ["Mutex"], follows_from = "Any-RW-InOrder""#,
            "`Any-RW-InOrder`, which has another verdict",
        ),
        (
            r#"size = "R", holds = ["Mutex"], follows_from = "Fifo-RRW-safety""#,
            "`Fifo-RRW-safety`, which does not run in an earlier lane",
        ),
    ] {
        let found = findings::findings(&with_row(row)).join("\n");
        let expected = format!("does-not-follow: model `Follows`: does not follow from {why}");
        assert!(found.contains(&expected), "no `{expected}` in {found}");
    }
}

#[test]
fn tasks_that_must_arrive() {
    let row = r#"size = "R", holds = ["Mutex"], follows_from = "Fifo-RW-safety""#;
    let copy = with_row(row).edit(
        CLAIMS,
        "arriving = [\"Readers\", \"Writers\"]",
        "arriving = [\"Readers\"]",
    );
    finds(
        &copy,
        "specs/demo/models.toml:37: does-not-follow: model `Follows`",
    );
}
