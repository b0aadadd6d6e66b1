//! The recursive-descent parser of what TLC prints: values, and the texts around them.
//!
//! It is linear in its input. Nesting and the elements that intervals stand for are limited, so that no input can exhaust the stack or
//! the memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use crate::value::{MAX_DEPTH, Value};

/// Elements that all the intervals `a..b` of one text may stand for together.
const MAX_INTERVAL_ELEMENTS: u64 = 1 << 20;

/// A text that is not what TLC prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Where, in bytes from the start of the text.
    pub offset: usize,
    /// What would have been right there.
    pub expected: &'static str,
    /// What is there, shortened.
    pub found: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "at byte {}: expected {}, found ",
            self.offset, self.expected
        )?;
        if self.found.is_empty() {
            out.write_str("the end")
        } else {
            write!(out, "`{}`", self.found)
        }
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Value {
    type Err = ParseError;

    /// Reads one value that fills the whole text, white space aside.
    fn from_str(text: &str) -> Result<Value, ParseError> {
        let mut parser = Parser::new(text);
        let value = parser.value()?;
        parser.end()?;
        Ok(value)
    }
}

/// A position in a text.
pub(crate) struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    interval_elements: u64,
}

impl<'a> Parser<'a> {
    /// Starts at the beginning of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        Parser {
            text,
            at: 0,
            depth: 0,
            interval_elements: 0,
        }
    }

    /// What has not been read yet, from the next character that is no white space.
    pub(crate) fn rest(&mut self) -> &'a str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    /// Fails unless only white space is left.
    pub(crate) fn end(&mut self) -> Result<(), ParseError> {
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.error("the end"))
        }
    }

    /// Reads `token` if it comes next.
    pub(crate) fn accept(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Reads `token`, which must come next.
    pub(crate) fn expect(&mut self, token: &'static str) -> Result<(), ParseError> {
        if self.accept(token) {
            Ok(())
        } else {
            Err(self.error(token))
        }
    }

    /// Reads everything up to and including the next `token`.
    pub(crate) fn skip_past(&mut self, token: &'static str) -> Result<(), ParseError> {
        let found = self.text[self.at..]
            .find(token)
            .ok_or_else(|| self.error(token))?;
        self.at += found + token.len();
        Ok(())
    }

    /// Reads letters, digits and underscores, at least one.
    pub(crate) fn word(&mut self, expected: &'static str) -> Result<&'a str, ParseError> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| c != '_' && !c.is_alphanumeric())
            .unwrap_or(rest.len());
        if end == 0 {
            return Err(self.error(expected));
        }
        self.at += end;
        Ok(&rest[..end])
    }

    /// Reads one value.
    pub(crate) fn value(&mut self) -> Result<Value, ParseError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error("at most 32 levels of nesting"));
        }
        self.depth += 1;
        let value = self.value_inside();
        self.depth -= 1;
        value
    }

    /// Reads values separated by commas up to `close`, which it reads too.
    pub(crate) fn values(&mut self, close: &'static str) -> Result<Vec<Value>, ParseError> {
        let mut items = Vec::new();
        if self.accept(close) {
            return Ok(items);
        }
        loop {
            items.push(self.value()?);
            if !self.accept(",") {
                self.expect(close)?;
                return Ok(items);
            }
        }
    }

    fn value_inside(&mut self) -> Result<Value, ParseError> {
        match self.rest().as_bytes().first() {
            Some(b'"') => self.string(),
            Some(b'<') => {
                self.expect("<<")?;
                Ok(Value::Seq(self.values(">>")?))
            }
            Some(b'{') => {
                self.expect("{")?;
                Ok(Value::Set(BTreeSet::from_iter(self.values("}")?)))
            }
            Some(b'[') => self.record(),
            Some(b'(') => self.function(),
            Some(b'-') => {
                self.at += 1;
                self.number()
            }
            _ => {
                let start = self.at;
                match self.word("a value")? {
                    "TRUE" => Ok(Value::Bool(true)),
                    "FALSE" => Ok(Value::Bool(false)),
                    word if word.bytes().all(|b| b.is_ascii_digit()) => {
                        self.at = start;
                        self.number()
                    }
                    word => Ok(Value::Model(word.to_owned())),
                }
            }
        }
    }

    /// Reads an integer or an interval; a minus sign, if any, has been read.
    fn number(&mut self) -> Result<Value, ParseError> {
        let negative = self.text[..self.at].ends_with('-');
        let low = self.integer(negative)?;
        if !self.accept("..") {
            return Ok(Value::Int(low));
        }
        let negative = self.accept("-");
        let high = self.integer(negative)?;
        let elements = if low > high {
            0
        } else {
            high.abs_diff(low).saturating_add(1)
        };
        self.interval_elements = self.interval_elements.saturating_add(elements);
        if self.interval_elements > MAX_INTERVAL_ELEMENTS {
            return Err(self.error("intervals of at most 2^20 elements in all"));
        }
        Ok(Value::Set((low..=high).map(Value::Int).collect()))
    }

    fn integer(&mut self, negative: bool) -> Result<i64, ParseError> {
        const EXPECTED: &str = "an integer of 64 bits";
        let start = self.at;
        let digits = self.word(EXPECTED)?;
        // The sign is put before the digits so that the smallest integer can be read too.
        let number = if negative {
            format!("-{digits}").parse()
        } else {
            digits.parse()
        };
        number.map_err(|_| {
            self.at = start;
            self.error(EXPECTED)
        })
    }

    fn string(&mut self) -> Result<Value, ParseError> {
        self.expect("\"")?;
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(plain) = rest.find(['"', '\\']) else {
                self.at = self.text.len();
                return Err(self.error("the closing quote of a string"));
            };
            string.push_str(&rest[..plain]);
            self.at += plain + 1;
            if rest.as_bytes()[plain] == b'"' {
                return Ok(Value::Str(string));
            }
            string.push(match self.text.as_bytes().get(self.at) {
                Some(b'"') => '"',
                Some(b'\\') => '\\',
                Some(b'n') => '\n',
                Some(b't') => '\t',
                Some(b'r') => '\r',
                Some(b'f') => '\u{c}',
                _ => return Err(self.error("one of \" \\ n t r f after a backslash")),
            });
            self.at += 1;
        }
    }

    fn record(&mut self) -> Result<Value, ParseError> {
        self.expect("[")?;
        let mut fields = BTreeMap::new();
        loop {
            let name = self.word("the name of a field")?;
            self.expect("|->")?;
            if fields.insert(name.to_owned(), self.value()?).is_some() {
                return Err(self.error("each field once"));
            }
            if !self.accept(",") {
                self.expect("]")?;
                return Ok(Value::Record(fields));
            }
        }
    }

    fn function(&mut self) -> Result<Value, ParseError> {
        self.expect("(")?;
        let mut pairs = BTreeMap::new();
        loop {
            let key = self.value()?;
            self.expect(":>")?;
            if pairs.insert(key, self.value()?).is_some() {
                return Err(self.error("each argument of a function once"));
            }
            if !self.accept("@@") {
                self.expect(")")?;
                return Ok(Value::function(pairs));
            }
        }
    }

    fn error(&self, expected: &'static str) -> ParseError {
        ParseError {
            offset: self.at,
            expected,
            found: self.text[self.at..].chars().take(20).collect(),
        }
    }
}
