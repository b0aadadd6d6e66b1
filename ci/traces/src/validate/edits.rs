//! Each small change of a trace, at each of its events: the finest that a validator could be asked to refuse.

use std::collections::BTreeMap;
use std::fmt;

use crate::recording::{Event, Trace};
use interlock_tla::value::Value;

/// What is changed of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edit {
    /// It is left out.
    Drop,
    /// It comes twice.
    Repeat,
    /// It and the one that follows it change places, each at the other's time.
    Swap,
    /// A number is one more.
    More,
    /// A number is one less.
    Less,
    /// What is no number is what another event has there.
    Other,
}

/// All of them.
pub const EDITS: [Edit; 6] = [
    Edit::Drop,
    Edit::Repeat,
    Edit::Swap,
    Edit::More,
    Edit::Less,
    Edit::Other,
];

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Edit::Drop => "drop",
            Edit::Repeat => "repeat",
            Edit::Swap => "swap",
            Edit::More => "more",
            Edit::Less => "less",
            Edit::Other => "other",
        })
    }
}

impl Edit {
    /// The trace with this edit at each place where it changes anything. Each event is at a time of its own, in the order of the
    /// file, so that which of two was first is not left open.
    pub fn all(self, trace: &Trace) -> Vec<Trace> {
        let edited = of(trace, 1).filter(|edited| edited.edit == self);
        let in_order = edited.map(|mut edited| {
            for (event, time) in edited.trace.events.iter_mut().zip(1..) {
                (event.from, event.to) = (time, time);
            }
            edited.trace
        });
        in_order.collect()
    }
}

/// What two events are whose times overlap.
const AT_ONCE: &str = "at once";

/// A trace with one edit.
#[derive(Debug, Clone)]
pub struct Edited {
    /// What is changed.
    pub edit: Edit,
    /// The place of the event.
    pub place: usize,
    /// `argument 1`, or what was seen; of [`Edit::Swap`] the action of the event that follows, or `at once` if the times of the two
    /// overlap; else empty.
    pub field: String,
    /// The trace.
    pub trace: Trace,
}

/// The trace with each edit of one event of `stride`, from the first on.
pub fn of(trace: &Trace, stride: usize) -> impl Iterator<Item = Edited> {
    let others = Others::of(trace);
    let places = (0..trace.events.len()).step_by(stride);
    places.flat_map(move |place| at(trace, place, &others))
}

/// What the events of an action have in a place.
struct Others(BTreeMap<(String, String), Vec<String>>);

impl Others {
    fn of(trace: &Trace) -> Others {
        let mut others: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for event in &trace.events {
            for (field, text) in fields(event) {
                let known = others.entry((event.action.clone(), field)).or_default();
                if known.len() < 2 && !known.contains(&text) {
                    known.push(text);
                }
            }
        }
        Others(others)
    }

    fn than(&self, event: &Event, field: &str, text: &str) -> Option<String> {
        let known = self.0.get(&(event.action.clone(), field.to_owned()))?;
        known.iter().find(|other| *other != text).cloned()
    }
}

/// The arguments of an event and what it has seen, as texts.
fn fields(event: &Event) -> impl Iterator<Item = (String, String)> {
    let args = event.args.iter().zip(1..);
    let args = args.map(|(text, number)| (format!("argument {number}"), text.clone()));
    let sees = event.sees.iter();
    args.chain(sees.map(|(name, text)| (name.clone(), text.clone())))
}

fn set(event: &mut Event, place: usize, text: String) {
    let args = event.args.len();
    match event.args.get_mut(place) {
        Some(arg) => *arg = text,
        None => {
            if let Some(seen) = event.sees.values_mut().nth(place - args) {
                *seen = text;
            }
        }
    }
}

/// All edits of an event.
fn at(trace: &Trace, place: usize, others: &Others) -> Vec<Edited> {
    let event = &trace.events[place];
    let edited = |edit, field: &str, trace| Edited {
        edit,
        place,
        field: field.to_owned(),
        trace,
    };
    let with = |change: &dyn Fn(&mut Trace)| {
        let mut edited = trace.clone();
        change(&mut edited);
        edited
    };
    let mut edits = vec![
        edited(
            Edit::Drop,
            "",
            with(&|edited| {
                edited.events.remove(place);
                edited.lines.remove(place);
            }),
        ),
        edited(
            Edit::Repeat,
            "",
            with(&|edited| {
                edited.events.insert(place, event.clone());
                edited.lines.insert(place, trace.lines[place]);
            }),
        ),
    ];
    if let Some(next) = trace.events.get(place + 1)
        && !same_but_for_times(event, next)
    {
        let swapped = with(&|edited| {
            let (from, to) = (event.from, event.to);
            edited.events.swap(place, place + 1);
            let [first, second] = &mut edited.events[place..place + 2] else {
                return;
            };
            (second.from, second.to) = (first.from, first.to);
            (first.from, first.to) = (from, to);
        });
        // The trace itself leaves open which of the two was first.
        let at_once = next.from <= event.to && event.thread != next.thread;
        let field = if at_once { AT_ONCE } else { &next.action };
        edits.push(edited(Edit::Swap, field, swapped));
    }
    for (number, (field, text)) in fields(event).enumerate() {
        let Ok(value) = text.parse::<Value>() else {
            continue;
        };
        let numbers = numbers(&value);
        let mut push = |edit, text: String| {
            let changed = with(&|edited| set(&mut edited.events[place], number, text.clone()));
            edits.push(edited(edit, &field, changed));
        };
        for nth in 0..numbers {
            for (edit, by) in [(Edit::More, 1), (Edit::Less, -1)] {
                push(edit, changed(&value, nth, by).to_string());
            }
        }
        if numbers == 0
            && let Some(other) = others.than(event, &field, &text)
        {
            push(Edit::Other, other);
        }
    }
    edits
}

fn same_but_for_times(one: &Event, other: &Event) -> bool {
    let timeless = |event: &Event| Event {
        from: 0,
        to: 0,
        ..event.clone()
    };
    timeless(one) == timeless(other)
}

/// How many numbers a value has in it.
fn numbers(value: &Value) -> usize {
    let mut count = 0;
    walk(value, &mut || {
        count += 1;
        0
    });
    count
}

/// The value with one of its numbers changed.
fn changed(value: &Value, nth: usize, by: i64) -> Value {
    let mut seen = 0;
    walk(value, &mut || {
        seen += 1;
        if seen == nth + 1 { by } else { 0 }
    })
}

/// The value with what `add` says added to each of its numbers, in order.
fn walk(value: &Value, add: &mut dyn FnMut() -> i64) -> Value {
    match value {
        Value::Int(number) => Value::Int(number.saturating_add(add())),
        Value::Seq(items) => Value::Seq(items.iter().map(|item| walk(item, add)).collect()),
        Value::Set(items) => Value::Set(items.iter().map(|item| walk(item, add)).collect()),
        Value::Record(fields) => {
            let fields = fields.iter();
            Value::Record(
                fields
                    .map(|(name, value)| (name.clone(), walk(value, add)))
                    .collect(),
            )
        }
        Value::Fn(pairs) => {
            let pairs = pairs.iter();
            Value::function(
                pairs
                    .map(|(key, value)| (walk(key, add), walk(value, add)))
                    .collect(),
            )
        }
        plain @ (Value::Bool(_) | Value::Str(_) | Value::Model(_)) => plain.clone(),
    }
}
