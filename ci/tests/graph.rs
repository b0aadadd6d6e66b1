//! `interlock graph` on real TLC: what it writes, and what it compares.

mod runner;

use std::fs;
use std::path::Path;
use std::process::Command;

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::{contains, ends_with};
use runner::{interlock, specs, temp, tools};

/// `interlock graph` of the tests' claims, with its corpus and its other files in `dir`.
fn graph(name: &str, dir: &Path) -> Command {
    tools();
    let mut command = interlock();
    let out = dir.join("out");
    command.arg("graph").arg("--specs").arg(specs(name, &out));
    command.arg("--corpus").arg(dir).arg("--out").arg(out);
    command
}

#[test]
fn a_graph_is_the_same_bytes_each_time_and_a_difference_is_told() {
    let dir = temp();
    graph("good.toml", dir.path())
        .args(["--check", "holds"])
        .assert()
        .code(1)
        .stdout(contains("holds.graph: it is not there"));
    graph("good.toml", dir.path())
        .args(["holds", "small"])
        .assert()
        .code(0);
    let path = dir.path().join("holds.graph");
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("constant Max = 3\nconstant Tasks = {a, b}\nstates 12\nsteps 16\n"),
        "{text}"
    );
    assert!(
        text.contains("\n11 [n |-> 3, pc |-> (a :> \"idle\" @@ b :> \"idle\")]\n\n0 Add(a) 5\n"),
        "{text}"
    );
    assert!(dir.path().join("small.itf.json").is_file());

    // Without names: the models whose files are there.
    graph("good.toml", dir.path())
        .arg("--check")
        .assert()
        .code(0)
        .stdout(contains("holds.graph\n").and(contains("small.itf.json\n")));
    fs::write(&path, text.replace("0 Add(a) 5", "0 Add(a) 4")).unwrap();
    graph("good.toml", dir.path())
        .args(["--check", "holds"])
        .assert()
        .code(1)
        .stdout(ends_with(
            "holds.graph: line 23 is\n  0 Add(a) 4\nbut TLC finds\n  0 Add(a) 5\n",
        ));
    fs::write(&path, text.trim_end()).unwrap();
    graph("good.toml", dir.path())
        .args(["--check", "holds"])
        .assert()
        .code(1)
        .stdout(ends_with("it differs in its line ends\n"));
}

#[test]
fn a_row_that_is_not_as_the_lock_says_writes_nothing() {
    let dir = temp();
    graph("bad.toml", dir.path())
        .arg("wrong-distinct")
        .assert()
        .code(1)
        .stdout(contains("distinct is 12, but the lock says 13"));
    assert!(!dir.path().join("wrong-distinct.graph").exists());
}

#[test]
fn a_graph_is_of_a_row_without_property() {
    let dir = temp();
    graph("good.toml", dir.path())
        .arg("live")
        .assert()
        .code(2)
        .stderr(contains(
            "live: a graph is written of a row without property",
        ));
    graph("good.toml", dir.path())
        .arg("nobody")
        .assert()
        .code(2)
        .stderr(contains("nobody is not a model"));
    graph("good.toml", dir.path())
        .assert()
        .code(2)
        .stderr(contains("has no file of a model: name the models"));
}
