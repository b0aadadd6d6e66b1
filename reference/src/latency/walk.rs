//! A long loop in pieces of bounded length: between two of them the caller may yield, or do what others wait for.
//!
//! The policies are those of delayed allocation's writeback, with what the loop does to an item in the place of a page.
//!
//! ```
//! use interlock::latency::walk::{Pieces, Walk};
//!
//! let mut sum = 0;
//! for piece in Walk::new(100, Pieces::Batches(14)) {
//!     sum += piece.sum::<usize>(); // 14 items at most
//!     std::thread::yield_now();
//! }
//! assert_eq!(sum, 4950);
//! ```

use std::num::NonZero;
use std::ops::Range;

/// How long a piece of the loop is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pieces {
    /// All of it, as mpage_da_submit_io of Linux 2.6.34.
    Whole,
    /// So many items, as with the cond_resched after each pagevec of Michal Schmidt's patch of 2010. What the loop holds, it holds across
    /// the pieces.
    Batches(usize),
    /// So many items, for which the loop takes what it needs and gives it back, as a handle of Linux 3.11 is for one extent.
    Extents(usize),
}

impl Pieces {
    /// How many of `items` a piece has at most.
    pub fn bound(self, items: usize) -> usize {
        match self {
            Pieces::Whole => items,
            Pieces::Batches(bound) | Pieces::Extents(bound) => bound.clamp(1, items.max(1)),
        }
    }

    /// Whether the loop gives back what it holds before it yields.
    pub fn lets_go(self) -> bool {
        matches!(self, Pieces::Extents(_))
    }
}

/// A loop over items, as an iterator of its pieces. A piece of no items would not end: a bound of 0 is one of 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    left: Range<usize>,
    bound: Option<NonZero<usize>>,
    pieces: Pieces,
}

impl Walk {
    /// A walk over the items 0 to `items` - 1.
    pub fn new(items: usize, pieces: Pieces) -> Walk {
        Walk {
            left: 0..items,
            bound: NonZero::new(pieces.bound(items)),
            pieces,
        }
    }

    /// Runs the loop: `work` for each item, and `yield_point` after each piece. What `hold` gives is held while work is done:
    /// from the first item to the last, or for one piece at a time, and then not while it yields.
    pub fn run<Held>(
        self,
        mut hold: impl FnMut() -> Held,
        mut work: impl FnMut(&mut Held, usize),
        mut yield_point: impl FnMut(),
    ) {
        let lets_go = self.pieces.lets_go();
        let mut held = None;
        for piece in self {
            let now = held.get_or_insert_with(&mut hold);
            piece.for_each(|item| work(now, item));
            if lets_go {
                held = None;
            }
            yield_point();
        }
    }
}

impl Iterator for Walk {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let bound = self.bound?.get().min(self.left.len());
        let piece = self.left.start..self.left.start + bound;
        self.left.start = piece.end;
        (!piece.is_empty()).then_some(piece)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let bound = self.bound.map_or(1, NonZero::get);
        let pieces = self.left.len().div_ceil(bound);
        (pieces, Some(pieces))
    }
}

impl ExactSizeIterator for Walk {}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_walk_over_nothing_has_no_piece() {
        for pieces in [Pieces::Whole, Pieces::Batches(3), Pieces::Extents(0)] {
            assert_eq!(Walk::new(0, pieces).count(), 0, "{pieces:?}");
        }
    }

    #[test]
    fn the_last_piece_is_what_is_left() {
        let pieces: Vec<_> = Walk::new(7, Pieces::Batches(3)).collect();
        assert_eq!(pieces, [0..3, 3..6, 6..7]);
        assert_eq!(Walk::new(7, Pieces::Batches(3)).len(), 3);
    }

    /// What is held while the loop yields: by batches it is, by extents it is not.
    #[test]
    fn an_extent_lets_go_before_it_yields() {
        struct Held<'a>(&'a RefCell<Vec<&'static str>>);
        impl Drop for Held<'_> {
            fn drop(&mut self) {
                self.0.borrow_mut().push("let go");
            }
        }
        let told = |pieces| {
            let events = RefCell::new(Vec::new());
            Walk::new(2, pieces).run(
                || Held(&events),
                |_, _| events.borrow_mut().push("work"),
                || events.borrow_mut().push("yield"),
            );
            events.into_inner()
        };
        assert_eq!(told(Pieces::Whole), ["work", "work", "yield", "let go"]);
        let held = ["work", "yield", "work", "yield", "let go"];
        assert_eq!(told(Pieces::Batches(1)), held);
        let let_go = ["work", "let go", "yield", "work", "let go", "yield"];
        assert_eq!(told(Pieces::Extents(1)), let_go);
    }
}
