//! The table of the findings: of the list, the pages, the models and the kernels' record.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use interlock_checker::lint::lint;
use interlock_checker::manifest::Manifest;
use interlock_checker::table::{stale, update};
use tempfile::TempDir;

const LIST: &str = "docs/findings/findings.toml";
const INDEX: &str = "docs/findings/README.md";
const RECORD: &str = "docs/kernels.json";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A copy of the project's specifications, findings and record, in which `is` is replaced in one file.
fn seeded(file: &str, is: &str, should: &str) -> (TempDir, Manifest) {
    let dir = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory");
    fs::create_dir_all(dir.path().join("docs")).expect("a folder");
    for folder in ["specs", "docs/findings", "docs/measured"] {
        let copied = Command::new("cp")
            .arg("-R")
            .args([root().join(folder), dir.path().join(folder)])
            .status();
        assert!(copied.expect("cp").success(), "{folder}");
    }
    fs::copy(root().join(RECORD), dir.path().join(RECORD)).expect("a copy");
    let path = dir.path().join(file);
    let text = fs::read_to_string(&path).expect("the file");
    assert!(text.contains(is), "{file} has no {is}");
    fs::write(&path, text.replacen(is, should, 1)).expect("the seeded file");
    let manifest = Manifest::load(&dir.path().join("specs")).expect("the claims");
    (dir, manifest)
}

/// Whether the index is not what the seeded file gives.
fn is_stale(file: &str, is: &str, should: &str) -> Result<bool, String> {
    let (dir, manifest) = seeded(file, is, should);
    let index = fs::read_to_string(dir.path().join(INDEX)).expect("the index");
    stale(&manifest, &index).map_err(|error| error.message)
}

#[test]
fn the_index_is_what_it_is_made_of() {
    assert_eq!(is_stale(LIST, "[[finding]]", "[[finding]]"), Ok(false));
    let seeds = [
        (INDEX, "lost on", "seen on"),
        (LIST, "reported = \"no", "reported = \"yes"),
        ("docs/findings/eof-loss.md", "# ext4", "# ext2"),
        (RECORD, "\"release\": \"7.3.4\"", "\"release\": \"7.3.5\""),
    ];
    for (file, is, should) in seeds {
        assert_eq!(is_stale(file, is, should), Ok(true), "{file}");
    }
}

#[test]
fn lint_finds_an_index_that_is_out_of_date() {
    let (_dir, manifest) = seeded(INDEX, "lost on", "seen on");
    let found = lint(&manifest);
    let of_index = found.iter().filter(|finding| finding.file == INDEX);
    let rules: Vec<&str> = of_index.map(|finding| finding.rule).collect();
    assert_eq!(rules, ["stale-table"]);
}

#[test]
fn what_the_list_says_is_there() {
    let model = "Final612-XD-eof-KeepsOthers";
    let told = |should: &str| is_stale(LIST, model, should).expect_err("a fault");
    assert_eq!(
        told("Final612-XD-eof-KeepsOther"),
        "eof-loss.md: no model is named `Final612-XD-eof-KeepsOther`; did you mean `Final612-XD-eof-KeepsOthers`? \
         (correct docs/findings/findings.toml)"
    );
    assert_eq!(
        told("QueueAtOnce-AATF-safety"),
        "eof-loss.md: the model `QueueAtOnce-AATF-safety` has no counterexample (correct docs/findings/findings.toml)"
    );
    assert_eq!(
        is_stale(LIST, "cured = \"the append", "# cured = \"the append").expect_err("a fault"),
        "stale-page.md: the last kernel of the rack does not do as each of these models: say where it is `cured` (correct docs/findings/findings.toml)"
    );
    let herd = "reported = \"no; [a mail";
    assert!(
        is_stale(
            LIST,
            &format!("cured = \"no kernel that was tried\"\n{herd}"),
            herd
        )
        .is_err()
    );
    let (_dir, manifest) = seeded(LIST, "page = \"eof-loss.md\"", "page = \"none.md\"");
    let error = update(&manifest, "<!-- table:findings -->\n<!-- /table -->\n");
    assert!(error.expect_err("no page").message.starts_with("none.md: "));
}
