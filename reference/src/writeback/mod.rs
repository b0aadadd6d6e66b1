//! The writeback of many small files: `specs/writeback/WbPlug.tla`.

pub mod flusher;
mod flusher_pages;
pub mod flusher_probe;
pub mod flusher_rules;
pub mod plug;
pub mod plug_policy;
