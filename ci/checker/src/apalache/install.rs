//! Where Apalache comes from. No package registry has it.
//!
//! In this order: `APALACHE_HOME`, the `PATH`, what an earlier run has downloaded, a download of the release that
//! `ci/apalache.toml` pins. It runs on Java 21 or newer, which may be another one than TLC's: `APALACHE_JAVA_HOME`, else
//! `JAVA_HOME`, the `PATH` or `/usr/lib/jvm`, the first that is new enough.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::availability::Availability;
use crate::lock;
use crate::note;
use crate::process::{self, Budget, Stop};
use crate::toolchain::{self, JAVA, Need, Program, hex_sha256, numbers, on_path};

/// Names the folder of an Apalache to use, the one that has `bin/apalache-mc`.
pub const HOME: &str = "APALACHE_HOME";

/// Names a JDK to run it on.
pub const JAVA_HOME: &str = "APALACHE_JAVA_HOME";

const SCRIPT: &str = "bin/apalache-mc";

/// The Java that Apalache needs.
pub const JAVA_21: Need = Need {
    least: &[21],
    purpose: "to run Apalache",
    cure: "install a newer JDK beside TLC's, and set APALACHE_JAVA_HOME to it if it is not found",
    ..JAVA
};

/// An Apalache that can run.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Installed {
    /// The script that starts it.
    pub program: PathBuf,
    /// Its version.
    pub version: String,
    /// Whether that is the pinned one.
    pub pinned: bool,
    /// The Java it runs on.
    pub java: Program,
}

/// The release that is downloaded.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Its version.
    pub version: String,
    /// Its archive's SHA-256 in lower-case hexadecimal digits.
    pub sha256: String,
    /// Where the archive is.
    pub url: String,
    /// The oldest version that will do.
    pub least: String,
}

impl Release {
    /// Reads `ci/apalache.toml`.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is not as it should be.
    pub fn read(root: &Path) -> Result<Release> {
        let path = root.join("ci/apalache.toml");
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{} pins Apalache and cannot be read", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{}", path.display()))
    }

    fn dir(&self, root: &Path) -> PathBuf {
        root.join("target/tools")
            .join(format!("apalache-{}", self.version))
    }
}

/// Finds Apalache and a Java for it; where there is none, and `fetch` says so, downloads it.
///
/// # Errors
///
/// When what the user's environment names is not there or does not do, or a download is not the pinned one.
pub fn find(root: &Path, fetch: bool) -> Result<Availability<Installed>> {
    let release = Release::read(root)?;
    let own = variable(HOME).map(|home| home.join(SCRIPT));
    if let Some(own) = own.as_ref().filter(|own| !own.is_file()) {
        bail!(
            "{HOME} names a folder without {SCRIPT}: there is no {}",
            own.display()
        );
    }
    let downloaded = release.dir(root).join(SCRIPT);
    let found = own
        .or_else(|| on_path("apalache-mc"))
        .or_else(|| downloaded.is_file().then(|| downloaded.clone()));
    let java = match java() {
        Ok(java) => java,
        Err(error) if variable(JAVA_HOME).is_some() => return Err(error),
        Err(error) => return Ok(Availability::Missing(format!("{error:#}"))),
    };
    let program = match found {
        Some(program) => program,
        None if !fetch => {
            let missing = format!("there is no Apalache on the PATH, and {HOME} is not set");
            return Ok(Availability::Missing(missing));
        }
        None => match download(root, &release)? {
            Some(why) => return Ok(Availability::Missing(why)),
            None => downloaded,
        },
    };
    let version = version(&program, &java)?;
    ensure!(
        numbers(&version) >= numbers(&release.least),
        "{} is too old ({version}): Apalache {} or newer is needed",
        program.display(),
        release.least
    );
    Ok(Availability::Ready(Installed {
        pinned: version == release.version,
        program,
        version,
        java,
    }))
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// The first Java that is new enough. One that the user names for this must be.
fn java() -> Result<Program> {
    if let Some(home) = variable(JAVA_HOME) {
        return JAVA_21.at(&home.join("bin/java"));
    }
    let installed = fs::read_dir("/usr/lib/jvm").into_iter().flatten();
    let mut installed: Vec<PathBuf> = installed.flatten().map(|entry| entry.path()).collect();
    installed.sort();
    let homes = variable("JAVA_HOME").into_iter().chain(installed);
    let candidates = homes.map(|home| home.join("bin/java"));
    let found = on_path(JAVA.program)
        .into_iter()
        .chain(candidates)
        .find_map(|path| JAVA_21.at(&path).ok());
    found.with_context(|| {
        format!(
            "there is no Java 21 or newer {}: {}",
            JAVA_21.purpose, JAVA_21.cure
        )
    })
}

/// A command of Apalache's script, which takes java from the PATH.
pub(super) fn on_java(program: &Path, java: &Program) -> Result<Command> {
    let java = java.path.parent().map(PathBuf::from);
    let rest = env::var_os("PATH").unwrap_or_default();
    let paths = env::join_paths(java.into_iter().chain(env::split_paths(&rest)));
    let mut command = toolchain::java(program);
    command.env("PATH", paths.context("the PATH cannot be extended")?);
    Ok(command)
}

fn version(program: &Path, java: &Program) -> Result<String> {
    let shown = program.display();
    let scratch = env::temp_dir();
    let mut command = on_java(program, java)?;
    command
        .arg("version")
        .env("TMPDIR", &scratch)
        .current_dir(&scratch)
        .stdin(Stdio::null());
    let out = command
        .output()
        .with_context(|| format!("{shown} does not start"))?;
    let text = String::from_utf8_lossy(&out.stdout);
    let number = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit()) && line.contains('.');
    let version = text.lines().map(str::trim).find(number);
    version
        .filter(|_| out.status.success())
        .map(str::to_owned)
        .with_context(|| {
            format!("{shown} does not tell its version: it is not Apalache, or is broken")
        })
}

/// Downloads the pinned release; says why, where the network does not give it.
fn download(root: &Path, release: &Release) -> Result<Option<String>> {
    let dir = release.dir(root);
    let _alone = lock::wait(&dir)?;
    if dir.join(SCRIPT).is_file() {
        // Whoever was waited for has downloaded it.
        return Ok(None);
    }
    let tools = dir.parent().context("the tools have no folder")?;
    let archive = tools.join(format!("apalache-{}.tgz", release.version));
    note!("fetching {}", release.url);
    let mut curl = Command::new("curl");
    curl.args([
        "--fail",
        "--location",
        "--silent",
        "--show-error",
        "--connect-timeout",
        "10",
    ])
    .arg("--output")
    .arg(&archive)
    .arg(&release.url)
    .stdin(Stdio::null())
    .stdout(std::io::stderr());
    let fetched = match process::run(&mut curl, Budget::cpu(600)) {
        Ok(end) => matches!(end.stop, Stop::Exited(status) if status.success()),
        Err(_) => false,
    };
    if !fetched {
        // curl may leave the beginning of it.
        let _ = fs::remove_file(&archive);
        return Ok(Some(format!(
            "there is no Apalache on the PATH, {HOME} is not set, and {} cannot be downloaded",
            release.url
        )));
    }
    let bytes =
        fs::read(&archive).with_context(|| format!("{} cannot be read", archive.display()))?;
    let sha256 = hex_sha256(&bytes);
    if sha256 != release.sha256 {
        fs::remove_file(&archive)
            .with_context(|| format!("{} cannot be removed", archive.display()))?;
        bail!(
            "{} is not the pinned archive, and is not unpacked: its SHA-256 is {sha256}, ci/apalache.toml pins {}",
            release.url,
            release.sha256
        );
    }
    // Unpacked beside its place, and put there whole.
    let unpacked = tools.join(format!("apalache-{}.new", release.version));
    crate::run::clear(&unpacked)?;
    fs::create_dir_all(&unpacked)
        .with_context(|| format!("{} cannot be made", unpacked.display()))?;
    let mut tar = Command::new("tar");
    tar.args(["-x", "-z", "--strip-components=1", "-f"])
        .arg(&archive)
        .arg("-C")
        .arg(&unpacked);
    let status = tar.status().context("tar does not start: install it")?;
    ensure!(
        status.success(),
        "{} cannot be unpacked ({status})",
        archive.display()
    );
    fs::rename(&unpacked, &dir).with_context(|| format!("{} cannot be made", dir.display()))?;
    fs::remove_file(&archive)
        .with_context(|| format!("{} cannot be removed", archive.display()))?;
    Ok(None)
}
