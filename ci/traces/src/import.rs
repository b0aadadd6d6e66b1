//! `interlock import`: a kernel's trace as traces of a specification, in the project's own format.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::kernel::Reading;
use crate::validate::{self, protocol};

/// What to import.
#[derive(Debug, Clone)]
pub struct Request {
    /// The area.
    pub area: String,
    /// The files.
    pub files: Vec<PathBuf>,
    /// How to read them.
    pub reading: Reading,
}

/// Writes every trace of the files to stdout. The exit status.
///
/// # Errors
///
/// Bad input, with its place.
pub fn import(request: &Request) -> Result<u8> {
    let area = protocol::area(&request.area)?;
    let mut out = std::io::stdout().lock();
    for path in &request.files {
        validate::read(area, path, &request.reading, &mut |trace| {
            out.write_all(trace.to_text().as_bytes())
                .context("stdout cannot be written")
        })?;
    }
    Ok(0)
}
