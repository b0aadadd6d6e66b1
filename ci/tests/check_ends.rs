//! `interlock check` that does not come to its end as it should: signals, readers and disks that go, somebody else in its folder.

mod runner;

use std::fs;
use std::io::BufRead;
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use assert_cmd::assert::OutputAssertExt;
use predicates::str::contains;
use runner::{check, processes, report, temp, wait};
use rustix::process::{Pid, Signal, kill_process};

#[test]
fn an_interrupt_ends_every_child() {
    for signal in [Signal::INT, Signal::TERM] {
        let out = temp();
        // a group of its own, as a shell gives it one: the signal goes to the runner alone
        let mut command = check("endless.toml", out.path());
        let mut runner = command
            .args(["--jobs", "2"])
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let stdout = out.path().join("run/endless/stdout.txt");
        let running = || {
            fs::read_to_string(&stdout).is_ok_and(|text| text.contains("Computing initial states"))
        };
        wait("TLC to run", running);
        let children = || processes(&out.path().join("run"));
        wait("a second model at once", || children().len() == 2);
        kill_process(Pid::from_child(&runner), signal).unwrap();
        let status = runner.wait().unwrap();
        assert_eq!(status.code(), Some(130));
        wait("both models to end", || children().is_empty());
        let report = report(out.path());
        assert_eq!(report["state"], "interrupted");
        assert_eq!(report["counts"]["not_judged"], 2);
        assert!(out.path().join("report.xml").is_file());
        assert!(!out.path().join("run/endless/scratch").exists());
        let said: Vec<String> = std::io::BufReader::new(runner.stderr.take().unwrap())
            .lines()
            .map_while(Result::ok)
            .collect();
        assert!(
            said.iter()
                .any(|line| line.starts_with("interrupted: 0 of 2 models")),
            "{said:?}"
        );
    }
}

/// Until a run has ended, what is there says that it goes on: it may be killed.
#[test]
fn a_run_that_is_killed_leaves_no_report_of_an_earlier_one() {
    let out = temp();
    let mut earlier = check("good.toml", out.path());
    earlier.arg("small").assert().code(0);
    let mut runner = check("endless.toml", out.path())
        .args(["--jobs", "2"])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let children = || processes(&out.path().join("run"));
    wait("both models to run", || children().len() == 2);
    runner.kill().unwrap();
    runner.wait().unwrap();
    let report = report(out.path());
    assert_eq!(report["state"], "running");
    assert_eq!(report["counts"]["not_judged"], 2);
    assert!(!out.path().join("report.xml").exists());
    assert!(!out.path().join("report.md").exists());
    check("endless.toml", out.path())
        .arg("--failed")
        .assert()
        .code(2)
        .stderr(contains("was killed before it could say what failed"));
    wait("the models to end with their runner", || {
        children().is_empty()
    });
}

#[test]
fn a_report_that_cannot_be_written_leaves_the_earlier_ones() {
    let out = temp();
    let run = |model: &str| check("good.toml", out.path()).arg(model).assert();
    run("small").code(0);
    let reports = ["report.xml", "report.json", "report.md"];
    let read = || reports.map(|name| fs::read_to_string(out.path().join(name)).unwrap());
    let earlier = read();
    std::os::unix::fs::symlink("/dev/full", out.path().join("report.json.new")).unwrap();
    run("holds").code(2).stderr(contains(
        "report.json cannot be written: No space left on device",
    ));
    assert_eq!(read(), earlier);
    assert!(
        !out.path().join("report.xml.new").exists(),
        "nor is half of another left"
    );
}

#[test]
fn two_runs_do_not_share_a_directory() {
    let out = temp();
    let lock = fs::File::create(out.path().join("lock")).unwrap();
    lock.try_lock().unwrap();
    check("good.toml", out.path())
        .assert()
        .code(2)
        .stderr(contains("another interlock runs in"));
}

/// As in `interlock check 2>&1 | head -1`: neither stream has a reader any more.
#[test]
fn a_reader_that_goes_ends_no_check() {
    for (manifest, model, code) in [
        ("good.toml", "small", 0),
        ("bad.toml", "wrong-distinct", 1),
        ("good.toml", "no-such", 2),
    ] {
        let out = temp();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = check(manifest, out.path())
            .arg(model)
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(code), "{model}");
        for name in ["report.xml", "report.json", "report.md"] {
            assert_eq!(out.path().join(name).is_file(), code < 2, "{model}: {name}");
        }
    }
}

#[test]
fn a_full_disk_is_told() {
    let out = temp();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let told = "interlock: standard output cannot be written: No space left on device";
    check("good.toml", out.path())
        .arg("small")
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap()
        .assert()
        .code(2)
        .stderr(contains(told));
    assert!(
        out.path().join("report.json").is_file(),
        "written before anything is printed"
    );
}
