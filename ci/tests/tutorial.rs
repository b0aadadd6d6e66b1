//! `docs/argue.md`, done as it is written: its changes are made to a copy of the specifications, and its commands print what it shows.

mod runner;

use std::fs;
use std::path::Path;

use runner::{Clone, interlock, root};

/// What the page asks its reader to do.
enum Step {
    /// Text for the end of a file, or for the place above its last line.
    Add {
        file: String,
        text: String,
        replaces: bool,
    },
    /// A command, and what it prints; "..." stands for any number of lines.
    Run {
        command: String,
        prints: Vec<String>,
    },
}

/// The steps, in their order. A change is described in the paragraph before it, which names the file last.
fn steps(page: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut paragraph = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            match line {
                "" => {}
                _ => paragraph = format!("{paragraph} {line}"),
            }
            if line.is_empty() && !paragraph.trim_end().ends_with(':') {
                paragraph.clear();
            }
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match kind {
            "console" => {
                let (command, prints) = block.split_first().expect("a command");
                let command = command.strip_prefix("$ ").expect("a command");
                steps.push(Step::Run {
                    command: command.to_owned(),
                    prints: prints.iter().map(|line| line.to_string()).collect(),
                });
            }
            "tla" | "toml" => {
                let (_, named) = paragraph.split_once("Add to ").expect("where it goes");
                let file = named.split('`').nth(1).expect("a file");
                steps.push(Step::Add {
                    file: file.to_owned(),
                    text: block.join("\n") + "\n",
                    replaces: paragraph.contains("in the place of what you added"),
                });
            }
            _ => panic!("nobody knows what to do with a block of {kind}"),
        }
        paragraph.clear();
    }
    steps
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).expect("a copy")),
        }
    }
}

/// Adds the text; what was added to the file before is given as `before`.
fn add(path: &Path, text: &str, before: Option<&str>) {
    let mut old = fs::read_to_string(path).expect("the file");
    if let Some(before) = before {
        assert!(old.ends_with(before), "it was not added last");
        old.truncate(old.len() - before.len());
    }
    let new = match path.extension().is_some_and(|extension| extension == "tla") {
        true => {
            let last = old.rfind("\n====").expect("a last line") + 1;
            format!("{}{text}\n{}", &old[..last], &old[last..])
        }
        false => format!("{old}\n{text}"),
    };
    fs::write(path, new).expect("the file");
}

/// Whether the lines are those that are shown, in their order, with any others where "..." stands.
fn shows(shown: &[String], lines: &[&str]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((line, rest)) if line == "..." => {
            (0..=lines.len()).any(|skipped| shows(rest, &lines[skipped..]))
        }
        Some((line, rest)) => {
            lines.first().is_some_and(|first| first.trim_end() == line) && shows(rest, &lines[1..])
        }
    }
}

#[test]
fn the_page_does_what_it_says() {
    let page = fs::read_to_string(root().join("docs/argue.md")).expect("the page");
    let clone = Clone::named("a b ü ж ").pinned_jar();
    let clone = clone.dir.path();
    copy(&root().join("specs"), &clone.join("specs"));
    let mut added = String::new();
    let (mut changes, mut commands) = (0, 0);
    for step in steps(&page) {
        match step {
            Step::Add {
                file,
                text,
                replaces,
            } => {
                changes += 1;
                add(&clone.join(&file), &text, replaces.then_some(&added));
                if file.ends_with(".toml") {
                    added = format!("\n{text}");
                }
            }
            Step::Run { command, prints } => {
                commands += 1;
                let words = command
                    .strip_prefix("cargo run -q -p interlock-ci -- ")
                    .expect("a command of the project");
                let run = interlock()
                    .current_dir(clone)
                    .args(words.split(' '))
                    .output();
                let output = run.expect("it runs");
                let printed = String::from_utf8_lossy(&output.stdout);
                let lines: Vec<&str> = printed.trim_end().lines().collect();
                let told = String::from_utf8_lossy(&output.stderr);
                assert!(
                    shows(&prints, &lines),
                    "{command}\nprints\n{printed}\nand not\n{}\n{told}",
                    prints.join("\n")
                );
            }
        }
    }
    assert!(
        (changes, commands) >= (4, 3),
        "{changes} changes, {commands} commands"
    );
}

/// The reader of the page tells one that is followed from one that is not.
#[test]
fn other_lines_are_told() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(shows(&shown("...\nb\n..."), &["a", "b", "c"]));
    assert!(!shows(&shown("b\n..."), &["a", "b", "c"]));
    assert!(!shows(&shown("...\nb"), &["a", "b", "c"]));
    assert!(!shows(&shown("...\nd\n..."), &["a", "b", "c"]));
}
