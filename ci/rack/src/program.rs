//! Programs of `docs/findings` in a guest: compiled on the host, and taken along with its first file system.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use interlock_capture::place::run_to_end;

/// Where what is compiled is kept.
pub fn dir(kept: &Path) -> PathBuf {
    kept.join("programs")
}

/// Compiles a program of the clone at `root`, for the guests that are booted from now on.
///
/// # Errors
/// If the compiler is missing, or does not like it.
pub fn compile(root: &Path, name: &str, kept: &Path) -> Result<()> {
    let to = dir(kept);
    fs::create_dir_all(&to)?;
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-static", "-pthread", "-o"])
        .arg(to.join(name));
    let source = root.join("docs/findings").join(format!("{name}.c"));
    run_to_end(cc.arg(source))
        .map(drop)
        .with_context(|| format!("{name} is not compiled (cc is of gcc)"))
}

/// In the guest: runs one to its end. What it prints; its status says what it has found, and is no failure.
///
/// # Errors
/// If it does not start.
pub(crate) fn run(words: &[String]) -> Result<String> {
    let (name, args) = words.split_first().context("a program has a name")?;
    let output = Command::new(name).args(args).output();
    let output = output.with_context(|| format!("{name} does not start"))?;
    let said = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// The programs that are compiled: their names, and where they are.
///
/// # Errors
/// If a folder cannot be read.
pub fn compiled(kept: &Path) -> Result<Vec<(String, PathBuf)>> {
    let dir = dir(kept);
    if !dir.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(OsStr::to_str)
            .context("a name that is no text")?;
        found.push((name.to_owned(), path));
    }
    found.sort();
    Ok(found)
}
