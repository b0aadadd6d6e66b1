//! `interlock mutate`: mutants of a small specification, who survives, and who may.

mod runner;

use std::fs;
use std::path::Path;
use std::process::Command;

use assert_cmd::assert::{Assert, OutputAssertExt as _};
use predicates::BoxPredicate;
use predicates::prelude::*;
use predicates::str::{contains, is_match};
use runner::{interlock, program, temp, tools};
use tempfile::TempDir;

const COUNTER: &str = r"---- MODULE Counter ----
EXTENDS Naturals, Beside
CONSTANT Most
VARIABLE x
Init == x = 0
Tick == x < Most /\ x' = x + 1
Next == Tick
Spec == Init /\ [][Next]_x
Small == x <= Most /\ x >= 0
Early == x <= 2
Near == x <= Most \/ x <= Most + 1
====
";

/// A module that it takes, with this in it.
fn beside(text: &str) -> String {
    format!("---- MODULE Beside ----\n{text}\n====\n")
}

const CLAIMS: &str = r#"
[area]
title = "A counter"
seed = "000_counter"
swimlanes = ["x"]
columns = ["Small"]
[size]
Two = { Most = "2" }
Three = { Most = "3" }
[module.Counter]
actions = ["Tick"]
[[design]]
name = "Counter"
module = "Counter"
stands_for = "a counter"
models = [
  { size = "Two", holds = "Small" },
  { size = "Two", holds = "Near" },
  { size = "Three", holds = "Near" },
  { size = "Three", violates = "Early" },
]
"#;

const COUNTS: &str = "\
Counter-Two-Small = { distinct = 3, total = 3 }
Counter-Two-Near = { distinct = 3, total = 3 }
Counter-Three-Near = { distinct = 4, total = 4 }
Counter-Three-Early = { witness = 4 }
";

/// The mutants of `Small` that hold as it does: all that make it weaker.
const WEAKER: [&str; 3] = [
    r"{ module = 'Counter', in = 'Small', operator = 'drop-conjunct', from = 'x <= Most', to = 'TRUE' },",
    r"{ module = 'Counter', in = 'Small', operator = 'drop-conjunct', from = 'x >= 0', to = 'TRUE' },",
    r"{ module = 'Counter', in = 'Small', operator = 'connective', from = 'x <= Most /\ x >= 0', to = 'x <= Most \/ x >= 0' },",
];

/// Those of `Near`, of which one makes it weaker.
const OTHERS: [&str; 6] = [
    r"{ module = 'Counter', in = 'Near', operator = 'drop-disjunct', from = 'x <= Most', to = 'FALSE' },",
    r"{ module = 'Counter', in = 'Near', operator = 'drop-disjunct', from = 'x <= Most + 1', to = 'FALSE' },",
    r"{ module = 'Counter', in = 'Near', operator = 'comparison', from = 'x <= Most', to = 'x < Most' },",
    r"{ module = 'Counter', in = 'Near', operator = 'comparison', from = 'x <= Most + 1', to = 'x < Most + 1' },",
    r"{ module = 'Counter', in = 'Near', operator = 'off-by-one', from = 'Most + 1', to = 'Most + 2' },",
    r"{ module = 'Counter', in = 'Near', operator = 'connective', from = 'x <= Most \/ x <= Most + 1', to = 'x <= Most /\ x <= Most + 1' },",
];

/// One that TLC's count of the states kills.
const KILLED: &str =
    r"{ module = 'Counter', in = 'Init', operator = 'off-by-one', from = 'x = 0', to = 'x = 1' },";

/// An entry of a list.
fn entry(what: &str) -> String {
    format!("[[survive]]\nreason = \"x is a number\"\n{what}\n")
}

/// One of these mutants.
fn of(mutants: &[&str]) -> String {
    entry(&format!("mutants = [\n{}\n]", mutants.join("\n")))
}

/// That each of these lines is told.
fn lines(lines: &[&'static str]) -> BoxPredicate<str> {
    let all = predicate::always().boxed();
    lines
        .iter()
        .fold(all, |all, line| all.and(contains(*line)).boxed())
}

fn mutate(dir: &Path, arguments: &[&str]) -> Assert {
    command(dir, arguments).assert()
}

fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = interlock();
    command
        .env("INTERLOCK_EVIDENCE", dir.join("evidence"))
        .args(["mutate", "--specs"])
        .arg(dir.join("specs"))
        .arg("--out")
        .arg(dir.join("out"))
        .args(arguments);
    command
}

#[test]
fn those_that_survive_are_the_listed_ones() {
    tools();
    let dir = temp();
    let dir = dir.path();
    let area = dir.join("specs/counter");
    let write = |name: &str, text: &str| fs::write(area.join(name), text).expect("written");
    let list = |entries: &[String]| write("mutants.toml", &entries.concat());
    fs::create_dir_all(&area).expect("a folder");
    write("Counter.tla", COUNTER);
    write("Beside.tla", &beside(""));
    write("models.toml", CLAIMS);
    write("models.lock", COUNTS);

    // A part first: the rest goes on from it, and asks who has got past one run. A property that is weaker is of no interest to rows
    // that hold.
    let of_three = contains("3 mutants: 0 known, 3 to show");
    mutate(dir, &["--sample", "3", "--runs", "1", "-j", "1"]).stderr(of_three);
    let goes_on = contains(": 3 known,");
    let open = is_match("[5-9] are not judged: a row that was not asked").expect("a pattern");
    mutate(dir, &["--runs", "1", "-j", "1"])
        .code(1)
        .stdout(open)
        .stderr(goes_on);
    let survive = [&WEAKER[..], &OTHERS].concat();
    let unlisted = contains("add one that does").and(lines(&survive));
    let unlisted = unlisted.and(contains("10 killed, 0 survive with a reason, 9 without"));
    // Five have survived a run, with another before them. Whom the first row kills depends on what each row took before.
    let further = is_match("19 mutants: 1[0-4] known, [5-9] to show").expect("a pattern");
    mutate(dir, &[]).code(1).stdout(unlisted).stderr(further);

    // Those of one definition alone.
    let of_small = lines(&WEAKER).and(contains("in = 'Near'").not());
    mutate(dir, &["--in", "Smal*"]).code(1).stdout(of_small);
    let nobody = contains("there is no mutant to show");
    mutate(dir, &["--in", "Smaller"]).code(2).stderr(nobody);
    mutate(dir, &["--in", "["]).code(2).stderr(contains("--in"));

    list(&[of(&survive)]);
    let nothing_anew = || contains(", 0 to show");
    mutate(dir, &[]).code(0).stderr(nothing_anew());

    // A row that is new is shown what no other has noticed, if it reads that; what others say stays known.
    let last = "  { size = \"Three\", holds = \"Near\" },\n";
    let another = CLAIMS.replace(last, &[last, &last.replace("Three", "Four")].concat());
    let another = another.replace("[module", "Four = { Most = \"4\" }\n[module");
    write("models.toml", &another);
    let count = "Counter-Four-Near = { distinct = 5, total = 5 }\n";
    write("models.lock", &[COUNTS, count].concat());
    let new = contains("19 mutants: 14 known, 5 to show");
    mutate(dir, &[]).code(0).stderr(new);
    write("models.toml", CLAIMS);
    write("models.lock", COUNTS);
    mutate(dir, &[]).code(0).stderr(nothing_anew());

    // What no row reads changes nothing that is known; an assumption, which every row reads, does.
    write("Beside.tla", &beside("Unread == 1"));
    mutate(dir, &[]).code(0).stderr(nothing_anew());
    let end = "====\n";
    let said = format!("\\* Nobody reads it.\nUnread == 2\n{end}");
    write("Counter.tla", &COUNTER.replace(end, &said));
    mutate(dir, &[]).code(0).stderr(nothing_anew());
    // The tree has what is said behind a list within the list.
    let inline = "Next == Tick\n";
    let said = |what: &str| format!("Next ==\n    \\/ Tick\n{what}");
    write("Counter.tla", &COUNTER.replace(inline, &said("")));
    mutate(dir, &[]).code(0);
    let what = "\n\\* Where it begins,\n\\* and goes on.\n";
    write("Counter.tla", &COUNTER.replace(inline, &said(what)));
    mutate(dir, &[]).code(0).stderr(nothing_anew());
    write("Counter.tla", COUNTER);
    write("Beside.tla", &beside("ASSUME 1 = 1"));
    let of_three = contains("3 mutants: 0 known, 3 to show");
    mutate(dir, &["--sample", "3", "--runs", "1"]).stderr(of_three);
    write("Beside.tla", &beside(""));
    list(&[entry("weaker = 'Small'"), of(&OTHERS)]);
    mutate(dir, &[]).code(0);

    list(&[of(&[&survive[..], &[KILLED]].concat())]);
    let by_a_row = is_match(r"`x = 0` is `x = 1` \(Counter-(Two|Three)-\w+\)");
    let killed = contains("a row notices").and(by_a_row.expect("a pattern"));
    mutate(dir, &[]).code(1).stdout(killed);

    list(&[of(&[&KILLED.replace("x = 1", "x = 7")])]);
    let nobody = contains("there is no mutant Counter!Init: off-by-one: `x = 0` is `x = 7`");
    mutate(dir, &[]).code(2).stderr(nobody);
    list(&[entry("weaker = 'Smaller'")]);
    mutate(dir, &[])
        .code(2)
        .stderr(contains("no mutant makes Smaller weaker"));
    list(&[entry("weaker = 'Small'"), of(&WEAKER)]);
    mutate(dir, &[]).code(2).stderr(contains("is listed twice"));

    // A row that is not as expected kills everything, so nothing is said of mutants.
    list(&[]);
    write(
        "models.lock",
        &COUNTS.replacen("distinct = 3", "distinct = 4", 1),
    );
    let unsound = contains("Counter-Two-Small").and(contains("not as expected without a mutant"));
    mutate(dir, &["-j", "1"]).code(2).stderr(unsound);
}

/// With a step that is never taken: TLC evaluates its guard and no more. It says that `Put` is not evaluated where this step leads to it,
/// and nothing of where the other one does.
const IDLE: &str = r"
Put(n) == x' = n
Tick == x < Most /\ Put(x + 1)
Reset == x > Most /\ (Put(0) \/ x' = 1)
Next == Tick \/ Reset
";

#[test]
fn a_row_that_does_not_evaluate_the_fault_is_not_run() {
    tools();
    let dir = temp();
    let dir = dir.path();
    let area = dir.join("specs/counter");
    let write = |name: &str, text: &str| fs::write(area.join(name), text).expect("written");
    fs::create_dir_all(&area).expect("a folder");
    let steps = "Tick == x < Most /\\ x' = x + 1\nNext == Tick\n";
    write("Counter.tla", &COUNTER.replace(steps, IDLE));
    write("Beside.tla", &beside(""));
    let one_row = |text: &str| -> String {
        let lines = text.lines();
        let kept = lines.filter(|line| !["Near", "Early"].iter().any(|name| line.contains(name)));
        kept.map(|line| format!("{line}\n")).collect()
    };
    let claims = one_row(CLAIMS).replace(r#"["Tick"]"#, r#"["Tick", "Reset"]"#);
    let claims = claims.replace("\nmodels =", "\nsilent = [\"Reset\"]\nmodels =");
    write("models.toml", &claims);
    write("models.lock", &one_row(COUNTS));
    mutate(dir, &["-j", "1"]).code(1);
    let found = fs::read_to_string(dir.join("out/mutate/answers.ndjson")).expect("results");
    let runs = |from: &str, to: &str| {
        let mut records = found
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a line of JSON"));
        let record = records.find(|one| one["mutant"]["from"] == from && one["mutant"]["to"] == to);
        let record = record.expect("it was shown");
        let many = |asks: &serde_json::Value| asks.as_array().map_or(0, Vec::len);
        let fate = record["fate"].clone();
        let asked = many(&record["passed"]) + many(&fate["killed"]);
        (fate, asked, many(&record["unread"]))
    };
    let survived = serde_json::json!("survived");
    let (fate, asked, unread) = runs("x' = 1", "x' = 2");
    assert!(
        fate == survived && asked == 0 && unread > 0,
        "{fate} {asked} {unread}"
    );
    let (fate, asked, _) = runs("x' = n", "x' = x");
    assert!(fate != survived && asked > 0, "{fate} {asked}");
    // Each run counts how often it evaluates the guard, and notices when it is not there.
    let (fate, asked, _) = runs("x > Most", "TRUE");
    assert!(fate != survived && asked > 0, "{fate} {asked}");
    let (fate, asked, _) = runs("x > Most", "x >= Most");
    assert!(fate != survived && asked > 0, "{fate} {asked}");
}

/// What only Apalache reads.
const SYMBOLIC: &str = r"---- MODULE APCounter ----
EXTENDS Integers
VARIABLE
    \* @type: Int;
    x
Most == 3
INSTANCE Counter
IndInv == x <= 3 /\ x >= 0
TypeAssign == x \in Int
IndInit == TypeAssign /\ IndInv
====
";

const SYMBOLIC_CLAIMS: &str = r#"
[module.APCounter]
engine = "apalache"
[[design]]
name = "Symbolic"
module = "APCounter"
stands_for = "a counter"
models = [
  { name = "step", init = "IndInit", length = 1, holds = "IndInv" },
]
"#;

/// An Apalache that says of each step that it is kept, as long as the module has this bound.
const APALACHE: &str = r#"#!/bin/sh
[ "$1" = version ] && echo 0.62.1 && exit
for module; do :; done
grep -q 'x <= 3 ' "$module" || exit 255
echo 'The outcome is: NoError'
"#;

/// A folder with both modules, these claims of Apalache's, and an Apalache that is this script.
fn symbolic(claims: &str, script: &str) -> TempDir {
    let dir = temp();
    let area = dir.path().join("specs/counter");
    let [apalache, java] = ["home/bin", "java/bin"].map(|folder| dir.path().join(folder));
    for folder in [&area, &apalache, &java] {
        fs::create_dir_all(folder).expect("a folder");
    }
    program(&apalache.join("apalache-mc"), script);
    let version = "#!/bin/sh\necho 'openjdk version \"21.0.1\"' >&2\n";
    program(&java.join("java"), version);
    let write = |name: &str, text: &str| fs::write(area.join(name), text).expect("written");
    write("Counter.tla", COUNTER);
    write("Beside.tla", &beside(""));
    write("APCounter.tla", SYMBOLIC);
    write("models.toml", &[CLAIMS, claims].concat());
    write("models.lock", COUNTS);
    dir
}

/// Mutants for the Apalache in this folder.
fn of_apalache(dir: &Path) -> Command {
    let mut command = command(dir, &["--apalache"]);
    command.env("APALACHE_HOME", dir.join("home"));
    command.env("APALACHE_JAVA_HOME", dir.join("java"));
    command
}

#[test]
fn what_only_apalache_reads_is_shown_to_its_rows() {
    tools();
    let dir = symbolic(SYMBOLIC_CLAIMS, APALACHE);
    let dir = dir.path();
    let area = dir.join("specs/counter");
    let write = |name: &str, text: &str| fs::write(area.join(name), text).expect("written");
    let of_apalache = || of_apalache(dir);

    // The bound's faults are noticed, a number that is no bound is not. The counter itself is TLC's.
    let unlisted = [
        r"{ module = 'APCounter', in = 'IndInv', operator = 'drop-conjunct', from = 'x >= 0', to = 'TRUE' },",
        r"{ module = 'APCounter', in = 'IndInv', operator = 'comparison', from = 'x >= 0', to = 'x > 0' },",
        r"{ module = 'APCounter', in = 'IndInv', operator = 'off-by-one', from = 'x >= 0', to = 'x >= 1' },",
    ];
    let told = lines(&unlisted).and(contains("counter/Counter").not());
    of_apalache().assert().code(1).stdout(told);

    // They are in one list with those of TLC, which knows them.
    let found = of_apalache().output().expect("it runs");
    let text = String::from_utf8(found.stdout).expect("text");
    let survive: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("{ module"))
        .collect();
    write("mutants.toml", &of(&survive));
    let nothing_anew = contains(", 0 to show");
    of_apalache().assert().code(0).stderr(nothing_anew);
    let left_out = "mutants of what Apalache alone reads (--apalache shows them)";
    let of_tlc = contains("1 mutants: 0 known, 1 to show").and(contains(left_out));
    mutate(dir, &["--sample", "1"]).stderr(of_tlc);

    let none = command(dir, &["--apalache"])
        .env("APALACHE_HOME", dir.join("none"))
        .assert();
    none.code(2)
        .stderr(contains("APALACHE_HOME names a folder without"));
}

/// What Apalache reads in place of a definition or a constant is changed, and not what it then does not read; a policy decides as
/// that of another module.
#[test]
fn what_apalache_reads_in_place_of_another_has_mutants() {
    tools();
    let other = SYMBOLIC_CLAIMS
        .replace("APCounter", "APOther")
        .replace("Symbolic", "Other");
    let rows = SYMBOLIC_CLAIMS.to_owned() + &other.replace("step", "other-step");
    let dir = symbolic(&rows, APALACHE);
    let write = |name: &str, text: &str| {
        fs::write(dir.path().join("specs/counter").join(name), text).expect("written");
    };
    let instead = "Most == 3\nOVERRIDE_Most == 2\n";
    let policy = |value: &str| {
        format!(
            "CONSTANT\n    \\* @type: {{ from: Int }};\n    Policy\nOVERRIDE_Policy == [from |-> {value}]\n"
        )
    };
    let reads = "IndInv == x <= 3 /\\ x >= Policy.from\n";
    let module = |name: &str, value: &str| {
        let text = SYMBOLIC.replace("APCounter", name);
        let text = text.replace("Most == 3\n", &[instead, &policy(value)].concat());
        text.replace("IndInv == x <= 3 /\\ x >= 0\n", reads)
    };
    write("APCounter.tla", &module("APCounter", "0"));
    write("APOther.tla", &module("APOther", "-1"));
    let shown = [
        r"{ module = 'APCounter', in = 'OVERRIDE_Most', operator = 'off-by-one', from = '2', to = '3' },",
        r"{ module = 'APCounter', in = 'OVERRIDE_Policy', operator = 'policy-value', from = 'from |-> 0', to = 'from |-> -1' },",
        r"{ module = 'APOther', in = 'OVERRIDE_Policy', operator = 'policy-value', from = 'from |-> -1', to = 'from |-> 0' },",
    ];
    let told = lines(&shown).and(contains("in = 'Most'").not());
    of_apalache(dir.path()).assert().code(1).stdout(told);
}

/// Whose row does not end without a fault either is told as not judged: else all survive, and nobody sees why.
#[test]
fn a_row_that_is_too_slow_for_mutants_is_told() {
    tools();
    let endless = APALACHE.replace("echo 'The outcome is: NoError'", "while :; do :; done");
    let claims = SYMBOLIC_CLAIMS.replace("length = 1,", "length = 1, budget = 1,");
    let dir = symbolic(&claims, &endless);
    let told = contains("step: not judged: it takes more than a mutant may, 1 s of CPU time");
    let survives = r"{ module = 'APCounter', in = 'IndInv', operator = 'comparison', from = 'x <= 3', to = 'x < 3' }";
    let assert = of_apalache(dir.path()).assert().code(1);
    assert.stderr(told).stdout(contains(survives));
}
