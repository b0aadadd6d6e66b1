//! Traces of other releases than 6.18: each is a behaviour by its own kernel's table, and, where releases can be told apart, of no other.

mod runner;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use assert_cmd::assert::OutputAssertExt as _;
use interlock::rwsem::policy::Policy;
use interlock_traces::kernel::{self, Reading, projections};
use interlock_traces::recording::Trace;
use interlock_traces::validate::protocol::Protocol;
use interlock_traces::validate::search::Found;
use predicates::str::contains;
use runner::{interlock, root, temp, tools};
use tempfile::TempDir;

/// A recorded trace, and the releases whose tables refuse it, with what they say.
struct Recorded {
    file: &'static str,
    area: &'static str,
    /// Accepted by the tables of these, the first of which has written it.
    accepted: &'static [&'static str],
    refused: &'static [(&'static str, &'static str)],
}

#[rustfmt::skip]
const RECORDED: &[Recorded] = &[
    Recorded {
        file: "k419_rwsem",
        area: "rwsem",
        accepted: &["4.19"],
        refused: &[
            ("5.10", "Take(w6): it is not enabled"),
            ("6.1", "Take(w6): it is not enabled"),
        ],
    },
    Recorded {
        file: "k510_rwsem",
        area: "rwsem",
        accepted: &["5.10"],
        refused: &[("6.1", "Spin(r8): it is not enabled")],
    },
    // A writer demands a lock that nobody has, because a reader that does not get it is in its count.
    Recorded {
        file: "k510_rwsem_share",
        area: "rwsem",
        accepted: &["5.10", "6.1"],
        refused: &[("4.19", "Queue(w6): it is not enabled")],
    },
    // A writer is refused a lock that nobody has, and queues, because a reader that queues behind it is in its count.
    Recorded {
        file: "k73_rwsem_share",
        area: "rwsem",
        accepted: &["7.3", "6.1"],
        refused: &[("5.10", "Enter(r6): it is not enabled")],
    },
    Recorded {
        file: "k510_rwsem_spin",
        area: "rwsem",
        accepted: &["5.10"],
        refused: &[("6.1", "it is not enabled")],
    },
    // A reader steals past the queue without having spun.
    Recorded {
        file: "k72_rwsem",
        area: "rwsem",
        accepted: &["7.2", "7.3", "6.18", "6.1"],
        refused: &[
            ("4.19", "it is not enabled"),
            ("5.10", "Enter(r5): it is not enabled"),
        ],
    },
    Recorded {
        file: "k510_dio_written",
        area: "dio",
        accepted: &["5.10", "6.1"],
        refused: &[
            ("6.18", "drains r1 is FALSE after it, and was seen as TRUE"),
            ("7.3", "drains r1 is FALSE after it, and was seen as TRUE"),
        ],
    },
    Recorded {
        file: "k61_dio_unwritten",
        area: "dio",
        accepted: &["6.1", "5.10"],
        refused: &[
            ("6.18", "drains r1 is FALSE after it, and was seen as TRUE"),
            ("7.3", "drains r1 is FALSE after it, and was seen as TRUE"),
        ],
    },
    Recorded {
        file: "k612_dio_extending",
        area: "dio",
        accepted: &["6.12", "6.17", "6.18", "7.2"],
        refused: &[
            ("6.1", "and was seen as"),
            ("7.3", "and was seen as"),
        ],
    },
    Recorded {
        file: "k72_dio_growing",
        area: "dio",
        accepted: &["7.2", "7.3", "6.12"],
        refused: &[("6.1", "and was seen as")],
    },
    Recorded {
        file: "k73_dio_extending",
        area: "dio",
        accepted: &["7.3"],
        refused: &[
            ("6.1", "and was seen as"),
            ("7.2", "and was seen as"),
        ],
    },
    // A writer is seen in its slow path when the holder that sent it there has gone.
    Recorded {
        file: "k612_rwsem_late",
        area: "rwsem",
        accepted: &["6.12", "6.1"],
        refused: &[("5.10", "Sleep(w1): it is not enabled")],
    },
    // In 5.10 a synchronous write waits, whether it is made to or not.
    Recorded {
        file: "k510_dio_across",
        area: "dio",
        accepted: &["5.10", "6.1"],
        refused: &[("6.18", "drains r1 is FALSE after it, and was seen as TRUE")],
    },
    // Up to 6.4 who has the lock alone looks up nothing: neither an unaligned write, nor one that has given up the shared lock for it.
    Recorded {
        file: "k61_dio_across",
        area: "dio",
        accepted: &["6.1", "5.10"],
        refused: &[
            ("6.18", "drains r1 is FALSE after it, and was seen as TRUE"),
            ("7.3", "drains r1 is FALSE after it, and was seen as TRUE"),
        ],
    },
    // What 7.3 looks up of a write over two blocks: nothing if it is aligned, else its first block, and then perhaps its last one.
    Recorded {
        file: "k73_dio_across",
        area: "dio",
        accepted: &["7.3"],
        refused: &[
            ("6.1", "it is not enabled"),
            ("7.2", "wait r2 is TRUE after it, and was seen as FALSE"),
        ],
    },
    Recorded {
        file: "k612_jbd2_nolock",
        area: "jbd2",
        accepted: &["6.12", "7.3"],
        refused: &[("6.1", "it is not enabled")],
    },
    Recorded {
        file: "k61_writeback",
        area: "writeback",
        accepted: &["6.1", "5.10", "6.18"],
        refused: &[],
    },
];

fn path(file: &str) -> PathBuf {
    root().join(format!("tests/kernel/{file}.txt.gz"))
}

/// What the machine says of a file: why it refuses it, or nothing.
fn judge(area: &str, path: &Path, judged_as: Option<&str>) -> Result<Vec<String>> {
    let mut refused = Vec::new();
    let mut each = |trace: Trace| {
        match Protocol::of(area, &trace)?.search(&trace)? {
            Found::Accepted => {}
            Found::Refused(refusal) => {
                let why = refusal.next.iter().map(|(place, why)| {
                    let event = &trace.events[*place];
                    format!("{}({}): {why}", event.action, event.args.join(", "))
                });
                refused.extend(why);
                refused.push(format!("after {}", refusal.fit));
            }
            Found::TooWide => refused.push("too wide".to_owned()),
        }
        Ok(())
    };
    let reading = Reading {
        kernel: None,
        judged_as: judged_as.map(str::to_owned),
        midway: false,
    };
    kernel::read(path, &reading, projections::of_area(area)?, &mut each)?;
    Ok(refused)
}

#[test]
fn a_kernel_does_what_its_own_table_says() {
    for Recorded {
        file,
        area,
        accepted,
        ..
    } in RECORDED
    {
        assert_eq!(
            judge(area, &path(file), None).expect(file),
            [""; 0],
            "{file}"
        );
        for release in *accepted {
            let refused = judge(area, &path(file), Some(release)).expect(file);
            assert_eq!(refused, [""; 0], "{file} as {release}");
        }
    }
}

#[test]
fn and_not_what_anothers_says() {
    for Recorded {
        file,
        area,
        refused,
        ..
    } in RECORDED
    {
        for (release, says) in *refused {
            let said = judge(area, &path(file), Some(release)).expect(file);
            let tells = said.iter().any(|line| line.contains(says));
            assert!(tells, "{file} as {release}: {said:#?}");
        }
    }
}

/// The drains that probes show are asked of TLC too.
#[test]
fn tlc_says_the_same() {
    tools();
    for (file, area) in [("k72_dio_growing", "dio"), ("k61_dio_unwritten", "dio")] {
        let dir = temp();
        let mut command = interlock();
        command
            .args(["validate", area, "--at-rest"])
            .arg(path(file));
        let run = command.arg("--out").arg(dir.path()).assert().code(0);
        run.stdout(contains("accepted by the machine and TLC"));
    }
}

/// The lock's word too, up to the first hand-off; and that it cannot be taken back.
#[test]
fn tlc_sees_the_word() {
    tools();
    let wake = |lines: &[String]| find(lines, 0, &["interlock_mark_wake:", "count=0x6"]);
    let mut lines = recorded("k72_rwsem");
    lines.truncate(wake(&lines) + 22);
    let mut edited = lines.clone();
    edited[wake(&lines)] = lines[wake(&lines)].replace("count=0x6", "count=0x2");
    for (lines, status, says) in [
        (lines, 0, "accepted by the machine and TLC"),
        (edited, 1, "refused by the machine and TLC"),
    ] {
        let (dir, file) = written(&lines);
        let mut command = interlock();
        command.args(["validate", "rwsem", "--at-rest"]).arg(&file);
        let run = command.arg("--out").arg(dir.path()).assert().code(status);
        run.stdout(contains(says));
    }
}

/// An edit of a recorded trace, and how it is refused.
struct Case {
    what: &'static str,
    of: (&'static str, &'static str),
    edit: fn(&mut Vec<String>),
    says: &'static str,
}

/// The place of the `nth` line that has all these parts.
fn find(lines: &[String], nth: usize, parts: &[&str]) -> usize {
    let has = |place: &usize| parts.iter().all(|part| lines[*place].contains(part));
    let found = (0..lines.len()).filter(has).nth(nth);
    found.unwrap_or_else(|| panic!("no line {nth} with {parts:?}"))
}

/// The lines of the `nth` slow path of the inode's lock, to write or to read, that its task has left without a wait.
fn steal(lines: &[String], nth: usize, kind: &str) -> Vec<usize> {
    let task = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let asks = |place: usize| {
        let before = lines[..place].iter().rev();
        let mut own = before.filter(|line| task(line) == task(&lines[place]));
        own.next().is_some_and(|line| line.contains("IOLOCK"))
    };
    let is_slow = |place: &usize| {
        let line = &lines[*place];
        line.contains("interlock_slow_path:") && line.contains(kind) && asks(*place)
    };
    let paths = (0..lines.len()).filter(is_slow).map(|place| {
        let ends = |at: &usize| {
            ["interlock_slow_path_end:", "contention_begin:"]
                .iter()
                .any(|end| lines[*at].contains(end))
        };
        let own: Vec<usize> = (place..lines.len())
            .filter(|at| task(&lines[*at]) == task(&lines[place]))
            .collect();
        let end = own.iter().position(ends).map_or(own.len(), |end| end + 1);
        own[..end].to_vec()
    });
    let last = |path: &Vec<usize>| lines[path[path.len() - 1]].contains("slow_path_end");
    paths.filter(last).nth(nth).expect("a steal")
}

/// Leaves out those of the lines that have this.
fn leave_out(lines: &mut Vec<String>, mut places: Vec<usize>, part: &str) {
    places.retain(|place| lines[*place].contains(part));
    for place in places.into_iter().rev() {
        lines.remove(place);
    }
}

const RWSEM_510: (&str, &str) = ("rwsem", "k510_rwsem_spin");
const RWSEM_72: (&str, &str) = ("rwsem", "k72_rwsem");
const DIO_61: (&str, &str) = ("dio", "k61_dio_unwritten");
const DIO_73: (&str, &str) = ("dio", "k73_dio_extending");

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case {
        what: "an exclusive write does not drain",
        of: DIO_61,
        edit: |lines| {
            let wait = find(lines, 0, &["interlock_dio_wait:"]);
            lines.drain(wait..=wait + 1);
        },
        says: "is TRUE after it, and was seen as FALSE",
    },
    Case {
        what: "it is not made to wait",
        of: DIO_61,
        edit: |lines| {
            let begin = find(lines, 2, &["interlock_dio_begin:"]);
            lines[begin] = lines[begin].replace("dio_flags=0x1", "dio_flags=0x0");
        },
        says: "is TRUE after it, and was seen as FALSE",
    },
    Case {
        what: "one of 7.3 that need not zero any more is made to wait",
        of: DIO_73,
        edit: |lines| {
            let begin = find(lines, 0, &["iomap_dio_rw_begin:", "dio_flags  aio"]);
            lines[begin] = lines[begin].replace("dio_flags  aio", "dio_flags DIO_FORCE_WAIT aio");
        },
        says: "is FALSE after it, and was seen as TRUE",
    },
    Case {
        what: "an aligned write has looked for nothing",
        of: ("dio", "k61_dio_across"),
        edit: |lines| {
            let last = find(lines, 1, &["wl-w0-", "interlock_dio_begin:"]);
            lines.remove(last - 1);
        },
        says: "nobody has looked up its mapping before",
    },
    Case {
        what: "it has found the block written, and does not upgrade",
        of: ("dio", "k61_dio_across"),
        edit: |lines| {
            let begins = find(lines, 1, &["wl-w0-", "interlock_dio_begin:"]);
            lines[begins - 1] = lines[begins - 1].replace(" UR", " WR");
        },
        says: "extent 2 is \"written\" after it, and was seen as \"unwritten\"",
    },
    Case {
        what: "a check of 7.3 has found the first block written, and does not look at the last one",
        of: ("dio", "k73_dio_across"),
        edit: |lines| {
            let last = find(lines, 1, &["wl-w3-", "found 1 [1/1)"]);
            lines.remove(last);
        },
        says: "the look-up of its last block, behind that of its first one, is missing",
    },
    Case {
        what: "another check does not, and is made again",
        of: ("dio", "k73_dio_across"),
        edit: |lines| {
            let last = find(lines, 0, &["wl-w3-", "found 1 [1/1)"]);
            lines.remove(last);
        },
        says: "a look-up that has found the blocks from 0 to 1, by a task that writes to block 1",
    },
    Case {
        what: "it has found the last block written, which is not",
        of: ("dio", "k73_dio_across"),
        edit: |lines| {
            let last = find(lines, 1, &["wl-w3-", "found 1 [1/1)"]);
            lines[last] = lines[last].replace(" UR", " WR");
        },
        says: "extent 1 is \"unwritten\" after it, and was seen as \"written\"",
    },
    Case {
        what: "a write over two blocks has looked at none",
        of: ("dio", "k73_dio_across"),
        edit: |lines| {
            let begins = find(lines, 0, &["wl-w2-", "iomap_dio_rw_begin:"]);
            let looks = |place: &usize| lines[*place].contains("wl-w2-") && lines[*place].contains("es_lookup");
            let looks: Vec<usize> = (0..begins).rev().filter(looks).collect();
            looks.into_iter().for_each(|place| drop(lines.remove(place)));
        },
        says: "nobody has looked up its mapping before",
    },
    Case {
        what: "a truncate that grows the file drains",
        of: ("dio", "k72_dio_growing"),
        edit: |lines| {
            let handle = find(lines, 0, &["caller ext4_setattr+"]);
            let event = |name: &str| {
                let (head, _) = lines[handle].split_once("ext4_journal_start").expect("its name");
                format!("{head}{name}: (inode_dio_wait+0x4/0xc0)")
            };
            let both = ["interlock_dio_wait", "interlock_dio_wait_end"].map(event);
            lines.splice(handle..handle, both);
        },
        says: "Lock(\"r2\"): it is not enabled",
    },
    Case {
        what: "a writer has the lock past the queue at its first try",
        of: RWSEM_72,
        edit: |lines| leave_out(lines, steal(lines, 0, "WRITE"), "interlock_"),
        says: "Enter(w4): it is not enabled",
    },
    Case {
        what: "a writer in the slow path has not spun",
        of: RWSEM_72,
        edit: |lines| leave_out(lines, steal(lines, 0, "WRITE"), "interlock_osq_lock"),
        says: "Enter(w4): it is not enabled",
    },
    Case {
        what: "a reader has the lock past the queue at its first try",
        of: RWSEM_72,
        edit: |lines| leave_out(lines, steal(lines, 0, "READ"), "interlock_slow_path"),
        says: "Enter(r5): it is not enabled",
    },
    Case {
        what: "a reader spins",
        of: RWSEM_72,
        edit: |lines| {
            let slow = steal(lines, 0, "READ")[0];
            let (head, _) = lines[slow].split_once("interlock_slow_path").expect("its name");
            let spin = format!("{head}interlock_osq_lock: (osq_lock+0x4/0x110)");
            lines.insert(slow + 1, spin);
        },
        says: "Spin(r5): it is not enabled",
    },
    Case {
        what: "the hand-off is taken back",
        of: RWSEM_72,
        edit: |lines| {
            let wake = find(lines, 0, &["interlock_mark_wake:", "count=0x6"]);
            lines[wake] = lines[wake].replace("count=0x6", "count=0x2");
        },
        says: "handoff is TRUE, and was seen as FALSE",
    },
    Case {
        what: "who is first asks for the lock of those who share it, though it does not run",
        of: RWSEM_72,
        edit: |lines| {
            let wake = find(lines, 6, &["interlock_mark_wake:", "count=0x102"]);
            lines[wake] = lines[wake].replace("count=0x102", "count=0x106");
        },
        says: "handoff is TRUE, and was seen as FALSE",
    },
    Case {
        what: "a writer steals behind the hand-off",
        of: RWSEM_72,
        edit: |lines| {
            let free = find(lines, 31, &["interlock_mark_wake:", "type=0 count=0x2"]);
            lines[free] = lines[free].replace("count=0x2", "count=0x6");
        },
        says: "Steal(w4): it is not enabled",
    },
    Case {
        what: "a writer is inside where none was",
        of: RWSEM_72,
        edit: |lines| {
            let free = find(lines, 31, &["interlock_mark_wake:", "type=0 count=0x2"]);
            lines[free] = lines[free].replace("count=0x2", "count=0x3");
        },
        says: "written is FALSE, and was seen as TRUE",
    },
    Case {
        what: "a writer that has spun for nothing steals",
        of: RWSEM_510,
        edit: |lines| {
            let end = find(lines, 9, &["interlock_spin_end:", "won=0"]);
            lines[end] = lines[end].replace("won=0", "won=1");
        },
        says: "Steal(w3): it is not enabled",
    },
    Case {
        what: "a reader that has spun for nothing has the lock beside a writer",
        of: RWSEM_510,
        edit: |lines| {
            let own = spins_for_nothing(lines);
            let own: Vec<String> = own.iter().rev().map(|place| lines.remove(*place)).collect();
            // Here a writer is inside.
            let inside = find(lines, 0, &["wl-w0", "9.473762: xfs_ilock:"]);
            let writer = lines[inside].clone();
            let now = own.iter().rev().map(|line| at_once(line, &writer));
            lines.splice(inside..inside, now.collect::<Vec<_>>());
        },
        says: "r6 is \"wait\", and was seen as \"hold\"",
    },
    Case {
        what: "a writer queues at a lock that nobody has or wants",
        of: ("rwsem", "k73_rwsem_share"),
        edit: |lines| {
            // A writer is on its way, and not the reader: that one asks for it behind.
            let queues = find(lines, 0, &["wl-w0-", "contention_begin:"]);
            let writer = find(lines, 0, &["wl-w1-", "xfs_ilock:"]);
            let reader = ["xfs_ilock:", "interlock_slow_path:"].map(|event| find(lines, 0, &["wl-r4-", event]));
            let now = lines[queues].clone();
            let reader = reader.map(|place| at_once(&std::mem::take(&mut lines[place]), &now));
            let slow = find(lines, 0, &["wl-w0-", "interlock_slow_path:"]);
            let writer = at_once(&lines.remove(writer), &lines[slow]);
            lines.splice(queues..=queues, [now].into_iter().chain(reader));
            lines.insert(slow, writer);
            lines.retain(|line| !line.is_empty());
        },
        says: "written is TRUE, and was seen as FALSE",
    },
    Case {
        what: "a reader that has spun is not seen to leave",
        of: ("rwsem", "k510_rwsem"),
        edit: |lines| {
            let spins = find(lines, 0, &["wl-r", "interlock_spin:"]);
            let task = lines[spins].trim_start().split(' ').next().expect("a task").to_owned();
            let left = (spins..lines.len()).find(|place| {
                lines[*place].contains(&task) && lines[*place].contains("xfs_iunlock:") && lines[*place].contains("IOLOCK")
            });
            lines.remove(left.expect("its release"));
        },
        says: "an event is missing",
    },
];

/// The event of a line at the time of another one.
fn at_once(line: &str, now: &str) -> String {
    let time = |line: &str| line.split_whitespace().nth(3).expect("its time").to_owned();
    line.replace(&time(line), &time(now))
}

/// The lines as a file, which is there as long as its folder.
fn written(lines: &[String]) -> (TempDir, PathBuf) {
    let dir = temp();
    let file = dir.path().join("trace.txt");
    fs::write(&file, lines.join("\n") + "\n").expect("a file");
    (dir, file)
}

/// The reader's steal past the queue of [`RWSEM_510`] becomes a spin for nothing. The lines from where it asks for the lock to where it
/// has it.
fn spins_for_nothing(lines: &mut Vec<String>) -> Vec<usize> {
    let end = find(lines, 60, &["interlock_spin_end:", "won=1"]);
    lines[end] = lines[end].replace("won=1", "won=0");
    // It would wake readers after a spin that has won.
    let wake = end + find(&lines[end..], 0, &["wl-r5", "interlock_mark_wake:"]);
    lines.remove(wake);
    let has = end + find(&lines[end..], 0, &["wl-r5", "interlock_slow_path_end:"]);
    let asks = (0..end)
        .rfind(|place| lines[*place].contains("wl-r5") && lines[*place].contains("xfs_ilock:"));
    let own = (asks.expect("its xfs_ilock")..=has).filter(|place| lines[*place].contains("wl-r5"));
    own.collect()
}

/// A reader of 5.10 that has spun for nothing takes the lock past the queue while others have it for reading, or nobody.
#[test]
fn a_reader_that_has_spun_for_nothing_may_pass_the_queue() -> Result<()> {
    let mut lines = recorded(RWSEM_510.1);
    spins_for_nothing(&mut lines);
    let (_dir, edited) = written(&lines);
    assert_eq!(judge("rwsem", &edited, None)?, Vec::<String>::new());
    Ok(())
}

/// A recorded trace without its probes.
fn unprobed(file: &str) -> Vec<String> {
    let mut lines = recorded(file);
    lines.retain(|line| !line.contains("interlock_") && !line.starts_with("# probes"));
    lines
}

/// The lines of a recorded trace.
fn recorded(file: &str) -> Vec<String> {
    let mut text = String::new();
    let mut recorded = kernel::text::open(&path(file)).expect("a recorded trace");
    recorded.read_to_string(&mut text).expect("it is text");
    text.lines().map(str::to_owned).collect()
}

/// Of the designs of `RwsemPolicies.tla` those that behave as these lines.
fn designs(lines: &[String]) -> Vec<&'static str> {
    let (_dir, file) = written(lines);
    let mut traces = Vec::new();
    let mut each = |trace: Trace| {
        traces.push(trace);
        Ok(())
    };
    let projection = projections::of_area("rwsem").expect("the area");
    kernel::read(&file, &Reading::default(), projection, &mut each).expect("a trace");
    let mut does = |policy: &str| {
        traces.iter_mut().all(|trace| {
            let constants = &mut trace.head.constants;
            constants.insert("Policy".into(), format!("<- {policy}"));
            let protocol = Protocol::of("rwsem", trace).expect("the protocol");
            protocol.search(trace).expect("it is read") == Found::Accepted
        })
    };
    let named = Policy::NAMED.iter().map(|(name, _)| *name);
    named.filter(|policy| does(policy)).collect()
}

/// A reader that goes past the queue may have spun before, unless who spins is seen. The third one may do whatever the second may.
#[test]
fn probes_tell_a_steal_from_a_spin() {
    let unseen = ["ReaderSpin53", "Handoff511", "HandoffWakeSkip"];
    assert_eq!(designs(&unprobed("k72_rwsem")), unseen);
    assert_eq!(designs(&recorded("k72_rwsem")), unseen[1..]);
}

#[test]
fn edited_traces_are_refused() {
    let mut others = Vec::new();
    for Case {
        what,
        of: (area, file),
        edit,
        says,
    } in CASES
    {
        let mut lines = recorded(file);
        edit(&mut lines);
        let (_dir, edited) = written(&lines);
        let said = match judge(area, &edited, None) {
            Ok(refused) => refused,
            Err(error) => vec![format!("{error:#}")],
        };
        if !said.iter().any(|line| line.contains(says)) {
            others.push((what, said));
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}
