//! Pages of `docs/reference` that are made of what they describe: `cli.md`, what the command may be asked, of what parses it, and the
//! targets of the Makefile; `traces.md`, what a trace has in it.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_markdown::MarkdownOptions;
use interlock_checker::lint::Finding;
use interlock_checker::{markdown, marks};
use interlock_traces::schema;

use crate::Cli;

/// The page of the commands, from the project's root.
const COMMANDS: &str = "docs/reference/cli.md";

/// A page as it is, and as it should be.
pub struct Page {
    /// Where it is, from the project's root.
    pub file: &'static str,
    old: String,
    new: String,
}

impl Page {
    /// Writes it, if it is not as it should be. Whether it was not.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write(&self, root: &Path) -> Result<bool> {
        let is_stale = self.old != self.new;
        if is_stale {
            fs::write(root.join(self.file), &self.new).context(self.file)?;
        }
        Ok(is_stale)
    }

    /// What lint says of it, if it is not as it should be.
    pub fn stale(&self) -> Option<Finding> {
        let lines = self.old.lines().zip(self.new.lines());
        let same = lines.take_while(|(is, should)| is == should).count();
        (self.old != self.new).then(|| Finding {
            model: None,
            file: self.file.to_owned(),
            line: same + 1,
            rule: "stale-page",
            message: "is not what it is made of (run `make docs`)".into(),
        })
    }
}

/// Those of them that are there.
///
/// # Errors
///
/// When one, or what it is made of, cannot be read, or a marker names nothing.
pub fn pages(root: &Path) -> Result<Vec<Page>> {
    let page = |file: &'static str, fill: fn(&Path, &str) -> Result<String>| {
        let path = root.join(file);
        path.exists().then(|| {
            let old = fs::read_to_string(path).with_context(|| format!("{file} cannot be read"))?;
            let new = fill(root, &old)?;
            Ok(Page { file, old, new })
        })
    };
    let pages = [
        page(COMMANDS, of_commands),
        page(schema::PAGE, schema::fill),
    ];
    pages.into_iter().flatten().collect()
}

/// The page of the commands.
fn of_commands(root: &Path, text: &str) -> Result<String> {
    let makefile = fs::read_to_string(root.join("Makefile"));
    let makefile = makefile.context("Makefile cannot be read")?;
    let filled = marks::fill(text, "reference", |name| match name {
        "commands" => Ok(commands()),
        "targets" => Ok(targets(&makefile)),
        _ => Err(format!(
            "nothing is named `{name}` (say `commands` or `targets`)"
        )),
    });
    filled.context(COMMANDS)
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
