//! XFS's IOLOCK, the `i_rwsem` of an inode: traces of `Rwsem`, for each inode its own.
//!
//! `xfs_ilock` is traced before down_*, `xfs_iunlock` and `xfs_ilock_demote` after up_* and downgrade_write: so a task has taken the
//! lock between its `xfs_ilock` and the next thing that it is seen to do, and has released it between the last thing and its
//! `xfs_iunlock`. Where nobody has the lock or wants it, a trace ends and the next one begins.

mod before;
mod lock;
mod probed;
mod unseen;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail, ensure};

use super::event::Event;
use super::{MOST, Source};
use crate::recording::Trace;
use before::{Stranger, Strangers};
use lock::{Algorithm, Lock, Now};
use unseen::Unseen;

/// A trace of so many events is handed over as soon as nobody has the lock.
const ENOUGH: usize = 500;

/// Events of what a task does itself: others may be an interrupt's, which comes whatever the task is at.
const OWN: [&str; 9] = [
    "mark",
    "buffered_read",
    "buffered_write",
    "direct_write",
    "dio_begin",
    "iomap_alloc",
    "iomap_found",
    "iomap_iter",
    "zero_eof",
];

/// `dev` and `ino`.
type Inode = (String, u64);

/// Makes the traces.
#[derive(Debug)]
pub struct Projection {
    source: Source,
    locks: BTreeMap<Inode, Lock>,
    /// The locks that a task has or wants.
    tasks: BTreeMap<u32, Vec<Inode>>,
    /// Of what inode the lock at an address is, as far as somebody was seen to wait for it.
    addresses: BTreeMap<String, Inode>,
    /// At most so much is kept, as [`Lock::size`] counts it.
    kept: usize,
    /// Some inode's lock was seen.
    seen: bool,
    /// Who may have been at a lock when the file begins.
    strangers: Strangers,
    /// Whose writers are left out of the file.
    unseen: Unseen,
    /// The locks of which it is known who is at them.
    known: BTreeSet<Inode>,
    /// A trace was handed over.
    judged: bool,
    /// How many locks were not judged.
    unjudged: usize,
    /// Who is in a slow path, where that is what contention events tell: the lock's address, and whether it is to write.
    slow: BTreeMap<u32, (String, bool)>,
    /// They do.
    tells_slow_paths: bool,
    /// The lock's address where a probe tells it, which is not as in [`Projection::addresses`]: there it is hashed.
    words: BTreeMap<String, Inode>,
    /// What the locks' algorithm has.
    algorithm: Algorithm,
}

impl Projection {
    /// For one file.
    ///
    /// # Errors
    /// If the table of its kernel has no policy of the lock.
    pub fn make(source: Source) -> Result<Box<dyn super::Projection>> {
        source.judged.constant("rwsem")?;
        let tells_slow_paths = source.family.constant("contention")? == "slow-path";
        let algorithm = Algorithm {
            tentative: source.family.constant("failed_try")? == "counts",
            timed: source.judged.constant("wait_timeout")? != "none",
            probed: false,
        };
        Ok(Box::new(Projection {
            source,
            locks: BTreeMap::new(),
            tasks: BTreeMap::new(),
            addresses: BTreeMap::new(),
            kept: 0,
            seen: false,
            strangers: Strangers::default(),
            unseen: Unseen::default(),
            known: BTreeSet::new(),
            judged: false,
            unjudged: 0,
            slow: BTreeMap::new(),
            tells_slow_paths,
            words: BTreeMap::new(),
            algorithm,
        }))
    }

    /// What the task is seen to do, or what is done to it, shows that it is past what it was at.
    fn goes_on(&mut self, task: u32, now: Now) {
        if self.source.midway {
            self.strangers.goes_on(task, now.line);
        }
        for inode in self.tasks.get(&task).into_iter().flatten() {
            if let Some(lock) = self.locks.get_mut(inode) {
                lock.goes_on(task, now);
            }
        }
    }

    /// The lock of an inode.
    fn lock(&mut self, inode: &Inode) -> &mut Lock {
        let lock = self.locks.entry(inode.clone());
        lock.or_insert_with(|| {
            let midway = self.source.midway;
            let is_known = !midway || self.known.contains(inode);
            Lock::new(midway, is_known, self.unseen.is_of(inode), self.algorithm)
        })
    }

    /// A task waits for a lock whose writers are left out, or does so no longer: whether it is one of them, and was not seen before.
    fn unseen_contention(
        &mut self,
        task: u32,
        address: &str,
        begins: bool,
        now: Now,
    ) -> Result<bool> {
        let Some(inode) = self.unseen.of(address, task).cloned() else {
            return Ok(false);
        };
        let is_strange = self.lock(&inode).is_strange(task);
        if !begins && !is_strange {
            return Ok(false);
        }
        let woken = self.strangers.take(task, Some(address)).woken;
        let lock = self.lock(&inode);
        if begins {
            lock.has_come(task, now)?;
            lock.queues(task, true, address, now);
        } else {
            let stranger = Stranger {
                woken,
                ends: Some((now.line, address.to_owned())),
                since: now.line,
                ..Stranger::default()
            };
            lock.was_there(task, true, &stranger, now);
        }
        self.addresses.insert(address.to_owned(), inode.clone());
        let at = self.tasks.entry(task).or_default();
        at.retain(|other| *other != inode);
        at.push(inode);
        Ok(true)
    }

    /// `xfs_ilock` and its kin: the lock of the event's inode, and whether for writing. `None`: another lock of the inode.
    fn iolock(event: &Event<'_>) -> Result<Option<(Inode, bool)>> {
        let flags = event.text("flags")?;
        let has = |flag: &str| flags.split('|').any(|of| of == flag);
        let exclusive = has("IOLOCK_EXCL");
        if !exclusive && !has("IOLOCK_SHARED") {
            return Ok(None);
        }
        let inode = (event.text("dev")?.to_owned(), event.number("ino")?);
        Ok(Some((inode, exclusive)))
    }

    fn inode_event(&mut self, event: &Event<'_>, now: Now, out: &mut Vec<Trace>) -> Result<()> {
        let task = event.raw.pid;
        let Some((inode, exclusive)) = Projection::iolock(event)? else {
            self.goes_on(task, now);
            return Ok(());
        };
        self.seen = true;
        // Its other locks; this one decides by itself.
        let others = self.tasks.get(&task).into_iter().flatten();
        for other in others.filter(|other| **other != inode) {
            if let Some(lock) = self.locks.get_mut(other) {
                lock.goes_on(task, now);
            }
        }
        self.lock(&inode).has_left(task, now);
        let lock = self.locks.get_mut(&inode).context("a lock of a task")?;
        let goes = matches!(event.name, "iunlock" | "ilock_demote");
        if goes && self.source.midway && lock.is_strange(task) {
            let stranger = self.strangers.take(task, lock.address.as_deref());
            lock.was_there(task, exclusive, &stranger, now);
        }
        let done = match event.name {
            "ilock" => lock.arrives(task, exclusive, now),
            "ilock_nowait" => lock.tries(task, exclusive, now),
            "iunlock" => lock.releases(task, exclusive, now),
            _ => lock.downgrades(task, now),
        };
        done.with_context(|| {
            let (dev, ino) = &inode;
            format!("{}: the IOLOCK of dev {dev} ino {ino:#x}", event.place())
        })?;
        if self.source.midway {
            self.strangers.goes_on(task, now.line);
        }
        if lock.is_known() {
            self.known.insert(inode.clone());
        }
        let at = self.tasks.entry(task).or_default();
        at.retain(|other| *other != inode);
        if lock.is_at(task) {
            at.push(inode.clone());
        } else if at.is_empty() {
            self.tasks.remove(&task);
        }
        if lock.is_known() && lock.is_quiet() && !lock.has_unseen() {
            if let Some(address) = lock.address.take() {
                self.addresses.remove(&address);
            }
            if lock.events.len() >= ENOUGH || lock.events.is_empty() {
                self.hand_over(&inode, out);
            }
        }
        Ok(())
    }

    /// Somebody waits for a lock, or does so no longer.
    fn contention(&mut self, event: &Event<'_>, now: Now) -> Result<()> {
        let (task, address) = (event.raw.pid, event.text("lock")?);
        let begins = event.name == "contention_begin";
        let place = || event.place();
        if self
            .unseen_contention(task, address, begins, now)
            .with_context(place)?
        {
            return Ok(());
        }
        let at = self.tasks.get(&task).into_iter().flatten();
        if begins {
            let writes = match event.text("flags")? {
                "READ" => false,
                "WRITE" => true,
                // A kprobe's function, where its event can say no more.
                place if place.starts_with("rwsem_down_read_") => false,
                place if place.starts_with("rwsem_down_write_") => true,
                // A spinlock, also that inside of the rwsem; a mutex: they are held for a moment, or by another layer.
                _ => {
                    self.strangers.waits_inside(task, address);
                    return Ok(());
                }
            };
            if self.tells_slow_paths {
                self.slow.insert(task, (address.to_owned(), writes));
                self.is_slow(task, address, writes)?;
                return Ok(());
            }
            if self.queues(task, writes, address, now)? {
                return Ok(());
            }
        } else if self.slow.remove(&task).is_some() {
            // It has got the lock without a wait.
            self.goes_on(task, now);
            return Ok(());
        } else {
            for inode in at {
                let lock = self.locks.get_mut(inode).context("a lock of a task")?;
                if lock.address.as_deref() == Some(address) && lock.waits(task) {
                    let ret = event.text("ret")?;
                    ensure!(
                        ret == "0",
                        "{}: a task gives up its wait for the lock (ret={ret}), which Rwsem has not",
                        event.place()
                    );
                    lock.gets(task, now);
                    return Ok(());
                }
            }
        }
        if self.source.midway {
            let of = self.addresses.get(address);
            let is_known = of.is_some_and(|inode| self.known.contains(inode));
            match begins {
                true if !is_known => {
                    self.strangers.begins(task, address, now.line);
                    return Ok(());
                }
                false if !self.tasks.contains_key(&task) => {
                    self.strangers.ends(task, address, now.line);
                    return Ok(());
                }
                _ => {}
            }
        }
        if let Some((dev, ino)) = self.addresses.get(address) {
            bail!(
                "{}: a task waits for the IOLOCK of dev {dev} ino {ino:#x}, and no xfs_ilock of it is in the trace: \
                 record all xfs_ilock and contention events, of all tasks, and start before they do",
                event.place()
            );
        }
        // Of a spinlock only the beginning is told to be one: it may be an interrupt's.
        if begins {
            self.goes_on(task, now);
        }
        Ok(())
    }

    /// Whether it is the lock of an inode that the task has asked for.
    fn queues(&mut self, task: u32, writes: bool, address: &str, now: Now) -> Result<bool> {
        for inode in self.tasks.get(&task).into_iter().flatten() {
            let lock = self.locks.get_mut(inode).context("a lock of a task")?;
            if lock.queues(task, writes, address, now) {
                self.addresses.insert(address.to_owned(), inode.clone());
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Who sleeps in a slow path, or is woken there, has queued.
    fn sleeps(&mut self, task: u32, now: Now) -> Result<()> {
        if let Some((address, writes)) = self.slow.remove(&task) {
            self.queues(task, writes, &address, now)?;
        }
        Ok(())
    }

    /// A task wakes another one.
    fn waking(&mut self, event: &Event<'_>, now: Now) -> Result<()> {
        let waker = event.raw.pid;
        let woken = u32::try_from(event.number("pid")?);
        let woken = woken.with_context(|| format!("{}: no task has this `pid`", event.place()))?;
        self.sleeps(woken, now)?;
        let at = self.tasks.get(&woken).into_iter().flatten();
        if self.source.midway {
            self.strangers.is_woken(woken, now.line);
        }
        for inode in at {
            let lock = self.locks.get_mut(inode).context("a lock of a task")?;
            if lock.waits(woken) {
                let (dev, ino) = inode;
                let place = || format!("{}: the IOLOCK of dev {dev} ino {ino:#x}", event.place());
                let waited = self.strangers.has_waited(waker, lock.address.as_deref());
                lock.wakes(waker, woken, waited, now).with_context(place)?;
            } else {
                // It slept, which it does in down_* and up_* only where it is seen to wait.
                lock.goes_on(woken, now);
            }
        }
        Ok(())
    }

    fn kept(&self) -> usize {
        self.locks.values().map(Lock::size).sum()
    }

    fn hand_over(&mut self, inode: &Inode, out: &mut Vec<Trace>) {
        let Some(lock) = self.locks.remove(inode) else {
            return;
        };
        if !lock.is_known() {
            self.unjudged += 1;
        } else if !lock.events.is_empty() {
            self.judged = true;
            out.push(lock.into_trace(&self.source, inode));
        }
    }
}

impl super::Projection for Projection {
    fn survey(&mut self, event: &Event<'_>) -> Result<()> {
        self.unseen.survey(event)
    }

    fn comment(&mut self, text: &str) -> Result<()> {
        if let Some(probes) = text.strip_prefix("probes:") {
            self.algorithm.probed = ["slow_path", "slow_path_end", "osq_lock"]
                .iter()
                .all(|probe| probes.split_whitespace().any(|name| name == *probe));
        }
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>, out: &mut Vec<Trace>) -> Result<()> {
        let now = Now {
            line: event.line,
            time: event.raw.nanoseconds(),
        };
        self.is_seen(event.raw.pid, now);
        match event.name {
            "ilock" | "ilock_nowait" | "iunlock" | "ilock_demote" => {
                self.inode_event(event, now, out)?;
            }
            "contention_begin" | "contention_end" => self.contention(event, now)?,
            "waking" => self.waking(event, now)?,
            "slow_path" => self.slow_path(event, now)?,
            "slow_path_end" => self.goes_on(event.raw.pid, now),
            "spin" | "osq_lock" => self.spin(event, now)?,
            "spin_end" => self.spin_end(event, now)?,
            "mark_wake" => self.mark_wake(event, now)?,
            // A task that is switched off while it could run is not past anything.
            "switch" if !event.text("state")?.starts_with('R') => {
                self.sleeps(event.raw.pid, now)?;
                for inode in self.tasks.get(&event.raw.pid).into_iter().flatten() {
                    let lock = self.locks.get_mut(inode).context("a lock of a task")?;
                    lock.sleeps(event.raw.pid, now.line);
                }
                self.goes_on(event.raw.pid, now);
            }
            name if OWN.contains(&name) => self.goes_on(event.raw.pid, now),
            _ => {}
        }
        self.kept += 2;
        if self.kept > MOST {
            self.kept = self.kept();
            if self.kept > MOST / 2 {
                let quiet = self.locks.iter().filter(|(_, lock)| lock.is_quiet());
                let quiet: Vec<Inode> = quiet.map(|(inode, _)| inode.clone()).collect();
                for inode in &quiet {
                    self.hand_over(inode, out);
                }
                self.kept = self.kept();
            }
            ensure!(
                self.kept <= MOST / 2,
                "{}: more than {} events without a moment at which nobody has or wants the lock: record less",
                event.place(),
                MOST / 2
            );
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<Trace>) -> Result<()> {
        ensure!(
            self.seen,
            "no xfs_ilock of an IOLOCK is in it: this area is about XFS's i_rwsem; record the events xfs_ilock*, xfs_iunlock, \
             contention_* and sched_waking"
        );
        let inodes: Vec<Inode> = self.locks.keys().cloned().collect();
        for inode in &inodes {
            self.hand_over(inode, out);
        }
        ensure!(
            self.judged || self.unjudged == 0,
            "nobody is seen to take an IOLOCK for writing and to release it: it is never known who else is at it, and nothing is \
             judged; record longer, or say --at-rest if nobody was when it began"
        );
        Ok(())
    }

    fn unjudged(&self) -> Vec<String> {
        let locks = (self.unjudged > 0).then(|| {
            format!(
                "the IOLOCKs of {} inodes are not judged: nobody is seen to take them for writing and to release them, so it is never \
                 known who else is at them",
                self.unjudged
            )
        });
        locks.into_iter().collect()
    }
}
