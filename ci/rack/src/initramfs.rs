//! The guest's first file system: this program, what makes file systems, their libraries, and the modules.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use cpio::newc::{Builder, ModeFileType};

use crate::init;

/// Programs that the guest runs, and the packages that have them. What is not there is left out, and its workloads are not run.
const PROGRAMS: [(&str, &str); 6] = [
    ("e2fsck", "e2fsprogs"),
    ("mkfs.ext4", "e2fsprogs"),
    ("mkfs.xfs", "xfsprogs"),
    ("mount", "util-linux"),
    ("umount", "util-linux"),
    ("unshare", "util-linux"),
];

/// Where programs are looked for.
const PLACES: [&str; 6] = [
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
];

/// Writes it, with these modules and these programs. What is missing in it, a line each.
///
/// # Errors
/// If something cannot be read or written.
pub fn write(
    to: &Path,
    modules: &[PathBuf],
    programs: &[(String, PathBuf)],
) -> Result<Vec<String>> {
    let mut content = Content::default();
    content.device("/dev/console", 5, 1)?;
    content.device("/dev/null", 1, 3)?;
    let init = std::env::current_exe().context("this program has no path")?;
    content.program("/init", &init)?;
    let mut missing = Vec::new();
    for (program, package) in PROGRAMS {
        let places = PLACES.iter().map(|place| Path::new(place).join(program));
        match places.into_iter().find(|path| path.exists()) {
            Some(path) => content.program(&format!("/usr/bin/{program}"), &path)?,
            None => missing.push(format!("{program} (of {package})")),
        }
    }
    for (name, path) in programs {
        content.program(&format!("/usr/bin/{name}"), path)?;
    }
    content.dir(Path::new(init::MODULES))?;
    for module in modules {
        let name = module.file_name().context("a module has a name")?;
        content.file(&Path::new(init::MODULES).join(name), module, 0o644)?;
    }
    let file = File::create(to).with_context(|| format!("{} cannot be made", to.display()))?;
    cpio::write_cpio(content.entries.into_iter(), io::BufWriter::new(file))?;
    Ok(missing)
}

trait Source: Read + Seek {}
impl<T: Read + Seek> Source for T {}

fn nothing() -> Box<dyn Source> {
    Box::new(Cursor::new(Vec::new()))
}

#[derive(Default)]
struct Content {
    entries: Vec<(Builder, Box<dyn Source>)>,
    there: BTreeSet<PathBuf>,
}

impl Content {
    fn add(
        &mut self,
        path: &Path,
        kind: ModeFileType,
        mode: u32,
        source: Box<dyn Source>,
    ) -> Result<()> {
        if self.there.insert(path.to_owned()) {
            let entry = self.entry(path, kind, mode)?;
            self.entries.push((entry, source));
        }
        Ok(())
    }

    fn entry(&self, path: &Path, kind: ModeFileType, mode: u32) -> Result<Builder> {
        let name = path.to_str().context("a path that is no text")?;
        let number = u32::try_from(self.entries.len())? + 1;
        Ok(Builder::new(name.trim_start_matches('/'))
            .ino(number)
            .mode(mode)
            .set_mode_file_type(kind))
    }

    fn dir(&mut self, path: &Path) -> Result<()> {
        if let Some(parent) = path.parent()
            && parent != Path::new("/")
        {
            self.dir(parent)?;
        }
        self.add(path, ModeFileType::Directory, 0o755, nothing())
    }

    fn device(&mut self, path: &str, major: u32, minor: u32) -> Result<()> {
        let path = Path::new(path);
        self.dir(path.parent().context("a device is in a folder")?)?;
        let entry = self.entry(path, ModeFileType::Char, 0o600)?;
        let entry = entry.rdev_major(major).rdev_minor(minor);
        self.entries.push((entry, nothing()));
        Ok(())
    }

    fn file(&mut self, at: &Path, from: &Path, mode: u32) -> Result<()> {
        if let Some(parent) = at.parent()
            && parent != Path::new("/")
        {
            self.dir(parent)?;
        }
        let bytes = fs::read(from).with_context(|| format!("{} cannot be read", from.display()))?;
        self.add(
            at,
            ModeFileType::Regular,
            mode,
            Box::new(Cursor::new(bytes)),
        )
    }

    /// A program, and the libraries that it is linked with, where they are here.
    fn program(&mut self, at: &str, from: &Path) -> Result<()> {
        self.file(Path::new(at), from, 0o755)?;
        let output = Command::new("ldd")
            .arg(from)
            .output()
            .context("ldd does not start")?;
        // Of one that is linked with none it says so, and fails.
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            ensure!(
                !line.contains("not found"),
                "{}: {}",
                from.display(),
                line.trim()
            );
            let path = line.split_whitespace().find(|word| word.starts_with('/'));
            if let Some(path) = path {
                self.file(Path::new(path), Path::new(path), 0o755)?;
            }
        }
        Ok(())
    }
}
