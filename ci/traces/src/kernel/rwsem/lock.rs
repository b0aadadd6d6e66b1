//! One lock: what each task is at, and the events of the specification so far.

mod before;
mod made;
mod probed;
mod timer;
mod unseen;

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail, ensure};

use super::before::Stranger;
use crate::recording::{Event, SEE};
use probed::Way;
pub(super) use probed::Word;

/// Where in the file, and when, if the trace's clock tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    pub(super) line: usize,
    pub(super) time: Option<u64>,
}

/// A task, in the role of a reader or a writer: the specification has a task of its own for each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Who {
    task: u32,
    writes: bool,
}

/// A task at the lock.
#[derive(Debug, Clone, Copy)]
struct At {
    who: Who,
    stage: Stage,
    /// The first line at which it has woken a waiter since it was last seen to do anything else.
    wakes: Option<usize>,
}

/// What a task is at.
#[derive(Debug, Clone, Copy)]
enum Stage {
    /// In down_*, since the line `from`, and not seen to wait.
    Arrives { from: usize, way: Way },
    /// In its slow path.
    Waits {
        begin: Now,
        /// The place of its `Queue` among the events.
        queue: usize,
        /// The last line at which it was woken.
        woken: Option<usize>,
        /// Whether it was switched off since it was last woken; none: in this wait it was not seen to be, ever.
        slept: Option<bool>,
        /// The last line at which it was.
        off: usize,
    },
    /// It has the lock, and was last seen at the line `since`.
    Holds { since: usize, downgraded: bool },
    /// It has only tried to take the lock, at the line `from`, and has got it if it is seen to release it: before the line `next`, at
    /// which it was first seen after that.
    Tries {
        from: usize,
        next: Option<usize>,
        since: usize,
    },
}

/// The lock of one inode.
#[derive(Debug, Default)]
pub(super) struct Lock {
    /// What contention_* calls it, if somebody was seen to wait since it was last quiet.
    pub(super) address: Option<String>,
    pub(super) events: Vec<Event>,
    at: BTreeMap<u32, At>,
    /// A number for each task.
    numbers: BTreeMap<u32, usize>,
    /// The line at which a task last ceased to wait.
    ended: BTreeMap<u32, usize>,
    /// The last line at which one has given it up.
    gone: usize,
    /// Some may be at it who were when the trace began.
    midway: bool,
    /// The line by which it is known who is at it; none: not yet.
    known: Option<usize>,
    /// The last line at which one goes who was at it when the trace began.
    strange: usize,
    /// Who waited when the trace began, and the line by which each had waited.
    waited: Vec<(usize, Who)>,
    /// The first line at which a task has woken a waiter that was at the lock when the trace began, and was not seen to go yet.
    woke: BTreeMap<u32, usize>,
    /// Writers that do not wait are not in the trace.
    unseen: bool,
    /// The line at which a writer has last queued, if they are not in the trace.
    queued: usize,
    /// Of each writer the line at which it was last seen without the lock, if they are not in the trace.
    left: BTreeMap<u32, usize>,
    /// What its algorithm has.
    algorithm: Algorithm,
    /// Who was last seen to look at the lock's word, and the place of that among the events, if it was not seen since.
    looks: Option<(u32, usize)>,
    /// The last line at which the hand-off was seen not to be demanded.
    clear: usize,
    /// The last line at which a reader has queued whose failed try was in the count as a writer tried.
    share: usize,
}

/// What the algorithms of the releases have, or have not, and what of it is in the trace.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Algorithm {
    /// A failed try is in the count for a while, and keeps a writer from a lock that nobody has.
    pub(super) tentative: bool,
    /// The first waiter's time runs out.
    pub(super) timed: bool,
    /// Who is in a slow path is in the trace, and who spins there.
    pub(super) probed: bool,
}

impl Lock {
    /// Whether some may be at it who were when the trace began, whether it is known who is: nobody; whether writers are left out.
    pub(super) fn new(midway: bool, is_known: bool, unseen: bool, algorithm: Algorithm) -> Lock {
        Lock {
            midway,
            known: is_known.then_some(0),
            unseen,
            algorithm,
            ..Lock::default()
        }
    }

    /// Whether it is known who is at it. Where a writer is inside, nobody else is.
    pub(super) fn is_known(&self) -> bool {
        self.known.is_some()
    }

    /// Nobody has it or wants it.
    pub(super) fn is_quiet(&self) -> bool {
        self.at.is_empty()
    }

    /// How much of the memory it takes: events, and tasks.
    pub(super) fn size(&self) -> usize {
        self.events.len() + self.numbers.len() + 1
    }

    pub(super) fn is_at(&self, task: u32) -> bool {
        self.at.contains_key(&task)
    }

    pub(super) fn waits(&self, task: u32) -> bool {
        let at = self.at.get(&task);
        at.is_some_and(|at| matches!(at.stage, Stage::Waits { .. }))
    }

    /// `xfs_ilock`.
    pub(super) fn arrives(&mut self, task: u32, writes: bool, now: Now) -> Result<()> {
        let way = match self.algorithm.probed {
            true => Way::Fast,
            false => Way::Unknown,
        };
        let from = now.line;
        self.comes(task, writes, Stage::Arrives { from, way })
    }

    /// `xfs_ilock_nowait`, which is traced whatever comes of it.
    pub(super) fn tries(&mut self, task: u32, writes: bool, now: Now) -> Result<()> {
        let stage = Stage::Tries {
            from: now.line,
            next: None,
            since: now.line,
        };
        self.comes(task, writes, stage)
    }

    fn comes(&mut self, task: u32, writes: bool, stage: Stage) -> Result<()> {
        let before = self.at.get(&task);
        ensure!(
            before.is_none_or(|at| matches!(at.stage, Stage::Tries { .. })),
            "task {task} takes it, and has it or waits for it already: an event is missing"
        );
        let number = self.numbers.len() + 1;
        self.numbers.entry(task).or_insert(number);
        let at = At {
            who: Who { task, writes },
            stage,
            wakes: None,
        };
        self.at.insert(task, at);
        Ok(())
    }

    /// The task is seen to do anything else: if it was in down_*, it is through.
    pub(super) fn goes_on(&mut self, task: u32, now: Now) {
        let Some(at) = self.at.get_mut(&task) else {
            return;
        };
        if self.unseen && at.who.writes {
            // It may have given up the lock before, and have taken it again.
            return;
        }
        let wakes = at.wakes.take();
        match &mut at.stage {
            Stage::Arrives { from, way } => {
                let (from, way, who) = (*from, *way, at.who);
                at.stage = Stage::Holds {
                    since: now.line,
                    downgraded: false,
                };
                self.enters(who, way, from, wakes.unwrap_or(now.line));
            }
            Stage::Holds { since, .. } => *since = now.line,
            Stage::Tries { next, since, .. } => {
                next.get_or_insert(now.line);
                *since = now.line;
            }
            Stage::Waits { .. } => {}
        }
    }

    /// The task is switched off, and not because another one runs in its place.
    pub(super) fn sleeps(&mut self, task: u32, line: usize) {
        if let Some(At {
            stage: Stage::Waits { slept, off, .. },
            ..
        }) = self.at.get_mut(&task)
        {
            (*slept, *off) = (Some(true), line);
        }
    }

    /// `contention_begin`: whether it is this lock's. A task waits for the lock that it is just about to take, in its role, and only
    /// if somebody else is at it.
    pub(super) fn queues(&mut self, task: u32, writes: bool, address: &str, now: Now) -> bool {
        let known = self.address.as_deref();
        let Some(&at) = self.at.get(&task) else {
            return false;
        };
        let Stage::Arrives { from, way } = at.stage else {
            return false;
        };
        let other = known.is_some_and(|known| known != address);
        if other || at.who.writes != writes || self.is_alone(from) {
            return false;
        }
        self.address = Some(address.to_owned());
        let (who, to) = (at.who, at.wakes.unwrap_or(now.line));
        let kept_out = !writes && self.has_queued(from);
        if kept_out {
            self.push_try(who, "Enter", from, to);
        }
        let stage = Stage::Waits {
            begin: now,
            queue: self.events.len(),
            woken: None,
            slept: None,
            off: 0,
        };
        let wakes = None;
        self.at.insert(task, At { who, stage, wakes });
        // A writer tries once more after this event, in the same hold of wait_lock. If that succeeds it was never queued, for the
        // specification: it is a Steal. Who is woken has not succeeded.
        let names: &[&str] = if writes { &["Queue", SEE] } else { &["Queue"] };
        self.push(who, names, from, to);
        if kept_out {
            self.push_try(who, "Release", from, to);
        }
        if !writes && matches!(way, Way::Slow { .. } | Way::Queues) && self.has_tried(from) {
            self.share = now.line;
        }
        true
    }

    /// `sched_waking` of a waiter. Only who takes or gives up the lock wakes one: also a stranger, who had it when the trace began or
    /// has `waited` for it since.
    pub(super) fn wakes(&mut self, waker: u32, woken: u32, waited: bool, now: Now) -> Result<()> {
        let since = match self.at.get(&waker).map(|at| at.stage) {
            Some(Stage::Arrives { from, .. }) => from,
            Some(Stage::Holds { since, .. } | Stage::Tries { since, .. }) => since,
            None if (waited || !self.is_known()) && self.is_strange(waker) => {
                self.woke.entry(waker).or_insert(now.line);
                0
            }
            None if self.unseen => self.left.get(&waker).copied().unwrap_or_default(),
            Some(Stage::Waits { .. }) | None => bail!(
                "task {woken}, which waits for it, is woken by task {waker}, which neither has nor takes it: \
                 somebody takes it without an xfs_ilock in the trace"
            ),
        };
        if let Some(by) = self.at.get_mut(&waker) {
            by.wakes.get_or_insert(now.line);
        }
        // The waker may mean an earlier wait: a reader that sees that the lock is its own does not wait to be woken.
        let ended = self.ended.get(&woken);
        if ended.is_none_or(|&ended| ended < since) {
            self.is_woken(woken, now.line);
        }
        if let Some(who) = self.has_left(waker, now) {
            // It has looked through the queue before it wakes anybody.
            self.see(who, "idle", now.line);
        }
        Ok(())
    }

    fn is_woken(&mut self, task: u32, line: usize) {
        let Some(At { who, stage, .. }) = self.at.get_mut(&task) else {
            return;
        };
        let (
            who,
            Stage::Waits {
                queue,
                woken,
                slept,
                ..
            },
        ) = (*who, stage)
        else {
            return;
        };
        let (queue, before) = (*queue, woken.replace(line));
        let awake = *slept == Some(false);
        *slept = slept.map(|_| false);
        self.events[queue].others.clear();
        match (who.writes, before) {
            // A reader is woken when the lock is its own.
            (false, None) => self.see(who, "hold", line),
            (false, Some(_)) => {}
            (true, before) => {
                // A writer that is woken once more has slept since, after a try without success; or else it is about to try, and who
                // queues meanwhile has found the lock free and wakes the first.
                if let Some(before) = before
                    && !awake
                {
                    // Where a failed try has kept it from a free lock, whoever made that try queues, and wakes it: for the
                    // specification it has not slept.
                    let slept: &[&str] = if self.algorithm.tentative || self.had_share(before) {
                        &["Sleep", SEE]
                    } else {
                        &["Sleep"]
                    };
                    self.push(who, slept, before, line);
                }
                self.see(who, "try", line);
            }
        }
    }

    /// `contention_end`.
    pub(super) fn gets(&mut self, task: u32, now: Now) {
        let Some(at) = self.at.get_mut(&task) else {
            return;
        };
        let Stage::Waits { begin, woken, .. } = at.stage else {
            return;
        };
        let (who, line) = (at.who, now.line);
        at.wakes = None;
        at.stage = Stage::Holds {
            since: line,
            downgraded: false,
        };
        self.ended.insert(task, line);
        match (who.writes, woken) {
            (true, Some(woken)) => self.push(who, &["Take"], woken, line),
            (true, None) => self.push(who, &["Take", "Steal"], begin.line, line),
            (false, None) => self.see(who, "hold", line),
            (false, Some(_)) => {}
        }
    }

    /// `xfs_iunlock`. The wake-up that belongs to it is over too.
    pub(super) fn releases(&mut self, task: u32, writes: bool, now: Now) -> Result<()> {
        let (at, from) = self.leaves(task, writes, now)?;
        self.push(at.who, &["Release"], from, at.wakes.unwrap_or(now.line));
        self.learns(writes, now.line);
        self.see(at.who, "idle", now.line);
        if let Some(time) = now.time {
            self.expire(time, now.line);
        }
        Ok(())
    }

    /// A writer goes: it was alone inside.
    fn learns(&mut self, writes: bool, line: usize) {
        if writes {
            self.known.get_or_insert(line);
        }
    }

    /// `xfs_ilock_demote`.
    pub(super) fn downgrades(&mut self, task: u32, now: Now) -> Result<()> {
        let (at, from) = self.leaves(task, true, now)?;
        self.push(at.who, &["Downgrade"], from, at.wakes.unwrap_or(now.line));
        self.learns(true, now.line);
        self.see(at.who, "shared", now.line);
        let stage = Stage::Holds {
            since: now.line,
            downgraded: true,
        };
        let at = At {
            stage,
            wakes: None,
            ..at
        };
        self.at.insert(task, at);
        Ok(())
    }

    /// Nobody else is at it, or was since this line. Who was at it when the trace began may not have been seen yet.
    pub(super) fn is_alone(&self, since: usize) -> bool {
        self.at.len() == 1 && !self.midway && self.gone < since
    }

    /// The task, no longer at the lock, and since when it may have given up what it had: for writing, or for reading.
    fn leaves(&mut self, task: u32, writes: bool, now: Now) -> Result<(At, usize)> {
        let at = self.at.remove(&task).with_context(|| {
            format!(
                "task {task} releases it, and was not seen to take it: start to record before anybody uses the file, \
                 and record all xfs_ilock events"
            )
        })?;
        self.gone = now.line;
        let (who, has) = (at.who, |downgraded: bool| at.who.writes && !downgraded);
        let (from, has) = match at.stage {
            // Nothing was seen in between: it has got the lock and has released it in this time.
            Stage::Arrives { from, way } => {
                self.enters(who, way, from, at.wakes.unwrap_or(now.line));
                let at = At { wakes: None, ..at };
                ensure!(who.writes == writes, "{}", mismatch(task));
                return Ok((at, from));
            }
            Stage::Tries { from, next, since } => {
                self.push(who, &["Enter"], from, next.unwrap_or(now.line));
                (since, has(false))
            }
            Stage::Holds { since, downgraded } => (since, has(downgraded)),
            Stage::Waits { .. } => {
                bail!("task {task} releases it, and still waits for it: an event is missing")
            }
        };
        ensure!(has == writes, "{}", mismatch(task));
        Ok((at, from))
    }

    fn see(&mut self, who: Who, doing: &str, line: usize) {
        let seen = (self.name(who), format!("\"{doing}\""));
        let thread = self.thread(who);
        self.add(&thread, who, &[SEE], (line, line), Some(seen));
    }

    fn push(&mut self, who: Who, names: &[&str], from: usize, to: usize) {
        let thread = self.thread(who);
        self.add(&thread, who, names, (from, to), None);
    }

    fn add(
        &mut self,
        thread: &str,
        who: Who,
        names: &[&str],
        (from, to): (usize, usize),
        seen: Option<(String, String)>,
    ) {
        let mut names = names.iter().map(|name| (*name).to_owned());
        self.events.push(Event {
            thread: thread.to_owned(),
            from: from as u64,
            to: to as u64,
            action: names.next().unwrap_or_default(),
            others: names.collect(),
            args: vec![self.name(who)],
            sees: seen.into_iter().collect(),
        });
    }

    fn thread(&self, who: Who) -> String {
        format!("t{}", self.number(who))
    }

    fn name(&self, who: Who) -> String {
        let kind = if who.writes { 'w' } else { 'r' };
        format!("{kind}{}", self.number(who))
    }

    fn number(&self, who: Who) -> usize {
        self.numbers.get(&who.task).copied().unwrap_or_default()
    }
}

fn mismatch(task: u32) -> String {
    format!(
        "task {task} releases it for reading and has it for writing, or the other way round: an event is missing"
    )
}
