//! A file for direct I/O, in real threads: what `specs/dio/UnalignedDio.tla` says, done to real bytes.
//!
//! A file lies on a device of sectors, block after block in their order, and keeps a state for each block: a hole and an
//! unwritten block read as zero, whatever the device holds there. A request covers whole sectors, but may cover a block in part.
//! What that takes, and under which lock, its [`Policy`] decides, by the same functions as the [machine](super::machine)'s.
//! Each of the machine's actions is one atomic step here, which a [`Probe`] sees:
//!
//! ```text
//! caller:  Call  Lock  Check  Drain  Begin  Map (one a block)  ...  Unlock
//! queue:                                    Complete or Fail (one an I/O, in any order)
//! ending:                                                            EndIo  DioEnd
//! ```
//!
//! i_rwsem is a [`RawBarrierRwLock`]. The block states, i_size and i_dio_count are guarded by one monitor, for one step at a time
//! (i_data_sem). I/Os go to a [`Queue`], which has them performed in any order; a synchronous caller ends its own I/O, an
//! asynchronous one leaves that to whoever performs the last one.
//!
//! An I/O that fails, or whose device panics, is its own request's `EIO`: no block is converted, i_size does not grow, and the
//! sectors that the request was to write or to zero hold what they held or what it wrote. A caller that panics, with I/O in
//! flight or not, leaves a file that works.
//!
//! Left out: crashes, so that there is no journal; mmap, and a page cache but for what is dirty; blocks of other files.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::caller::{Caller, Returned};
use super::inode::{Flight, Inode, Meta, Progress};
use super::machine::{Action, Call, Extent, Kind};
use super::policy::Policy;
use super::probe::{NoProbe, Probe, Side};
use super::rules::{Rules, Specified};
use super::workers::Queue;
use crate::device::BlockDevice;
use crate::errno::Errno;
use crate::sys::{Monitor, StdSys, System};
use interlock_rwlock::Kind as Holder;
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::word::Word;

/// A file for direct I/O. See the [module](self).
///
/// ```
/// use interlock::device::MemoryDevice;
/// use interlock::dio::file::{DirectFile, Layout};
/// use interlock::dio::policy::Policy;
/// use interlock::dio::workers::Workers;
///
/// let device = MemoryDevice::new(512, 64, 0xAA);
/// let layout = Layout::holes(8, 8);
/// let file = DirectFile::new(device, Workers::new(2), Policy::FINAL65_EOF, layout)?;
/// let writes = [512, 1024].map(|position| file.submit_at(&[7; 512], position));
/// for write in writes {
///     assert_eq!(write.wait(), Ok(512));
/// }
/// let mut bytes = [1; 1536];
/// assert_eq!(file.read_at(&mut bytes, 0), Ok(1536));
/// assert!(bytes[..512] == [0; 512] && bytes[512..] == [7; 1024]);
/// # Ok::<(), interlock::errno::Errno>(())
/// ```
pub struct DirectFile<D, Q, S: System = StdSys, P = NoProbe, R = Specified> {
    inode: Arc<Inode<D, S, P, R>>,
    queue: Q,
}

/// The file and its lock, to look at when it does not go on.
impl<D: BlockDevice, Q: Queue, S: System, P: Probe, R: Rules> fmt::Debug
    for DirectFile<D, Q, S, P, R>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectFile")
            .field("file", &self.snapshot())
            .field("rwsem", &self.inode.rwsem.snapshot())
            .finish_non_exhaustive()
    }
}

/// What a file is when it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Sectors in a block.
    pub per_block: u32,
    /// Each block's state; their number limits the file's size.
    pub extents: Vec<Extent>,
    /// The file's size in sectors. Behind it, the device must hold zeroes in a block that is written.
    pub length: u32,
}

impl Layout {
    /// An empty file with room for so many blocks.
    pub fn holes(blocks: usize, per_block: u32) -> Self {
        Layout {
            per_block,
            extents: vec![Extent::Hole; blocks],
            length: 0,
        }
    }
}

/// How a call is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// IOCB_NOWAIT: `EAGAIN` rather than a wait for a lock or for the I/O of others.
    pub nowait: bool,
    /// The pages of the range cannot be dropped from the page cache (-ENOTBLK): a write falls back to buffered I/O.
    pub cached: bool,
}

/// A file as it is at some moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Each block's state.
    pub extents: Vec<Extent>,
    /// i_size, in sectors.
    pub size: u32,
    /// i_dio_count: requests with I/O in flight.
    pub dio: u32,
}

/// An asynchronous request, in flight or done. Dropping it changes nothing for the request.
pub struct Completion<S: System = StdSys> {
    made: Result<Option<Arc<Flight<S>>>, Errno>,
}

impl<S: System> Completion<S> {
    /// Waits until the request is done, and returns how many bytes it has written or read; of a read those before EOF.
    ///
    /// # Errors
    ///
    /// Those of the call; `EIO`: one of its I/Os has failed.
    pub fn wait(self) -> Result<usize, Errno> {
        match self.made? {
            Some(flight) => flight.progress.wait(|progress| progress.result),
            None => Ok(0),
        }
    }

    /// The same of a read, and returns its bytes.
    ///
    /// # Errors
    ///
    /// Those of [`Completion::wait`].
    pub fn wait_bytes(self) -> Result<Vec<u8>, Errno> {
        let Some(flight) = self.made? else {
            return Ok(Vec::new());
        };
        flight.progress.wait(|progress| {
            let result = progress.result?;
            Some(result.map(|length| {
                let mut bytes = std::mem::take(&mut progress.buffer);
                bytes.truncate(length);
                bytes
            }))
        })
    }
}

impl<D: BlockDevice, Q: Queue> DirectFile<D, Q> {
    /// A file on `device`, whose I/Os go to `queue`.
    ///
    /// # Errors
    ///
    /// `EINVAL`: blocks without sectors, sectors without bytes, a size behind the last block, or more than 2^32 - 1 sectors.
    pub fn new(device: D, queue: Q, policy: Policy, layout: Layout) -> Result<Self, Errno> {
        DirectFile::on(device, queue, policy, layout, NoProbe)
    }
}

impl<D: BlockDevice, Q: Queue, S: System, P: Probe, R: Rules> DirectFile<D, Q, S, P, R> {
    /// A file on any system, whose steps `probe` sees.
    ///
    /// # Errors
    ///
    /// Those of [`DirectFile::new`].
    pub fn on(
        device: D,
        queue: Q,
        policy: Policy,
        layout: Layout,
        probe: P,
    ) -> Result<Self, Errno> {
        let Layout {
            per_block,
            extents,
            length,
        } = layout;
        let sectors = extents.len() as u64 * u64::from(per_block);
        let sectors = u32::try_from(sectors).map_err(|_| Errno::Invalid)?;
        if length > sectors || per_block == 0 || device.sector_size() == 0 {
            return Err(Errno::Invalid);
        }
        let meta = Meta {
            extent: extents,
            size: length,
            dio: 0,
            cache: BTreeMap::new(),
            called: 0,
        };
        let inode = Inode {
            device,
            policy,
            per_block,
            sectors,
            rwsem: RawBarrierRwLock::with(Word::FREE, interlock_rwlock::probe::NoProbe),
            meta: S::Monitor::new(meta),
            probe,
            rules: PhantomData,
        };
        Ok(DirectFile {
            inode: Arc::new(inode),
            queue,
        })
    }

    /// Writes all of `bytes` at `position`, in bytes, and waits for it. Returns how many bytes those are.
    ///
    /// # Errors
    ///
    /// `EINVAL`: position or length is no multiple of the sector. `EFBIG`: the range ends behind the last block. `ENOSPC`: it
    /// ends behind the device. After these nothing has changed. `EIO`: the device has failed. `EAGAIN`: the flag has stopped
    /// the write, and the policy tries no second time.
    pub fn write_at(&self, bytes: &[u8], position: u64) -> Result<usize, Errno> {
        self.write_with(bytes, position, Options::default())
    }

    /// [`DirectFile::write_at`] with options.
    ///
    /// # Errors
    ///
    /// Those of [`DirectFile::write_at`]; `EAGAIN`: it would have to wait, and is not to.
    pub fn write_with(
        &self,
        bytes: &[u8],
        position: u64,
        options: Options,
    ) -> Result<usize, Errno> {
        let call = self.call(Kind::Write, position, bytes.len(), options)?;
        let Some(call) = call else { return Ok(0) };
        self.make(call, bytes.to_vec())
            .0
            .map(Option::unwrap_or_default)
    }

    /// Writes all of `bytes` at `position`, in bytes, through the page cache, and has its pages written back (fsync). If it begins
    /// behind EOF, the rest of the block that the file ended in may be zeroed, in a page that is written back by the next one to
    /// touch the block.
    ///
    /// # Errors
    ///
    /// Those of [`DirectFile::write_at`] but `EAGAIN`.
    pub fn write_buffered_at(&self, bytes: &[u8], position: u64) -> Result<usize, Errno> {
        let options = Options::default();
        let call = self.call(Kind::Buffered, position, bytes.len(), options)?;
        let Some(call) = call else { return Ok(0) };
        let (returned, _) = self.make(call, bytes.to_vec());
        returned.map(Option::unwrap_or_default)
    }

    /// Writes all of `bytes` at `position`, in bytes, without waiting for the I/O; it waits for the lock, and for I/O where the
    /// policy has it do so.
    pub fn submit_at(&self, bytes: &[u8], position: u64) -> Completion<S> {
        self.submit_with(bytes, position, Options::default())
    }

    /// [`DirectFile::submit_at`] with options.
    pub fn submit_with(&self, bytes: &[u8], position: u64, options: Options) -> Completion<S> {
        let call = self.call(Kind::Write, position, bytes.len(), options);
        self.start(call, bytes.to_vec())
    }

    /// Reads into `bytes` from `position`, in bytes, on. Returns how many of the bytes lie before EOF.
    ///
    /// # Errors
    ///
    /// `EINVAL`, `EFBIG`, `ENOSPC`, `EIO` as of [`DirectFile::write_at`]; after an error `bytes` are what they were.
    pub fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<usize, Errno> {
        self.read_with(bytes, position, Options::default())
    }

    /// [`DirectFile::read_at`] with options; [`Options::cached`] is none for a read.
    ///
    /// # Errors
    ///
    /// Those of [`DirectFile::read_at`]; `EAGAIN`: it would have to wait, and is not to.
    pub fn read_with(
        &self,
        bytes: &mut [u8],
        position: u64,
        options: Options,
    ) -> Result<usize, Errno> {
        let call = self.call(Kind::Read, position, bytes.len(), options)?;
        let Some(call) = call else { return Ok(0) };
        let (returned, flight) = self.make(call, Vec::new());
        let length = returned?.unwrap_or_default();
        flight
            .progress
            .with(|progress| bytes[..length].copy_from_slice(&progress.buffer[..length]));
        Ok(length)
    }

    /// Reads `length` bytes from `position` on, without waiting for the I/O.
    pub fn submit_read_at(&self, length: usize, position: u64) -> Completion<S> {
        let call = self.call(Kind::Read, position, length, Options::default());
        self.start(call, Vec::new())
    }

    /// Makes the range a hole: it reads as zero. Position and length are in bytes; the size stays.
    ///
    /// # Errors
    ///
    /// Those of [`DirectFile::write_at`] but `EAGAIN`. After `EIO` each sector of the range is what it was, or zero.
    pub fn punch_hole(&self, position: u64, length: usize) -> Result<(), Errno> {
        let call = self.call(Kind::Punch, position, length, Options::default())?;
        let Some(call) = call else { return Ok(()) };
        self.make(call, Vec::new()).0.map(drop)
    }

    /// Sets the size, in bytes; what lies behind it is freed. If that is not shorter, the rest of the block that the file ended
    /// in may be zeroed, in a page that is written back by the next one to touch the block.
    ///
    /// # Errors
    ///
    /// `EINVAL`: no multiple of the sector. `EFBIG`: not before the end of the last block. `ENOSPC`, `EIO` as of
    /// [`DirectFile::write_at`].
    pub fn truncate(&self, size: u64) -> Result<(), Errno> {
        let sector_size = self.inode.device.sector_size();
        let call = self.call(Kind::Truncate, size, sector_size, Options::default())?;
        let Some(call) = call else { return Ok(()) };
        self.make(call, Vec::new()).0.map(drop)
    }

    /// Allocates the holes in the range as unwritten blocks. Position and length are in bytes; the size stays. No request of
    /// the machine: no probe sees it.
    ///
    /// # Errors
    ///
    /// `EINVAL`, `EFBIG`, `ENOSPC` as of [`DirectFile::write_at`].
    pub fn fallocate(&self, position: u64, length: usize) -> Result<(), Errno> {
        let call = self.call(Kind::Punch, position, length, Options::default())?;
        let Some(Call { from, to, .. }) = call else {
            return Ok(());
        };
        let _hold = self.inode.rwsem.hold(Holder::Writer);
        let blocks = from / self.inode.per_block..=to / self.inode.per_block;
        self.inode.meta.with(|meta| {
            for block in blocks {
                let extent = &mut meta.extent[block as usize];
                if *extent == Extent::Hole {
                    *extent = Extent::Unwritten;
                }
            }
        });
        Ok(())
    }

    /// The file as it is at some moment between the call and the return.
    pub fn snapshot(&self) -> Snapshot {
        let meta = self.inode.meta.with(|meta| meta.clone());
        Snapshot {
            extents: meta.extent,
            size: meta.size,
            dio: meta.dio,
        }
    }

    /// The device.
    pub fn device(&self) -> &D {
        &self.inode.device
    }

    /// The probe.
    pub fn probe(&self) -> &P {
        &self.inode.probe
    }

    /// The call, if its arguments are good; `None` if it covers nothing.
    fn call(
        &self,
        kind: Kind,
        position: u64,
        length: usize,
        options: Options,
    ) -> Result<Option<Call>, Errno> {
        let sector = self.inode.device.sector_size() as u64;
        let length = length as u64;
        if !position.is_multiple_of(sector) || !length.is_multiple_of(sector) {
            return Err(Errno::Invalid);
        }
        let (from, sectors) = (position / sector, length / sector);
        let end = from.checked_add(sectors).ok_or(Errno::FileTooBig)?;
        let (limit, per_block) = (u64::from(self.inode.sectors), self.inode.per_block);
        if end > limit {
            return Err(Errno::FileTooBig);
        }
        // Pads are written up to the end of the block.
        if end.next_multiple_of(u64::from(per_block)) > self.inode.device.sectors() {
            return Err(Errno::NoSpace);
        }
        if sectors == 0 {
            return Ok(None);
        }
        // A truncate reaches to the end of what there could be.
        let end = if kind == Kind::Truncate { limit } else { end };
        Ok(Some(Call {
            kind,
            from: from as u32,
            to: end as u32 - 1,
            is_async: false,
            nowait: options.nowait,
            cached: options.cached && kind == Kind::Write,
            fails: true,
        }))
    }

    /// An asynchronous call.
    fn start(&self, call: Result<Option<Call>, Errno>, data: Vec<u8>) -> Completion<S> {
        let Some(call) = call.transpose() else {
            return Completion { made: Ok(None) };
        };
        let made = call.map(|call| {
            let is_async = true;
            let (returned, flight) = self.make(Call { is_async, ..call }, data);
            // Otherwise whoever ends its I/O tells.
            if let Some(result) = returned.transpose() {
                flight
                    .progress
                    .with(|progress| progress.result = Some(result));
            }
            Some(flight)
        });
        Completion { made }
    }

    /// The system call.
    fn make(&self, call: Call, data: Vec<u8>) -> (Returned, Arc<Flight<S>>) {
        let inode = &self.inode;
        let request = inode.meta.with(|meta| {
            let request = meta.called;
            meta.called += 1;
            inode.probe.called(request, &call);
            request
        });
        inode.probe.about(request, Side::Caller);
        let first = inode.meta.with(|meta| {
            let mode = inode.look(&call, meta).first();
            inode.probe.step(Action::Call(request), meta.seen());
            mode
        });
        let flight = self.flight(request, call, data);
        let caller = Caller {
            inode,
            queue: &self.queue,
            flight: &flight,
        };
        (caller.run(first), flight)
    }

    fn flight(&self, request: usize, call: Call, data: Vec<u8>) -> Arc<Flight<S>> {
        let length = match call.kind {
            Kind::Read => self.inode.bytes(call.to + 1 - call.from),
            _ => 0,
        };
        let progress = Progress {
            left: 1,
            failed: false,
            convert: Vec::new(),
            buffer: vec![0; length],
            result: None,
        };
        Arc::new(Flight {
            request,
            call,
            data,
            progress: S::Monitor::new(progress),
        })
    }
}
