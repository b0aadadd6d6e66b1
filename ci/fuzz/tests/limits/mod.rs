//! What a test's process may use at most: more ends it.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Bytes of address space, of which threads and allocators reserve more than they use.
const MEMORY: u64 = 4 << 30;

/// Seconds of CPU time, of all tests of the process together: fifty times what they take.
const CPU: u64 = 600;

/// Sets them, of this process.
pub fn set() {
    limit(Resource::As, MEMORY);
    limit(Resource::Cpu, CPU);
}

/// Sets one, unless a smaller one is set.
pub fn limit(resource: Resource, most: u64) {
    let now = getrlimit(resource);
    let most = now.current.map_or(most, |current| current.min(most));
    let limit = Rlimit {
        current: Some(most),
        maximum: now.maximum,
    };
    setrlimit(resource, limit).expect("a smaller limit can be set");
}
