//! `ci/test`, which `make test` runs: it goes on behind a test that fails, and ends with all that did, in cargo's words before.

mod runner;

use std::process::Command;

use assert_cmd::assert::{Assert, OutputAssertExt as _};
use predicates::prelude::*;
use predicates::str::{contains, ends_with};
use runner::{Clone, program_of_the_project};

/// What it says and returns where cargo is this script, asked for `asked`.
fn test(cargo: &str, asked: &[&str]) -> Assert {
    let clone = Clone::new().program("cargo", cargo);
    let copy = program_of_the_project("ci/test", clone.dir.path());
    let path = format!("{}:/usr/bin:/bin", clone.bin().display());
    Command::new(copy).args(asked).env("PATH", path).assert()
}

#[test]
fn all_that_failed_is_told_at_the_end() {
    // Tests of two crates, an example, and tests that have died.
    let cargo = r#"
case "$*" in
*--no-run) exit ;;
*'[!a-k]*') cat <<'TEXT'
     Running tests/runs.rs (target/debug/deps/runs-00aa11bb22cc33dd)
NOT RUN: the tests on a tool, which is missing
NOT RUN: the tests on a tool, which is missing
test nothing_fails - should panic ... FAILED
     Running tests/ties.rs (/a b/target/debug/deps/ties-0123456789abcdef)
Caused by:
  process didn't exit successfully: `ties-0123456789abcdef` (signal: 6, SIGABRT: process abort signal)
TEXT
;;
*--doc) cat <<'TEXT'
   Doc-tests two
test two/src/lib.rs - two (line 3) ... FAILED
TEXT
;;
*) cat <<'TEXT'
     Running unittests src/lib.rs (target/debug/deps/one-0123456789abcdef)
test tests::is_good ... ok
test tests::is_bad ... FAILED
TEXT
esac
printf 'error: some targets failed\n' >&2
exit 101"#;
    let end = "
NOT RUN: the tests on a tool, which is missing

4 failed:
    one: tests::is_bad
    the examples of two: two/src/lib.rs - two (line 3)
    runs: nothing_fails - should panic
    ties: process didn't exit successfully: `ties-0123456789abcdef` (signal: 6, SIGABRT: process abort signal)
";
    let said = contains("error: some targets failed\n").and(ends_with(end));
    test(cargo, &[]).code(101).stdout(said);
}

/// Also of one half, and of the other.
#[test]
fn what_fails_in_one_part_fails() {
    for part in ["[a-k]*", "[!a-k]*", "--doc", "--no-run"] {
        let cargo = format!("case \"$*\" in *'{part}'*) exit 7; esac");
        test(&cargo, &[]).code(7);
    }
    test("exit 7", &["--doc"]).code(7);
}

#[test]
fn where_all_is_well_that_is_all() {
    let said =
        "     Running tests/it.rs (target/debug/deps/it-00aa11bb22cc33dd)\ntest is_good ... ok\n";
    let cargo = format!("cat <<'TEXT'\n{said}TEXT");
    test(&cargo, &["--test", "it"]).code(0).stdout(said);
}

/// Every test is asked for, once, whichever fails.
#[test]
fn cargo_goes_on_behind_a_failure() {
    let all = "test --workspace --no-run
test --workspace --no-fail-fast --lib --bins --test [a-k]*
test --workspace --no-fail-fast --doc
test --workspace --no-fail-fast --test [!a-k]*
";
    test("echo \"$@\"", &[]).code(0).stdout(all);
}
