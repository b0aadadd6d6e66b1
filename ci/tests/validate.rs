//! `interlock validate`: legal traces are accepted, edited ones refused, with their place, by the machine and by TLC.

mod runner;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use assert_cmd::assert::{Assert, OutputAssertExt};
use interlock_checker::toolchain::Toolchain;
use interlock_traces::recording::{self, Trace};
use interlock_traces::validate::edits::{EDITS, Edit};
use interlock_traces::validate::protocol::{PROTOCOLS, Protocol};
use interlock_traces::validate::search::Found;
use interlock_traces::validate::tlc::Tlc;
use predicates::prelude::*;
use predicates::str::contains;
use runner::{interlock, temp, tools};
use tempfile::TempDir;

fn legal(protocol: &Protocol) -> Trace {
    let traces = recording::read("legal".as_ref(), protocol.legal.as_bytes());
    traces.expect("a legal trace").remove(0)
}

/// Of each edit at every place so many are refused, of so many: in the order of [`EDITS`], drop, repeat, swap, more, less, other.
const REFUSED: [(&str, [(usize, usize); 6]); 11] = [
    // Without its last event it is one that ends earlier.
    (
        "Rwsem",
        [(9, 10), (10, 10), (9, 9), (20, 20), (20, 20), (8, 8)],
    ),
    // Of some neighbours neither has seen the other.
    (
        "UnalignedDio",
        [(20, 21), (21, 21), (16, 20), (58, 58), (58, 58), (23, 23)],
    ),
    // A call and what another request does meanwhile; two I/Os of one request.
    (
        "KernelDio",
        [(20, 21), (21, 21), (17, 20), (7, 7), (7, 7), (31, 31)],
    ),
    // A worker starts before its commit is LOCKED, or after.
    (
        "Jbd2Credits",
        [(22, 23), (23, 23), (21, 22), (92, 92), (92, 92), (13, 13)],
    ),
    // Nothing tells of a throttled thread that came and went, nor when it came.
    (
        "WbPlug",
        [(25, 28), (28, 28), (25, 27), (89, 89), (88, 89), (0, 0)],
    ),
    // Without a look it is one too, and with two.
    (
        "RangeTree",
        [(12, 14), (13, 14), (13, 13), (39, 39), (39, 39), (9, 9)],
    ),
    // At the beginning a transaction may have more handles, and be locked; some neighbours do not mind each other; what is dirtied and
    // reserved is asked of limits.
    (
        "Handles",
        [(27, 33), (29, 33), (13, 32), (50, 68), (52, 68), (15, 15)],
    ),
    // The last of them, and one from before what is known; of some neighbours either may come first.
    (
        "LogTail",
        [(10, 12), (11, 12), (6, 11), (22, 25), (20, 25), (0, 0)],
    ),
    // The last of them, and a look in vain.
    (
        "ReserveWait",
        [(8, 10), (10, 10), (9, 9), (10, 10), (10, 10), (6, 6)],
    ),
    (
        "ObservedLists",
        [(26, 29), (28, 29), (24, 28), (50, 52), (47, 52), (5, 8)],
    ),
    // Nothing is done where an inode or the work ends, and whoever submits may do so earlier. A plug of one task is as good as that of
    // another that has nothing in it, and so is a request that is put into no plug.
    (
        "ObservedPlug",
        [(25, 28), (25, 28), (16, 26), (47, 47), (46, 47), (11, 13)],
    ),
];

/// Each edit at every place: how many of these traces the machine refuses, of how many.
#[test]
fn edited_traces_are_refused() {
    let refused = PROTOCOLS.iter().map(|protocol| {
        let trace = legal(protocol);
        let found = protocol.search(&trace).expect("it is read");
        assert_eq!(found, Found::Accepted, "{}", protocol.module);
        let figures = EDITS.map(|edit| {
            let edited = edit.all(&trace);
            let is_refused =
                |edited: &&Trace| !matches!(protocol.search(edited), Ok(Found::Accepted));
            (edited.iter().filter(is_refused).count(), edited.len())
        });
        println!("{}: {figures:?}", protocol.module);
        (protocol.module, figures)
    });
    assert_eq!(refused.collect::<Vec<_>>(), REFUSED);
}

/// One run of TLC for all edits of a trace that it can read: not those that make a number less, maybe negative, nor those that
/// name what there is not.
#[test]
fn tlc_refuses_the_same_edited_traces() {
    for protocol in PROTOCOLS {
        let trace = legal(protocol);
        let edits = EDITS.into_iter().filter(|edit| *edit != Edit::Less);
        let edited = edits.flat_map(|edit| edit.all(&trace));
        let edited = edited.filter(|edited| protocol.search(edited).is_ok());
        let edited: Vec<Trace> = edited.collect();
        let dir = temp();
        let tlc = Tlc::new(tools(), dir.path());
        let by_tlc = tlc.accepted(protocol, &edited.iter().collect::<Vec<_>>());
        let by_tlc = by_tlc.unwrap_or_else(|error| {
            let said = fs::read_to_string(dir.path().join("stdout.txt"));
            panic!(
                "{}: {error:#}\n{}",
                protocol.module,
                said.unwrap_or_default()
            )
        });
        let by_machine = edited.iter().enumerate().filter(|(_, edited)| {
            let found = protocol.search(edited);
            found.expect("it was read") == Found::Accepted
        });
        let by_machine: BTreeSet<usize> = by_machine.map(|(place, _)| place).collect();
        println!(
            "{}: {} of {} refused",
            protocol.module,
            edited.len() - by_tlc.len(),
            edited.len()
        );
        assert_eq!(by_tlc, by_machine, "{}", protocol.module);
        assert!(by_tlc.len() < edited.len());
    }
}

/// Each invariant that is asked of a trace, made false where it is defined, is told, with the trace's place.
#[test]
fn an_invariant_that_a_trace_violates_is_told() {
    for protocol in PROTOCOLS {
        for invariant in protocol.invariants {
            let copy = temp();
            for folder in protocol.library(&tools().root) {
                let to = copy
                    .path()
                    .join(folder.strip_prefix(&tools().root).expect("below the root"));
                fs::create_dir_all(&to).expect("a folder");
                for file in fs::read_dir(&folder).expect("a folder") {
                    let file = file.expect("a file").path();
                    let text = fs::read_to_string(&file).expect("text");
                    let is = format!("\n{invariant} ==");
                    // Before all that follows, an implication too.
                    let never = format!("{is} \\E nobody \\in {{}} : ");
                    let name = file.file_name().expect("a name");
                    fs::write(to.join(name), text.replace(&is, &never)).expect("it is written");
                }
            }
            let dir = temp();
            let toolchain = Toolchain {
                root: copy.path().to_owned(),
                ..tools().clone()
            };
            let tlc = Tlc::new(&toolchain, dir.path());
            let error = tlc.accepted(protocol, &[&legal(protocol)]);
            let error = error.expect_err("it is false").to_string();
            let told = format!("legal:1: behind it {invariant} of module Trace");
            assert!(error.starts_with(&told), "{}: {error}", protocol.module);
        }
    }
}

/// The place is that of the last event that was taken.
#[test]
fn an_invariant_is_told_with_its_event() {
    let protocol = &PROTOCOLS[0];
    let (dir, trace) = (temp(), legal(protocol));
    let definition = "Early == \\A l \\in Strand : at[l] < 2\n";
    let error = Tlc::new(tools(), dir.path()).print(protocol, &[&trace], "Early", definition);
    let error = error.expect_err("it is false").to_string();
    let strands = trace.strands().expect("strands");
    let second = strands.values().filter_map(|places| places.get(1)).min();
    let line = trace.lines[*second.expect("a strand with two events")];
    let told = format!("legal:{line}: behind it Early of module TraceRwsem");
    assert!(error.starts_with(&told), "{error}");
}

struct Run {
    dir: TempDir,
}

impl Run {
    fn new() -> Run {
        tools();
        Run { dir: temp() }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::write(&path, text).expect("a file");
        path
    }

    fn validate(&self, text: &str) -> Assert {
        self.validate_of("rwsem", text)
    }

    fn validate_of(&self, area: &str, text: &str) -> Assert {
        let file = self.file("trace.ndjson", text);
        let mut command = interlock();
        command.args(["validate", area]).arg(file);
        command.arg("--out").arg(self.dir.path()).assert()
    }
}

#[test]
fn the_machine_and_tlc_accept_a_legal_trace() {
    let legal = PROTOCOLS[0].legal;
    // Two traces in one file.
    let twice = format!("{legal}{legal}");
    Run::new()
        .validate(&twice)
        .code(0)
        .stdout(contains(
            "trace.ndjson:1: accepted by the machine and TLC, 10 events\n",
        ))
        .stdout(contains(
            "trace.ndjson:13: accepted by the machine and TLC, 10 events\n",
        ));
}

/// Nobody knows which of the two came first; only one order fits.
#[test]
fn an_order_that_fits_is_found() {
    let late = PROTOCOLS[0]
        .legal
        .replace("\"from\":3,\"to\":3", "\"from\":1,\"to\":3");
    let early = late.replace("\"from\":2,\"to\":2", "\"from\":2,\"to\":3");
    Run::new()
        .validate(&early)
        .code(0)
        .stdout(contains("accepted by the machine and TLC"));
}

#[test]
fn a_refusal_says_where_and_why() {
    let legal = PROTOCOLS[0].legal;
    let seen = legal.replacen(
        "\"holders\":\"1\",\"queued\":\"1\"",
        "\"holders\":\"2\",\"queued\":\"1\"",
        1,
    );
    Run::new().validate(&seen).code(1).stdout(
        contains("refused by the machine and TLC after 1 of 10 events")
            .and(contains("trace.ndjson:3: Queue(w1) of w1"))
            .and(contains("holders is 1 after it, and was seen as 2"))
            .and(contains(
                "possible there: [r1 Hold, r2 Idle, w1 Idle; queue ]",
            )),
    );
    let early = legal.replacen(
        "\"Queue\",\"args\":[\"w1\"],\"sees\":{\"holders\":\"1\",\"queued\":\"1\"}",
        "\"Enter\",\"args\":[\"w1\"]",
        1,
    );
    Run::new().validate(&early).code(1).stdout(
        contains("Enter(w1) of w1: it is not enabled").and(contains("false: Compatible(t)")),
    );
}

/// Linux 5.3 and later: a writer that spins queues though the lock is free, lets the reader at the head in, and tries after that.
/// Where a writer queues only if it cannot take the lock, it is refused.
#[test]
fn a_writer_may_queue_on_a_free_lock() {
    let free = |policy: &str| {
        let constants = r#""Readers":"{r1}","Writers":"{w1, w2}","Downgraders":"{}""#;
        let mut lines = vec![format!(
            r#"{{"trace":1,"module":"Rwsem","source":"by hand","constants":{{{constants},"Policy":"<- {policy}"}}}}"#
        )];
        let steps = [
            ("Enter", "w1", 1, 0),
            ("Queue", "r1", 1, 1),
            ("Spin", "w2", 1, 1),
            ("Release", "w1", 0, 1),
            ("Queue", "w2", 1, 1),
            ("Wake", "w1", 1, 1),
            ("Sleep", "w2", 1, 1),
            ("Release", "r1", 0, 1),
            ("Wake", "r1", 0, 1),
            ("Take", "w2", 1, 0),
            ("Release", "w2", 0, 0),
        ];
        for (at, (action, task, holders, queued)) in (1..).zip(steps) {
            let sees = format!(r#"{{"holders":"{holders}","queued":"{queued}"}}"#);
            lines.push(format!(
                r#"{{"thread":"{task}","from":{at},"to":{at},"action":"{action}","args":["{task}"],"sees":{sees}}}"#
            ));
        }
        lines.push(format!(r#"{{"events":{}}}"#, steps.len()));
        lines.join("\n")
    };
    let run = Run::new().validate(&free("Handoff511")).code(0);
    run.stdout(contains("accepted by the machine and TLC, 11 events"));
    Run::new().validate(&free("WilcoxV1")).code(1).stdout(
        contains("refused by the machine and TLC after 4 of 11 events")
            .and(contains("trace.ndjson:6: Queue(w2) of w2"))
            .and(contains("it is not enabled")),
    );
}

/// A guard is told in the action's own words.
#[test]
fn a_refused_io_is_explained() {
    let legal = PROTOCOLS[1].legal;
    let tail = legal.replacen("\\\"data\\\"", "\\\"tail\\\"", 1);
    assert_ne!(tail, legal);
    Run::new().validate_of("dio", &tail).code(1).stdout(
        contains("refused by the machine and TLC after 11 of 21 events")
            .and(contains(
                "trace.ndjson:13: Complete(\"r2\", \"tail\", 0) of io: it is not enabled",
            ))
            .and(contains("false: Io(part, block) \\in bios[r]")),
    );
}

/// With no inode in b_io there is no first one either: TLC can evaluate nothing that is said of it.
#[test]
fn a_condition_without_a_value_does_not_hide_the_false_one_before_it() {
    let mut protocols = PROTOCOLS.iter();
    let lists = protocols.find(|protocol| protocol.module == "ObservedLists");
    let ends_pass = "\"from\":12,\"to\":12,\"action\":\"EndPass\"";
    let picks = "{\"thread\":\"flusher\",\"from\":12,\"to\":12,\"action\":\"Pick\",\"args\":[\"15\",\"6\"]}";
    let lines = lists.expect("it is known").legal.lines();
    let edited = lines.map(|line| {
        if line.contains(ends_pass) {
            picks
        } else {
            line
        }
    });
    let edited: String = edited.flat_map(|line| [line, "\n"]).collect();
    Run::new().validate_of("writeback", &edited).code(1).stdout(
        contains("Pick(15, 6) of flusher: it is not enabled")
            .and(contains("    false: io # <<>>\n"))
            .and(contains("Head(io)").not()),
    );
}

#[test]
fn bad_constants_are_told_with_their_place() {
    let legal = PROTOCOLS[1].legal;
    for (part, bad, tells) in [
        (
            "\"PerBlock\":\"2\"",
            "\"PerBlock\":\"0\"",
            "trace.ndjson:1: PerBlock: a block without sectors",
        ),
        (
            "\"PerBlock\":\"2\"",
            "\"PerBlock\":\"4294967295\"",
            "4294967295 sectors are more than 65536",
        ),
        (
            "\"Length\":\"4\"",
            "\"Length\":\"5\"",
            "trace.ndjson:1: Length: 5 sectors of 4",
        ),
        (
            "from |-> 0, to |-> 0",
            "from |-> 1, to |-> 0",
            "Calls: r1 is of the sectors 1 to 0, of 4",
        ),
        (
            "from |-> 0, to |-> 0",
            "from |-> 0, to |-> 4",
            "Calls: r1 is of the sectors 0 to 4, of 4",
        ),
        ("kind |-> ", "kin |-> ", "has no kind"),
        ("(0 :> ", "(2 :> ", "has no block 0"),
        ("(0 :> ", "Nothing", "no operator Nothing"),
    ] {
        let text = legal.replacen(part, bad, 1);
        assert_ne!(text, legal, "{part}");
        Run::new()
            .validate_of("dio", &text)
            .code(2)
            .stderr(contains(tells));
    }
    let told = "trace.ndjson:1: a trace of UnalignedDio, which is no module of rwsem";
    Run::new().validate(legal).code(2).stderr(contains(told));
}

/// A trace may say that it does not show an action, leave open which of several a step was, and only look.
#[test]
fn what_a_recorder_cannot_see_is_found() {
    let legal = PROTOCOLS[0].legal;
    let lines: Vec<&str> = legal.lines().collect();
    let silent = lines[0].replace("\"constants\"", "\"silent\":[\"Wake\"],\"constants\"");
    let open = lines[1].replace("\"Enter\"", "\"Steal\",\"or\":[\"Queue\",\"Enter\"]");
    let look = |is: &str| {
        let from = "\"thread\":\"r2\",\"from\":5,\"to\":5,\"action\":\"See\",\"args\":[\"r2\"]";
        format!("{{{from},\"sees\":{{\"r2\":\"\\\"{is}\\\"\"}}}}")
    };
    let trace = |head: &str, is: &str| {
        let legal = lines[2..11].iter().map(|line| line.to_string());
        let mut all = vec![head.to_owned(), open.clone()];
        all.extend(legal.filter(|line| !line.contains("Wake")));
        all.insert(5, look(is));
        all.join("\n") + "\n{\"events\":9}\n"
    };
    let run = Run::new();
    run.validate(&trace(&silent, "wait"))
        .code(0)
        .stdout(contains("accepted by the machine and TLC, 9 events"));
    run.validate(&trace(&silent, "hold")).code(1).stdout(
        contains("refused by the machine and TLC after 4 of 9 events")
            .and(contains("See(r2) of r2, sees r2 = \"hold\""))
            .and(contains("r2 is \"wait\", and was seen as \"hold\"")),
    );
    run.validate(&trace(lines[0], "wait"))
        .code(1)
        .stdout(contains("refused by the machine and TLC"));
    let dio = PROTOCOLS[1].legal.replacen("\"Call\"", "\"See\"", 1);
    run.validate_of("dio", &dio)
        .code(2)
        .stderr(contains("there is no action See"));
    run.validate(&legal.replace(lines[0], &silent.replace("Wake", "Release")))
        .code(2)
        .stderr(contains(
            "trace.ndjson:1: Release is no action of Rwsem that may leave no event",
        ));
}

#[test]
fn bad_input_is_told_with_its_place() {
    let legal = PROTOCOLS[0].legal;
    let lines: Vec<&str> = legal.lines().collect();
    for (text, tells) in [
        (String::new(), "trace.ndjson: no trace in it"),
        (
            "nothing\n".into(),
            "trace.ndjson:1: `nothing` is no line of a trace",
        ),
        (
            lines[..5].join("\n"),
            "the last trace has no end: it was cut short",
        ),
        (
            format!("{}\n{{\"events\":0}}\n", lines[0]),
            "trace.ndjson:2: a trace without an event says nothing",
        ),
        (
            legal.replace("{\"events\":10}", "{\"events\":11}"),
            "trace.ndjson:12: the trace has 10 events, and says 11: lines are missing",
        ),
        (
            legal.replace("\"trace\":1", "\"trace\":2"),
            "trace.ndjson:1: a trace of version 2",
        ),
        (
            legal.replace("\"Rwsem\"", "\"Jbd2Credits\""),
            "trace.ndjson:1: a trace of Jbd2Credits",
        ),
        (
            legal.replacen("\"Enter\"", "\"Leave\"", 1),
            "trace.ndjson:2: there is no action Leave",
        ),
        (
            legal.replacen("[\"r1\"]", "[\"r9\"]", 1),
            "trace.ndjson:2: there is no task r9",
        ),
        (
            legal.replacen("[\"r1\"]", "[\"<<r1\"]", 1),
            "`<<r1` is no value of TLA+",
        ),
        (
            legal.replacen("\"from\":4,\"to\":4", "\"from\":4,\"to\":3", 1),
            "the times of Release(r1)",
        ),
        (
            legal.replacen("<- BatchQueue", "<- Nothing", 1),
            "there is no policy Nothing",
        ),
        (
            format!("{}\n{legal}", lines[1]),
            "trace.ndjson:1: no head of a trace before this",
        ),
        (
            format!("{}\n{legal}", lines[0]),
            "trace.ndjson:2: the trace before this one has no end",
        ),
        ("x".repeat(3 << 20), "a line of more than 1048576 bytes"),
        (
            format!("{}\n{}", lines[0], "x".repeat(3 << 20)),
            "a line of more than 1048576 bytes",
        ),
    ] {
        Run::new().validate(&text).code(2).stderr(contains(tells));
    }
    let mut unknown = interlock();
    let told = "[possible values: dio, jbd2, range, rwsem, writeback]";
    unknown
        .args(["validate", "rwsen", "x"])
        .assert()
        .code(2)
        .stderr(contains(told));
}
