//! TLA+ values as TLC prints them.
//!
//! In TLA+ a sequence is a function with the domain `1..n`, and a record is one whose domain is a set of strings. TLC prints
//! each function in the most special form that fits; [`Value::function`] chooses the same one, so that equal values are equal here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Levels of nesting that a value may have. The ITF form of a value is at most three times as deep as the value, and so stays
/// within the 128 levels that JSON readers accept.
pub const MAX_DEPTH: usize = 32;

/// A TLA+ value. `Display` writes the TLA+ syntax, which [`FromStr`](std::str::FromStr) reads back to the same value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// An integer; TLC's own are 32 bits wide.
    Int(i64),
    /// `TRUE` or `FALSE`.
    Bool(bool),
    /// A string, without its quotes and escapes.
    Str(String),
    /// A model value, e.g. a task.
    Model(String),
    /// A sequence or tuple; also the function with an empty domain.
    Seq(Vec<Value>),
    /// A set, enumerated.
    Set(BTreeSet<Value>),
    /// A function whose domain is a set of names.
    Record(BTreeMap<String, Value>),
    /// Any other function.
    Fn(BTreeMap<Value, Value>),
}

impl Value {
    /// The function with these pairs of argument and value, as a sequence or record where it is one.
    pub fn function(pairs: BTreeMap<Value, Value>) -> Value {
        if pairs
            .keys()
            .zip(1..)
            .all(|(key, index)| *key == Value::Int(index))
        {
            Value::Seq(pairs.into_values().collect())
        } else if pairs
            .keys()
            .all(|key| matches!(key, Value::Str(name) if is_name(name)))
        {
            let field = |(key, value)| match key {
                Value::Str(name) => Some((name, value)),
                _ => None,
            };
            Value::Record(pairs.into_iter().filter_map(field).collect())
        } else {
            Value::Fn(pairs)
        }
    }

    /// The pairs of argument and value, in the domain's order, of a function in any form; `None` for what is no function.
    pub fn pairs(&self) -> Option<Vec<(Value, &Value)>> {
        match self {
            Value::Seq(items) => Some((1..).map(Value::Int).zip(items).collect()),
            Value::Record(fields) => Some(
                fields
                    .iter()
                    .map(|(name, value)| (Value::Str(name.clone()), value))
                    .collect(),
            ),
            Value::Fn(pairs) => Some(
                pairs
                    .iter()
                    .map(|(key, value)| (key.clone(), value))
                    .collect(),
            ),
            _ => None,
        }
    }

    /// The value for a label in a picture: a string without its quotes, anything else as in TLA+.
    pub fn label(&self) -> String {
        match self {
            Value::Str(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// Whether TLC prints the string as the name of a record's field.
fn is_name(text: &str) -> bool {
    text.trim_start_matches('_')
        .starts_with(char::is_alphabetic)
        && text.chars().all(|c| c == '_' || c.is_alphanumeric())
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(number) => write!(out, "{number}"),
            Value::Bool(truth) => out.write_str(if *truth { "TRUE" } else { "FALSE" }),
            Value::Str(text) => write_string(out, text),
            Value::Model(name) => out.write_str(name),
            Value::Seq(items) => separated(out, "<<", ", ", ">>", items, |out, item| {
                write!(out, "{item}")
            }),
            Value::Set(items) => separated(out, "{", ", ", "}", items, |out, item| {
                write!(out, "{item}")
            }),
            Value::Record(fields) if !fields.is_empty() => {
                separated(out, "[", ", ", "]", fields, |out, (name, value)| {
                    write!(out, "{name} |-> {value}")
                })
            }
            Value::Fn(pairs) if !pairs.is_empty() => {
                separated(out, "(", " @@ ", ")", pairs, |out, (key, value)| {
                    write!(out, "{key} :> {value}")
                })
            }
            Value::Record(_) | Value::Fn(_) => out.write_str("<<>>"),
        }
    }
}

fn separated<I: IntoIterator>(
    out: &mut fmt::Formatter<'_>,
    open: &str,
    separator: &str,
    close: &str,
    items: I,
    mut write: impl FnMut(&mut fmt::Formatter<'_>, I::Item) -> fmt::Result,
) -> fmt::Result {
    out.write_str(open)?;
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.write_str(separator)?;
        }
        write(out, item)?;
    }
    out.write_str(close)
}

fn write_string(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    use fmt::Write as _;
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            '\u{c}' => out.write_str("\\f")?,
            other => out.write_char(other)?,
        }
    }
    out.write_char('"')
}
