//! Builds a small kernel of a source package, with patches: `small.config`, and `checked.config` where it checks itself; nothing as a module.
//!
//! What is kept: the source, once for all cures, with each file that a patch changes as it was; what the compiler makes of it; and the
//! kernel where the rack looks for kernels.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use interlock_capture::place::run_to_end;
use interlock_checker::doctor::{BUILDS, on_path};
use interlock_checker::{interrupt, note};
use rustix::process::Pid;

use crate::cure::{Cure, Source, Table};
use crate::kernels::Kernel;
use crate::packages::Suite;
use crate::qemu::over;

/// The kernel's options, beside tinyconfig.
const SMALL: &str = include_str!("../../small.config");

/// Those of one that checks itself, beside these.
const CHECKED: &str = include_str!("../../checked.config");

/// How often it is told how far a build is.
const TELL: Duration = Duration::from_secs(20);

/// How often it is looked whether a build has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Where it is kept.
#[derive(Debug, Clone)]
pub struct Kept {
    /// Kernels, as the rack has them, and the lists of packages.
    pub rack: PathBuf,
    /// Sources, and what the compiler makes of them: gigabytes.
    pub builds: PathBuf,
}

/// Builds the kernel of this source with this cure, if it is not kept as it is now.
///
/// # Errors
/// If the source or a tool cannot be had, a patch changes nothing, or the build fails.
pub fn build(
    table: &Table,
    source: &Source,
    cure: &Cure,
    root: &Path,
    kept: &Kept,
) -> Result<Kernel> {
    let kernel = Kernel::built(source, &cure.name);
    let tree = tree(source, kept)?;
    let release = run_to_end(make(&tree).args(["-s", "kernelversion"]))?;
    let config = config(source);
    let mut stamp = format!("{release}{config}");
    for name in &cure.patches {
        let path = table.patch(name)?.path(root);
        stamp += &fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    }
    let dir = kept.rack.join("kernels").join(&kernel.version);
    if fs::read_to_string(dir.join("stamp")).is_ok_and(|kept| kept == stamp) {
        return Ok(kernel);
    }
    let files: BTreeSet<&String> = table
        .patches
        .iter()
        .flat_map(|patch| &patch.files)
        .collect();
    for file in files {
        let chosen = table
            .patches
            .iter()
            .filter(|patch| cure.patches.contains(&patch.name) && patch.files.contains(file));
        let chosen: Vec<PathBuf> = chosen.map(|patch| patch.path(root)).collect();
        put(&tree.join(file), &chosen)?;
    }
    let objects = match source.checked {
        true => "objects-checked",
        false => "objects",
    };
    let objects = kept.builds.join(&source.package).join(objects);
    configure(&tree, &objects, &config)?;
    compile(&tree, &objects, &kernel.version)?;
    fs::create_dir_all(&kept.rack)?;
    let work = tempfile::tempdir_in(&kept.rack)?;
    let new = work.path().join("kernel");
    fs::create_dir_all(new.join("modules"))?;
    fs::copy(objects.join("arch/x86/boot/bzImage"), new.join("vmlinuz"))?;
    fs::write(new.join("release"), release)?;
    fs::write(new.join("stamp"), stamp)?;
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    fs::create_dir_all(dir.parent().context("a folder is in a folder")?)?;
    fs::rename(new, &dir).with_context(|| format!("{} cannot be made", dir.display()))?;
    Ok(kernel)
}

/// The source, from its package if it is not kept already.
fn tree(source: &Source, kept: &Kept) -> Result<PathBuf> {
    let builds = kept.builds.to_str().unwrap_or_default();
    ensure!(
        !builds.is_empty() && !builds.contains([' ', ':', '\'', '"']),
        "a kernel cannot be built in {}: set XDG_CACHE_HOME to a folder without spaces, colons and quotes in its path",
        kept.builds.display()
    );
    let missing: Vec<String> = BUILDS
        .iter()
        .filter(|(what, _)| on_path(what).is_none())
        .map(|(what, package)| format!("{what} (of {package})"))
        .collect();
    ensure!(
        missing.is_empty(),
        "a kernel is not built without {}",
        missing.join(", ")
    );
    let dir = kept.builds.join(&source.package).join("source");
    if !dir.exists() {
        fetch(source, kept, &dir)?;
    }
    Ok(dir)
}

fn fetch(source: &Source, kept: &Kept, dir: &Path) -> Result<()> {
    let suite = Suite::open(&source.suite, &kept.rack)?;
    note!(
        "{}: downloading, 160 MB, and unpacking, 1.6 GB",
        source.package
    );
    fs::create_dir_all(&kept.builds)?;
    let work = tempfile::tempdir_in(&kept.builds)?;
    let root = suite.unpacked(std::slice::from_ref(&source.package), work.path())?;
    let archive = root.join(format!("usr/src/{}.tar.xz", source.package));
    let mut tar = Command::new("tar");
    run_to_end(tar.arg("-xJf").arg(archive).arg("-C").arg(work.path()))?;
    fs::create_dir_all(dir.parent().context("a folder is in a folder")?)?;
    fs::rename(work.path().join(&source.package), dir)
        .with_context(|| format!("{} cannot be made", dir.display()))
}

fn make(tree: &Path) -> Command {
    let mut command = Command::new("make");
    command.current_dir(tree);
    command
}

/// Makes a file of the source what it is with these patches, or as it was shipped. What has not changed is not compiled again.
fn put(file: &Path, patches: &[PathBuf]) -> Result<()> {
    let mut original = file.as_os_str().to_owned();
    original.push(".shipped");
    let original = PathBuf::from(original);
    if !original.exists() {
        fs::copy(file, &original).with_context(|| file.display().to_string())?;
    }
    let mut wanted = fs::read(&original)?;
    for patch in patches {
        wanted = patched(&wanted, patch)
            .with_context(|| format!("{}: {}", patch.display(), file.display()))?;
    }
    if fs::read(file)? != wanted {
        fs::write(file, wanted)?;
    }
    Ok(())
}

/// A text with the patch. One in which nothing matches is an error of spatch's.
fn patched(text: &[u8], patch: &Path) -> Result<Vec<u8>> {
    let work = tempfile::tempdir()?;
    let (from, to) = (work.path().join("from.c"), work.path().join("to.c"));
    fs::write(&from, text)?;
    let mut spatch = Command::new("spatch");
    spatch.args(["--very-quiet", "--no-includes", "--sp-file"]);
    run_to_end(spatch.arg(patch).arg(&from).arg("-o").arg(&to))?;
    Ok(fs::read(&to)?)
}

/// The options of a source's kernel, beside tinyconfig.
fn config(source: &Source) -> String {
    let checked = if source.checked { CHECKED } else { "" };
    format!("{SMALL}{checked}")
}

/// Writes the options, if they are not those of the last build: with new ones everything is compiled anew.
fn configure(tree: &Path, objects: &Path, options: &str) -> Result<()> {
    fs::create_dir_all(objects)?;
    let wanted = objects.join("small.config");
    if fs::read_to_string(&wanted).is_ok_and(|kept| kept == options) {
        return Ok(());
    }
    let output = format!("O={}", objects.display());
    run_to_end(make(tree).args(["-s", &output, "tinyconfig"]))?;
    let config = objects.join(".config");
    let chosen = fs::read_to_string(&config)? + options;
    fs::write(&config, chosen)?;
    run_to_end(make(tree).args(["-s", &output, "olddefconfig"]))?;
    let made = fs::read_to_string(&config)?;
    let missing: Vec<&str> = options
        .lines()
        .filter(|line| line.starts_with("CONFIG_") && !made.lines().any(|made| made == *line))
        .collect();
    ensure!(
        missing.is_empty(),
        "the source does not have these options, or they need others: {}",
        missing.join(", ")
    );
    Ok(fs::write(wanted, options)?)
}

/// Compiles, and tells how far it is.
fn compile(tree: &Path, objects: &Path, what: &str) -> Result<()> {
    let jobs = thread::available_parallelism()?;
    let log = objects.join("log");
    let mut command = make(tree);
    command
        .arg(format!("O={}", objects.display()))
        .arg(format!("-j{jobs}"))
        .arg("bzImage")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(fs::File::create(&log)?)
        .process_group(0);
    let long = match objects.join("vmlinux").exists() {
        true => "",
        false => ", the first of this source: ten minutes of two processors",
    };
    note!("{what}: compiling{long}");
    let Some(mut child) = interrupt::spawn(&mut command).context("make does not start")? else {
        bail!("interrupted");
    };
    let output = child.stdout.take().context("make has an output")?;
    let (mut objects, mut told) = (0, Instant::now());
    for line in BufReader::new(output).lines() {
        objects += usize::from(line?.trim_start().starts_with("CC "));
        if told.elapsed() > TELL {
            told = Instant::now();
            note!("{what}: {objects} objects");
        }
    }
    while !over(&child) {
        thread::sleep(LOOK);
    }
    interrupt::retire(Pid::from_child(&child));
    let status = child.wait()?;
    ensure!(!interrupt::requested(), "interrupted");
    ensure!(
        status.success(),
        "{what} is not built: {}",
        fs::read_to_string(&log)?.trim()
    );
    Ok(())
}
