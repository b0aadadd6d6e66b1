//! Programs of `docs/findings` that a guest is asked to run.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::guest::Guest;
use crate::order::{Order, Report};

/// One run of a program ends in this time, or the guest hangs.
const LIMIT: Duration = Duration::from_secs(240);

/// How often a program tries.
const RUNS: &str = "3";

/// Asks a guest to run one, with a variant: what its line `RESULT` says behind the names, `3 missed, 0 kept, 0 not tried`.
///
/// # Errors
/// If the guest is lost, or the program says no result.
pub fn ask(guest: &mut Guest, program: &str) -> Result<String> {
    let (name, variant) = program.split_once(' ').context("a program has a variant")?;
    let words = [name, "-n", RUNS, variant].map(str::to_owned);
    let said = match guest.answer(&Order::Run(words.into()), LIMIT)? {
        Report::Ran(said) => said,
        other => bail!("the guest says {other:?}"),
    };
    let result = said.lines().find_map(result);
    result.with_context(|| format!("{program}: {}", said.trim()))
}

fn result(line: &str) -> Option<String> {
    let (_, counts) = line.strip_prefix("RESULT ")?.split_once(": ")?;
    Some(counts.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_read() {
        let line = "RESULT 6.12.117 page-syncfs: 3 missed, 0 kept, 0 not tried";
        assert_eq!(
            result(line).as_deref(),
            Some("3 missed, 0 kept, 0 not tried")
        );
        assert_eq!(
            result("page-syncfs: page 1 must be [C], is [o]: MISSED"),
            None
        );
    }
}
