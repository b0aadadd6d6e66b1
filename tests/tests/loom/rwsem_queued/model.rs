//! A program on the lock, and what is checked of each schedule of it.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use interlock_rwlock::queued::Mode;
use interlock_rwlock::queued::lock::RawQueuedRwLock;
use interlock_rwlock::queued::rules::Rules;
use interlock_rwlock::queued::state::Inside;
use loom::cell::UnsafeCell;
use loom::thread;

use super::sys::{LoomSys, Sleeper};
use crate::explored::{Figures, explore, look};

/// What a thread does.
#[derive(Debug, Clone, Copy)]
pub enum Op {
    /// Takes the lock, and gives it back.
    Take(Mode),
    /// The same, and gives up if it must wait.
    Timed(Mode),
    /// Takes it upgradable, reads, and goes on to write.
    Upgrade,
    /// The same, and gives the upgrade up if it must wait.
    TimedUpgrade,
    /// Writes, and goes on upgradable, and then for reading.
    Downgrade,
    /// A future that takes the lock.
    Future(Mode),
    /// A future that is dropped unless it has the lock when it is polled once, or the second time.
    Dropped(Mode),
}

/// What has come of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sight {
    /// It got the lock for this.
    Got(Mode),
    /// It gave up.
    GaveUp,
    /// It was polled in vain, and then had the lock.
    GotLate(Mode),
}

struct Shared<const FAULT: u8, R: Rules> {
    lock: RawQueuedRwLock<LoomSys<FAULT, R>>,
    value: UnsafeCell<u32>,
    /// loom does not see it.
    log: Mutex<Vec<(usize, Sight)>>,
}

// SAFETY: the value is touched with the lock held alone, and loom checks that.
unsafe impl<const FAULT: u8, R: Rules> Sync for Shared<FAULT, R> {}
// SAFETY: as above.
unsafe impl<const FAULT: u8, R: Rules> Send for Shared<FAULT, R> {}

/// Wakes a thread of loom's.
struct Unpark(Sleeper);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl<const FAULT: u8, R: Rules> Shared<FAULT, R> {
    fn log(&self, thread: usize, sight: Sight) {
        let mut log = self.log.lock().expect("nobody panics with it");
        log.push((thread, sight));
    }

    /// The lock is held for this.
    fn touch(&self, mode: Mode) {
        match mode {
            // SAFETY: held for writing; loom checks it.
            Mode::Write => self.value.with_mut(|value| unsafe { *value += 1 }),
            // SAFETY: held for reading; loom checks it.
            _ => drop(self.value.with(|value| unsafe { *value })),
        }
    }

    fn leave(&self, mode: Mode) {
        self.touch(mode);
        // SAFETY: it is held for this.
        unsafe { self.lock.release(mode) };
    }

    fn run(&self, thread: usize, op: Op) {
        match op {
            Op::Take(mode) => {
                assert!(self.lock.acquire(mode, None));
                self.log(thread, Sight::Got(mode));
                self.leave(mode);
            }
            Op::Timed(mode) => {
                if self.lock.acquire(mode, Some(())) {
                    self.log(thread, Sight::Got(mode));
                    self.leave(mode);
                } else {
                    self.log(thread, Sight::GaveUp);
                }
            }
            Op::Upgrade | Op::TimedUpgrade => {
                let deadline = matches!(op, Op::TimedUpgrade).then_some(());
                assert!(self.lock.acquire(Mode::Upgradable, None));
                self.touch(Mode::Upgradable);
                // SAFETY: it is held upgradable.
                let mode = match unsafe { self.lock.upgrade(deadline) } {
                    true => Mode::Write,
                    false => Mode::Upgradable,
                };
                self.log(thread, Sight::Got(mode));
                self.leave(mode);
            }
            Op::Downgrade => {
                assert!(self.lock.acquire(Mode::Write, None));
                self.log(thread, Sight::Got(Mode::Write));
                self.touch(Mode::Write);
                // SAFETY: it is held for writing.
                unsafe { self.lock.downgrade(Mode::Write, Mode::Upgradable) };
                self.touch(Mode::Upgradable);
                // SAFETY: it is held upgradable.
                unsafe { self.lock.downgrade(Mode::Upgradable, Mode::Read) };
                self.leave(Mode::Read);
            }
            Op::Future(mode) => {
                self.polls(thread, mode, usize::MAX);
            }
            Op::Dropped(mode) => {
                if !self.polls(thread, mode, 2) {
                    self.log(thread, Sight::GaveUp);
                }
            }
        }
    }

    /// Polls a future that takes the lock so often, and as it is woken if there is no end to that; drops it, and `false`: in vain.
    fn polls(&self, thread: usize, mode: Mode, most: usize) -> bool {
        let waker = Waker::from(Arc::new(Unpark(Sleeper::current())));
        let mut acquire = pin!(self.lock.acquire_async(mode));
        for times in 0..most {
            let polled = acquire.as_mut().poll(&mut Context::from_waker(&waker));
            if let Poll::Ready(()) = polled {
                let sight = if times == 0 {
                    Sight::Got
                } else {
                    Sight::GotLate
                };
                self.log(thread, sight(mode));
                self.leave(mode);
                return true;
            }
            if most == usize::MAX {
                Sleeper::park();
            }
        }
        false
    }
}

/// Runs every schedule, with at most so many preemptions, of threads that run a program each; beside a reader that leaves when they
/// have ended, if there is one. Each of the sights must be one's in some path.
pub fn run<const FAULT: u8, R: Rules>(
    name: &str,
    beside: Option<Mode>,
    programs: &[&[Op]],
    sights: &[(usize, Sight)],
    preemptions: Option<usize>,
) -> Figures
where
    LoomSys<FAULT, R>: Send + Sync,
{
    let programs: Vec<Vec<Op>> = programs.iter().map(|program| program.to_vec()).collect();
    let run = move || {
        let shared = Arc::new(Shared::<FAULT, R> {
            lock: RawQueuedRwLock::default(),
            value: UnsafeCell::new(0),
            log: Mutex::new(Vec::new()),
        });
        if let Some(mode) = beside {
            assert!(shared.lock.acquire(mode, None));
        }
        let own = usize::from(beside.is_none());
        let others = programs.iter().cloned().enumerate().skip(own);
        let others: Vec<_> = others
            .map(|(thread, program)| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || program.into_iter().for_each(|op| shared.run(thread, op)))
            })
            .collect();
        for op in programs.iter().take(own).flatten() {
            shared.run(0, *op);
        }
        for other in others {
            other.join().expect("no thread panics");
        }
        if let Some(mode) = beside {
            shared.leave(mode);
        }
        assert_eq!(shared.lock.inside(), Inside::default(), "who is inside");
        assert_eq!(shared.lock.waiting(), 0, "who waits");
        let log = std::mem::take(&mut *shared.log.lock().expect("nobody panics with it"));
        (log, ())
    };
    let sought = sights.to_vec();
    let judge = move |log: Vec<(usize, Sight)>, (): &(), shown: &mut Vec<(usize, Sight)>| {
        look(&sought, |sight| log.contains(sight), shown);
    };
    let (figures, shown) = explore(name, preemptions, run, judge);
    crate::explored::assert_shown(name, sights, &shown);
    figures
}
