//! What a lock of ranges promises, asked of a log of its steps: not whether that is a path of the machine, which decides by the same
//! tree as the lock does.

use std::collections::BTreeMap;
use std::ops::Range;

use interlock::range::tree::{Entry, Mode, Place};

/// What was seen of a lock, of which thread.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Event {
    /// A step was taken; this is the range that has arrived by it, if one has, and what is in the tree.
    Step(usize, Option<Place>, Vec<Entry>),
    /// A range that would have had to wait was refused.
    Refused(usize, Range<u64>, Mode),
    /// The call by which the thread's last range has arrived has returned.
    Returned(usize),
    /// It has returned without that range.
    GaveUp(usize),
}

fn conflict(left: (&Range<u64>, Mode), right: (&Range<u64>, Mode)) -> bool {
    let overlap = left.0.start < right.0.end && right.0.start < left.0.end;
    overlap && (left.1 == Mode::Write || right.1 == Mode::Write)
}

/// Of two ranges, whose parts have one ticket.
fn are_apart(left: &Place, right: &Place) -> bool {
    left.ticket == right.ticket || !conflict((&left.range, left.mode), (&right.range, right.mode))
}

/// Checks the log of a lock that was free at its beginning: nobody holds what another writes, each waits for those that came before it
/// and those that hold, nobody is overtaken by more than `passes` that conflict with it and came later, nobody is refused without
/// reason, a call returns when its range is held, or is not there any more, and the lock is free at the end.
///
/// # Panics
/// With the first event that does not fit.
pub fn check(passes: usize, events: &[Event]) {
    let mut now: &[Entry] = &[];
    let mut overtaken: BTreeMap<u64, usize> = BTreeMap::new();
    let mut calls: BTreeMap<usize, u64> = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        let told = || format!("event {at} of\n{events:#?}");
        match event {
            Event::Step(thread, arrived, entries) => {
                if let Some(place) = arrived {
                    calls.insert(*thread, place.ticket);
                }
                excludes(entries).unwrap_or_else(|error| panic!("{error}, {}", told()));
                counts(entries).unwrap_or_else(|error| panic!("{error}, {}", told()));
                for (waiter, by) in overtakes(now, entries) {
                    let count = overtaken.entry(waiter).or_default();
                    *count += by;
                    assert!(
                        *count <= passes,
                        "{waiter} is overtaken by {count}, {}",
                        told()
                    );
                }
                now = entries;
            }
            Event::Refused(_, range, mode) => {
                let bars = |entry: &Entry| {
                    let full = overtaken.get(&entry.place.ticket).copied().unwrap_or(0) >= passes;
                    conflict((&entry.place.range, entry.place.mode), (range, *mode))
                        && (entry.blocking == 0 || full)
                };
                assert!(now.iter().any(bars), "refused without reason, {}", told());
            }
            Event::Returned(thread) => {
                let ticket = calls.remove(thread).expect("a range has arrived");
                let holds = |entry: &Entry| entry.place.ticket == ticket && entry.blocking == 0;
                assert!(now.iter().any(holds), "returned without it, {}", told());
            }
            Event::GaveUp(thread) => {
                let ticket = calls.remove(thread).expect("a range has arrived");
                let stays = now.iter().any(|entry| entry.place.ticket == ticket);
                assert!(!stays, "gave up a range that stays, {}", told());
            }
        }
    }
    assert!(now.is_empty(), "at the end the lock is not free: {now:#?}");
    assert!(calls.is_empty(), "calls have not returned: {calls:?}");
}

fn excludes(entries: &[Entry]) -> Result<(), String> {
    let held: Vec<&Place> = entries
        .iter()
        .filter(|entry| entry.blocking == 0)
        .map(|entry| &entry.place)
        .collect();
    for (at, place) in held.iter().enumerate() {
        if let Some(other) = held[..at].iter().find(|other| !are_apart(other, place)) {
            return Err(format!("{place:?} is held beside {other:?}"));
        }
    }
    Ok(())
}

fn counts(entries: &[Entry]) -> Result<(), String> {
    for waiter in entries.iter().filter(|entry| entry.blocking > 0) {
        let for_it = |other: &&Entry| {
            let first = other.blocking == 0 || other.place.ticket < waiter.place.ticket;
            first && !are_apart(&other.place, &waiter.place)
        };
        let count = entries.iter().filter(for_it).count();
        if count != waiter.blocking {
            return Err(format!("{waiter:?} waits for {count}"));
        }
    }
    Ok(())
}

/// Whoever waits before and after a step, and how many that conflict with it and came later have theirs by it.
fn overtakes(before: &[Entry], after: &[Entry]) -> Vec<(u64, usize)> {
    let waits = |entries: &[Entry], ticket: u64| {
        let its = entries.iter().find(|entry| entry.place.ticket == ticket);
        its.is_some_and(|entry| entry.blocking > 0)
    };
    let held_before = |ticket: u64| {
        let its = before.iter().find(|entry| entry.place.ticket == ticket);
        its.is_some_and(|entry| entry.blocking == 0)
    };
    let got = after.iter().filter(|entry| entry.blocking == 0);
    let got: Vec<&Entry> = got
        .filter(|entry| !held_before(entry.place.ticket))
        .collect();
    let waiters = before.iter().map(|entry| &entry.place);
    let waiters = waiters.filter(|place| waits(before, place.ticket) && waits(after, place.ticket));
    waiters
        .map(|waiter| {
            let passes = |entry: &&&Entry| {
                entry.place.ticket > waiter.ticket && !are_apart(&entry.place, waiter)
            };
            (waiter.ticket, got.iter().filter(passes).count())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(ticket: u64, range: Range<u64>, mode: Mode) -> Entry {
        let place = Place {
            ticket,
            range,
            mode,
        };
        Entry {
            place,
            blocking: 0,
            passed: 0,
        }
    }

    fn step(entries: &[Entry]) -> Event {
        Event::Step(0, None, entries.to_vec())
    }

    /// Parts of one range, readers, and writers that are apart.
    #[test]
    fn what_may_be_held_is_held() {
        let held = [
            entry(0, 0..2, Mode::Write),
            entry(0, 1..4, Mode::Read),
            entry(1, 3..6, Mode::Read),
        ];
        check(0, &[step(&held), step(&held[..1]), step(&[])]);
    }

    #[test]
    #[should_panic = "is held beside"]
    fn two_holders_of_a_cell_are_found() {
        let held = [entry(0, 0..2, Mode::Write), entry(1, 1..2, Mode::Read)];
        check(0, &[step(&held)]);
    }

    #[test]
    #[should_panic = "the lock is not free"]
    fn a_range_left_behind_is_found() {
        check(0, &[step(&[entry(0, 0..2, Mode::Write)])]);
    }

    #[test]
    #[should_panic = "gave up a range that stays"]
    fn a_grant_that_is_lost_is_found() {
        let held = entry(0, 0..2, Mode::Write);
        let arrives = Event::Step(0, Some(held.place.clone()), vec![held]);
        check(0, &[arrives, Event::GaveUp(0)]);
    }

    #[test]
    #[should_panic = "calls have not returned"]
    fn a_call_that_does_not_return_is_found() {
        let held = entry(0, 0..2, Mode::Write);
        let arrives = Event::Step(0, Some(held.place.clone()), vec![held]);
        check(0, &[arrives, step(&[])]);
    }
}
