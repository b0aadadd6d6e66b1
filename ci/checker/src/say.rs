//! What a check says while it runs, and at its end.
//!
//! The reader may have gone, as in `interlock check | head -1`: the check goes on all the same, to its reports and its exit status.

use std::io::{self, Write};

use anyhow::{Context, Result};

/// A line on standard error, formatted like that of `eprintln!`, which ends the process where nobody reads it.
#[macro_export]
macro_rules! note {
    ($($arg:tt)*) => {
        $crate::say::note(::std::format_args!($($arg)*))
    };
}

/// Writes a line to standard error. Where that fails there is no place left to tell it.
pub fn note(line: std::fmt::Arguments) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes a text to standard output; to nobody, if its reader has gone.
///
/// # Errors
///
/// When it cannot be written for another reason, as when it goes into a file on a full disk.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output cannot be written")
        }
        _ => Ok(()),
    }
}
