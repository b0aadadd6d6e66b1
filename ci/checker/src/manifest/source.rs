//! Where in a file something is wrong.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde::de::DeserializeOwned;

/// A file's text and name, to say where an error is.
pub(super) struct Source {
    shown: PathBuf,
    text: String,
}

impl Source {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("{}: cannot read it", path.display()))?;
        let shown = path.to_owned();
        Ok(Self { shown, text })
    }

    /// The file's contents; `cure` says how to mend what is no TOML or has other keys.
    pub(super) fn parse<T: DeserializeOwned>(&self, cure: &str) -> anyhow::Result<T> {
        toml::from_str(&self.text).map_err(|error| {
            let message = error.message().trim_end();
            self.error(&error.span().unwrap_or(0..0), format!("{message} ({cure})"))
        })
    }

    /// Line and column of a byte offset, both from 1; the column counts characters.
    fn position(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        )
    }

    pub(super) fn line(&self, span: &Range<usize>) -> usize {
        self.position(span.start).0
    }

    pub(super) fn error(
        &self,
        span: &Range<usize>,
        message: impl std::fmt::Display,
    ) -> anyhow::Error {
        let (line, column) = self.position(span.start);
        anyhow!("{}:{line}:{column}: {message}", self.shown.display())
    }

    /// Names become file names, so they are kept to characters that cannot lead out of a directory; `whose` is `a model`, say.
    pub(super) fn check_name(
        &self,
        span: &Range<usize>,
        whose: &str,
        name: &str,
    ) -> anyhow::Result<()> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !name.is_empty() && name.chars().all(plain) {
            return Ok(());
        }
        let escapes = if name.split('/').any(|part| part == "..") {
            ", and leads outside specs/"
        } else {
            ""
        };
        let message = format!(
            "`{name}` is not a name for {whose}{escapes} (use letters, digits, `_` and `-`)"
        );
        Err(self.error(span, message))
    }
}
