//! Where java, Maven and TLC's jar come from, and whether they are the ones wanted.

mod jar;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};

pub use jar::{Jar, OWN_JAR, Pin, own_jar, pinned_path};

/// A program that the runner needs.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    /// The program's name on the `PATH`.
    pub program: &'static str,
    /// The oldest version that will do, e.g. `[3, 6, 3]`.
    pub least: &'static [u32],
    /// The argument that makes it print its version.
    pub version_flag: &'static str,
    /// What comes right before the version in what it prints.
    pub version_after: &'static str,
    /// What will not run without it.
    pub purpose: &'static str,
    /// How to get it.
    pub cure: &'static str,
}

/// The Java runtime.
pub const JAVA: Need = Need {
    program: "java",
    least: &[17],
    version_flag: "-version",
    version_after: "version \"",
    purpose: "to run TLC: `interlock check` and `interlock trace`",
    cure: "on Debian, `apt install openjdk-17-jdk-headless`; or set JAVA_HOME to a JDK that has it",
};

/// Maven, only to fetch the jar.
pub const MAVEN: Need = Need {
    program: "mvn",
    least: &[3, 6, 3],
    version_flag: "-version",
    version_after: "Apache Maven ",
    purpose: "to fetch TLC's jar once",
    cure: "on Debian, `apt install maven`; or set TLA2TOOLS_JAR to a tla2tools.jar",
};

/// Cargo, to build the runner.
pub const CARGO: Need = Need {
    program: "cargo",
    least: &[1, 95],
    version_flag: "--version",
    version_after: "cargo ",
    purpose: "to build the runner and the reference: `make check` and `make test`",
    cure: "on Debian, `apt install rustup`, then `rustup default stable`",
};

/// The Rust compiler, to build the runner.
pub const RUSTC: Need = Need {
    program: "rustc",
    least: &[1, 95],
    version_flag: "--version",
    version_after: "rustc ",
    purpose: CARGO.purpose,
    cure: CARGO.cure,
};

/// A program that was found, and is new enough.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// The version it prints.
    pub version: String,
    /// All that it says of itself, its vendor too.
    #[serde(skip)]
    pub said: String,
}

impl Program {
    /// The first number of its version; 0 if there is none.
    pub fn major(&self) -> u32 {
        numbers(&self.version).first().copied().unwrap_or_default()
    }
}

impl Need {
    /// Finds the program on the `PATH` (java: first in `JAVA_HOME`) and asks it for its version.
    ///
    /// # Errors
    ///
    /// One line that names what is missing or too old, the version needed, and how to get it.
    pub fn find(&self) -> Result<Program> {
        let wanted = self.wanted();
        let Some(path) = self.locate() else {
            bail!("{} is missing. {wanted}", self.program);
        };
        self.at(&path)
    }

    /// Asks the program at `path` for its version.
    ///
    /// # Errors
    ///
    /// One line: it does not start, or is too old, with the version needed and how to get it.
    pub fn at(&self, path: &Path) -> Result<Program> {
        let wanted = self.wanted();
        let shown = path.display();
        let out = java(path)
            .arg(self.version_flag)
            .stdin(Stdio::null())
            .output();
        let out = out.with_context(|| format!("{shown} does not start. {wanted}"))?;
        // java prints its version to stderr
        let text = [out.stdout, out.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .concat();
        let version = text.split_once(self.version_after).map(|(_, after)| {
            let end = |c: char| c == '"' || c.is_whitespace() || c == '\u{1b}';
            after.split(end).next().unwrap_or_default().to_owned()
        });
        let Some(version) = version.filter(|_| out.status.success()) else {
            bail!("{shown} does not tell its version. {wanted}");
        };
        ensure!(
            numbers(&version).as_slice() >= self.least,
            "{shown} is too old ({version}). {wanted}"
        );
        Ok(Program {
            path: path.to_owned(),
            version,
            said: text,
        })
    }

    fn wanted(&self) -> String {
        let least: Vec<String> = self.least.iter().map(u32::to_string).collect();
        format!(
            "{} {} or newer is needed {}: {}",
            self.program,
            least.join("."),
            self.purpose,
            self.cure
        )
    }

    fn locate(&self) -> Option<PathBuf> {
        if self.program == JAVA.program
            && let Some(home) = env::var_os("JAVA_HOME").filter(|home| !home.is_empty())
        {
            // A JAVA_HOME that is set is meant: no other java takes its place.
            return Some(Path::new(&home).join("bin/java"));
        }
        on_path(self.program)
    }
}

/// The program of this name that the shell would run.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|file| file.is_file())
}

/// `17.0.15` as numbers; Java's old `1.8.0_292` as 8.
pub(crate) fn numbers(version: &str) -> Vec<u32> {
    let numbers: Vec<u32> = version
        .split(|c: char| !c.is_ascii_digit())
        .map_while(|part| part.parse().ok())
        .collect();
    match numbers.as_slice() {
        [1, java @ ..] if java.first().is_some_and(|&java| java < 9) => java.to_vec(),
        _ => numbers,
    }
}

/// What running TLC takes.
#[derive(Debug, Clone)]
pub struct Toolchain {
    /// The project's root.
    pub root: PathBuf,
    /// The Java runtime.
    pub java: Program,
    /// TLC.
    pub jar: Jar,
}

impl Toolchain {
    /// Finds java and the jar, fetching the latter when it is not there.
    ///
    /// # Errors
    ///
    /// One line for whatever is missing, too old or not the pinned one.
    pub fn find(root: &Path) -> Result<Toolchain> {
        Ok(Toolchain {
            root: root.to_owned(),
            java: JAVA.find()?,
            jar: Jar::find(root, true)?,
        })
    }

    /// The same, which fetches nothing.
    ///
    /// # Errors
    ///
    /// Those of [`Toolchain::find`], and a jar that is not there.
    pub fn look(root: &Path) -> Result<Toolchain> {
        Ok(Toolchain {
            root: root.to_owned(),
            java: JAVA.find()?,
            jar: Jar::find(root, false)?,
        })
    }

    /// Asks the jar for its version: its file's name says nothing about a user's own.
    ///
    /// # Errors
    ///
    /// When it is not TLC's jar.
    pub fn tlc_version(&self) -> Result<String> {
        let mut java = java(&self.java.path);
        java.arg("-cp")
            .arg(&self.jar.path)
            .arg("tlc2.TLC")
            .stdin(Stdio::null());
        let out = java
            .output()
            .with_context(|| format!("{} does not start", self.java.path.display()))?;
        let text = String::from_utf8_lossy(&out.stdout);
        let version = text
            .split_once("TLC2 Version ")
            .and_then(|(_, after)| after.lines().next());
        let no_version = || {
            format!(
                "{} does not tell its version: it is not TLC's jar",
                self.jar.path.display()
            )
        };
        version
            .map(|version| version.trim().to_owned())
            .with_context(no_version)
    }
}

/// The nearest ancestor of the working directory that has a `ci/pom.xml`.
///
/// # Errors
///
/// When there is none.
pub fn root() -> Result<PathBuf> {
    let here = env::current_dir().context("there is no working directory")?;
    let root = here.ancestors().find(|dir| pom(dir).is_file());
    let root = root.with_context(|| {
        format!("{} is not inside a clone of the project (no ci/pom.xml here or above): change into one", here.display())
    })?;
    without_colon(root)?;
    Ok(root.to_owned())
}

/// Java reads several paths from one argument, with a colon between them.
fn without_colon(path: &Path) -> Result<()> {
    ensure!(
        !path.as_os_str().as_encoded_bytes().contains(&b':'),
        "{} has a `:` in its path, which Java takes for the path's end (move it, or mount it elsewhere)",
        path.display()
    );
    Ok(())
}

/// A command of a program that is a JVM or starts one. The JVM takes how file names are written from the locale: in that of C it
/// finds no name beyond ASCII.
pub fn java(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("LC_ALL", "C.UTF-8");
    command
}

/// The file that pins the jars.
pub fn pom(root: &Path) -> PathBuf {
    root.join("ci/pom.xml")
}

/// The SHA-256 of `bytes` in lower-case hexadecimal digits.
pub fn hex_sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert!(numbers("17.0.15").as_slice() >= &[17][..]);
        assert!(numbers("25").as_slice() >= &[17][..]);
        assert!(numbers("1.8.0_292").as_slice() < &[17][..]);
        assert!(numbers("1.95.0").as_slice() >= &[1, 95][..]);
        assert!(numbers("1.100.0-nightly").as_slice() >= &[1, 95][..]);
        assert!(numbers("3.10.1").as_slice() >= &[3, 6, 3][..]);
        assert!(numbers("").as_slice() < &[1][..]);
    }

    #[test]
    fn cargo_is_asked_for_the_version_that_the_workspace_states() {
        assert_eq!(CARGO.least, numbers(env!("CARGO_PKG_RUST_VERSION")));
        assert_eq!(RUSTC.least, CARGO.least);
    }
}
