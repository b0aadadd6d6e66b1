//! Counterexamples that the pinned TLC reports of `Steal.tla`, for the tests that read and draw them. `record.sh` records them
//! again.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interlock_ci::counterexample::Counterexample;
use interlock_ci::edges::Edges;
use interlock_ci::manifest::{Area, Engine, Expect, Kind, Lane, Manifest, Model};
use interlock_ci::messages::{Message, Output};

/// The recorded counterexamples.
pub const RECORDED: [&str; 7] = [
    "lasso",
    "lasso-emit",
    "stuttering",
    "invariant",
    "action",
    "deadlock",
    "initial-invariant",
];

/// A file of `traces/`.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/traces")
        .join(name)
}

/// A recorded counterexample.
pub fn recorded(name: &str) -> Counterexample {
    let output = std::fs::read_to_string(fixture(&format!("{name}.out"))).unwrap();
    Counterexample::from_messages(&Output::parse(&output).messages)
        .unwrap()
        .expect(name)
}

/// The starvation lasso, with its steps' arguments.
pub fn lasso() -> Counterexample {
    let mut cex = recorded("lasso-emit");
    cex.fill_args(&Edges::read(&fixture("lasso-emit.edges")).unwrap());
    cex
}

/// The area of `Steal.tla`.
pub fn area() -> Area {
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
        lanes: vec!["pc".to_owned()],
        style: style
            .map(|(value, style)| (value.to_owned(), style.to_owned()))
            .into(),
        columns: Vec::new(),
        headlines: Vec::new(),
        line: 1,
    }
}

/// Its one model.
pub fn model() -> Model {
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
        distinct: None,
        total: None,
        witness: None,
        budget: 60,
        heap: 1500,
        line: 1,
    }
}

/// Its manifest.
pub fn manifest(area: Area) -> Manifest {
    Manifest {
        path: "specs/manifest.toml".into(),
        sizes: BTreeMap::new(),
        areas: vec![area],
        modules: Vec::new(),
        models: vec![model()],
    }
}

/// A message of TLC's, a state.
pub fn message(code: u32, body: &str) -> Message {
    Message {
        code,
        severity: 4,
        body: body.to_owned(),
    }
}

/// Compares with the committed text; `UPDATE_SNAPSHOTS=1` writes it instead.
pub fn assert_snapshot(name: &str, text: &str) {
    let path = fixture(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "{name} differs (UPDATE_SNAPSHOTS=1 writes it); now:\n{text}"
    );
}
