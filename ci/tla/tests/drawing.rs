//! TLC's counterexamples drawn as text and pictures, and in ITF.

mod traces;

use interlock_tla::Layout;
use interlock_tla::counterexample::Counterexample;
use interlock_tla::messages::Message;
use interlock_tla::{itf, svg, timeline};
use traces::{RECORDED, assert_snapshot, lasso, layout, message, recorded};

#[test]
fn timelines_tell_the_story() {
    assert_snapshot(
        "lasso.txt",
        &timeline::render(&lasso(), &layout(), None).unwrap(),
    );
    assert_snapshot(
        "lasso-without-edges.txt",
        &timeline::render(&recorded("lasso"), &layout(), Some(72)).unwrap(),
    );
    for name in ["stuttering", "invariant", "deadlock", "initial-invariant"] {
        assert_snapshot(
            &format!("{name}.txt"),
            &timeline::render(&recorded(name), &layout(), None).unwrap(),
        );
    }
}

#[test]
fn only_the_changed_parts_of_other_variables_are_shown() {
    let state = |number: usize, count: &str, flag: &str| {
        message(
            2217,
            &format!(
                "{number}: <Inc line 1>\n/\\ pc = (r1 :> \"idle\")\n/\\ count = (r1 :> {count} @@ r2 :> 7)\n/\\ sem = [flag |-> {flag}, rest |-> <<1>>]\n"
            ),
        )
    };
    let cex = Counterexample::from_messages(&[state(1, "0", "TRUE"), state(2, "1", "FALSE")])
        .unwrap()
        .unwrap();
    let text = timeline::render(&cex, &layout(), None).unwrap();
    assert!(
        text.contains("count[r1]: 0 -> 1, sem.flag: TRUE -> FALSE\n"),
        "{text}"
    );
    let narrow = timeline::render(&cex, &layout(), Some(40)).unwrap();
    assert!(narrow.contains("count[r1]: 0 -> 1\n"), "{narrow}");
}

#[test]
fn tasks_are_sorted_by_their_numbers() {
    let first = message(
        2217,
        "1: <Initial predicate>\npc = (r10 :> \"idle\" @@ r2 :> \"idle\")\n",
    );
    let cex = Counterexample::from_messages(&[first]).unwrap().unwrap();
    assert!(
        timeline::render(&cex, &layout(), None)
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .contains("r2    r10")
    );
}

#[test]
fn lanes_that_cannot_be_drawn_are_an_error() {
    let error = |lanes: &str| {
        let layout = Layout {
            variables: vec![lanes.to_owned()],
            ..layout()
        };
        let svg = svg::render(&lasso(), &layout, "", "")
            .expect_err(lanes)
            .to_string();
        assert_eq!(
            timeline::render(&lasso(), &layout, None)
                .expect_err(lanes)
                .to_string(),
            svg
        );
        svg
    };
    assert_eq!(
        error("pcc"),
        "state 1 has no variable `pcc`, which `swimlanes` names in the manifest; it has grants, holders, pc, queue"
    );
    assert_eq!(
        error("grants"),
        "`grants` must be a function from tasks to be drawn as lanes; in state 1 it is 0"
    );
    assert_eq!(
        error("queue"),
        "the tasks of `queue` change in state 9: they cannot be drawn as lanes"
    );
}

#[test]
fn itf_is_read_back() {
    for name in RECORDED {
        let cex = if name == "lasso-emit" {
            lasso()
        } else {
            recorded(name)
        };
        let json = itf::to_json(&cex, "a test").unwrap();
        assert_eq!(itf::from_json(&json.to_string()).unwrap(), cex, "{name}");
    }
}

#[test]
fn itf_has_the_forms_that_other_tools_read() {
    let body = "1: <Initial predicate>\n/\\ a = -9007199254740993\n/\\ b = 9007199254740992\n/\\ c = {1}\n/\\ d = <<m, TRUE>>\n/\\ e = (m :> \"s\")\n/\\ f = [g |-> 1]\n";
    let cex = Counterexample::from_messages(&[message(2217, body)])
        .unwrap()
        .unwrap();
    let json = itf::to_json(&cex, "a test").unwrap();
    assert_eq!(itf::from_json(&json.to_string()).unwrap(), cex);
    let expected = r##"{"#meta":{"action":"Initial predicate","args":[],"index":0},"a":{"#bigint":"-9007199254740993"},
        "b":9007199254740992,"c":{"#set":[1]},"d":["m",true],"e":{"#map":[["m","s"]]},"f":{"g":1}}"##;
    assert_eq!(
        json["states"][0],
        serde_json::from_str::<serde_json::Value>(expected).unwrap()
    );
    assert_eq!(
        json["vars"],
        serde_json::json!(["a", "b", "c", "d", "e", "f"])
    );
    assert_eq!(json["#meta"]["format"], "ITF");
    assert_eq!(itf::to_json(&lasso(), "a test").unwrap()["loop"], 9);
    assert_eq!(
        itf::to_json(&recorded("stuttering"), "a test").unwrap()["loop"],
        9,
        "the last state loops to itself"
    );
}

#[test]
fn itf_refuses_what_it_cannot_tell_apart_or_read() {
    let both = message(
        2217,
        "1: <Initial predicate>\n/\\ a = idle\n/\\ b = \"idle\"\n",
    );
    let cex = Counterexample::from_messages(&[both]).unwrap().unwrap();
    assert!(
        itf::to_json(&cex, "")
            .expect_err("ambiguous")
            .to_string()
            .contains("both a string and a model value `idle`")
    );

    let good = itf::to_json(&lasso(), "").unwrap();
    for (pointer, bad, expected) in [
        ("/#meta", serde_json::json!(null), "model_values"),
        ("/states", serde_json::json!([]), "no state"),
        (
            "/loop",
            serde_json::json!(15),
            "`loop` must be the index of a state",
        ),
        (
            "/states/3/#meta/args",
            serde_json::json!(1),
            "in state 3: in `args`: expected a list",
        ),
        (
            "/states/3/grants",
            serde_json::json!(1.5),
            "in state 3: in `grants`: 1.5 is no integer",
        ),
        (
            "/states/3/pc",
            serde_json::json!({"#map": [[1]]}),
            "#map must have pairs",
        ),
        (
            "/states/3/pc",
            serde_json::json!({"#unserializable": "x"}),
            "`#unserializable` is not known",
        ),
        ("/states/3/pc", serde_json::json!(null), "null is no value"),
    ] {
        let mut json = good.clone();
        *json.pointer_mut(pointer).unwrap() = bad;
        let error = itf::from_json(&json.to_string()).expect_err(expected);
        assert!(format!("{error:#}").contains(expected), "{error:#}");
    }
    assert!(itf::from_json("{").is_err());
}

#[test]
fn a_picture_tells_the_story() {
    let title = "Steal-RWW-ReaderProgress: ReaderProgress is violated";
    let subtitle = "A lock with a queue where a writer may steal. Steal: a lock of this test's own";
    let picture = svg::render(&lasso(), &layout(), title, subtitle).unwrap();
    assert_snapshot("lasso.svg", &picture);
}

#[test]
fn pictures_are_well_formed_and_the_same_each_time() {
    for name in RECORDED {
        let cex = if name == "lasso-emit" {
            lasso()
        } else {
            recorded(name)
        };
        let draw =
            || svg::render(&cex, &layout(), "A <title> & \"more\"\u{1}", "A subtitle").unwrap();
        let picture = draw();
        assert_eq!(picture, draw(), "{name}");
        let document =
            roxmltree::Document::parse(&picture).unwrap_or_else(|error| panic!("{name}: {error}"));
        let of = |tag: &str| {
            document
                .descendants()
                .filter(|node| node.has_tag_name(tag))
                .filter_map(|node| node.text())
                .collect::<Vec<_>>()
        };
        assert_eq!(of("title"), ["A <title> & \"more\"\u{fffd}"]);
        assert!(of("desc")[0].starts_with("Step by step: 1 initially"));
        assert!(
            of("script").is_empty() && !picture.contains("href"),
            "nothing but shapes"
        );
        for task in ["r1", "w1", "w2"] {
            assert!(of("text").contains(&task), "{name}: {task}");
        }
        assert_eq!(
            of("text")
                .iter()
                .any(|text| text.starts_with("repeats for ever")),
            cex.loop_to.is_some(),
            "{name}"
        );
    }
}

/// A lasso of 40 states: r1 waits, r2 spins, and w1 comes and goes.
fn long() -> Counterexample {
    let state = |number: usize| {
        let writer = ["try", "hold", "idle"][number % 3];
        let pc = format!("(r1 :> \"wait\" @@ r2 :> \"try\" @@ w1 :> \"{writer}\")");
        message(
            2217,
            &format!("{number}: <TakeOrLeaveIt(w1) line 1>\npc = {pc}\n"),
        )
    };
    let back = message(2122, "11: Back to state: <TakeOrLeaveIt line 1>\n");
    let messages: Vec<Message> = (1..=40).map(state).chain([back]).collect();
    Counterexample::from_messages(&messages).unwrap().unwrap()
}

#[test]
fn a_long_lasso_is_told_in_full() {
    let text = timeline::render(&long(), &layout(), None).unwrap();
    let story: Vec<&str> = text.lines().rev().take(2).collect();
    assert_eq!(
        story,
        [
            "r2 never comes to hold in the loop, nor idles.",
            "r1 waits in every state of the loop, while w1 does 30 steps: w1 comes to hold 10 times."
        ]
    );
    assert!(text.contains("└  11  TakeOrLeaveIt: w1"), "{text}");
}

#[test]
fn a_picture_is_as_wide_as_a_phone_and_nothing_leaves_it() {
    let picture = svg::render(&long(), &layout(), &"A long title ".repeat(20), "").unwrap();
    let document = roxmltree::Document::parse(&picture).unwrap();
    assert_eq!(document.root_element().attribute("width"), Some("320"));
    let texts = || {
        document
            .descendants()
            .filter(|node| node.has_tag_name("text"))
    };
    for node in texts() {
        let x: f64 = node.attribute("x").unwrap().parse().unwrap();
        assert!((10.0..310.0).contains(&x), "{:?} at {x}", node.text());
    }
    let count = |words: &str| {
        texts()
            .filter(|node| node.text().is_some_and(|text| text.starts_with(words)))
            .count()
    };
    assert_eq!(
        count("TakeOrLeaveIt"),
        40,
        "each step once, the closing one too"
    );
    assert_eq!(count("repeats for ever, from state 11 on"), 1);
    let names = texts().filter(|node| node.text() == Some("r1"));
    assert_eq!(names.count(), 2, "above and below so many states");
}

#[test]
fn a_label_that_is_too_long_goes_on_in_the_next_line() {
    let pc = "pc = (a :> \"wait\" @@ b :> \"idle\" @@ c :> \"idle\" @@ d :> \"idle\")";
    let state = |number: usize| {
        let body = format!("{number}: <SpaceForTheNextOne(a, <<a, 1>>) line 1>\n{pc}\n");
        message(2217, &body)
    };
    let messages: Vec<Message> = (1..=3).map(state).collect();
    let cex = Counterexample::from_messages(&messages).unwrap().unwrap();
    let picture = svg::render(&cex, &layout(), "", "").unwrap();
    for line in [">SpaceForTheNextOne(<", ">a, &lt;&lt;a, 1&gt;&gt;)<"] {
        assert_eq!(picture.matches(line).count(), 2, "{line} in {picture}");
    }
}
