//! Traces of other releases than 6.18: each is a behaviour by its own kernel's table, and, where releases can be told apart, of no other.

mod recorded;
mod runner;

use anyhow::Result;
use assert_cmd::assert::OutputAssertExt as _;
use interlock::rwsem::policy::Policy;
use interlock_traces::kernel::Reading;
use predicates::str::contains;
use recorded::{find, lines, path, put, written};
use runner::{interlock, temp, tools};

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

/// Why a recorded trace is refused by the table of this release, or of its own; or nothing.
fn judge(area: &str, file: &str, judged_as: Option<&str>) -> Result<Vec<String>> {
    let reading = Reading {
        judged_as: judged_as.map(str::to_owned),
        ..Reading::default()
    };
    recorded::judge(area, &path(file), &reading, None)
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
        assert_eq!(judge(area, file, None).expect(file), [""; 0], "{file}");
        for release in *accepted {
            let refused = judge(area, file, Some(release)).expect(file);
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
            let said = judge(area, file, Some(release)).expect(file);
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
    let wake = ["interlock_mark_wake:", "count=0x6"];
    let mut lines = lines("k72_rwsem");
    lines.truncate(find(&lines, 0, &wake) + 22);
    let mut edited = lines.clone();
    put(&mut edited, 0, &wake, "count=0x6", "count=0x2");
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

/// A recorded trace without its probes.
fn unprobed(file: &str) -> Vec<String> {
    let mut lines = lines(file);
    lines.retain(|line| !line.contains("interlock_") && !line.starts_with("# probes"));
    lines
}

/// Of the designs of `RwsemPolicies.tla` those that behave as these lines.
fn designs(lines: &[String]) -> Vec<&'static str> {
    let (_dir, file) = written(lines);
    let does = |policy: &str| {
        let refused = recorded::judge("rwsem", &file, &Reading::default(), Some(policy));
        refused.expect("a trace").is_empty()
    };
    let named = Policy::NAMED.iter().map(|(name, _)| *name);
    named.filter(|policy| does(policy)).collect()
}

/// A reader that goes past the queue may have spun before, unless who spins is seen. The third one may do whatever the second may.
#[test]
fn probes_tell_a_steal_from_a_spin() {
    let unseen = ["ReaderSpin53", "Handoff511", "HandoffWakeSkip"];
    assert_eq!(designs(&unprobed("k72_rwsem")), unseen);
    assert_eq!(designs(&lines("k72_rwsem")), unseen[1..]);
}
