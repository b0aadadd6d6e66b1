//! A counterexample's files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interlock_checker::explain;
use interlock_checker::manifest::{Area, Engine, Expect, Kind, Lane, Manifest, Model};
use interlock_tla::counterexample::Counterexample;
use interlock_tla::edges::Edges;
use interlock_tla::messages::Output;
use interlock_tla::{Layout, itf};

/// A recorded output of TLC's.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tla/tests/traces")
        .join(name)
}

fn recorded() -> Counterexample {
    let output = std::fs::read_to_string(fixture("lasso-emit.out")).unwrap();
    Counterexample::from_messages(&Output::parse(&output).messages)
        .unwrap()
        .unwrap()
}

/// The same, with its steps' arguments.
fn lasso() -> Counterexample {
    let mut cex = recorded();
    let edges = Edges::read(&fixture("lasso-emit.edges")).unwrap();
    edges.fill_args(&mut cex);
    cex
}

/// The area of `Steal.tla`.
fn area() -> Area {
    let style = [
        ("idle", "idle"),
        ("try", "busy"),
        ("wait", "wait"),
        ("hold", "hold"),
    ];
    Area {
        name: "steal".to_owned(),
        title: "A lock with a queue where a writer may steal".to_owned(),
        seed: "000_none".to_owned(),
        swimlanes: Layout {
            variables: vec!["pc".to_owned()],
            style: style
                .map(|(value, style)| (value.to_owned(), style.to_owned()))
                .into(),
        },
        columns: Vec::new(),
        headlines: Vec::new(),
        tables: Vec::new(),
        states: None,
        line: 1,
    }
}

/// Its one model.
fn model() -> Model {
    Model {
        name: "Steal-RWW-ReaderProgress".to_owned(),
        area: "steal".to_owned(),
        module: "Steal".to_owned(),
        design: "Steal".to_owned(),
        stands_for: "a lock of this test's own".to_owned(),
        engine: Engine::Tlc,
        lane: Lane::Smoke,
        size: "RWW".to_owned(),
        constants: BTreeMap::new(),
        symbolic: None,
        second_of: None,
        spec: "FairSpec".to_owned(),
        invariants: Vec::new(),
        property: Some("ReaderProgress".to_owned()),
        deadlock: false,
        symmetry: None,
        view: None,
        constraint: None,
        silent: Vec::new(),
        expect: Expect::Violates {
            property: "ReaderProgress".to_owned(),
            kind: Kind::Temporal,
        },
        probe: None,
        follows_from: None,
        kept: Default::default(),
        distinct: None,
        total: None,
        witness: None,
        budget: 60,
        heap: 1500,
        file: "specs/steal/models.toml".to_owned(),
        line: 1,
    }
}

/// Its manifest.
fn manifest(area: Area) -> Manifest {
    Manifest {
        specs: "specs".into(),
        sizes: BTreeMap::new(),
        areas: vec![area],
        modules: Vec::new(),
        models: vec![model()],
        measured: BTreeMap::new(),
        locks: BTreeMap::new(),
    }
}

#[test]
fn all_files_are_written_whole() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let edges = fixture("lasso-emit.edges");
    explain::write_all(
        dir.path(),
        &manifest(area()),
        &model(),
        &recorded(),
        Some(&edges),
    )
    .unwrap();
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["trace.itf.json", "trace.svg", "trace.txt"]);
    assert!(
        read("trace.txt").starts_with("Steal-RWW-ReaderProgress: ReaderProgress is violated\n")
    );
    assert_eq!(itf::from_json(&read("trace.itf.json")).unwrap(), lasso());
    let drawn = std::fs::read_to_string(fixture("lasso.svg")).unwrap();
    assert!(
        read("trace.svg") == drawn,
        "the picture that the drawing's own tests keep"
    );
}

#[test]
fn files_that_cannot_be_written_are_errors_that_name_them() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let gone = dir.path().join("gone");
    let write = |dir: &Path, manifest: &Manifest, edges: Option<&Path>| {
        format!(
            "{:#}",
            explain::write_all(dir, manifest, &model(), &lasso(), edges).expect_err("an error")
        )
    };
    assert!(write(&gone, &manifest(area()), None).contains("trace.txt"));
    assert!(write(dir.path(), &manifest(area()), Some(&gone)).contains("gone"));
    let other = Area {
        name: "other".to_owned(),
        ..area()
    };
    assert!(write(dir.path(), &manifest(other), None).contains("unknown area `steal`"));
    std::fs::create_dir(dir.path().join("trace.txt")).unwrap();
    assert!(write(dir.path(), &manifest(area()), None).contains("trace.txt"));
    assert_eq!(
        std::fs::read_dir(dir.path()).unwrap().count(),
        1,
        "nothing unfinished is left"
    );
}
