//! The specifications that traces are checked against.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::search::{self, Found};
use super::trace::Trace;
use crate::machines::rwsem::Rwsem;
use crate::manifest::did_you_mean;

/// One of them.
#[derive(Debug)]
pub struct Protocol {
    /// The folder of `specs/`.
    pub area: &'static str,
    /// The module that a trace names.
    pub module: &'static str,
    /// The operator of `Trace<module>.tla` that says what an event may have seen.
    pub shows: &'static str,
    /// Actions that leave no event.
    pub silent: &'static [&'static str],
    /// A legal trace, with which the validator tests itself.
    pub legal: &'static str,
    search: fn(&Trace) -> Result<Found>,
}

/// All of them.
pub const PROTOCOLS: [Protocol; 1] = [Protocol {
    area: "rwsem",
    module: "Rwsem",
    shows: "RwsemShows",
    silent: &[],
    legal: include_str!("legal/rwsem.ndjson"),
    search: |trace| search::search(&Rwsem::new(&trace.constants())?, trace),
}];

impl Protocol {
    /// The area's protocols that traces can be checked against.
    ///
    /// # Errors
    /// If there is none.
    pub fn of_area(area: &str) -> Result<&'static Protocol> {
        let found = PROTOCOLS.iter().find(|protocol| protocol.area == area);
        found.with_context(|| {
            let areas = PROTOCOLS.iter().map(|protocol| protocol.area);
            format!(
                "no traces are known of an area `{area}`{} (there are: {})",
                did_you_mean(area, areas.clone()),
                areas.collect::<Vec<_>>().join(", ")
            )
        })
    }

    /// Asks the machine.
    ///
    /// # Errors
    /// If the trace's head or an event has something that the specification has not: with its place.
    pub fn search(&self, trace: &Trace) -> Result<Found> {
        let head = || format!("{}:{}", trace.file.display(), trace.line);
        anyhow::ensure!(
            trace.head.module == self.module,
            "{}: a trace of {}, not of {}'s {}",
            head(),
            trace.head.module,
            self.area,
            self.module
        );
        (self.search)(trace).with_context(head)
    }

    /// Where its modules are, and those of traces.
    pub fn library(&self, root: &Path) -> [PathBuf; 2] {
        [root.join("specs").join(self.area), root.join("specs/trace")]
    }
}
