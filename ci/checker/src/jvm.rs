//! The JVM that TLC runs on, and how it starts fast.
//!
//! Most models are small, so the JVM's start is most of their time. Two things pay (measured on a model of 12 states with a
//! temporal property, JDK 17): compiling with C1 only takes 1.08 s of CPU to 0.78, and an archive of TLC's classes, loaded and
//! linked, takes that to 0.61 (1.03 s to 0.77 of wall time). C1 alone also wins at 32 004 states with a temporal property (2.7 s
//! against 4.7) and at 120 004 without (2.5 against 2.9); beyond some ten seconds the second compiler does.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::manifest;
use crate::note;
use crate::process::{self, Budget, Stop};
use crate::toolchain::{self, Toolchain};

/// Rows with a larger budget run long enough for the second compiler to pay.
const LONG: u64 = manifest::BUDGET;

/// A Java command line that runs TLC.
#[derive(Debug, Clone)]
pub struct Jvm {
    java: PathBuf,
    jar: PathBuf,
    archive: Option<PathBuf>,
}

impl Jvm {
    /// A JVM that starts from the archive of TLC's classes in `<root>/target/interlock/cds`, which is made if need be. Without
    /// one, as when the disk is full, it starts all the same, only slower.
    pub fn new(toolchain: &Toolchain) -> Jvm {
        let mut jvm = Jvm {
            java: toolchain.java.path.clone(),
            jar: toolchain.jar.path.clone(),
            archive: None,
        };
        let dir = toolchain.root.join("target/interlock/cds");
        match key(toolchain)
            .and_then(|key| find(&dir, &key).map_or_else(|| jvm.archive(&dir, &key), Ok))
        {
            Ok(archive) => jvm.archive = Some(archive),
            Err(error) => {
                note!("TLC starts slower, without an archive of its classes: {error:#}")
            }
        }
        jvm
    }

    /// `java ... tlc2.TLC -tool`, to which TLC's own arguments are to be added. `heap` is in MiB, `budget` in seconds of CPU time; `tmp` is a
    /// directory of this run alone, since TLC unpacks its standard modules there.
    pub fn tlc(&self, heap: u64, budget: u64, tmp: &Path) -> Command {
        let mut options = Vec::new();
        if let Some(archive) = &self.archive {
            // `auto` goes on without an archive that does not fit, and says so; standard output is TLC's alone.
            options = [
                "-Xshare:auto",
                "-XX:+VerifySharedSpaces",
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
            ]
            .map(OsString::from)
            .into();
            options.push(joined("-XX:SharedArchiveFile=", archive));
        }
        self.command(&options, heap, budget, tmp)
    }

    /// The same, which also finds modules in the folders of `library`, separated by colons.
    pub fn tlc_with_library(&self, heap: u64, budget: u64, tmp: &Path, library: &str) -> Command {
        let library = OsString::from(format!("-DTLA-Library={library}"));
        self.command(&[library], heap, budget, tmp)
    }

    fn command(&self, options: &[OsString], heap: u64, budget: u64, tmp: &Path) -> Command {
        let mut command = toolchain::java(&self.java);
        command
            .args(options)
            .args(["-XX:+UseSerialGC", "-Xss16m"])
            .arg(format!("-Xmx{heap}m"));
        if budget <= LONG {
            command.arg("-XX:TieredStopAtLevel=1");
        }
        command
            .arg(joined("-Djava.io.tmpdir=", tmp))
            .arg("-cp")
            .arg(&self.jar)
            .args(["tlc2.TLC", "-tool"]);
        command.stdin(Stdio::null());
        command
    }

    /// Runs TLC once on a small spec, and keeps the classes that it has loaded.
    fn archive(&self, dir: &Path, key: &str) -> Result<PathBuf> {
        let scratch = dir.join(format!("{key}.{}", std::process::id()));
        fs::create_dir_all(&scratch)
            .with_context(|| format!("{} cannot be made", scratch.display()))?;
        let made = self.dump(&scratch).and_then(|new| {
            // The length is kept in the name: a JVM that maps an archive cut short dies.
            let archive = dir.join(name(key, new.metadata()?.len()));
            fs::rename(&new, &archive)?;
            Ok(archive)
        });
        fs::remove_dir_all(&scratch)?;
        made
    }

    fn dump(&self, dir: &Path) -> Result<PathBuf> {
        fs::write(dir.join("Warmup.tla"), include_str!("warmup/Warmup.tla"))?;
        fs::write(dir.join("Warmup.cfg"), include_str!("warmup/Warmup.cfg"))?;
        let archive = dir.join("new.jsa");
        let budget = 60;
        let mut tlc = self.command(
            &[joined("-XX:ArchiveClassesAtExit=", &archive)],
            500,
            budget,
            dir,
        );
        tlc.args([
            "-workers",
            "1",
            "-checkpoint",
            "0",
            "-lncheck",
            "final",
            "-coverage",
            "1",
            "-metadir",
            "meta",
        ]);
        tlc.args([
            "-userFile",
            "edges.txt",
            "-config",
            "Warmup.cfg",
            "Warmup.tla",
        ])
        .current_dir(dir);
        tlc.stdout(File::create(dir.join("stdout"))?)
            .stderr(File::create(dir.join("stderr"))?);
        match process::run(&mut tlc, Budget::cpu(budget))?.stop {
            Stop::Exited(status) if status.success() && archive.is_file() => Ok(archive),
            Stop::Exited(status) => bail!("java did not write one ({status})"),
            Stop::Budget | Stop::Idle => {
                bail!("java did not write one within {budget} s of CPU time")
            }
            Stop::Interrupted => bail!("interrupted"),
        }
    }
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(option);
    argument.push(path);
    argument
}

/// An archive fits one JVM, and one jar with its place and time.
fn key(toolchain: &Toolchain) -> Result<String> {
    let Toolchain { java, jar, .. } = toolchain;
    let modified = jar.path.metadata()?.modified()?;
    let key = format!("{java:?} {jar:?} {modified:?}");
    Ok(toolchain::hex_sha256(key.as_bytes())[..16].to_owned())
}

fn name(key: &str, length: u64) -> String {
    format!("{key}-{length}.jsa")
}

/// An archive of this key whose length is still the one in its name.
fn find(dir: &Path, key: &str) -> Option<PathBuf> {
    let files = fs::read_dir(dir).ok()?.filter_map(Result::ok);
    let mut whole = files.filter(|file| {
        file.metadata()
            .is_ok_and(|meta| meta.is_file() && *file.file_name() == *name(key, meta.len()))
    });
    whole.next().map(|file| file.path())
}
