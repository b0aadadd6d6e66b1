//! The project's pictures, as SVG files that stand alone: shapes, how wide text is, and one light and one dark palette.
//!
//! A picture is as wide as a phone's page where what it shows allows, so that nobody's screen has to make it smaller, and has a ground
//! of its own, so that it is legible on a page of the other palette too.

mod canvas;
mod sheet;
mod text;

pub use canvas::{Canvas, Document};
pub use text::{Font, lines, measure};

/// The width in pixels that a phone's page leaves to a picture, in a book and on a forge.
pub const PHONE: f64 = 320.0;
