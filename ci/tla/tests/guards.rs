//! What an action demands of a state is found however it is laid out.

use std::fs;

use interlock_tla::module::{Guard, Module};
use tempfile::TempDir;

fn read(text: &str) -> Module {
    let directory = TempDir::new().expect("a temporary directory");
    let text = format!(
        "---- MODULE M ----\nEXTENDS Naturals, Sequences\nCONSTANT S\nVARIABLES x, q\nFree(t) == x[t] = 0\n\
         Keep == q' = q\n{text}\n====\n"
    );
    fs::write(directory.path().join("M.tla"), text).expect("written");
    Module::read(directory.path(), "M").expect("a module")
}

fn guards(text: &str) -> Vec<Guard> {
    let guards = read(text).guards("A", &["\"w1\"".to_owned()]);
    guards.expect("it is defined")
}

fn shown(text: &str) -> Vec<String> {
    guards(text).into_iter().map(|guard| guard.shown).collect()
}

fn formulas(text: &str) -> Vec<String> {
    let guards = guards(text).into_iter();
    guards.map(|guard| guard.formula).collect()
}

#[test]
fn the_same_in_any_layout() {
    let layouts = [
        "A(t) ==\n    /\\ Free(t)\n    /\\ q # <<>>\n    /\\ x' = t\n    /\\ Keep\n   ",
        "A(t) == Free(t) /\\ q # <<>> /\\ x' = t /\\ Keep",
        "A(t) == /\\ Free(t) /\\ q # <<>>\n        /\\ (x' = t /\\ Keep)",
        "A( t ) ==\n  (* all *)\n  /\\ \\* first\n     Free(t) \\* of two\n  /\\ /\\ q # (* not *) <<>>\n     /\\ UNCHANGED x\n  /\\ Keep",
        "A(t)\n==\n/\\ x' = t\n/\\ (Free(t))\n/\\ LET u == t IN /\\ x' = u\n              /\\ q # <<>>",
        "A(t) == (((Free(t) /\\ q # <<>>) /\\ Keep))",
        "A(t) == IF TRUE /\\ x' = 1 THEN Keep ELSE Keep\n   /\\ Free(t)\nB == 1",
    ];
    for layout in &layouts[..6] {
        assert_eq!(shown(layout), ["Free(t)", "q # <<>>"], "{layout}");
        let formulas = formulas(layout);
        assert_eq!(formulas[0], "Free((\"w1\"))", "{layout}");
        assert!(formulas[1].contains("q # <<>>"), "{layout}");
    }
    // one that depends on the next state says nothing of this one
    assert!(shown(layouts[6]).is_empty());
}

#[test]
fn under_a_let() {
    let text = "A(t) == LET n == Len(q)\n            f[i \\in {1}] == i + n\n            op(t2) == t2 = t\n            next == q'\n        IN /\\ n > 1\n           /\\ f[1] = 2\n           /\\ op(3)\n           /\\ q' = next";
    assert_eq!(shown(text), ["n > 1", "f[1] = 2", "op(3)"]);
    for formula in formulas(text) {
        assert!(formula.starts_with("LET n__d"), "{formula}");
        assert!(!formula.contains("next"), "{formula}");
        assert!(formula.contains(" = (\"w1\")"), "{formula}");
    }
}

#[test]
fn under_a_quantifier() {
    let text =
        "A(t) == \\E i, j \\in S, k \\in {1} :\n  /\\ i > j\n  /\\ x[k] = t\n  /\\ q' = <<i>>";
    let guards = guards(text);
    let shown: Vec<_> = guards.iter().map(|guard| &guard.shown[..]).collect();
    let bounds = "\\E i, j \\in S, k \\in {1} : ";
    assert_eq!(
        shown,
        [
            format!("{bounds}i > j"),
            format!("{bounds}x[k] = t"),
            format!("{bounds}i > j /\\ x[k] = t")
        ]
    );
    assert_eq!(
        guards.iter().map(|guard| guard.joint).collect::<Vec<_>>(),
        [false, false, true]
    );
    let number = |name: &str| {
        let after = guards[0]
            .formula
            .split_once(&format!("{name}__"))
            .expect("it is bound")
            .1;
        after
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .expect("a number")
            .to_owned()
    };
    let (i, j, k) = (number("i"), number("j"), number("k"));
    assert_eq!(
        guards[1].formula,
        format!("\\E i__{i}, j__{j} \\in S, k__{k} \\in {{1}} : (x[k__{k}] = (\"w1\"))")
    );
}

#[test]
fn under_a_condition_and_in_each_way() {
    let text = "A(t) == /\\ IF q = <<>> THEN Free(t) /\\ x' = 1 ELSE x' = 2 /\\ Len(q) > 1\n        /\\ \\/ x = 1 /\\ q' = q\n           \\/ x = 2 /\\ q' = <<>> /\\ t # 3\n        /\\ (x = 3 /\\ x' = 1) \\/ x' = 2";
    assert_eq!(
        shown(text),
        [
            "(q = <<>>) => Free(t)",
            "~(q = <<>>) => Len(q) > 1",
            "(x = 1) \\/ (x = 2 /\\ t # 3)"
        ]
    );
    assert_eq!(
        formulas(text)[2],
        "((x = 1)) \\/ ((x = 2) /\\ ((\"w1\") # 3))"
    );
}

#[test]
fn in_the_actions_that_it_calls() {
    let text = "Put(t) == x' = t /\\ Len(q) = t\nTake(n, t) ==\n  /\\ n > 1\n  /\\ \\A i \\in S : i # t /\\ n # i\n  /\\ Put(n + 1)\n\
                A(t) == \\E i \\in S : Take(i, t)";
    let guards = guards(text);
    assert_eq!(guards[0].shown, "\\E i \\in S : n > 1 (in Take)");
    assert_eq!(guards[2].shown, "\\E i \\in S : Len(q) = t (in Put)");
    // the quantifier's name, the called operator's and the calling one's stay apart
    let bound = guards[0].formula.split_whitespace().nth(1).expect("a name");
    assert_eq!(
        guards[0].formula,
        format!("\\E {bound} \\in S : (({bound}) > 1)")
    );
    assert_eq!(
        guards[2].formula,
        format!("\\E {bound} \\in S : (Len(q) = (({bound}) + 1))")
    );
    assert!(
        guards[1]
            .formula
            .contains(&format!("# ((\"w1\")) /\\ ({bound}) # ")),
        "{}",
        guards[1].formula
    );
}

#[test]
fn what_is_written_does_not_depend_on_columns() {
    let text = "A(t) == /\\ \\/ /\\ x = 1\n              /\\ Free(t) => /\\ q = <<>>\n                            /\\ x = 2\n           \\/ x = 3 \\* or so\n        /\\ x' = 1";
    assert_eq!(
        formulas(text),
        ["((((x = 1) /\\ (Free((\"w1\")) => ((q = <<>>) /\\ (x = 2))))) \\/ (x = 3))"]
    );
}

#[test]
fn nothing_of_what_has_no_name_elsewhere() {
    // an argument of two states
    let text =
        "Op(n, m) == /\\ n = 1\n            /\\ m = 2\n            /\\ x' = 3\nA(t) == Op(q', t)";
    assert_eq!(shown(text), ["m = 2 (in Op)"]);
    // nor what a bound name's set leaves to it
    let text =
        "Op(n, m) == \\E i \\in S :\n  /\\ i = n\n  /\\ i = m\n  /\\ x' = 3\nA(t) == Op(q', t)";
    assert_eq!(shown(text), ["\\E i \\in S : i = m (in Op)"]);
    assert_eq!(read("A(t) == TRUE").guards("B", &[]), None);
}

#[test]
fn through_an_instance() {
    let text = "---- MODULE Inner ----\nCONSTANT c\nBig(m) == m > c\nGo(m) == Big(m) /\\ x' = m\n====\nI == INSTANCE Inner WITH c <- 1\n\
                P(n) == INSTANCE Inner WITH c <- n\nA(t) == I!Big(t) /\\ P(2)!Big(t) /\\ I!Go(3)";
    assert_eq!(
        formulas(text),
        ["I!Big((\"w1\"))", "P(2)!Big((\"w1\"))", "I!Big((3))"]
    );
    assert_eq!(shown(text)[2], "Big(m) (in I!Go)");
}
