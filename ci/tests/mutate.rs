//! `interlock mutate`: mutants of a small specification, who survives, and who may.

mod runner;

use std::fs;
use std::path::Path;

use assert_cmd::assert::{Assert, OutputAssertExt as _};
use predicates::prelude::*;
use predicates::str::contains;
use runner::{interlock, temp, tools};

const COUNTER: &str = r"---- MODULE Counter ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Tick == x < 2 /\ x' = x + 1
Next == Tick
Spec == Init /\ [][Next]_x
Small == x <= 2 /\ x >= 0
====
";

const CLAIMS: &str = r#"
[area]
title = "A counter"
seed = "000_counter"
swimlanes = ["x"]
columns = ["Small"]
[size]
Two = {}
[module.Counter]
actions = ["Tick"]
[[design]]
name = "Counter"
module = "Counter"
stands_for = "a counter"
models = [{ size = "Two", holds = "Small" }]
"#;

/// The mutants of `Small` that hold as it does.
const SURVIVORS: [&str; 4] = [
    r"{ module = 'Counter', in = 'Small', operator = 'drop-conjunct', from = 'x <= 2', to = 'TRUE' },",
    r"{ module = 'Counter', in = 'Small', operator = 'drop-conjunct', from = 'x >= 0', to = 'TRUE' },",
    r"{ module = 'Counter', in = 'Small', operator = 'off-by-one', from = 'x <= 2', to = 'x <= 3' },",
    r"{ module = 'Counter', in = 'Small', operator = 'connective', from = 'x <= 2 /\ x >= 0', to = 'x <= 2 \/ x >= 0' },",
];

/// One that TLC's count of the states kills.
const KILLED: &str =
    r"{ module = 'Counter', in = 'Init', operator = 'off-by-one', from = 'x = 0', to = 'x = 1' },";

fn mutate(dir: &Path, arguments: &[&str]) -> Assert {
    let mut command = interlock();
    command
        .env("INTERLOCK_EVIDENCE", dir.join("evidence"))
        .args(["mutate", "--specs"])
        .arg(dir.join("specs"))
        .arg("--out")
        .arg(dir.join("out"))
        .args(arguments);
    command.assert()
}

#[test]
fn those_that_survive_are_the_listed_ones() {
    tools();
    let dir = temp();
    let dir = dir.path();
    let area = dir.join("specs/counter");
    let write = |name: &str, text: &str| fs::write(area.join(name), text).expect("written");
    let list = |mutants: &[&str]| {
        let mutants = mutants.join("\n");
        write(
            "mutants.toml",
            &format!("[[survive]]\nreason = \"x is a number\"\nmutants = [\n{mutants}\n]\n"),
        );
    };
    fs::create_dir_all(&area).expect("a folder");
    write("Counter.tla", COUNTER);
    write("models.toml", CLAIMS);
    write(
        "models.lock",
        "Counter-Two-Small = { distinct = 3, total = 3 }\n",
    );

    // A part first: the rest goes on from it.
    let of_three = contains("3 mutants: 0 known, 3 to show");
    mutate(dir, &["--sample", "3"]).stderr(of_three);
    let unlisted = SURVIVORS
        .iter()
        .fold(contains("add one that does").boxed(), |all, line| {
            all.and(contains(*line)).boxed()
        });
    let goes_on = contains(": 3 known,");
    mutate(dir, &[]).code(1).stdout(unlisted).stderr(goes_on);

    list(&SURVIVORS);
    let nothing_anew = contains(", 0 to show");
    mutate(dir, &[]).code(0).stderr(nothing_anew);

    list(&[&SURVIVORS[..], &[KILLED]].concat());
    let killed = contains("a row notices").and(contains("`x = 0` is `x = 1` (Counter-Two-Small)"));
    mutate(dir, &[]).code(1).stdout(killed);

    list(&[&KILLED.replace("x = 1", "x = 7")]);
    let nobody = contains("there is no mutant Counter!Init: off-by-one: `x = 0` is `x = 7`");
    mutate(dir, &[]).code(2).stderr(nobody);

    // A row that is not as expected kills everything, so nothing is said of mutants.
    list(&[]);
    write(
        "models.lock",
        "Counter-Two-Small = { distinct = 4, total = 3 }\n",
    );
    let unsound = contains("Counter-Two-Small: not as expected without a mutant either");
    mutate(dir, &["--sample", "3"]).code(2).stderr(unsound);
}
