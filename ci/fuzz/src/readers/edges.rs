//! The steps that TLC prints while it explores.

use interlock_tla::edges::Edges;

use crate::{Target, files, root};

use super::names;

/// The bytes are the file.
pub const TARGET: Target = Target {
    name: "edges",
    read,
    seeds,
};

/// A seed has so many lines.
const LINES: usize = 12;

fn read(bytes: &[u8]) {
    match Edges::from_lines(bytes) {
        Err(error) => names(&error, "line "),
        Ok(edges) => {
            let graph = edges.graph();
            assert_eq!(
                (graph.states.len(), graph.steps.len()),
                (edges.states(), edges.steps())
            );
            for (from, _, to) in &graph.steps {
                assert!(from.max(to) < &graph.states.len());
            }
            edges.explored();
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let recorded = files(&root().join("ci/tla/tests/traces"), ".edges");
    let parts = |text: Vec<u8>| {
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let parts = lines.chunks(LINES).step_by(4);
        parts.map(<[&[u8]]>::concat).collect::<Vec<_>>()
    };
    recorded.into_iter().flat_map(parts).collect()
}
