//! A file of which requests may be under way that began before the trace: until none can be, nothing of it is judged.
//!
//! A task that has begun a request and ended it has none of before. The file is known at the first moment at which each task that
//! has written to it is one of these, and nothing is under way.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use super::super::event::Event;
use super::begin::request;
use super::io::EAGAIN;
use super::task::{Mode, Task};
use super::{Dio, File, Name, name};

/// The end and the length of a request.
type Extent = (u64, u64);

/// What was seen of a file's requests.
#[derive(Debug, Default)]
pub struct Unknown {
    tasks: BTreeMap<u32, Writer>,
    /// Those whose callers do not wait for them.
    flying: Vec<Extent>,
    /// So many requests end in the file that are not seen to begin there, less those that have ended.
    older: usize,
    /// i_size, as it was seen last.
    pub(super) size: Option<u64>,
}

/// What a task does.
#[derive(Debug, Default)]
struct Writer {
    /// The request that it has begun and not left.
    begun: Option<Extent>,
    /// It has ended.
    ended: bool,
    /// It has left one that was seen to begin.
    whole: bool,
}

impl Unknown {
    /// The same tasks, of which nothing is seen yet.
    fn at_start(&self, fresh: &BTreeMap<u32, bool>) -> Unknown {
        let tasks = self.tasks.keys();
        Unknown {
            tasks: tasks
                .filter(|task| !fresh.get(task).is_some_and(|is| *is))
                .map(|task| (*task, Writer::default()))
                .collect(),
            flying: Vec::new(),
            older: self.older,
            size: None,
        }
    }

    /// `iomap_dio_rw_begin`.
    fn begins(&mut self, task: u32, request: Extent) {
        let writer = self.tasks.entry(task).or_default();
        (writer.begun, writer.ended) = (Some(request), false);
    }

    /// `iomap_dio_complete`: the task's own, another one's, or one that is older than the trace.
    /// Whether it was seen to begin.
    fn completes(&mut self, task: u32, request: Extent) -> bool {
        let own = self.tasks.get_mut(&task);
        if let Some(writer) = own.filter(|writer| writer.begun == Some(request)) {
            writer.ended = true;
            return true;
        }
        let place = self.flying.iter().position(|other| *other == request);
        place.map(|place| self.flying.remove(place)).is_some()
    }

    /// The task leaves its request, which may go on without it.
    fn leaves(&mut self, task: u32) {
        let writer = self.tasks.entry(task).or_default();
        if let Some(request) = writer.begun.take() {
            writer.whole = true;
            if !writer.ended {
                self.flying.push(request);
            }
        }
    }

    /// Somebody writes to it directly.
    pub(super) fn is_written(&self) -> bool {
        !self.tasks.is_empty()
    }

    fn is_over(&self) -> bool {
        let is_whole = |writer: &Writer| writer.whole && writer.begun.is_none();
        self.is_written()
            && self.older == 0
            && self.flying.is_empty()
            && self.tasks.values().all(is_whole)
    }
}

/// The request that `iomap_dio_complete` is of; one that was not written in full is none that has begun.
fn ended(event: &Event<'_>) -> Result<Extent> {
    Ok((event.number("end")?, event.number("ret").unwrap_or(0)))
}

impl Dio {
    /// Before the events are read: how many requests end in the file that did not begin there.
    pub(super) fn counts(&mut self, event: &Event<'_>) -> Result<()> {
        // Who is first seen to begin a call is in none.
        let begins = event.name == "mark" && event.raw.body.starts_with("B ");
        self.fresh.entry(event.raw.pid).or_insert(begins);
        if !matches!(event.name, "dio_begin" | "dio_queued" | "dio_complete") {
            return Ok(());
        }
        ensure!(
            event.name != "dio_complete" || event.knows("end"),
            "{}: what shows the end of a request on kernel {} does not say of which file it is, so that it is never known which requests \
             are in flight: nothing is judged; say --at-rest if none was when the trace began",
            event.place(),
            self.source.family.kernel
        );
        let (pid, seen) = (
            event.raw.pid,
            self.surveyed.entry(name(event)?).or_default(),
        );
        match event.name {
            "dio_begin" => {
                let request = request(event)?;
                seen.begins(pid, (request.end(), request.length));
            }
            "dio_queued" => seen.leaves(pid),
            _ if event.text("error")? == EAGAIN => {}
            _ => {
                if seen.completes(pid, ended(event)?) {
                    if seen.tasks.get(&pid).is_some_and(|writer| writer.ended) {
                        seen.leaves(pid);
                    }
                } else if !seen.tasks.contains_key(&pid)
                    && !self.fresh.get(&pid).is_some_and(|is| *is)
                {
                    // Who was seen before has no request that is older.
                    seen.older += 1;
                    if event.text("aio")? == "0" {
                        seen.tasks.insert(pid, Writer::default());
                    }
                }
            }
        }
        Ok(())
    }

    /// An event of a file that is not known: what it shows is noted, and of the task's doing only what may belong to a later request
    /// is kept. Whether there is nothing else to be done with it.
    pub(super) fn is_unknown(&mut self, event: &Event<'_>, task: &mut Task) -> Result<bool> {
        let names_file = matches!(
            event.name,
            "dio_begin"
                | "dio_queued"
                | "dio_complete"
                | "iomap_mapping"
                | "iunlock"
                | "ilock"
                | "extent_status"
        );
        if !self.source.midway || !names_file {
            return Ok(false);
        }
        let name = name(event)?;
        if self.known.contains_key(&name) {
            return Ok(false);
        }
        let pid = event.raw.pid;
        let seen = self.surveyed.get(&name);
        let unknown = self.unknown.entry(name.clone());
        let unknown = unknown.or_insert_with(|| {
            seen.map_or_else(Unknown::default, |seen| seen.at_start(&self.fresh))
        });
        let is_busy = unknown
            .tasks
            .get(&pid)
            .is_some_and(|writer| writer.begun.is_some());
        match event.name {
            "dio_begin" => {
                self.wrote = true;
                let request = request(event)?;
                unknown.begins(pid, (request.end(), request.length));
                unknown.size = Some(request.size);
                (task.asked, task.waits) = (Vec::new(), None);
                Ok(true)
            }
            "dio_queued" => {
                unknown.leaves(pid);
                Ok(true)
            }
            "dio_complete" => {
                if event.text("error")? != EAGAIN {
                    self.wrote = true;
                    unknown.size = Some(event.number("size")?);
                    if !unknown.completes(pid, ended(event)?) {
                        unknown.older = unknown.older.saturating_sub(1);
                    }
                    let is_xfs = self.xfs.contains(&name);
                    if !is_xfs && unknown.tasks.get(&pid).is_some_and(|writer| writer.ended) {
                        unknown.leaves(pid);
                    }
                }
                task.asked.clear();
                self.learns(&name, event.line);
                Ok(true)
            }
            "iunlock" if Mode::of_ilock(event.text("flags")?).is_some() => {
                if unknown.tasks.get(&pid).is_some_and(|writer| writer.ended) {
                    unknown.leaves(pid);
                    task.asked.clear();
                    self.learns(&name, event.line);
                    return Ok(true);
                }
                Ok(is_busy)
            }
            "ilock" => {
                if Mode::of_ilock(event.text("flags")?).is_some() {
                    self.xfs.insert(name);
                }
                Ok(is_busy && !task.asked.is_empty())
            }
            _ => Ok(is_busy),
        }
    }

    /// Whether the file is known from this line on.
    pub(super) fn learns(&mut self, name: &Name, line: usize) {
        if !self.unknown.get(name).is_some_and(Unknown::is_over) {
            return;
        }
        // Who has looked at the file, or has waited for a lock, may have it.
        let mut others = self.tasks.iter();
        let is_at_it = others.any(|(pid, task)| {
            let asks = task.waits.is_some() || task.asked.iter().any(|ask| ask.file == *name);
            let seen = self.surveyed.get(name);
            let writes = seen.is_some_and(|seen| seen.tasks.contains_key(pid));
            task.truncates.is_some() || writes && asks
        });
        if !is_at_it {
            let size = self.unknown.remove(name).and_then(|unknown| unknown.size);
            let file = self.take(name);
            self.files.insert(name.clone(), File { size, ..file });
            self.known.insert(name.clone(), line);
        }
    }
}
