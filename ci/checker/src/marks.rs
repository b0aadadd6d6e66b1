//! Places in a page that are generated: each stands between `<!-- KIND:NAME -->` and `<!-- /KIND -->`, both on lines of their own.

use std::fmt;

/// A marker in a page that nothing can be written for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkerError {
    /// The marker's line, from 1.
    pub line: usize,
    /// What is wrong with it, and the cure in parentheses.
    pub message: String,
}

impl fmt::Display for MarkerError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for MarkerError {}

/// `text` with what `make` gives for each name in the place of what stood there; the same text when all is up to date.
///
/// # Errors
///
/// What `make` says of a name, and of a marker that has none or no end.
pub fn fill(
    text: &str,
    kind: &str,
    make: impl Fn(&str) -> Result<String, String>,
) -> Result<String, MarkerError> {
    let (begin, end) = (format!("<!-- {kind}:"), format!("<!-- /{kind} -->"));
    let mut filled = String::new();
    let mut lines = text.split_inclusive('\n').zip(1..);
    while let Some((line, at)) = lines.next() {
        filled.push_str(line);
        let Some(marker) = line.trim().strip_prefix(&begin) else {
            continue;
        };
        let error = |message: String| MarkerError { line: at, message };
        let name = marker.strip_suffix("-->").map(str::trim);
        let made = make(name.unwrap_or_default()).map_err(error)?;
        let Some((last, _)) = lines.find(|(line, _)| line.trim() == end) else {
            return Err(error(format!("the {kind} has no end (add a line `{end}`)")));
        };
        filled.push_str(&made);
        filled.push_str(last);
    }
    Ok(filled)
}
