//! Each operator's faults, as text.

use std::collections::BTreeSet;
use std::path::Path;

use interlock_mutate::edit::apply;
use interlock_mutate::operators::{Context, Operator, Role, Values, faults};
use interlock_tla::module::source::{Source, children};

/// What the operator makes of the definitions in this text.
fn mutants(operator: Operator, role: Role, definitions: &str) -> Vec<String> {
    let text = format!("---- MODULE M ----\n{definitions}\n====\n");
    let source = Source::parse(Path::new("M.tla"), text).expect("TLA+");
    let definitions: Vec<_> = source
        .modules()
        .flat_map(children)
        .filter(|node| node.kind() == "operator_definition")
        .collect();
    let mut values = Values::default();
    for definition in &definitions {
        values.take(&source, *definition);
    }
    let actions = BTreeSet::from(["Step".to_owned()]);
    let context = Context {
        source: &source,
        actions: &actions,
        role,
    };
    let faults = definitions
        .into_iter()
        .flat_map(|definition| faults(context, definition, &values));
    let own = faults.filter(|fault| fault.operator == operator);
    own.map(|fault| {
        let mutated = apply(&source.text, &fault.edits);
        let lines = mutated.lines().filter(|line| !line.starts_with(['-', '=']));
        lines.collect::<Vec<_>>().join("\n")
    })
    .collect()
}

#[test]
fn a_disjunct_is_dropped() {
    let next = "Next == \\/ Step\n        \\/ \\E t \\in T : Go(t)";
    assert_eq!(
        mutants(Operator::DropDisjunct, Role::Behavior, next),
        [
            "Next == \\/ FALSE\n        \\/ \\E t \\in T : Go(t)",
            "Next == \\/ Step\n        \\/ FALSE"
        ]
    );
    // One that ends with a list is the text up to the next one.
    let next = "Next == \\/ \\E t \\in T :\n              \\/ Go(t)\n              \\/ Come(t)\n        \\/ Step";
    assert_eq!(
        mutants(Operator::DropDisjunct, Role::Behavior, next)[0],
        "Next == \\/ FALSE\n        \\/ Step"
    );
    assert_eq!(
        mutants(
            Operator::DropDisjunct,
            Role::Property,
            "P == a \\/ b \\/ FALSE"
        ),
        ["P == FALSE \\/ b \\/ FALSE", "P == a \\/ FALSE \\/ FALSE"]
    );
}

#[test]
fn a_conjunct_is_dropped_unless_it_assigns() {
    let action = "A == /\\ free\n     /\\ Step\n     /\\ x' = 1\n     /\\ UNCHANGED y";
    assert_eq!(
        mutants(Operator::DropConjunct, Role::Behavior, action),
        ["A == /\\ TRUE\n     /\\ Step\n     /\\ x' = 1\n     /\\ UNCHANGED y"]
    );
    assert_eq!(
        mutants(
            Operator::DropConjunct,
            Role::Property,
            "P == x' = 1 /\\ (b => c)"
        ),
        ["P == TRUE /\\ (b => c)", "P == x' = 1 /\\ TRUE"]
    );
    let specification = "Spec == Init /\\ [][Next]_x /\\ WF_x(Next)";
    assert!(mutants(Operator::DropConjunct, Role::Behavior, specification).is_empty());
    assert!(
        mutants(
            Operator::DropConjunct,
            Role::Initial,
            "Init == x = 1 /\\ y = 2"
        )
        .is_empty()
    );
}

#[test]
fn a_variable_stays() {
    let action = "A == /\\ x' = [x EXCEPT !.a = 1]\n     /\\ y' = y";
    assert_eq!(
        mutants(Operator::Unchanged, Role::Behavior, action),
        ["A == /\\ x' = x\n     /\\ y' = y"]
    );
    assert!(mutants(Operator::Unchanged, Role::Property, action).is_empty());
}

#[test]
fn a_comparison_is_strict_or_is_not() {
    let bound = "P == x < 1 => /\\ y >= z\n              /\\ a";
    assert_eq!(
        mutants(Operator::Comparison, Role::Property, bound),
        [
            "P == x <= 1 => /\\ y >= z\n               /\\ a",
            "P == x < 1 => /\\ y > z\n              /\\ a"
        ]
    );
    assert_eq!(
        mutants(
            Operator::Comparison,
            Role::Property,
            "P == a <= b /\\ b > c"
        ),
        ["P == a < b /\\ b > c", "P == a <= b /\\ b >= c"]
    );
}

#[test]
fn a_number_is_one_more() {
    assert_eq!(
        mutants(Operator::OffByOne, Role::Behavior, "A == x' = x + 9"),
        ["A == x' = x + 10"]
    );
}

#[test]
fn a_connective_is_the_other() {
    let list = "P == /\\ a\n     /\\ b \\/ c";
    assert_eq!(
        mutants(Operator::Connective, Role::Property, list),
        [
            "P == \\/ a\n     \\/ b \\/ c",
            "P == /\\ a\n     /\\ b /\\ c"
        ]
    );
    assert_eq!(
        mutants(
            Operator::Connective,
            Role::Property,
            "P == a /\\ b /\\ c => d"
        ),
        ["P == a \\/ b \\/ c => d"]
    );
    assert!(mutants(Operator::Connective, Role::Behavior, "A == a /\\ Step").is_empty());
}

#[test]
fn a_quantifier_is_the_other() {
    assert_eq!(
        mutants(
            Operator::Quantifier,
            Role::Property,
            "P == \\A t \\in T : \\E u \\in T : t = u"
        ),
        [
            "P == \\E t \\in T : \\E u \\in T : t = u",
            "P == \\A t \\in T : \\A u \\in T : t = u"
        ]
    );
    assert!(
        mutants(
            Operator::Quantifier,
            Role::Behavior,
            "A == \\E t \\in T : x' = t"
        )
        .is_empty()
    );
}

#[test]
fn a_policy_decides_as_another() {
    let policies = "A == [how |-> \"a\", when |-> 1]\nB == [A EXCEPT !.how = \"b\"]";
    assert_eq!(
        mutants(Operator::PolicyValue, Role::Policy, policies),
        [
            "A == [how |-> \"b\", when |-> 1]\nB == [A EXCEPT !.how = \"b\"]",
            "A == [how |-> \"a\", when |-> 1]\nB == [A EXCEPT !.how = \"a\"]"
        ]
    );
    assert!(mutants(Operator::PolicyValue, Role::Behavior, policies).is_empty());
}

#[test]
fn fairness_is_dropped_or_weak() {
    let fair = "Fair == Spec /\\ WF_x(A) /\\ \\A t \\in T : SF_x(B(t))";
    assert_eq!(
        mutants(Operator::Fairness, Role::Behavior, fair),
        [
            "Fair == Spec /\\ TRUE /\\ \\A t \\in T : SF_x(B(t))",
            "Fair == Spec /\\ WF_x(A) /\\ \\A t \\in T : TRUE",
            "Fair == Spec /\\ WF_x(A) /\\ \\A t \\in T : WF_x(B(t))"
        ]
    );
}

#[test]
fn a_leads_to_is_reversed() {
    assert_eq!(
        mutants(
            Operator::LeadsTo,
            Role::Property,
            "P == \\A t \\in T : want[t] ~> has[t]"
        ),
        ["P == \\A t \\in T : has[t] ~> want[t]"]
    );
}

/// What of the faults of `P` makes it weaker, by what the formula becomes.
fn weaker(property: &str) -> Vec<String> {
    let text = format!("---- MODULE M ----\nP == {property}\n====\n");
    let source = Source::parse(Path::new("M.tla"), text).expect("TLA+");
    let definition = source
        .modules()
        .flat_map(children)
        .find(|node| node.kind() == "operator_definition")
        .expect("a definition");
    let context = Context {
        source: &source,
        actions: &BTreeSet::new(),
        role: Role::Property,
    };
    let faults = faults(context, definition, &Values::default());
    let weaker = faults.into_iter().filter(|fault| fault.is_weaker);
    weaker
        .map(|fault| {
            let mutated = apply(&source.text, &fault.edits);
            let line = mutated.lines().nth(1).expect("the property");
            line["P == ".len()..].to_owned()
        })
        .collect()
}

#[test]
fn a_property_is_weaker_if_what_it_says_is_implied() {
    for (property, expected) in [
        ("a /\\ b", &["TRUE /\\ b", "a \\/ b", "a /\\ TRUE"][..]),
        ("a \\/ b", &[]),
        (
            "~(a \\/ b)",
            &["~(FALSE \\/ b)", "~(a /\\ b)", "~(a \\/ FALSE)"],
        ),
        (
            "(a \\/ b) => c",
            &["(FALSE \\/ b) => c", "(a /\\ b) => c", "(a \\/ FALSE) => c"],
        ),
        ("c => (a \\/ b)", &[]),
        ("x < 5", &["x <= 5", "x < 6"]),
        ("5 < x", &["5 <= x"]),
        ("x \\in 0 .. 2", &["x \\in 0 .. 3"]),
        (
            "x \\in [S -> 0 .. 2] \\/ f(y < 2)",
            &["x \\in [S -> 0 .. 3] \\/ f(y < 2)"],
        ),
        ("\\A t \\in 1 .. 2 : p", &["\\A t \\in 2 .. 2 : p"]),
        ("\\E t \\in 1 .. 2 : p", &["\\E t \\in 1 .. 3 : p"]),
        (
            "IF x < 1 THEN x < 2 ELSE a = 3",
            &[
                "IF x < 1 THEN x <= 2 ELSE a = 3",
                "IF x < 1 THEN x < 3 ELSE a = 3",
            ],
        ),
        ("(a /\\ b) <=> c", &[]),
    ] {
        assert_eq!(weaker(property), expected, "{property}");
    }
}
