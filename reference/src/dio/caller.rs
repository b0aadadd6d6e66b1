//! The steps of a request's caller: ext4_dio_write_iter, xfs_file_dio_write_unaligned, and what else takes i_rwsem.

use std::ops::Range;
use std::sync::Arc;

use super::decisions::Verdict;
use super::inode::{Flight, Inode, Meta};
use super::machine::{Action, Extent, Kind, Mode, Plan, Request};
use super::probe::{Probe, Seen, Side};
use super::rules::Rules;
use super::workers::Queue;
use crate::device::BlockDevice;
use crate::errno::Errno;
use crate::sys::{Monitor, System};
use interlock_rwlock::Kind as Holder;

/// A request whose caller is at it.
pub(super) struct Caller<'a, D, Q, S: System, P, R> {
    pub inode: &'a Arc<Inode<D, S, P, R>>,
    pub queue: &'a Q,
    pub flight: &'a Arc<Flight<S>>,
}

/// What a caller has: the bytes that were asked for, or `None` (-EIOCBQUEUED) while I/O is in flight.
pub(super) type Returned = Result<Option<usize>, Errno>;

/// Where a request goes from what it has done under the lock.
enum Next {
    /// It unlocks, to ask for the lock anew.
    Relock(Plan),
    /// It unlocks, and returns.
    Unlock(Returned),
    /// It unlocks, and has its pages written back.
    Flush,
    /// The flag has stopped it, and it is not tried again; its last step has unlocked.
    Refused,
}

/// The caller's share in the I/Os of a request. A panic before they are all submitted fails the request, so that i_dio_count
/// falls again.
struct Share<'a, D: BlockDevice, S: System, P: Probe, R: Rules> {
    inode: &'a Inode<D, S, P, R>,
    flight: &'a Flight<S>,
    held: bool,
}

impl<D: BlockDevice, S: System, P: Probe, R: Rules> Drop for Share<'_, D, S, P, R> {
    fn drop(&mut self) {
        if self.held {
            R::abandon(|| {
                self.flight.progress.with(|progress| progress.failed = true);
                self.inode.leave(self.flight);
            });
        }
    }
}

impl<D: BlockDevice, Q: Queue, S: System, P: Probe, R: Rules> Caller<'_, D, Q, S, P, R> {
    /// The request, after its `Call`, which has fixed the mode in which it asks for the lock first.
    pub fn run(&self, first: Mode) -> Returned {
        let mut plan = Plan {
            buffered: self.flight.call.kind == Kind::Buffered,
            ..Plan::of(first)
        };
        loop {
            let holder = match plan.mode {
                Mode::Shared => Holder::Reader,
                Mode::Exclusive => Holder::Writer,
            };
            self.about();
            let hold = if self.flight.call.nowait {
                let Some(hold) = self.inode.rwsem.try_hold(holder) else {
                    self.step(Action::LockFails, Seen::Nothing);
                    return Err(Errno::Again);
                };
                hold
            } else {
                self.inode.rwsem.hold(holder)
            };
            let mode = plan.mode;
            let next = match self.flight.call.kind {
                Kind::Punch | Kind::Truncate => self.frees(mode),
                Kind::Read | Kind::Write | Kind::Buffered => {
                    self.step(Action::Lock, Seen::Held(mode));
                    self.under_lock(plan)
                }
            };
            if let Next::Unlock(_) | Next::Flush = next {
                self.about();
                match next {
                    Next::Unlock(Err(Errno::Io)) => self.unlock_failed(mode),
                    _ => self.step(Action::Unlock, Seen::Nothing),
                }
            }
            drop(hold);
            match next {
                Next::Relock(anew) => plan = anew,
                Next::Unlock(returned) => return returned,
                Next::Flush => return self.flush(),
                Next::Refused => return Err(Errno::Again),
            }
        }
    }

    fn about(&self) {
        self.inode.probe.about(self.flight.request, Side::Caller);
    }

    fn step(&self, action: fn(Request) -> Action, seen: Seen) {
        self.inode.probe.step(action(self.flight.request), seen);
    }

    /// Takes a step on what the requests share.
    fn shared_step<T>(
        &self,
        action: fn(Request) -> Action,
        step: impl FnOnce(&mut Meta) -> T,
    ) -> T {
        self.about();
        self.inode.meta.with(|meta| {
            let result = step(meta);
            self.step(action, meta.seen());
            result
        })
    }

    fn under_lock(&self, mut plan: Plan) -> Next {
        let Flight { call, .. } = &**self.flight;
        let drains = match call.kind {
            _ if plan.buffered => self
                .inode
                .meta
                .with(|meta| self.inode.look(call, meta).buffered_drains()),
            Kind::Read | Kind::Buffered | Kind::Punch | Kind::Truncate => false,
            Kind::Write if !plan.saw.is_empty() => plan.drain,
            Kind::Write => match self.check(plan.mode) {
                Verdict::Refused => return Next::Unlock(Err(Errno::Again)),
                Verdict::Upgrades(anew) => return Next::Relock(anew),
                Verdict::Stays(stays) => {
                    plan = stays;
                    plan.drain
                }
            },
        };
        if drains {
            self.drain();
        }
        match call.kind {
            _ if plan.buffered => match self.fill() {
                Ok(()) => Next::Flush,
                Err(errno) => Next::Unlock(Err(errno)),
            },
            _ if call.cached => {
                self.about();
                self.step(Action::FallBack, Seen::Nothing);
                Next::Relock(Plan {
                    buffered: true,
                    ..Plan::of(self.inode.policy.fallback.mode())
                })
            }
            _ => self.direct(&plan),
        }
    }

    /// A truncate or a punch that has the lock. What it sees then decides whether it waits, and, in XFS, what it zeroes afterwards.
    fn frees(&self, mode: Mode) -> Next {
        let (drains, seen) = self.inode.meta.with(|meta| {
            self.step(Action::Lock, Seen::Held(mode));
            let look = self.inode.look(&self.flight.call, meta);
            (look.free_drains(), look.sees_behind())
        });
        if drains {
            self.drain();
        }
        Next::Unlock(self.free(seen))
    }

    /// Before i_rwsem is given up, a failed write frees the blocks behind EOF (ext4_truncate_failed_write).
    fn unlock_failed(&self, held: Mode) {
        let Flight { call, progress, .. } = &**self.flight;
        let failed = call.kind == Kind::Write && progress.with(|progress| progress.failed);
        self.inode.meta.with(|meta| {
            if self.inode.look(call, meta).trims(held, failed) {
                let behind = meta.size.div_ceil(self.inode.per_block);
                for extent in meta.extent.iter_mut().skip(behind as usize) {
                    *extent = Extent::Hole;
                }
            }
            self.step(Action::Unlock, Seen::Nothing);
        });
    }

    /// ext4_dio_write_checks.
    fn check(&self, held: Mode) -> Verdict {
        let Flight { call, .. } = &**self.flight;
        self.shared_step(Action::Check, |meta| {
            self.inode.look(call, meta).verdict(held)
        })
    }

    /// inode_dio_wait.
    fn drain(&self) {
        self.about();
        self.inode
            .meta
            .wait(|meta| (meta.dio == 0).then(|| self.step(Action::Drain, meta.seen())));
    }

    /// __iomap_dio_rw.
    fn direct(&self, plan: &Plan) -> Next {
        let Flight { call, .. } = &**self.flight;
        let blocks = self.inode.blocks(call);
        self.about();
        let begun = self.inode.meta.with(|meta| {
            let pages = self.inode.eof_pages(call, meta, 0..0)?;
            meta.cache.extend(pages);
            self.inode.write_back(meta, blocks.clone())?;
            meta.dio += 1;
            self.step(Action::Begin, meta.seen());
            Ok(())
        });
        if let Err(errno) = begun {
            return Next::Unlock(Err(errno));
        }
        let mut share = Share {
            inode: self.inode,
            flight: self.flight,
            held: true,
        };
        for block in blocks {
            if !self.map(plan, block) {
                let next = self.retry();
                share.held = false;
                return next;
            }
        }
        share.held = false;
        if call.is_async && !plan.wait {
            self.inode.leave(self.flight);
            return Next::Unlock(Ok(None));
        }
        self.wait_for_io();
        Next::Unlock(self.inode.conclude(self.flight).map(Some))
    }

    /// iomap_iter and iomap_dio_bio_iter for one block; false: the flag has stopped it. What the I/Os find on the device is
    /// settled when they are performed, not when they are submitted.
    fn map(&self, plan: &Plan, block: u32) -> bool {
        let Flight { call, progress, .. } = &**self.flight;
        let mapped = self.shared_step(Action::Map, |meta| {
            let look = self.inode.look(call, meta);
            if look.stops(plan.mode, block) {
                return None;
            }
            if call.kind == Kind::Read {
                return Some((false, look.map_read(block).into_iter().collect()));
            }
            let (extent, converts, bios) = look.map_write(plan, block);
            meta.extent[block as usize] = extent;
            Some((converts, bios))
        });
        let Some((converts, bios)) = mapped else {
            return false;
        };
        if converts || !bios.is_empty() {
            progress.with(|progress| {
                progress.left += bios.len() as u32;
                progress.convert.extend(converts.then_some(block));
            });
        }
        for bio in bios {
            self.queue.submit(self.inode.io(self.flight, bio));
        }
        true
    }

    fn wait_for_io(&self) {
        self.flight
            .progress
            .wait(|progress| (progress.left == 1).then_some(()));
    }

    /// Stopped by the flag: once what it had submitted has ended, xfs_iunlock and retry_exclusive.
    fn retry(&self) -> Next {
        let Flight { call, progress, .. } = &**self.flight;
        self.wait_for_io();
        progress.with(|progress| {
            progress.convert.clear();
            progress.failed = false;
        });
        self.about();
        let again = self.inode.leave_dio(|meta| {
            self.step(Action::Retry, meta.seen());
            self.inode.look(call, meta).retries()
        });
        match again {
            Some(mode) => Next::Relock(Plan::of(mode)),
            None => Next::Refused,
        }
    }

    /// ext4_buffered_write_iter: its data are in pages that are dirty, as that of EOF's block is where it zeroes the rest.
    fn fill(&self) -> Result<(), Errno> {
        let Flight { call, data, .. } = &**self.flight;
        let inode = self.inode;
        let per_block = inode.per_block;
        let blocks = inode.blocks(call);
        self.about();
        inode.meta.with(|meta| {
            let mut pages = inode.eof_pages(call, meta, 0..0)?;
            for block in blocks {
                let mut page = match pages.remove(&block) {
                    Some(page) => page,
                    None => inode.page(meta, block)?,
                };
                let first = (block * per_block).max(call.from);
                let behind = ((block + 1) * per_block).min(call.to + 1);
                let (at, from) = (first - block * per_block, first - call.from);
                let (at, from) = (inode.bytes(at), inode.bytes(from));
                let length = inode.bytes(behind - first);
                page[at..at + length].copy_from_slice(&data[from..from + length]);
                pages.insert(block, page);
            }
            meta.cache.extend(pages);
            meta.size = meta.size.max(call.to + 1);
            self.step(Action::Fill, meta.seen());
            Ok(())
        })
    }

    /// filemap_write_and_wait_range, after the unlock.
    fn flush(&self) -> Returned {
        let Flight { call, data, .. } = &**self.flight;
        let blocks = self.inode.blocks(call);
        self.about();
        self.inode.meta.with(|meta| {
            self.inode.write_back(meta, blocks)?;
            self.step(Action::Flush, meta.seen());
            Ok(Some(data.len()))
        })
    }

    /// ext4_setattr with ext4_truncate, ext4_punch_hole.
    fn free(&self, seen: Range<u32>) -> Returned {
        let Flight { call, .. } = &**self.flight;
        let inode = self.inode;
        self.about();
        inode.meta.with(|meta| {
            let pages = inode.eof_pages(call, meta, seen)?;
            meta.cache.extend(pages);
            if inode.look(call, meta).frees() {
                self.free_blocks(meta)?;
            }
            if call.kind == Kind::Truncate {
                meta.size = call.from;
            }
            self.step(Action::Free, meta.seen());
            Ok(Some(0))
        })
    }

    /// What is dirty is written back; then whole blocks become holes, the rest of a block in part is zeroed.
    fn free_blocks(&self, meta: &mut Meta) -> Result<(), Errno> {
        let Flight { call, .. } = &**self.flight;
        let inode = self.inode;
        let per_block = inode.per_block;
        inode.write_back(meta, 0..=u32::MAX)?;
        let end = call.to + 1;
        for block in call.from / per_block..end.div_ceil(per_block) {
            let first = (block * per_block).max(call.from);
            let behind = ((block + 1) * per_block).min(end);
            if behind - first == per_block {
                meta.extent[block as usize] = Extent::Hole;
            } else if meta.extent[block as usize] == Extent::Written {
                let zeroes = vec![0; inode.bytes(behind - first)];
                inode.device.write_at(&zeroes, inode.position(first))?;
            }
        }
        Ok(())
    }
}
