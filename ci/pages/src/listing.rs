//! Text as HTML: a module, marked up, and any other file, line by line.

use std::path::Path;

use interlock_tla::module::{Anchor, Class, Link, Listing, Token};

/// What stands before a text and behind it. A theme has the colours of `hljs` for what is inside of a `pre`; a key scrolls it.
const BEGIN: &str = "<pre class=\"listing\"><span class=\"hljs\" tabindex=\"0\">";
const END: &str = "\n</span></pre>\n";

/// What is marked in a text.
enum Mark<'a> {
    Token(&'a Token),
    Anchor(&'a Anchor),
    Link(&'a Link),
}

/// The module's text in the colours of the book's themes. Each definition has its name as an anchor, and each name leads to where
/// `page` says that its file is found.
pub(crate) fn module(listing: &Listing, mut page: impl FnMut(&Path) -> String) -> String {
    let anchors = listing
        .anchors
        .iter()
        .map(|anchor| (&anchor.at, Mark::Anchor(anchor)));
    let links = listing
        .links
        .iter()
        .map(|link| (&link.at, Mark::Link(link)));
    let tokens = listing
        .tokens
        .iter()
        .map(|token| (&token.at, Mark::Token(token)));
    let mut marks: Vec<_> = anchors.chain(links).chain(tokens).collect();
    // a name that is a sign is a token as well, which then comes second
    marks.sort_by_key(|(at, _)| at.start);
    let mut html = String::from(BEGIN);
    let mut end = 0;
    for (at, mark) in marks {
        if at.start < end {
            continue;
        }
        html += &escaped(&listing.text[end..at.start]);
        let text = escaped(&listing.text[at.clone()]);
        html += &match mark {
            Mark::Token(token) => format!("<span class=\"{}\">{text}</span>", style(token.class)),
            Mark::Anchor(anchor) => {
                let name = escaped(&anchor.name);
                format!("<span class=\"hljs-title\" id=\"{name}\">{text}</span>")
            }
            Mark::Link(link) => {
                let anchor = link
                    .anchor
                    .as_ref()
                    .map(|anchor| format!("#{}", escaped(anchor)));
                format!(
                    "<a href=\"{}{}\">{text}</a>",
                    page(&link.path),
                    anchor.unwrap_or_default()
                )
            }
        };
        end = at.end;
    }
    html += &escaped(&listing.text[end..]);
    html.trim_end().to_owned() + END
}

/// Highlight.js's name for it, for which each theme of mdBook's has a colour.
fn style(class: Class) -> &'static str {
    match class {
        Class::Comment => "hljs-comment",
        Class::Keyword | Class::Operator => "hljs-keyword",
        Class::Literal => "hljs-literal",
        Class::Number => "hljs-number",
        Class::String => "hljs-string",
    }
}

/// A file's text; its third line has the anchor `L3`.
pub(crate) fn lines(text: &str) -> String {
    let lines = text.lines().zip(1..).map(|(line, number)| {
        let line = escaped(line);
        format!("<span class=\"line\" id=\"L{number}\">{line}</span>\n")
    });
    let lines: String = lines.collect();
    BEGIN.to_owned() + lines.trim_end() + END
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn names_and_signs_are_marked_once() {
        let text = "A == \"<\" \\prec I!B";
        let link = |at, anchor: Option<&str>| Link {
            at,
            path: PathBuf::from("B.tla"),
            anchor: anchor.map(str::to_owned),
        };
        let listing = Listing {
            text: text.to_owned(),
            tokens: [
                (2..4, Class::Operator),
                (5..8, Class::String),
                (9..14, Class::Operator),
                (16..17, Class::Operator),
            ]
            .map(|(at, class)| Token { at, class })
            .into(),
            anchors: vec![Anchor {
                at: 0..1,
                name: "A".to_owned(),
            }],
            links: vec![link(9..14, None), link(15..18, Some("B"))],
        };
        let html = module(&listing, |path| {
            path.with_extension("html").to_string_lossy().into_owned()
        });
        let expected = "<span class=\"hljs-title\" id=\"A\">A</span> <span class=\"hljs-keyword\">==</span> \
                        <span class=\"hljs-string\">&quot;&lt;&quot;</span> <a href=\"B.html\">\\prec</a> <a href=\"B.html#B\">I!B</a>";
        assert_eq!(html, format!("{BEGIN}{expected}{END}"));
    }

    #[test]
    fn each_line_has_its_anchor() {
        let html = lines("a\n\n<b>\n");
        let expected = "<span class=\"line\" id=\"L1\">a</span>\n<span class=\"line\" id=\"L2\"></span>\n<span class=\"line\" id=\"L3\">&lt;b&gt;</span>";
        assert_eq!(html, format!("{BEGIN}{expected}{END}"));
    }
}
