//! `docs/reference/cli.md`: what the command may be asked, from what parses it, and the targets of the Makefile.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_markdown::MarkdownOptions;
use interlock_checker::{markdown, marks};

use crate::Cli;

/// The page, from the project's root.
pub const PAGE: &str = "docs/reference/cli.md";

/// The page as it is, and as it should be.
///
/// # Errors
///
/// When it or the Makefile cannot be read, or a marker names nothing.
pub fn page(root: &Path) -> Result<[String; 2]> {
    let read = |file: &str| {
        fs::read_to_string(root.join(file)).with_context(|| format!("{file} cannot be read"))
    };
    let (old, makefile) = (read(PAGE)?, read("Makefile")?);
    let new = marks::fill(&old, "reference", |name| match name {
        "commands" => Ok(commands()),
        "targets" => Ok(targets(&makefile)),
        _ => Err(format!(
            "nothing is named `{name}` (say `commands` or `targets`)"
        )),
    });
    Ok([old, new.context(PAGE)?])
}

/// Every command, with what it may be asked.
fn commands() -> String {
    let options = MarkdownOptions::new()
        .show_footer(false)
        .show_table_of_contents(false);
    let command = Cli::command().name(env!("CARGO_BIN_NAME"));
    let text = clap_markdown::help_markdown_command_custom(&command, &options);
    // Before the first command are a title and what the page is.
    let rest = &text[text.find("## ").unwrap_or(0)..];
    let lines = rest
        .trim()
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}

/// What the Makefile says behind `##` of each of its targets.
fn targets(makefile: &str) -> String {
    let rows = makefile.lines().filter_map(|line| {
        let (rule, says) = line.split_once(" ## ")?;
        let (target, _) = rule.split_once(':')?;
        Some(vec![format!("`make {target}`"), says.to_owned()])
    });
    markdown::table(&["target", "what it does"], 2, rows)
}
