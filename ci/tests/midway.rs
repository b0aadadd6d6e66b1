//! Recorded kernel traces, cut in the middle: what is left begins while locks are held and I/O is in flight. It is accepted, and
//! judged from a line that is stated; what is edited after that line is refused where it is in the whole trace.

mod recorded;
mod runner;

use std::fs;

use assert_cmd::assert::OutputAssertExt;
use interlock_traces::kernel::Reading;
use interlock_traces::validate;
use interlock_traces::validate::protocol::Protocol;
use interlock_traces::validate::search::Found;
use predicates::str::contains;
use recorded::written;
use runner::{interlock, temp};

/// A trace's lines: its comments, and its events.
struct Recorded {
    area: &'static str,
    /// Of several kinds of traces in a file this one is asked for.
    module: Option<&'static str>,
    comments: Vec<String>,
    events: Vec<String>,
}

/// Nothing of the kind that is asked for is judged.
const UNKNOWN: &str = "it is never known";

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
        let lines = recorded::lines(name).into_iter();
        let (comments, events) = lines.partition(|line| line.starts_with('#'));
        Recorded {
            area,
            module: (area == "writeback").then_some("ObservedLists"),
            comments,
            events,
        }
    }

    /// The plugs of a trace of writeback.
    fn plugs(name: &str) -> Recorded {
        Recorded {
            module: Some("ObservedPlug"),
            ..Recorded::of("writeback", name)
        }
    }

    /// These of its events, judged by the machine.
    fn judge(&self, events: &[String], midway: bool) -> Verdict {
        let (_dir, path) = written(&[&self.comments[..], events].concat());
        let mut comments = self.comments.iter();
        let is_named = comments.any(|line| line.starts_with("# kernel:"));
        let reading = Reading {
            kernel: (!is_named).then(|| "6.18".into()),
            midway,
            ..Reading::default()
        };
        let mut known = None;
        let mut refused = None;
        let mut judged = 0;
        let read = validate::read(self.area, &path, &reading, &mut |trace| {
            if self
                .module
                .is_some_and(|module| module != trace.head.module)
            {
                return Ok(());
            }
            judged += 1;
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
            (Ok(()), None) if judged == 0 => Verdict::Refused(UNKNOWN.into()),
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

    /// Where an event is in the file if it begins with another one.
    fn line(&self, from: usize, place: usize) -> usize {
        self.comments.len() + place - from + 1
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
    let (dir, name) = (temp(), "iii_xfs_8r8w_steady_contention");
    let mut command = interlock();
    command.args(["validate", "rwsem", "--kernel", "6.18", "--out"]);
    command.arg(dir.path()).arg(recorded::path(name));
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
        assert_eq!(why, UNKNOWN);
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

/// Cut before each of these events: how many edits behind the line are refused as in the whole trace, an event left out or a number
/// of it one more; and how many move the line behind them, because they make a request look older than the trace.
fn plugs_cut_at(name: &str, every: usize, cuts: &[(usize, usize, [usize; 2])]) {
    let recorded = Recorded::plugs(name);
    let is_of_block = |place: &usize| recorded.events[*place].contains(": block_");
    let mut found = Vec::new();
    for &(cut, ..) in cuts {
        let Verdict::Accepted(Some(known)) = recorded.judge(&recorded.events[cut..], true) else {
            panic!("{name} is not accepted from event {cut} on");
        };
        let from = known - recorded.line(cut, cut);
        let mut edits = [0, 0];
        let places = (cut + from..recorded.events.len()).filter(is_of_block);
        for place in places.step_by(every) {
            let numbers = one_more(&recorded.events[place]);
            let edited = numbers.into_iter().map(|line| {
                let mut events = recorded.events.clone();
                events[place] = line;
                events
            });
            for events in edited.chain([recorded.without(0, place)]) {
                if let Verdict::Accepted(_) = recorded.judge(&events, false) {
                    continue;
                }
                match recorded.judge(&events[cut..], true) {
                    Verdict::Refused(_) => edits[0] += 1,
                    Verdict::Accepted(line) => {
                        assert!(
                            line > Some(recorded.line(cut, place)),
                            "{name} from event {cut} on is accepted from line {line:?} on with `{}` edited",
                            recorded.events[place]
                        );
                        edits[1] += 1;
                    }
                }
            }
        }
        found.push((cut, from, edits));
    }
    assert_eq!(found, cuts);
}

/// Every number of a request or a plug, one more.
fn one_more(event: &str) -> Vec<String> {
    let start = event.find(": block_").expect("an event of a device");
    let (head, body) = event.split_at(start);
    let keys = [" W ", " WSM ", " () ", " + ", "] "];
    let number = |key: &&str| {
        let (before, after) = body.split_once(*key)?;
        let end = after.find(|c: char| !c.is_ascii_digit());
        let (number, rest) = after.split_at(end.unwrap_or(after.len()));
        let number: u64 = number.parse().ok()?;
        Some(format!("{head}{before}{key}{}{rest}", number + 1))
    };
    keys.iter().filter_map(number).collect()
}

/// Requests that wait, and plugs that hold some.
#[test]
fn requests_that_wait() {
    plugs_cut_at(
        "iv_ext4_sync_120files",
        13,
        &[(140, 327, [59, 1]), (466, 1, [59, 1]), (700, 102, [45, 1])],
    );
    plugs_cut_at(
        "iv_xfs_sync_120files",
        13,
        &[(200, 140, [54, 0]), (500, 34, [44, 0])],
    );
    plugs_cut_at(
        "k61_writeback",
        13,
        &[(180, 5, [85, 3]), (500, 11, [45, 1])],
    );
}

/// Wherever the traces are cut, what is left is accepted, or submits nothing behind the line.
#[test]
fn plugs_cut_anywhere() {
    for name in [
        "iv_ext4_sync_120files",
        "iv_xfs_sync_120files",
        "iv_ext4_bg_strictlimit",
        "k61_writeback",
        "iv_ext4_attached",
        "iv_xfs_attached",
    ] {
        let recorded = Recorded::plugs(name);
        let judged = (0..recorded.events.len()).step_by(47).map(|cut| {
            let events = &recorded.events[cut..];
            match recorded.judge(events, true) {
                Verdict::Accepted(_) => true,
                Verdict::Refused(why) => {
                    let is_unknown = why == UNKNOWN || why.contains("nothing is judged");
                    assert!(is_unknown, "{name} from event {cut} on: {why}");
                    false
                }
            }
        });
        let judged: Vec<bool> = judged.collect();
        let accepted = judged.iter().filter(|judged| **judged).count();
        assert!(accepted * 10 >= judged.len() * 9, "{name}: {accepted}");
    }
}

/// The inode of the block device, of another superblock, is on the lists too: without the events that it is dirtied, of which each is
/// told by its number, the trace is refused.
#[test]
fn the_inode_of_the_device() {
    let recorded = Recorded::of("writeback", "iv_ext4_attached");
    assert_eq!(
        recorded.judge(&recorded.events, true),
        Verdict::Accepted(Some(110))
    );
    let is_devices = |event: &String| event.contains(": dev 0,3 ino 7340032 dirtied");
    let events = 0..recorded.events.len();
    let dirtied: Vec<usize> = events
        .filter(|place| is_devices(&recorded.events[*place]))
        .collect();
    let refused = |events: &[String]| matches!(recorded.judge(events, true), Verdict::Refused(_));
    let mut without = recorded.events.clone();
    without.retain(|event| !is_devices(event));
    assert!(refused(&without));
    let left_out = dirtied
        .iter()
        .filter(|place| refused(&recorded.without(0, **place)));
    assert_eq!((left_out.count(), dirtied.len()), (11, 13));
    plugs_cut_at(
        "iv_ext4_attached",
        97,
        &[(0, 126, [27, 0]), (600, 52, [16, 0])],
    );
}

/// What was never submitted is older than the trace, but not where it has been issued before, nor behind a pause.
#[test]
fn requests_that_are_not_older() {
    let recorded = Recorded::plugs("iv_ext4_sync_120files");
    let place = |what: &str| {
        let is_it = |event: &String| event.contains(what);
        recorded.events.iter().position(is_it).expect(what)
    };
    let judge = |events: &[String]| recorded.judge(events, true);
    let first = place("block_bio_queue: 7,0 W 299600 + 8");
    let mut left = recorded.without(700, first);
    let issue = place("block_rq_issue: 7,0 W 151552 () 299600 + 296");
    let behind = recorded.line(700, issue);
    assert_eq!(judge(&left), Verdict::Accepted(Some(behind)));
    let again = recorded.events[issue].clone();
    left.insert(issue - 700, again);
    assert!(matches!(judge(&left), Verdict::Refused(_)));
    let mut paused = recorded.events[700..].to_vec();
    for event in &mut paused[first - 700..] {
        *event = event.replacen(" 3821.", " 3822.", 1);
    }
    assert!(matches!(judge(&paused), Verdict::Accepted(_)));
    paused.remove(first - 700);
    assert!(matches!(judge(&paused), Verdict::Refused(_)));
}

#[test]
fn tlc_accepts_plugs_that_hold_requests() {
    let recorded = Recorded::plugs("iv_ext4_sync_120files");
    let dir = temp();
    let path = dir.path().join("cut.txt");
    let lines = [&recorded.comments[..], &recorded.events[700..]].concat();
    fs::write(&path, lines.join("\n")).expect("a file");
    let mut command = interlock();
    command.args(["validate", "writeback", "--out"]);
    command.arg(dir.path()).arg(&path);
    let mut assert = command.assert().success();
    for says in [
        "7 events; judged from line 537 on",
        "240 events; judged from line 117 on",
    ] {
        assert = assert.stdout(contains(format!("accepted by the machine and TLC, {says}")));
    }
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

/// What ends while requests are under way is judged up to the last moment without one, and refused of a trace that was recorded at
/// rest. Cut behind each of these events: where that moment is, and how many edits are refused before it and behind.
#[test]
fn direct_writes_that_do_not_end() {
    let recorded = Recorded::of("dio", "ii_ext4_unwritten_1024");
    let quiet = |events: &[String]| {
        let mut flying = 0;
        let mut quiet = 0;
        for (place, event) in events.iter().enumerate() {
            flying += usize::from(event.contains(": iomap_dio_rw_begin:"));
            flying -= usize::from(event.contains(": iomap_dio_complete:"));
            if flying == 0 {
                quiet = place;
            }
        }
        quiet
    };
    let mut found = Vec::new();
    for cut in [160, 250, 330] {
        let left = &recorded.events[..cut];
        let judged = recorded.judge(left, true);
        assert!(matches!(judged, Verdict::Accepted(Some(_))), "{judged:?}");
        let Verdict::Refused(why) = recorded.judge(left, false) else {
            panic!("it is accepted as one that was recorded at rest");
        };
        assert!(
            why.contains("it ends while a request is under way"),
            "{why}"
        );
        let last = quiet(left);
        let mut refused = [0, 0];
        for place in (40..cut).step_by(7) {
            let mut edited = left.to_vec();
            edited.remove(place);
            if let Verdict::Refused(_) = recorded.judge(&edited, true) {
                refused[usize::from(place > last)] += 1;
            }
        }
        found.push((cut, last, refused));
    }
    assert_eq!(
        found,
        [(160, 157, [8, 0]), (250, 231, [9, 0]), (330, 320, [11, 0])]
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
        ("writeback", "iv_xfs_sync_120files", 100, UNKNOWN),
        ("writeback", "iv_ext4_bg_strictlimit", 200, UNKNOWN),
        (
            "writeback",
            "iv_ext4_bg_strictlimit",
            1640,
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
