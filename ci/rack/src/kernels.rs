//! The kernels of the rack: `kernels.toml`.

use anyhow::{Context as _, Result};
use interlock_traces::kernel::family::Family;
use serde::Deserialize;

use crate::cure::{self, Source};
use crate::qemu;

/// A kernel.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// By which it is asked for: `6.12`.
    pub version: String,
    /// The suite of packages that has it; empty, if none has: it is run where somebody has put it (`packages::find`).
    #[serde(default)]
    pub suite: String,
    /// What the packages' names have behind `linux-image-`, up to what is newest.
    #[serde(default)]
    pub name: String,
    /// How many processors its guests have.
    #[serde(default = "qemu::processors")]
    pub processors: u32,
    /// Whether its guests' clock counts their instructions.
    #[serde(default)]
    pub paced: bool,
}

/// The version of this machine's own kernel.
const HOST: &str = "host";

impl Kernel {
    /// Whether it is this machine's own.
    pub fn is_host(&self) -> bool {
        self.version == HOST
    }

    /// One that no suite has.
    pub fn unpackaged(version: &str) -> Kernel {
        Kernel {
            version: version.to_owned(),
            suite: String::new(),
            name: String::new(),
            processors: qemu::processors(),
            paced: false,
        }
    }

    /// One that is built: a source, `6.12`, with a cure of `cures.toml`.
    pub fn built(source: &Source, cure: &str) -> Kernel {
        Kernel {
            processors: source.processors,
            paced: source.paced,
            ..Kernel::unpackaged(&format!("{}+{cure}", source.version))
        }
    }

    /// Its source and its cure, if it is one that is built.
    pub fn cure(&self) -> Option<(&str, &str)> {
        self.version.split_once('+')
    }

    /// The design that stands for `release`, the update of it that runs, in this role of a family's constants.
    ///
    /// # Errors
    /// If there is no table of the release, or of the cures.
    pub fn design(&self, release: &str, role: &str) -> Result<String> {
        let shipped = self.family(release)?.constant(role)?.to_owned();
        let Some((_, cure)) = self.cure() else {
            return Ok(shipped);
        };
        let table = cure::all()?;
        Ok(match table.cure(cure)?.designs.get(&shipped) {
            Some(cured) => cured.clone(),
            None => shipped,
        })
    }

    /// The table of the events of `release`, the update of it that runs.
    ///
    /// # Errors
    /// If there is none.
    pub fn family(&self, release: &str) -> Result<Family> {
        match self.is_host() {
            true => Family::of(&interlock_capture::release()),
            false => Family::of(release),
        }
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

/// Those of these versions, or all; `host` is this machine's own.
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
    if version == HOST {
        return Ok(Kernel::unpackaged(HOST));
    }
    if let Some((source, cure)) = version.split_once('+') {
        let table = cure::all()?;
        let source = table.source(source)?;
        table.cure(cure)?;
        return Ok(Kernel::built(source, cure));
    }
    let found = all.iter().find(|kernel| kernel.version == version);
    found.cloned().with_context(|| {
        let versions: Vec<&str> = all.iter().map(|kernel| &kernel.version[..]).collect();
        format!(
            "there is no kernel {version} in the rack (there are: {}, host)",
            versions.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_is_built_runs_as_its_source_says() {
        for (version, processors, paced) in [
            ("7.3+ext4", qemu::processors(), false),
            ("7.3-four+jbd2", 4, false),
            ("7.3-paced+jbd2", qemu::processors(), true),
        ] {
            let all = all().expect("a table");
            let kernel = named(&all, version).expect("it can be built");
            assert_eq!((kernel.processors, kernel.paced), (processors, paced));
        }
    }
}
