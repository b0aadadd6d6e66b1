//! What is built: `cures.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use crate::plan::Fs;
use crate::qemu;

/// All of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Where kernels come from.
    #[serde(rename = "source")]
    pub sources: Vec<Source>,
    /// What is changed in them.
    #[serde(rename = "patch")]
    pub patches: Vec<Patch>,
    /// What is changed together.
    #[serde(rename = "cure")]
    pub cures: Vec<Cure>,
}

/// A package of a kernel's source.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// By which it is asked for: `6.12`.
    pub version: String,
    /// The suite of packages that has it.
    pub suite: String,
    /// The package.
    pub package: String,
    /// Whether the kernel checks itself (`checked.config`): such a source is asked for by its version alone.
    #[serde(default)]
    pub checked: bool,
    /// How many processors its guests have. A source whose guests have more than others is asked for by its version alone.
    #[serde(default = "qemu::processors")]
    pub processors: u32,
    /// Whether the guests' clock counts their instructions. Such a source is asked for by its version alone.
    #[serde(default)]
    pub paced: bool,
}

/// A semantic patch.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// Its file's name, without `.cocci`.
    pub name: String,
    /// The files of the kernel's source that it changes.
    pub files: Vec<String>,
    /// Whether it cures nothing: it counts, or is a mistake that has to be seen. It is in `ci/rack/patches`; others are a finding's, in
    /// `docs/findings/patches`.
    #[serde(default)]
    pub test: bool,
}

/// Patches that are applied together.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cure {
    /// By which it is asked for: `ext4`.
    pub name: String,
    /// The patches' names; none: the kernel as it is shipped.
    pub patches: Vec<String>,
    /// Whether threads that write and fsync, in a short journal, are a herd; without it they are not run.
    #[serde(default)]
    pub herd: Option<bool>,
    /// How often power is lost beside a herd.
    #[serde(default)]
    pub cuts: u32,
    /// The file system of which is measured what its direct writes cost.
    #[serde(default)]
    pub costs: Option<Fs>,
    /// The way to wake of `ReserveWait.tla`, and no other, of which it is a behaviour what those do who reserve credits: of a kernel that
    /// tells it.
    #[serde(default)]
    pub wakes: Option<String>,
    /// Programs of `docs/findings`, each with a variant, that find nothing; as it is shipped, one variant of each finds something.
    #[serde(default)]
    pub programs: Vec<String>,
    /// What is said of a kernel that is mistaken: on its console, or of the guest. Each has to be said.
    #[serde(default)]
    pub fails: Vec<String>,
    /// Whether it is built only of sources whose kernels check themselves.
    #[serde(default)]
    pub checked: bool,
    /// The design that stands for a kernel with it, by the one that stands for the kernel without.
    #[serde(default)]
    pub designs: BTreeMap<String, String>,
}

/// Where the findings' patches are in a clone.
pub const FINDINGS: &str = "docs/findings/patches";

/// Where those are that cure nothing.
pub const TESTS: &str = "ci/rack/patches";

/// The cure of a kernel as it is shipped.
pub const NONE: &str = "none";

/// The table.
///
/// # Errors
/// If it is none.
pub fn all() -> Result<Table> {
    let table: Table = toml::from_str(include_str!("../cures.toml")).context("cures.toml")?;
    for cure in &table.cures {
        for patch in &cure.patches {
            table.patch(patch)?;
        }
    }
    ensure!(
        table.cures.first().is_some_and(|cure| cure.name == NONE),
        "cures.toml: the first cure is {NONE}"
    );
    Ok(table)
}

impl Source {
    /// Whether the time that its kernels take is theirs: they do not check themselves, and their clock is the machine's.
    pub fn is_timed(&self) -> bool {
        !self.checked && !self.paced
    }
}

impl Patch {
    /// Where it is in a clone.
    pub fn path(&self, root: &Path) -> PathBuf {
        let folder = if self.test { TESTS } else { FINDINGS };
        root.join(folder).join(format!("{}.cocci", self.name))
    }
}

impl Table {
    /// The patch of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn patch(&self, name: &str) -> Result<&Patch> {
        let found = self.patches.iter().find(|patch| patch.name == name);
        found.with_context(|| format!("cures.toml: there is no patch {name}"))
    }

    /// The cures of these names, and always the kernel as it is shipped; all, if none is named.
    ///
    /// # Errors
    /// With a name that is not in the table.
    pub fn chosen(&self, names: &[String]) -> Result<Vec<Cure>> {
        for name in names {
            self.cure(name)?;
        }
        let is_chosen =
            |cure: &&Cure| names.is_empty() || cure.name == NONE || names.contains(&cure.name);
        Ok(self.cures.iter().filter(is_chosen).cloned().collect())
    }

    /// The cure of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn cure(&self, name: &str) -> Result<&Cure> {
        let found = self.cures.iter().find(|cure| cure.name == name);
        found.with_context(|| {
            let names: Vec<&str> = self.cures.iter().map(|cure| &cure.name[..]).collect();
            format!("there is no cure {name} (there are: {})", names.join(", "))
        })
    }

    /// The source of this version.
    ///
    /// # Errors
    /// If there is none.
    pub fn source(&self, version: &str) -> Result<&Source> {
        let mut sources = self.sources.iter();
        let found = sources.find(|source| source.version == version);
        found.with_context(|| {
            let known = self.sources.iter().map(|source| &source.version[..]);
            let known = known.collect::<Vec<_>>().join(", ");
            format!("there is no source {version} (there are: {known})")
        })
    }

    /// The sources of these versions; if none is named, all that are not asked for by their versions alone.
    ///
    /// # Errors
    /// With a version that is not in the table.
    pub fn sources(&self, versions: &[String]) -> Result<Vec<Source>> {
        for version in versions {
            self.source(version)?;
        }
        let is_chosen = |source: &&Source| match versions {
            [] => source.is_timed() && source.processors == qemu::processors(),
            versions => versions.contains(&source.version),
        };
        Ok(self.sources.iter().filter(is_chosen).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_differs_from_others_is_asked_for_by_its_version_alone() {
        let table = all().expect("a table");
        let versions = |asked: &[&str]| -> Vec<String> {
            let asked: Vec<String> = asked.iter().map(|&version| version.to_owned()).collect();
            let sources = table.sources(&asked).expect("they are there");
            sources.into_iter().map(|source| source.version).collect()
        };
        assert_eq!(versions(&[]), ["6.12", "7.3"]);
        for version in ["7.3-checked", "7.3-four", "7.3-paced"] {
            assert_eq!(versions(&[version]), [version]);
        }
    }
}
