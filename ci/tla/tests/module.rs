//! What the reader sees in a TLA+ module.

use std::fs;

use interlock_tla::module::{Module, Shape};
use tempfile::TempDir;

/// Reads module `M` with this text between its first and last line, beside module `Base`.
fn read(text: &str) -> Module {
    let directory = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory");
    let base = "---- MODULE Base ----\nCONSTANT Size\nVARIABLE v\nStep == v' = Size\nEnds == <>(v = 1)\n====\nAfter == 1\n";
    fs::write(directory.path().join("Base.tla"), base).expect("written");
    fs::write(
        directory.path().join("M.tla"),
        format!("a preface == 1\n---- MODULE M ----\n{text}\n====\n"),
    )
    .expect("written");
    Module::read(directory.path(), "M").expect("a module")
}

#[test]
fn definitions_of_every_form() {
    let module = read(
        "A == 1\nB(x, y) == x\nf[x \\in {1}] == x\nLOCAL D == 2\nRECURSIVE E(_)\nE(x) == IF x = 0 THEN 0 ELSE E(x - 1)\nF == LET inner == 1 IN inner\nG(op(_)) == op(1)",
    );
    assert_eq!(
        module.operators().collect::<Vec<_>>(),
        ["A", "B", "D", "E", "F", "G", "f"]
    );
}

#[test]
fn comments_and_strings_are_not_read() {
    let module = read(
        "\\* A == 1\n(* B == 2 (* nested == *) C == 3 *)\nD == \"E == \\\" <>x (* \" \nF == 1 \\* <>\n----------------\nG == 2",
    );
    assert_eq!(module.operators().collect::<Vec<_>>(), ["D", "F", "G"]);
    assert_eq!(module.shape("D"), Shape::default());
    assert_eq!(module.shape("F"), Shape::default());
}

#[test]
fn constants_with_comments_and_arity() {
    let module = read(
        "CONSTANTS A, \\* first, B\n  C(_, _),\n  D\nVARIABLES x, y\nCONSTANT E\nASSUME A \\in C(1, 2)",
    );
    assert_eq!(
        module.constants().iter().collect::<Vec<_>>(),
        ["A", "C", "D", "E"]
    );
}

#[test]
fn what_other_modules_give() {
    let extended = read("EXTENDS Naturals, Base\nOwn == Ends");
    assert!(extended.defines("Step") && extended.defines("Own") && !extended.defines("After"));
    assert!(extended.constants().contains("Size") && extended.shape("Own").eventually);
    let unnamed = read("LOCAL INSTANCE Base WITH Size <- 1");
    assert!(unnamed.defines("Step") && unnamed.constants().is_empty());
    let named = read("I == INSTANCE Base WITH Size <- 1\nOwn == I!Ends /\\ Size = 1");
    assert!(named.defines("I!Step") && !named.defines("Step") && !named.defines("I"));
    assert!(named.shape("Own").eventually);
}

#[test]
fn a_module_may_take_itself() {
    assert!(read("EXTENDS M\nA == 1").defines("A"));
}

#[test]
fn shapes_of_formulas() {
    let module = read(
        "Leads == P ~> Q\nThrough == \\A x \\in S : Leads\nBox == [](x = 1)\nOften == []<>P\nAct == [][x' = 1]_<<x, y>>\nNamed == [][A[1]]_vars\nFair == WF_vars(A)\nPred == x = <<>>\nChoice == CASE p -> 1 [] q -> 2 [] OTHER -> 3\nLoop == Loop2\nLoop2 == Loop\nSame == UNCHANGED x",
    );
    let clean = Shape::default();
    let shapes = [
        (
            "Leads",
            Shape {
                leads_to: true,
                ..clean
            },
        ),
        (
            "Through",
            Shape {
                leads_to: true,
                ..clean
            },
        ),
        (
            "Box",
            Shape {
                always: true,
                ..clean
            },
        ),
        (
            "Often",
            Shape {
                always: true,
                eventually: true,
                ..clean
            },
        ),
        (
            "Act",
            Shape {
                action_box: true,
                primed: true,
                ..clean
            },
        ),
        (
            "Named",
            Shape {
                action_box: true,
                ..clean
            },
        ),
        (
            "Fair",
            Shape {
                fairness: true,
                ..clean
            },
        ),
        ("Pred", clean),
        ("Choice", clean),
        ("Loop", clean),
        (
            "Same",
            Shape {
                primed: true,
                ..clean
            },
        ),
    ];
    for (operator, shape) in shapes {
        assert_eq!(module.shape(operator), shape, "{operator}");
    }
    assert!(module.shape("Through").is_liveness() && !module.shape("Act").is_liveness());
    assert!(module.shape("Act").is_temporal() && !module.shape("Same").is_temporal());
}

#[test]
fn an_action_in_enabled_is_about_one_state() {
    let module = read(
        "A(t) == x' = t\nCan == ENABLED A(1) /\\ y = 1\nMust == ENABLED (A(1) \\/ A(2)) => x = 1\nDoes == ENABLED A(1) /\\ A(2)",
    );
    let primed = ["Can", "Must", "Does"].map(|operator| module.shape(operator).primed);
    assert_eq!(primed, [false, false, true]);
}

#[test]
fn an_operator_has_parameters() {
    let module = read("Add(a, b) == a + b\nOne == 1");
    assert_eq!(module.parameters("Add"), ["a", "b"]);
    assert!(module.parameters("One").is_empty());
    assert!(module.parameters("None").is_empty());
}

#[test]
fn steps_of_the_next_state_relation() {
    let module = read(
        "Task == 1..2\nA(t) == x' = t\nB == UNCHANGED x\nNext == \\/ \\E t \\in Task : A(t)\n        \\/ B\nSpec == Init /\\ [][Next]_x\nFair == Spec /\\ WF_x(Next)",
    );
    assert_eq!(module.steps("Fair"), ["A", "B"]);
    assert!(module.steps("Task").is_empty());
}

#[test]
fn faults_are_errors() {
    let directory = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory");
    let error = |name: &str| {
        format!(
            "{:#}",
            Module::read(directory.path(), name).expect_err("an error")
        )
    };
    assert!(
        error("M").contains("M.tla: cannot read it: No such file"),
        "{}",
        error("M")
    );
    for text in ["", "A == 1\n"] {
        fs::write(directory.path().join("N.tla"), text).expect("written");
        assert!(
            error("N").ends_with("N.tla: no `---- MODULE N ----` line (add it)"),
            "{}",
            error("N")
        );
    }
    fs::write(directory.path().join("N.tla"), "---- MODULE").expect("written");
    assert!(error("N").contains("N.tla:1:"), "{}", error("N"));
}
