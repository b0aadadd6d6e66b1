//! The JVM that TLC runs on, and how it starts fast.
//!
//! Most models are small, so the JVM's start is most of their time. Three things pay (JDK 17, CPU seconds): C1 alone (a model of 12
//! states with a temporal property, 1.08 to 0.78), an archive of TLC's classes, loaded and linked (0.78 to 0.61), and compiling
//! only what runs eight times as often as the JVM would have it (one of 22 states, 0.97 to 0.88, since the compiler takes half of
//! so short a run; one of 6422 states without a difference). C1 alone also wins at 32 004 states with a temporal property (2.7 s
//! against 4.7) and at 120 004 without (2.5 against 2.9); beyond some ten seconds the second compiler does. From JDK 25 on the archive
//! is an AOT cache, which also knows what a run calls often (that of 22 states, 0.97 without and 0.70 with it).

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};

use crate::lock;
use crate::note;
use crate::process::{self, Budget, Stop};
use crate::toolchain::{self, Toolchain};

/// The spec that is run to load TLC's classes, and its cfg.
const WARMUP: [&str; 2] = [
    include_str!("warmup/Warmup.tla"),
    include_str!("warmup/Warmup.cfg"),
];

/// The JVM's options that each run has.
pub(crate) const SAME_FOR_ALL: [&str; 2] = ["-XX:+UseSerialGC", "-Xss16m"];

/// How long a run is, which decides what the JVM compiles; not what TLC finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// What is compiled hardly runs often enough to pay.
    Short,
    /// The second compiler pays.
    Long,
}

/// From so many CPU seconds on the second compiler pays.
const LONG: f64 = 10.0;

impl Length {
    /// Of a run that costs so many CPU seconds.
    pub fn of(seconds: f64) -> Length {
        if seconds < LONG {
            Length::Short
        } else {
            Length::Long
        }
    }
}

/// The first JDK that makes an AOT cache in one run (JEP 514).
const AHEAD_OF_TIME: u32 = 25;

/// A Java command line that runs TLC.
#[derive(Debug)]
pub struct Jvm<'a> {
    toolchain: &'a Toolchain,
    archive: OnceLock<Option<PathBuf>>,
}

impl<'a> Jvm<'a> {
    /// A JVM that starts from the archive of TLC's classes in `<root>/target/interlock/cds`, which its first start makes if need
    /// be. Without one, as when the disk is full, it starts all the same, only slower.
    pub fn new(toolchain: &'a Toolchain) -> Jvm<'a> {
        Jvm {
            toolchain,
            archive: OnceLock::new(),
        }
    }

    /// `java ... tlc2.TLC -tool`, to which TLC's own arguments are to be added. `heap` is in MiB; `tmp` is a directory of this run
    /// alone, since TLC unpacks its standard modules there.
    pub fn tlc(&self, heap: u64, length: Length, tmp: &Path) -> Command {
        self.command(&self.archive_options(), heap, length, tmp)
    }

    /// The same, which also finds modules in the folders of `library`, separated by colons.
    pub fn tlc_with_library(
        &self,
        heap: u64,
        length: Length,
        tmp: &Path,
        library: &str,
    ) -> Command {
        let mut options = self.archive_options();
        options.push(OsString::from(format!("-DTLA-Library={library}")));
        self.command(&options, heap, length, tmp)
    }

    /// `java ... program`, Java's source that calls TLC, for many runs. What one leaves is given back rather than kept for the next:
    /// 170 MB instead of 400 for a twentieth of the time, and there may be many such JVMs. But what is new has room from the start:
    /// without, a sixth of the time goes to collecting it.
    pub(crate) fn source(&self, heap: u64, tmp: &Path, program: &Path) -> Command {
        let mut command = self.java(&self.archive_options(), heap, tmp);
        command.args([
            "-Xms160m",
            "-XX:NewSize=96m",
            "-XX:MinHeapFreeRatio=20",
            "-XX:MaxHeapFreeRatio=40",
            "-XX:TieredStopAtLevel=1",
        ]);
        command.arg(program);
        command
    }

    /// The program that is Java.
    pub(crate) fn program(&self) -> &Path {
        &self.toolchain.java.path
    }

    /// What makes the JVM start from the archive.
    fn archive_options(&self) -> Vec<OsString> {
        let Some(archive) = self.archive.get_or_init(|| self.archive()) else {
            return Vec::new();
        };
        // `auto` goes on without an archive that does not fit, and says so; standard output is TLC's alone.
        let (auto, option) = match self.has_aot() {
            true => ("-XX:AOTMode=auto", "-XX:AOTCache="),
            false => ("-Xshare:auto", "-XX:SharedArchiveFile="),
        };
        let quiet = ["-Xlog:disable", "-Xlog:all=warning:stderr"];
        let options = [auto].into_iter().chain(quiet).map(OsString::from);
        options.chain([joined(option, archive)]).collect()
    }

    fn has_aot(&self) -> bool {
        self.toolchain.java.major() >= AHEAD_OF_TIME
    }

    fn command(&self, options: &[OsString], heap: u64, length: Length, tmp: &Path) -> Command {
        let mut command = self.java(options, heap, tmp);
        if length == Length::Short {
            command.args(["-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=8"]);
        }
        command.args(["tlc2.TLC", "-tool"]);
        command.stdin(Stdio::null());
        command
    }

    /// Java with the jar, to which what it runs is to be added.
    fn java(&self, options: &[OsString], heap: u64, tmp: &Path) -> Command {
        let mut command = toolchain::java(&self.toolchain.java.path);
        command
            .args(options)
            .args(SAME_FOR_ALL)
            .arg(format!("-Xmx{heap}m"))
            .arg(joined("-Djava.io.tmpdir=", tmp))
            .arg("-cp")
            .arg(&self.toolchain.jar.path);
        command
    }

    /// The archive in its place, made if need be.
    fn archive(&self) -> Option<PathBuf> {
        let dir = self.toolchain.root.join("target/interlock/cds");
        let archive = key(self.toolchain)
            .and_then(|key| find(&dir, &key).map_or_else(|| self.make(&dir, &key), Ok));
        let tell = |error| note!("TLC starts slower, without an archive of its classes: {error:#}");
        archive.map_err(tell).ok()
    }

    /// Runs TLC once on a small spec, and keeps the classes that it has loaded.
    fn make(&self, dir: &Path, key: &str) -> Result<PathBuf> {
        let _alone = lock::wait(dir)?;
        if let Some(archive) = find(dir, key) {
            // Whoever was waited for has made it.
            return Ok(archive);
        }
        let scratch = dir.join(format!("{key}.{}", std::process::id()));
        fs::create_dir_all(&scratch)
            .with_context(|| format!("{} cannot be made", scratch.display()))?;
        let made = self.dump(&scratch).and_then(|new| {
            // The digest is kept in the name: a JVM that maps an archive that was cut short or changed may die.
            let archive = dir.join(name(key, &fs::read(&new)?));
            fs::rename(&new, &archive)?;
            Ok(archive)
        });
        fs::remove_dir_all(&scratch)?;
        made
    }

    fn dump(&self, dir: &Path) -> Result<PathBuf> {
        let [spec, cfg] = WARMUP;
        fs::write(dir.join("Warmup.tla"), spec)?;
        fs::write(dir.join("Warmup.cfg"), cfg)?;
        let archive = dir.join("new.jsa");
        let budget = 60;
        let option = match self.has_aot() {
            true => "-XX:AOTCacheOutput=",
            false => "-XX:ArchiveClassesAtExit=",
        };
        let mut tlc = self.command(&[joined(option, &archive)], 500, Length::Short, dir);
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

/// An archive fits one JVM, and one jar with its place and time; it holds what the spec that was run needs.
fn key(toolchain: &Toolchain) -> Result<String> {
    let Toolchain { java, jar, .. } = toolchain;
    let modified = jar.path.metadata()?.modified()?;
    let key = format!("{java:?} {jar:?} {modified:?} {WARMUP:?}");
    Ok(short_digest(key.as_bytes()))
}

fn name(key: &str, archive: &[u8]) -> String {
    format!("{key}-{}.jsa", short_digest(archive))
}

fn short_digest(bytes: &[u8]) -> String {
    toolchain::hex_sha256(bytes)[..16].to_owned()
}

/// An archive of this key whose digest is still the one in its name; others of the key are removed.
fn find(dir: &Path, key: &str) -> Option<PathBuf> {
    let files = fs::read_dir(dir).ok()?.filter_map(Result::ok);
    let archives = files.filter(|file| {
        let name = file.file_name();
        let name = name.to_string_lossy();
        name.starts_with(key) && name.ends_with(".jsa")
    });
    let mut archives = archives.map(|file| file.path());
    archives.find(|path| {
        let is_whole = fs::read(path).is_ok_and(|archive| path.ends_with(name(key, &archive)));
        if !is_whole {
            // What cannot be removed is not used either.
            drop(fs::remove_file(path));
        }
        is_whole
    })
}
