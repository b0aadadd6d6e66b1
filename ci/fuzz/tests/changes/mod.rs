//! Seeds with a few changes, of which proptest makes a fixed number, and a small one of what fails.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};

/// What a number in a text becomes: where counters and their arithmetic have their ends.
const NUMBERS: [&str; 12] = [
    "0",
    "1",
    "-1",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999",
    "1000000",
];

/// What a part of a text becomes: the signs that formats are made of.
const SIGNS: [&str; 14] = [
    "", "\n", "\"", "\\", "{", "}", "[", "]", "<<", ">>", ":", "..", "\u{0}", "é",
];

#[derive(Debug, Clone)]
enum Change {
    Bit(Index, u32),
    Word([u8; 4], Index),
    Remove(Index, Index),
    Repeat(Index, Index),
    Sign(Index, &'static str),
    Number(Index, &'static str),
    RemoveLine(Index),
    RepeatLine(Index),
    SwapLines(Index),
    /// What another seed has from there on.
    Splice(Index, Vec<u8>, Index),
}

fn change(seeds: &'static [Vec<u8>]) -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        2 => (at(), 0..8_u32).prop_map(|(at, bit)| Change::Bit(at, bit)),
        2 => (select(&[[0; 4], [0xff; 4], [0x7f, 0xff, 0xff, 0xff], [0, 0, 0, 9]][..]), at())
            .prop_map(|(word, at)| Change::Word(word, at)),
        1 => (at(), at()).prop_map(|(from, to)| Change::Remove(from, to)),
        1 => (at(), at()).prop_map(|(from, to)| Change::Repeat(from, to)),
        2 => (at(), select(&SIGNS[..])).prop_map(|(at, sign)| Change::Sign(at, sign)),
        4 => (at(), select(&NUMBERS[..])).prop_map(|(at, number)| Change::Number(at, number)),
        1 => at().prop_map(Change::RemoveLine),
        1 => at().prop_map(Change::RepeatLine),
        1 => at().prop_map(Change::SwapLines),
        1 => (at(), select(seeds), at()).prop_map(|(at, other, from)| Change::Splice(at, other, from)),
    ]
}

/// Bytes that repeats may grow to.
const LARGEST: usize = 1 << 17;

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let length = bytes.len();
        let part = |from: &Index, to: &Index| {
            let (from, to) = (from.index(length), to.index(length));
            from.min(to)..from.max(to)
        };
        match self {
            Change::Bit(at, bit) => bytes[at.index(length)] ^= 1 << bit,
            Change::Word(word, at) => {
                let at = at.index(length) & !3;
                let end = length.min(at + 4);
                bytes[at..end].copy_from_slice(&word[..end - at]);
            }
            Change::Remove(from, to) => drop(bytes.drain(part(from, to))),
            Change::Repeat(from, to) => {
                let part = part(from, to);
                if length + part.len() <= LARGEST {
                    let again = bytes[part.clone()].to_vec();
                    bytes.splice(part.end..part.end, again);
                }
            }
            Change::Sign(at, sign) => {
                let at = at.index(length);
                bytes.splice(at..at + 1, sign.bytes());
            }
            Change::Number(at, number) => {
                let numbers: Vec<_> = numbers(bytes).collect();
                if !numbers.is_empty() {
                    bytes.splice(numbers[at.index(numbers.len())].clone(), number.bytes());
                }
            }
            Change::RemoveLine(at) => lines(bytes, |lines| {
                lines.remove(at.index(lines.len()));
            }),
            Change::RepeatLine(at) => lines(bytes, |lines| {
                let at = at.index(lines.len());
                lines.insert(at, lines[at]);
            }),
            Change::SwapLines(at) => lines(bytes, |lines| {
                let (at, last) = (at.index(lines.len()), lines.len() - 1);
                lines.swap(at, last.min(at + 1));
            }),
            Change::Splice(at, other, from) => {
                if !other.is_empty() {
                    bytes.truncate(at.index(length));
                    bytes.extend(&other[from.index(other.len())..]);
                }
            }
        }
    }
}

fn lines(bytes: &mut Vec<u8>, change: impl FnOnce(&mut Vec<&[u8]>)) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    change(&mut lines);
    *bytes = lines.concat();
}

/// The decimal numbers of a text, by their places.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = at + bytes[at..].iter().position(u8::is_ascii_digit)?;
        let end = bytes[from..].iter().position(|byte| !byte.is_ascii_digit());
        at = end.map_or(bytes.len(), |end| from + end);
        Some(from..at)
    })
}

/// Hands each seed to `read`, and so many changed ones.
///
/// # Errors
/// The smallest changed seed that was found with which `read` panics.
pub fn changed(read: fn(&[u8]), seeds: Vec<Vec<u8>>, cases: u32) -> Result<(), TestError<Vec<u8>>> {
    assert!(!seeds.is_empty(), "a fuzzer begins with something");
    seeds.iter().for_each(|seed| read(seed));
    // proptest's strategies live as long as they like.
    let seeds: &'static [Vec<u8>] = seeds.leak();
    let changed = (select(seeds), vec(change(seeds), 1..6)).prop_map(|(mut bytes, changes)| {
        changes.iter().for_each(|change| change.apply(&mut bytes));
        bytes
    });
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2),
        max_shrink_iters: 400,
        ..Config::default()
    });
    runner.run(&changed, |bytes| {
        read(&bytes);
        Ok(())
    })
}
