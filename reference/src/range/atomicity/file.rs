//! A file of real bytes in memory, under a choice of locks: `specs/range/FileAtomicity.tla` in threads.
//!
//! A cell, which is copied at once, is eight bytes that are read and written atomically and order nothing: a torn read is what a
//! processor may do, not undefined. What keeps reads and writes whole is the locks alone. An operation takes those that the
//! [`Policy`] names for its kind: the inode's, the range's, the segments' in ascending order, the folios' in ascending order; it copies
//! its cells from the first to the last, and gives the locks back.
//!
//! Left out, as in the specification: a page cache that differs from the disk, so that a direct operation is told from a buffered one
//! by its locks alone; mmap; sizes that change: a truncate is a hole that is punched to the end.

use std::marker::PhantomData;
use std::ops::Range;

use super::locks::{BitGuard, BitLocks, InodeGuard, InodeLock};
use super::machine::Step;
use super::policy::{Folios, Kind, Policy};
use super::probe::Probe;
use super::rules::{Rules, Specified};
use super::sys::{Cell as _, System};
use crate::errno::Errno;
use crate::range::lock::{RangeGuard, RangeLock};
use crate::range::policy::Policy as RangePolicy;
use crate::range::sys::StdSys;
use crate::range::tree::Mode;
use interlock_rwlock::probe::NoProbe;

/// Bytes of a cell: positions and lengths are multiples of it.
pub const CELL: usize = 8;

/// How large a file is, and its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Cells of the file.
    pub cells: usize,
    /// Cells of a folio: 512 are a page of 4 KiB.
    pub folio_cells: usize,
    /// Cells of a segment, which has a bit; until [`RangedFile::rescale`].
    pub segment_cells: usize,
}

/// A call, with its bytes.
#[derive(Debug)]
pub enum Io<'a> {
    /// A read through the page cache.
    Read(&'a mut [u8]),
    /// A write through the page cache.
    Write(&'a [u8]),
    /// A read past it.
    DirectRead(&'a mut [u8]),
    /// A write past it.
    DirectWrite(&'a [u8]),
    /// Zeroes in the place of so many bytes.
    PunchHole(usize),
}

impl Io<'_> {
    fn kind(&self) -> Kind {
        match self {
            Io::Read(_) => Kind::Read,
            Io::Write(_) => Kind::Write,
            Io::DirectRead(_) => Kind::DirectRead,
            Io::DirectWrite(_) => Kind::DirectWrite,
            Io::PunchHole(_) => Kind::Space,
        }
    }

    fn length(&self) -> usize {
        match self {
            Io::Read(bytes) | Io::DirectRead(bytes) => bytes.len(),
            Io::Write(bytes) | Io::DirectWrite(bytes) => bytes.len(),
            Io::PunchHole(length) => *length,
        }
    }
}

/// A file. See the [module](self) for what it is, and [`Policy`] for what it promises.
///
/// ```
/// use interlock::range::atomicity::file::{RangedFile, Shape};
/// use interlock::range::atomicity::policy::Policy;
///
/// # fn main() -> Result<(), interlock::errno::Errno> {
/// let shape = Shape { cells: 1024, folio_cells: 512, segment_cells: 512 };
/// let file = RangedFile::new(shape, Policy::RANGE_LOCK);
/// file.write(&[7; 4096], 2048)?;
/// file.punch_hole(4096, 1024)?;
/// let mut bytes = [0; 16];
/// file.read(&mut bytes, 4088)?;
/// assert_eq!(bytes, [7, 7, 7, 7, 7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0]);
/// # Ok(())
/// # }
/// ```
pub struct RangedFile<S: System = StdSys, R: Rules = Specified> {
    shape: Shape,
    policy: Policy,
    cells: Box<[S::Cell]>,
    /// How many cells a segment has now. Read and changed under the inode's lock.
    segment_cells: S::Cell,
    inode: InodeLock<S>,
    ranges: RangeLock<S>,
    segments: BitLocks<S>,
    folios: BitLocks<S>,
    rules: PhantomData<R>,
}

/// What an operation has taken at its begin. Given back in this order.
struct Held<'a, S: System> {
    _folios: Vec<BitGuard<'a, S>>,
    _segments: Vec<BitGuard<'a, S>>,
    _range: Option<RangeGuard<'a, S>>,
    _inode: Option<InodeGuard<'a, S>>,
}

impl RangedFile {
    /// A file of zeroes, in which each range waits for those that came before it.
    ///
    /// # Panics
    /// If a folio or a segment has no cells.
    pub fn new(shape: Shape, policy: Policy) -> Self {
        RangedFile::on(shape, policy)
    }

    /// Fills the bytes from those at `position` on.
    ///
    /// # Errors
    /// [`Errno::Invalid`] if position or length is no multiple of a [`CELL`], [`Errno::NoSpace`] if the file ends before the range
    /// does. Nothing is copied then.
    pub fn read(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        self.perform(Io::Read(bytes), position, &NoProbe)
    }

    /// Writes the bytes at `position`.
    ///
    /// # Errors
    /// As for [`RangedFile::read`].
    pub fn write(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        self.perform(Io::Write(bytes), position, &NoProbe)
    }

    /// The same as [`RangedFile::read`] with a direct read's locks.
    ///
    /// # Errors
    /// As for it.
    pub fn direct_read(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        self.perform(Io::DirectRead(bytes), position, &NoProbe)
    }

    /// The same as [`RangedFile::write`] with a direct write's locks.
    ///
    /// # Errors
    /// As for it.
    pub fn direct_write(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        self.perform(Io::DirectWrite(bytes), position, &NoProbe)
    }

    /// Writes zeroes.
    ///
    /// # Errors
    /// As for [`RangedFile::read`].
    pub fn punch_hole(&self, position: u64, length: usize) -> Result<(), Errno> {
        self.perform(Io::PunchHole(length), position, &NoProbe)
    }
}

impl<S: System, R: Rules> RangedFile<S, R> {
    /// A file of zeroes on this system, with these rules.
    ///
    /// # Panics
    /// If a folio or a segment has no cells.
    pub fn on(shape: Shape, policy: Policy) -> Self {
        assert!(
            shape.folio_cells > 0 && shape.segment_cells > 0,
            "a folio and a segment have cells: {shape:?}"
        );
        RangedFile {
            shape,
            policy,
            cells: (0..shape.cells).map(|_| S::Cell::new(0)).collect(),
            segment_cells: S::Cell::new(shape.segment_cells as u64),
            inode: InodeLock::new(),
            ranges: RangeLock::with(RangePolicy::TREE_FIFO),
            segments: BitLocks::new(),
            folios: BitLocks::new(),
            rules: PhantomData,
        }
    }

    /// Each byte as it is at some moment of the call. No lock is taken.
    pub fn snapshot(&self) -> Vec<u8> {
        let bytes = self.cells.iter().map(|cell| cell.load().to_ne_bytes());
        bytes.flatten().collect()
    }

    /// Does what the call says at `position`, and shows the probe each step.
    ///
    /// # Errors
    /// As for [`RangedFile::read`].
    pub fn perform(&self, io: Io<'_>, position: u64, probe: &impl Probe) -> Result<(), Errno> {
        let (kind, cells) = (io.kind(), self.cells(position, io.length())?);
        let part = |cell: usize| (cell - cells.start) * CELL..(cell + 1 - cells.start) * CELL;
        let store = |cell: usize, bytes: &[u8]| {
            let bytes = bytes[part(cell)].try_into().expect("a cell's bytes");
            self.cells[cell].store(u64::from_ne_bytes(bytes));
        };
        match io {
            Io::Read(bytes) | Io::DirectRead(bytes) => {
                self.operate(kind, cells.clone(), probe, |cell| {
                    bytes[part(cell)].copy_from_slice(&self.cells[cell].load().to_ne_bytes());
                })
            }
            Io::Write(bytes) | Io::DirectWrite(bytes) => {
                self.operate(kind, cells.clone(), probe, |cell| store(cell, bytes));
            }
            Io::PunchHole(_) => {
                self.operate(kind, cells.clone(), probe, |cell| self.cells[cell].store(0))
            }
        }
        Ok(())
    }

    /// Gives the segments another size, as a file does that has grown past what its bits can say. No operation that takes bits is
    /// under way meanwhile: the inode's lock is held exclusively.
    ///
    /// # Panics
    /// If a segment would have no cells; the segments are as before.
    pub fn rescale(&self, segment_cells: usize) {
        assert!(segment_cells > 0, "a segment has cells");
        let _inode = self.inode.lock(R::rescales());
        self.segment_cells.store(segment_cells as u64);
    }

    /// The cells of so many bytes at `position`.
    fn cells(&self, position: u64, length: usize) -> Result<Range<usize>, Errno> {
        let start = usize::try_from(position).map_err(|_| Errno::NoSpace)?;
        if !start.is_multiple_of(CELL) || !length.is_multiple_of(CELL) {
            return Err(Errno::Invalid);
        }
        match start.checked_add(length) {
            Some(end) if end <= self.shape.cells * CELL => Ok(start / CELL..end / CELL),
            _ => Err(Errno::NoSpace),
        }
    }

    fn operate(
        &self,
        kind: Kind,
        cells: Range<usize>,
        probe: &impl Probe,
        mut copy: impl FnMut(usize),
    ) {
        if cells.is_empty() {
            return;
        }
        let (end, folio_cells) = (cells.end, self.shape.folio_cells);
        let locks_each = self.policy.folio[kind as usize] == Folios::Each;
        probe.about(Step::Begin);
        let mut held = Some(self.begin(kind, R::locks(cells.clone())));
        probe.step(Step::Begin);
        let mut folio = None;
        for at in cells.clone() {
            if locks_each && (at == cells.start || at.is_multiple_of(folio_cells)) {
                probe.about(Step::LockFolio);
                folio = Some(self.folios.lock(at / folio_cells));
                probe.step(Step::LockFolio);
            }
            held = held.filter(|_| !R::ends_before(at, end));
            probe.about(Step::Copy);
            copy(at);
            probe.step(Step::Copy);
            folio = folio.filter(|_| !R::unlocks_folio(at + 1, end, folio_cells));
        }
        probe.about(Step::End);
        probe.step(Step::End);
        drop(held);
    }

    /// Takes all locks but those that are for a folio alone.
    fn begin(&self, kind: Kind, cells: Range<usize>) -> Held<'_, S> {
        let place = kind as usize;
        let inode = self.policy.inode[place].map(|hold| self.inode.lock(hold));
        let numbers = cells.start as u64..cells.end as u64;
        let range = self.policy.range[place].map(|mode| match mode {
            Mode::Read => self.ranges.read(numbers),
            Mode::Write => self.ranges.write(numbers),
        });
        let units = |unit| R::in_order(kind, cells.start / unit..cells.end.div_ceil(unit));
        let segments = match self.policy.segments[place] {
            true => units(self.segment_cells.load() as usize),
            false => Vec::new(),
        };
        let segments = segments.into_iter().map(|bit| self.segments.lock(bit));
        let segments = segments.collect();
        let folios = match self.policy.folio[place] {
            Folios::All => units(self.shape.folio_cells),
            Folios::Each | Folios::Unlocked => Vec::new(),
        };
        let folios = folios.into_iter().map(|bit| self.folios.lock(bit));
        Held {
            _folios: folios.collect(),
            _segments: segments,
            _range: range,
            _inode: inode,
        }
    }
}
