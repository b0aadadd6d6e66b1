//! What engines have found, kept by the digest of all that decides it, so that the same question is not asked twice.
//!
//! An entry is what the program left: its standard output and error, its exit status, the steps that it wrote down, and what it
//! cost. It holds no verdict: the row is judged anew from it each time. Only runs that have a verdict are kept, so never one that
//! failed, was killed or ran out of its budget.

mod entry;
mod files;
pub mod key;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::note;
use crate::whole::write_whole;
pub use entry::Entry;
pub use files::Files;
use key::Key;

/// Names the folder of the entries, where it is not `target/interlock/evidence`.
pub const FOLDER: &str = "INTERLOCK_EVIDENCE";

/// The entries that were used last are kept, up to so many bytes.
const LIMIT: u64 = 512 << 20;

/// The entries' names end so.
const SUFFIX: &str = "evidence";

/// A folder of entries.
#[derive(Debug)]
pub struct Evidence {
    dir: PathBuf,
    limit: u64,
    /// What is there is not used, only replaced.
    fresh: bool,
    told: Once,
}

impl Evidence {
    /// The folder that the environment names, or that of the clone at `root`.
    pub fn of(root: &Path, fresh: bool) -> Evidence {
        let named = std::env::var_os(FOLDER).filter(|dir| !dir.is_empty());
        let dir = named.map_or_else(|| root.join("target/interlock/evidence"), PathBuf::from);
        Evidence::at(dir, LIMIT, fresh)
    }

    /// A folder of at most `limit` bytes. With `fresh` no entry is used, only replaced.
    pub fn at(dir: PathBuf, limit: u64, fresh: bool) -> Evidence {
        Evidence {
            dir,
            limit,
            fresh,
            told: Once::new(),
        }
    }

    /// The entry of this key, if there is one. One that is damaged is told of, and not used.
    pub fn find(&self, key: &Key) -> Option<Entry> {
        if self.fresh {
            return None;
        }
        let path = self.path(key);
        let bytes = fs::read(&path).ok()?;
        match Entry::parse(&bytes, key) {
            Ok(entry) => {
                // What was used last goes last. A folder that cannot be written to is used all the same.
                let touched =
                    fs::File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
                drop(touched);
                Some(entry)
            }
            Err(why) => {
                note!(
                    "{} is not used, and the model runs anew: {why:#}",
                    path.display()
                );
                None
            }
        }
    }

    /// Keeps an entry. Where that cannot be done the first such failure is told, and the check goes on.
    pub fn keep(&self, key: &Key, entry: &Entry) {
        if let Err(error) = self.write(key, entry) {
            self.told
                .call_once(|| note!("what was found is not kept as evidence: {error:#}"));
        }
    }

    fn write(&self, key: &Key, entry: &Entry) -> Result<()> {
        fs::create_dir_all(&self.dir)
            .with_context(|| format!("{} cannot be made", self.dir.display()))?;
        write_whole(&self.dir, &name(key), entry.bytes(key)?)
    }

    /// Removes the entries that were not used for longest, until the rest is within the limit, and what was left unfinished.
    ///
    /// # Errors
    ///
    /// When the folder cannot be listed, or an entry cannot be removed.
    pub fn trim(&self) -> Result<()> {
        let Ok(files) = fs::read_dir(&self.dir) else {
            return Ok(());
        };
        let mut entries = Vec::new();
        for file in files {
            let path = file?.path();
            // One that another check has just removed or renamed is nobody's loss.
            let Ok(meta) = path.metadata() else { continue };
            let is_entry = path.extension().is_some_and(|suffix| suffix == SUFFIX);
            let used = meta.modified()?;
            let abandoned = used.elapsed().is_ok_and(|ago| ago.as_secs() > 24 * 3600);
            if is_entry {
                entries.push((used, meta.len(), path));
            } else if abandoned {
                fs::remove_file(&path)?;
            }
        }
        entries.sort_unstable();
        let mut size: u64 = entries.iter().map(|(_, length, _)| length).sum();
        for (_, length, path) in entries {
            if size <= self.limit {
                break;
            }
            fs::remove_file(&path)
                .with_context(|| format!("{} cannot be removed", path.display()))?;
            size -= length;
        }
        Ok(())
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.dir.join(name(key))
    }
}

fn name(key: &Key) -> String {
    format!("{}.{SUFFIX}", key.digest())
}
