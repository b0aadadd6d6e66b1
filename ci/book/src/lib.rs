//! The book: mdBook builds the chapters of `docs/`, with the pages that `interlock-pages` adds, and `check` follows each link of what
//! was built.

mod build;
pub mod check;
mod preprocessor;

pub use build::build;
