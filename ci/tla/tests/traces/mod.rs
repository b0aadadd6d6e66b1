//! Counterexamples that the pinned TLC reports of `Steal.tla`, for the tests that read and draw them. `record.sh` records them
//! again.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::path::{Path, PathBuf};

use interlock_tla::Layout;
use interlock_tla::counterexample::Counterexample;
use interlock_tla::edges::Edges;
use interlock_tla::messages::{Message, Output};

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
    let edges = Edges::read(&fixture("lasso-emit.edges")).unwrap();
    edges.fill_args(&mut cex);
    cex
}

/// How `Steal.tla` is drawn.
pub fn layout() -> Layout {
    let style = [
        ("idle", "idle"),
        ("try", "busy"),
        ("wait", "wait"),
        ("hold", "hold"),
    ];
    Layout {
        variables: vec!["pc".to_owned()],
        style: style
            .map(|(value, style)| (value.to_owned(), style.to_owned()))
            .into(),
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
