//! Recorded traces of kernels, as lines that tests edit.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::fs;
use std::io::BufRead as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;
use interlock_traces::kernel::{self, Reading, projections, text};
use interlock_traces::recording::Trace;
use interlock_traces::validate::protocol::Protocol;
use interlock_traces::validate::search::Found;
use tempfile::TempDir;

use crate::runner::{root, temp};

/// The file of a recorded trace.
pub fn path(name: &str) -> PathBuf {
    root().join(format!("tests/kernel/{name}.txt.gz"))
}

/// Its lines.
pub fn lines(name: &str) -> Vec<String> {
    let text = text::open(&path(name)).expect("a recorded trace");
    text.lines().map(|line| line.expect("a line")).collect()
}

/// The lines as a file, which is there as long as its folder.
pub fn written(lines: &[String]) -> (TempDir, PathBuf) {
    let dir = temp();
    let file = dir.path().join("edited.txt");
    fs::write(&file, lines.join("\n") + "\n").expect("a file");
    (dir, file)
}

/// What the machine says of a file: why it refuses it, by this policy, if it is not to be the kernel's; or nothing.
pub fn judge(
    area: &str,
    path: &Path,
    reading: &Reading,
    policy: Option<&str>,
) -> Result<Vec<String>> {
    let mut refused = Vec::new();
    let mut each = |mut trace: Trace| {
        if let Some(policy) = policy {
            let constants = &mut trace.head.constants;
            constants.insert("Policy".to_owned(), format!("<- {policy}"));
        }
        match Protocol::of(area, &trace)?.search(&trace)? {
            Found::Accepted => {}
            Found::Refused(refusal) => {
                let why = refusal.next.iter().map(|(place, why)| {
                    let event = &trace.events[*place];
                    let line = trace.lines[*place];
                    format!("{line}: {}({}): {why}", event.action, event.args.join(", "))
                });
                refused.extend(why);
                // One that nothing can follow.
                refused.push(format!("after {}", refusal.fit));
            }
            Found::TooWide => refused.push("too wide".to_owned()),
        }
        Ok(())
    };
    kernel::read(path, reading, projections::of_area(area)?, &mut each)?;
    Ok(refused)
}

/// The place of the `nth` event, from 0, whose line has all these parts.
pub fn find(lines: &[String], nth: usize, parts: &[&str]) -> usize {
    let has = |place: &usize| {
        let line = &lines[*place];
        !line.starts_with('#') && parts.iter().all(|part| line.contains(part))
    };
    let found = (0..lines.len()).filter(has).nth(nth);
    found.unwrap_or_else(|| panic!("no line {nth} with {parts:?}"))
}

/// In the `nth` line with these parts, one text for another.
pub fn put(lines: &mut [String], nth: usize, parts: &[&str], from: &str, to: &str) {
    let place = find(lines, nth, parts);
    let edited = lines[place].replacen(from, to, 1);
    assert_ne!(edited, lines[place], "{from}");
    lines[place] = edited;
}

/// Where the line of an event has its time.
fn time(line: &str) -> Range<usize> {
    let end = line.find(": ").expect("a time");
    let start = line[..end].rfind(' ').expect("a time") + 1;
    start..end
}

/// The event of a line at the time of another one.
pub fn at(line: &str, now: &str) -> String {
    let mut line = line.to_owned();
    line.replace_range(time(&line), &now[time(now)]);
    line
}

/// Two events change places; the times stay.
pub fn swap(lines: &mut [String], a: usize, b: usize) {
    (lines[a], lines[b]) = (at(&lines[b], &lines[a]), at(&lines[a], &lines[b]));
}
