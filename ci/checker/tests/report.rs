//! A check's reports say the same, row by row.

mod manifests;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use interlock_checker::engines::Tools;
use interlock_checker::manifest::Engine;
use interlock_checker::report::last::Last;
use interlock_checker::report::{Asked, Report, Row, State, Status, console, page};
use manifests::Copy;

/// Rows of every status, in two areas that alternate, with what a format may have to escape.
fn rows() -> Vec<Row> {
    let manifest = Copy::clean().manifest();
    let rows = manifest.models.iter().enumerate().map(|(index, model)| {
        let mut row = match Status::ALL[index % Status::ALL.len()] {
            Status::NotRun => Row::not_run(model, "there is no <engine> | here"),
            Status::NotJudged => Row::not_judged(model),
            status => Row {
                status,
                found: format!("violates A|B<{index}>"),
                sentences: vec![format!("expected: \"this\" & found: that | {index}")],
                distinct: Some(100 + index as u64),
                ..Row::new(model, Duration::from_millis(1_000 + 100 * index as u64))
            },
        };
        row.area = ["one", "two"][index % 2].to_owned();
        row
    });
    rows.collect()
}

fn report(state: State, failed: bool, rows: Vec<Row>) -> Report {
    let asked = Asked {
        lane: None,
        engine: None,
        areas: Vec::new(),
        names: vec!["demo".into()],
        shard: Some("2/3".into()),
        failed,
    };
    let tools = Tools {
        tlc: None,
        apalache: None,
        tla_checker: None,
    };
    let start = Report::start(None, Path::new("specs"), asked, 3, &tools, rows.clone());
    start.end(state, Duration::from_secs(60), rows)
}

fn read(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).expect("a report")
}

fn json(dir: &Path) -> serde_json::Value {
    serde_json::from_str(&read(dir, "report.json")).expect("JSON")
}

/// What a format says of a row: whether it is as it should be, and the verdict found unless it is.
type Told = BTreeMap<String, (String, String)>;

fn word(status: Status) -> &'static str {
    match status {
        Status::AsExpected => "passed",
        Status::Unexpected => "failed",
        Status::Inconclusive | Status::Error => "error",
        Status::NotRun | Status::NotJudged => "skipped",
    }
}

fn told(rows: &[Row]) -> Told {
    let told = rows.iter().map(|row| {
        let found = match row.status {
            Status::AsExpected => "as expected".to_owned(),
            _ => row.found.clone(),
        };
        (row.model.clone(), (word(row.status).to_owned(), found))
    });
    told.collect()
}

fn told_by_json(dir: &Path) -> Told {
    let json = json(dir);
    let rows = json["models"].as_array().expect("models").iter();
    let told = rows.map(|row| {
        let text = |key: &str| row[key].as_str().expect("a text").to_owned();
        let status: Status = serde_json::from_value(row["status"].clone()).expect("a status");
        let found = match status {
            Status::AsExpected => "as expected".to_owned(),
            _ => text("found"),
        };
        (text("model"), (word(status).to_owned(), found))
    });
    told.collect()
}

/// Panics at a model that is there twice.
fn told_by_junit(dir: &Path) -> Told {
    let text = read(dir, "report.xml");
    let xml = roxmltree::Document::parse(&text).expect("XML");
    let cases = xml
        .descendants()
        .filter(|node| node.has_tag_name("testcase"));
    let mut told = Told::new();
    for case in cases {
        let child = |name: &str| case.children().find(|child| child.has_tag_name(name));
        let status = ["failure", "error", "skipped"].map(|name| (name, child(name)));
        let (word, found) = match status {
            [(_, Some(failure)), ..] => ("failed", failure.attribute("type")),
            [_, (_, Some(error)), _] => ("error", error.attribute("type")),
            [.., (_, Some(skipped))] => (
                "skipped",
                skipped
                    .attribute("message")
                    .and_then(|message| message.split(':').next()),
            ),
            _ => ("passed", Some("as expected")),
        };
        let name = case.attribute("name").expect("a name").to_owned();
        let found = found.expect("the verdict found").to_owned();
        let twice = told.insert(name, (word.to_owned(), found));
        assert_eq!(twice, None);
    }
    told
}

/// The cells of the last table.
fn cells_of_markdown(dir: &Path) -> Vec<Vec<String>> {
    let text = read(dir, "report.md");
    let (_, table) = text.split_once("### Every model\n\n").expect("the table");
    let lines = table
        .lines()
        .take_while(|line| line.starts_with('|'))
        .skip(2);
    let cells = lines.map(|line| {
        let line = line.replace("\\|", "\u{1}");
        let cells = line.trim_matches('|').split('|');
        cells
            .map(|cell| cell.trim().replace('\u{1}', "|"))
            .collect()
    });
    cells.collect()
}

fn cells_of_console(text: &str) -> Vec<Vec<String>> {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix('│'))
        .skip(1);
    // Two spaces at least are between columns, and one at most within a cell.
    let cells = lines.map(|line| {
        let line = line.trim_end_matches('│').trim();
        let cells = line.split("  ").map(str::trim);
        cells
            .filter(|cell| !cell.is_empty())
            .map(str::to_owned)
            .collect()
    });
    cells.collect()
}

#[test]
fn all_four_have_the_same_rows() {
    let dir = tempfile::tempdir().expect("a directory");
    let rows = rows();
    let report = report(State::Interrupted, false, rows.clone());
    report.write(dir.path()).expect("the reports");
    let told = told(&rows);
    assert_eq!(told.len(), rows.len());
    assert_eq!(told_by_json(dir.path()), told);
    assert_eq!(told_by_junit(dir.path()), told);
    let markdown = cells_of_markdown(dir.path());
    let console = console::text(&report, Path::new("m"), Path::new("out"), true);
    let console = cells_of_console(&console);
    assert_eq!((markdown.len(), console.len()), (rows.len(), rows.len()));
    for ((row, of_markdown), of_console) in rows.iter().zip(&markdown).zip(&console) {
        let model: &[String] = &[
            row.model.clone(),
            row.expected.clone(),
            told[&row.model].1.clone(),
        ];
        assert_eq!(&of_markdown[..3], model);
        assert_eq!(&of_console[..3], model);
        let filled = of_markdown.iter().filter(|cell| !cell.is_empty());
        assert_eq!(
            filled.collect::<Vec<_>>(),
            of_console.iter().collect::<Vec<_>>()
        );
    }
}

#[test]
fn junit_has_each_area_and_each_model_once() {
    let dir = tempfile::tempdir().expect("a directory");
    let rows = rows();
    let report = report(State::Complete, false, rows.clone());
    report.write(dir.path()).expect("the reports");
    let text = read(dir.path(), "report.xml");
    let xml = roxmltree::Document::parse(&text).expect("XML");
    let suites = xml
        .descendants()
        .filter(|node| node.has_tag_name("testsuite"));
    let suites: Vec<_> = suites.filter_map(|suite| suite.attribute("name")).collect();
    assert_eq!(suites, ["one", "two"]);
    let all = xml.root_element();
    let counts = ["tests", "failures", "errors", "skipped"].map(|name| all.attribute(name));
    assert_eq!(counts, [Some("9"), Some("2"), Some("3"), Some("2")]);
}

#[test]
fn json_has_numbers_a_version_and_what_a_row_is() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut rows = rows();
    rows[4].engine = Engine::Apalache;
    let report = report(State::Complete, false, rows);
    report.write(dir.path()).expect("the reports");
    let json = json(dir.path());
    assert_eq!(json["schema"], 2);
    assert_eq!(json["state"], "complete");
    assert_eq!(json["jobs"], 3);
    assert_eq!(json["request"]["shard"], "2/3");
    assert!(
        json["started"]
            .as_str()
            .is_some_and(|started| started.ends_with('Z'))
    );
    let counts = serde_json::json!({
        "as_expected": 2, "unexpected": 2, "inconclusive": 2, "error": 1, "not_run": 1, "not_judged": 1,
    });
    assert_eq!(json["counts"], counts);
    let unchecked = serde_json::json!([
        { "engine": "tlc", "claim": "violation", "claims": 1 },
        { "engine": "apalache", "claim": "violation", "claims": 1 },
    ]);
    assert_eq!(json["unchecked"], unchecked);
    let first = &json["models"][0];
    let part = [
        "engine", "lane", "budget", "claim", "status", "distinct", "seconds",
    ];
    let part = part.map(|key| first[key].clone());
    let budget = report.rows[0].budget;
    let wanted = serde_json::json!(["tlc", "smoke", budget, "safety", "as-expected", 100, 1.0]);
    assert_eq!(serde_json::Value::from(part.to_vec()), wanted);
}

#[test]
fn the_most_expensive_are_listed() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut rows = rows();
    rows[0].cpu = 30.0;
    let report = report(State::Complete, false, rows);
    report.write(dir.path()).expect("the reports");
    let expensive: Vec<&str> = report
        .most_expensive()
        .iter()
        .map(|row| row.model.as_str())
        .collect();
    assert_eq!(expensive.len(), 7, "those that ran");
    let first = [0, 8].map(|row: usize| report.rows[row].model.as_str());
    assert_eq!(expensive[..2], first, "CPU time, else wall time");
    assert_eq!(
        json(dir.path())["most_expensive"],
        serde_json::json!(expensive)
    );
}

#[test]
fn quiet_shows_what_differs_and_ends_with_what_was_not_checked() {
    let text = |rows: Vec<Row>| {
        let report = report(State::Complete, false, rows);
        console::text(&report, Path::new("m"), Path::new("out"), false)
    };
    let all = rows();
    let shown = text(all.clone());
    for row in &all {
        let is_shown = shown.contains(&format!("\n{}\n", row.model));
        assert_eq!(is_shown, row.status.is_fault(), "{}: {shown}", row.model);
    }
    assert_eq!(
        shown.lines().last(),
        Some("NOT CHECKED: 2 of 9 claims (tlc: 2 violation)")
    );
    let well: Vec<Row> = all
        .into_iter()
        .filter(|row| row.status == Status::AsExpected)
        .collect();
    assert_eq!(
        text(well),
        "\nThe whole report is out/report.md, .json and .xml\n2 as expected, 0 not, 0 inconclusive, 0 errors\n"
    );
}

/// What `--failed` runs after a run that came so far.
fn failed(state: State, of_failed: bool) -> Result<Vec<String>, String> {
    let dir = tempfile::tempdir().expect("a directory");
    let report = report(state, of_failed, rows());
    match state {
        State::Running => report.announce(dir.path()).expect("the report"),
        _ => report.write(dir.path()).expect("the reports"),
    }
    let last = Last::read(dir.path()).map_err(|error| error.to_string())?;
    Ok(last.failed().into_iter().map(str::to_owned).collect())
}

#[test]
fn the_last_run_s_failures_are_those_it_judged() {
    let named = |wanted: &dyn Fn(Status) -> bool| {
        let rows = rows();
        let rows = rows.iter().filter(|row| wanted(row.status));
        let mut names: Vec<String> = rows.map(|row| row.model.clone()).collect();
        names.sort();
        Ok(names)
    };
    let faults = named(&Status::is_fault);
    assert_eq!(failed(State::Complete, false), faults);
    assert_eq!(failed(State::Interrupted, false), faults);
    // What a run of `--failed` did not get to is not known to be mended.
    let unknown = named(&|status| status.is_fault() || status == Status::NotJudged);
    assert_eq!(failed(State::Interrupted, true), unknown);
    assert_eq!(failed(State::Running, true), unknown);
    let killed = failed(State::Running, false).expect_err("it was killed");
    assert!(
        killed.contains("was killed before it could say what failed"),
        "{killed}"
    );
}

#[test]
fn no_report_or_another_s_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let error = || Last::read(dir.path()).expect_err("no report").to_string();
    assert!(
        error().contains("there is no report of a last run"),
        "{}",
        error()
    );
    for (text, told) in [
        ("{", "is not a report"),
        ("{}", "is of another version of interlock"),
        ("{\"schema\": 1}", "is of another version of interlock"),
        ("{\"schema\": 2}", "is not a report"),
    ] {
        fs::write(dir.path().join("report.json"), text).expect("a file");
        assert!(error().contains(told), "{text}: {}", error());
    }
}

#[test]
fn a_run_that_is_killed_leaves_nothing_that_looks_like_its_result() {
    let dir = tempfile::tempdir().expect("a directory");
    let earlier = report(State::Complete, false, rows());
    earlier.write(dir.path()).expect("the reports");
    let manifest = Copy::clean().manifest();
    let rows = manifest.models.iter().map(Row::not_judged).collect();
    let next = report(State::Running, false, rows);
    next.announce(dir.path()).expect("the report");
    let json = json(dir.path());
    assert_eq!(
        (&json["state"], &json["counts"]["not_judged"]),
        (&"running".into(), &9.into())
    );
    assert!(!dir.path().join("report.xml").exists());
    assert!(!dir.path().join("report.md").exists());
}

/// What is written is read back, and the page has all of it, needs nothing beside it, and takes nothing for markup.
#[test]
fn the_page_has_every_row_and_nothing_from_elsewhere() {
    let copy = Copy::clean();
    let manifest = copy.manifest();
    let mut rows = rows();
    for row in &mut rows {
        row.area = manifest.areas[0].name.clone();
    }
    let out = tempfile::tempdir().expect("a directory");
    let missing = Report::read(out.path()).expect_err("there is none");
    assert!(format!("{missing:#}").contains("run `interlock check` first"));
    report(State::Stopped, false, rows.clone())
        .write(out.path())
        .expect("it is written");
    let read = Report::read(out.path()).expect("it is read");
    let page = page::text(&read, &manifest, out.path()).expect("a page");
    for row in &rows {
        let named = format!("data-model=\"{}\"", row.model);
        assert!(page.contains(&named), "{} is not there", row.model);
    }
    for text in [
        "there is no &lt;engine&gt; | here",
        "STOPPED at the first model",
        "NOT CHECKED: ",
        "shard 2/3",
    ] {
        assert!(page.contains(text), "{text} is not there");
    }
    for text in ["<engine>", "http:", "https:", " src=", "@import"] {
        assert!(!page.contains(text), "the page has {text}");
    }
}
