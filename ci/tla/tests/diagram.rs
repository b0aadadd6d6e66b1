//! State diagrams of the state graphs that the corpus keeps.

mod traces;

use interlock_tla::diagram::Diagram;
use roxmltree::Document;
use traces::layout;

/// Two tasks and a lock: who finds it held waits until the holder gives it to him. States are in short: who is idle is left out.
const GRAPH: &str = "\
# A header.
module Two
states 7
steps 11
initial 0

0 [n |-> 0]
1 [n |-> 0, pc |-> [a |-> \"hold\"]]
2 [n |-> 0, pc |-> [b |-> \"hold\"]]
3 [n |-> 0, pc |-> [a |-> \"hold\", b |-> \"wait\"]]
4 [n |-> 0, pc |-> [a |-> \"wait\", b |-> \"hold\"]]
5 [n |-> 1, pc |-> [a |-> \"hold\"]]
6 [n |-> 1]

0 Enter(a) 1
0 Enter(b) 2
1 Queue(b) 3
2 Queue(a) 4
3 Release(a) 2
4 Release(b) 1
1 Release(a) 0
2 Release(b) 0
1 Count() 5
5 Timeout() 6
6 Reset() 0
";

#[test]
fn a_task_is_projected_and_what_others_do_to_it_is_told() {
    let diagram = Diagram::project(GRAPH, &layout(), "a").unwrap();
    assert_eq!(
        diagram.description(),
        "a begins in idle. From idle to wait: Queue. From idle to hold: Enter. From wait to hold: Release by another. From hold to idle: Release, Timeout."
    );
    let all_its_own = GRAPH.replace("4 Release(b) 1", "4 Release(a) 1");
    let other = Diagram::project(&all_its_own, &layout(), "a").unwrap();
    assert!(other.description().contains("From wait to hold: Release."));
    assert_ne!(diagram.render("", ""), other.render("", ""));
}

#[test]
fn a_graph_that_is_none_is_refused() {
    let error = |graph: &str, task: &str| {
        let error = Diagram::project(graph, &layout(), task).expect_err(task);
        format!("{error:#}")
    };
    assert_eq!(error(GRAPH, "c"), "no task is named `c`; there are a, b");
    for (from, to, told) in [
        ("initial 0\n", "", "the header has no initial state"),
        ("\n3 [n", "\n8 [n", "its number is not 3"),
        (
            "0 Enter(a) 1",
            "0 Enter(a) 7",
            "not a step: 0 Enter(a) 7: there is no such state",
        ),
        ("0 Enter(a) 1", "0 Enter(a 1", "no end of the arguments"),
        ("\n\n0 Enter", "\n0 Enter", "no steps"),
    ] {
        let text = error(&GRAPH.replace(from, to), "a");
        assert!(text.contains(told), "{told}: {text}");
    }
}

/// The places of a path's command, `H` or `V`.
fn places(path: &str, command: char) -> Vec<f64> {
    let parts = path.split(command).skip(1);
    let number = |part: &str| {
        part.split(|c: char| c.is_ascii_uppercase())
            .next()
            .unwrap()
            .parse()
    };
    parts.map(|part| number(part).unwrap()).collect()
}

#[test]
fn each_edge_has_its_label_and_its_own_way() {
    let picture = Diagram::project(GRAPH, &layout(), "a")
        .unwrap()
        .render("A title", "A subtitle");
    let document = Document::parse(&picture).unwrap();
    let of = |tag: &'static str, class: &'static str| {
        let nodes = document
            .descendants()
            .filter(move |node| node.has_tag_name(tag));
        nodes.filter(move |node| {
            node.attribute("class")
                .is_some_and(|own| own.split(' ').any(|own| own == class))
        })
    };
    let texts = |class| {
        of("text", class)
            .map(|node| node.text().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        texts("state"),
        ["idle", "wait", "hold"],
        "the longest way goes down"
    );
    assert_eq!(
        texts("action"),
        ["Enter", "Release, Timeout", "Queue", "Release by another"]
    );
    assert_eq!(of("path", "head").count(), 4);
    let sideways: Vec<&str> = of("path", "edge")
        .map(|node| node.attribute("d").unwrap())
        .collect();
    let tracks: Vec<f64> = sideways
        .iter()
        .filter_map(|path| places(path, 'H').first().copied())
        .collect();
    assert_eq!(tracks.len(), 2);
    assert_ne!(
        tracks[0], tracks[1],
        "two edges at one height never share a track"
    );
    assert_eq!(of("path", "another").count(), 2, "the edge, and the legend");
    assert_eq!(document.root_element().attribute("width"), Some("320"));
}
