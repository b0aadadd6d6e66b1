//! Random calls on the tree of ranges, beside a model that keeps for each range the set of those that it waits for, and so cannot
//! count wrong.

use std::collections::BTreeSet;
use std::ops::Range;

use interlock::range::policy::Policy;
use interlock::range::tree::{Arrival, Mode, Place, Tree};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A range of the model.
#[derive(Debug, Clone)]
struct Naive {
    id: usize,
    place: Place,
    waits_for: BTreeSet<usize>,
    passed: usize,
}

/// The model: in order of arrival.
struct Model {
    ranges: Vec<Naive>,
    ids: usize,
    tickets: u64,
    passes: usize,
}

fn conflict(left: &Place, right: &Place) -> bool {
    let shared = left.range.start.max(right.range.start)..left.range.end.min(right.range.end);
    !shared.is_empty() && (left.mode == Mode::Write || right.mode == Mode::Write)
}

impl Model {
    fn new(passes: usize) -> Model {
        Model {
            ranges: Vec::new(),
            ids: 0,
            tickets: 0,
            passes,
        }
    }

    fn add(&mut self, place: Place, waits_for: BTreeSet<usize>) -> usize {
        self.ids += 1;
        self.ranges.push(Naive {
            id: self.ids,
            place,
            waits_for,
            passed: 0,
        });
        self.ids
    }

    fn lock(
        &mut self,
        range: Range<u64>,
        mode: Mode,
        must_not_wait: bool,
    ) -> Option<(Place, Arrival)> {
        let place = Place {
            ticket: self.tickets,
            range,
            mode,
        };
        let conflicts = |other: &&Naive| conflict(&other.place, &place);
        let others: Vec<&Naive> = self.ranges.iter().filter(conflicts).collect();
        let ids: BTreeSet<usize> = others.iter().map(|other| other.id).collect();
        let may_pass = |other: &&Naive| !other.waits_for.is_empty() && other.passed < self.passes;
        let arrival = match ids.len() {
            0 => Arrival::Lock,
            _ if others.iter().all(may_pass) => Arrival::Pass,
            count => Arrival::Wait(count),
        };
        match arrival {
            Arrival::Wait(_) if must_not_wait => return None,
            Arrival::Wait(_) => {
                self.add(place.clone(), ids);
            }
            Arrival::Lock | Arrival::Pass => {
                let id = self.add(place.clone(), BTreeSet::new());
                for other in self
                    .ranges
                    .iter_mut()
                    .filter(|other| ids.contains(&other.id))
                {
                    other.waits_for.insert(id);
                    other.passed += 1;
                }
            }
        }
        self.tickets += 1;
        Some((place, arrival))
    }

    /// Parts in the place of a range: the tickets of those that hold theirs now.
    fn replace(&mut self, place: &Place, parts: &[(Range<u64>, Mode)]) -> BTreeSet<u64> {
        let is_it = |range: &Naive| range.place == *place;
        let at = self.ranges.iter().position(is_it).expect("it is there");
        let id = self.ranges.remove(at).id;
        let mut places = Vec::new();
        for (range, mode) in parts {
            let part = Place {
                ticket: place.ticket,
                range: range.clone(),
                mode: *mode,
            };
            places.push((self.add(part.clone(), BTreeSet::new()), part));
        }
        let mut ready = BTreeSet::new();
        for other in &mut self.ranges {
            if other.waits_for.remove(&id) {
                let still = places
                    .iter()
                    .filter(|(_, part)| conflict(part, &other.place));
                other.waits_for.extend(still.map(|(id, _)| *id));
                if other.waits_for.is_empty() {
                    other.passed = 0;
                    ready.insert(other.place.ticket);
                }
            }
        }
        ready
    }

    fn pick(&self, which: usize, waits: bool) -> Option<Place> {
        let is = |range: &&Naive| range.waits_for.is_empty() != waits;
        let those: Vec<&Naive> = self.ranges.iter().filter(is).collect();
        (!those.is_empty()).then(|| those[which % those.len()].place.clone())
    }
}

#[derive(Debug, Clone)]
enum Call {
    Lock(Range<u64>, Mode),
    TryLock(Range<u64>, Mode),
    Unlock(usize),
    Interrupt(usize),
    Split(usize, u64),
    Shrink(usize, u64, u64),
    Downgrade(usize),
}

fn call(cells: u64) -> impl Strategy<Value = Call> {
    let range = move || (0..cells, 1u64..6).prop_map(|(start, len)| start..start + len);
    let mode = || prop_oneof![Just(Mode::Read), Just(Mode::Write)];
    prop_oneof![
        6 => (range(), mode()).prop_map(|(range, mode)| Call::Lock(range, mode)),
        1 => (range(), mode()).prop_map(|(range, mode)| Call::TryLock(range, mode)),
        4 => any::<usize>().prop_map(Call::Unlock),
        2 => any::<usize>().prop_map(Call::Interrupt),
        1 => (any::<usize>(), 0u64..8).prop_map(|(which, at)| Call::Split(which, at)),
        1 => (any::<usize>(), 0u64..8, 0u64..8).prop_map(|(which, from, to)| Call::Shrink(which, from, to)),
        1 => any::<usize>().prop_map(Call::Downgrade),
    ]
}

/// Does the tree do what the model does?
fn agree(policy: Policy, passes: usize, calls: &[Call]) -> Result<(), TestCaseError> {
    let mut tree = Tree::new(policy);
    let mut model = Model::new(passes);
    for call in calls {
        let replaced =
            |tree: &mut Tree, model: &mut Model, place: &Place, parts: &[(Range<u64>, Mode)]| {
                let (_, ready) = tree.replace(place, parts);
                (BTreeSet::from_iter(ready), model.replace(place, parts))
            };
        let (found, expected) = match call {
            Call::Lock(range, mode) => {
                let expected = model.lock(range.clone(), *mode, false);
                prop_assert_eq!(Some(tree.lock(range.clone(), *mode)), expected);
                continue;
            }
            Call::TryLock(range, mode) => {
                let expected = model.lock(range.clone(), *mode, true);
                prop_assert_eq!(tree.try_lock(range.clone(), *mode), expected);
                continue;
            }
            Call::Unlock(which) => match model.pick(*which, false) {
                Some(place) => (
                    BTreeSet::from_iter(tree.unlock(&place)),
                    model.replace(&place, &[]),
                ),
                None => continue,
            },
            Call::Interrupt(which) => match model.pick(*which, true) {
                Some(place) => (
                    BTreeSet::from_iter(tree.interrupt(&place).expect("it waits")),
                    model.replace(&place, &[]),
                ),
                None => continue,
            },
            Call::Split(which, at) => match model.pick(*which, false) {
                Some(place) if place.range.end - place.range.start > 1 => {
                    let Range { start, end } = place.range;
                    let at = start + 1 + at % (end - start - 1);
                    let parts = [(start..at, place.mode), (at..end, place.mode)];
                    replaced(&mut tree, &mut model, &place, &parts)
                }
                _ => continue,
            },
            Call::Shrink(which, from, to) => match model.pick(*which, false) {
                Some(place) => {
                    let Range { start, end } = place.range;
                    let from = start + from % (end - start);
                    let to = from + 1 + to % (end - from);
                    replaced(&mut tree, &mut model, &place, &[(from..to, place.mode)])
                }
                None => continue,
            },
            Call::Downgrade(which) => match model.pick(*which, false) {
                Some(place) => {
                    let part = [(place.range.clone(), Mode::Read)];
                    replaced(&mut tree, &mut model, &place, &part)
                }
                None => continue,
            },
        };
        prop_assert_eq!(found, expected);
    }
    let found = tree.entries().into_iter();
    let mut found: Vec<_> = found
        .map(|entry| {
            (
                entry.place.ticket,
                entry.place.range.start,
                entry.blocking,
                entry.passed,
            )
        })
        .collect();
    let expected = model.ranges.iter();
    let mut expected: Vec<_> = expected
        .map(|range| {
            (
                range.place.ticket,
                range.place.range.start,
                range.waits_for.len(),
                range.passed,
            )
        })
        .collect();
    found.sort_unstable();
    expected.sort_unstable();
    prop_assert_eq!(found, expected);
    Ok(())
}

/// How many cases, of how many calls at most, that begin in so many cells.
struct Size {
    cases: u32,
    calls: usize,
    cells: u64,
}

/// A few ranges, most of which conflict.
const FEW: Size = Size {
    cases: 2000,
    calls: 40,
    cells: 12,
};
/// More than are kept beside the balanced tree: dozens are in it.
const MANY: Size = Size {
    cases: 200,
    calls: 500,
    cells: 150,
};

/// The same cases each time.
fn run(policy: Policy, passes: usize, size: &Size) -> Result<(), String> {
    let config = Config {
        cases: size.cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let calls = prop::collection::vec(call(size.cells), 1..size.calls);
    let result = runner.run(&calls, |calls| agree(policy, passes, &calls));
    result.map_err(|error| error.to_string())
}

#[test]
fn the_tree_counts_what_each_range_waits_for() {
    for policy in [Policy::TREE_FIFO, Policy::PASS_ONE, Policy::PASS_TWO] {
        for size in [FEW, MANY] {
            assert_eq!(run(policy, policy.passes, &size), Ok(()));
        }
    }
}

#[test]
fn a_tree_without_sequence_numbers_is_found() {
    for size in [FEW, MANY] {
        assert!(run(Policy::INTERRUPT_NO_SEQ, 0, &size).is_err());
    }
}

#[test]
fn a_tree_in_which_one_may_pass_too_many_is_found() {
    for size in [FEW, MANY] {
        assert!(run(Policy::PASS_TWO, 1, &size).is_err());
    }
}
