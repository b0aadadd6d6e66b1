//! What a next-state relation is a choice of, and the module that prints its steps.

use std::fs;

use interlock_tla::edges;
use interlock_tla::module::Module;
use tempfile::TempDir;

fn read(text: &str) -> Module {
    let directory = TempDir::new().expect("a temporary directory");
    let text = format!(
        "---- MODULE M ----\nEXTENDS Naturals\nCONSTANT S\nVARIABLES x, q\nA == x' = x /\\ q' = q\nB(t, u) == x' = t + u /\\ q' = q\n\
         Fits(t) == t > x\n{text}\n====\n"
    );
    fs::write(directory.path().join("M.tla"), text).expect("written");
    Module::read(directory.path(), "M").expect("a module")
}

/// Its label under its bounds, without the numbers that make a bound name one of its own.
fn ways(text: &str) -> Vec<String> {
    let ways = read(text).ways().expect("there is a Next");
    let ways = ways.expect("a choice of actions");
    let shown = ways.iter().map(|way| {
        let shown = format!("{}: {}", way.quantified("\\E", &way.taken), way.label());
        let mut parts = shown.split("__");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |shown, part| {
            shown + part.trim_start_matches(char::is_numeric)
        })
    });
    shown.collect()
}

#[test]
fn a_choice_in_any_layout() {
    let expected = ["A: \"A\", <<>>", "\\E t \\in S : B(t, 1): \"B\", <<t, 1>>"];
    for layout in [
        "Next == A \\/ \\E t \\in S : B(t, 1)",
        "Next ==\n    \\/ A\n    \\/ \\E t \\in S : \\* each\n          \\/ B(t, 1)",
        "Next == \\/ (A) \\/ (\\E t \\in S : (B(t, 1)))",
    ] {
        assert_eq!(ways(layout), expected, "{layout}");
    }
}

#[test]
fn what_is_bound_stands_around_it() {
    assert_eq!(
        ways("Next == \\E t, u \\in S : \\E v \\in {t} : B(u, v[1].a) \\/ A"),
        [
            "\\E t, u \\in S : \\E v \\in {t} : B(u, v[1].a): \"B\", <<u, v[1].a>>",
            "\\E t, u \\in S : \\E v \\in {t} : A: \"A\", <<>>",
        ]
    );
}

#[test]
fn what_is_no_choice_of_actions_is_told() {
    for (text, told) in [
        (
            "Next ==\n  \\/ A\n  \\/ x' = 1 /\\ q' = 2",
            "line 10: Next is to be a choice of actions, and this is none: x' = 1 /\\ q' = 2",
        ),
        (
            "Next == A /\\ Fits(1)",
            "line 8: Next is to be a choice of actions, and this is none: A /\\ Fits(1)",
        ),
        (
            "Next == \\E t \\in S : Fits(t)",
            "line 8: Next is to be a choice of actions, and this is none: Fits(t)",
        ),
    ] {
        assert_eq!(read(text).ways(), Some(Err(told.to_owned())), "{text}");
    }
    assert_eq!(read("Step == A").ways(), None);
}

#[test]
fn the_printer_shows_all_variables_or_what_a_graph_is_to_show() {
    let text = |module: &str, for_graph| {
        let printer = edges::printer(&read(module), "M", for_graph);
        printer
            .expect("a choice of actions")
            .expect("there is a Next")
    };
    let all = "PrintedState == [q |-> q, x |-> x]\n";
    let plain = "Next == A";
    assert!(text(plain, false).contains(all));
    assert!(text(plain, true).contains(all));
    let short = "Changes == [x |-> x]\nNext == A";
    assert!(text(short, false).contains(all));
    assert!(text(short, true).contains("PrintedState == Changes\n"));
    assert!(text(plain, true).contains(
        "/\\ (A => PrintT(ToString(<<\"E\", \"A\", <<>>, PrintedState, PrintedState'>>)))\n"
    ));
    let error = edges::printer(&read("Next == A /\\ Fits(1)"), "M", false).expect_err("no choice");
    assert!(error.to_string().starts_with("M: line 8: "), "{error}");
}
