//! The pages of `docs/reference` are what they are made of, and lint finds where one is not.

mod runner;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use assert_cmd::assert::{Assert, OutputAssertExt as _};
use predicates::prelude::PredicateBooleanExt as _;
use predicates::str::contains;
use runner::{interlock, root};
use tempfile::TempDir;

const COMMANDS: &str = "docs/reference/cli.md";
const TRACES: &str = "docs/reference/traces.md";
const STALE: &str = "stale-page: is not what it is made of (run `make docs`)";

/// The project in a directory of its own, whose pages of reference and Makefile may be changed.
fn project() -> TempDir {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let link = |name: &&str| symlink(root().join(name), dir.path().join(name)).expect("a link");
    ["README.md", "ci", "tests"].iter().for_each(link);
    let copied = Command::new("cp")
        .arg("-R")
        .args([root().join("specs"), dir.path().join("specs")])
        .status();
    assert!(copied.expect("cp").success());
    fs::create_dir_all(dir.path().join("docs/reference")).expect("a folder");
    ["docs/img", "docs/kernels.json"].iter().for_each(link);
    for file in ["Makefile", COMMANDS, TRACES] {
        fs::copy(root().join(file), dir.path().join(file)).expect("a copy");
    }
    dir
}

fn lint(dir: &Path) -> Assert {
    interlock().current_dir(dir).arg("lint").assert()
}

#[test]
fn a_page_that_is_out_of_date_is_found() {
    let dir = project();
    lint(dir.path()).code(0);
    // The file, what is changed there, and the page that is stale then.
    let seeds = [
        (COMMANDS, "`--fail-fast`", "`--fail-slow`", COMMANDS),
        ("Makefile", "## This list", "## The list", COMMANDS),
        (TRACES, "Who took it.", "Who took one.", TRACES),
        (TRACES, "`Enter(t)`", "`Enter(task)`", TRACES),
        (TRACES, "`Zeroing73`: 7.3", "`Zeroing73`: 7.2", TRACES),
    ];
    for (file, is, should, page) in seeds {
        let path = dir.path().join(file);
        let text = fs::read_to_string(&path).expect("the file");
        let seeded = text.replace(is, should);
        assert_ne!(seeded, text, "{file} has no {is}");
        fs::write(&path, seeded).expect("the seeded file");
        let told = contains(STALE).count(1).and(contains(page));
        lint(dir.path()).code(1).stdout(told);
        fs::write(&path, text).expect("the file");
    }
}

#[test]
fn a_marker_that_names_nothing_is_refused() {
    let dir = project();
    let seeds = [
        (
            COMMANDS,
            "reference:targets",
            "reference:target",
            "nothing is named `target` (say `commands` or `targets`)",
        ),
        (
            TRACES,
            "reference:head",
            "reference:heads",
            "nothing is named `heads` (say `head`, `event`, ",
        ),
    ];
    for (file, is, should, says) in seeds {
        let path = dir.path().join(file);
        let text = fs::read_to_string(&path).expect("the page");
        fs::write(&path, text.replace(is, should)).expect("the seeded page");
        lint(dir.path()).code(2).stderr(contains(says));
        fs::write(&path, text).expect("the page");
    }
}
