//! The claims as Markdown.

mod manifests;

use std::fs;
use std::path::Path;

use interlock_checker::table::{designs, engines, headlines, rows, stale, update};
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

#[test]
fn what_apalache_is_asked_says_of_which_steps() {
    let rows = "
[module.APLock]
engine = \"apalache\"

[[design]]
name = \"Fifo\"
module = \"APLock\"
models = [
  { name = \"base\", cinit = \"Any\", length = 0, holds = \"Mutex\" },
  { name = \"step\", cinit = \"Any\", init = \"IndInit\", length = 1, holds = \"Mutex\" },
  { name = \"part\", cinit = \"Any\", init = \"IndInit\", next = \"Enter\", length = 1, holds = \"Mutex\" },
  { name = \"parts\", cinit = \"Any\", next = \"Enter\", length = 3, holds = \"Mutex\" },
]
";
    let copy = Copy::clean();
    let clean = fs::read_to_string(copy.path(CLAIMS)).expect("it is there");
    copy.write(CLAIMS, &(clean + rows));
    copy.write("specs/demo/APLock.tla", "---- MODULE APLock ----\n====\n");
    let table = engines(&copy.manifest(), "demo");
    for asked in [
        "| base | apalache | Fifo | Any | Init: Mutex |",
        "| step | apalache | Fifo | Any | IndInit, 1 step: Mutex |",
        "| part | apalache | Fifo | Any | IndInit, 1 step of Enter: Mutex |",
        "| parts | apalache | Fifo | Any | Init, 3 steps of Enter: Mutex |",
    ] {
        assert!(table.contains(asked), "{table}");
    }
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
| protocol | design | stands for | verdict |
| --- | --- | --- | --- |
| [A lock](demo.md) | Any | test-and-set lock | **Progress is violated** in 7 states, RRW |
| [A lock](demo.md) | Fifo | ticket lock \\| queue | Mutex holds, RRW |
| [A lock](demo.md) | Broken | no lock | **Mutex is violated** in 5 states, RW |
";
    assert_eq!(headlines(&manifest), expected);
    let marked = "<!-- table:headlines -->\nold\n<!-- /table -->\n";
    let new = update(&manifest, marked).expect("a good marker");
    assert_eq!(
        new,
        format!("<!-- table:headlines -->\n{expected}<!-- /table -->\n")
    );
}

/// A table of two designs, where `columns` stands.
const TABLE: &str = r#"columns = ["Mutex", "InOrder", "Progress"]

[table.locks]
designs = [["Fifo", "who came first"], ["Any", "test and set"], ["Broken", "none"]]
columns = [["one at a time", "Mutex"], ["everyone gets in", "Progress"]]
"#;
const COLUMNS: &str = r#"columns = ["Mutex", "InOrder", "Progress"]"#;

#[test]
fn a_chapter_shows_chosen_designs_in_words() {
    let marked = "<!-- table:chosen demo locks -->\n<!-- /table -->\n";
    let shown = |table: &str| {
        let manifest = Copy::with(COLUMNS, table).manifest();
        update(&manifest, marked).expect("a good marker")
    };
    let expected = |fifo: &str| {
        format!(
            "<!-- table:chosen demo locks -->
| design | what it is | one at a time | everyone gets in |
| --- | --- | --- | --- |
| Fifo | who came first | yes, up to two readers and one writer | yes, up to {fifo} |
| Any | test and set |  | [**no**](#any) |
| Broken | none | [**no**](#broken) |  |
<!-- /table -->
"
        )
    };
    assert_eq!(shown(TABLE), expected("one reader and one writer"));
    let said = format!("{TABLE}sizes = {{ RW = \"a pair\" }}\n");
    assert_eq!(shown(&said), expected("a pair"));
    let elsewhere = shown(&format!("{TABLE}page = \"docs/demo.md\"\n"));
    assert!(
        elsewhere.contains("[**no**](docs/demo.md#any)"),
        "{elsewhere}"
    );
}

#[test]
fn a_table_that_says_nothing_is_refused() {
    let refused = |from: &str, to: &str| {
        assert!(TABLE.contains(from), "nothing is planted by {from}");
        let error = Copy::with(COLUMNS, &TABLE.replace(from, to)).load();
        let error = error.expect_err("a bad table").to_string();
        let (_, error) = error.split_once("models.toml:").expect("a place");
        error.to_owned()
    };
    assert_eq!(
        refused("\"Fifo\"", "\"Fifos\""),
        "10:12: TLC has no design `Fifos` here; did you mean `Fifo`? (correct the name)"
    );
    assert_eq!(
        refused("\"Progress\"]]", "\"Progres\"]]"),
        "11:40: no model here checks `Progres`; did you mean `Progress`? (correct the name)"
    );
    assert_eq!(
        refused("\"Broken\"", "\"Never\""),
        "10:65: no column of table `locks` says anything of design `Never` (leave it out, or add a column)"
    );
    assert_eq!(
        refused(
            "\"Progress\"]]",
            "\"Progress at RRW\"], [\"order\", \"NobodyWaits at RRW\"]]"
        ),
        "11:81: no design of table `locks` is asked for `NobodyWaits at RRW` (leave the column out, or add a design)"
    );
    assert_eq!(
        refused("\"Any\"", "\"Fifo\""),
        "10:40: `Fifo` is there twice (leave one out)"
    );
    let six = "columns = [[\"1\", \"Mutex\"], [\"2\", \"Mutex\"], [\"3\", \"Mutex\"], [\"4\", \"Mutex\"], ";
    assert_eq!(
        refused("columns = [[", &format!("{six}[")),
        "9:1: table `locks` has 8 columns with the design and what it is, and nobody reads more than 7 (make two of it)"
    );
    assert_eq!(
        refused(
            "columns = [[\"one at a time\", \"Mutex\"], [\"everyone gets in\", \"Progress\"]]",
            "columns = []"
        ),
        "9:1: table `locks` has nothing in it (name its `designs` and `columns`)"
    );
    assert_eq!(
        refused(
            "\"Progress\"]]\n",
            "\"Progress\"]]\nsizes = { RRWWW = \"five\" }\n"
        ),
        "9:1: TLC has no model of size `RRWWW` here; did you mean `RRW`? (correct the name)"
    );
}

#[test]
fn a_marker_names_a_declared_table() {
    let manifest = Copy::with(COLUMNS, TABLE).manifest();
    let error = |text: &str| update(&manifest, text).expect_err("a bad marker").message;
    assert_eq!(
        error("<!-- table:chosen demo lock -->\n"),
        "area `demo` declares no table `lock`; did you mean `locks`? (add a [table.lock] to its models.toml)"
    );
    assert_eq!(
        error("<!-- table:chosen demo -->\n"),
        "a chosen table needs its name (write `<!-- table:chosen demo NAME -->`)"
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
        "line 1: no table is named `verdicts` (say `chosen`, `designs`, `rows`, `engines`, `keys` or `measured`)"
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

/// The page of every key, with one word of a comment changed.
#[test]
fn the_reference_of_the_manifest_is_what_its_source_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/manifest.md");
    let page = fs::read_to_string(page).expect("the page");
    let manifest = Copy::clean().manifest();
    assert_eq!(stale(&manifest, &page), Ok(false));
    let lane = "| `lane` | `smoke`, `ci` or `nightly` | `ci` | The first lane that it runs in. |";
    assert!(page.contains(lane), "{page}");
    let seeded = page.replace(lane, &lane.replace("first", "last"));
    assert_eq!(stale(&manifest, &seeded), Ok(true));
    let budget = "| `budget` | number | 240 | Seconds of CPU time for a model of it. |";
    assert!(page.contains(budget), "{page}");
    let unknown = "<!-- table:keys rows -->\n<!-- /table -->\n";
    let error = update(&manifest, unknown).expect_err("no such table");
    assert_eq!(
        error.to_string(),
        "line 1: models.toml has no table `rows`; did you mean `row`? (correct the marker)"
    );
}
