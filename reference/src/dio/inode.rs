//! What the requests of a file share, and the steps of their I/O: `Complete`, `Fail`, `EndIo` and `DioEnd`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::decisions::{Look, covers};
use super::machine::{Action, Bio, Call, Extent, Kind, Part, Request};
use super::policy::Policy;
use super::probe::{Probe, Seen, Side};
use super::rules::Rules;
use super::workers::{Fate, Io};
use crate::device::BlockDevice;
use crate::errno::Errno;
use crate::sys::{Monitor, System};
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::probe::NoProbe;

/// The file.
pub(super) struct Inode<D, S: System, P, R> {
    pub device: D,
    pub policy: Policy,
    pub per_block: u32,
    /// Sectors of all blocks.
    pub sectors: u32,
    /// i_rwsem.
    pub rwsem: RawBarrierRwLock<S, NoProbe>,
    /// i_data_sem: held for one step on what it guards, and for I/O only where that is one step with it (`Begin`, `Fill`,
    /// `Flush`, `Free`).
    pub meta: S::Monitor<Meta>,
    pub probe: P,
    pub rules: PhantomData<fn() -> R>,
}

/// The part of the file that its requests change.
#[derive(Clone)]
pub(super) struct Meta {
    /// Each block's state.
    pub extent: Vec<Extent>,
    /// i_size, in sectors.
    pub size: u32,
    /// i_dio_count.
    pub dio: u32,
    /// The dirty pages of the page cache, by their blocks.
    pub cache: BTreeMap<u32, Vec<u8>>,
    /// How many requests have been made.
    pub called: usize,
}

impl Meta {
    pub fn seen(&self) -> Seen<'_> {
        Seen::File {
            extent: &self.extent,
            size: self.size,
            dio: self.dio,
        }
    }
}

/// A request, for its caller and its I/Os.
pub(super) struct Flight<S: System> {
    pub request: Request,
    pub call: Call,
    /// What a write writes.
    pub data: Vec<u8>,
    pub progress: S::Monitor<Progress>,
}

/// How far a request's I/O is.
pub(super) struct Progress {
    /// Its I/Os in flight, and one for the caller that submits them.
    pub left: u32,
    /// One of them has failed.
    pub failed: bool,
    /// Blocks to be made written when all are done.
    pub convert: Vec<u32>,
    /// What a read has read; zeroes are there from the start.
    pub buffer: Vec<u8>,
    /// What the caller of an asynchronous request gets: bytes, or an error.
    pub result: Option<Result<usize, Errno>>,
}

impl<D: BlockDevice, S: System, P: Probe, R: Rules> Inode<D, S, P, R> {
    pub fn look<'a>(&'a self, call: &'a Call, meta: &'a Meta) -> Look<'a> {
        Look {
            policy: &self.policy,
            call,
            extent: &meta.extent,
            size: meta.size,
            per_block: self.per_block,
        }
    }

    /// Where a sector begins, in bytes.
    pub fn position(&self, sector: u32) -> u64 {
        u64::from(sector) * self.device.sector_size() as u64
    }

    /// How many bytes so many sectors have.
    pub fn bytes(&self, sectors: u32) -> usize {
        sectors as usize * self.device.sector_size()
    }

    /// The blocks that a call covers, in whole or in part.
    pub fn blocks(&self, call: &Call) -> RangeInclusive<u32> {
        call.from / self.per_block..=call.to / self.per_block
    }

    /// filemap_write_and_wait_range: the dirty pages of these blocks go to the device.
    pub fn write_back(&self, meta: &mut Meta, blocks: RangeInclusive<u32>) -> Result<(), Errno> {
        let dirty: Vec<u32> = meta.cache.range(blocks).map(|(block, _)| *block).collect();
        for block in dirty {
            let position = self.position(block * self.per_block);
            self.device.write_at(&meta.cache[&block], position)?;
            meta.cache.remove(&block);
            meta.extent[block as usize] = Extent::Written;
        }
        Ok(())
    }

    /// The page of a block, dirty or read.
    pub fn page(&self, meta: &Meta, block: u32) -> Result<Vec<u8>, Errno> {
        if let Some(page) = meta.cache.get(&block) {
            return Ok(page.clone());
        }
        let mut page = vec![0; self.bytes(self.per_block)];
        if meta.extent[block as usize] == Extent::Written {
            let position = self.position(block * self.per_block);
            self.device.read_at(&mut page, position)?;
        }
        Ok(page)
    }

    /// `EofPage` and `SeenPages`, by block: the rest of the block that EOF lies in is zeroed, if the call does that, and the sectors
    /// that it has `seen` behind EOF are.
    pub fn eof_pages(
        &self,
        call: &Call,
        meta: &Meta,
        seen: Range<u32>,
    ) -> Result<BTreeMap<u32, Vec<u8>>, Errno> {
        let mut pages = BTreeMap::new();
        let rest = match self.look(call, meta).zeroes_eof() {
            true => meta.size..(meta.size / self.per_block + 1) * self.per_block,
            false => 0..0,
        };
        for sector in rest.chain(seen) {
            let block = sector / self.per_block;
            let is_written = meta.extent[block as usize] == Extent::Written;
            if !is_written && !meta.cache.contains_key(&block) {
                continue;
            }
            let page = match pages.entry(block) {
                Entry::Occupied(page) => page.into_mut(),
                Entry::Vacant(place) => place.insert(self.page(meta, block)?),
            };
            let at = self.bytes(sector % self.per_block);
            page[at..at + self.bytes(1)].fill(0);
        }
        Ok(pages)
    }

    /// iomap_dio_bio_iter, iomap_dio_zero: one I/O, to be performed by whom the queue gives it to. The file and the request
    /// live as long as it does.
    pub fn io(self: &Arc<Self>, flight: &Arc<Flight<S>>, bio: Bio) -> Io {
        let (inode, owner) = (self.clone(), flight.clone());
        Io::new(flight.request, bio, move |fate| {
            inode.complete(&owner, bio, fate);
        })
    }

    /// iomap_dio_bio_end_io, iomap_dio_done: whoever ends the last I/O of a request whose caller waits no more goes on.
    fn complete(&self, flight: &Flight<S>, bio: Bio, fate: Fate) {
        self.probe.performs(flight.request, bio);
        let transfer = || self.transfer(flight, bio);
        let done = match fate {
            Fate::Performed => catch_unwind(AssertUnwindSafe(transfer)).unwrap_or(Err(Errno::Io)),
            Fate::Failed => Err(Errno::Io),
        };
        // Right behind the device, and before anybody can act upon it.
        let action = match done {
            Ok(_) => Action::Complete,
            Err(_) => Action::Fail,
        };
        let action = action(flight.request, bio.part, bio.block);
        self.probe.step(action, Seen::Nothing);
        let left = flight.progress.with(|progress| {
            match done {
                Ok((at, read)) => progress.buffer[at..at + read.len()].copy_from_slice(&read),
                Err(_) => progress.failed = true,
            }
            progress.left -= 1;
            progress.left
        });
        match left {
            0 => self.end(flight),
            1 => flight.progress.notify(),
            _ => {}
        }
    }

    /// The device's part; of a read, what it has read and where that belongs.
    fn transfer(&self, flight: &Flight<S>, bio: Bio) -> Result<(usize, Vec<u8>), Errno> {
        let sectors = covers(&flight.call, self.per_block, bio);
        let from = sectors.start;
        let position = self.position(from);
        let length = self.bytes(sectors.end - from);
        match bio.part {
            Part::Head | Part::Tail => self.device.write_at(&vec![0; length], position)?,
            Part::Data => {
                let at = self.bytes(from - flight.call.from);
                let data = &flight.data[at..at + length];
                self.device.write_at(data, position)?;
            }
            Part::Read => {
                let mut read = vec![0; length];
                self.device.read_at(&mut read, position)?;
                return Ok((self.bytes(from - flight.call.from), read));
            }
        }
        Ok((0, Vec::new()))
    }

    /// The caller's share in the I/Os is over, and it does not wait for them.
    pub fn leave(&self, flight: &Flight<S>) {
        let left = flight.progress.with(|progress| {
            progress.left -= 1;
            progress.left
        });
        if left == 0 {
            self.end(flight);
        }
    }

    /// iomap_dio_complete and ki_complete of an asynchronous request.
    fn end(&self, flight: &Flight<S>) {
        let result = self.conclude(flight);
        flight
            .progress
            .with(|progress| progress.result = Some(result));
        flight.progress.notify();
    }

    /// iomap_dio_complete.
    pub fn conclude(&self, flight: &Flight<S>) -> Result<usize, Errno> {
        R::conclude(|| self.end_io(flight), || self.dio_end(flight.request))
    }

    /// Unwritten blocks become written, i_size grows; nothing of that after an error.
    fn end_io(&self, flight: &Flight<S>) -> Result<usize, Errno> {
        let (failed, convert) = flight
            .progress
            .with(|progress| (progress.failed, std::mem::take(&mut progress.convert)));
        let Flight { request, call, .. } = flight;
        self.probe.about(*request, Side::Io);
        self.meta.with(|meta| {
            let end = call.to + 1;
            if R::converts(failed) {
                for block in convert {
                    meta.extent[block as usize] = Extent::Written;
                }
                if call.kind == Kind::Write {
                    meta.size = meta.size.max(end);
                }
            }
            self.probe.step(Action::EndIo(*request), meta.seen());
            // Of a read, what lies beyond EOF does not count.
            let end = if call.kind == Kind::Read {
                end.min(meta.size)
            } else {
                end
            };
            match failed {
                true => Err(Errno::Io),
                false => Ok(self.bytes(end.saturating_sub(call.from))),
            }
        })
    }

    fn dio_end(&self, request: Request) {
        self.probe.about(request, Side::Io);
        self.leave_dio(|meta| self.probe.step(Action::DioEnd(request), meta.seen()));
    }

    /// inode_dio_end, with what tells of it.
    pub fn leave_dio<T>(&self, step: impl FnOnce(&mut Meta) -> T) -> T {
        let (result, idle) = self.meta.with(|meta| {
            meta.dio -= 1;
            (step(meta), meta.dio == 0)
        });
        if idle {
            self.meta.notify();
        }
        result
    }
}
