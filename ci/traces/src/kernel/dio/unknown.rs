//! A file of which requests may be under way that began before the trace: until none can be, nothing of it is judged.
//!
//! A task that has begun a request and ended it has none of before. The file is known at the first moment at which each task that
//! has written to it is one of these, and nothing is under way.
//!
//! Where older requests can leave nothing behind but a lock that is free, each task's requests are kept from that on: its file does not
//! grow, and all of its blocks that are looked up are written. It is known as the last older request is over, whatever is under way.

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
    /// The line at which the first request changes what another one may see, and the last one at which an older one may be under way.
    changes: Option<usize>,
    settled: usize,
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
            ..Unknown::default()
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

    /// No request of the task is under way that is older than the trace.
    fn knows(&self, task: u32) -> bool {
        let writer = self.tasks.get(&task);
        writer.is_none_or(|writer| writer.whole && writer.begun.is_none())
    }

    /// None of any task is, and all that were seen to begin before that are over.
    fn is_settled(&self) -> bool {
        let tasks = self.tasks.keys();
        self.older == 0 && self.flying.is_empty() && tasks.copied().all(|task| self.knows(task))
    }

    /// Somebody may see at this line what a request has changed.
    fn sees(&mut self, event: &Event<'_>) -> Result<()> {
        let mut same = |size: u64| *self.size.get_or_insert(size) == size;
        let steady = match event.name {
            "dio_begin" => {
                let request = request(event)?;
                same(request.size) && request.end() <= request.size && !request.is_async
            }
            "dio_complete" if event.knows("end") => {
                same(event.number("size")?)
                    && event.text("aio")? == "0"
                    && event.text("error")? == "0"
            }
            "dio_complete" => true,
            "extent_status" => {
                event.text("status")?.starts_with('W') && event.text("found")? == "1"
            }
            "iomap_mapping" => {
                let flags = event.optional("flags")?.unwrap_or_default();
                event.text("type")? == "MAPPED" && !flags.contains("NEW")
            }
            _ => false,
        };
        if !steady {
            self.changes.get_or_insert(event.line);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        let is_whole = |writer: &Writer| writer.whole && writer.begun.is_none();
        self.is_written()
            && self.older == 0
            && self.flying.is_empty()
            && self.tasks.values().all(is_whole)
    }
}

/// The event does not say of which file it is.
fn is_unnamed(event: &Event<'_>) -> bool {
    event.name == "dio_complete" && !event.knows("end")
}

/// The file to which a task has begun a write that has not ended.
fn begun(files: &BTreeMap<Name, Unknown>, task: u32) -> Option<Name> {
    let is_its = |seen: &&Unknown| {
        let writer = seen.tasks.get(&task);
        writer.is_some_and(|writer| writer.begun.is_some() && !writer.ended)
    };
    let mut files = files.iter();
    files
        .find(|(_, seen)| is_its(seen))
        .map(|(name, _)| name.clone())
}

/// The request that `iomap_dio_complete` is of; one that was not written in full is none that has begun.
fn ended(event: &Event<'_>) -> Result<Extent> {
    Ok((event.number("end")?, event.number("ret").unwrap_or(0)))
}

impl Dio {
    /// Before the events are read: how many requests end in the file that did not begin there, and whether any changes it.
    pub(super) fn counts(&mut self, event: &Event<'_>) -> Result<()> {
        // Who is first seen to begin a call is in none.
        let begins = event.name == "mark" && event.raw.body.starts_with("B ");
        self.fresh.entry(event.raw.pid).or_insert(begins);
        let pid = event.raw.pid;
        if event.name == "mark" && event.raw.body.contains("size=") {
            self.truncated.get_or_insert(event.line);
        }
        let is_unnamed = is_unnamed(event);
        let name = match event.name {
            "dio_complete" if is_unnamed => {
                ensure!(
                    !event.raw.comm.starts_with("kworker"),
                    "{}: an asynchronous request ends, and what shows it on kernel {} does not say of which file it is, so that it is never \
                     known which requests are in flight: nothing is judged; say --at-rest if none was when the trace began",
                    event.place(),
                    self.source.family.kernel
                );
                let is_first = !self
                    .surveyed
                    .values()
                    .any(|seen| seen.tasks.contains_key(&pid));
                match begun(&self.surveyed, pid) {
                    Some(name) => name,
                    None if is_first && !self.fresh.get(&pid).is_some_and(|is| *is) => {
                        self.strays.insert(event.line);
                        self.last_stray = event.line;
                        return Ok(());
                    }
                    None => return Ok(()),
                }
            }
            "dio_begin" | "dio_queued" | "dio_complete" | "extent_status" | "iomap_mapping"
            | "ilock" => name(event)?,
            _ => return Ok(()),
        };
        let seen = self.surveyed.entry(name).or_default();
        seen.sees(event)?;
        match event.name {
            "extent_status" | "iomap_mapping" | "ilock" => {}
            "dio_begin" => {
                let request = request(event)?;
                seen.begins(pid, (request.end(), request.length));
            }
            "dio_queued" => seen.leaves(pid),
            _ if !is_unnamed && event.text("error")? == EAGAIN => {}
            _ => {
                let ended = match seen.tasks.get(&pid).and_then(|writer| writer.begun) {
                    Some(request) if is_unnamed => request,
                    _ => ended(event)?,
                };
                if seen.completes(pid, ended) {
                    if let Some(writer) = seen.tasks.get(&pid).filter(|writer| writer.ended) {
                        if !writer.whole && !self.fresh.get(&pid).is_some_and(|is| *is) {
                            seen.settled = event.line;
                        }
                        seen.leaves(pid);
                    }
                } else if !seen.tasks.contains_key(&pid)
                    && !self.fresh.get(&pid).is_some_and(|is| *is)
                {
                    // Who was seen before has no request that is older.
                    seen.older += 1;
                    seen.settled = event.line;
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
        let pid = event.raw.pid;
        let is_unnamed = is_unnamed(event);
        let name = match &task.current {
            _ if !is_unnamed => name(event)?,
            Some(_) => return Ok(false),
            None => match begun(&self.unknown, pid) {
                Some(name) => name,
                None => return Ok(self.is_stray(event, task)),
            },
        };
        if self.known.contains_key(&name) {
            return Ok(false);
        }
        let is_steady = self.is_steady(&name);
        let seen = self.surveyed.get(&name);
        let unknown = self.unknown.entry(name.clone());
        let unknown = unknown.or_insert_with(|| {
            seen.map_or_else(Unknown::default, |seen| seen.at_start(&self.fresh))
        });
        if is_steady && unknown.knows(pid) {
            self.wrote |= event.name == "dio_begin";
            // Of whom nothing was seen before, each may be new.
            self.learns(&name, event.line);
            return Ok(false);
        }
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
                if is_unnamed || event.text("error")? != EAGAIN {
                    self.wrote = true;
                    let request = match unknown.tasks.get(&pid).and_then(|writer| writer.begun) {
                        Some(request) if is_unnamed => request,
                        _ => {
                            unknown.size = Some(event.number("size")?);
                            ended(event)?
                        }
                    };
                    if !unknown.completes(pid, request) {
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

    /// A request ends that was not seen to begin: an older one, or one of a file of which nothing is recorded.
    fn is_stray(&mut self, event: &Event<'_>, task: &mut Task) -> bool {
        let mut files = self.surveyed.values();
        let writes = files.any(|seen| seen.tasks.contains_key(&event.raw.pid));
        if self.strays.remove(&event.line) {
            task.asked.clear();
            let names: Vec<Name> = self.unknown.keys().cloned().collect();
            for name in &names {
                self.learns(name, event.line);
            }
            return true;
        }
        !writes
    }

    /// Up to the line at which no older request is under way nobody changes what another one sees of the file.
    fn is_steady(&self, name: &Name) -> bool {
        let last = self.last_stray;
        self.surveyed.get(name).is_some_and(|seen| {
            let changes = seen.changes.into_iter().chain(self.truncated).min();
            changes.is_none_or(|line| line > seen.settled.max(last))
        })
    }

    /// Whether the file is known from this line on.
    pub(super) fn learns(&mut self, name: &Name, line: usize) {
        let is_steady = self.is_steady(name);
        let is_known = |unknown: &Unknown| match is_steady {
            true => unknown.is_settled(),
            false => unknown.is_over(),
        };
        if !self.strays.is_empty() || !self.unknown.get(name).is_some_and(is_known) {
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
        if is_steady || !is_at_it {
            let size = self.unknown.remove(name).and_then(|unknown| unknown.size);
            let file = self.take(name);
            self.files.insert(name.clone(), File { size, ..file });
            self.known.insert(name.clone(), line);
        }
    }
}
