//! The validator's own test, before it judges any other trace: its legal trace, and edited ones.

use anyhow::{Context as _, Result, ensure};

use super::edits::EDITS;
use super::protocol::Protocol;
use super::search::Found;
use crate::recording::{self, Trace};

/// The legal trace is accepted; of each edit some are refused; one that is cut short, or is empty, is no trace.
///
/// # Errors
/// If the validator fails its test: it is not to be believed.
pub fn test(protocol: &Protocol) -> Result<()> {
    let read = |text: &str| recording::read("legal".as_ref(), text.as_bytes());
    let legal = read(protocol.legal)?;
    let module = protocol.module;
    for trace in &legal {
        let found = protocol.search(trace)?;
        ensure!(
            found == Found::Accepted,
            "the validator of {module} refuses its legal trace: {found:?}"
        );
    }
    let trace = legal.first().context("no legal trace")?;
    for edit in EDITS {
        let edited = edit.all(trace);
        let refused = edited
            .iter()
            .filter(|edited| matches!(protocol.search(edited), Ok(Found::Refused(_)) | Err(_)));
        ensure!(
            edited.is_empty() || refused.count() > 0,
            "the validator of {module} accepts every trace with the edit {edit:?}"
        );
    }
    let (cut, _) = protocol
        .legal
        .trim_end()
        .rsplit_once('\n')
        .context("a legal trace has lines")?;
    ensure!(
        read(cut).is_err(),
        "the validator of {module} accepts a trace that is cut short"
    );
    let empty = Trace {
        events: Vec::new(),
        ..trace.clone()
    };
    ensure!(
        read(&empty.to_text()).is_err(),
        "the validator of {module} accepts a trace without an event"
    );
    Ok(())
}
