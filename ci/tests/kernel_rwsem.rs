//! `interlock validate rwsem` of recorded kernel traces: they are accepted, edited ones refused, each with its reason.

mod recorded;
mod runner;

use std::collections::BTreeMap;
use std::path::Path;

use assert_cmd::assert::OutputAssertExt as _;
use interlock::rwsem::policy::Policy;
use interlock_traces::kernel::Reading;
use interlock_traces::recording::Trace;
use interlock_traces::validate;
use interlock_traces::validate::protocol::Protocol;
use interlock_traces::validate::search::Found;
use predicates::str::contains;
use recorded::{at, lines, path, written};
use runner::{interlock, temp, tools};

/// The traces of `Rwsem` that are in a file.
fn traces(path: &Path) -> anyhow::Result<Vec<Trace>> {
    let reading = Reading {
        kernel: Some("6.18".into()),
        ..Reading::default()
    };
    let mut traces = Vec::new();
    validate::read("rwsem", path, &reading, &mut |trace| {
        traces.push(trace);
        Ok(())
    })?;
    Ok(traces)
}

/// Why these lines are refused, on the machine.
fn refusal(lines: &[String]) -> Option<String> {
    let (_dir, file) = written(lines);
    let traces = match traces(&file) {
        Ok(traces) => traces,
        Err(error) => return Some(format!("{error:#}")),
    };
    traces.iter().find_map(|trace| {
        let protocol = Protocol::of("rwsem", trace).expect("the protocol");
        match protocol.search(trace).expect("it is read") {
            Found::Accepted => None,
            Found::Refused(refusal) => {
                let why = refusal
                    .next
                    .into_iter()
                    .map(|(place, why)| format!("{}: {why}", trace.events[place].show()));
                Some(why.chain(refusal.states).collect::<Vec<_>>().join("\n"))
            }
            Found::TooWide => Some("too wide".into()),
        }
    })
}

/// An event's line: who and where, the time, what.
fn parts(line: &str) -> Option<(&str, &str, &str)> {
    let (before, what) = line.split_once(": ")?;
    let (who, time) = before.rsplit_once(' ')?;
    (!line.starts_with('#')).then_some((who, time, what))
}

/// What must be said of the trace after the edit.
fn refused(lines: &[String], says: &[&str]) {
    let refusal = refusal(lines).expect("it is to be refused");
    for says in says {
        assert!(refusal.contains(says), "no `{says}` in {refusal}");
    }
}

/// The trace with the clock `counter`, whose times are numbers.
fn counted() -> Vec<String> {
    lines("iii_xfs_4r4w_cold_counterclock")
}

/// Where the line of a number is.
fn numbered(lines: &[String], number: u32) -> usize {
    let stamp = format!(" {number}: ");
    let found = lines.iter().position(|line| line.contains(&stamp));
    found.expect("an event of this number")
}

/// The line goes to the front of another one, and has its time.
fn shift(lines: &mut Vec<String>, from: u32, to: u32) {
    let line = lines.remove(numbered(lines, from));
    let to = numbered(lines, to);
    lines.insert(to, at(&line, &lines[to]));
}

/// What `interlock validate` prints of a recorded trace.
fn validate(name: &str, options: &[&str], accepted: &[&str]) {
    let dir = temp();
    let mut command = interlock();
    command.args(["validate", "rwsem", "--at-rest", "--kernel", "6.18"]);
    command
        .args(options)
        .arg(path(name))
        .arg("--out")
        .arg(dir.path());
    let mut run = command.assert().code(0);
    for accepted in accepted {
        run = run.stdout(contains(*accepted));
    }
}

#[test]
fn recorded_traces_are_behaviours() {
    tools();
    for (name, accepted) in [
        (
            "ii_xfs_hole_1024",
            ":30: accepted by the machine and TLC, 181 events",
        ),
        (
            "iii_xfs_4r4w_64k_warm",
            ":27: accepted by the machine and TLC, 467 events",
        ),
        (
            "iii_xfs_4r4w_cold",
            ":28: accepted by the machine and TLC, 976 events",
        ),
        (
            "iii_xfs_demote",
            ":20: accepted by the machine and TLC, 19 events",
        ),
    ] {
        validate(name, &[], &[accepted]);
    }
    // More of the same, without a JVM's time.
    for (name, accepted) in [
        (
            "ii_xfs_written_1024",
            &[":31: accepted by the machine, 99 events"][..],
        ),
        (
            "iii_xfs_4r4w_cold_counterclock",
            &[":30: accepted by the machine, 924 events"],
        ),
        (
            "iii_xfs_4r4w_warm",
            &[
                ":31: accepted by the machine, 501 events",
                ":1053: accepted by the machine, 219 events",
            ],
        ),
    ] {
        validate(name, &["--machine-only"], accepted);
    }
}

/// Two writers inside: w1 (task 2 at the lock) is seen to write while w0 does, and then where w0 may have released the lock.
#[test]
fn two_writers_at_once_are_refused() {
    let mut lines = counted();
    shift(&mut lines, 2004, 2003);
    assert_eq!(refusal(&lines), None);
    let mut lines = counted();
    shift(&mut lines, 2004, 2001);
    refused(
        &lines,
        &["Enter or Steal(w3) of t3: it is not enabled", "w1 Hold"],
    );
}

/// r4 queues behind two writers, and has the lock before them.
#[test]
fn a_reader_before_its_turn_is_refused() {
    let mut lines = counted();
    shift(&mut lines, 2557, 2547);
    refused(
        &lines,
        &["is woken by task 10605, which neither has nor takes it"],
    );
    let mut lines = counted();
    for number in 2557..=2559 {
        lines.remove(numbered(&lines, number));
    }
    shift(&mut lines, 2581, 2547);
    refused(&lines, &["r6 is \"wait\", and was seen as \"hold\""]);
}

/// w2 queues before w3 and gets the lock before it: not if they come the other way round.
#[test]
fn the_order_of_requests_is_the_order_of_grants() {
    let mut lines = counted();
    for number in 2026..=2031 {
        let place = numbered(&lines, number);
        let (w2, w3, none) = ("wl-w2-10605", "wl-w3-10606", "wl-w9-99999");
        let exchanged = lines[place]
            .replace(w2, none)
            .replace(w3, w2)
            .replace(none, w3);
        lines[place] = exchanged;
    }
    refused(
        &lines,
        &["w5 is \"wait\", and was seen as \"try\"", "queue w4 w5 "],
    );
}

/// r4, r5 and r6 are granted the lock in one step. Without all that r4 does after that, until it waits again, it is left out.
#[test]
fn a_reader_that_is_left_out_of_its_batch_is_refused() {
    let mut lines = counted();
    lines.retain(|line| {
        let number = parts(line).and_then(|(_, time, _)| time.parse().ok());
        let is_within = number.is_some_and(|number| (2487..=2523).contains(&number));
        !(is_within && line.contains("wl-r4"))
    });
    refused(
        &lines,
        &["Enter or Steal(r8) of t8: it is not enabled", "r6 Hold"],
    );
}

/// w0 waits at the head and is woken again and again, while r7 takes the lock past it: with more time between two of them its time is
/// up, the next time it demands the lock, and nobody may take it before w0.
#[test]
fn a_steal_after_the_hand_off_is_refused() {
    let lines = lines("iii_xfs_4r4w_64k_warm");
    let later = |(place, line): (usize, &String)| match parts(line) {
        Some((who, time, what)) if place + 1 >= 459 => {
            let (seconds, fraction) = time.split_once('.').expect("a time");
            let seconds: u64 = seconds.parse().expect("a number");
            format!("{who} {}.{fraction}: {what}", seconds + 1)
        }
        _ => line.clone(),
    };
    let lines: Vec<String> = lines.iter().enumerate().map(later).collect();
    refused(
        &lines,
        &[
            "Enter or Steal(r2) of t2: it is not enabled",
            "expired, handoff",
        ],
    );
}

/// What is missing or cannot be is told with its line.
#[test]
fn incomplete_traces_are_told() {
    let edited = |number: u32, edit: &dyn Fn(&str) -> Option<String>| {
        let mut lines = counted();
        let place = numbered(&lines, number);
        match edit(&lines[place]) {
            Some(line) => lines[place] = line,
            None => drop(lines.remove(place)),
        }
        lines
    };
    let replaced = |number, from: &'static str, to: &'static str| {
        edited(number, &|line: &str| Some(line.replace(from, to)))
    };
    for (lines, says) in [
        (
            counted().split_off(50),
            "task 10603 releases it, and was not seen to take it",
        ),
        (
            edited(2003, &|_| None),
            "task 10603 takes it, and has it or waits for it already",
        ),
        (
            edited(1999, &|_| None),
            "task 10604 releases it, and was not seen to take it",
        ),
        (
            edited(2040, &|_| None),
            "task 10610, which waits for it, is woken by task 14",
        ),
        (
            edited(2022, &|_| None),
            "a task waits for the IOLOCK of dev 7:0 ino 0x83, and no xfs_ilock of it",
        ),
        (
            replaced(2003, "EXCL", "SHARED"),
            "task 10603 releases it for reading and has it for writing",
        ),
        (
            replaced(2003, "0x83", "0x84"),
            "ino 0x84: task 10603 releases it",
        ),
        (
            replaced(2040, "ret=0", "ret=-4"),
            "a task gives up its wait for the lock (ret=-4)",
        ),
        (
            replaced(2017, "wl-w0-10603", "wl-r4-10607"),
            "is woken by task 10607, which neither has nor takes it",
        ),
    ] {
        refused(&lines, &["edited.txt:", says]);
    }
    let mut lines = counted();
    for number in [2040, 2047, 2048] {
        lines.remove(numbered(&lines, number));
    }
    refused(&lines, &["task 10610 releases it, and still waits for it"]);
    refused(
        &recorded::lines("iii_xfs_demote")[..14],
        &["no xfs_ilock of an IOLOCK is in it"],
    );
}

/// Twelve designs of `RwsemPolicies.tla` do not behave as this kernel did. Of those that may have: a reader that steals on arrival may
/// have spun before, and who spins is not seen, so neither is a wake-up that is skipped for it.
#[test]
fn other_designs_are_refused() {
    let (_dir, file) = written(&counted());
    let mut trace = traces(&file).expect("it is read").remove(0);
    let mut by = Vec::new();
    for (policy, _) in Policy::NAMED {
        trace
            .head
            .constants
            .insert("Policy".into(), format!("<- {policy}"));
        let protocol = Protocol::of("rwsem", &trace).expect("the protocol");
        if protocol.search(&trace).expect("it is read") == Found::Accepted {
            by.push(policy);
        }
    }
    assert_eq!(by, ["ReaderSpin53", "Handoff511", "HandoffWakeSkip"]);
    assert_eq!(Policy::NAMED.len(), 12 + by.len());
}

/// Every line of the lock left out, one at a time, and how many of these traces are refused.
#[test]
fn lines_that_are_left_out() {
    let lines = lines("iii_xfs_4r4w_64k_warm");
    let mut refused = BTreeMap::new();
    for (place, line) in lines.iter().enumerate() {
        let Some((_, _, what)) = parts(line) else {
            continue;
        };
        let (name, rest) = what.split_once(':').expect("an event");
        if !(rest.contains("IOLOCK") || rest.contains("33f3c0d2") || name == "sched_waking") {
            continue;
        }
        let mut edited = lines.clone();
        edited.remove(place);
        let figures: &mut (u32, u32) = refused.entry(name).or_default();
        figures.0 += u32::from(refusal(&edited).is_some());
        figures.1 += 1;
    }
    let expected = [
        ("contention_begin", (47, 47)),
        ("contention_end", (47, 47)),
        ("sched_waking", (0, 62)),
        ("xfs_ilock", (128, 128)),
        // Without the last one it is a trace that ends earlier.
        ("xfs_iunlock", (127, 128)),
    ];
    assert_eq!(refused, expected.into());
}
