//! One run at a time for each directory.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

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
