//! A column of a table of designs: one check, and under what it is judged.
//!
//! `PROPERTY`, and behind it, in this order, what narrows it: `with CONSTANT = VALUE` for each parameter of the check, `under SPEC`
//! where that is not the design's own, `at SIZE` where it is of one size alone.

use super::Model;

/// A column's heading, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column<'a> {
    /// The invariant or property, or `Deadlock`.
    pub check: &'a str,
    /// The check's parameters, each a constant and its value.
    pub with: Vec<(&'a str, &'a str)>,
    /// The specification that it is judged under, if it is not the design's own.
    pub under: Option<&'a str>,
    /// The only size that it is of.
    pub at: Option<&'a str>,
}

impl<'a> Column<'a> {
    /// Reads a heading; what is not one is a check of that name, which no model has.
    pub fn read(heading: &'a str) -> Self {
        let (rest, at) = split(heading, " at ");
        let (rest, under) = split(rest, " under ");
        let mut parts = rest.split(" with ");
        Self {
            check: parts.next().unwrap_or_default(),
            with: parts.filter_map(|part| part.split_once(" = ")).collect(),
            under,
            at,
        }
    }

    /// Whether the model may say something in this column: it is of its size, its specification and its parameters.
    pub fn takes(&self, model: &Model) -> bool {
        let given = |(constant, value): &(&str, &str)| {
            model.constants.get(*constant).map(String::as_str) == Some(*value)
        };
        self.at.is_none_or(|size| size == model.size)
            && self.under.is_none_or(|spec| spec == model.spec)
            && self.with.iter().all(given)
    }
}

fn split<'a>(text: &'a str, word: &str) -> (&'a str, Option<&'a str>) {
    match text.split_once(word) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}
