//! One target a file.

pub mod apalache;
pub mod edges;
pub mod evidence;
pub mod guest;
pub mod itf;
pub mod kernel;
pub mod kernels;
pub mod log;
pub mod manifest;
pub mod modules;
pub mod nbd;
pub mod plan;
mod printed;
pub mod recording;
pub mod report;
pub mod tla_checker;
pub mod tlc;
pub mod value;

/// What an error says, its causes included; it must name this place.
fn names(error: &anyhow::Error, place: &str) {
    let told = format!("{error:#}");
    assert!(told.contains(place), "`{told}` does not name {place}");
}
