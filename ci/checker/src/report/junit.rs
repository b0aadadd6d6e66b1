//! The report for machines that know JUnit's: a suite an area, a case a model.

use std::time::Duration;

use anyhow::{Context, Result};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use super::{Report, Row, Status};

pub(super) fn text(report: &Report) -> Result<String> {
    let mut junit = quick_junit::Report::new("interlock check");
    junit.set_time(Duration::from_secs_f64(report.seconds));
    // Areas may alternate in the manifest; each has one suite, where it comes first.
    let mut areas: Vec<&str> = Vec::new();
    for row in &report.rows {
        if !areas.contains(&row.area.as_str()) {
            areas.push(&row.area);
        }
    }
    for area in areas {
        let mut suite = TestSuite::new(area);
        for row in report.rows.iter().filter(|row| row.area == area) {
            let mut case = TestCase::new(row.model.as_str(), status(row));
            case.set_classname(format!("{area}.{}", row.design))
                .set_time(Duration::from_secs_f64(row.seconds));
            suite.add_test_case(case);
        }
        junit.add_test_suite(suite);
    }
    junit.to_string().context("the JUnit report cannot be made")
}

fn status(row: &Row) -> TestCaseStatus {
    let kind = match row.status {
        Status::AsExpected => return TestCaseStatus::success(),
        Status::NotRun | Status::NotJudged => {
            let mut status = TestCaseStatus::skipped();
            let why = [row.found.clone(), row.sentences.join("; ")];
            status.set_message(why.join(": ").trim_end_matches(": "));
            return status;
        }
        Status::Unexpected => NonSuccessKind::Failure,
        Status::Inconclusive | Status::Error => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    let timeline = row.timeline.as_deref().unwrap_or_default();
    status
        .set_type(&row.found)
        .set_message(row.sentences.join("; "))
        .set_description(timeline);
    status
}
