//! The page of the commands is what the commands are.

mod runner;

use std::fs;

use assert_cmd::assert::OutputAssertExt as _;
use predicates::str::contains;
use runner::{Clone, interlock, root};

const PAGE: &str = "docs/reference/cli.md";

#[test]
fn the_page_of_the_commands_is_what_they_are() {
    interlock().args(["docs", "--check"]).assert().code(0);
}

#[test]
fn a_page_of_the_commands_that_is_out_of_date_is_found() {
    let page = fs::read_to_string(root().join(PAGE)).expect("the page");
    let makefile = fs::read_to_string(root().join("Makefile")).expect("the Makefile");
    let clone = Clone::new();
    let dir = clone.dir.path();
    fs::create_dir_all(dir.join("docs/reference")).expect("a folder");
    let told = |page: &str, makefile: &str| {
        fs::write(dir.join(PAGE), page).expect("the page");
        fs::write(dir.join("Makefile"), makefile).expect("the Makefile");
        let mut docs = interlock();
        docs.current_dir(dir).args(["docs", "--check"]).assert()
    };
    told(&page, &makefile).code(0);
    let stale = || contains("is not what the commands are (run `make docs`)");
    let option = page.replace("`--fail-fast`", "`--fail-slow`");
    assert_ne!(option, page);
    told(&option, &makefile).code(1).stdout(stale());
    let target = makefile.replace("## This list", "## The list");
    assert_ne!(target, makefile);
    told(&page, &target).code(1).stdout(stale());
    let unknown = page.replace("reference:targets", "reference:target");
    let nothing = contains("nothing is named `target` (say `commands` or `targets`)");
    told(&unknown, &makefile).code(2).stderr(nothing);
}
