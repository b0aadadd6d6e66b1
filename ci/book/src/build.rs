//! The build.

use std::path::{Path, PathBuf};

use anyhow::Result;
use mdbook_driver::MDBook;

use crate::preprocessor::Pages;

/// Builds the book of the repository at `root`, and returns its folder.
///
/// # Errors
///
/// When a link leads to no file of the repository, a module is not TLA+, or a file cannot be read or written.
pub fn build(root: &Path) -> Result<PathBuf> {
    let mut book = MDBook::load(root.join("docs"))?;
    book.with_preprocessor(Pages {
        root: root.to_owned(),
    });
    book.build()?;
    Ok(book.build_dir_for("html"))
}
