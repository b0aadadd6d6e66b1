//! What `--bless` writes into a lock.

mod manifests;

use std::collections::BTreeMap;

use interlock_checker::bless;
use interlock_checker::manifest::counts::{Alone, Counts};
use manifests::Copy;

const LOCK: &str = "specs/demo/models.lock";

fn counts(distinct: u64, total: u64) -> Counts {
    Counts {
        distinct: Some(distinct),
        total: Some(total),
        witness: None,
    }
}

#[test]
fn only_the_measured_lines_change() {
    let copy = Copy::clean();
    let old = std::fs::read_to_string(copy.path(LOCK)).expect("the lock");
    let measured = BTreeMap::from([
        ("Fifo-RRW-safety", counts(18, 34)),
        ("Fifo-RW-safety", counts(9, 15)),
    ]);
    let changes = bless::write(&copy.manifest(), &measured).expect("it is written");
    assert_eq!(
        changes,
        ["Fifo-RRW-safety: { distinct = 18, total = 34 } was { distinct = 17, total = 34 }"]
    );
    let new = std::fs::read_to_string(copy.path(LOCK)).expect("the lock");
    let lines: Vec<&str> = new.lines().filter(|line| !line.starts_with('#')).collect();
    let expected = old.replace("distinct = 17", "distinct = 18");
    assert_eq!(lines, expected.lines().collect::<Vec<_>>());
    assert_eq!(
        copy.manifest()
            .model("Fifo-RRW-safety")
            .expect("it is there")
            .distinct,
        Some(18)
    );
}

#[test]
fn what_another_run_has_blessed_meanwhile_stays() {
    let copy = Copy::clean();
    let ours = copy.manifest();
    let theirs = BTreeMap::from([("Fifo-RW-safety", counts(8, 14))]);
    bless::write(&copy.manifest(), &theirs).expect("it is written");
    let copy = copy.edit(LOCK, "Any-RW", "Added = { witness = 1 }\nAny-RW");
    let measured = BTreeMap::from([("Fifo-RRW-safety", counts(18, 34))]);
    bless::write(&ours, &measured).expect("it is written");
    let new = std::fs::read_to_string(copy.path(LOCK)).expect("the lock");
    assert!(
        new.contains("Fifo-RW-safety = { distinct = 8, total = 14 }")
            && new.contains("Fifo-RRW-safety = { distinct = 18, total = 34 }")
            && new.contains("Added = { witness = 1 }"),
        "{new}"
    );
}

#[test]
fn who_blesses_waits_for_who_does() {
    let copy = Copy::clean();
    let area = copy.path("specs/demo");
    let _alone = Alone::in_area(&area).expect("nobody has it");
    let other = std::fs::File::open(copy.path(manifests::CLAIMS)).expect("the table");
    assert!(matches!(
        other.try_lock(),
        Err(std::fs::TryLockError::WouldBlock)
    ));
}

#[test]
fn what_is_measured_no_more_has_no_line() {
    let copy = Copy::clean().edit(LOCK, "Any-RW", "Gone = { witness = 1 }\nAny-RW");
    let measured = BTreeMap::from([("Broken-RW-Mutex", Counts::default())]);
    let changes = bless::write(&copy.manifest(), &measured).expect("it is written");
    assert_eq!(
        changes,
        [
            "Broken-RW-Mutex: nothing was { witness = 5 }",
            "Gone: nothing was { witness = 1 }"
        ]
    );
    let new = std::fs::read_to_string(copy.path(LOCK)).expect("the lock");
    assert!(!new.contains("Broken") && !new.contains("Gone"), "{new}");
}

#[test]
fn nothing_measured_leaves_every_lock_as_it_is() {
    let copy = Copy::clean().edit(LOCK, "Any-RW", "Gone = { witness = 1 }\nAny-RW");
    let old = std::fs::read_to_string(copy.path(LOCK)).expect("the lock");
    let changes = bless::write(&copy.manifest(), &BTreeMap::new()).expect("nothing to write");
    assert_eq!(changes, [""; 0]);
    assert_eq!(
        std::fs::read_to_string(copy.path(LOCK)).expect("the lock"),
        old
    );
}

#[test]
fn a_lock_that_cannot_be_written_is_as_it_was() {
    let copy = Copy::clean();
    std::fs::create_dir(copy.path("specs/demo/models.lock.new")).expect("in the way");
    let measured = BTreeMap::from([("Fifo-RRW-safety", counts(18, 34))]);
    let error = bless::write(&copy.manifest(), &measured).expect_err("it cannot be written");
    assert!(
        error.to_string().contains("models.lock cannot be written"),
        "{error}"
    );
    assert_eq!(
        copy.manifest()
            .model("Fifo-RRW-safety")
            .expect("it is there")
            .distinct,
        Some(17)
    );
}
