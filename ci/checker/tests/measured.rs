//! The records of what was measured by hand: what they refuse, how their tables look, and that a page shows each.

mod manifests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use interlock_checker::measured::{FOLDER, Record};
use interlock_checker::table::{stale, update};
use manifests::Copy;

const GOOD: &str = r#"
what = "both variants"
on = "two kernels"
often = "three times"
kernels = ["5.10", "6.1", "6.12"]
[did]
x-d = ["3 waited", "3 waited", "3 lost"]
x-e = ["3 waited", "3 waited", "3 lost"]
x-f = ["1 kept", "", "1 kept"]
[table.each]
by_kernel = true
headings = ["variant", "what"]
rows = [["x-d, x-e", "X"], ["x-f", "F | G"]]
[table.two]
by_kernel = true
headings = ["variant"]
rows = [["x-d"]]
[table.rates]
headings = ["kernel", "reads"]
rows = [["5.10", "33"]]
"#;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn table(name: &str) -> String {
    let record = Record::read(GOOD).expect("a record");
    record.markdown(name).expect("a table")
}

#[test]
fn a_table_by_kernel_has_a_column_for_those_that_did_the_same() {
    assert_eq!(
        table("each"),
        "| variant | what | 5.10 | 6.1 | 6.12 |\n| --- | --- | --- | --- | --- |\n\
         | `x-d`, `x-e` | X | waited | waited | **lost** |\n| `x-f` | F \\| G | kept | — | kept |\n"
    );
    assert_eq!(
        table("two"),
        "| variant | 5.10, 6.1 | 6.12 |\n| --- | --- | --- |\n| `x-d` | waited | **lost** |\n"
    );
    assert_eq!(
        table("rates"),
        "| kernel | reads |\n| --- | --- |\n| 5.10 | 33 |\n"
    );
}

#[test]
fn a_record_that_says_too_little_is_refused() {
    let error = |from: &str, to: &str| {
        assert!(GOOD.contains(from), "{from}");
        let error = Record::read(&GOOD.replacen(from, to, 1)).expect_err("a bad record");
        format!("{error:#}")
    };
    assert_eq!(error("\"two kernels\"", "\" \""), "`on` says nothing");
    assert!(error("often =", "rarely =").contains("unknown field `rarely`"));
    assert_eq!(
        error("[\"1 kept\", \"\"", "[\"1 kept\""),
        "`x-f` has 2 of 3 kernels"
    );
    assert!(
        error("\"1 kept\"", "\"kept\"").contains("`kept` is not how many runs and a word"),
        "a word alone"
    );
    assert!(error("\"1 kept\"", "\"0 kept\"").contains("`0 kept` is not"));
    assert!(error("\"33\"", "\"33\", \"34\"").contains("table `rates`: not 2 cells"));
    let text = GOOD.replace("x-e = [\"3 waited\"", "x-e = [\"3 kept\"");
    let record = Record::read(&text).expect("a record");
    let error = record.markdown("each").expect_err("they differ");
    assert_eq!(
        error.to_string(),
        "a row has x-d, x-e, which did not do the same"
    );
    let error = record.markdown("rate").expect_err("there is none");
    assert_eq!(
        error.to_string(),
        "it has no table `rate`; did you mean `rates`?"
    );
}

#[test]
fn a_page_has_the_table_of_the_record_that_its_marker_names() {
    let copy = Copy::clean();
    copy.write(&format!("{FOLDER}/runs.toml"), GOOD);
    let manifest = copy.manifest();
    let page = "<!-- table:measured runs rates -->\n<!-- /table -->\n";
    let written = update(&manifest, page).expect("a good marker");
    assert!(written.contains("| 5.10 | 33 |"), "{written}");
    assert_eq!(stale(&manifest, &written), Ok(false));
    assert_eq!(stale(&manifest, &written.replace("33", "34")), Ok(true));
    for (marker, said) in [
        ("runs", "`runs` is no record and its table"),
        ("run rates", "docs/measured/run.toml"),
        ("runs none", "it has no table `none`"),
    ] {
        let page = format!("<!-- table:measured {marker} -->\n<!-- /table -->\n");
        let error = update(&manifest, &page).expect_err("a bad marker");
        assert!(error.message.contains(said), "{error}");
    }
}

/// The records of this repository, by their names.
fn records() -> Vec<(String, Record)> {
    let found = fs::read_dir(root().join(FOLDER)).expect("the records");
    let names = found.flatten().map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let name = name.strip_suffix(".toml").expect("a record");
        name.to_owned()
    });
    let records = names.map(|name| {
        let record = Record::load(&root(), &name).expect("a good record");
        (name, record)
    });
    records.collect()
}

fn pages(folder: &Path) -> String {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let texts = entries.map(|entry| match entry.path() {
        path if path.is_dir() => pages(&path),
        path if path.extension().is_some_and(|end| end == "md") => {
            fs::read_to_string(path).expect("a page")
        }
        _ => String::new(),
    });
    texts.collect()
}

#[test]
fn each_table_of_each_record_is_on_a_page() {
    let pages = pages(&root().join("docs"));
    let mut tables = 0;
    for (name, record) in records() {
        for table in record.table.keys() {
            let marker = format!("<!-- table:measured {name} {table} -->");
            assert!(pages.contains(&marker), "no page has {marker}");
            tables += 1;
        }
    }
    assert!(tables > 10, "{tables}");
}

/// A step and whose it is: of `Map(a)`, and of `Dirty(<<a, 1>>)`.
fn step(text: &str) -> (String, String) {
    let (action, arguments) = text.split_once('(').unwrap_or((text, ""));
    let action = action.split(':').next().unwrap_or(action);
    let of = arguments.split([',', ')']).next().unwrap_or_default();
    (action.to_owned(), of.trim_start_matches('<').to_owned())
}

/// The steps that a table's cell names.
fn named(cell: &str) -> Vec<(String, String)> {
    // A remark may say where the model has a step of the other task.
    let cell = cell.split(" (in the model").next().unwrap_or(cell);
    cell.split('`').skip(1).step_by(2).map(step).collect()
}

/// The steps that a picture's description has: `Step by step: 1 initially; 2 Call(a); 3 Lock(a). NoLostWrite is violated`.
fn drawn(picture: &str) -> Vec<(String, String)> {
    let picture = picture.replace("&lt;", "<").replace("&gt;", ">");
    let (_, steps) = picture.split_once("Step by step: ").expect("a description");
    let (steps, _) = steps.split_once(". ").expect("it ends");
    let numbered = steps.split("; ").filter_map(|step| step.split_once(' '));
    numbered.map(|(_, text)| step(text)).collect()
}

/// The first of the steps that is not one of the counterexample, each task's in its order.
fn strange(shown: &[(String, String)], drawn: &[(String, String)]) -> Option<String> {
    let mut at = BTreeMap::new();
    shown.iter().find_map(|step| {
        let from = at.entry(&step.1).or_insert(0);
        match drawn[*from..].iter().position(|drawn| drawn == step) {
            Some(found) => {
                *from += found + 1;
                None
            }
            None => Some(format!("{}({})", step.0, step.1)),
        }
    })
}

#[test]
fn the_steps_beside_what_a_disk_saw_are_those_of_the_counterexample() {
    let of = |record: &str, table: &str, model: &str| {
        let record = Record::load(&root(), record).expect("a record");
        let cells = record.table[table].rows.iter().map(|row| &row[2]);
        let mut shown: Vec<_> = cells.flat_map(|cell| named(cell)).collect();
        assert!(shown.len() > 8, "{shown:?}");
        let path = root().join(format!("docs/img/{model}.svg"));
        let drawn = drawn(&fs::read_to_string(path).expect("a picture"));
        assert_eq!(strange(&shown, &drawn), None, "{table}");
        shown.reverse();
        assert!(strange(&shown, &drawn).is_some(), "{table}");
    };
    of("direct-io-disk", "x-d", "Final612-XD-eof-KeepsOthers");
    of("direct-io-disk", "trms", "Final612-TR3-mid-KeepsA");
    of("direct-io-disk", "kuas", "Since67-KUA-NoLostWrite");
    of("direct-io-disk", "xt-d", "XfsOptimistic-ACT-written-data");
    of("xfs-append", "disk", "XfsOptimistic-CT-eof-data");
    of("sync-miss-disk", "page-syncfs", "Upstream-AAF-SyncComplete");
}
