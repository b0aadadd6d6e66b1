//! Traces of a kernel: ftrace's text, plain or gzipped, as traces of each area.

use std::io::{BufRead as _, Read as _};
use std::path::Path;

use interlock_traces::kernel::{self, Reading, projections, text};

use crate::{Target, files, root};

use super::names;

/// The bytes are the file.
pub const TARGET: Target = Target {
    name: "kernel",
    read,
    seeds,
};

/// Each seed has so many lines of a recorded trace.
const LINES: usize = 70;

fn read(bytes: &[u8]) {
    let called = Path::new("some.trace");
    for area in ["dio", "jbd2", "rwsem", "writeback"] {
        for midway in [false, true] {
            let reading = Reading {
                midway,
                ..Reading::default()
            };
            let projection = projections::of_area(area).expect("it has one");
            let open = || Ok(text::unpacked(bytes)?);
            let mut each = |trace: interlock_traces::recording::Trace| {
                let again = trace.to_text();
                let read = interlock_traces::recording::read(called, again.as_bytes());
                if !trace.events.is_empty() {
                    let read = read.expect("what is written is read");
                    assert_eq!(
                        (&read[0].head, &read[0].events),
                        (&trace.head, &trace.events)
                    );
                }
                Ok(())
            };
            if let Err(error) = kernel::read_from(called, open, &reading, projection, &mut each) {
                names(&error, "some.trace");
            }
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let recorded = files(&root().join("tests/kernel"), ".txt.gz");
    let excerpt = |packed: Vec<u8>| {
        let text = text::unpacked(&packed[..]).expect("it is gzipped");
        let lines = text.take(1 << 20).lines().take(LINES);
        let lines: Vec<String> = lines.map(|line| line.expect("it is text")).collect();
        (lines.join("\n") + "\n").into_bytes()
    };
    recorded.into_iter().map(excerpt).collect()
}
