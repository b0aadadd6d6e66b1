//! A file is written whole, or not at all.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;

/// Puts a whole file in place at once; where that fails nothing unfinished is left.
///
/// # Errors
///
/// If it cannot be written.
pub fn write_whole(dir: &Path, name: &str, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let path = dir.join(name);
    let unfinished = dir.join(format!(".{name}.{}", std::process::id()));
    let write = || {
        let mut file = std::fs::File::create(&unfinished)?;
        file.write_all(content.as_ref())?;
        std::fs::rename(&unfinished, &path)
    };
    write()
        .inspect_err(|_| drop(std::fs::remove_file(&unfinished)))
        .with_context(|| format!("cannot write {}", path.display()))
}
