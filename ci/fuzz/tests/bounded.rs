//! Each target with its corpus, and a fixed number of changed seeds: what a stranger's bytes do to a reader.
//!
//! The process has a limit of memory and of CPU time, so that a reader that takes what it likes ends the test.

mod changes;
mod limits;

use changes::changed;
use interlock_fuzz::{TARGETS, Target};
use proptest::test_runner::TestError;

/// So many times as many cases as usual; `make fuzz` is for more.
fn times() -> u32 {
    let times = std::env::var("INTERLOCK_FUZZ_TIMES");
    times.map_or(1, |times| times.parse().expect("a number"))
}

#[track_caller]
fn bounded(name: &str, cases: u32) {
    limits::set();
    let target = Target::named(name).expect("a target");
    if let Err(TestError::Fail(why, bytes)) = changed(target.read, target.corpus(), cases * times())
    {
        let text = String::from_utf8_lossy(&bytes);
        panic!(
            "{name}: {why}\n{} bytes: {}\n{text}",
            bytes.len(),
            bytes.escape_ascii()
        );
    }
}

#[test]
fn the_log() {
    bounded("log", 10_000);
}

#[test]
fn traces_of_a_kernel() {
    bounded("kernel", 200);
}

#[test]
fn recorded_traces() {
    bounded("recording", 4000);
}

#[test]
fn counterexamples_as_itf() {
    bounded("itf", 4000);
}

#[test]
fn values() {
    bounded("value", 1500);
}

#[test]
fn the_output_of_tlc() {
    bounded("tlc", 3000);
}

#[test]
fn the_steps_of_tlc() {
    bounded("edges", 4000);
}

#[test]
fn the_output_of_apalache() {
    bounded("apalache", 4000);
}

#[test]
fn the_output_of_tla_checker() {
    bounded("tla-checker", 4000);
}

#[test]
fn what_kernels_did() {
    bounded("kernels", 500);
}

#[test]
fn reports() {
    bounded("report", 500);
}

#[test]
fn evidence() {
    bounded("evidence", 2000);
}

#[test]
fn the_manifest() {
    bounded("manifest", 100);
}

#[test]
fn plans() {
    bounded("plan", 8000);
}

#[test]
fn lines_of_guests() {
    bounded("guest", 4000);
}

#[test]
fn requests_of_nbd() {
    bounded("nbd", 10_000);
}

#[test]
fn what_a_module_needs() {
    bounded("modules", 4000);
}

#[test]
fn each_target_is_run() {
    let own = include_str!("bounded.rs");
    for target in TARGETS {
        let call = format!("bounded(\"{}\",", target.name);
        assert!(own.contains(&call), "{} is not run here", target.name);
    }
}
