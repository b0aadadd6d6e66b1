//! Recorded traces, and whether the machine finds them legal.

use std::path::Path;

use interlock_traces::recording;
use interlock_traces::validate::protocol::PROTOCOLS;

use crate::Target;

use super::names;

/// The bytes are the file.
pub const TARGET: Target = Target {
    name: "recording",
    read,
    seeds,
};

fn read(bytes: &[u8]) {
    let called = Path::new("some.ndjson");
    let traces = match recording::read(called, bytes) {
        Ok(traces) => traces,
        Err(error) => return names(&error, "some.ndjson"),
    };
    for trace in traces {
        let text = trace.to_text();
        let again = recording::read(called, text.as_bytes()).expect("what is written is read");
        assert_eq!(
            (&again[0].head, &again[0].events),
            (&trace.head, &trace.events)
        );
        let module = &trace.head.module;
        let protocol = PROTOCOLS.iter().find(|protocol| protocol.module == module);
        if let Some(Err(error)) = protocol.map(|protocol| protocol.search(&trace)) {
            names(&error, "some.ndjson");
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let legal = PROTOCOLS.iter().map(|protocol| protocol.legal);
    legal.map(|text| text.as_bytes().to_vec()).collect()
}
