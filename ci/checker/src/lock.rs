//! One run at a time for each directory, and for each tool that is fetched or built.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::interrupt;
use crate::note;

/// Two runs must not write to the same files. The lock ends with the process that holds it.
pub fn lock(out: &Path) -> Result<fs::File> {
    fs::create_dir_all(out).with_context(|| format!("{} cannot be made", out.display()))?;
    let path = out.join("lock");
    let file =
        fs::File::create(&path).with_context(|| format!("{} cannot be written", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => {
            bail!(
                "another interlock runs in {}: wait for it, or give --out another directory",
                out.display()
            )
        }
        Err(fs::TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", path.display()))
        }
    }
}

/// Has the tool at `place`, whose folder is made, to itself; waits for another run that fetches or builds it. The lock ends with the
/// process that holds it, and its file stays.
///
/// # Errors
///
/// When the lock's file, beside the tool, cannot be made; or when a signal has come while it waits.
pub fn wait(place: &Path) -> Result<fs::File> {
    let path = place.with_added_extension("lock");
    let failed = || format!("{} cannot be locked", path.display());
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).with_context(|| format!("{} cannot be made", dir.display()))?;
    }
    let file = fs::File::create(&path).with_context(failed)?;
    let mut told = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::Error(error)) => return Err(error).with_context(failed),
            Err(fs::TryLockError::WouldBlock) => {
                if !told {
                    note!("another run makes {}: waiting for it", place.display());
                }
                told = true;
                ensure!(!interrupt::requested(), "interrupted");
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }
}
