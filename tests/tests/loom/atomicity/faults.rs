//! loom sees each fault in when a file's locks are taken and given back, most by the bytes.

use std::ops::Range;

use conformance::file_atomicity::{Case, Invariant, cases};
use conformance::symptom::assert_found;
use interlock::range::atomicity::machine::Op;
use interlock::range::atomicity::policy::{Hold, Kind};
use interlock::range::atomicity::rules::{Rules, Specified};
use rusty_fork::rusty_fork_test;

use super::model::{Shown, run, run_beside};

/// All is given back before the last cell is copied.
struct EndsEarly;

impl Rules for EndsEarly {
    fn ends_before(at: usize, end: usize) -> bool {
        at + 1 == end
    }
}

/// The lock of a folio is given back before its last cell is copied.
struct UnlocksFolioEarly;

impl Rules for UnlocksFolioEarly {
    fn unlocks_folio(at: usize, end: usize, folio_cells: usize) -> bool {
        at + 1 == end || (at + 1).is_multiple_of(folio_cells)
    }
}

/// The first cell alone is locked.
struct FirstCell;

impl Rules for FirstCell {
    fn locks(cells: Range<usize>) -> Range<usize> {
        cells.start..cells.start + 1
    }
}

/// All but the last cell is locked.
struct OneCellShort;

impl Rules for OneCellShort {
    fn locks(cells: Range<usize>) -> Range<usize> {
        cells.start..cells.end - 1
    }
}

/// Reads take the locks of folios and segments from the last to the first.
struct ReadsDescend;

impl Rules for ReadsDescend {
    fn in_order(kind: Kind, units: Range<usize>) -> Vec<usize> {
        match kind {
            Kind::Read => units.rev().collect(),
            _ => units.collect(),
        }
    }
}

/// The segments get another size beside operations that have bits of the old one: `RescaleUnderShared`.
struct RescalesShared;

impl Rules for RescalesShared {
    fn rescales() -> Hold {
        Hold::Shared
    }
}

fn case(design: &str, size: &str) -> Case {
    let name = format!("{design}-{size}");
    let mut cases = cases(design).expect("the manifest is good").into_iter();
    cases
        .find(|case| case.name == name)
        .expect("there are such rows")
}

/// The case with other cells for its two operations.
fn on_cells(mut case: Case, cells: [Range<usize>; 2]) -> Case {
    let ops = case.counterpart.machine.ops.iter_mut().zip(cells);
    ops.for_each(|(op, cells): (&mut Op, _)| op.cells = cells);
    case
}

/// With the rules the bytes are broken, though the case holds.
fn breaks<R: Rules + Send + Sync>(case: &Case, invariant: Invariant) {
    assert_eq!(case.verdicts.get(&invariant), Some(&true), "{}", case.name);
    let (_, shown) = run::<R>(case, None);
    assert!(
        shown.broken.contains(&invariant),
        "{}: {shown:?}",
        case.name
    );
}

/// A read and a write of the same cells, whose segments have one cell and get two.
fn rescaled<R: Rules + Send + Sync>() -> Shown {
    let mut case = on_cells(case("SegmentBits-File", "across"), [2..4, 2..4]);
    case.counterpart.machine.segment_cells = 1;
    run_beside::<R>(&case, Some(3), Some(|file| file.rescale(2))).1
}

rusty_fork_test! {
    #[test]
    fn segments_that_get_another_size_beside_their_holders() {
        let shown = rescaled::<Specified>();
        assert!(shown.broken.is_empty() && shown.strays.is_none(), "{shown:?}");
        let shown = rescaled::<RescalesShared>();
        assert!(shown.broken.contains(&Invariant::ReadAtomic), "{shown:?}");
    }

    #[test]
    fn locks_given_back_before_the_last_cell() {
        breaks::<EndsEarly>(&case("Xfs", "across"), Invariant::ReadAtomic);
        breaks::<EndsEarly>(&case("FolioBatch", "within"), Invariant::ReadAtomic);
        breaks::<EndsEarly>(&case("TwoState", "mixed"), Invariant::ReadAtomic);
        breaks::<EndsEarly>(&case("RangeLock", "direct-writes"), Invariant::WriteAtomic);
        breaks::<EndsEarly>(&case("SegmentBits-File", "direct-writes"), Invariant::WriteAtomic);
    }

    #[test]
    fn a_folio_unlocked_before_its_last_cell() {
        breaks::<UnlocksFolioEarly>(&case("FolioLocks", "within"), Invariant::ReadAtomic);
    }

    #[test]
    fn a_lock_on_the_first_cell_alone() {
        for design in ["RangeLock", "SegmentBits-File", "FolioBatch"] {
            let case = on_cells(case(design, "within"), [2..4, 1..4]);
            breaks::<FirstCell>(&case, Invariant::ReadAtomic);
        }
    }

    /// Two that share two cells still share one that both lock; two that share one cell are not torn by it, but under way together.
    #[test]
    fn a_range_one_cell_short() {
        let case = on_cells(case("RangeLock", "writes"), [0..2, 1..3]);
        let (_, shown) = run::<OneCellShort>(&case, None);
        assert!(shown.broken.is_empty(), "{shown:?}");
        let strays = shown.strays.expect("the lock lets both in");
        println!("{strays}");
        assert!(strays.starts_with("Begin("), "{strays}");
    }

    #[test]
    fn folios_and_segments_in_two_orders() {
        for design in ["FolioBatch", "SegmentBits-File"] {
            assert_found(design, &["deadlock"], || {
                run::<ReadsDescend>(&case(design, "across"), None);
            });
        }
    }
}
