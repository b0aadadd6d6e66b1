//! What the book has besides its chapters: each module of `specs/` in full, and each file of the repository that a page links to.
//!
//! [`complete`] is given the chapters, makes the pages that they lack, and rewrites every link to where it leads in the book. `places`
//! knows that, and which pages are still to be made. `order` is the order of the modules, `markdown` finds the links of a page, and
//! `listing` marks up text.

mod complete;
mod listing;
mod markdown;
mod order;
mod places;

pub use complete::{Added, Chapter, Page, complete};
