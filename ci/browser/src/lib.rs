//! Pages as a reader has them: in a headless Chromium, which is the system's.
//!
//! [`Chromium::faults`] opens a page from disk in a [`View`], a width and a colour scheme, and says what is wrong with it: what the
//! console says, what could not be loaded or comes from the network, what is wider than the window or cut off, text that is too pale,
//! what Tab does not come to, and focus that is not seen. `devtools` speaks with the browser, `visit` asks about one page,
//! `told` reads what the browser tells of it unasked, and `page.js` looks at it from within.

mod devtools;
mod told;
mod visit;

pub use devtools::{Chromium, find};
pub use visit::{Scheme, View};
