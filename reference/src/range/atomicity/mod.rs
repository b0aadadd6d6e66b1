//! What a file's lock is for: `specs/range/FileAtomicity.tla`, and a file of real bytes under each choice of locks.

pub mod file;
pub mod locks;
pub mod machine;
pub mod policy;
pub mod probe;
pub mod rules;
pub mod sys;
