//! A lock that is in use when the trace begins: what those at it have done before.

use super::unseen::WRITER;
use super::{At, Lock, Now, SEE, Stage, Stranger, Way, Who};

impl Lock {
    /// The task may have been at the lock when the trace began.
    pub(in super::super) fn is_strange(&self, task: u32) -> bool {
        !self.numbers.contains_key(&task)
    }

    /// The task, which is about to give it up, was at it when the trace began.
    pub(in super::super) fn was_there(
        &mut self,
        task: u32,
        writes: bool,
        stranger: &Stranger,
        now: Now,
    ) {
        // It may have waited all the time, or have released the lock before the trace, and be seen to do so now.
        let anything_else = stranger.since > 0 && stranger.ends.is_none();
        if self.is_known() && anything_else {
            return;
        }
        self.strange = now.line;
        let number = self.numbers.len() + 1;
        self.numbers.insert(task, number);
        let who = Who { task, writes };
        match (&stranger.begins, &stranger.ends) {
            (Some((line, _)), _) => self.push(
                who,
                if writes { &["Queue", SEE] } else { &["Queue"] },
                0,
                *line,
            ),
            (None, Some((line, _))) => self.waited.push((*line, who)),
            (None, None) => self.enters(who, Way::Unknown, 0, 0),
        }
        if let Some((line, address)) = &stranger.ends {
            self.address.get_or_insert_with(|| address.clone());
            match (writes, stranger.woken) {
                (true, Some(woken)) => self.push(who, &["Take"], woken, *line),
                (true, None) => self.push(who, &["Take", "Steal"], 0, *line),
                (false, woken) => self.see(who, "hold", woken.unwrap_or(*line)),
            }
        }
        let stage = Stage::Holds {
            since: stranger.since,
            downgraded: false,
        };
        let wakes = self.woke.remove(&task);
        self.at.insert(task, At { who, stage, wakes });
    }

    /// What those have done who waited when the trace began: they queued behind a holder, in the order in which they are served, and
    /// it has gone, or goes.
    pub(super) fn waited_before(&mut self) {
        self.waited.sort_by_key(|(line, _)| *line);
        let waited = std::mem::take(&mut self.waited);
        if waited.is_empty() {
            return;
        }
        for action in ["Enter", "Release"] {
            self.push(WRITER, &[action], 0, 0);
        }
        for (_, who) in waited {
            self.add("queue", who, &["Queue"], (0, 0), None);
        }
    }
}
