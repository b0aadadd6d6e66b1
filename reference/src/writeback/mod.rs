//! The writeback of many small files: `specs/writeback/WbPlug.tla`.

pub mod plug;
pub mod plug_policy;
