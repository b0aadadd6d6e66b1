//! `interlock scenario`: what it prints, and what it refuses.

use assert_cmd::Command;
use predicates::prelude::*;

fn scenario(args: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interlock"));
    command.arg("scenario").args(args).assert()
}

#[test]
fn the_quick_form_is_the_same_each_time_and_reaches_its_goals() {
    let report = || {
        let run = scenario(&["jbd2", "--quick", "--markdown"]).success();
        String::from_utf8(run.get_output().stdout.clone()).expect("text")
    };
    let first = report();
    assert_eq!(first, report());
    assert_eq!(first.matches("| met").count(), 2, "{first}");
    assert!(first.contains("| 256     | 16  | nolock | 6.75"), "{first}");
}

#[test]
fn one_point_may_be_asked_for() {
    let point = ["--threads", "64", "--journal", "4"];
    let only = ["--policy", "hand-over", "--fraction", "4"];
    let args = [["jbd2"].as_slice(), &point, &only].concat();
    let printed = predicate::str::contains("hand over").and(predicate::str::contains("9.00"));
    scenario(&args).success().stdout(printed);
}

#[test]
fn what_is_not_there_is_refused() {
    for (args, message) in [
        (["rwsem", "--quick"].as_slice(), "[possible values: jbd2]"),
        (
            &["jbd2", "--threads", "0", "--journal", "128"],
            "0 is not in 1..=8192",
        ),
        (
            &["jbd2", "--threads", "many", "--journal", "128"],
            "invalid digit",
        ),
        (
            &["jbd2", "--threads", "8", "--journal", "3"],
            "3 is not in 4..=16384",
        ),
        (&["jbd2", "--threads", "8"], "--journal <MiB>"),
        (&["jbd2", "--fraction", "5"], "5 is not in 3..=4"),
        (
            &["jbd2", "--fraction", "4", "--keep-plot"],
            "leave --fraction out",
        ),
        (&["jbd2", "--policy", "none"], "invalid value 'none'"),
        (&["jbd2", "--quick", "--keep-plot"], "cannot be used with"),
    ] {
        scenario(args)
            .code(2)
            .stderr(predicate::str::contains(message));
    }
}
