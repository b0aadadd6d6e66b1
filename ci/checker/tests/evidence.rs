//! What is kept of a run answers the same question, and no other.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, SystemTime};

use interlock_checker::evidence::key::{Key, Question};
use interlock_checker::evidence::{Entry, Evidence};
use interlock_checker::process::{End, Stop};
use tempfile::TempDir;

/// A folder with a specification: `MC` extends `Base`, which instantiates `Part`; nothing takes in `Other`.
fn folder() -> TempDir {
    let dir = TempDir::new().expect("a directory");
    let write = |name: &str, text: &str| {
        let text = format!("---- MODULE {name} ----\n{text}\n====\n");
        fs::write(dir.path().join(format!("{name}.tla")), text).expect("a module");
    };
    write("MC", "EXTENDS Base, Naturals");
    write("Base", "P == INSTANCE Part WITH x <- 1");
    write("Part", "CONSTANT x");
    write("Other", "EXTENDS MC");
    dir
}

fn key(folder: &Path, program: &str, argument: &str, cfg: &str, module: &str) -> Key {
    Key::of(&Question {
        program: &["java 17".to_owned(), program.to_owned()],
        arguments: &["-fp".to_owned(), argument.to_owned()],
        cfg,
        folder,
        module,
    })
    .expect("a key")
}

fn usual(folder: &Path) -> Key {
    key(folder, "jar", "0", "SPECIFICATION Spec", "MC")
}

#[test]
fn one_byte_of_any_part_of_the_question_makes_another_key() {
    let dir = folder();
    let folder = dir.path();
    let same = usual(folder);
    assert_eq!(same, usual(folder));
    let others = [
        key(folder, "jas", "0", "SPECIFICATION Spec", "MC"),
        key(folder, "jar", "1", "SPECIFICATION Spec", "MC"),
        key(folder, "jar", "0", "SPECIFICATION Sped", "MC"),
        key(folder, "jar", "0", "SPECIFICATION Spec", "Other"),
    ];
    for other in others {
        assert_ne!(same, other);
    }
    for module in ["MC", "Base", "Part"] {
        let path = folder.join(format!("{module}.tla"));
        let text = fs::read_to_string(&path).expect("a module");
        fs::write(&path, format!("{text} ")).expect("a module");
        assert_ne!(same, usual(folder), "{module} has changed");
        fs::write(&path, text).expect("a module");
        assert_eq!(same, usual(folder));
    }
}

#[test]
fn a_module_that_nothing_takes_in_does_not_count() {
    let dir = folder();
    let same = usual(dir.path());
    fs::write(dir.path().join("Other.tla"), "changed").expect("a module");
    assert_eq!(same, usual(dir.path()));
}

#[test]
fn a_module_in_the_place_of_a_standard_one_counts() {
    let dir = folder();
    let same = usual(dir.path());
    for standard in ["Naturals", "Sequences"] {
        let path = dir.path().join(format!("{standard}.tla"));
        fs::write(&path, "---- MODULE ----\n====\n").expect("a module");
        assert_ne!(same, usual(dir.path()), "{standard}");
        fs::remove_file(path).expect("removed");
    }
}

fn entry(stdout: &[u8]) -> Entry {
    let end = End {
        stop: Stop::Exited(ExitStatus::from_raw(13 << 8)),
        took: Duration::from_millis(1250),
        cpu: Duration::from_millis(2500),
        peak: 123 << 20,
    };
    let edges = Some(b"edges".to_vec());
    Entry::new(end, stdout.to_vec(), b"stderr".to_vec(), edges).expect("it ended by itself")
}

fn file(dir: &Path, key: &Key) -> PathBuf {
    dir.join(format!("{}.evidence", key.digest()))
}

#[test]
fn an_entry_is_what_was_kept() {
    let (spec, dir) = (folder(), TempDir::new().expect("a directory"));
    let key = usual(spec.path());
    let evidence = Evidence::at(dir.path().join("new"), 1 << 20, false);
    assert_eq!(evidence.find(&key), None);
    evidence.keep(&key, &entry(b"stdout"));
    assert_eq!(evidence.find(&key), Some(entry(b"stdout")));
    let end = entry(b"stdout").end();
    assert_eq!(end.stop, Stop::Exited(ExitStatus::from_raw(13 << 8)));
    assert_eq!(end.cpu, Duration::from_millis(2500));
}

#[test]
fn a_killed_run_is_no_evidence() {
    for stop in [Stop::Budget, Stop::Interrupted] {
        let end = End {
            stop,
            ..entry(b"").end()
        };
        assert_eq!(Entry::new(end, Vec::new(), Vec::new(), None), None);
    }
}

#[test]
fn an_entry_that_was_changed_or_cut_off_is_not_used() {
    let (spec, dir) = (folder(), TempDir::new().expect("a directory"));
    let key = usual(spec.path());
    let evidence = Evidence::at(dir.path().to_owned(), 1 << 20, false);
    evidence.keep(&key, &entry(b"stdout"));
    let path = file(dir.path(), &key);
    let whole = fs::read(&path).expect("an entry");
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        fs::write(&path, changed).expect("an entry");
        assert_eq!(evidence.find(&key), None, "byte {place} is changed");
        fs::write(&path, &whole[..place]).expect("an entry");
        assert_eq!(evidence.find(&key), None, "cut off at {place}");
    }
    fs::write(&path, whole).expect("an entry");
    assert!(evidence.find(&key).is_some());
}

#[test]
fn an_entry_under_the_name_of_another_is_not_used() {
    let (spec, dir) = (folder(), TempDir::new().expect("a directory"));
    let (one, other) = (
        usual(spec.path()),
        key(spec.path(), "jar", "1", "SPECIFICATION Spec", "MC"),
    );
    let evidence = Evidence::at(dir.path().to_owned(), 1 << 20, false);
    evidence.keep(&one, &entry(b"stdout"));
    fs::copy(file(dir.path(), &one), file(dir.path(), &other)).expect("a copy");
    assert_eq!(evidence.find(&other), None);
}

#[test]
fn fresh_uses_none_and_replaces_it() {
    let (spec, dir) = (folder(), TempDir::new().expect("a directory"));
    let key = usual(spec.path());
    let evidence = |fresh| Evidence::at(dir.path().to_owned(), 1 << 20, fresh);
    evidence(false).keep(&key, &entry(b"old"));
    assert_eq!(evidence(true).find(&key), None);
    evidence(true).keep(&key, &entry(b"new"));
    assert_eq!(evidence(false).find(&key), Some(entry(b"new")));
}

#[test]
fn what_was_used_last_is_kept_within_the_limit() {
    let (spec, dir) = (folder(), TempDir::new().expect("a directory"));
    let keys: Vec<Key> = ["0", "1", "2"]
        .map(|argument| key(spec.path(), "jar", argument, "SPECIFICATION Spec", "MC"))
        .into();
    let all = Evidence::at(dir.path().to_owned(), 1 << 20, false);
    for (key, ago) in keys.iter().zip([300, 200, 100]) {
        all.keep(key, &entry(b"stdout"));
        let file = fs::File::open(file(dir.path(), key)).expect("an entry");
        let then = SystemTime::now() - Duration::from_secs(ago);
        file.set_modified(then).expect("its time");
    }
    // the oldest one is used
    assert!(all.find(&keys[0]).is_some());
    let one = fs::metadata(file(dir.path(), &keys[0])).expect("an entry");
    Evidence::at(dir.path().to_owned(), 2 * one.len() + 20, false)
        .trim()
        .expect("trimmed");
    let left: Vec<bool> = keys.iter().map(|key| all.find(key).is_some()).collect();
    assert_eq!(left, [true, false, true]);
}
