//! The commands: what each may be asked, and what it does.

pub mod capture;
pub mod cfg;
pub mod check;
pub mod docs;
pub mod graph;
pub mod import;
pub mod lint;
pub mod list;
pub mod options;
pub mod scenario;
pub mod table;
pub mod trace;
pub mod validate;
