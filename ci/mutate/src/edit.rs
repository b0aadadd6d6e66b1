//! Changes of a module's text that leave the layout of its bulleted lists as it is.

use std::ops::Range;

/// One change: this text in place of that of the range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// In bytes of the text.
    pub range: Range<usize>,
    /// What takes its place, on one line.
    pub text: String,
}

impl Edit {
    /// Its range in the text, without the blank end that a node has whose last part is a list.
    pub fn place(&self, text: &str) -> Range<usize> {
        let Range { start, end } = self.range;
        start..start + text[start..end].trim_end().len()
    }
}

/// The text with the edits, which are in its order and do not overlap.
///
/// The columns of bullets say which of them are one list. So where an edit moves the rest of its line, the lines below that may
/// be aligned with something in this rest move as far.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let last_first = edits.iter().rev();
    last_first.fold(text.to_owned(), |text, edit| one(&text, edit))
}

fn one(text: &str, edit: &Edit) -> String {
    let Range { start, end } = edit.place(text);
    let (before, after) = (&text[..start], &text[end..]);
    let old = column(text, end);
    let new = column(text, start) + edit.text.chars().count();
    let (rest, below) = after.split_at(after.find('\n').map_or(after.len(), |end| end + 1));
    let mut mutated = [before, &edit.text, rest].concat();
    let mut aligned = old != new && !rest.trim().is_empty();
    for line in below.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let blank = line.trim().is_empty();
        aligned &= blank || indent >= old;
        if aligned && !blank {
            mutated += &" ".repeat(indent + new - old);
            mutated += &line[indent..];
        } else {
            mutated += line;
        }
    }
    mutated
}

/// The column of a byte, from 0.
fn column(text: &str, byte: usize) -> usize {
    let start = text[..byte].rfind('\n').map_or(0, |end| end + 1);
    text[start..byte].chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str, old: &str, new: &str) -> String {
        let start = text.find(old).expect("it is there");
        let edit = Edit {
            range: start..start + old.len(),
            text: new.to_owned(),
        };
        apply(text, &[edit])
    }

    #[test]
    fn a_list_behind_an_edit_stays_aligned() {
        let text = "A == x < 1 => /\\ a\n              /\\ b\n\n  /\\ c\n              /\\ d\n";
        assert_eq!(
            replaced(text, "<", "<="),
            "A == x <= 1 => /\\ a\n               /\\ b\n\n  /\\ c\n              /\\ d\n"
        );
        assert_eq!(
            replaced(text, "x < 1", "y"),
            "A == y => /\\ a\n          /\\ b\n\n  /\\ c\n              /\\ d\n"
        );
    }

    #[test]
    fn a_list_that_an_edit_touches_stays_aligned() {
        let text = "A == ~/\\ a\n      /\\ b\n";
        assert_eq!(replaced(text, "~", ""), "A == /\\ a\n     /\\ b\n");
    }

    #[test]
    fn what_is_below_the_end_of_a_line_stays() {
        let text = "/\\ abc\n         /\\ d\n";
        assert_eq!(replaced(text, "abc", "e"), "/\\ e\n         /\\ d\n");
    }

    #[test]
    fn several_edits_are_made_at_once() {
        let edits = [
            Edit {
                range: 0..1,
                text: "xx".to_owned(),
            },
            Edit {
                range: 2..3,
                text: "y".to_owned(),
            },
        ];
        assert_eq!(apply("a b c", &edits), "xx y c");
    }
}
