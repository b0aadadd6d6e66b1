//! The report of a check that ran elsewhere, which is drawn as a page.

use std::cell::LazyCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use interlock_checker::engines::Tools;
use interlock_checker::manifest::Manifest;
use interlock_checker::report::last::Last;
use interlock_checker::report::{Asked, Report, Row, State, Status, page};
use tempfile::TempDir;

use crate::{Target, root};

use super::names;

/// The bytes are `report.json`.
pub const TARGET: Target = Target {
    name: "report",
    read,
    seeds,
};

static MANIFEST: LazyLock<Manifest> =
    LazyLock::new(|| Manifest::load(&root().join("specs")).expect("the project's own"));

thread_local! {
    static OUT: LazyCell<(TempDir, PathBuf)> = LazyCell::new(|| {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = dir.path().join("report.json");
        (dir, file)
    });
}

fn read(bytes: &[u8]) {
    OUT.with(|out| {
        let (dir, file) = (out.0.path(), &out.1);
        fs::write(file, bytes).expect("there is room");
        let last = Last::read(dir);
        match Report::read(dir) {
            Err(error) => names(&error, "report.json"),
            Ok(report) => {
                // A text of the report's is no part of the page's code.
                let page =
                    page::text(&report, &MANIFEST, Path::new("")).expect("it has no picture");
                assert_eq!(page.matches("<script").count(), 1, "{page}");
                match last {
                    Err(error) => assert!(report.state == State::Running, "{error:#}"),
                    Ok(last) => {
                        let all = report.rows.iter();
                        assert!(
                            last.failed()
                                .into_iter()
                                .all(|name| all.clone().any(|row| row.model == name))
                        );
                    }
                }
            }
        }
    });
}

/// A report of rows of each status, whose texts are to be no part of a page.
fn seeds() -> Vec<Vec<u8>> {
    let statuses = [
        Status::AsExpected,
        Status::Unexpected,
        Status::Inconclusive,
        Status::Error,
    ];
    let rows = MANIFEST
        .models
        .iter()
        .step_by(97)
        .zip(statuses.iter().cycle());
    let judged = rows.map(|(model, status)| Row {
        status: *status,
        found: "violates <script> & more".to_owned(),
        sentences: vec!["expected: holds; tlc found: violates <script>".to_owned()],
        timeline: (*status == Status::Unexpected).then(|| "<script> | hold".to_owned()),
        distinct: Some(12),
        ..Row::new(model, Duration::from_millis(1500))
    });
    let first = &MANIFEST.models[0];
    let others = [
        Row::not_run(first, "there is no <script>"),
        Row::not_judged(first),
    ];
    let rows: Vec<Row> = judged.take(6).chain(others).collect();
    let asked = Asked {
        lane: None,
        engine: None,
        areas: vec!["rwsem".to_owned()],
        names: Vec::new(),
        shard: Some("1/3".to_owned()),
        failed: false,
    };
    let tools = Tools {
        tlc: None,
        apalache: None,
        tla_checker: None,
    };
    let start = Report::start(None, Path::new("specs"), asked, 2, &tools, Vec::new());
    let report = Report {
        started: "2026-01-01T10:00:00Z".to_owned(),
        ..start
    };
    let out = tempfile::tempdir().expect("a temporary folder");
    let states = [State::Complete, State::Running, State::Stopped];
    let seed = |state| {
        let end = report
            .clone()
            .end(state, Duration::from_secs(60), rows.clone());
        end.write(out.path()).expect("there is room");
        fs::read(out.path().join("report.json")).expect("it is written")
    };
    states.map(seed).into()
}
