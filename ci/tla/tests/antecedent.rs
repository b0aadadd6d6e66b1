//! What a property starts from is found, and a probe that shows it is told from one that does not.

use std::fs;

use interlock_tla::module::Module;
use tempfile::TempDir;

fn read(text: &str) -> Module {
    let directory = TempDir::new().expect("a temporary directory");
    let text = format!(
        "---- MODULE M ----\nEXTENDS Naturals, Sequences\nCONSTANTS R, W, Few\nVARIABLES pc, q\nvars == <<pc, q>>\nTask == R \\cup W \\cup Few\n\
         Wants(t) == pc[t] \\notin {{\"idle\", \"hold\"}}\nHeld == \\E t \\in Task : pc[t] = \"hold\"\n{text}\n====\n"
    );
    fs::write(directory.path().join("M.tla"), text).expect("written");
    Module::read(directory.path(), "M").expect("a module")
}

fn shows(property: &str, probe: &str) -> bool {
    read(&format!("Property == {property}\nProbe == {probe}")).reaches("Probe", "Property")
}

#[test]
fn what_starts_from_something() {
    let starts =
        |property: &str| read(&format!("Property == {property}")).has_antecedent("Property");
    for property in [
        "Held ~> ~Held",
        "\\A t \\in R : Wants(t) ~> pc[t] = \"hold\"",
        "\\A t \\in R : \\A u \\in W : (Wants(t) /\\ Wants(u)) ~> Held",
        "[](Held => <>(q = <<>>))",
        "[][Held => UNCHANGED q]_vars",
        "[][\\A t \\in R : pc[t] # pc'[t] => Held]_vars",
        "[]<>Held /\\ (Held ~> q = <<>>)",
    ] {
        assert!(starts(property), "{property}");
    }
    for property in [
        "[]<>Held",
        "<>[]Held",
        "[][Held' \\/ UNCHANGED q]_vars",
        "[](Held \\/ q = <<>>)",
    ] {
        assert!(!starts(property), "{property}");
    }
}

#[test]
fn a_probe_that_shows_it() {
    let each = "\\A t \\in R : Wants(t) ~> pc[t] = \"hold\"";
    for (property, probe) in [
        ("Held ~> ~Held", "~Held"),
        ("Held ~> ~Held", "\\A t \\in Task : pc[t] # \"hold\""),
        ("q # <<>> ~> q = <<>>", "q = <<>>"),
        (
            "(\\E t \\in Task : Wants(t)) ~> Held",
            "\\A w \\in W : ~Wants(w)",
        ),
        (each, "\\A r \\in R : ~Wants(r)"),
        (each, "\\A r \\in R : pc[r] # \"wait\""),
        (
            each,
            "~(q # <<>> /\\ (\\E r \\in R : Wants(r)) /\\ \\E w \\in W : Wants(w))",
        ),
        (
            each,
            "~(/\\ \\E w \\in W : Wants(w)\n            /\\ \\E r \\in R : /\\ Held\n                            /\\ Wants(r))",
        ),
        (
            each,
            "\\A w \\in W, r \\in R : Wants(r) => pc[w] # \"hold\"",
        ),
        ("pc \\in {\"a\", \"b\"} ~> Held", "pc # \"a\""),
        (
            "pc \\in {\"a\", \"b\"} ~> Held",
            "pc \\notin {\"b\", \"a\"}",
        ),
        (
            "\\A t \\in R : t \\in q ~> t \\notin q",
            "\\A u \\in R : u \\notin q",
        ),
        (
            "[][\\A t \\in R : pc[t] = \"idle\" /\\ pc'[t] # \"idle\" => Held]_vars",
            "[][\\A u \\in R : ~(pc[u] = \"idle\" /\\ pc'[u] # \"idle\")]_vars",
        ),
        ("[][Held => UNCHANGED q]_vars", "~Held"),
        ("(Held ~> q = <<>>) /\\ (Held ~> q # <<>>)", "~Held"),
    ] {
        assert!(shows(property, probe), "{property} from {probe}");
    }
}

#[test]
fn a_probe_that_shows_something_else() {
    let each = "\\A t \\in R : Wants(t) ~> pc[t] = \"hold\"";
    for (property, probe) in [
        ("Held ~> ~Held", "Held"),
        ("Held ~> ~Held", "q = <<>>"),
        ("Held ~> ~Held", "~Held \\/ TRUE \\/ q = <<>> => Held"),
        // others than those it is about
        (each, "\\A w \\in W : ~Wants(w)"),
        (each, "\\A t \\in Task : ~Wants(t)"),
        (
            "\\A t \\in W : Wants(t) ~> Held",
            "\\A t \\in W \\ {1} : ~Wants(t)",
        ),
        // one that waits, another that is a reader
        (
            "\\A t \\in R : (Wants(t) /\\ t \\in q) ~> Held",
            "~((\\E r \\in R : Wants(r)) /\\ \\E r \\in R : r \\in q)",
        ),
        // another way to be
        (each, "\\A r \\in R : pc[r] # \"hold\""),
        (each, "\\A r \\in R : pc[r] # q"),
        (
            "pc \\in {\"a\", \"b\"} ~> Held",
            "pc \\notin {\"a\", \"c\"}",
        ),
        ("pc \\notin {\"a\", \"b\"} ~> Held", "pc = \"a\""),
        // it is enough that one of them is so, or that nobody is there
        (each, "q # <<>> => \\A r \\in R : Wants(r)"),
        (each, "\\E r \\in R : ~Wants(r)"),
        // one of two things that it starts from
        ("(Held ~> q = <<>>) /\\ (q # <<>> ~> Held)", "~Held"),
        // of the next state
        ("[][Held' => UNCHANGED q]_vars", "~Held"),
    ] {
        assert!(!shows(property, probe), "{property} from {probe}");
    }
}

#[test]
fn names_that_are_not_there() {
    let module = read("Property == Held ~> ~Held");
    assert!(!module.reaches("None", "Property"));
    assert!(!module.has_antecedent("None"));
}
