//! A kernel's traces of writeback: the recorded ones are accepted, edited ones refused, each with its reason.

mod recorded;
mod runner;

use assert_cmd::assert::OutputAssertExt;
use interlock_traces::kernel::{self, Reading, projections};
use interlock_traces::recording::Trace;
use interlock_traces::validate::protocol::Protocol;
use interlock_traces::validate::search::Found;
use predicates::prelude::*;
use predicates::str::contains;
use recorded::{at, find, lines, path, put, swap, written};
use runner::{interlock, temp, tools};

const EXT4: &str = "iv_ext4_sync_120files";
const XFS: &str = "iv_xfs_sync_120files";
const BACKGROUND: &str = "iv_ext4_bg_strictlimit";

/// The lines of a recorded trace, to be edited.
#[derive(Clone)]
struct Text {
    lines: Vec<String>,
}

/// What is said of a text: of each trace in it, nothing if it is accepted.
type Verdict = Result<Vec<Option<String>>, String>;

impl Text {
    fn of(name: &str) -> Text {
        Text { lines: lines(name) }
    }

    /// The place of the first line that has all of these.
    fn place(&self, parts: &[&str]) -> usize {
        find(&self.lines, 0, parts)
    }

    /// One line with a part replaced.
    fn replaced(mut self, parts: &[&str], from: &str, to: &str) -> Text {
        put(&mut self.lines, 0, parts, from, to);
        self
    }

    fn without(mut self, parts: &[&str]) -> Text {
        self.lines.remove(self.place(parts));
        self
    }

    /// Two lines change places, and keep their times.
    fn swapped(mut self, first: usize, second: usize) -> Text {
        swap(&mut self.lines, first, second);
        self
    }

    fn traces(&self, reading: &Reading) -> Result<Vec<Trace>, String> {
        let mut traces = Vec::new();
        let make = projections::of_area("writeback").expect("a projection");
        let (_dir, file) = written(&self.lines);
        let read = kernel::read(&file, reading, make, &mut |trace| {
            traces.push(trace);
            Ok(())
        });
        read.map_err(|error| format!("{error:#}"))?;
        Ok(traces)
    }

    fn judged(&self) -> Verdict {
        let traces = self.traces(&Reading::default())?;
        Ok(traces.iter().map(judged).collect())
    }
}

/// Why the machine refuses it.
fn judged(trace: &Trace) -> Option<String> {
    let protocol = Protocol::of("writeback", trace).expect("a protocol");
    match protocol.search(trace).expect("it is read") {
        Found::Accepted => None,
        Found::TooWide => panic!("the search is too wide"),
        Found::Refused(refusal) => {
            let why = refusal.next.iter().map(|(place, why)| {
                let line = trace.lines[*place];
                format!("{line}: {}: {why}", trace.events[*place].show())
            });
            Some(why.collect::<Vec<_>>().join("\n"))
        }
    }
}

fn accepts(verdict: &Verdict) -> bool {
    verdict
        .as_ref()
        .is_ok_and(|traces| traces.iter().all(Option::is_none))
}

/// A worker serves other devices too, whose events need not be in the file. Of what it writes here a number stays what it is.
#[test]
fn what_a_worker_writes_elsewhere() {
    let written = ["writeback_pages_written: 120"];
    let mut text = Text::of(EXT4);
    let place = text.place(&written);
    let elsewhere = text.lines[place].replace(": 120", ": 7");
    text.lines.insert(place + 1, elsewhere);
    assert!(accepts(&text.judged()));
    let here = Text::of(EXT4).replaced(&written, ": 120", ": 7");
    assert!(!accepts(&here.judged()));
}

#[test]
fn the_machine_and_tlc_accept_the_recorded_traces() {
    tools();
    let dir = temp();
    let counts = [
        (EXT4, [376, 465]),
        (XFS, [370, 396]),
        (BACKGROUND, [510, 494]),
    ];
    let mut command = interlock();
    command.args(["validate", "writeback", "--at-rest"]);
    command.args(counts.map(|(name, _)| path(name)));
    let assert = command.arg("--out").arg(dir.path()).assert().code(0);
    let mut assert = assert.stdout(contains("refused").not());
    for (name, events) in counts {
        for events in events {
            let line =
                format!("{name}.txt.gz:[0-9]+: accepted by the machine and TLC, {events} events");
            let line = predicate::str::is_match(line).expect("a pattern");
            assert = assert.stdout(line);
        }
    }
}

/// Each is refused, and where is said.
#[test]
fn edited_traces_are_refused() {
    let pick = |ino: usize| format!("writeback_single_inode_start: bdi 7:0: ino={ino} ");
    let end = |ino: usize| format!("writeback_single_inode: bdi 7:0: ino={ino} ");
    let ext4 = || Text::of(EXT4);
    let edits: Vec<(&str, Text, &str)> = vec![
        (
            "two are dirtied in the other order",
            {
                let text = ext4();
                let [first, second] =
                    [20, 21].map(|ino| text.place(&[&format!("dev 7,0 ino {ino} ")]));
                text.swapped(first, second)
            },
            "Pick(20, 1) of flusher: it is not enabled",
        ),
        (
            "two are picked in the other order",
            {
                let (a, b) = (pick(20), pick(21));
                let (c, d) = (end(20), end(21));
                let text = ext4().replaced(&[&a], "ino=20 ", "ino=0 ").replaced(
                    &[&c],
                    "ino=20 ",
                    "ino=0 ",
                );
                let text = text.replaced(&[&b], "ino=21 ", "ino=20 ").replaced(
                    &[&d],
                    "ino=21 ",
                    "ino=20 ",
                );
                text.replaced(&[&pick(0)], "ino=0 ", "ino=21 ").replaced(
                    &[&end(0)],
                    "ino=0 ",
                    "ino=21 ",
                )
            },
            "Pick(21, 1) of flusher: it is not enabled",
        ),
        (
            "one more is moved",
            ext4().replaced(&["enqueue=121"], "=121", "=122"),
            "QueueIo(4, 1) of flusher: it is not enabled",
        ),
        (
            "one less is moved",
            Text::of(XFS).replaced(&["enqueue=120"], "=120", "=119"),
            "QueueIo(4, 119) of flusher: it is not enabled",
        ),
        (
            "an inode is written that was not queued",
            ext4()
                .replaced(&[&pick(40)], "ino=40 ", "ino=999 ")
                .replaced(&[&end(40)], "ino=40 ", "ino=999 "),
            "Pick(13, 1) of flusher: it is not enabled",
        ),
        (
            "an inode is written twice",
            {
                let mut text = ext4();
                let last = text.place(&[&end(20)]);
                let mut again = text.lines[text.place(&[&pick(20)])..=last].to_vec();
                for line in &mut again {
                    *line = at(line, &text.lines[last]);
                }
                text.lines.splice(last + 1..last + 1, again);
                text
            },
            "Pick(20, 1) of flusher: it is not enabled",
        ),
        (
            "an inode's time is another",
            ext4().replaced(
                &[&pick(50)],
                "dirtied_when=4295847561",
                "dirtied_when=4295847562",
            ),
            "Pick(50, 2) of flusher: it is not enabled",
        ),
        (
            "an inode is dirty after it was written",
            ext4().replaced(&[&end(60)], "state=I_SYNC", "state=I_DIRTY_PAGES|I_SYNC"),
            "1290: EndPass(",
        ),
        (
            "an inode has more pages",
            ext4().replaced(&[&end(60)], "wrote=1", "wrote=2"),
            "done is 121 after it, and was seen as 120",
        ),
        (
            "work is done that is not queued",
            ext4().without(&["writeback_queue:"]),
            "Exec(<<\"sync\", \"7:0\", 0, \"183238\">>) of flusher, sees done = 0: it is not enabled",
        ),
        (
            "the flusher leaves too early",
            {
                let mut text = Text::of(XFS);
                let start = text.place(&["writeback_start", "nr_pages=183932"]);
                text.lines.drain(start..start + 3);
                text
            },
            "FinishWork(120) of flusher: it is not enabled",
        ),
        (
            "a plug has one more",
            ext4().replaced(&["block_unplug: [kworker/u8:7] 1"], "] 1", "] 2"),
            "Unplug(\"kworker/u8:7-15287\", 2) of kworker/u8:7-15287: it is not enabled",
        ),
        (
            "a request is issued before its unplug",
            {
                let text = ext4();
                let (unplug, issue) = (
                    text.place(&["block_unplug: [kworker/u8:7] 1"]),
                    text.place(&["block_rq_issue: 7,0 W 151552 () 299008"]),
                );
                text.swapped(unplug, issue)
            },
            "Issue(299008, 296) of kworker/1:1H-44: it is not enabled",
        ),
        (
            "a bio is missing",
            ext4().without(&["block_bio_queue: 7,0 W 299032 + 8"]),
            "BackMerge(\"kworker/u8:7-15287\", 299032, 8) of kworker/u8:7-15287: it is not enabled",
        ),
        (
            "a merge is missing",
            ext4().without(&["block_bio_backmerge: 7,0 W 299032 + 8"]),
            "479: Unplug(",
        ),
        (
            "there is no plug",
            ext4().without(&["block_plug: [kworker/u8:7]"]),
            "Unplug(\"kworker/u8:7-15287\", 1) of kworker/u8:7-15287: it is not enabled",
        ),
        (
            "a request is larger",
            ext4().replaced(
                &["299600 + 296"],
                "151552 () 299600 + 296",
                "155648 () 299600 + 304",
            ),
            "Issue(299600, 304) of kworker/1:1H-44: it is not enabled",
        ),
        (
            "the end is cut off",
            {
                let mut text = ext4();
                text.lines.pop();
                text
            },
            "Synced() of all: it is not enabled",
        ),
    ];
    for (edit, text, why) in edits {
        let verdict = text.judged().expect(edit);
        let refused: Vec<&String> = verdict.iter().flatten().collect();
        println!("{edit}: {refused:?}");
        assert!(
            refused.iter().any(|refusal| refusal.contains(why)),
            "{edit}: {refused:?}"
        );
    }
}

/// What is a behaviour of one variant is none of another.
#[test]
fn a_plug_around_the_pass_is_not_one_for_each_inode() {
    for name in [EXT4, XFS, BACKGROUND] {
        for kernel in ["6.18", "6.1"] {
            let reading = Reading {
                judged_as: Some(kernel.into()),
                ..Reading::default()
            };
            let mut traces = Text::of(name).traces(&reading).expect("traces");
            assert!(
                traces.iter().all(|trace| judged(trace).is_none()),
                "{name} as {kernel}"
            );
            let plugs = traces
                .iter_mut()
                .find(|trace| trace.head.module == "ObservedPlug");
            let plugs = plugs.expect("one of the plugs");
            let before_43 = "<- PlugPerInode".to_owned();
            plugs.head.constants.insert("Policy".into(), before_43);
            let why = judged(plugs).expect("it is refused");
            assert!(why.contains("EndInode(\"kworker/u8:7-15287\")"), "{why}");
        }
    }
}

#[test]
fn what_cannot_be_judged_is_told_with_its_line() {
    let told = |text: Text, why: &str| {
        let error = text.judged().expect_err(why);
        assert!(error.contains(why), "{error}");
    };
    let ext4 = || Text::of(EXT4);
    told(
        ext4().replaced(&["dev 7,0 ino 20 "], "I_DIRTY_SYNC", "I_DIRTY_TIME"),
        "edited.txt:28: the inode is on b_dirty_time",
    );
    told(
        ext4().replaced(
            &["writeback_single_inode_start", "ino=13 "],
            "15287 ",
            "15288 ",
        ),
        "edited.txt:145: kworker/u8:7-15288 writes an inode, and is no flusher",
    );
    told(
        ext4().replaced(&["block_bio_queue: 7,0 W 299016"], "7,0", "7,1"),
        "has I/O of 7,0 and of 7,1 in its hands",
    );
    told(
        ext4().replaced(&["block_bio_queue: 7,0 W 299016"], "299016", "2990160000"),
        "TLC's numbers end at 2147483647",
    );
    told(
        ext4().replaced(&["block_rq_issue: 7,0 W 151552"], "151552", "151551"),
        "a request of 296 sectors has 151551 bytes",
    );
    let mut nothing = ext4();
    nothing
        .lines
        .retain(|line| !line.contains("writeback_") && !line.contains("block_"));
    told(nothing, "no flusher's work and no bio in it");
}

/// Which part of a trace a line is read for.
fn stream(line: &str) -> Option<&'static str> {
    let lists = [
        "writeback_dirty_inode_enqueue: dev 7,0",
        "writeback_queue:",
        "writeback_exec:",
        "writeback_start:",
        "writeback_queue_io:",
        "writeback_single_inode_start:",
        "writeback_single_inode:",
        "writeback_written:",
        "writeback_pages_written:",
    ];
    if lists.iter().any(|event| line.contains(event)) {
        return Some("lists");
    }
    let is_block = line.contains(": block_") && !line.contains("block_unplug: [kworker/1:1H]");
    is_block.then_some("plugs")
}

/// Every number that is read of a line, one more.
fn one_more(line: &str) -> Vec<String> {
    let (head, body) = line.split_at(line.find(": ").map_or(0, |colon| colon + 2));
    let kinds: [(&str, &[&str]); 8] = [
        ("writeback_dirty_inode", &["ino ", "dirtied "]),
        ("writeback_pages_written", &["written: "]),
        ("writeback_queue_io", &["enqueue=", "older="]),
        ("writeback_single_inode_start", &["ino=", "dirtied_when="]),
        ("writeback_single_inode", &["ino=", " wrote="]),
        ("writeback_", &["nr_pages=", "sync_mode="]),
        ("block_unplug", &["] "]),
        ("block_rq_issue", &["() ", " + "]),
    ];
    let kind = kinds.iter().find(|(name, _)| body.starts_with(name));
    let keys = kind.map_or(&["W ", "WSM ", "RM ", " + "][..], |(_, keys)| keys);
    let number = |key: &&str| {
        let start = body.find(*key)? + key.len();
        let length = body[start..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(body.len() - start);
        let number: u64 = body[start..start + length].parse().ok()?;
        Some(format!(
            "{head}{}{}{}",
            &body[..start],
            number + 1,
            &body[start + length..]
        ))
    };
    keys.iter().filter_map(number).collect()
}

/// Of the edits of a whole trace so many are tried: one of so many.
const ONE_OF: usize = 8;

/// Each event dropped, each two neighbours of one part swapped, each number that is read one more: so many are refused, of so many.
/// The others are behaviours too; `docs/kernel-traces.md` says which.
#[test]
fn single_edits_are_refused() {
    let refused = |edits: &mut dyn Iterator<Item = (String, Text)>| {
        let (mut refused, mut all) = (0, 0);
        for (shown, edited) in edits.step_by(ONE_OF) {
            all += 1;
            if accepts(&edited.judged()) {
                println!("accepted: {shown}");
            } else {
                refused += 1;
            }
        }
        (refused, all)
    };
    let figures = [EXT4, XFS, BACKGROUND].map(|name| {
        let text = Text::of(name);
        let places = |part: Option<&str>| -> Vec<usize> {
            let is_read = |place: &usize| {
                let of = stream(&text.lines[*place]);
                of.is_some() && (part.is_none() || of == part)
            };
            (0..text.lines.len()).filter(is_read).collect()
        };
        let all = places(None);
        let mut drops = all.iter().map(|place| {
            let mut edited = text.clone();
            (edited.lines.remove(*place), edited)
        });
        let parts = [places(Some("lists")), places(Some("plugs"))];
        let pairs = parts.iter().flat_map(|places| places.windows(2));
        let mut swaps = pairs.map(|pair| {
            let shown = format!("{} | {}", text.lines[pair[0]], text.lines[pair[1]]);
            (shown, text.clone().swapped(pair[0], pair[1]))
        });
        let lines = all.iter().flat_map(|place| {
            let lines = one_more(&text.lines[*place]).into_iter();
            lines.map(move |line| (*place, line))
        });
        let mut numbers = lines.map(|(place, line)| {
            let mut edited = text.clone();
            edited.lines[place].clone_from(&line);
            (line, edited)
        });
        [
            refused(&mut drops),
            refused(&mut swaps),
            refused(&mut numbers),
        ]
    });
    println!("{figures:?}");
    assert_eq!(
        figures,
        [
            [(90, 90), (88, 90), (178, 178)],
            [(80, 81), (53, 81), (157, 157)],
            [(101, 106), (100, 106), (208, 209)],
        ]
    );
}
