//! Where in the book a file of the repository is found.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, ensure};

/// The folder of the book's chapters, and of what they show.
pub(crate) const DOCS: &str = "docs";
/// The folder, in the book, of the pages of other files.
const SOURCES: &str = "source";

/// The pages, by what they show. Paths of files are relative to the repository's root, those of pages to the book's.
pub(crate) struct Places {
    root: PathBuf,
    pages: BTreeMap<PathBuf, PathBuf>,
    /// The files and folders which something links to and whose page is not made yet.
    wanted: BTreeSet<PathBuf>,
}

impl Places {
    /// Those of the repository at `root`.
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            pages: BTreeMap::new(),
            wanted: BTreeSet::new(),
        }
    }

    /// Where the file is on disk.
    pub(crate) fn on_disk(&self, file: &Path) -> PathBuf {
        self.root.join(file)
    }

    /// Says that `page` shows `file`.
    pub(crate) fn add(&mut self, file: impl Into<PathBuf>, page: impl Into<PathBuf>) {
        self.pages.insert(file.into(), page.into());
    }

    /// One of the files whose page is not made yet: it counts as made.
    pub(crate) fn next_wanted(&mut self) -> Option<PathBuf> {
        self.wanted.pop_first()
    }

    /// What a link in `file` to `target` means: a file, and `#` with what is behind it. `None` where it is in the same file, or on the
    /// network.
    pub(crate) fn meant<'a>(
        &self,
        file: &Path,
        target: &'a str,
    ) -> Result<Option<(PathBuf, &'a str)>> {
        let scheme = target
            .split(['/', '#'])
            .next()
            .is_some_and(|first| first.contains(':'));
        if scheme || target.starts_with('#') {
            return Ok(None);
        }
        let (path, fragment) = target.split_at(target.find('#').unwrap_or(target.len()));
        let mut meant = file.parent().unwrap_or(Path::new("")).to_owned();
        for part in Path::new(path).components() {
            match part {
                Component::ParentDir => {
                    ensure!(
                        meant.pop(),
                        "{}: `{target}` leads out of the repository (name a file in it)",
                        file.display()
                    );
                }
                Component::Normal(name) => meant.push(name),
                _ => {}
            }
        }
        let exists = self.on_disk(&meant).exists();
        ensure!(
            exists,
            "{}: `{target}` leads nowhere: there is no {} (correct the link)",
            file.display(),
            meant.display()
        );
        Ok(Some((meant, fragment)))
    }

    /// The page of a file that exists, which is wanted if there is none yet. A file in the chapters' folder that is no chapter is its own
    /// page: it is in the book as it is. A folder there is shown by the chapter that is its README, if it has one.
    pub(crate) fn page(&mut self, file: &Path) -> PathBuf {
        if let Some(page) = self.pages.get(file) {
            return page.clone();
        }
        let is_folder = self.on_disk(file).is_dir();
        if let Ok(inside) = file.strip_prefix(DOCS) {
            match self.pages.get(&file.join("README.md")) {
                Some(page) => return page.clone(),
                None if !is_folder => return inside.to_owned(),
                None => {}
            }
        }
        let place = Path::new(SOURCES).join(file);
        let page = match file.extension() {
            _ if is_folder => place.join("index.md"),
            Some(extension) if extension == "md" => place,
            _ => {
                let mut name = OsString::from(place);
                name.push(".md");
                PathBuf::from(name)
            }
        };
        self.wanted.insert(file.to_owned());
        self.add(file, page.clone());
        page
    }

    /// What a link on `page`, which shows `file`, has to be so that it leads to what `target` means; `None` where it is right already.
    ///
    /// # Errors
    ///
    /// When it leads to no file of the repository.
    pub(crate) fn rewritten(
        &mut self,
        file: &Path,
        page: &Path,
        target: &str,
    ) -> Result<Option<String>> {
        let Some((meant, fragment)) = self.meant(file, target)? else {
            return Ok(None);
        };
        let to = self.page(&meant);
        Ok(Some(relative(page, &to) + fragment))
    }
}

/// How a link on one page names another.
pub(crate) fn relative(from: &Path, to: &Path) -> String {
    let folder = from.parent().unwrap_or(Path::new(""));
    let common = folder
        .ancestors()
        .find(|ancestor| to.starts_with(ancestor))
        .unwrap_or(Path::new(""));
    let up = folder.components().count() - common.components().count();
    let down = to.strip_prefix(common).unwrap_or(to);
    "../".repeat(up) + &down.to_string_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_another_from_where_it_is() {
        let from = |from: &str, to: &str| relative(Path::new(from), Path::new(to));
        assert_eq!(from("one.md", "two.md"), "two.md");
        assert_eq!(from("a/b/one.md", "a/two.md"), "../two.md");
        assert_eq!(from("a/one.md", "b/two.md"), "../b/two.md");
        assert_eq!(from("one.md", "a/b/two.md"), "a/b/two.md");
    }
}
