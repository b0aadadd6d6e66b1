//! TLC's counterexamples and edges, read.

mod traces;

use std::path::Path;

use interlock_tla::counterexample::{Counterexample, INITIAL};
use interlock_tla::edges::Edges;
use interlock_tla::messages::Output;
use interlock_tla::value::Value;
use traces::{fixture, lasso, message, recorded};

#[test]
fn each_kind_of_recorded_counterexample_is_read() {
    for (name, states, loop_to, stuttering, violated) in [
        ("lasso", 15, Some(9), false, None),
        ("lasso-emit", 15, Some(9), false, None),
        ("stuttering", 10, None, true, None),
        ("invariant", 7, None, false, Some("NobodyQueues")),
        ("action", 7, None, false, Some("QueueShrinksNever")),
        ("deadlock", 7, None, false, Some("Deadlock")),
        ("initial-invariant", 1, None, false, Some("StartsHeld")),
        ("initial-property", 1, None, false, Some("StartsHeld")),
    ] {
        let cex = recorded(name);
        let read = (
            cex.states.len(),
            cex.loop_to,
            cex.ends_stuttering,
            cex.violated.as_deref(),
        );
        assert_eq!(read, (states, loop_to, stuttering, violated), "{name}");
        assert_eq!(cex.states[0].action, INITIAL);
        assert!(
            cex.states
                .iter()
                .zip(1..)
                .all(|(state, number)| state.number == number && state.vars.len() == 4),
            "{name}"
        );
    }
}

#[test]
fn a_run_without_an_error_has_no_counterexample() {
    let output = std::fs::read_to_string(fixture("holds.out")).unwrap();
    assert_eq!(
        Counterexample::from_messages(&Output::parse(&output).messages).unwrap(),
        None
    );
}

#[test]
fn edges_give_every_step_its_task() {
    let cex = lasso();
    let task = |name: &str| vec![Value::Model(name.to_owned())];
    for pair in cex.states.windows(2) {
        let [Value::Fn(from), Value::Fn(to)] = [&pair[0].vars["pc"], &pair[1].vars["pc"]] else {
            panic!("functions")
        };
        let moved = from
            .iter()
            .find(|(task, value)| to[*task] != **value)
            .unwrap();
        assert_eq!(
            pair[1].args,
            std::slice::from_ref(moved.0),
            "{}",
            pair[1].number
        );
    }
    let closing = cex.closing.unwrap();
    assert_eq!(
        (closing.action.as_str(), closing.args),
        ("Take", task("w1"))
    );
}

#[test]
fn the_whole_graph_is_in_the_edges() {
    let edges = Edges::read(&fixture("lasso-emit.edges")).unwrap();
    assert_eq!(
        (edges.states(), edges.steps()),
        (128, 304),
        "as TLC counts them: 305 generated, one of them initial"
    );
}

#[test]
fn a_newer_tlc_writes_the_arguments_itself() {
    let cex = Counterexample::from_messages(&[
        message(2217, "1: <Initial predicate>\nx = 0\n"),
        message(
            2217,
            "2: <Inc(p1, <<1, \"a)\">>) line 7, col 11 to line 9, col 3 of module Small>\nx = 1\n",
        ),
        message(
            2217,
            "3: <Inner!Inc line 7, col 11 to line 9, col 3 of module Small>\n/\\ x = 2\n",
        ),
        message(
            2122,
            "2: Back to state: <Inc(p2) line 7, col 11 to line 9, col 3 of module Small>\n",
        ),
    ])
    .unwrap()
    .unwrap();
    assert_eq!(
        cex.states[1].args,
        [
            Value::Model("p1".to_owned()),
            r#"<<1, "a)">>"#.parse().unwrap()
        ]
    );
    assert_eq!(cex.states[2].action, "Inner!Inc");
    assert_eq!(cex.states[2].vars["x"], Value::Int(2));
    assert_eq!(
        (cex.loop_to, cex.closing.unwrap().args),
        (Some(1), vec![Value::Model("p2".to_owned())])
    );
}

#[test]
fn messages_that_are_not_as_tlc_writes_them_are_errors() {
    let first = || message(2217, "1: <Initial predicate>\nx = 0\n");
    for (bad, expected) in [
        (
            message(2217, "3: <Inc line 1 of module M>\nx = 1\n"),
            "expected state 2",
        ),
        (
            message(2217, "2: <Inc line 1 of module M>\n/\\ x = \n"),
            "expected a value",
        ),
        (message(2217, "2: Inc\nx = 1\n"), "expected <"),
        (message(2217, "2: <Inc line 1"), "expected >"),
        (message(2217, "two: <Inc>\nx = 1"), "the number of a state"),
        (
            message(2122, "7: Back to state: <Inc line 1 of module M>\n"),
            "no state 7",
        ),
        (
            message(2122, "0: Back to state: <Inc line 1 of module M>\n"),
            "no state 0",
        ),
        (message(2110, "Invariant"), "the name of what is violated"),
        (
            message(
                2107,
                "Invariant I is violated by the initial state:\nx = 0\n",
            ),
            "a second initial state",
        ),
    ] {
        let error = Counterexample::from_messages(&[first(), bad]).expect_err(expected);
        assert!(format!("{error:#}").contains(expected), "{error:#}");
    }
    assert!(
        Counterexample::from_messages(&[message(2218, "1: Stuttering")]).is_err(),
        "nothing to stutter in"
    );
}

#[test]
fn a_malformed_edge_is_an_error_with_its_line() {
    let good = r#""<<\"E\", \"Inc\", <<>>, [x |-> 0], [x |-> 1]>>""#;
    let error = |bad: &str| {
        format!(
            "{:#}",
            Edges::from_lines(format!("{good}\n{bad}\n").as_bytes()).expect_err(bad)
        )
    };
    assert!(error(r#""<<\"E\", \"Inc\", <<>>, [x |-> 0], [x |-"#).starts_with("line 2: "));
    assert!(
        error(r#""<<\"E\", \"Inc\", <<>>, [x |-> 0]>>""#)
            .contains("expected <<\"E\", action, args, state, state'>>")
    );
    assert!(
        Edges::from_lines(format!("{good}\nsomething else\n\"<<1>>\"\n").as_bytes())
            .unwrap()
            .steps()
            == 1
    );
    let missing = Edges::read(Path::new("no such file")).expect_err("missing");
    assert!(format!("{missing:#}").contains("no such file"));
}
