//! One target a file.

pub mod edges;
pub mod itf;
pub mod kernel;
pub mod log;
pub mod manifest;
pub mod plan;
pub mod recording;
pub mod tlc;
pub mod value;

/// What an error says, its causes included; it must name this place.
fn names(error: &anyhow::Error, place: &str) {
    let told = format!("{error:#}");
    assert!(told.contains(place), "`{told}` does not name {place}");
}
