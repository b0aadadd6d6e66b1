//! What the bounded runs must find: readers with a fault each.

mod changes;
#[allow(dead_code, reason = "the bounded runs set them all")]
mod limits;

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};

use changes::changed;
use proptest::test_runner::TestError;
use rustix::process::Resource;

/// A count and so many items.
fn seeds() -> Vec<Vec<u8>> {
    vec![b"items 3\n1\n2\n3\n".to_vec(), b"items 1\n250\n".to_vec()]
}

fn count(bytes: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.lines().next()?.strip_prefix("items ")?.parse().ok()
}

#[track_caller]
fn is_found(read: fn(&[u8]), symptom: &str) -> Vec<u8> {
    match changed(read, seeds(), 500) {
        Err(TestError::Fail(why, bytes)) => {
            assert!(why.message().contains(symptom), "{why}");
            bytes
        }
        other => panic!("it is not found: {other:?}"),
    }
}

#[test]
fn a_count_that_is_believed() {
    let found = is_found(
        |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let items: Vec<&str> = text.lines().skip(1).collect();
            (0..count(bytes).unwrap_or(0).min(1000)).for_each(|item| {
                std::hint::black_box(items[item]);
            });
        },
        "index out of bounds",
    );
    assert!(found.starts_with(b"items "));
}

#[test]
fn a_sum_that_overflows() {
    is_found(
        |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let items = text.lines().filter_map(|line| line.parse::<i64>().ok());
            std::hint::black_box(items.fold(1, |all: i64, item| all + item));
        },
        "attempt to add with overflow",
    );
}

/// A test of this file in a process of its own, which its limits end.
fn child(test: &str) -> ExitStatus {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let command = command.args(["--ignored", "--exact", test]);
    let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    ended.expect("this program starts")
}

#[test]
fn memory_without_a_bound() {
    assert_eq!(
        child("takes_memory").signal(),
        Some(6),
        "an allocation fails"
    );
}

#[test]
#[ignore = "it ends its process: `memory_without_a_bound` runs it"]
fn takes_memory() {
    limits::limit(Resource::As, 1 << 29);
    let read = |bytes: &[u8]| {
        let count = count(bytes).unwrap_or(0).min(1 << 40);
        std::hint::black_box(vec![1_u8; count]);
    };
    let _ = changed(read, seeds(), 500);
}

#[test]
fn a_loop_without_an_end() {
    assert_eq!(
        child("goes_round").signal(),
        Some(24),
        "no CPU time is left"
    );
}

#[test]
#[ignore = "it ends its process: `a_loop_without_an_end` runs it"]
fn goes_round() {
    limits::limit(Resource::Cpu, 1);
    let read = |bytes: &[u8]| {
        let mut left = count(bytes).unwrap_or(0);
        // It never is, of an odd count.
        while left != 0 {
            left = left.wrapping_sub(2);
            std::hint::black_box(left);
        }
    };
    let _ = changed(read, vec![b"items 4\n".to_vec()], 500);
}
