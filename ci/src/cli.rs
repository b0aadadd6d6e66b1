//! The commands: what each may be asked, and what it does.

#[cfg(feature = "machines")]
pub mod capture;
pub mod cfg;
pub mod check;
pub mod docs;
pub mod graph;
#[cfg(feature = "machines")]
pub mod hunt;
#[cfg(feature = "machines")]
pub mod import;
#[cfg(feature = "machines")]
pub mod kernels;
pub mod lint;
pub mod list;
pub mod mutate;
pub mod options;
#[cfg(feature = "machines")]
pub mod recorded;
#[cfg(feature = "machines")]
pub mod replay;
#[cfg(feature = "machines")]
pub mod scenario;
pub mod table;
pub mod trace;
#[cfg(feature = "machines")]
pub mod validate;
