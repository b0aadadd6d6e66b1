//! What an engine has printed, and its exit status, as one input of a fuzzer.

use std::borrow::Cow;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use interlock_checker::process::{End, Stop};

/// What stands between the two outputs.
pub(super) const STDERR: &str = "\n# stderr\n";

/// The first byte is the exit status, the others are the standard output and, behind [`STDERR`], the standard error.
pub(super) struct Printed<'a> {
    pub(super) status: u8,
    output: Cow<'a, str>,
}

impl Printed<'_> {
    /// Of any bytes.
    pub(super) fn of(bytes: &[u8]) -> Printed<'_> {
        let (status, output) = bytes.split_first().unwrap_or((&0, &[]));
        Printed {
            status: *status,
            output: String::from_utf8_lossy(output),
        }
    }

    /// The standard output and the standard error.
    pub(super) fn outputs(&self) -> (&str, &str) {
        let output = &*self.output;
        output.split_once(STDERR).unwrap_or((output, ""))
    }

    /// How the engine has ended.
    pub(super) fn end(&self) -> End {
        End {
            stop: Stop::Exited(ExitStatus::from_raw(i32::from(self.status) << 8)),
            took: Duration::ZERO,
            cpu: Duration::ZERO,
            peak: 0,
        }
    }
}
