//! Lint finds a state diagram that is not that of its graph.

#[path = "manifests/findings.rs"]
mod findings;
mod manifests;

use findings::finds_only;
use interlock_checker::states;
use manifests::{CLAIMS, Copy};

/// The claims with a state diagram of a graph in the corpus.
fn with_diagram(graph: &str) -> Copy {
    let copy = Copy::with(
        "[size]\n",
        "[states]\nmodel = \"Fifo-RW-safety\"\ntask = \"r1\"\n\n[size]\n",
    );
    let row = "{ size = \"RW\", holds = \"safety\", lane = \"smoke\"";
    let copy = copy.edit(CLAIMS, row, &format!("{row}, kept = true"));
    copy.write("tests/corpus/Fifo-RW-safety.graph", graph);
    copy
}

#[test]
fn a_state_diagram_that_is_not_that_of_its_graph() {
    let graph = "states 2\nsteps 2\ninitial 0\n\n0 [pc |-> [r1 |-> \"idle\"]]\n1 [pc |-> [r1 |-> \"hold\"]]\n\n0 Enter(r1) 1\n1 Release(r1) 0\n";
    let copy = with_diagram(graph);
    let stale = "docs/img/states-demo.svg:1: stale-diagram: is not the diagram of the graph in the corpus (run `make docs`)";
    finds_only(&copy, &[stale]);
    let manifest = copy.manifest();
    let drawn = states::draw(&manifest, &manifest.areas[0]).expect("it is drawn");
    let text = drawn.expect("the area has one");
    copy.write(&states::file("demo"), &text);
    finds_only(&copy, &[]);
    copy.write(
        "tests/corpus/Fifo-RW-safety.graph",
        &graph.replace("Enter", "Take"),
    );
    finds_only(&copy, &[stale]);
    copy.write(
        "tests/corpus/Fifo-RW-safety.graph",
        &graph.replace("r1", "r2"),
    );
    finds_only(
        &copy,
        &[
            "specs/demo/models.toml:2: stale-diagram: its state diagram cannot be drawn: tests/corpus/Fifo-RW-safety.graph: no task is named `r1`; there are r2",
        ],
    );
    let other = Copy::clean();
    other.write("docs/img/states-other.svg", &text);
    finds_only(
        &other,
        &[
            "docs/img/states-other.svg:1: stale-diagram: no claims have a [states] for it (add one, or remove the file)",
        ],
    );
}
