//! `ci/mutants`: which files it mutates, and what it makes of what cargo-mutants finds.

mod runner;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::assert::{Assert, OutputAssertExt as _};
use predicates::prelude::*;
use predicates::str::contains;
use runner::{Clone, program_of_the_project, root};

/// What a group's lines of this kind say.
fn words<'a>(text: &'a str, kind: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = text.lines().filter_map(move |line| line.strip_prefix(kind));
    lines.flat_map(str::split_whitespace)
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path],
        })
        .collect()
}

/// Each source of the reference, but for those that only list modules, is in one group; each test that a group names is there.
#[test]
fn every_source_is_in_one_group() {
    let groups = fs::read_to_string(root().join("tests/mutants.groups")).expect("the groups");
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for folder in ["reference/src", "reference/rwlock/src"] {
        for path in sources(&root().join(folder)) {
            let name = path.strip_prefix(root()).expect("below it");
            found.insert(name.to_string_lossy().into_owned(), 0);
        }
    }
    for pattern in words(&groups, "files ") {
        let is_of = |name: &String| match pattern.split_once('*') {
            Some((before, after)) => {
                let middle = name
                    .strip_prefix(before)
                    .and_then(|rest| rest.strip_suffix(after));
                middle.is_some_and(|middle| !middle.contains('/'))
            }
            None => name == pattern,
        };
        let of_it: Vec<_> = found.iter_mut().filter(|(name, _)| is_of(name)).collect();
        assert!(!of_it.is_empty(), "there is no {pattern}");
        of_it.into_iter().for_each(|(_, groups)| *groups += 1);
    }
    for (name, groups) in found {
        let lists_modules = name.ends_with("/mod.rs") || name == "reference/src/lib.rs";
        assert!(
            groups == 1 || groups == 0 && lists_modules,
            "{name} is in {groups} groups"
        );
    }
    for test in words(&groups, "tests ") {
        let places = ["tests/tests", "reference/rwlock/tests"].map(|place| root().join(place));
        let is_there = |place: &PathBuf| {
            place.join(format!("{test}.rs")).is_file() || place.join(test).join("main.rs").is_file()
        };
        assert!(
            test == "lib" || places.iter().any(is_there),
            "there is no test {test}"
        );
    }
}

const GROUPS: &str = "group one\nfiles src/a.rs\ntests good\n\ngroup two\nopt-level 1\nfiles src/b*.rs\ntests good lib\n";

/// A project with two groups, where cargo-mutants misses these mutants and these are listed.
fn project(missed: &str, listed: &str) -> Clone {
    let cargo = format!(
        r#"
[ "$2" = --version ] && exit 0
echo "asked at $CARGO_PROFILE_DEV_OPT_LEVEL: $*"
while [ "$1" != --output ]; do shift; done
out=$2/mutants.out
mkdir -p "$out"
: >"$out/timeout.txt"; : >"$out/unviable.txt"
echo 'src/a.rs:1:1: replace a -> b' >"$out/caught.txt"
echo '[1]' >"$out/mutants.json"
case $2 in */one) printf '{missed}' ;; esac >"$out/missed.txt""#
    );
    let clone = Clone::new().program("cargo", &cargo);
    program_of_the_project("ci/mutants", clone.dir.path());
    program_of_the_project("ci/mutants-page", clone.dir.path());
    for (name, text) in [
        ("tests/mutants.groups", GROUPS),
        ("tests/mutants.txt", listed),
        ("src/a.rs", "one\n  two\n"),
        ("src/b1.rs", ""),
        ("docs/mutants-code.md", ""),
    ] {
        let path = clone.dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    clone
}

/// What the script says there.
fn run(clone: &Clone, args: &[&str]) -> Assert {
    let path = format!("{}:/usr/bin:/bin", clone.bin().display());
    let script = clone.dir.path().join("ci/mutants");
    Command::new(script).args(args).env("PATH", path).assert()
}

fn mutants(args: &[&str], missed: &str, listed: &str) -> Assert {
    run(&project(missed, listed), args)
}

const MISSED: &str = r"src/a.rs:2:7: replace two\n";

#[test]
fn what_is_missed_and_listed_is_well() {
    let listed = "# why\nsrc/a.rs: replace two: two\n";
    let run = mutants(&[], MISSED, listed).code(0);
    run.stdout(
        contains("one: 1 mutants are caught, 0 more hang and are, 0 do not compile, 1 are listed")
            .and(contains("asked at 0: mutants --package interlock --file src/a.rs"))
            .and(contains("asked at 1: mutants --package interlock --file src/b*.rs --cargo-arg=--test=good --cargo-arg=--lib --cargo-arg=--package=conformance --jobs 1 --minimum-test-timeout 20 --timeout-multiplier 3 --output")),
    );
}

#[test]
fn what_is_missed_and_not_listed_is_told() {
    let told = contains("\n> src/a.rs: replace two: two\n");
    mutants(&[], MISSED, "# none\n")
        .code(1)
        .stderr(told.clone());
    mutants(&["--shard", "1/3"], MISSED, "")
        .code(1)
        .stderr(told);
}

#[test]
fn what_is_listed_and_caught_is_told_of_whole_groups() {
    let listed = "src/a.rs: replace two: two\n";
    let told = contains("\n< src/a.rs: replace two: two\n");
    mutants(&["--group", "one"], "", listed)
        .code(1)
        .stderr(told);
    let shard = mutants(&["--group", "one", "--shard", "0/3"], "", listed).code(0);
    shard.stdout(contains(
        "--file src/a.rs --cargo-arg=--test=good --shard 0/3 ",
    ));
    mutants(&["--group", "two"], "", listed).code(0);
}

/// What the scheduler has found in some runs is well in all.
#[test]
fn what_is_missed_in_some_runs_is_well() {
    let listed = "~ src/a.rs: replace two: two\n";
    mutants(&[], "", listed).code(0);
    mutants(&[], MISSED, listed).code(0);
    let other = r"src/a.rs:2:7: replace two with three\n";
    let told = contains("\n> src/a.rs: replace two with three: two\n");
    mutants(&[], other, listed).code(1).stderr(told);
}

/// What a run has caught counts in the next, of the same sources.
#[test]
fn a_run_goes_on_with_the_last_one() {
    let clone = project(MISSED, "# why\nsrc/a.rs: replace two: two\n");
    run(&clone, &["--group", "one"]).code(0);
    let last = clone
        .dir
        .path()
        .join("target/interlock/mutants/one/mutants.out");
    let hangs = "src/a.rs:2:1: replace two -> for ever\n";
    for (name, earlier) in [
        ("caught.txt", "src/a.rs:1:1: replace one -> none\n"),
        ("timeout.txt", hangs),
    ] {
        fs::write(last.join(name), earlier).expect("a run's file");
    }
    for _ in 0..2 {
        let again = run(&clone, &["--group", "one", "--again"]).code(0);
        let figures = contains("one: 2 mutants are caught, 1 more hang");
        again.stdout(contains(" --iterate ").and(figures));
        let left_out = fs::read_to_string(last.join("previously_caught.txt"));
        assert!(left_out.expect("it is written").starts_with(hangs));
    }
    fs::write(clone.dir.path().join("src/a.rs"), "one\n two\n").expect("a source");
    let told = contains("one was not run here, or its sources have changed since");
    run(&clone, &["--group", "one", "--again"])
        .code(2)
        .stderr(told);
}

/// Whether the page's rows are of the sources as they are.
fn stale(clone: &Path) -> Assert {
    let script = clone.join("ci/mutants-page");
    Command::new(script).arg("--stale").assert()
}

#[test]
fn a_row_is_of_its_sources() {
    let clone = project(MISSED, "# why\nsrc/a.rs: replace two: two\n");
    let at = clone.dir.path();
    run(&clone, &["--keep"]).code(0);
    stale(at).code(0);
    let page = fs::read_to_string(at.join("docs/mutants-code.md")).expect("the page");
    assert!(page.contains("\n| one | 1 | 0 | 0 | 1 | "), "{page}");
    fs::write(at.join("src/a.rs"), "// first\none\n\n  two\n").expect("a source");
    stale(at).code(0);
    fs::write(at.join("src/a.rs"), "one\n  three\n").expect("a source");
    stale(at).code(1).stderr(contains(
        "the row of one is of other sources: run ci/mutants --group one --keep",
    ));
    run(&clone, &["--keep", "--group", "two"]).code(0);
    stale(at).code(1).stderr(contains("row of two").not());
}

#[test]
fn the_kept_rows_are_of_the_sources_as_they_are() {
    stale(&root()).code(0);
}

#[test]
fn wrong_usage_is_told() {
    for (args, told) in [
        (
            &["--group", "three"][..],
            "there is no group three (there are: one two)",
        ),
        (
            &["--shard", "3/3"],
            "3/3 is no shard: 0/4 is the first of four",
        ),
        (&["--shard"], "--shard needs a value"),
        (&["--changed", "nothing"], "nothing is no commit"),
        (&["--all"], "--all is not known"),
        (
            &["--keep", "--shard", "0/2"],
            "--keep and --again are of whole groups",
        ),
        (
            &["--again", "--group", "one"],
            "one was not run here, or its sources have changed since",
        ),
    ] {
        mutants(args, "", "").code(2).stderr(contains(told));
    }
}
