//! How much room a text needs. Nothing here knows the reader's fonts: these are upper bounds.

/// Upper bounds on the mean width of a character, in parts of the font's size.
const PLAIN: f64 = 0.6;
const BOLD: f64 = 0.68;

/// A class of text, and what the picture's style sheet says of it too: its size in pixels, and whether it is bold.
#[derive(Debug, Clone, Copy)]
pub struct Font(pub &'static str, pub f64, bool);

impl Font {
    /// A font as it is.
    pub const fn plain(class: &'static str, size: f64) -> Font {
        Font(class, size, false)
    }

    /// A bold one.
    pub const fn bold(class: &'static str, size: f64) -> Font {
        Font(class, size, true)
    }
}

/// An upper bound on the width of a text.
pub fn measure(font: Font, text: &str) -> f64 {
    let character = if font.2 { BOLD } else { PLAIN };
    text.chars().count() as f64 * font.1 * character
}

/// Breaks a text behind any of `breaks` so that each line is at most `width` wide, where its pieces allow.
pub fn lines(font: Font, width: f64, text: &str, breaks: &[char]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in text.split_inclusive(breaks) {
        match lines.last_mut() {
            Some(line) if measure(font, &format!("{line}{}", piece.trim_end())) <= width => {
                line.push_str(piece);
            }
            _ => lines.push(piece.to_owned()),
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// Escapes markup; control characters, which XML cannot have, become replacement characters.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
