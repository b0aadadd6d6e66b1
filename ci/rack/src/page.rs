//! `docs/kernels.md`: the record as a page.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use interlock_checker::markdown;
use interlock_checker::record::Cell;
use interlock_checker::whole::write_whole;

use crate::record::Record;
use crate::workload::Measured;
use crate::workload::lock::{Measured as Lock, Side};

const NOTHING: &str = "—";

/// Writes it.
///
/// # Errors
/// If it cannot be written.
pub fn write(root: &Path, record: &Record) -> Result<()> {
    write_whole(&root.join("docs"), "kernels.md", text(record))
}

/// The page.
pub fn text(record: &Record) -> String {
    let releases = || record.kernels.values().map(|kernel| &kernel.release[..]);
    let mut text = String::from(HEAD);
    let mut headings = vec!["plan"];
    headings.extend(releases());
    let names: std::collections::BTreeSet<&String> = record
        .kernels
        .values()
        .flat_map(|kernel| kernel.plans.keys())
        .collect();
    let rows = names.into_iter().map(|name| {
        let cells = record
            .kernels
            .values()
            .map(|kernel| kernel.plans.get(name).map_or(NOTHING.to_owned(), cell));
        [format!("`{name}`")].into_iter().chain(cells).collect()
    });
    text += &markdown::table(&headings, headings.len(), rows);
    text += WORKLOADS;
    let mut headings = vec!["measured"];
    headings.extend(releases());
    let rows = QUESTIONS.iter().map(|(question, answer)| {
        let cells = record.kernels.values().map(|kernel| {
            let mut answers = kernel.workloads.iter().filter_map(answer);
            answers.next().unwrap_or_else(|| NOTHING.to_owned())
        });
        [(*question).to_owned()].into_iter().chain(cells).collect()
    });
    text += &markdown::table(&headings, headings.len(), rows);
    text += TRACES;
    let headings = ["kernel", "trace", "by its own table", "by another's"];
    let rows = record.kernels.values().flat_map(|kernel| {
        kernel.traces.iter().map(|(name, trace)| {
            let others: Vec<String> = trace
                .others
                .iter()
                .map(|(version, verdict)| format!("{version}: {verdict}"))
                .collect();
            vec![
                kernel.release.clone(),
                name.clone(),
                trace.own.clone(),
                others.join("; "),
            ]
        })
    });
    text += &markdown::table(&headings, headings.len(), rows);
    text += DESIGNS;
    let headings = ["kernel", "design", "agrees in"];
    let rows = record.kernels.values().flat_map(|kernel| {
        let measured = kernel.measured.iter();
        measured.map(|(design, by)| vec![kernel.release.clone(), design.clone(), by.to_string()])
    });
    text += &markdown::table(&headings, headings.len(), rows);
    text += "\n## What disagrees, and what was not run\n\n";
    let lines: Vec<String> = record
        .kernels
        .values()
        .flat_map(|kernel| {
            let lines = kernel.disagrees.iter().chain(&kernel.not_run);
            lines.map(|line| format!("- {}: {}", kernel.release, line.replace('\n', " ")))
        })
        .collect();
    match lines[..] {
        [] => text += "Nothing.\n",
        _ => lines.iter().for_each(|line| {
            let _ = writeln!(text, "{line}");
        }),
    }
    text
}

/// What came of a plan, and what the design that stands for the kernel says of it.
fn cell(cell: &Cell) -> String {
    let did = cell.shown();
    let design = match (&cell.design[..], cell.loses) {
        ("", _) => "no design".to_owned(),
        (design, None) => format!("{design}: no row"),
        (design, Some(true)) => format!("{design} loses"),
        (design, Some(false)) => format!("{design} keeps"),
    };
    match cell.loses {
        Some(loses) if loses != cell.lost() => format!("{did}, BUT {design}"),
        _ => format!("{did}; {design}"),
    }
}

type Answer = fn(&Measured) -> Option<String>;

const QUESTIONS: &[(&str, Answer)] = &[
    (
        "direct writes of 512 bytes of one file in flight together, of 4 threads",
        |measured| match measured {
            Measured::Unaligned(measured) => Some(measured.parts.to_string()),
            _ => None,
        },
    ),
    ("the same, of 4096 bytes", |measured| match measured {
        Measured::Unaligned(measured) => Some(measured.blocks.to_string()),
        _ => None,
    }),
    (
        "jbd2: j_max in a log of 1024 blocks",
        |measured| match measured {
            Measured::Journal(measured) => Some(measured.largest.to_string()),
            _ => None,
        },
    ),
    (
        "not judged: writes a second with dioread_nolock, with dioread_lock",
        |measured| match measured {
            Measured::Journal(measured) => {
                Some(format!("{:.0}, {:.0}", measured.nolock, measured.lock))
            }
            _ => None,
        },
    ),
    (
        "not judged: i_rwsem of XFS, one writer and 6 readers: how often the writer passed a waiting reader, at most",
        |measured| match measured {
            Measured::Lock(Lock { alone, .. }) => Some(format!(
                "{} (of {} waits)",
                alone.readers.by_writers, alone.readers.waits
            )),
            _ => None,
        },
    ),
    (
        "the same of 4 writers and 4 readers: writers passed a waiting reader, a waiting writer",
        |measured| crowd(measured, |side| side.by_writers.to_string()),
    ),
    (
        "readers passed a waiting reader, a waiting writer",
        |measured| crowd(measured, |side| side.by_readers.to_string()),
    ),
    (
        "the longest wait of a reader, of a writer, in ms",
        |measured| crowd(measured, |side| format!("{:.0}", side.longest)),
    ),
    ("reads, writes a second", |measured| {
        crowd(measured, |side| format!("{:.0}", side.calls))
    }),
];

/// Of readers and of writers.
fn crowd(measured: &Measured, of: fn(&Side) -> String) -> Option<String> {
    match measured {
        Measured::Lock(Lock { crowd, .. }) => {
            Some(format!("{}, {}", of(&crowd.readers), of(&crowd.writers)))
        }
        _ => None,
    }
}

const HEAD: &str = "# What the kernels did

Written by `make kernels`, from its last run of each kernel (`docs/kernels.json` has all of it). The kernels are a distribution's, in
guests of QEMU; their disk is the project's own ([ci/disk](../ci/disk)), which completes writes in the order that a plan says.

A plan is the counterexample of the model that it is named after ([ci/rack/plans](../ci/rack/plans)), or a control. **lost**: every step
was possible, and bytes that were acknowledged are not in the file. *waited*: the kernel did not let the steps happen in this order, and
nothing is lost. *kept*: it did, and nothing is lost. Behind it stands what TLC says of the design that stands for the kernel, with these
calls and this file; *BUT* where they differ.
`interlock replay PLAN --kernel VERSION` plays one, and shows each step.

";

const WORKLOADS: &str = "
## The threads' workloads

Counts are judged; rates are not: the guests run without hardware virtualization where there is none, on two processors, and time is
what that distorts.

";

const TRACES: &str = "
## Traces

Recorded in the guest, judged by the specification with the constants of the kernel's own table, and of another release's.

";

const DESIGNS: &str = "
## The labels

A design is *measured* on a kernel where whatever was asked of both agrees: plans, counts, traces.

";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_what_the_record_says() -> Result<()> {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let page = std::fs::read_to_string(root.join("docs/kernels.md"))?;
        assert_eq!(
            page,
            text(&Record::load(root)?),
            "`make kernels` writes both"
        );
        Ok(())
    }
}
