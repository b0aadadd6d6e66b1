//! What was measured on kernels, as `interlock kernels` has written it down.

use std::collections::BTreeMap;
use std::path::Path;

use crate::record::{self, Record};

/// Of each area and design, the releases on which it was measured. Nothing where there is no record.
pub fn read(path: &Path) -> anyhow::Result<BTreeMap<(String, String), Vec<String>>> {
    let mut measured: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for kernel in record::load::<Record>(path)?.kernels.into_values() {
        for design in kernel.measured.into_keys() {
            if let Some((area, design)) = design.split_once('/') {
                let releases = measured.entry((area.to_owned(), design.to_owned()));
                releases.or_default().push(kernel.release.clone());
            }
        }
    }
    Ok(measured)
}
