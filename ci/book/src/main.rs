//! Builds the book of this repository, and says what is wrong with it.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use interlock_book::{build, check};

fn main() -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .context("ci/book is in a repository")?;
    let book = build(root)?;
    let faults = check::faults(&book)?;
    for fault in &faults {
        eprintln!("{fault}");
    }
    Ok(if faults.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
