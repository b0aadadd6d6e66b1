//! Each small change of a trace, at each of its events: the finest that a validator could be asked to refuse.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Result, bail};

use super::protocol::Protocol;
use super::search::Found;
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

/// What two events are whose times overlap.
const AT_ONCE: &str = "at once";

/// Edits that are alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// The specification.
    pub module: String,
    /// What is changed.
    pub edit: Edit,
    /// The action of the event.
    pub event: String,
    /// `argument 1`, or what was seen; of [`Edit::Swap`] the action of the event that follows, or `at once` if the times of the two
    /// overlap; else empty.
    pub field: String,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.edit, self.event)?;
        match &self.field[..] {
            "" => Ok(()),
            field => write!(f, ": {field}"),
        }
    }
}

impl Class {
    /// Reads what is shown of one of a module. `None`: it is none.
    pub fn parse(module: &str, text: &str) -> Option<Class> {
        let (edit, rest) = text.split_once(' ')?;
        let (event, field) = rest.split_once(": ").unwrap_or((rest, ""));
        Some(Class {
            module: module.to_owned(),
            edit: EDITS.into_iter().find(|known| known.to_string() == edit)?,
            event: event.to_owned(),
            field: field.to_owned(),
        })
    }
}

/// How many of a class are refused, of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Those that the machine refuses, or that it cannot read.
    pub refused: usize,
    /// All that were tried.
    pub tried: usize,
}

/// Asks the machine of the edits of one event of `stride`, and counts by class.
///
/// # Errors
/// If the trace itself is not accepted, or a search is given up.
pub fn ask(protocol: &Protocol, trace: &Trace, stride: usize) -> Result<BTreeMap<Class, Figures>> {
    let mut figures: BTreeMap<Class, Figures> = BTreeMap::new();
    let others = Others::of(trace);
    let found = protocol.search_again(trace, &mut |search| {
        for place in (0..trace.events.len()).step_by(stride) {
            for (edit, field, edited) in at(trace, place, &others) {
                let class = Class {
                    module: trace.head.module.clone(),
                    edit,
                    event: trace.events[place].action.clone(),
                    field,
                };
                let is_refused = match search(&edited) {
                    Ok(Found::Accepted) => false,
                    Ok(Found::Refused(_)) | Err(_) => true,
                    Ok(Found::TooWide) => bail!(
                        "{}: the search is given up with {edit} {}",
                        trace.place(place),
                        trace.events[place].show()
                    ),
                };
                let figures = figures.entry(class).or_default();
                figures.tried += 1;
                figures.refused += usize::from(is_refused);
            }
        }
        Ok(())
    })?;
    if found != Found::Accepted {
        bail!("{}: it is refused before it is edited", trace.name());
    }
    Ok(figures)
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

/// All edits of an event, each with the field.
fn at(trace: &Trace, place: usize, others: &Others) -> Vec<(Edit, String, Trace)> {
    let event = &trace.events[place];
    let with = |change: &dyn Fn(&mut Trace)| {
        let mut edited = trace.clone();
        change(&mut edited);
        edited
    };
    let mut edits = vec![
        (
            Edit::Drop,
            String::new(),
            with(&|edited| {
                edited.events.remove(place);
                edited.lines.remove(place);
            }),
        ),
        (
            Edit::Repeat,
            String::new(),
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
        edits.push((Edit::Swap, field.to_owned(), swapped));
    }
    for (number, (field, text)) in fields(event).enumerate() {
        let Ok(value) = text.parse::<Value>() else {
            continue;
        };
        let numbers = numbers(&value);
        let mut push = |edit, text: String| {
            let edited = with(&|edited| set(&mut edited.events[place], number, text.clone()));
            edits.push((edit, field.clone(), edited));
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
