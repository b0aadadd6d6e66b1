//! Edited traces of other releases than 6.18: each is refused, with its reason.

mod recorded;
mod runner;

use std::path::Path;

use anyhow::Result;
use interlock_traces::kernel::Reading;
use recorded::{at, find, lines, put, written};

/// An edit of a recorded trace, and how it is refused.
struct Case {
    what: &'static str,
    of: (&'static str, &'static str),
    edit: fn(&mut Vec<String>),
    says: &'static str,
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
            put(lines, 2, &["interlock_dio_begin:"], "dio_flags=0x1", "dio_flags=0x0");
        },
        says: "is TRUE after it, and was seen as FALSE",
    },
    Case {
        what: "one of 7.3 that need not zero any more is made to wait",
        of: DIO_73,
        edit: |lines| {
            put(lines, 0, &["iomap_dio_rw_begin:", "dio_flags  aio"], "dio_flags  aio", "dio_flags DIO_FORCE_WAIT aio");
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
            put(lines, 1, &["wl-w3-", "found 1 [1/1)"], " UR", " WR");
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
            put(lines, 0, &["interlock_mark_wake:", "count=0x6"], "count=0x6", "count=0x2");
        },
        says: "handoff is TRUE, and was seen as FALSE",
    },
    Case {
        what: "who is first asks for the lock of those who share it, though it does not run",
        of: RWSEM_72,
        edit: |lines| {
            put(lines, 6, &["interlock_mark_wake:", "count=0x102"], "count=0x102", "count=0x106");
        },
        says: "handoff is TRUE, and was seen as FALSE",
    },
    Case {
        what: "a writer steals behind the hand-off",
        of: RWSEM_72,
        edit: |lines| {
            put(lines, 31, &["interlock_mark_wake:", "type=0 count=0x2"], "count=0x2", "count=0x6");
        },
        says: "Steal(w4): it is not enabled",
    },
    Case {
        what: "a writer is inside where none was",
        of: RWSEM_72,
        edit: |lines| {
            put(lines, 31, &["interlock_mark_wake:", "type=0 count=0x2"], "count=0x2", "count=0x3");
        },
        says: "written is FALSE, and was seen as TRUE",
    },
    Case {
        what: "a writer that has spun for nothing steals",
        of: RWSEM_510,
        edit: |lines| {
            put(lines, 9, &["interlock_spin_end:", "won=0"], "won=0", "won=1");
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
            let now = own.iter().rev().map(|line| at(line, &writer));
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
            let reader = reader.map(|place| at(&std::mem::take(&mut lines[place]), &now));
            let slow = find(lines, 0, &["wl-w0-", "interlock_slow_path:"]);
            let writer = at(&lines.remove(writer), &lines[slow]);
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

/// Why the machine refuses a file, or nothing.
fn judge(area: &str, path: &Path) -> Result<Vec<String>> {
    recorded::judge(area, path, &Reading::default(), None)
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
    let mut lines = lines(RWSEM_510.1);
    spins_for_nothing(&mut lines);
    let (_dir, edited) = written(&lines);
    assert_eq!(judge("rwsem", &edited)?, Vec::<String>::new());
    Ok(())
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
        let mut lines = lines(file);
        edit(&mut lines);
        let (_dir, edited) = written(&lines);
        let said = match judge(area, &edited) {
            Ok(refused) => refused,
            Err(error) => vec![format!("{error:#}")],
        };
        if !said.iter().any(|line| line.contains(says)) {
            others.push((what, said));
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}
