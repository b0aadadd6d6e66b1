//! Mutants of the specifications: small faults put into a module, one at a time, which some row of `models.toml` has to notice.
//!
//! `request` says which are asked about. `operators` says which faults there are, `mutant` finds the places for them in a module's
//! syntax tree, `row` says what a row names, `reach` which rows read a definition, `plan` in which runs they are asked, `coverage` which
//! formulas a run has evaluated, and `hunt` runs rows on a copy that has the fault. What a run found is kept by `results`; `list` reads
//! the survivors that an area's `mutants.toml` excuses, and `report` compares the two. `page` keeps that.

pub mod coverage;
pub mod edit;
pub mod hunt;
pub mod list;
pub mod mutant;
pub mod mutate;
pub mod operators;
pub mod page;
pub mod plan;
pub mod reach;
pub mod report;
pub mod request;
pub mod results;
mod row;
