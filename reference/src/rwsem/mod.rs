//! Reader/writer semaphores: `specs/rwsem/Rwsem.tla`.
