//! The writeback of many small files, in real threads: what `specs/writeback/WbPlug.tla` says, done to real bytes.
//!
//! An inode has one block, and inodes of neighbouring numbers are neighbours on the disk. Threads dirty inodes; one thread, the
//! flusher, writes them, by way of a plug that makes one write to the device of neighbours. Each of the machine's actions is one
//! atomic step under one monitor, which a [`Probe`] sees:
//!
//! ```text
//! flusher:  Begin  Lock  Pick  (Sleep  Resume)  Submit  GoOn or Want Resched Resume  ...  Finish  End
//! dirtier:  Throttle
//! device:   Complete (one a request)
//! ```
//!
//! wb->list_lock is held from Lock to Pick, and a thread that dirties an inode waits for it; the device's writes are outside of
//! the monitor. A pass takes all that is dirty, and begins when somebody waits for it: a sync, or a thread that is throttled.
//! Unlike in the machine, any number of threads may be throttled at a time; a probe sees the first of them.
//! A plug with gaps may hold more requests than the device takes at a time: a device that has nothing to do takes them all.
//!
//! Left out: the timer that writes what nobody waits for, inodes of more than one page, plugs that are full.

use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::flusher_pages::{Pages, Request};
use super::flusher_probe::{NoProbe, Probe};
use super::plug::{Action, Cpu};
use super::plug_policy::{Finish, Leave, Plug};
use super::rules::{Rules, Today};
use crate::device::BlockDevice;
use crate::errno::Errno;
use crate::sys::{Monitor, StdSys, System};

/// The sizes of a flusher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The bytes of an inode's block: whole sectors.
    pub block: usize,
    /// How many requests the device takes at a time: so many threads write.
    pub slots: usize,
    /// With more dirty pages than this, whoever dirties one is throttled.
    pub dirty: usize,
}

/// Writes inodes back. See the [module](self).
///
/// ```
/// use interlock::device::MemoryDevice;
/// use interlock::writeback::flusher::{Flusher, Sizes};
///
/// let sizes = Sizes { block: 512, slots: 1, dirty: 64 };
/// let flusher = Flusher::new(MemoryDevice::new(512, 16, 0), sizes)?;
/// for inode in 0..8 {
///     flusher.dirty(inode, &[7; 512])?;
/// }
/// flusher.sync()?;
/// assert_eq!(flusher.requests(), 1);
/// # Ok::<(), interlock::errno::Errno>(())
/// ```
pub struct Flusher<D: BlockDevice, S: System = StdSys, R: Rules = Today, P: Probe = NoProbe> {
    writeback: Arc<Writeback<D, S, R, P>>,
    threads: Vec<S::Thread>,
}

/// What the threads share.
struct Writeback<D, S: System, R, P> {
    device: D,
    sizes: Sizes,
    pages: S::Monitor<Pages>,
    probe: P,
    rules: PhantomData<fn() -> R>,
}

impl<D: BlockDevice> Flusher<D> {
    /// A flusher of today's, in threads of the standard library's.
    ///
    /// # Errors
    ///
    /// Those of [`Flusher::on`].
    pub fn new(device: D, sizes: Sizes) -> Result<Self, Errno> {
        Flusher::on(device, sizes, NoProbe)
    }
}

impl<D: BlockDevice, S: System, R: Rules, P: Probe> Flusher<D, S, R, P> {
    /// A flusher on any system, whose steps `probe` sees.
    ///
    /// # Errors
    ///
    /// `EINVAL`: a block is no whole number of sectors or has none, or the device takes no request.
    pub fn on(device: D, sizes: Sizes, probe: P) -> Result<Self, Errno> {
        let sector = device.sector_size();
        let whole = sizes.block > 0 && sizes.block.is_multiple_of(sector);
        if !whole || sizes.slots == 0 {
            return Err(Errno::Invalid);
        }
        let writeback = Arc::new(Writeback {
            device,
            sizes,
            pages: S::Monitor::new(Pages::default()),
            probe,
            rules: PhantomData,
        });
        let spawn = |body: fn(&Writeback<D, S, R, P>) -> Option<()>| {
            let writeback = writeback.clone();
            S::spawn(move || while body(&writeback).is_some() {})
        };
        let mut threads = vec![spawn(Writeback::pass)];
        threads.extend((0..sizes.slots).map(|_| spawn(Writeback::serve)));
        Ok(Flusher { writeback, threads })
    }

    /// Dirties an inode: its block is to hold `bytes`. Waits while there are too many dirty pages (balance_dirty_pages).
    ///
    /// # Errors
    ///
    /// `EINVAL`: those are not a block's. `ENOSPC`: the device ends before the inode's block does.
    pub fn dirty(&self, inode: usize, bytes: &[u8]) -> Result<(), Errno> {
        let Writeback { device, sizes, .. } = &*self.writeback;
        if bytes.len() != sizes.block {
            return Err(Errno::Invalid);
        }
        let blocks = device.sectors() / (sizes.block / device.sector_size()) as u64;
        if inode as u64 >= blocks {
            return Err(Errno::NoSpace);
        }
        self.writeback.dirty(inode, bytes);
        Ok(())
    }

    /// Returns when all that was dirty at the call is on the device.
    ///
    /// # Errors
    ///
    /// `EIO`: a request has failed, or its device panicked, and no sync was told so before. Its pages are clean, and lost.
    pub fn sync(&self) -> Result<(), Errno> {
        self.writeback.sync()
    }

    /// How many requests were issued.
    pub fn requests(&self) -> u64 {
        self.writeback.pages.with(|pages| pages.requests)
    }

    /// The probe.
    pub fn probe(&self) -> &P {
        &self.writeback.probe
    }

    /// The device.
    pub fn device(&self) -> &D {
        &self.writeback.device
    }
}

/// The pages, to look at when it does not go on.
impl<D: BlockDevice, S: System, R: Rules, P: Probe> fmt::Debug for Flusher<D, S, R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.writeback.pages.with(|pages| pages.fmt(f))
    }
}

/// Writes nothing more than what the device has begun, and waits for the threads.
impl<D: BlockDevice, S: System, R: Rules, P: Probe> Drop for Flusher<D, S, R, P> {
    fn drop(&mut self) {
        self.writeback.pages.with(|pages| pages.closed = true);
        self.writeback.pages.notify();
        self.threads.drain(..).for_each(S::join);
    }
}

/// What callers do, and the device.
impl<D: BlockDevice, S: System, R: Rules, P: Probe> Writeback<D, S, R, P> {
    fn dirty(&self, inode: usize, bytes: &[u8]) {
        let most = self.sizes.dirty;
        let throttled = self.pages.wait(|pages| {
            (!pages.locked).then(|| {
                pages.write(inode, bytes);
                let throttled = pages.count() > most;
                pages.waiting += usize::from(throttled);
                throttled
            })
        });
        if throttled {
            self.pages.notify();
            self.pages.wait(|pages| {
                if pages.count() <= most {
                    pages.waiting -= 1;
                    return Some(());
                }
                if pages.waits.is_none()
                    && let Some(submitted) = pages.submitted()
                {
                    pages.waits = Some(submitted);
                    let throttle = Action::Throttle(submitted);
                    self.probe.step(throttle, &pages.numbers());
                }
                None
            });
        }
    }

    fn sync(&self) -> Result<(), Errno> {
        let write = self.pages.with(|pages| {
            pages.waiting += 1;
            pages.writes
        });
        self.pages.notify();
        self.pages.wait(|pages| {
            R::is_written(&pages.unwritten(), write).then(|| {
                pages.waiting -= 1;
                let failed = std::mem::take(&mut pages.failed);
                if failed { Err(Errno::Io) } else { Ok(()) }
            })
        })
    }

    /// The device does a request; `None`: it is closed.
    fn serve(&self) -> Option<()> {
        let request = self.pages.wait(|pages| match pages.closed {
            true => Some(None),
            false => pages.queue.pop_front().map(Some),
        });
        let Request { run, bytes } = request?;
        let position = run.first as u64 * self.sizes.block as u64;
        let write = || self.device.write_at(&bytes, position);
        let written = catch_unwind(AssertUnwindSafe(write)).unwrap_or(Err(Errno::Io));
        self.probe.about_to(Action::Complete(run));
        self.pages.with(|pages| {
            pages.failed |= written.is_err();
            pages.complete(run);
            self.probe.step(Action::Complete(run), &pages.numbers());
        });
        R::completed(|| self.pages.notify());
        Some(())
    }
}

/// The flusher.
impl<D: BlockDevice, S: System, R: Rules, P: Probe> Writeback<D, S, R, P> {
    /// Takes this step as soon as it is enabled; `None`: the flusher is closed.
    fn take<T>(&self, action: Action, mut step: impl FnMut(&mut Pages) -> Option<T>) -> Option<T> {
        self.probe.about_to(action);
        let taken = self.pages.wait(|pages| {
            if pages.closed {
                return Some(None);
            }
            let result = step(pages)?;
            self.probe.step(action, &pages.numbers());
            Some(Some(result))
        });
        self.pages.notify();
        taken
    }

    /// One pass of wb_writeback.
    fn pass(&self) -> Option<()> {
        let policy = R::POLICY;
        self.take(Action::Begin, |pages| {
            let begins = pages.waiting > 0 && !pages.dirty.is_empty();
            begins.then(|| {
                pages.io = std::mem::take(&mut pages.dirty);
                let inodes: Vec<usize> = pages.io.keys().copied().collect();
                self.probe.begins(&inodes);
            })
        })?;
        while self.pick()? {
            self.write()?;
            self.resched()?;
        }
        if policy.plug != Plug::Inode && policy.finish != Finish::Never {
            self.finish()?;
        }
        self.take(Action::End, |pages| {
            let ends = pages.flying.is_empty() && pages.waits.is_none();
            ends.then(|| pages.plug.clear())
        })
    }

    /// The next inode, and the lock is dropped for its I/O; or there is none.
    fn pick(&self) -> Option<bool> {
        self.take(Action::Lock, |pages| {
            pages.locked = true;
            Some(())
        })?;
        self.take(Action::Pick, |pages| {
            pages.picked = pages.io.pop_first();
            let is_one = pages.picked.is_some();
            pages.locked = !is_one && R::POLICY.finish == Finish::Locked;
            Some(is_one)
        })
    }

    /// __writeback_single_inode.
    fn write(&self) -> Option<()> {
        if self.probe.sleeps() {
            self.take(Action::Sleep, |pages| {
                // The scheduler does not wait for the device.
                if R::POLICY.sleep == Leave::Flushes {
                    pages.issue();
                }
                Some(())
            })?;
            self.comes_back(Cpu::Asleep)?;
        }
        self.take(Action::Submit, |pages| {
            pages.plug.extend(pages.picked.take());
            Some(())
        })?;
        match R::POLICY.plug {
            Plug::Inode => self.finish(),
            Plug::Loop | Plug::Outside => Some(()),
        }
    }

    /// cond_resched, behind an inode.
    fn resched(&self) -> Option<()> {
        if !self.probe.wants() {
            return self.take(Action::GoOn, |_| Some(()));
        }
        self.take(Action::Want, |_| Some(()))?;
        if R::POLICY.resched == Leave::Flushes {
            self.hands_over(Action::Resched, Pages::issue)?;
        } else {
            self.take(Action::Resched, |_| Some(()))?;
        }
        self.comes_back(Cpu::Preempted)
    }

    /// The flusher is off its processor, and gets it back.
    fn comes_back(&self, cpu: Cpu) -> Option<()> {
        self.probe.away(cpu);
        self.take(Action::Resume, |_| Some(()))
    }

    /// blk_finish_plug.
    fn finish(&self) -> Option<()> {
        self.hands_over(Action::Finish, |pages| {
            pages.issue();
            pages.locked = false;
        })
    }

    /// Takes this step when the device takes what is in the plug; sleeps while it is full.
    fn hands_over(&self, action: Action, step: fn(&mut Pages)) -> Option<()> {
        let slots = self.sizes.slots;
        let tries = |pages: &mut Pages| {
            let has_room = pages.has_room(slots);
            if has_room {
                step(pages);
            }
            Some(has_room)
        };
        while !self.take(action, tries)? {
            self.take(Action::Resume, |pages| pages.has_room(slots).then_some(()))?;
        }
        Some(())
    }
}
