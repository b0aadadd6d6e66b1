//! What kprobes show of a lock: who is in a slow path, who spins there, and the lock's word before the queue is woken.

use super::{At, Lock, Now, SEE, Stage, Who};

/// The word's flags: a writer is inside; only the first waiter may take the lock.
const WRITER_LOCKED: u64 = 1 << 0;
const FLAG_HANDOFF: u64 = 1 << 2;

/// The wake-up of who has the lock for reading already: a reader's that has stolen it, or a downgrade's.
const READ_OWNED: u64 = 2;

/// How a task that is in down_* goes about it, as far as that is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// It is not in the trace.
    Unknown,
    /// At its first try, until it is seen to be in the slow path.
    Fast,
    /// Through the slow path, and whether it has spun there.
    Slow { spun: bool },
    /// The same, after a spin that came to nothing: it queues; or it is a reader, and others have the lock for reading meanwhile.
    Queues,
}

/// The lock's word, as rwsem_mark_wake finds it.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Word {
    /// What for: RWSEM_WAKE_ANY, RWSEM_WAKE_READERS or RWSEM_WAKE_READ_OWNED.
    pub(in super::super) wakes: u64,
    /// The count.
    pub(in super::super) count: u64,
}

impl Lock {
    /// The task enters the slow path of a rwsem: whether it is this one, as in [`Lock::queues`].
    pub(in super::super) fn slows(&mut self, task: u32, writes: bool) -> bool {
        let Some(At {
            who,
            stage: Stage::Arrives { from, .. },
            wakes,
        }) = self.at.get(&task).copied()
        else {
            return false;
        };
        if who.writes != writes || self.is_alone(from) {
            return false;
        }
        let way = Way::Slow { spun: false };
        let stage = Stage::Arrives { from, way };
        self.at.insert(task, At { who, stage, wakes });
        true
    }

    /// The task spins: on this lock if it is just about to take it. The address is told where the slow path is not.
    pub(in super::super) fn spins(&mut self, task: u32, address: Option<&str>, now: Now) {
        let known = self.address.as_deref();
        if address.is_some() && known.is_some() && known != address {
            return;
        }
        let Some(at) = self.at.get_mut(&task) else {
            return;
        };
        let who = at.who;
        let Stage::Arrives { from, way } = &mut at.stage else {
            return;
        };
        match way {
            Way::Unknown => {}
            Way::Slow { spun } if !*spun || address.is_some() => *spun = true,
            // A mutex's.
            _ => return,
        }
        let since = std::mem::replace(from, now.line);
        self.push(who, &["Spin"], since, now.line);
    }

    /// The task, which has spun, does so no longer: it has stolen this lock, or goes on in its slow path.
    pub(in super::super) fn has_spun(&mut self, task: u32, won: bool, now: Now) {
        let Some(at) = self.at.get_mut(&task) else {
            return;
        };
        let who = at.who;
        let Stage::Arrives { from, way } = &mut at.stage else {
            return;
        };
        if *way != (Way::Slow { spun: true }) {
            return;
        }
        if won {
            let from = *from;
            at.stage = Stage::Holds {
                since: now.line,
                downgraded: false,
            };
            self.push(who, &["Steal"], from, now.line);
        } else {
            *way = Way::Queues;
        }
    }

    /// Without a wait. Who does so at its first try finds nobody in the queue; who spins steals; who does neither has come into the
    /// slow path, and has the lock.
    pub(super) fn enters(&mut self, who: Who, way: Way, from: usize, to: usize) {
        match way {
            Way::Queues if who.writes => {
                self.push(who, &["Queue"], from, to);
                self.push(who, &["Take"], from, to);
            }
            // rwsem_reader_phase_trylock of 5.10 takes it past the queue.
            Way::Queues => {
                self.push(who, &["Queue", "Steal"], from, to);
                self.see(who, "hold", to);
            }
            _ if !self.algorithm.probed => self.push(who, &["Enter", "Steal"], from, to),
            Way::Unknown => self.push(who, &["Enter", "Steal"], from, to),
            Way::Fast => {
                let thread = self.thread(who);
                let nobody = Some(("queued".into(), "0".into()));
                self.add(&thread, who, &["Enter"], (from, to), nobody);
            }
            Way::Slow { spun: true } => self.push(who, &["Steal"], from, to),
            Way::Slow { spun: false } => self.push(who, &["Enter"], from, to),
        }
    }

    /// The task is about to wake the queue, and holds wait_lock: the hand-off, which nobody touches without that, is what the word
    /// says. Whether a writer is inside is so when the word is read, which is before the task is seen again or somebody else
    /// has wait_lock.
    pub(in super::super) fn looks(&mut self, task: u32, word: Word, now: Now) {
        if !self.is_known() {
            return;
        }
        self.has_looked(None, now);
        let Some(at) = self.at.get_mut(&task) else {
            return;
        };
        let who = at.who;
        let slow = matches!(
            at.stage,
            Stage::Arrives {
                way: Way::Slow { .. } | Way::Queues,
                ..
            }
        );
        let waits = matches!(at.stage, Stage::Waits { .. });
        // Who is through down_* has released the lock before, or has stolen it; who is not queues just now.
        if !waits && (!slow || word.wakes == READ_OWNED) {
            at.wakes.get_or_insert(now.line - 1);
        }
        let is = |flag: u64| word.count & flag != 0;
        let tla = |truth: bool| truth.to_string().to_uppercase();
        let place = self.events.len();
        let written = Some(("written".into(), tla(is(WRITER_LOCKED))));
        self.add("word", who, &[SEE], (now.line, now.line), written);
        self.looks = Some((task, place));
        if !is(FLAG_HANDOFF) {
            self.clear = now.line;
        } else if self.had_share(self.clear) {
            return;
        }
        let handoff = tla(is(FLAG_HANDOFF));
        self.events[place].sees.insert("handoff".into(), handoff);
    }

    /// Whether a reader that does not get the lock may have been in its count since this line, as a writer tried and failed for
    /// it. That one may then demand a lock that nobody has, which Rwsem has not.
    pub(super) fn had_share(&self, since: usize) -> bool {
        let has = |at: &At| match at.stage {
            Stage::Arrives {
                from,
                way: Way::Slow { .. } | Way::Queues,
            } => !at.who.writes && self.has_tried(from),
            _ => false,
        };
        self.share >= since || self.at.values().any(has)
    }

    /// A step of a reader's failed try, which is in the count until it queues, or nothing: for the specification, in which a failed
    /// try leaves no trace, it is another reader, that enters and goes. A free lock is refused to a writer meanwhile.
    pub(super) fn push_try(&mut self, who: Who, action: &str, from: usize, to: usize) {
        self.push(who, &[action, SEE], from, to);
        if let Some(arg) = self
            .events
            .last_mut()
            .and_then(|event| event.args.first_mut())
        {
            arg.push_str("try");
        }
    }

    /// Whether a writer has queued since this line.
    pub(super) fn has_queued(&self, since: usize) -> bool {
        let late = self.events.iter().rev();
        let mut late = late.take_while(|event| event.to >= since as u64);
        late.any(|event| event.action == "Queue" && event.args[0].starts_with('w'))
    }

    /// Whether a writer that waits may have tried since this line: it was woken, and not switched off before.
    pub(super) fn has_tried(&self, since: usize) -> bool {
        let tries = |at: &At| match at.stage {
            Stage::Waits {
                woken: Some(_),
                slept,
                off,
                ..
            } => at.who.writes && (slept != Some(true) || off >= since),
            _ => false,
        };
        self.at.values().any(tries)
    }

    /// Somebody is seen: if it has looked at the word, it has read it.
    pub(in super::super) fn has_looked(&mut self, seen: Option<u32>, now: Now) {
        if let Some((task, place)) = self.looks
            && seen.is_none_or(|seen| seen == task)
        {
            self.events[place].to = now.line as u64;
            self.looks = None;
        }
    }
}
