//! Whether a built book holds together: each local link and anchor of each page leads somewhere, and no page loads anything from the
//! network.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer,
};

/// What a page says of itself and of others.
#[derive(Default)]
struct Page {
    /// Its anchors.
    ids: BTreeSet<String>,
    /// Where its links lead.
    links: Vec<String>,
    /// What it loads: pictures, scripts, styles.
    loads: Vec<String>,
    /// What is wrong with the page alone.
    faults: Vec<String>,
    /// Links begin at the book's root, not at the page.
    at_root: bool,
}

/// What is wrong with the book in `folder`, a line each: `PAGE: MESSAGE`.
///
/// # Errors
///
/// When a folder cannot be listed or a file cannot be read.
pub fn faults(folder: &Path) -> Result<Vec<String>> {
    let mut files = BTreeSet::new();
    files_below(folder, Path::new(""), &mut files)?;
    let mut pages = BTreeMap::new();
    for file in &files {
        let page = match file.extension().and_then(|extension| extension.to_str()) {
            Some("html" | "svg") => html(&read(folder, file)?),
            Some("css") => css(&read(folder, file)?),
            _ => continue,
        };
        pages.insert(file.clone(), page);
    }
    let mut faults = Vec::new();
    for (file, page) in &pages {
        let of_links = page
            .links
            .iter()
            .filter_map(|target| leads(&files, &pages, file, target));
        let of_loads = page
            .loads
            .iter()
            .filter_map(|target| match is_remote(target) {
                true => Some(format!(
                    "loads `{target}` from the network (bring it along)"
                )),
                false => leads(&files, &pages, file, target),
            });
        let found = page.faults.iter().cloned().chain(of_links).chain(of_loads);
        faults.extend(found.map(|fault| format!("{}: {fault}", file.display())));
    }
    Ok(faults)
}

fn files_below(root: &Path, folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<()> {
    let context = || format!("{}: it cannot be listed", root.join(folder).display());
    for entry in fs::read_dir(root.join(folder)).with_context(context)? {
        let entry = entry.with_context(context)?;
        let path = folder.join(entry.file_name());
        if entry.file_type().with_context(context)?.is_dir() {
            files_below(root, &path, files)?;
        } else {
            files.insert(path);
        }
    }
    Ok(())
}

fn read(folder: &Path, file: &Path) -> Result<String> {
    fs::read_to_string(folder.join(file))
        .with_context(|| format!("{}: it cannot be read", file.display()))
}

fn is_remote(target: &str) -> bool {
    target.starts_with("//")
        || ["http:", "https:"]
            .iter()
            .any(|scheme| target.starts_with(scheme))
}

/// What is wrong with a link from this page, if something is.
fn leads(
    files: &BTreeSet<PathBuf>,
    pages: &BTreeMap<PathBuf, Page>,
    file: &Path,
    target: &str,
) -> Option<String> {
    if is_remote(target) || target.starts_with("data:") || target.starts_with("mailto:") {
        return None;
    }
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    let at_root = path.starts_with('/') || pages.get(file).is_some_and(|page| page.at_root);
    let mut to = match file.parent() {
        Some(folder) if !at_root && !path.is_empty() => folder.to_owned(),
        _ if path.is_empty() => file.to_owned(),
        _ => PathBuf::new(),
    };
    for part in Path::new(path.split('?').next().unwrap_or(path)).components() {
        match part {
            Component::ParentDir if !to.pop() => {
                return Some(format!("`{target}` leads out of the book"));
            }
            Component::Normal(name) => to.push(name),
            _ => {}
        }
    }
    if !files.contains(&to) {
        to.push("index.html");
    }
    if !files.contains(&to) {
        return Some(format!("`{target}` leads nowhere"));
    }
    let page = pages.get(&to);
    let missing = !fragment.is_empty() && page.is_none_or(|page| !page.ids.contains(fragment));
    missing.then(|| format!("`{target}`: {} has no such anchor", to.display()))
}

/// What stands in a `url(...)` of a style, or behind its `@import`.
fn css(text: &str) -> Page {
    let urls = text
        .split("url(")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let imports = text
        .split("@import")
        .skip(1)
        .filter_map(|rest| rest.split(';').next());
    let loads = urls.chain(imports.filter(|import| !import.contains("url(")));
    let bare = |target: &str| target.trim().trim_matches(['"', '\'']).to_owned();
    Page {
        loads: loads.map(bare).collect(),
        ..Page::default()
    }
}

fn html(text: &str) -> Page {
    let sink = Sink(RefCell::default());
    let tokenizer = Tokenizer::new(sink, Default::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

struct Sink(RefCell<Page>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else {
            return TokenSinkResult::Continue;
        };
        if tag.kind == TagKind::StartTag {
            self.0.borrow_mut().see(&tag);
            match &*tag.name {
                "script" => return TokenSinkResult::RawData(RawKind::ScriptData),
                "style" => return TokenSinkResult::RawData(RawKind::Rawtext),
                "title" | "textarea" => return TokenSinkResult::RawData(RawKind::Rcdata),
                _ => {}
            }
        }
        TokenSinkResult::Continue
    }
}

impl Page {
    fn see(&mut self, tag: &Tag) {
        for attribute in &tag.attrs {
            let value = attribute.value.to_string();
            match (&*tag.name, &*attribute.name.local) {
                (_, "id") => {
                    let is_new = self.ids.insert(value.clone());
                    if !is_new {
                        self.faults.push(format!("has the anchor `{value}` twice"));
                    }
                }
                ("base", "href") => self.at_root = true,
                ("a" | "area", "href" | "xlink:href") => self.links.push(value),
                (_, "src" | "href" | "xlink:href" | "poster" | "data") => self.loads.push(value),
                (_, "class") if value.split_whitespace().any(|class| class == "playground") => {
                    let fault = "has code to be run, for which the book asks a server (set `runnable = false`)";
                    self.faults.push(fault.to_owned());
                }
                _ => {}
            }
        }
    }
}
