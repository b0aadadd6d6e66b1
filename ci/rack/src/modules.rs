//! The modules that the guest needs, with those that they need.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// What the guest needs. What a kernel has built in is no module.
const WANTED: [&str; 8] = [
    "virtio_pci",
    "virtio_blk",
    "virtio_console",
    "nbd",
    "loop",
    "null_blk",
    "ext4",
    "xfs",
];

/// Puts them into `to`, below names that begin with their places in the order in which they are loaded. `root` is where the packages
/// of the kernel `name` are unpacked.
///
/// # Errors
/// If there are no modules, or one cannot be read.
pub fn collect(root: &Path, name: &str, to: &Path) -> Result<()> {
    let places = ["lib/modules", "usr/lib/modules"].map(|place| root.join(place).join(name));
    let place = places.iter().find(|place| place.is_dir());
    let place = place.with_context(|| format!("the packages of {name} have no modules"))?;
    let mut found = BTreeMap::new();
    walk(place, &mut found)?;
    let mut order = Vec::new();
    for wanted in WANTED {
        load(wanted, &mut found, &mut order)?;
    }
    for (number, (name, bytes)) in order.iter().enumerate() {
        fs::write(to.join(format!("{number:02}-{name}.ko")), bytes)?;
    }
    Ok(())
}

/// All modules below, by their names.
fn walk(dir: &Path, found: &mut BTreeMap<String, PathBuf>) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let file = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if path.is_dir() {
            walk(&path, found)?;
        } else if let Some((name, "ko" | "ko.xz")) = file.split_once('.') {
            found.insert(name.replace('-', "_"), path.clone());
        }
    }
    Ok(())
}

/// Puts a module behind those that it needs, and takes it from those that were `found`: of two that need each other one is the first.
fn load(
    name: &str,
    found: &mut BTreeMap<String, PathBuf>,
    order: &mut Vec<(String, Vec<u8>)>,
) -> Result<()> {
    let Some(path) = found.remove(name) else {
        return Ok(());
    };
    let bytes = read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    for needed in needs(&bytes) {
        load(&needed, found, order)?;
    }
    order.push((name.to_owned(), bytes));
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    if path.extension() != Some(OsStr::new("xz")) {
        return Ok(fs::read(path)?);
    }
    let mut bytes = Vec::new();
    let mut packed = BufReader::new(fs::File::open(path)?);
    lzma_rs::xz_decompress(&mut packed, &mut bytes)?;
    Ok(bytes)
}

/// What a module says that it needs, in its section `.modinfo`: strings that end with a zero. Names as the kernel has them, with `_`.
pub fn needs(module: &[u8]) -> Vec<String> {
    let strings = module.split(|byte| *byte == 0);
    let depends = strings.filter_map(|string| string.strip_prefix(b"depends="));
    let depends = depends.flat_map(|names| names.split(|byte| *byte == b','));
    let names = depends.map(|name| String::from_utf8_lossy(name).replace('-', "_"));
    names.filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The modules of these names and texts, in the order in which they are loaded.
    fn loaded(modules: &[(&str, &[u8])]) -> Result<Vec<String>> {
        let dir = tempfile::tempdir()?;
        let place = dir.path().join("lib/modules/6.1/kernel");
        fs::create_dir_all(&place)?;
        for (name, text) in modules {
            fs::write(place.join(name), text)?;
        }
        let to = dir.path().join("to");
        fs::create_dir(&to)?;
        collect(dir.path(), "6.1", &to)?;
        let mut names: Vec<_> = fs::read_dir(&to)?
            .map(|entry| entry.map(|entry| entry.file_name().into_string().unwrap_or_default()))
            .collect::<std::io::Result<_>>()?;
        names.sort();
        Ok(names)
    }

    #[test]
    fn a_module_comes_behind_what_it_needs() -> Result<()> {
        let names = loaded(&[
            ("xfs.ko", b"ELF\0depends=libcrc32c,loop\0name=xfs\0"),
            ("libcrc32c.ko", b"ELF\0depends=\0"),
            ("loop.ko", b"ELF\0depends=\0"),
            ("unused.ko", b"ELF\0depends=\0"),
        ])?;
        assert_eq!(names, ["00-loop.ko", "01-libcrc32c.ko", "02-xfs.ko"]);
        Ok(())
    }

    #[test]
    fn modules_that_need_each_other_are_loaded_once() -> Result<()> {
        let names = loaded(&[
            ("ext4.ko", b"depends=jbd2,ext4\0"),
            ("jbd2.ko", b"depends=ext4\0"),
        ])?;
        assert_eq!(names, ["00-jbd2.ko", "01-ext4.ko"]);
        Ok(())
    }
}
