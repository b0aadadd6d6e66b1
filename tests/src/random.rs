//! Random tests that are the same each time.

use proptest::test_runner::{Config, TestRng, TestRunner};

/// Runs so many cases, the same ones each time, and then makes one that fails smaller in so many steps at most.
pub fn runner(cases: u32, max_shrink_iters: u32) -> TestRunner {
    let config = Config {
        cases,
        max_shrink_iters,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    TestRunner::new_with_rng(config, rng)
}
