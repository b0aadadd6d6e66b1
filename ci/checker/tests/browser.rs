//! The page of a run in a browser: rows of every status, with the pictures and what designs stand for of a protocol.

use std::fs;
use std::path::Path;
use std::time::Duration;

use interlock_browser::{Chromium, View, find};
use interlock_checker::engines::Tools;
use interlock_checker::manifest::Manifest;
use interlock_checker::report::{Asked, Report, Row, State, Status, page};
use interlock_judges::CHROMIUM;

/// A run of every model of `i_rwsem`'s that is as expected but for the first of each other status.
fn report(manifest: &Manifest) -> Report {
    let models = manifest.models.iter().filter(|model| model.area == "rwsem");
    let statuses = Status::ALL
        .into_iter()
        .chain(std::iter::repeat(Status::AsExpected));
    let rows = models.zip(statuses).map(|(model, status)| Row {
        status,
        found: "violates ReaderProgress, and counts 1234567 distinct states".to_owned(),
        sentences: vec!["The reader waits, and each writer overtakes it. ".repeat(4)],
        timeline: Some("      1  w1 takes the lock, and r1 waits for it    ".repeat(4)),
        distinct: Some(1_234_567),
        ..Row::new(model, Duration::from_secs(1))
    });
    let tools = Tools {
        tlc: None,
        apalache: None,
        tla_checker: None,
    };
    let asked = Asked {
        lane: None,
        engine: None,
        areas: vec!["rwsem".to_owned()],
        names: Vec::new(),
        shard: None,
        failed: false,
    };
    let rows: Vec<Row> = rows.collect();
    assert!(rows.len() > 50, "{}", rows.len());
    let start = Report::start(None, Path::new("specs"), asked, 2, &tools, rows.clone());
    start.end(State::Complete, Duration::from_secs(60), rows)
}

/// What is said to be shown of the run before a name is asked for, and then.
const FILTER: &str = "(() => {
    const shown = document.querySelector('#shown');
    const before = shown.textContent;
    const word = document.querySelector('input[name=word]');
    const names = [...document.querySelectorAll('section tr')].map((row) => row.dataset.model ?? '');
    word.value = names.reduce((longest, name) => (name.length > longest.length ? name : longest));
    word.dispatchEvent(new Event('input', { bubbles: true }));
    return `${before}, ${shown.textContent}`;
})()";

#[test]
fn the_page_of_a_run_is_sound() {
    let program = find();
    if !CHROMIUM.is_here(program.as_ref()) {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manifest = Manifest::load(&root.join("specs")).expect("the claims");
    let report = report(&manifest);
    let text = page::text(&report, &manifest, &root).expect("a page");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.html");
    fs::write(&file, text).expect("the page");
    let mut chromium = Chromium::start(&program.expect("Chromium")).expect("a browser");
    for view in View::EACH {
        let faults = chromium.faults(&file, &view).expect("an answer");
        assert!(faults.is_empty(), "{view}: {}", faults.join("\n"));
    }

    let shown = chromium
        .evaluate(&file, &View::EACH[0], FILTER)
        .expect("an answer");
    let count = report.rows.len();
    assert_eq!(
        shown,
        format!("{count} of {count} claims, 1 of {count} claims")
    );
}
