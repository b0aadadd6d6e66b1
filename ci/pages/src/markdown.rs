//! The links of a page of Markdown, and its blocks of TLA+.

use std::ops::Range;

use anyhow::{Result, ensure};
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

/// The targets of its links and pictures, and where in the text they stand.
///
/// # Errors
///
/// When a target stands apart from its link, as in `[text][name]`.
pub(crate) fn links(text: &str) -> Result<Vec<(Range<usize>, String)>> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let mut links = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        let Event::Start(
            Tag::Link {
                link_type,
                dest_url,
                ..
            }
            | Tag::Image {
                link_type,
                dest_url,
                ..
            },
        ) = event
        else {
            continue;
        };
        if matches!(link_type, LinkType::Autolink | LinkType::Email) {
            continue;
        }
        let at = text[range.clone()]
            .rfind("](")
            .map(|before| range.start + before + 2);
        let at =
            at.filter(|at| link_type == LinkType::Inline && text[*at..].starts_with(&*dest_url));
        ensure!(
            at.is_some(),
            "`{}`: its target cannot be told (write it as `[text](target)`)",
            &text[range]
        );
        links.extend(at.map(|at| (at..at + dest_url.len(), dest_url.into_string())));
    }
    links.sort_by_key(|(at, _)| at.start);
    Ok(links)
}

/// The text with other targets: those for which `other` says one.
///
/// # Errors
///
/// As [`links`], and those of `other`.
pub(crate) fn with_links(
    text: &str,
    mut other: impl FnMut(&str) -> Result<Option<String>>,
) -> Result<String> {
    let mut new = String::with_capacity(text.len());
    let mut end = 0;
    for (at, target) in links(text)? {
        if let Some(target) = other(&target)? {
            new += &text[end..at.start];
            new += &target;
            end = at.end;
        }
    }
    Ok(new + &text[end..])
}

/// The text with other blocks of TLA+: what `other` makes of the definitions in each.
///
/// # Errors
///
/// Those of `other`.
pub(crate) fn with_blocks(
    text: &str,
    mut other: impl FnMut(&str) -> Result<String>,
) -> Result<String> {
    let mut new = String::with_capacity(text.len());
    let mut end = 0;
    let mut block = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language)))
                if &*language == "tla" =>
            {
                block = Some(String::new());
            }
            Event::Text(line) => {
                if let Some(block) = &mut block {
                    *block += &line;
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(block) = block.take() {
                    new += &text[end..range.start];
                    new += other(block.trim_end())?.trim_end();
                    end = range.end;
                }
            }
            _ => {}
        }
    }
    Ok(new + &text[end..])
}

/// The text of its first heading, or `otherwise`.
pub(crate) fn title<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    let mut headings = text.lines().filter_map(|line| line.strip_prefix("# "));
    headings.next().map_or(otherwise, str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_rewritten_and_nothing_else() {
        let text = "# [A](a.md)\n\n| [b](b.md) | ![c](c.svg) |\n| --- | --- |\n| `[d](d.md)` | [e `f`](e.md#f \"g\") |\n\n```\n[h](h.md)\n```\n\
                    [![i](i.svg)](j.md) <https://example.org>\n";
        let new = with_links(text, |target| {
            Ok(Some(format!("x/{target}")).filter(|_| target != "b.md"))
        })
        .expect("links");
        let expected = "# [A](x/a.md)\n\n| [b](b.md) | ![c](x/c.svg) |\n| --- | --- |\n| `[d](d.md)` | [e `f`](x/e.md#f \"g\") |\n\n```\n\
                        [h](h.md)\n```\n[![i](x/i.svg)](x/j.md) <https://example.org>\n";
        assert_eq!(new, expected);
    }

    #[test]
    fn blocks_of_tla_are_rewritten_and_no_others() {
        let text = "a\n\n```tla\nA == 1\n\nB == 2\n```\n\n```toml\na = 1\n```\n";
        let new = with_blocks(text, |code| Ok(format!("<pre>{code}</pre>\n"))).expect("blocks");
        let expected = "a\n\n<pre>A == 1\n\nB == 2</pre>\n\n```toml\na = 1\n```\n";
        assert_eq!(new, expected);
    }

    #[test]
    fn a_target_that_stands_apart_is_a_fault() {
        let fault = links("[a][b]\n\n[b]: c.md\n").expect_err("no target");
        assert_eq!(
            fault.to_string(),
            "`[a][b]`: its target cannot be told (write it as `[text](target)`)"
        );
    }
}
