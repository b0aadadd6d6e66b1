//! The claims as Markdown.

mod manifests;

use interlock_checker::table::{designs, headlines, rows, stale, update};
use manifests::{CLAIMS, Copy};

#[test]
fn every_model_is_a_row() {
    let expected = "\
| model | design | stands for | size | checks | expected | distinct | total | witness | lane |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| Fifo-RW-safety | Fifo | ticket lock \\| queue | RW | TypeOK, Mutex, Deadlock | holds | 9 | 15 | — | smoke |
| Fifo-RRW-safety | Fifo | ticket lock \\| queue | RRW | TypeOK, Mutex | holds | 17 | 34 | — | nightly |
| Fifo-RW-InOrder | Fifo | ticket lock \\| queue | RW | InOrder | holds | 9 | 15 | — | ci |
| Fifo-RW-Progress | Fifo | ticket lock \\| queue | RW | Progress | holds | 9 | 15 | — | ci |
| Fifo-RW-probe | Fifo | ticket lock \\| queue | RW | NobodyWaits | **violates** NobodyWaits (invariant) | — | — | 2 | ci |
| Any-RRW-Progress | Any | test-and-set lock | RRW | Progress | **violates** Progress (temporal) | 31 | 76 | 7 | ci |
| Any-RW-InOrder | Any | test-and-set lock | RW | InOrder | **violates** InOrder (action) | — | — | 4 | ci |
| Broken-RW-Mutex | Broken | no lock | RW | Mutex | **violates** Mutex (invariant) | — | — | 5 | ci |
| Never-RW-deadlock | Never | no lock | RW | Deadlock | **violates** Deadlock | — | — | 3 | ci |
";
    assert_eq!(rows(&Copy::clean().manifest(), "demo"), expected);
}

const DESIGNS: &str = "\
| design | stands for | Mutex | InOrder | Progress |
| --- | --- | --- | --- | --- |
| Fifo | ticket lock \\| queue | holds, up to RRW | holds, up to RW | holds, up to RW |
| Any | test-and-set lock | — | **violated**: RW, 4 states | **violated**: RRW, 7 states |
| Broken | no lock | **violated**: RW, 5 states | — | — |
";

#[test]
fn every_design_that_a_column_judges_is_a_row() {
    assert_eq!(designs(&Copy::clean().manifest(), "demo", None), DESIGNS);
    assert_eq!(designs(&Copy::clean().manifest(), "none", None), "");
}

#[test]
fn the_smallest_violation_is_shown() {
    let row = "  { size = \"RRW\", violates = \"Progress\"";
    let smaller = "  { size = \"RW\", violates = \"Progress\" },";
    let manifest = Copy::with(row, &format!("{smaller}\n{row}")).manifest();
    assert!(
        designs(&manifest, "demo", None)
            .contains("| **violated**: RW, 4 states | **violated**: RW |\n")
    );
}

#[test]
fn a_column_may_be_of_one_size() {
    let manifest = Copy::with(
        r#"columns = ["Mutex", "InOrder", "Progress"]"#,
        r#"columns = ["Mutex at RW", "Mutex at RRW", "Progress at RRW"]"#,
    )
    .manifest();
    let expected = "\
| design | stands for | Mutex at RW | Mutex at RRW | Progress at RRW |
| --- | --- | --- | --- | --- |
| Fifo | ticket lock \\| queue | holds | holds | — |
| Any | test-and-set lock | — | — | **violated**: 7 states |
| Broken | no lock | **violated**: 5 states | — | — |
";
    assert_eq!(designs(&manifest, "demo", None), expected);
}

#[test]
fn a_table_may_be_of_one_module() {
    let module = "[module.Lock]\nactions = [\"Enter\"]\n\n[[design]]";
    let of = |design: &str, module: &str| format!("name = \"{design}\"\nmodule = \"{module}\"");
    let manifest = Copy::with("[[design]]", module)
        .edit(CLAIMS, &of("Broken", "MCLock"), &of("Broken", "Lock"))
        .edit(CLAIMS, &of("Never", "MCLock"), &of("Never", "Lock"))
        .manifest();
    let expected = "\
| design | stands for | Mutex |
| --- | --- | --- |
| Broken | no lock | **violated**: RW, 5 states |
";
    assert_eq!(designs(&manifest, "demo", Some("Lock")), expected);
}

#[test]
fn the_headlines_of_all_areas_are_one_table() {
    let columns = "columns = [\"Mutex\", \"InOrder\", \"Progress\"]";
    let names = "headlines = [\"Any-RRW-Progress\", \"Fifo-RRW-safety\", \"Broken-RW-Mutex\"]";
    let manifest = Copy::with(columns, &format!("{names}\n{columns}")).manifest();
    let expected = "\
| seed | design | stands for | verdict |
| --- | --- | --- | --- |
| [A lock](specs/demo/README.md) | Any | test-and-set lock | **Progress is violated** in 7 states, RRW |
| [A lock](specs/demo/README.md) | Fifo | ticket lock \\| queue | Mutex holds, RRW |
| [A lock](specs/demo/README.md) | Broken | no lock | **Mutex is violated** in 5 states, RW |
";
    assert_eq!(headlines(&manifest), expected);
    let marked = "<!-- table:headlines -->\nold\n<!-- /table -->\n";
    let new = update(&manifest, marked).expect("a good marker");
    assert_eq!(
        new,
        format!("<!-- table:headlines -->\n{expected}<!-- /table -->\n")
    );
}

#[test]
fn marked_tables_are_replaced_and_the_rest_is_kept() {
    let manifest = Copy::clean().manifest();
    let old = "# Lock\n<!-- table:designs demo -->\nold\n<!-- /table -->\ntext\n<!-- table:rows demo -->\n<!-- /table -->";
    let new = update(&manifest, old).expect("good markers");
    let expected = format!(
        "# Lock\n<!-- table:designs demo -->\n{DESIGNS}<!-- /table -->\ntext\n<!-- table:rows demo -->\n{}<!-- /table -->",
        rows(&manifest, "demo")
    );
    assert_eq!(new, expected);
    assert_eq!(
        (
            stale(&manifest, old),
            stale(&manifest, &new),
            stale(&manifest, "no table\n")
        ),
        (Ok(true), Ok(false), Ok(false))
    );
}

#[test]
fn bad_markers_are_refused() {
    let manifest = Copy::clean().manifest();
    let error = |text: &str| {
        update(&manifest, text)
            .expect_err("a bad marker")
            .to_string()
    };
    assert_eq!(
        error("\n<!-- table:designs lock -->\n"),
        "line 2: no area is named `lock` (correct the marker)"
    );
    assert_eq!(
        error("<!-- table:designs demo MCNone -->\n"),
        "line 1: area `demo` has no module `MCNone` (correct the marker)"
    );
    assert_eq!(
        error("<!-- table:rows demo MCLock -->\n"),
        "line 1: the rows are those of a whole area (leave `MCLock` out)"
    );
    assert_eq!(
        error("<!-- table:verdicts demo -->\n"),
        "line 1: no table is named `verdicts` (say `designs`, `rows` or `engines`)"
    );
    assert_eq!(
        error("<!-- table:rows demo -->\n"),
        "line 1: the table has no end (add a line `<!-- /table -->`)"
    );
    assert_eq!(
        error("<!-- table:rows -->\n"),
        "line 1: a table's marker needs a kind and an area (write `<!-- table:designs AREA -->`)"
    );
}
