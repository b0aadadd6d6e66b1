//! Links of the repository's pages: each leads to a file that is there, and to a heading or an operator of it. A doc comment of the
//! reference names an operator, as `specs/rwsem/Rwsem.tla#ReaderProgress` between backticks: where its page is shown there may be no
//! specifications beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::markdown::anchor;

/// Whose doc comments name operators.
const REFERENCE: &str = "reference";

/// The book's list of chapters.
const SUMMARY: &str = "docs/SUMMARY.md";

/// What is wrong with the links of every `.md` below `root`, `FILE:LINE: MESSAGE` each, in the order of files and lines; each page
/// of `docs/` that the book's list does not name; and each operator that a doc comment of the reference names and no module has.
///
/// # Errors
///
/// When a folder cannot be listed or a page cannot be read.
pub fn faults(root: &Path) -> io::Result<Vec<String>> {
    let mut pages = Vec::new();
    files_below(root, Path::new(""), ".md", &mut pages)?;
    let mut texts = BTreeMap::new();
    for page in pages {
        let text = fs::read_to_string(root.join(&page))?;
        texts.insert(page, text);
    }
    let mut faults = Vec::new();
    let mut chapters = BTreeSet::new();
    for (page, text) in &texts {
        for (line, target) in links(text) {
            if page == Path::new(SUMMARY)
                && let Some(chapter) = resolve(page, target)
            {
                chapters.insert(chapter);
            }
            if let Err(message) = leads(root, &texts, page, target) {
                faults.push(format!("{}:{line}: {message}", page.display()));
            }
        }
    }
    let of_book =
        |page: &&PathBuf| page.starts_with("docs") && page.as_path() != Path::new(SUMMARY);
    let has_list = texts.contains_key(Path::new(SUMMARY));
    for page in texts.keys().filter(of_book) {
        if has_list && !chapters.contains(page) {
            let page = page.display();
            faults.push(format!("{page}:1: is no chapter (add it to {SUMMARY})"));
        }
    }
    if root.join(REFERENCE).is_dir() {
        let mut sources = Vec::new();
        files_below(root, Path::new(REFERENCE), ".rs", &mut sources)?;
        sources.sort();
        for source in sources {
            let text = fs::read_to_string(root.join(&source))?;
            for (line, operator) in named(&text) {
                // Such a name is a link from the root.
                if let Err(message) = leads(root, &texts, Path::new("README.md"), operator) {
                    faults.push(format!("{}:{line}: {message}", source.display()));
                }
            }
        }
    }
    Ok(faults)
}

/// The operators that doc comments name, each with its line.
fn named(text: &str) -> Vec<(usize, &str)> {
    let mut named = Vec::new();
    for (line, at) in text.lines().zip(1..) {
        let line = line.trim_start();
        if ["///", "//!"].iter().any(|mark| line.starts_with(mark)) {
            let code = line.split('`').skip(1).step_by(2);
            named.extend(
                code.filter(|code| code.contains(".tla#"))
                    .map(|code| (at, code)),
            );
        }
    }
    named
}

/// Every file with this end of its name, but those that a build or a tool has made.
fn files_below(root: &Path, folder: &Path, end: &str, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = entry.file_name();
        let path = folder.join(&name);
        let name = name.to_string_lossy();
        if entry.file_type()?.is_dir() {
            if name != "target" && !name.starts_with('.') {
                files_below(root, &path, end, files)?;
            }
        } else if name.ends_with(end) {
            files.push(path);
        }
    }
    Ok(())
}

/// A page's lines outside of blocks of code, with their numbers from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().zip(1..).filter_map(move |(line, at)| {
        let start = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, None) => return Some((at, line)),
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
        }
        None
    })
}

/// The targets of links and pictures, each with its line.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (at, line) in prose(text) {
        let code = code_spans(line);
        for (start, _) in line.match_indices("](") {
            let target = &line[start + 2..];
            let end = target.find([')', ' ']).unwrap_or(target.len());
            if !code.iter().any(|span| span.contains(&start)) {
                found.push((at, &target[..end]));
            }
        }
    }
    found
}

/// Where a line is code.
fn code_spans(line: &str) -> Vec<std::ops::Range<usize>> {
    let ticks: Vec<usize> = line.match_indices('`').map(|(at, _)| at).collect();
    ticks.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect()
}

/// The file that a link leads to, from the root; nothing if it leads out of it or to another host.
fn resolve(page: &Path, target: &str) -> Option<PathBuf> {
    let file = target.split('#').next().unwrap_or_default();
    if file.is_empty() {
        return Some(page.to_owned());
    }
    let mut path = page.parent()?.to_owned();
    for part in Path::new(file).components() {
        match part {
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            Component::Normal(name) => path.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

fn leads(
    root: &Path,
    texts: &BTreeMap<PathBuf, String>,
    page: &Path,
    target: &str,
) -> Result<(), String> {
    if ["http://", "https://", "mailto:"]
        .iter()
        .any(|scheme| target.starts_with(scheme))
    {
        return Ok(());
    }
    let Some(file) = resolve(page, target) else {
        return Err(format!(
            "`{target}` leads out of the repository (name a file in it)"
        ));
    };
    if !root.join(&file).exists() {
        let file = file.display();
        return Err(format!(
            "`{target}` leads nowhere: there is no {file} (correct the link)"
        ));
    }
    let Some((_, fragment)) = target.split_once('#') else {
        return Ok(());
    };
    let file_is = |extension: &str| file.extension().is_some_and(|is| is == extension);
    if let Some(text) = texts.get(&file) {
        if anchors(text).contains(fragment) {
            return Ok(());
        }
        let file = file.display();
        return Err(format!(
            "`{target}`: {file} has no heading for `#{fragment}` (correct the anchor)"
        ));
    }
    if file_is("tla") {
        let text = fs::read_to_string(root.join(&file)).map_err(|error| error.to_string())?;
        if defines(&text, fragment) {
            return Ok(());
        }
        let file = file.display();
        return Err(format!(
            "`{target}`: {file} defines no `{fragment}` (name an operator of that module)"
        ));
    }
    let line = fragment.strip_prefix('L').unwrap_or_default();
    if !line.is_empty() && line.chars().all(|c| c.is_ascii_digit()) {
        return Ok(());
    }
    Err(format!(
        "`{target}`: only pages and modules have anchors (leave `#{fragment}` out)"
    ))
}

/// The anchors of a page's headings: the second of the same words has `-1` behind it.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    for (_, line) in prose(text) {
        let words = line.trim_start_matches('#');
        let level = line.len() - words.len();
        if !(1..=6).contains(&level) || !words.starts_with(' ') {
            continue;
        }
        let name = anchor(&without_links(words.trim().trim_end_matches('#')));
        let times = seen.entry(name.clone()).or_default();
        anchors.insert(match *times {
            0 => name,
            times => format!("{name}-{times}"),
        });
        *times += 1;
    }
    anchors
}

/// `[text](target)` is `text`.
fn without_links(heading: &str) -> String {
    let mut rest = heading;
    let mut words = String::new();
    while let Some((before, after)) = rest.split_once("](") {
        words.push_str(before);
        rest = after.split_once(')').map_or("", |(_, behind)| behind);
    }
    words.push_str(rest);
    words
}

/// Whether a module's text has a definition of this operator: its name begins a line, and `==` follows it or its parameters.
fn defines(text: &str, operator: &str) -> bool {
    !operator.is_empty()
        && text.lines().any(|line| {
            let line = line.trim_start();
            let line = line.strip_prefix("LOCAL ").unwrap_or(line);
            let Some(rest) = line.strip_prefix(operator) else {
                return false;
            };
            let rest = rest.trim_start();
            let closed = match rest.chars().next() {
                Some('(') => rest.rfind(") ==").map(|_| "=="),
                Some('[') => rest.rfind("] ==").map(|_| "=="),
                _ => Some(rest),
            };
            closed.is_some_and(|rest| rest.starts_with("=="))
        })
}
