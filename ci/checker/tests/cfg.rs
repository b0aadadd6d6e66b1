//! The cfg of a model.

mod manifests;

use interlock_checker::cfg;
use manifests::Copy;

fn text(copy: &Copy, model: &str, edges: bool) -> String {
    cfg::text(copy.manifest().model(model).expect("it is there"), edges)
}

#[test]
fn invariants_with_symmetry() {
    let expected = "\
\\* Model Fifo-RRW-safety of specs/demo/models.toml. By hand, in specs/demo: java -cp tla2tools.jar tlc2.TLC -lncheck final -config THIS.cfg MCLock.tla
SPECIFICATION Spec
CONSTANTS
    Policy <- Fifo
    Readers = {r1, r2}
    Writers = {w1}
INVARIANTS TypeOK Mutex
SYMMETRY Symmetry
CHECK_DEADLOCK FALSE
";
    assert_eq!(text(&Copy::clean(), "Fifo-RRW-safety", false), expected);
}

#[test]
fn a_property_with_edges_printed() {
    let cfg = text(&Copy::clean(), "Fifo-RW-Progress", true);
    let (_, cfg) = cfg.split_once('\n').expect("a first line");
    let expected = "\
SPECIFICATION FairSpec
CONSTANTS
    Policy <- Fifo
    Readers = {r1}
    Writers = {w1}
PROPERTY Progress EachStepIsPrinted
CHECK_DEADLOCK FALSE
";
    assert_eq!(cfg, expected);
}

#[test]
fn without_liveness_it_is_a_constraint_that_prints() {
    let cfg = text(&Copy::clean(), "Fifo-RW-safety", true);
    assert!(
        cfg.ends_with(
            "INVARIANTS TypeOK Mutex\nACTION_CONSTRAINT PrintStep\nCHECK_DEADLOCK TRUE\n"
        ),
        "{cfg}"
    );
}

#[test]
fn deadlock_view_and_constraint() {
    let copy = Copy::with(
        "kind = \"deadlock\"",
        "kind = \"deadlock\", view = \"V\", constraint = \"C\"",
    );
    let cfg = text(&copy, "Never-RW-deadlock", false);
    assert!(cfg.contains("    Policy = \"never\"\n"), "{cfg}");
    assert!(
        cfg.ends_with("VIEW V\nCONSTRAINT C\nCHECK_DEADLOCK TRUE\n"),
        "{cfg}"
    );
}

#[test]
fn without_constants_there_is_no_heading() {
    let copy = Copy::clean();
    let mut model = copy
        .manifest()
        .model("Fifo-RW-safety")
        .expect("it is there")
        .clone();
    model.constants.clear();
    assert!(!cfg::text(&model, false).contains("CONSTANTS"));
}

#[test]
fn the_first_line_names_the_model() {
    let cfg = text(&Copy::clean(), "Fifo-RW-safety", false);
    assert_eq!(
        cfg.lines().next().and_then(cfg::model_name),
        Some("Fifo-RW-safety")
    );
    assert_eq!(cfg::model_name("SPECIFICATION Spec"), None);
}
