//! Writeback: the flusher's plug and its lists of inodes: `specs/writeback/WbPlug.tla` and `WbLists.tla`.

pub mod flusher;
mod flusher_pages;
pub mod flusher_probe;
#[cfg(feature = "trace")]
pub mod flusher_recorder;
pub mod list_policy;
mod list_steps;
pub mod lists;
pub mod plug;
pub mod plug_policy;
pub mod rules;
