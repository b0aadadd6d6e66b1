//! The lock's word against the machine: the same graph, counts for identities, and the same grants from any ticket and batch.

use std::collections::{BTreeSet, HashSet};

use conformance::rwsem_log::{Event, batch_queue, check, project};
use interlock::rwsem::machine::{self, Kind, Machine, Pc, State};
use interlock_rwlock::rules::{Arrival, BatchQueue, Rules};
use interlock_rwlock::word::{Action, Counts, Grant, Word};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// What the word and its tasks are together: the counts, and what the word leaves to its tasks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Shape {
    counts: Counts,
    /// How many of the active readers are downgraded writers.
    shared: u32,
    /// The kind of the task between its `Release` and its `Wake`.
    waker: Option<Kind>,
}

/// A step, and the kind of the task that takes it.
type Edge = (Shape, Action, Kind, Shape);

fn shape(machine: &Machine, state: &State) -> Shape {
    let waker = state.pc.iter().position(|pc| *pc == Pc::Wake);
    Shape {
        counts: project(machine, state),
        shared: state.pc.iter().filter(|pc| **pc == Pc::Shared).count() as u32,
        waker: waker.map(|task| machine.kinds[task]),
    }
}

/// The lock's action that a machine's is, in this state.
fn lock_action(
    machine: &Machine,
    state: &State,
    action: machine::Action,
) -> Option<(usize, Action)> {
    let held_for = |task: usize| match state.pc[task] {
        Pc::Shared => Kind::Reader,
        _ => machine.kinds[task],
    };
    Some(match action {
        machine::Action::Enter(task) => (task, Action::Enter(machine.kinds[task])),
        machine::Action::Queue(task) => (task, Action::Queue(machine.kinds[task])),
        machine::Action::Release(task) => (task, Action::Release(held_for(task))),
        machine::Action::Downgrade(task) => (task, Action::Downgrade),
        machine::Action::Wake(task) => (task, Action::Wake),
        _ => return None,
    })
}

/// The machine's edges, projected.
fn machine_edges(machine: &Machine) -> BTreeSet<Edge> {
    let (mut edges, mut seen, mut todo) = (BTreeSet::new(), HashSet::new(), vec![machine.init()]);
    while let Some(state) = todo.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        for action in machine.actions(&state) {
            let next = machine
                .step(&state, action)
                .expect("an action that is offered is enabled");
            let (task, step) =
                lock_action(machine, &state, action).expect("BatchQueue has no other actions");
            edges.insert((
                shape(machine, &state),
                step,
                machine.kinds[task],
                shape(machine, &next),
            ));
            todo.push(next);
        }
    }
    edges
}

/// What the word's functions make of a shape, for each step that some task of these may take.
fn word_steps(shape: Shape, readers: u32, writers: u32) -> Vec<Edge> {
    let Shape {
        counts,
        shared,
        waker,
    } = shape;
    let word = Word::starting_at(4095, 15).with_counts(counts);
    let held = counts.writer || counts.active > 0;
    assert_eq!(
        (word.is_held(), word.is_write_held()),
        (held, counts.writer)
    );
    let idle_readers = readers
        - (counts.active - shared)
        - counts.readers
        - u32::from(waker == Some(Kind::Reader));
    let writers_busy = u32::from(counts.writer) + counts.ahead + counts.behind + shared;
    let idle_writers = writers - writers_busy - u32::from(waker == Some(Kind::Writer));
    let mut edges = Vec::new();
    let mut push = |action, kind, word: Word, shared, waker| {
        edges.push((
            shape,
            action,
            kind,
            Shape {
                counts: word.counts(),
                shared,
                waker,
            },
        ));
    };
    for (kind, idle) in [(Kind::Reader, idle_readers), (Kind::Writer, idle_writers)] {
        if idle == 0 {
            continue;
        }
        match word.enter(kind) {
            Some(after) => push(Action::Enter(kind), kind, after, shared, waker),
            None => {
                let (after, _) = word.queue(kind).expect("few tasks");
                push(Action::Queue(kind), kind, after, shared, waker);
            }
        }
    }
    for (there, held_for, kind) in [
        (counts.active > shared, Kind::Reader, Kind::Reader),
        (shared > 0, Kind::Reader, Kind::Writer),
        (counts.writer, Kind::Writer, Kind::Writer),
    ] {
        if there {
            let after = word.release(held_for);
            let waker = if after.must_wake() { Some(kind) } else { waker };
            let left = u32::from(held_for != kind);
            push(Action::Release(held_for), kind, after, shared - left, waker);
        }
    }
    if counts.writer {
        push(
            Action::Downgrade,
            Kind::Writer,
            word.downgrade().0,
            shared + 1,
            waker,
        );
    }
    if let Some(kind) = waker {
        push(Action::Wake, kind, word.wake().0, shared, None);
    }
    edges
}

fn word_edges(readers: u32, writers: u32) -> BTreeSet<Edge> {
    let start = Shape {
        counts: Counts::default(),
        shared: 0,
        waker: None,
    };
    let (mut edges, mut seen, mut todo) = (BTreeSet::new(), HashSet::new(), vec![start]);
    while let Some(shape) = todo.pop() {
        if seen.insert(shape) {
            let steps = word_steps(shape, readers, writers);
            todo.extend(steps.iter().map(|edge| edge.3));
            edges.extend(steps);
        }
    }
    edges
}

#[test]
fn the_word_has_the_machines_graph() {
    let mut sizes = Vec::new();
    for readers in 0..=4 {
        let (machine, word) = (
            machine_edges(&batch_queue(readers, 4 - readers)),
            word_edges(readers as u32, 4 - readers as u32),
        );
        assert_eq!(
            machine.difference(&word).next(),
            None,
            "{readers} readers: the machine's, not the word's"
        );
        assert_eq!(
            word.difference(&machine).next(),
            None,
            "{readers} readers: the word's, not the machine's"
        );
        let states: BTreeSet<Shape> = word.iter().map(|edge| edge.0).collect();
        sizes.push((states.len(), word.len()));
    }
    assert_eq!(
        sizes,
        [(12, 24), (34, 74), (39, 87), (24, 50), (5, 8)],
        "states and steps, for 0 to 4 readers among 4 tasks"
    );
}

/// The word after an action, and the grant that the action makes or, for `Queue`, waits for.
fn apply(word: Word, action: Action) -> (Word, Option<Grant>) {
    match action {
        Action::Enter(kind) => (word.enter(kind).expect("the machine lets it enter"), None),
        Action::Queue(kind) => {
            assert_eq!(word.enter(kind), None, "the machine lets it queue");
            let (after, grant) = word.queue(kind).expect("few tasks");
            (after, Some(grant))
        }
        Action::Release(kind) => (word.release(kind), None),
        Action::Downgrade => word.downgrade(),
        Action::Wake => word.wake(),
        Action::Rouse | Action::Take | Action::Miss => unreachable!("the machine has no budget"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, rng_seed: RngSeed::Fixed(0), ..ProptestConfig::default() })]

    /// Random programs of up to 8 tasks: each grant names exactly the waiters that the machine lets in.
    #[test]
    fn a_grant_reaches_those_whom_the_machine_lets_in(
        readers in 0_usize..=4,
        writers in 1_usize..=4,
        ticket in 0_u32..4096,
        batch in 0_u32..16,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 1..200),
    ) {
        let machine = batch_queue(readers, writers);
        let mut state = machine.init();
        let mut word = Word::starting_at(ticket, batch);
        let mut awaited: Vec<Option<Grant>> = vec![None; readers + writers];
        let mut has: Vec<Option<Grant>> = awaited.clone();
        let mut events = Vec::new();
        let mut choices = choices.iter();
        // The choices, then everybody leaves.
        loop {
            let mut actions = machine.actions(&state);
            let choice = choices.next();
            if choice.is_none() {
                actions.retain(|action| matches!(action, machine::Action::Release(_) | machine::Action::Wake(_)));
            }
            let Some(&action) = choice.map_or(actions.first(), |choice| Some(choice.get(&actions))) else { break };
            let next = machine.step(&state, action).expect("it is enabled");
            let (task, step) = lock_action(&machine, &state, action).expect("BatchQueue has no other actions");
            let (after, grant) = apply(word, step);
            prop_assert_eq!(after.counts(), project(&machine, &next));
            if let Action::Queue(_) = step {
                awaited[task] = grant;
            } else {
                let reached: Vec<usize> = (0..awaited.len()).filter(|&task| grant.is_some() && awaited[task] == grant).collect();
                let mut let_in = state.queue.clone();
                let_in.retain(|task| next.pc[*task] == Pc::Hold);
                let_in.sort_unstable();
                prop_assert_eq!(&reached, &let_in);
                reached.iter().for_each(|&task| has[task] = awaited[task].take());
                if let Action::Release(_) = step {
                    has[task] = None;
                }
            }
            prop_assert!(awaited.iter().flatten().all(|&grant| !after.is_granted(grant)), "{:?}", after);
            prop_assert!(has.iter().flatten().all(|&grant| after.is_granted(grant)), "{:?}", after);
            events.push(Event::Step { task, before: word, action: step, after });
            (state, word) = (next, after);
        }
        check(&machine, &events);
    }
}

#[test]
fn a_lock_starts_with_the_ticket_and_the_batch_that_are_given() {
    for (ticket, batch) in [(0, 0), (5, 3), (4095, 15), (4096 + 7, 16 + 2)] {
        let word = Word::starting_at(ticket, batch);
        assert_eq!(word.counts(), Counts::default());
        let grants =
            [Kind::Writer, Kind::Reader].map(|kind| word.queue(kind).map(|queued| queued.1));
        let expected = [Grant::Writer(ticket % 4096), Grant::Readers(batch % 16)];
        assert_eq!(grants, expected.map(Some));
    }
}

/// So that no waiter takes the grant before its own for its own; over the wrap-around too.
#[test]
fn grants_are_numbered_in_turn() {
    let start = Word::starting_at(4094, 14);
    let mut word = start.enter(Kind::Writer).expect("it is free");
    for number in 0..4 {
        let readers = Grant::Readers((14 + number) % 16);
        let writer = Grant::Writer((4094 + number) % 4096);
        let (with_reader, awaited) = word.queue(Kind::Reader).expect("it is not full");
        assert_eq!(awaited, readers);
        let (with_both, awaited) = with_reader.queue(Kind::Writer).expect("it is not full");
        assert_eq!(awaited, writer);
        let (reading, granted) = with_both.release(Kind::Writer).wake();
        assert_eq!(granted, Some(readers));
        let (writing, granted) = reading.release(Kind::Reader).wake();
        assert_eq!(granted, Some(writer));
        word = writing;
    }
}

/// None of them stays; ticket and batch do.
#[test]
fn other_counts_take_the_place_of_those_before() {
    let start = Word::starting_at(5, 6);
    let all = Counts {
        active: 0,
        writer: true,
        ahead: 2,
        readers: 3,
        behind: 4,
    };
    let one = Counts {
        active: 1,
        ..Counts::default()
    };
    let word = start.with_counts(all).with_counts(one);
    assert_eq!((word, word.counts()), (start.with_counts(one), one));
}

/// As a number, and as a text.
#[test]
fn a_word_is_told_whole() {
    let counts = Counts {
        active: 0,
        writer: true,
        ahead: 2,
        readers: 3,
        behind: 4,
    };
    let word = Word::starting_at(5, 6).with_counts(counts);
    assert_eq!(Word::from_bits(word.bits()), word);
    let text = "Word(writer | 2w 3r 4w | ticket 5 batch 6)";
    assert_eq!(format!("{word:?}"), text);
}

#[test]
fn a_full_field_changes_nothing() {
    let held = Counts {
        writer: true,
        ..Counts::default()
    };
    let full_of_readers = Word::FREE.with_counts(Counts {
        readers: 2047,
        ..held
    });
    assert_eq!(
        BatchQueue::arrive(full_of_readers, Kind::Reader),
        (full_of_readers, Arrival::Full)
    );
    let full_of_writers = Word::FREE.with_counts(Counts {
        ahead: 2000,
        readers: 1,
        behind: 47,
        ..held
    });
    assert_eq!(
        BatchQueue::arrive(full_of_writers, Kind::Writer),
        (full_of_writers, Arrival::Full)
    );
    assert!(matches!(
        BatchQueue::arrive(full_of_writers, Kind::Reader).1,
        Arrival::Queued(_)
    ));
}

#[test]
fn readers_queue_when_8192_are_inside() {
    let inside = |active| {
        Word::FREE.with_counts(Counts {
            active,
            ..Counts::default()
        })
    };
    assert_eq!(
        BatchQueue::arrive(inside(8191), Kind::Reader),
        (inside(8192), Arrival::Entered)
    );
    let (queued, arrival) = BatchQueue::arrive(inside(8192), Kind::Reader);
    assert!(matches!(arrival, Arrival::Queued(Grant::Readers(0))));
    assert_eq!(
        queued.counts(),
        Counts {
            active: 8192,
            readers: 1,
            ..Counts::default()
        }
    );
}
