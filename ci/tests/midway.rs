//! Recorded kernel traces, cut in the middle: what is left begins while locks are held and I/O is in flight. It is accepted, and
//! judged from a line that is stated; what is edited after that line is refused where it is in the whole trace.

mod runner;

use std::fs;
use std::io::BufRead as _;

use assert_cmd::assert::OutputAssertExt;
use interlock_traces::kernel::{Reading, text};
use interlock_traces::validate;
use interlock_traces::validate::protocol::Protocol;
use interlock_traces::validate::search::Found;
use predicates::str::contains;
use runner::{interlock, root, temp};

/// A trace's lines: its comments, and its events.
struct Recorded {
    area: &'static str,
    comments: Vec<String>,
    events: Vec<String>,
}

/// What is said of a text.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// Every trace in it is accepted; the last line from which one is judged.
    Accepted(Option<usize>),
    /// A trace is refused, or the text is none: why.
    Refused(String),
}

impl Recorded {
    fn of(area: &'static str, name: &str) -> Recorded {
        let path = root().join(format!("tests/kernel/{name}.txt.gz"));
        let lines = text::open(&path).expect("a recorded trace").lines();
        let lines = lines.map(|line| line.expect("a line"));
        let (comments, events) = lines.partition(|line| line.starts_with('#'));
        Recorded {
            area,
            comments,
            events,
        }
    }

    /// These of its events, judged by the machine.
    fn judge(&self, events: &[String], midway: bool) -> Verdict {
        let dir = temp();
        let path = dir.path().join("cut.txt");
        let lines: Vec<&str> = self
            .comments
            .iter()
            .chain(events)
            .map(String::as_str)
            .collect();
        fs::write(&path, lines.join("\n")).expect("a file");
        let mut comments = self.comments.iter();
        let is_named = comments.any(|line| line.starts_with("# kernel:"));
        let reading = Reading {
            kernel: (!is_named).then(|| "6.18".into()),
            midway,
            ..Reading::default()
        };
        let mut known = None;
        let mut refused = None;
        let read = validate::read(self.area, &path, &reading, &mut |trace| {
            known = known.max(trace.known);
            let found = Protocol::of(self.area, &trace)?.search(&trace)?;
            if found != Found::Accepted {
                refused = Some(format!("{found:?}"));
            }
            Ok(())
        });
        match (read, refused) {
            (Err(error), _) => Verdict::Refused(format!("{error:#}")),
            (Ok(()), Some(why)) => Verdict::Refused(why),
            (Ok(()), None) => Verdict::Accepted(known),
        }
    }

    /// Of a cut before this place, the events behind that one which are judged: of writeback those of the lists, but for the first
    /// inode that is dirtied, which may have been dirtied before; of jbd2 all but a task's first request for a handle, which may have
    /// been made before.
    fn judged_behind(&self, cut: usize, place: usize) -> impl Iterator<Item = usize> {
        let behind = place + 1..self.events.len();
        let is_first = move |place: usize| {
            let mut earlier = self.events[cut..place].iter();
            let asks = self.events[place].contains(": ext4_journal_start");
            asks && !earlier.any(|event| task(event) == task(&self.events[place]))
        };
        let behind = behind.filter(move |place| self.area != "jbd2" || !is_first(*place));
        let behind: Vec<usize> = behind.collect();
        let is = |place: usize, what| self.events[place].contains(what);
        let of_lists = self.area == "writeback";
        let first = behind
            .iter()
            .copied()
            .find(|place| of_lists && is(*place, ": writeback_dirty_inode"));
        behind
            .into_iter()
            .filter(move |place| !of_lists || is(*place, ": writeback_") && Some(*place) != first)
    }

    fn without(&self, from: usize, place: usize) -> Vec<String> {
        let mut events = self.events[from..].to_vec();
        events.remove(place - from);
        events
    }
}

/// Who writes an event.
fn task(event: &str) -> &str {
    event.split(" [").next().unwrap_or_default().trim()
}

/// Cut before each of these events: from which event on what is left is judged, and of how many of its edits after that, one event of
/// so many left out, as many are refused as in the whole trace.
fn cut_at(area: &'static str, name: &str, every: usize, cuts: &[(usize, usize, usize)]) {
    let recorded = Recorded::of(area, name);
    let mut found = Vec::new();
    for &(cut, ..) in cuts {
        let Verdict::Accepted(Some(line)) = recorded.judge(&recorded.events[cut..], true) else {
            panic!("{name} is not accepted from event {cut} on");
        };
        let from = line - recorded.comments.len() - 1;
        let mut edits = 0;
        for place in recorded.judged_behind(cut, cut + from).step_by(every) {
            let whole = recorded.judge(&recorded.without(0, place), false);
            if matches!(whole, Verdict::Refused(_)) {
                let left = recorded.judge(&recorded.without(cut, place), true);
                assert!(
                    matches!(left, Verdict::Refused(_)),
                    "{name} from event {cut} on is accepted without `{}`",
                    recorded.events[place]
                );
                edits += 1;
            }
        }
        found.push((cut, from, edits));
    }
    assert_eq!(found, cuts);
}

/// Holders that were not seen to come, and waiters that were not seen to queue.
#[test]
fn a_lock_that_is_held() {
    cut_at(
        "rwsem",
        "iii_xfs_4r4w_64k_warm",
        5,
        &[(133, 164, 49), (399, 37, 42), (532, 30, 29), (665, 64, 14)],
    );
}

/// Writers that do not wait are left out of the file: they are assumed, and of the lines about the lock that are left out, one of so
/// many, all but one are refused.
#[test]
fn writers_that_are_not_in_the_trace() {
    let recorded = Recorded::of("rwsem", "iii_xfs_8r8w_steady_contention");
    let events = &recorded.events;
    assert_eq!(recorded.judge(events, true), Verdict::Accepted(Some(94)));
    let Verdict::Refused(_) = recorded.judge(events, false) else {
        panic!("it is accepted as one that begins at rest");
    };
    let from = 94 - recorded.comments.len();
    let about_it = (from..events.len()).filter(|place| !events[*place].contains("sched_waking:"));
    let refused = |place: &usize| {
        let verdict = recorded.judge(&recorded.without(0, *place), true);
        matches!(verdict, Verdict::Refused(_))
    };
    let edited: Vec<usize> = about_it.step_by(59).collect();
    let refused = edited.iter().copied().filter(refused).count();
    assert_eq!((refused, edited.len()), (11, 12));
}

#[test]
fn writers_that_are_assumed_are_told_and_tlc_is_not_asked() {
    let (dir, name) = (temp(), "iii_xfs_8r8w_steady_contention.txt.gz");
    let mut command = interlock();
    command.args(["validate", "rwsem", "--kernel", "6.18", "--out"]);
    command
        .arg(dir.path())
        .arg(root().join("tests/kernel").join(name));
    let line = "accepted by the machine, 1284 events; judged from line 94 on, 93 before it; \
                writers that are not in the trace are assumed: 1";
    command.assert().success().stdout(contains(line));
}

/// Requests in flight.
#[test]
fn direct_writes_in_flight() {
    cut_at(
        "dio",
        "ii_ext4_extending_1024",
        2,
        &[(55, 68, 48), (110, 53, 38), (220, 66, 9)],
    );
    cut_at(
        "dio",
        "ii_ext4_growing_512",
        2,
        &[(28, 27, 16), (85, 5, 10)],
    );
}

/// Handles that run, and some that were asked for before.
#[test]
fn handles_that_run() {
    cut_at(
        "jbd2",
        "i_d_nolock_J4_w12_jbd2only_warm",
        17,
        &[(99, 87, 52), (496, 65, 27), (794, 55, 13)],
    );
}

/// Handles that were asked for before the trace, and start behind the line from which it is judged: five tasks, three and one.
#[test]
fn handles_that_wait_over_two_commits() {
    cut_at(
        "jbd2",
        "i_c_lock_J4_w16",
        23,
        &[(200, 79, 25), (350, 133, 15), (425, 128, 11), (825, 67, 10)],
    );
}

#[test]
fn handles_that_were_asked_for_before_are_told() {
    let recorded = Recorded::of("jbd2", "i_c_lock_J4_w16");
    let (dir, cut) = (temp(), 425);
    let judge = |events: &[String]| {
        let path = dir.path().join("cut.txt");
        let lines = [&recorded.comments[..], events].concat();
        fs::write(&path, lines.join("\n")).expect("a file");
        let mut command = interlock();
        command.args(["validate", "jbd2", "--out"]);
        let command = command.arg(dir.path()).arg(&path);
        let assert = command.assert().success();
        assert.stdout(contains(
            "accepted by the machine and TLC, 211 events; judged from line 157 on",
        ))
    };
    let says = "asked for before the trace begins, so that it is not known what they reserve: ";
    let told = |handles: u8| contains(format!("{says}{handles} of the handles that are judged"));
    judge(&recorded.events[cut..]).stderr(told(1));
    // A task's first event that is left out makes one more.
    let asks = &recorded.events[620];
    assert!(asks.contains("wl-w11-7221"), "{asks}");
    judge(&recorded.without(cut, 620)).stderr(told(2));
}

/// Inodes on b_dirty, and passes that write.
#[test]
fn a_flusher_that_works() {
    cut_at(
        "writeback",
        "iv_ext4_sync_120files",
        1,
        &[(100, 1122, 5), (700, 522, 5), (1200, 22, 5)],
    );
    cut_at(
        "writeback",
        "iv_ext4_bg_strictlimit",
        11,
        &[(40, 776, 22), (85, 731, 22)],
    );
}

/// A pass that does not fill b_io, one that lasts long, and one that puts an inode on b_more_io: behind none is it known that nothing
/// is queued.
#[test]
fn passes_that_may_leave_inodes() {
    let recorded = Recorded::of("writeback", "iv_ext4_bg_strictlimit");
    let events = &recorded.events[85..];
    let edited = |what: &str, from: &str, to: &str| {
        let mut events = events.to_vec();
        let event = events.iter_mut().find(|event| event.contains(what));
        let event = event.expect(what);
        assert!(event.contains(from), "{event}");
        *event = event.replace(from, to);
        events
    };
    let one = "writeback_single_inode:";
    let spent = edited(one, "state=", "to_write=0 state=I_DIRTY_PAGES|");
    for edited in [
        edited("writeback_queue_io:", "writeback_queue_io", "left_out"),
        edited("writeback_start:", "3878.822", "3878.722"),
        spent,
    ] {
        let Verdict::Refused(why) = recorded.judge(&edited, true) else {
            panic!("it is accepted");
        };
        assert!(why.contains("no flusher works behind a line"), "{why}");
    }
}

/// The flusher is done, and finds what was asked for while it was not.
#[test]
fn work_that_waits() {
    let recorded = Recorded::of("writeback", "iv_ext4_sync_120files");
    let place = |what: &str| {
        let is_it = |event: &String| event.contains(what);
        recorded.events.iter().position(is_it).expect(what)
    };
    let (done, asks) = (
        place("writeback_pages_written: 120"),
        place("nr_pages=9223372036854775807 sync_mode=1"),
    );
    let mut events = recorded.events[700..].to_vec();
    let asked = events.remove(asks - 700);
    let judged = |events: &[String]| recorded.judge(events, true);
    assert!(matches!(judged(&events), Verdict::Refused(_)));
    let earlier = asked.replace("3821.325834", "3821.325805");
    events.insert(done - 700, earlier);
    assert!(matches!(judged(&events), Verdict::Accepted(_)));
}

#[test]
fn plugs_are_told_as_not_judged() {
    let recorded = Recorded::of("writeback", "iv_ext4_sync_120files");
    let dir = temp();
    let path = dir.path().join("cut.txt");
    let lines = [&recorded.comments[..], &recorded.events[700..]].concat();
    fs::write(&path, lines.join("\n")).expect("a file");
    let mut command = interlock();
    command.args(["validate", "writeback", "--out"]);
    command.arg(dir.path()).arg(&path);
    let assert = command.assert().success();
    let assert = assert.stdout(contains(
        "accepted by the machine and TLC, 7 events; judged from line ",
    ));
    assert.stderr(contains(
        "not judged, because it is never known which requests wait: the plugs of device 7,0",
    ));
}

/// Each task begins a request before the last one of another has ended, to the end: what is under way is older, or was seen to begin.
#[test]
fn direct_writes_that_always_overlap() {
    cut_at(
        "dio",
        "ii_ext4_written_1024",
        4,
        &[(0, 7, 39), (28, 69, 26), (140, 65, 11), (210, 67, 1)],
    );
}

/// Kernels whose events do not say of which file a request's end is: it is of the one that its task has begun.
#[test]
fn ends_that_name_no_file() {
    cut_at(
        "dio",
        "k510_dio_written",
        5,
        &[(28, 52, 27), (98, 81, 16), (252, 35, 10)],
    );
    cut_at(
        "dio",
        "k61_dio_unwritten",
        5,
        &[(98, 13, 28), (224, 111, 4)],
    );
}

/// One of a task that has begun none is older, and may be of any file: none is known before.
#[test]
fn an_older_end_of_no_file() {
    let recorded = Recorded::of("dio", "k510_dio_written");
    let mut events = recorded.events[28..].to_vec();
    let judged = |events: &[String]| recorded.judge(events, true);
    let Verdict::Accepted(Some(line)) = judged(&events) else {
        panic!("it is not accepted");
    };
    let place = line + 30 - recorded.comments.len();
    let is_end = |event: &&String| event.contains("interlock_dio_complete:");
    let end = events[place..].iter().find(is_end).expect("an end");
    let other = end.replace(task(end), "other-99");
    let (_, at) = events[place].split_once("] ").expect("a time");
    let (_, before) = other.split_once(": ").expect("a time");
    let time = at.split_whitespace().nth(1).expect("a time");
    let (who, _) = other.split_once(" [").expect("a task");
    let stray = format!("{who} [000] .... {time} {before}");
    events.insert(place, stray);
    assert_eq!(judged(&events), Verdict::Accepted(Some(line + 32)));
}

/// An asynchronous one ends in a worker, whose event does not say which.
#[test]
fn asynchronous_ends_that_name_no_file() {
    let recorded = Recorded::of("dio", "k510_dio_written");
    let mut events = recorded.events.clone();
    let is_end = |event: &&mut String| event.contains("interlock_dio_complete:");
    let end = events.iter_mut().find(is_end).expect("an end");
    *end = end.replace(task(end), "kworker/0:1-9");
    let Verdict::Refused(why) = recorded.judge(&events, true) else {
        panic!("it is accepted");
    };
    let says = "it is never known which requests are in flight: nothing is judged; say --at-rest";
    assert!(why.contains(says), "{why}");
}

/// Where nothing is known at any line, nothing is accepted.
#[test]
fn what_is_never_known_is_not_judged() {
    for (area, name, from, says) in [
        (
            "dio",
            "ii_ext4_unwritten_1024",
            100,
            "no direct write begins behind the line at which it is known",
        ),
        (
            "jbd2",
            "i_f_nolock_J4_w32_reservewait_stack",
            4795,
            "no transaction begins in it",
        ),
        (
            "writeback",
            "iv_xfs_sync_120files",
            100,
            "no flusher works behind a line at which it is done",
        ),
        (
            "writeback",
            "iv_ext4_bg_strictlimit",
            200,
            "no flusher works behind a line at which it is done",
        ),
    ] {
        let recorded = Recorded::of(area, name);
        let Verdict::Refused(why) = recorded.judge(&recorded.events[from..], true) else {
            panic!("{name} is accepted from event {from} on");
        };
        assert!(why.contains(says), "{why}");
    }
}
