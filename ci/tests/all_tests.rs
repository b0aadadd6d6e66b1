//! `ci/test`, which `make test` runs: it goes on behind a test that fails, and ends with all that did, in cargo's words before.

mod runner;

use std::process::Command;

use assert_cmd::assert::{Assert, OutputAssertExt as _};
use predicates::prelude::*;
use predicates::str::{contains, ends_with};
use runner::{Clone, program_of_the_project};

/// What it says and returns where cargo is this script.
fn test(cargo: &str) -> Assert {
    let clone = Clone::new().program("cargo", cargo);
    let copy = program_of_the_project("ci/test", clone.dir.path());
    let path = format!("{}:/usr/bin:/bin", clone.bin().display());
    Command::new(copy).env("PATH", path).assert()
}

#[test]
fn all_that_failed_is_told_at_the_end() {
    // Two tests of two crates, an example, and tests that have died.
    let cargo = r"
cat <<'TEXT'
     Running unittests src/lib.rs (target/debug/deps/one-0123456789abcdef)
test tests::is_good ... ok
test tests::is_bad ... FAILED
     Running tests/it.rs (target/debug/deps/it-00aa11bb22cc33dd)
NOT RUN: the tests on a tool, which is missing
NOT RUN: the tests on a tool, which is missing
test nothing_fails - should panic ... FAILED
     Running tests/dies.rs (/a b/target/debug/deps/dies-0123456789abcdef)
Caused by:
  process didn't exit successfully: `dies-0123456789abcdef` (signal: 6, SIGABRT: process abort signal)
   Doc-tests two
test two/src/lib.rs - two (line 3) ... FAILED
TEXT
printf 'error: some targets failed\n' >&2
exit 101";
    let end = "
NOT RUN: the tests on a tool, which is missing

4 failed:
    one: tests::is_bad
    it: nothing_fails - should panic
    dies: process didn't exit successfully: `dies-0123456789abcdef` (signal: 6, SIGABRT: process abort signal)
    the examples of two: two/src/lib.rs - two (line 3)
";
    let said = contains("error: some targets failed\n").and(ends_with(end));
    test(cargo).code(101).stdout(said);
}

#[test]
fn where_all_is_well_that_is_all() {
    let said =
        "     Running tests/it.rs (target/debug/deps/it-00aa11bb22cc33dd)\ntest is_good ... ok\n";
    let cargo = format!("cat <<'TEXT'\n{said}TEXT");
    test(&cargo).code(0).stdout(said);
}

/// Every test is asked for, whichever fails.
#[test]
fn cargo_goes_on_behind_a_failure() {
    test("echo \"$@\"")
        .code(0)
        .stdout("test --workspace --no-fail-fast\n");
}
