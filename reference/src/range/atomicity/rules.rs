//! When an operation takes its locks and gives them back. Here, because tests put faults in by the rules.

use std::ops::Range;

use super::policy::{Hold, Kind};

/// The rules of a file's operations. As they stand here they are the specification's.
pub trait Rules: 'static {
    /// The cells whose range, segments or folios are locked before the first of these is copied.
    fn locks(cells: Range<usize>) -> Range<usize> {
        cells
    }

    /// In which order the locks of these folios or segments are taken.
    fn in_order(_: Kind, units: Range<usize>) -> Vec<usize> {
        units.collect()
    }

    /// How the inode's lock is held while its segments get another size.
    fn rescales() -> Hold {
        Hold::Exclusive
    }

    /// Whether the lock of a folio with so many cells, taken for it alone, goes once the cell before `at` is copied, of a range that
    /// ends before `end`.
    fn unlocks_folio(at: usize, end: usize, folio_cells: usize) -> bool {
        at == end || at.is_multiple_of(folio_cells)
    }

    /// Whether all that was taken at the begin is given back before the cell `at` is copied, of a range that ends before `end`.
    fn ends_before(_at: usize, _end: usize) -> bool {
        false
    }
}

/// The specification's.
pub struct Specified;

impl Rules for Specified {}
