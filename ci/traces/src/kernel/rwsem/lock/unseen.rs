//! A lock whose writers are left out but for their waits, and for whom they wake.
//!
//! All that take it without a wait are one task, [`WRITER`], which may do so whenever the policy lets a writer: only one is inside
//! at a time, and who has released the lock and has not yet woken anybody may be taken to do so before the next one comes.

use super::{Lock, Now, Stage, Way, Who};

/// Who is not in the trace.
pub(super) const WRITER: Who = Who {
    task: 0,
    writes: true,
};

/// What it does.
const STEPS: [&str; 4] = ["Enter", "Spin", "Steal", "Release"];

impl Lock {
    /// Its writers are left out.
    pub(in super::super) fn has_unseen(&self) -> bool {
        self.unseen
    }

    /// A writer is seen elsewhere: if it has waited for the lock and got it, it has released it since. That one.
    pub(in super::super) fn has_left(&mut self, task: u32, now: Now) -> Option<Who> {
        if !self.unseen {
            return None;
        }
        self.left.insert(task, now.line);
        let at = self.at.get(&task).copied()?;
        let Stage::Holds { since, .. } = at.stage else {
            return None;
        };
        if !at.who.writes {
            return None;
        }
        self.at.remove(&task);
        self.push(at.who, &["Release"], since, now.line);
        self.learns(true, now.line);
        Some(at.who)
    }

    /// A writer, which was not seen to ask for the lock, waits for it: it has queued since it was last seen, and since another one has,
    /// because `contention_begin` is written in the hold of wait_lock in which it queues, or in the next one.
    pub(in super::super) fn has_come(&mut self, task: u32, now: Now) -> anyhow::Result<()> {
        let holds = self.at.get(&task).map(|at| at.stage);
        let from = match holds {
            Some(Stage::Holds { since, .. }) => since,
            _ => self.left.get(&task).copied().unwrap_or_default(),
        };
        let from = from
            .max(std::mem::replace(&mut self.queued, now.line) + 1)
            .min(now.line);
        self.has_left(task, now);
        self.comes(
            task,
            true,
            Stage::Arrives {
                from,
                way: Way::Unknown,
            },
        )
    }

    /// Who still waits when the file ends has queued: the steal, which `contention_end` follows at once, is none. With unseen
    /// writers there would be too many states of those who are never seen again.
    pub(super) fn wait_to_the_end(&mut self) {
        if !self.unseen {
            return;
        }
        for at in self.at.values() {
            if let Stage::Waits { queue, .. } = at.stage {
                self.events[queue].others.clear();
            }
        }
    }

    /// The steps that leave no event.
    pub(super) fn unseen_steps(&self) -> Vec<String> {
        let steps = STEPS.iter().filter(|_| self.unseen);
        steps
            .map(|step| format!("{step}({})", self.name(WRITER)))
            .collect()
    }
}
