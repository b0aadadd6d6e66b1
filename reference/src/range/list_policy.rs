//! The designs of a range lock that is a list: `specs/range/RangeListPolicies.tla`, and what each finds where it walks.

use std::ops::Range;

use super::tree::Mode;

/// What a task asks for: a range, and what for.
pub type Ask = (Range<u64>, Mode);

/// What is done about a conflict that is found when one's node is in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnConflict {
    /// `"wait"`: for the other's mark.
    Wait,
    /// `"retreat"`: one marks one's own node, and comes again.
    Retreat,
}

/// When a range ends before another begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ends {
    /// `Ends`: the cell after its last one may be the other's first.
    Rightly,
    /// Control `EndsStrictly`: that cell lies between them.
    Strictly,
    /// Control `EndsLaxly`: its last cell may be the other's first.
    Laxly,
}

/// Where a node is to one who walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The walk passes it.
    Before,
    /// The walk ends before it.
    Behind,
    /// It conflicts.
    Conflict,
}

/// A design: a record of decisions, each as in module RangeListPolicies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Whether a reader looks for conflicts once more when its node is in the list.
    pub reader_validates: bool,
    /// Whether a writer does.
    pub writer_validates: bool,
    /// What a reader does that finds one then.
    pub reader: OnConflict,
    /// What a writer does.
    pub writer: OnConflict,
    /// Who conflicts sleeps until somebody marks a node, and comes again; else it waits for the mark of the node that it has met.
    pub sleeps: bool,
    /// The other's mark is read again under the sleepers' lock, under which all marks are set.
    pub rechecks: bool,
    /// Who has lost so often takes the auxiliary lock.
    pub patience: u32,
    /// How the ends of ranges are compared.
    pub ends: Ends,
}

impl Policy {
    /// A patience that no task loses.
    pub const NEVER: u32 = u32::MAX;

    /// Kogan, Dice and Issa, EuroSys 2020: readers wait, writers retreat.
    pub const LIST_RW: Policy = Policy {
        reader_validates: true,
        writer_validates: true,
        reader: OnConflict::Wait,
        writer: OnConflict::Retreat,
        sleeps: false,
        rechecks: false,
        patience: Policy::NEVER,
        ends: Ends::Rightly,
    };
    /// The same with their auxiliary lock, taken by who has lost once.
    pub const LIST_IMPATIENT: Policy = Policy {
        patience: 1,
        ..Policy::LIST_RW
    };
    /// FreeBSD 15, `sys/kern/kern_rangelock.c`: both sides retreat, and sleep.
    pub const FREE_BSD_15: Policy = Policy {
        reader: OnConflict::Retreat,
        sleeps: true,
        rechecks: true,
        ..Policy::LIST_RW
    };
    /// Control: a reader does not validate.
    pub const NO_READER_VALIDATE: Policy = Policy {
        reader_validates: false,
        ..Policy::LIST_RW
    };
    /// Control: a writer does not.
    pub const NO_WRITER_VALIDATE: Policy = Policy {
        writer_validates: false,
        ..Policy::LIST_RW
    };
    /// Control: a writer waits, as a reader does.
    pub const BOTH_WAIT: Policy = Policy {
        writer: OnConflict::Wait,
        ..Policy::LIST_RW
    };
    /// Control: a reader retreats, as a writer does, and neither looks again.
    pub const BOTH_RETREAT: Policy = Policy {
        reader: OnConflict::Retreat,
        ..Policy::LIST_RW
    };
    /// Control of [`Policy::FREE_BSD_15`]: it sleeps on the mark that it has read before it took the sleepers' lock.
    pub const SLEEP_NO_RECHECK: Policy = Policy {
        rechecks: false,
        ..Policy::FREE_BSD_15
    };

    /// [`Policy::LIST_RW`], with a writer that looks again before it retreats.
    pub const LIST_RECHECKS: Policy = Policy {
        rechecks: true,
        ..Policy::LIST_RW
    };

    /// Every one under its name in the specification.
    pub const NAMED: [(&str, Policy); 9] = [
        ("ListRW", Policy::LIST_RW),
        ("ListImpatient", Policy::LIST_IMPATIENT),
        ("FreeBsd15", Policy::FREE_BSD_15),
        ("NoReaderValidate", Policy::NO_READER_VALIDATE),
        ("NoWriterValidate", Policy::NO_WRITER_VALIDATE),
        ("BothWait", Policy::BOTH_WAIT),
        ("BothRetreat", Policy::BOTH_RETREAT),
        ("SleepNoRecheck", Policy::SLEEP_NO_RECHECK),
        ("ListRechecks", Policy::LIST_RECHECKS),
    ];

    /// `Validates`.
    pub fn validates(&self, mode: Mode) -> bool {
        match mode {
            Mode::Read => self.reader_validates,
            Mode::Write => self.writer_validates,
        }
    }

    /// `OnConflict`.
    pub fn on_conflict(&self, mode: Mode) -> OnConflict {
        match mode {
            Mode::Read => self.reader,
            Mode::Write => self.writer,
        }
    }

    /// `Where`: where a node, `None` the list's end, is to one who asks for this and looks for its place.
    pub fn place(&self, node: Option<&Ask>, (range, mode): &Ask) -> Place {
        let Some((other, others)) = node else {
            return Place::Behind;
        };
        let share = (*others, *mode) == (Mode::Read, Mode::Read);
        if self.ends(other.end, range.start) || share && range.start >= other.start {
            Place::Before
        } else if share || other.start >= range.end {
            Place::Behind
        } else {
            Place::Conflict
        }
    }

    /// `WhereInside`: the same to one whose node is in the list. A reader looks from its node on, a writer from the head up to it.
    ///
    /// # Panics
    /// If a writer has come to the list's end: its node is not there.
    pub fn place_inside(&self, node: Option<&Ask>, is_own: bool, (range, mode): &Ask) -> Place {
        match (mode, node) {
            (Mode::Write, None) => panic!("a node that is not marked is not in the list"),
            (Mode::Write, Some(_)) if is_own => Place::Behind,
            (Mode::Write, Some((other, _))) if self.ends(other.end, range.start) => Place::Before,
            (Mode::Read, None) => Place::Behind,
            (Mode::Read, Some((other, _))) if other.start >= range.end => Place::Behind,
            (Mode::Read, Some((_, Mode::Read))) => Place::Before,
            _ => Place::Conflict,
        }
    }

    /// `Ends`: whether a range that ends here lies before one that starts there.
    fn ends(&self, end: u64, start: u64) -> bool {
        match self.ends {
            Ends::Rightly => start >= end,
            Ends::Strictly => start > end,
            Ends::Laxly => start >= end - 1,
        }
    }
}
