//! Direct writes of a running kernel: the recorded ones are behaviours of `UnalignedDio`, edited ones are not.

mod recorded;
mod runner;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use assert_cmd::assert::OutputAssertExt;
use interlock_traces::kernel::Reading;
use predicates::prelude::*;
use predicates::str::contains;
use recorded::{find, lines, path, put, swap, written};
use runner::{interlock, temp, tools};

/// The recorded traces.
const RECORDED: [&str; 10] = [
    "ii_ext4_written_1024",
    "ii_ext4_unwritten_1024",
    "ii_ext4_unwritten_1024_stack",
    "ii_ext4_hole_2048",
    "ii_ext4_hole_512",
    "ii_ext4_extending_1024",
    "ii_ext4_growing_512",
    "ii_xfs_written_1024",
    "ii_xfs_hole_1024",
    "ii_aio_ext4_written_2048",
];

fn reading(judged_as: Option<&str>) -> Reading {
    Reading {
        // That of the asynchronous writes does not say.
        kernel: Some("6.18".into()),
        judged_as: judged_as.map(str::to_owned),
        ..Reading::default()
    }
}

/// What the machine says: why it refuses them, or nothing; an error if they are no trace at all.
fn judge(path: &Path, judged_as: Option<&str>) -> Result<Vec<String>> {
    recorded::judge("dio", path, &reading(judged_as), None)
}

fn judge_lines(lines: &[String]) -> Result<Vec<String>> {
    let (_dir, file) = written(lines);
    judge(&file, None)
}

#[test]
fn recorded_writes_are_behaviours() {
    for name in RECORDED {
        let refused = judge(&path(name), None).expect(name);
        assert!(refused.is_empty(), "{name}: {refused:?}");
    }
}

#[test]
fn tlc_says_the_same() {
    tools();
    for (name, events) in [
        ("ii_ext4_unwritten_1024_stack", 165),
        ("ii_ext4_growing_512", 110),
    ] {
        let dir = temp();
        let mut command = interlock();
        command
            .args(["validate", "dio", "--at-rest"])
            .arg(path(name));
        let says = format!("accepted by the machine and TLC, {events} events");
        command
            .arg("--out")
            .arg(dir.path())
            .assert()
            .code(0)
            .stdout(contains(says).and(contains("refused").not()));
    }
}

/// In 6.1 every unaligned write is exclusive and waits, overwrites of written blocks too.
#[test]
fn another_kernels_rule_is_refused() {
    let refused = judge(&path("ii_ext4_written_1024"), Some("6.1")).expect("a trace");
    let why = "36: Begin(\"r1\"): wait r1 is TRUE after it, and was seen as FALSE";
    assert!(refused.iter().any(|line| line == why), "{refused:?}");
    tools();
    let dir = temp();
    let mut command = interlock();
    command.args(["validate", "dio", "--at-rest", "--as", "6.1"]);
    command.arg(path("ii_ext4_written_1024"));
    command
        .arg("--out")
        .arg(dir.path())
        .assert()
        .code(1)
        .stdout(
            contains("refused by the machine and TLC after 3 of 288 events")
                .and(contains("wait r1 is TRUE after it, and was seen as FALSE")),
        );
}

/// What the truncate does to the lock is seen; that it zeroes the rest of the block, and waits for no direct I/O, is not.
#[test]
fn a_truncate_that_shares_the_lock_is_refused() {
    let path = path("ii_ext4_growing_512");
    let refused =
        recorded::judge("dio", &path, &reading(None), Some("PunchShared")).expect("a trace");
    let says = "held r5 is \"shared\" after it, and was seen as \"exclusive\"";
    assert!(
        refused.iter().any(|line| line.contains(says)),
        "{refused:?}"
    );
    for policy in ["Final65", "Final612Grow"] {
        let refused = recorded::judge("dio", &path, &reading(None), Some(policy)).expect("a trace");
        assert!(refused.is_empty(), "{policy}: {refused:?}");
    }
}

/// All of a line up to and with its time, and what follows.
fn split(line: &str) -> Option<(&str, &str)> {
    let (_, time) = line.split_once("] ")?;
    let end = time.find(": ")? + 2;
    let (head, body) = line.split_at(line.len() - time.len() + end);
    Some((head, body))
}

const BEGIN: &str = "iomap_dio_rw_begin:";
const LOOK_UP: &str = "ext4_es_lookup_extent_exit:";
const MAP: &str = "iomap_iter_dstmap:";
const COMPLETE: &str = "iomap_dio_complete:";
const FORCE: &str = "dio_flags DIO_FORCE_WAIT";
const TRUNCATE: &str = "tracing_mark_write: B t ";
const SETATTR: &str = "caller ext4_setattr+";
const ONLY: &str = "dio_flags DIO_OVERWRITE_ONLY";

/// An edit of a recorded trace, and how it is refused.
struct Case {
    what: &'static str,
    of: &'static str,
    edit: fn(&mut Vec<String>),
    says: &'static str,
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case {
        what: "an overwrite is waited for",
        of: "ii_ext4_written_1024",
        edit: |lines| put(lines, 3, &[BEGIN], "dio_flags ", FORCE),
        says: "wait r4 is FALSE after it, and was seen as TRUE",
    },
    Case {
        what: "a write that zeroes is not waited for",
        of: "ii_ext4_unwritten_1024",
        edit: |lines| put(lines, 0, &[BEGIN], FORCE, "dio_flags "),
        says: "Begin(\"r1\"): wait r1 is TRUE after it, and was seen as FALSE",
    },
    Case {
        what: "an upgrade asks for the lock to read",
        of: "ii_ext4_unwritten_1024",
        edit: |lines| put(lines, 0, &["flags=WRITE"], "WRITE", "READ"),
        says: "Lock(\"r6\"): it is not enabled",
    },
    Case {
        what: "a first attempt asks for it to write",
        of: "ii_ext4_unwritten_1024",
        edit: |lines| put(lines, 0, &["flags=READ"], "READ", "WRITE"),
        says: "held r4 is \"shared\" after it, and was seen as \"exclusive\"",
    },
    Case {
        what: "a look-up sees another state",
        of: "ii_ext4_hole_512",
        edit: |lines| put(lines, 0, &[LOOK_UP, " HR"], " HR", " UR"),
        says: "extent 0 is \"unwritten\" after it, and was seen as \"hole\"",
    },
    Case {
        what: "the check is not repeated under the exclusive lock",
        of: "ii_ext4_unwritten_1024",
        edit: |lines| drop(lines.remove(find(lines, 1, &[LOOK_UP]))),
        says: "Begin(\"r1\"): it is not enabled",
    },
    Case {
        what: "a written block is mapped as unwritten",
        of: "ii_ext4_written_1024",
        edit: |lines| put(lines, 5, &[MAP], "MAPPED", "UNWRITTEN"),
        says: "extent 1 is \"written\" after it, and was seen as \"unwritten\"",
    },
    Case {
        what: "the exclusive holder ends behind the grant to the next",
        of: "ii_ext4_unwritten_1024",
        edit: |lines| {
            let end = find(lines, 0, &[COMPLETE]);
            swap(lines, end, end + 1);
        },
        says: "Lock(\"r2\"): it is not enabled",
    },
    Case {
        what: "another task ends the request",
        of: "ii_ext4_unwritten_1024",
        edit: |lines| put(lines, 0, &[COMPLETE], "wl-w3-9683", "wl-w2-9682"),
        says: "no request of 1024 bytes is in flight that ends at 4096",
    },
    Case {
        what: "a request is longer",
        of: "ii_ext4_written_1024",
        edit: |lines| put(lines, 0, &[BEGIN], "length 0x400", "length 0x600"),
        says: "no request of 1024 bytes is in flight that ends at 4096",
    },
    Case {
        what: "the file grows by itself",
        of: "ii_ext4_written_1024",
        edit: |lines| put(lines, 7, &[COMPLETE], "size 0x100000", "size 0x100200"),
        says: "size is 36 after it, and was seen as 37",
    },
    Case {
        what: "the end of a request is missing",
        of: "ii_ext4_unwritten_1024",
        edit: |lines| drop(lines.remove(find(lines, 2, &[COMPLETE]))),
        says: "the call has begun a request, and ends before it",
    },
    Case {
        what: "the end of a request is missing, and its call's",
        of: "ii_ext4_unwritten_1024",
        edit: |lines| {
            lines.retain(|line| !line.contains(": tracing_mark_write:"));
            lines.remove(find(lines, 2, &[COMPLETE]));
        },
        says: "begins a request before its last one has ended",
    },
    Case {
        what: "the trace is cut short",
        of: "ii_ext4_unwritten_1024",
        edit: |lines| lines.truncate(find(lines, 20, &[COMPLETE])),
        says: "it ends while a request is under way",
    },
    Case {
        what: "nothing is left of it",
        of: "ii_ext4_unwritten_1024",
        edit: |lines| lines.retain(|line| line.starts_with('#')),
        says: "no event of a kernel in it",
    },
    Case {
        what: "XFS tries at once what it must try after a refusal",
        of: "ii_xfs_hole_1024",
        edit: |lines| {
            let refused = find(lines, 1, &["error -11"]);
            let begin = (0..refused).rfind(|place| lines[*place].contains(BEGIN));
            lines.drain(begin.expect("its beginning")..=refused + 1);
        },
        says: "held r6 is \"shared\" after it, and was seen as \"exclusive\"",
    },
    Case {
        what: "XFS is not refused where a block is not written",
        of: "ii_xfs_hole_1024",
        edit: |lines| put(lines, 1, &["error -11"], "offset 0x1800 flags DIRECT aio 0 error -11 ret -11", "offset 0x1c00 flags DIRECT aio 0 error 0 ret 1024"),
        says: "EndIo(",
    },
    Case {
        what: "XFS's first attempt is not told to overwrite only",
        of: "ii_xfs_written_1024",
        edit: |lines| put(lines, 0, &[BEGIN], ONLY, "dio_flags "),
        says: "flag r1 is TRUE after it, and was seen as FALSE",
    },
    Case {
        what: "XFS's second attempt is not waited for",
        of: "ii_xfs_hole_1024",
        edit: |lines| put(lines, 0, &[BEGIN, FORCE], FORCE, "dio_flags "),
        says: "wait r1 is TRUE after it, and was seen as FALSE",
    },
    Case {
        what: "XFS's first attempt takes the lock to write",
        of: "ii_xfs_written_1024",
        edit: |lines| {
            put(lines, 0, &["IOLOCK_SHARED"], "SHARED", "EXCL");
            put(lines, 0, &["wl-w0-9869", "xfs_iunlock", "IOLOCK_SHARED"], "SHARED", "EXCL");
        },
        says: "held r1 is \"shared\" after it, and was seen as \"exclusive\"",
    },
    Case {
        what: "XFS gives up another lock than it has",
        of: "ii_xfs_written_1024",
        edit: |lines| put(lines, 0, &["xfs_iunlock", "IOLOCK_SHARED"], "SHARED", "EXCL"),
        says: "the lock is given up as exclusive, and was taken otherwise",
    },
    Case {
        what: "a block behind the end of the file is allocated, and not written",
        of: "ii_ext4_extending_1024",
        edit: |lines| put(lines, 0, &[MAP], "MAPPED (0x2)", "UNWRITTEN (0x3)"),
        says: "extent 0 is \"written\" after it, and was seen as \"unwritten\"",
    },
    Case {
        what: "a write that grows the file is not waited for",
        of: "ii_ext4_extending_1024",
        edit: |lines| put(lines, 0, &[BEGIN], FORCE, "dio_flags "),
        says: "wait r1 is TRUE after it, and was seen as FALSE",
    },
    Case {
        what: "the file does not grow",
        of: "ii_ext4_extending_1024",
        edit: |lines| put(lines, 0, &[COMPLETE], "size 0x5800", "size 0x5000"),
        says: "size is 2 after it, and was seen as 0",
    },
    Case {
        what: "a write that would grow the file asks for the lock to read",
        of: "ii_ext4_extending_1024",
        edit: |lines| put(lines, 0, &["flags=WRITE"], "WRITE", "READ"),
        says: "Lock(\"r2\"): it is not enabled",
    },
    Case {
        what: "one that would grow the file is granted the lock before the first has ended",
        of: "ii_ext4_extending_1024",
        edit: |lines| {
            let end = find(lines, 0, &[COMPLETE]);
            swap(lines, end, end + 1);
        },
        says: "Lock(\"r2\"): it is not enabled",
    },
    Case {
        what: "a truncate makes the file longer than the next write sees it",
        of: "ii_ext4_growing_512",
        edit: |lines| put(lines, 2, &[TRUNCATE], "size=14336", "size=14848"),
        says: "Begin(\"r7\"): size is 5 after it, and was seen as 4",
    },
    Case {
        what: "a truncate does not grow the file",
        of: "ii_ext4_growing_512",
        edit: |lines| put(lines, 1, &[TRUNCATE], "size=13824", "size=13312"),
        says: "a truncate from 13312 bytes to 13312",
    },
    Case {
        what: "the mark of a truncate is missing",
        of: "ii_ext4_growing_512",
        edit: |lines| drop(lines.remove(find(lines, 2, &[TRUNCATE]))),
        says: "size is 3 after it, and was seen as 4",
    },
    Case {
        what: "a truncate does not start its handle",
        of: "ii_ext4_growing_512",
        edit: |lines| drop(lines.remove(find(lines, 6, &[SETATTR]))),
        says: "size is 7 after it, and was seen as 8",
    },
    Case {
        what: "a truncate does not stop its handle",
        of: "ii_ext4_growing_512",
        edit: |lines| {
            let start = find(lines, 0, &[SETATTR]);
            let stop = (start..lines.len()).find(|place| lines[*place].contains("jbd2_handle_stats:"));
            lines.drain(stop.expect("its end")..=find(lines, 0, &[": E t "]) - 1);
        },
        says: "the handle of the truncate has not stopped",
    },
    Case {
        what: "a truncate is the first that is seen of the file",
        of: "ii_ext4_growing_512",
        edit: |lines| drop(lines.drain(find(lines, 0, &[" B w "])..find(lines, 0, &[TRUNCATE]))),
        says: "nothing tells how long the file is before this truncate",
    },
    Case {
        what: "a truncate asks for the lock to read",
        of: "ii_ext4_growing_512",
        edit: |lines| put(lines, 0, &["wl-t1-", "flags=WRITE"], "WRITE", "READ"),
        says: "held r5 is \"exclusive\" after it, and was seen as \"shared\"",
    },
    Case {
        what: "a truncate is granted the lock before the direct write has ended",
        of: "ii_ext4_growing_512",
        edit: |lines| {
            let end = find(lines, 4, &[COMPLETE]);
            swap(lines, end, end + 1);
        },
        says: "Lock(\"r9\"): it is not enabled",
    },
    Case {
        what: "a direct write is granted it before the truncate has changed the size",
        of: "ii_ext4_growing_512",
        edit: |lines| {
            let (changed, grant) = (find(lines, 0, &["line_no 6022"]), find(lines, 0, &["wl-w0-", "contention_end"]));
            swap(lines, changed, grant);
        },
        says: "Lock(\"r3\"): it is not enabled",
    },
    Case {
        what: "the block that a truncate zeroes the rest of is mapped as unwritten",
        of: "ii_ext4_growing_512",
        edit: |lines| put(lines, 2, &[MAP], "MAPPED", "UNWRITTEN"),
        says: "extent 0 is \"written\" after it, and was seen as \"unwritten\"",
    },
    Case {
        what: "a write that is mapped twice",
        of: "ii_ext4_growing_512",
        edit: |lines| {
            let map = find(lines, 2, &[MAP]);
            lines.insert(map, lines[map].clone());
        },
        says: "which is not what the request at line",
    },
];

#[test]
fn edited_traces_are_refused() {
    let mut others = Vec::new();
    for case in CASES {
        let mut lines = lines(case.of);
        (case.edit)(&mut lines);
        let said = match judge_lines(&lines) {
            Ok(refused) => refused,
            Err(error) => vec![format!("{error:#}")],
        };
        if !said.iter().any(|line| line.contains(case.says)) {
            others.push((case.what, said));
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

/// Nor need it have found anything.
#[test]
fn what_a_truncate_looks_up_is_no_check() {
    let mut lines = lines("ii_ext4_growing_512");
    let look_up = ["wl-t1-", LOOK_UP];
    put(&mut lines, 0, &look_up, "found 1", "found 0");
    put(&mut lines, 1, &look_up, " WR", " HR");
    lines.remove(find(&lines, 2, &look_up));
    let refused = judge_lines(&lines).expect("a trace");
    assert!(refused.is_empty(), "{refused:?}");
}

/// The events that are projected.
const SEEN: [&str; 6] = [
    LOOK_UP,
    "contention_begin:",
    "contention_end:",
    BEGIN,
    MAP,
    COMPLETE,
];

/// Each single edit of a whole trace: how many are refused, of how many.
#[test]
fn single_edits_are_refused() {
    let lines = lines("ii_ext4_unwritten_1024_stack");
    let is_seen = |place: &usize| {
        let line = &lines[*place];
        !line.contains("flags=SPIN") && SEEN.iter().any(|name| line.contains(&format!(" {name} ")))
    };
    let seen: Vec<usize> = (0..lines.len()).filter(is_seen).collect();
    let mut edited: Vec<(String, Vec<String>)> = Vec::new();
    for (&place, next) in seen.iter().zip(1..) {
        let name = SEEN.iter().find(|name| lines[place].contains(**name));
        let name = name.expect("it is seen").trim_end_matches(':');
        let mut dropped = lines.clone();
        dropped.remove(place);
        edited.push((format!("drop {name}"), dropped));
        if let Some(&other) = seen.get(next) {
            let mut swapped = lines.clone();
            swap(&mut swapped, place, other);
            let task = |line: &str| line.split(" [").next().map(str::to_owned);
            let is_one = task(&lines[place]) == task(&lines[other]);
            let whose = if is_one { "one task" } else { "two tasks" };
            edited.push((format!("swap of {whose}"), swapped));
        }
        let (head, body) = split(&lines[place]).expect("an event");
        let words: Vec<&str> = body.split(' ').collect();
        for (number, field) in numbers(&words) {
            let mut words = words.clone();
            words[field] = &number;
            let mut more = lines.clone();
            more[place] = format!("{head}{}", words.join(" "));
            let field = words[field - 1];
            let field = if field.starts_with('[') {
                "pblk"
            } else {
                field
            };
            edited.push((format!("{field} of {name}"), more));
        }
    }
    let mut figures: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (kind, lines) in edited {
        let refused = judge_lines(&lines).map_or(true, |refused| !refused.is_empty());
        let (of, all) = figures.entry(kind).or_default();
        *of += usize::from(refused);
        *all += 1;
    }
    println!("{figures:#?}");
    let kinds = |is: fn(&(usize, usize)) -> bool| -> Vec<&str> {
        let kinds = figures.iter().filter(|(_, figure)| is(figure));
        kinds.map(|(kind, _)| kind.as_str()).collect()
    };
    // Where a lock is known to be waited for the times are finer; the rest is not read.
    assert_eq!(
        kinds(|(refused, _)| *refused == 0),
        [
            "addr of iomap_iter_dstmap",
            "done_before of iomap_dio_rw_begin",
            "drop contention_begin",
            "drop contention_end",
            "pblk of ext4_es_lookup_extent_exit",
        ]
    );
    // Look-ups within an allocation and a conversion say nothing new; neighbours that have not seen each other may come in any order.
    assert_eq!(
        kinds(|(refused, all)| 0 < *refused && refused < all),
        [
            "drop ext4_es_lookup_extent_exit",
            "ino of ext4_es_lookup_extent_exit",
            "swap of one task",
            "swap of two tasks",
        ]
    );
}

/// The words that are numbers, one more each.
fn numbers(words: &[&str]) -> Vec<(String, usize)> {
    let more = |(place, word): (usize, &&str)| {
        let number = match word.strip_prefix("0x") {
            Some(digits) => format!("{:#x}", u64::from_str_radix(digits, 16).ok()? + 1),
            None => (word.parse::<u64>().ok()? + 1).to_string(),
        };
        (place > 0).then_some((number, place))
    };
    words.iter().enumerate().filter_map(more).collect()
}
