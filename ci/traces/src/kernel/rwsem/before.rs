//! Tasks that are at a lock when the trace begins: what shows that they are, and what they have done before.
//!
//! Nobody saw them come. Who releases the lock and was not seen to take it had it, or has waited for it: then the first thing that it
//! was seen to do is the end of that wait. In which order they came is not known, but for those that wait, which are served in order.

use std::collections::{BTreeMap, BTreeSet};

/// A line and the address of the lock that somebody waits for.
type Wait = (usize, String);

/// A task that was not seen to come to a lock.
#[derive(Debug, Clone, Default)]
pub(super) struct Stranger {
    /// The last line at which it was woken before anything else.
    pub(super) woken: Option<usize>,
    /// The first thing that it was seen to do: it begins to wait.
    pub(super) begins: Option<Wait>,
    /// The first thing but that: it has got what it waited for.
    pub(super) ends: Option<Wait>,
    /// The line at which it was last seen.
    pub(super) since: usize,
}

/// All of them, until they are seen to come or to go.
#[derive(Debug, Default)]
pub(super) struct Strangers {
    tasks: BTreeMap<u32, Stranger>,
    /// Who was seen to do anything else.
    seen: BTreeSet<u32>,
    /// The lock inside of another one, such as its spinlock, that a task waits for.
    inner: BTreeMap<u32, String>,
}

impl Strangers {
    /// The task is woken.
    pub(super) fn is_woken(&mut self, task: u32, line: usize) {
        if !self.seen.contains(&task) {
            self.tasks.entry(task).or_default().woken = Some(line);
        }
    }

    /// The task begins to wait.
    pub(super) fn begins(&mut self, task: u32, lock: &str, line: usize) {
        if self.seen.insert(task) {
            let stranger = self.tasks.entry(task).or_default();
            (stranger.begins, stranger.woken) = (Some((line, lock.to_owned())), None);
        }
        self.goes_on(task, line);
    }

    /// The task waits for a lock that is none of these, as it may while it waits for one of these.
    pub(super) fn waits_inside(&mut self, task: u32, lock: &str) {
        self.inner.insert(task, lock.to_owned());
    }

    /// The task waits no more.
    pub(super) fn ends(&mut self, task: u32, lock: &str, line: usize) {
        if self.inner.remove(&task).is_some_and(|inner| inner == lock) {
            return;
        }
        let is_first = self.seen.insert(task);
        let stranger = self.tasks.entry(task).or_default();
        let begun = stranger.begins.as_ref();
        let is_its = begun.is_some_and(|(_, of)| of == lock) && stranger.ends.is_none();
        if is_first || is_its {
            stranger.ends = Some((line, lock.to_owned()));
        }
        stranger.since = line;
    }

    /// The task does anything else.
    pub(super) fn goes_on(&mut self, task: u32, line: usize) {
        self.seen.insert(task);
        self.tasks.entry(task).or_default().since = line;
    }

    /// The first thing that the task was seen to do was to get this lock.
    pub(super) fn has_waited(&self, task: u32, lock: Option<&str>) -> bool {
        let ends = self
            .tasks
            .get(&task)
            .and_then(|stranger| stranger.ends.as_ref());
        ends.is_some_and(|(_, of)| Some(&of[..]) == lock)
    }

    /// What is known of the task, which is at this lock.
    pub(super) fn take(&mut self, task: u32, lock: Option<&str>) -> Stranger {
        let mut stranger = self.tasks.remove(&task).unwrap_or_default();
        let other = |(_, of): &Wait| lock.is_some_and(|lock| lock != of);
        if stranger.begins.as_ref().is_some_and(other) || stranger.ends.as_ref().is_some_and(other)
        {
            (stranger.begins, stranger.ends) = (None, None);
        }
        stranger
    }
}
