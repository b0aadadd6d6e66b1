//! Programs of `docs/findings` in a guest: compiled on the host, and taken along with its first file system.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use interlock_capture::place::run_to_end;

use crate::guest::Guest;
use crate::order::{Order, Report};

/// One run of a program ends in this time, or the guest hangs.
const LIMIT: Duration = Duration::from_secs(240);

/// How often a program tries.
const RUNS: &str = "3";

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

/// Asks a guest to run one, with a variant: what its line `RESULT` says behind the names, `3 missed, 0 kept, 0 not tried`.
///
/// # Errors
/// If the guest is lost, or the program says no result.
pub fn ask(guest: &mut Guest, program: &str) -> Result<String> {
    let (name, variant) = program.split_once(' ').context("a program has a variant")?;
    let words = [name, "-n", RUNS, variant].map(str::to_owned);
    let said = match guest.answer(&Order::Run(words.into()), LIMIT)? {
        Report::Ran(said) => said,
        other => bail!("the guest says {other:?}"),
    };
    let result = said.lines().find_map(result);
    result.with_context(|| format!("{program}: {}", said.trim()))
}

fn result(line: &str) -> Option<String> {
    let (_, counts) = line.strip_prefix("RESULT ")?.split_once(": ")?;
    Some(counts.to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_read() {
        let line = "RESULT 6.12.117 page-syncfs: 3 missed, 0 kept, 0 not tried";
        assert_eq!(
            result(line).as_deref(),
            Some("3 missed, 0 kept, 0 not tried")
        );
        assert_eq!(
            result("page-syncfs: page 1 must be [C], is [o]: MISSED"),
            None
        );
    }
}
