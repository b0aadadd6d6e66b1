//! Judges of tests that not every machine has: another program, root, a kernel's interface.
//!
//! A test whose judge is missing has not passed: it says so in a line, `NOT RUN: ...`, which `ci/test` repeats at its end, and with
//! the judge's variable in the environment it fails.

use std::env;
use std::io::{self, Write as _};

/// One of them.
#[derive(Debug, Clone, Copy)]
pub struct Judge {
    /// The tests that it judges: `the journal's tests on e2fsprogs`.
    pub tests: &'static str,
    /// With this variable in the environment a test that it cannot judge fails.
    pub variable: &'static str,
    /// How to get it.
    pub cure: &'static str,
}

/// Debugfs, e2fsck and mke2fs.
pub const E2FSPROGS: Judge = Judge {
    tests: "the journal's tests on e2fsprogs",
    variable: "INTERLOCK_REQUIRE_E2FSPROGS",
    cure: "apt install e2fsprogs",
};

/// The running kernel's ext4, on an image that can be mounted.
pub const MOUNTS: Judge = Judge {
    tests: "the journal's tests on the running kernel",
    variable: "INTERLOCK_REQUIRE_MOUNTS",
    cure: "run them as root, with loop devices and ext4",
};

/// What the running kernel tells of its locks.
pub const TRACEFS: Judge = Judge {
    tests: "the tests of captures",
    variable: "INTERLOCK_REQUIRE_TRACEFS",
    cure: "run them as root, on a kernel with tracefs and ext4, with e2fsprogs and util-linux",
};

/// Apalache, and a JDK that it runs on.
pub const APALACHE: Judge = Judge {
    tests: "the tests on Apalache",
    variable: "INTERLOCK_REQUIRE_APALACHE",
    cure: "interlock doctor tells what it needs",
};

/// A Chromium that pages are opened in.
pub const CHROMIUM: Judge = Judge {
    tests: "the tests of pages in a browser",
    variable: "INTERLOCK_REQUIRE_CHROMIUM",
    cure: "apt install chromium",
};

/// All of them.
pub const JUDGES: [Judge; 5] = [E2FSPROGS, MOUNTS, TRACEFS, APALACHE, CHROMIUM];

impl Judge {
    /// Whether the judge is here. Where it is not, and `found` says why, that is told.
    ///
    /// # Panics
    /// If it is not here, and its variable is in the environment.
    #[track_caller]
    pub fn is_here<T, E: std::fmt::Display>(&self, found: Result<T, E>) -> bool {
        let Err(why) = found else {
            return true;
        };
        let told = format!("{}: {why} ({})", self.tests, self.cure);
        let is_required = env::var_os(self.variable).is_some();
        assert!(!is_required, "{} is set: {told}", self.variable);
        // Also where what a test prints is seen only if it fails; who cannot be told is not.
        let _ = writeln!(io::stderr(), "NOT RUN: {told}");
        false
    }
}
