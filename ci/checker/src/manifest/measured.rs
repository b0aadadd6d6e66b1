//! What was measured on kernels, as `interlock kernels` has written it down.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

/// Of the record, what tables show.
#[derive(Deserialize)]
struct Record {
    kernels: BTreeMap<String, Kernel>,
}

#[derive(Deserialize)]
struct Kernel {
    release: String,
    /// By area and design: `dio/Final612`.
    measured: BTreeMap<String, u64>,
}

/// Of each area and design, the releases on which it was measured. Nothing where there is no record.
pub fn read(path: &Path) -> anyhow::Result<BTreeMap<(String, String), Vec<String>>> {
    let mut measured: BTreeMap<_, Vec<String>> = BTreeMap::new();
    if !path.exists() {
        return Ok(measured);
    }
    let read = || -> anyhow::Result<Record> { Ok(serde_json::from_slice(&fs::read(path)?)?) };
    let record = read().with_context(|| path.display().to_string())?;
    for kernel in record.kernels.into_values() {
        for design in kernel.measured.into_keys() {
            if let Some((area, design)) = design.split_once('/') {
                let releases = measured.entry((area.to_owned(), design.to_owned()));
                releases.or_default().push(kernel.release.clone());
            }
        }
    }
    Ok(measured)
}
