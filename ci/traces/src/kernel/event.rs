//! An event of the kernel, by the names of its table.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::family::{Family, Kind};
use super::line::Raw;

/// An event that the table knows.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// Its name in the table.
    pub name: &'a str,
    /// Its line in the file, from 1: the order of the trace, since ftrace merges the processors' buffers.
    pub line: usize,
    /// What the line has.
    pub raw: Raw<'a>,
    pub(super) kind: &'a Kind,
    pub(super) family: &'a Family,
    pub(super) file: &'a Path,
}

impl<'a> Event<'a> {
    /// A field as it is written.
    ///
    /// # Errors
    /// With file and line: if the event has none of this name.
    pub fn text(&self, field: &str) -> Result<&'a str> {
        self.optional(field)?.with_context(|| {
            format!(
                "{}: {} has no field `{field}`, which kernel {} writes: `{}`",
                self.place(),
                self.kind.event,
                self.family.kernel,
                self.raw.body
            )
        })
    }

    /// A field that the event may leave out.
    ///
    /// # Errors
    /// With file and line: if the table does not say where the field would be.
    pub fn optional(&self, field: &str) -> Result<Option<&'a str>> {
        let at = self.kind.fields.get(field).with_context(|| {
            format!(
                "{}: the table of kernel {} does not say where {} has `{field}`",
                self.place(),
                self.family.kernel,
                self.kind.event
            )
        })?;
        Ok(find(self.raw.body, at))
    }

    /// That the table says where the event has this field.
    pub fn knows(&self, field: &str) -> bool {
        self.kind.fields.contains_key(field)
    }

    /// A field that is a number, decimal or, behind `0x`, hexadecimal.
    ///
    /// # Errors
    /// As [`Event::text`], and if it is no number.
    pub fn number(&self, field: &str) -> Result<u64> {
        let text = self.text(field)?;
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        number.with_context(|| {
            format!(
                "{}: the field `{field}` of {} is `{text}`, which is no number",
                self.place(),
                self.kind.event
            )
        })
    }

    /// `FILE:LINE`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }
}

/// Commas, brackets and quotes around a word are no part of it.
fn bare(word: &str) -> &str {
    word.trim_matches(|sign| matches!(sign, ',' | '(' | ')' | '[' | ']' | ':' | '"'))
}

fn find<'a>(body: &'a str, at: &str) -> Option<&'a str> {
    if let Some((first, last)) = at.split_once("..") {
        let padded = |word: &str| format!(" {word} ");
        let (_, rest) = body.split_once(&padded(first))?;
        // The field may be empty: then one space is before the word that follows it, and one is taken.
        let end = rest.find(&padded(last)).or_else(|| {
            let follows = rest.trim_start().starts_with(last);
            follows.then_some(0)
        })?;
        return Some(rest[..end].trim());
    }
    let mut words = body.split_whitespace();
    if let Some(place) = at.strip_prefix("#-") {
        let place: usize = place.parse().ok()?;
        return words.nth_back(place.checked_sub(1)?).map(bare);
    }
    if let Some(place) = at.strip_prefix('#') {
        return words.nth(place.parse().ok()?).map(bare);
    }
    while let Some(word) = words.next() {
        let word = word.trim_start_matches('(');
        if bare(word) == at {
            return words.next().map(bare);
        }
        if let Some((name, value)) = word.split_once('=')
            && name == at
        {
            return Some(bare(value));
        }
    }
    None
}
