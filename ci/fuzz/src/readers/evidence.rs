//! What a run has left, kept as evidence.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::LazyLock;
use std::time::Duration;

use interlock_checker::evidence::Entry;
use interlock_checker::evidence::key::{Key, Question};
use interlock_checker::process::{End, Stop};
use interlock_checker::toolchain::hex_sha256;

use crate::Target;

/// The bytes are an entry without the digest that it begins with: a stranger knows how that is made.
pub const TARGET: Target = Target {
    name: "evidence",
    read,
    seeds,
};

static KEY: LazyLock<Key> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("M.tla"), "---- MODULE M ----\n====\n").expect("there is room");
    let question = Question {
        program: &[],
        arguments: &[],
        cfg: "",
        folder: folder.path(),
        module: "M",
    };
    Key::of(&question).expect("it can be read")
});

fn read(bytes: &[u8]) {
    let digest = hex_sha256(bytes) + "\n";
    let whole = [digest.as_bytes(), bytes].concat();
    match Entry::parse(&whole, &KEY) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(entry) => {
            let again = entry.bytes(&KEY).expect("it is kept");
            let again = Entry::parse(&again, &KEY).expect("what is kept is found");
            assert_eq!(again.status, entry.status);
            assert_eq!(
                (&again.stdout, &again.stderr, &again.edges),
                (&entry.stdout, &entry.stderr, &entry.edges)
            );
            // Without its digest it is none.
            assert!(Entry::parse(bytes, &KEY).is_err());
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let end = End {
        stop: Stop::Exited(ExitStatus::from_raw(12 << 8)),
        took: Duration::from_millis(1500),
        cpu: Duration::from_millis(2500),
        peak: 1 << 28,
    };
    let edges = [None, Some(Vec::new()), Some(b"1 a 2\n".to_vec())];
    let seed = |edges| {
        let entry = Entry::new(end, b"found\n".to_vec(), b"told\n".to_vec(), edges);
        let bytes = entry
            .expect("it has ended")
            .bytes(&KEY)
            .expect("it is kept");
        let digest = bytes.iter().position(|byte| *byte == b'\n');
        bytes[digest.expect("a line") + 1..].to_vec()
    };
    let mut seeds: Vec<Vec<u8>> = edges.map(seed).into();
    // Its parts together are longer than a number can say.
    let head = seeds[1]
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("a line");
    let (head, packed) = seeds[1].split_at(head);
    let head = String::from_utf8_lossy(head);
    let longest = head.replace("\"stdout\":6", &format!("\"stdout\":{}", u64::MAX));
    seeds.push([longest.as_bytes(), packed].concat());
    seeds
}
