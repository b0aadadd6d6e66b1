//! The pages that the chapters lack.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use interlock_tla::module::Listing;

use crate::order::{Area, areas, entries, read};
use crate::places::{Places, relative};
use crate::{listing, markdown};

/// A chapter of the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chapter {
    /// What it is called in the list of chapters.
    pub title: String,
    /// Its file, relative to the repository's root.
    pub file: PathBuf,
    /// Its page, relative to the book's root, with the file's extension.
    pub page: PathBuf,
    /// Markdown.
    pub text: String,
}

/// A page that is no file of the book's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// What it is called.
    pub title: String,
    /// Where it is, relative to the book's root: a path that ends in `.md`, of which the book makes `.html`.
    pub page: PathBuf,
    /// Markdown.
    pub text: String,
    /// The pages below it.
    pub below: Vec<Page>,
}

/// The pages that the chapters lack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// Each area of `specs/`, with its modules.
    pub specifications: Vec<Page>,
    /// A list of the other files that pages link to, with the files.
    pub sources: Page,
}

/// Makes the pages that the chapters of the repository at `root` lack, and rewrites the chapters' links to where they lead then.
///
/// # Errors
///
/// When a link leads to no file of the repository, a module is not TLA+, or a file cannot be read.
pub fn complete(root: &Path, chapters: &mut [Chapter]) -> Result<Added> {
    let mut places = Places::new(root);
    for chapter in &*chapters {
        places.add(&chapter.file, &chapter.page);
    }
    let files: Vec<PathBuf> = chapters
        .iter()
        .map(|chapter| chapter.file.clone())
        .collect();
    let areas = areas(&places, &files)?;
    for area in &areas {
        if let Some((readme, _)) = &area.readme {
            places.add(&area.folder, area.folder.join("index.md"));
            places.add(readme, area.folder.join("index.md"));
        }
        for module in &area.modules {
            places.add(module, module.with_extension("md"));
        }
    }
    let told = told(&places, chapters)?;
    for Chapter {
        file, page, text, ..
    } in chapters
    {
        *text = shown(&mut places, file, page, text)?;
    }
    let folders: Vec<PathBuf> = areas
        .iter()
        .map(|area| places.on_disk(&area.folder))
        .collect();
    let mut specifications = Vec::new();
    for area in &areas {
        // of two modules of one name the area's own is meant
        let own = places.on_disk(&area.folder);
        let mut directories = vec![own.as_path()];
        directories.extend(
            folders
                .iter()
                .filter(|folder| **folder != own)
                .map(PathBuf::as_path),
        );
        let mut below = Vec::new();
        for module in &area.modules {
            below.push(of_module(
                &mut places,
                &directories,
                area,
                module,
                told.get(module),
            )?);
        }
        match &area.readme {
            Some((file, text)) => specifications.push(of_markdown(&mut places, file, text, below)?),
            None => specifications.append(&mut below),
        }
    }
    Ok(Added {
        specifications,
        sources: sources(&mut places)?,
    })
}

/// Links to the chapters that link to each module.
fn told(
    places: &Places,
    chapters: &[Chapter],
) -> Result<BTreeMap<PathBuf, Vec<(String, PathBuf)>>> {
    let mut told: BTreeMap<PathBuf, Vec<(String, PathBuf)>> = BTreeMap::new();
    for Chapter {
        title,
        file,
        page,
        text,
    } in chapters
    {
        for (_, target) in markdown::links(text)? {
            if let Some((meant, _)) = places.meant(file, &target)? {
                let chapters = told.entry(meant).or_default();
                if chapters.last().is_none_or(|(_, last)| last != page) {
                    chapters.push((title.clone(), page.clone()));
                }
            }
        }
    }
    Ok(told)
}

/// A module in full, below links to what tells of it.
fn of_module(
    places: &mut Places,
    directories: &[&Path],
    area: &Area,
    file: &Path,
    told: Option<&Vec<(String, PathBuf)>>,
) -> Result<Page> {
    let page = places.page(file);
    let name = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let listing = Listing::read(directories, &name)?;
    // a heading's own anchor could be that of a definition
    let mut text = format!("# {name} {{#module-{name}}}\n\n`{}`", file.display());
    if let Some((readme, of_area)) = &area.readme {
        let to = relative(&page, &places.page(readme));
        text += &format!(
            " is a module of [{}]({to}).",
            markdown::title(of_area, "its area")
        );
    }
    let chapters = told
        .into_iter()
        .flatten()
        .map(|(title, chapter)| format!("[{title}]({})", relative(&page, chapter)));
    let chapters: Vec<String> = chapters.collect();
    if !chapters.is_empty() {
        text += &format!("\n\nTold in: {}.", chapters.join(", "));
    }
    let html = listing::module(&listing, |path| {
        let file = path
            .strip_prefix(places.on_disk(Path::new("")))
            .unwrap_or(path);
        let to = places.page(file).with_extension("html");
        relative(&page, &to)
    });
    text += &format!("\n\n{html}");
    Ok(Page {
        title: name,
        page,
        text,
        below: Vec::new(),
    })
}

/// A page's text, with links to where they lead in the book, and TLA+ in the colours of modules.
fn shown(places: &mut Places, file: &Path, page: &Path, text: &str) -> Result<String> {
    let text = markdown::with_links(text, |target| places.rewritten(file, page, target))?;
    let marked = |code: &str| {
        let listing = Listing::of_definitions(code)
            .with_context(|| format!("{}: a block of TLA+", file.display()))?;
        Ok(listing::module(&listing, |_| String::new()))
    };
    markdown::with_blocks(&text, marked)
}

fn of_markdown(places: &mut Places, file: &Path, text: &str, below: Vec<Page>) -> Result<Page> {
    let page = places.page(file);
    let name = file.display().to_string();
    Ok(Page {
        title: markdown::title(text, &name).to_owned(),
        text: shown(places, file, &page, text)?,
        page,
        below,
    })
}

/// The files that are wanted, and those that they want.
fn sources(places: &mut Places) -> Result<Page> {
    let mut below = Vec::new();
    while let Some(file) = places.next_wanted() {
        below.push(
            of_file(places, &file).with_context(|| format!("the page of {}", file.display()))?,
        );
    }
    below.sort_by(|one, other| one.title.cmp(&other.title));
    let page = PathBuf::from("source/index.md");
    let list = below.iter().map(|source| {
        format!(
            "- [`{}`]({})\n",
            source.title,
            relative(&page, &source.page)
        )
    });
    let list: String = list.collect();
    Ok(Page {
        title: "Sources".to_owned(),
        text: format!(
            "# Sources\n\nThe files of the repository that pages of this book link to, as they were when it was built.\n\n{list}"
        ),
        page,
        below,
    })
}

fn of_file(places: &mut Places, file: &Path) -> Result<Page> {
    let page = places.page(file);
    let title = file.display().to_string();
    let text = if places.on_disk(file).is_dir() {
        let mut text = format!("# `{title}`\n\n");
        for entry in entries(places, file)? {
            let name = entry.file_name().unwrap_or_default().to_string_lossy();
            let to = relative(&page, &places.page(&entry));
            text += &format!("- [`{name}`]({to})\n");
        }
        text
    } else if file.extension().is_some_and(|is| is == "md") {
        let page = of_markdown(places, file, &read(places, file)?, Vec::new())?;
        return Ok(Page { title, ..page });
    } else {
        format!("# `{title}`\n\n{}", listing::lines(&read(places, file)?))
    };
    Ok(Page {
        title,
        page,
        text,
        below: Vec::new(),
    })
}
