//! The kernels of the rack: `kernels.toml`.

use anyhow::{Context as _, Result};
use interlock_traces::kernel::family::Family;
use serde::Deserialize;

/// A kernel.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// By which it is asked for: `6.12`.
    pub version: String,
    /// The suite of packages that has it.
    pub suite: String,
    /// What the packages' names have behind `linux-image-`, up to what is newest.
    pub name: String,
}

impl Kernel {
    /// What the table of its events has for a name in which releases differ: a design of specs/, a number.
    ///
    /// # Errors
    /// If there is no such table, or it does not say.
    pub fn constant(&self, name: &str) -> Result<String> {
        let family = Family::of(&self.version)?;
        family.constant(name).map(str::to_owned)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    kernel: Vec<Kernel>,
}

/// All of them.
///
/// # Errors
/// If the table is none.
pub fn all() -> Result<Vec<Kernel>> {
    let table: Table = toml::from_str(include_str!("../kernels.toml")).context("kernels.toml")?;
    Ok(table.kernel)
}

/// Those of these versions, or all.
///
/// # Errors
/// With a version that is not in the rack.
pub fn chosen(versions: &[String]) -> Result<Vec<Kernel>> {
    let all = all()?;
    if versions.is_empty() {
        return Ok(all);
    }
    versions
        .iter()
        .map(|version| named(&all, version))
        .collect()
}

fn named(all: &[Kernel], version: &str) -> Result<Kernel> {
    let found = all.iter().find(|kernel| kernel.version == version);
    found.cloned().with_context(|| {
        let versions: Vec<&str> = all.iter().map(|kernel| &kernel.version[..]).collect();
        format!(
            "there is no kernel {version} in the rack (there are: {})",
            versions.join(", ")
        )
    })
}
