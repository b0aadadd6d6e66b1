//! Direct writes to ext4 and XFS, and truncates that grow a file of ext4, as traces of `UnalignedDio.tla`.
//!
//! A request's steps follow each other in its task, and each is between two of the task's events: `docs/kernel-traces.md` says which.
//! A trace goes from one moment when no request is under way to another.

mod begin;
mod checks;
mod io;
mod task;
mod truncate;
mod unknown;
mod window;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, ensure};

use super::event::Event;
use super::{MOST, Projection, Source};
use crate::recording::Trace;
use checks::Looks;
use task::{Did, Mode, Phase, Task, Wait};
use unknown::Unknown;
use window::{SECTOR, Window};

/// A trace ends at the first quiet moment after so many requests: TLC is asked once for all of them.
const REQUESTS: usize = 32;

/// A trace has so many steps at most. The time of its search is as their square: a few minutes.
const STEPS: usize = 10_000;

/// Of more files than these each trace ends at the first quiet moment, and the file is forgotten.
const FILES: usize = 64;

/// What file systems are made with, where the trace does not say.
const BLOCK: u64 = 4096;

/// Device and inode.
type Name = (String, u64);

/// The projection.
#[derive(Debug)]
pub struct Dio {
    source: Source,
    /// What ext4 looks up before a write begins.
    looks: Looks,
    /// Bytes.
    block: u64,
    /// FORCE_WAIT says what the design decides, and not that a call is synchronous.
    waits_when_forced: bool,
    tasks: BTreeMap<u32, Task>,
    files: BTreeMap<Name, File>,
    /// How many windows there have been.
    windows: usize,
    last: usize,
    /// Of each task whether it is first seen outside of a call.
    fresh: BTreeMap<u32, bool>,
    /// The files of which requests may be under way that are older than the trace.
    unknown: BTreeMap<Name, Unknown>,
    /// The same, as the whole file shows them.
    surveyed: BTreeMap<Name, Unknown>,
    /// The others, and the line from which on.
    known: BTreeMap<Name, usize>,
    /// The lines at which requests end that are older than the trace, of no file that is told; and the last one of them.
    strays: BTreeSet<usize>,
    last_stray: usize,
    /// The line of the first truncate.
    truncated: Option<usize>,
    /// Those of XFS among the files that are not known.
    xfs: BTreeSet<Name>,
    /// How many requests of which files were left out at the end.
    unended: Vec<String>,
    /// A direct write was seen.
    wrote: bool,
    /// A trace was handed over.
    judged: bool,
    /// Each inode_dio_wait is in the trace.
    shows_drains: bool,
}

/// A file whose requests are seen.
#[derive(Debug, Default)]
struct File {
    window: Window,
    /// The window's number among those of all files.
    number: usize,
    /// XFS, which shows its locks; otherwise ext4, which shows its look-ups.
    is_xfs: bool,
    /// The address of ext4's i_rwsem.
    lock: Option<String>,
    /// i_size, as it was seen last.
    size: Option<u64>,
}

impl File {
    /// A task has no more to do for its request than to give up the lock: XFS tells, ext4 has done so by the task's next event.
    fn leaves(&mut self, task: &mut Task, name: &Name, request: usize, line: usize) {
        if self.is_xfs {
            if let Some(current) = &mut task.current {
                current.phase = Phase::Leaves(line);
            }
            return;
        }
        task.current = None;
        let lines = (line, window::OPEN);
        self.window.step("Unlock", request, &task.name, lines);
        task.unlocks = Some((name.clone(), self.number, self.window.steps.len() - 1));
    }
}

impl Dio {
    /// For a file.
    ///
    /// # Errors
    /// If its kernel's table has no policy of direct writes.
    pub fn projection(source: Source) -> Result<Box<dyn Projection>> {
        source.judged.constant("dio")?;
        let waits_when_forced = source.family.constant("dio_waits")? == "forced";
        let looks = Looks::named(source.family.constant("dio_looks")?)?;
        Ok(Box::new(Dio {
            source,
            looks,
            block: BLOCK,
            waits_when_forced,
            tasks: BTreeMap::new(),
            files: BTreeMap::new(),
            windows: 0,
            last: 0,
            fresh: BTreeMap::new(),
            unknown: BTreeMap::new(),
            surveyed: BTreeMap::new(),
            known: BTreeMap::new(),
            strays: BTreeSet::new(),
            last_stray: 0,
            truncated: None,
            xfs: BTreeSet::new(),
            unended: Vec::new(),
            wrote: false,
            judged: false,
            shows_drains: false,
        }))
    }

    /// A task queues for a lock: XFS's, that it has said to ask for, or one that may be ext4's.
    fn waits(&mut self, event: &Event<'_>, task: &mut Task) -> Result<()> {
        let Some(mode) = Mode::of_contention(event.text("flags")?) else {
            return Ok(());
        };
        let wait = Some(Wait {
            lock: event.text("lock")?.to_owned(),
            mode,
            before: task.last,
            from: event.line,
            to: None,
        });
        match task.asks_for() {
            Some(ask) => {
                ensure!(
                    matches!(ask.did, Did::Lock(asked) if asked == mode),
                    "{}: the task queues for the lock as {}, and has asked for it otherwise",
                    event.place(),
                    mode.name()
                );
                ask.wait = wait;
            }
            None => task.waits = wait,
        }
        Ok(())
    }

    /// A task is granted a lock that it has queued for.
    fn granted(event: &Event<'_>, task: &mut Task) -> Result<()> {
        let lock = event.text("lock")?;
        if let Some(ask) = task.asks_for()
            && ask.wait.as_ref().is_some_and(|wait| wait.lock == lock)
        {
            ask.until = Some(event.line);
        } else if let Some(wait) = task.waits.as_mut().filter(|wait| wait.lock == lock) {
            wait.to = Some(event.line);
        }
        Ok(())
    }

    /// A file, to be put back.
    fn take(&mut self, name: &Name) -> File {
        self.files.remove(name).unwrap_or_else(|| {
            self.windows += 1;
            File {
                number: self.windows,
                ..File::default()
            }
        })
    }

    /// The task has given up ext4's lock before this line.
    fn has_unlocked(&mut self, task: &mut Task, line: usize) {
        if let Some((name, number, step)) = task.unlocks.take()
            && let Some(file) = self.files.get_mut(&name)
            && file.number == number
        {
            file.window.steps[step].to = line;
        }
    }

    /// Hands over what was in flight on a file, if nothing is any more, and if it is enough.
    fn cut(&mut self, name: &Name, least: usize, line: usize, out: &mut Vec<Trace>) -> Result<()> {
        let Some(file) = self.files.get_mut(name) else {
            return Ok(());
        };
        let at = || format!("{}:{line}", self.source.file.display());
        let is_unknown = self.unknown.contains_key(name);
        let (steps, most) = (
            file.window.steps.len(),
            if is_unknown { MOST } else { STEPS },
        );
        ensure!(
            steps <= most,
            "{}: more than {most} steps without a moment at which no request is under way: record less, or while less is written",
            at()
        );
        let is_under_way = |task: &Task| task.current.as_ref().is_some_and(|it| it.file == *name);
        let has_asked = |task: &Task| {
            task.truncates.is_some() || task.asked.iter().any(|ask| ask.file == *name)
        };
        if is_unknown
            || file.window.requests.is_empty()
            || !file.window.flying.is_empty()
            || self
                .tasks
                .values()
                .any(|task| is_under_way(task) || has_asked(task))
        {
            return Ok(());
        }
        if file.window.requests.len() < least {
            file.window.is_quiet();
            return Ok(());
        }
        let window = std::mem::take(&mut file.window);
        self.windows += 1;
        file.number = self.windows;
        let policy = if file.is_xfs { "dio_xfs" } else { "dio" };
        let policy = self.source.judged.constant(policy)?;
        let shown = format!("device {} inode {}", name.0, name.1);
        let trace = window.trace(&self.source, &shown, policy, self.block, line);
        // The size, and what the blocks are, the first request shows.
        let first = trace.as_ref().map_or(0, |trace| {
            let begins = trace.events.iter().find(|event| event.action == "Begin");
            begins.map_or(0, |event| event.from as usize)
        });
        let first = if self.judged { 0 } else { first };
        let known = self.known.get(name).map(|known| first.max(known + 1));
        self.judged = true;
        out.push(Trace {
            known,
            ..trace.with_context(at)?
        });
        Ok(())
    }
}

impl Dio {
    /// The file ends while requests are under way, as it may on a machine in use: what came behind the last quiet moment is left out.
    fn ends_under_way(&mut self, name: &Name) -> Result<()> {
        let Some(file) = self.files.get_mut(name) else {
            return Ok(());
        };
        if self.unknown.contains_key(name) {
            return Ok(());
        }
        let is_its = |task: &&mut Task| task.current.as_ref().is_some_and(|it| it.file == *name);
        let tasks: Vec<&mut Task> = self.tasks.values_mut().filter(is_its).collect();
        let current = tasks.iter().filter_map(|task| task.current.as_ref());
        let places = file.window.flying.iter().copied();
        let Some(place) = places.chain(current.map(|it| it.place)).min() else {
            return Ok(());
        };
        ensure!(
            self.source.midway,
            "it ends while a request is under way, which is at line {}: it was cut short; record until all have ended",
            file.window.requests[place].line
        );
        let left_out = file.window.back_to_quiet();
        self.unended.push(format!(
            "{} of device {} inode {} from line {} on",
            left_out.len(),
            name.0,
            name.1,
            left_out[0].line
        ));
        for task in tasks {
            task.current = None;
        }
        Ok(())
    }
}

impl Projection for Dio {
    fn comment(&mut self, text: &str) -> Result<()> {
        if let Some((before, _)) = text.split_once("-byte blocks") {
            let digits = before.rsplit(' ').next().unwrap_or_default();
            let block = digits.parse().unwrap_or(0);
            ensure!(
                u64::is_power_of_two(block) && (SECTOR..=1 << 16).contains(&block),
                "blocks of {digits} bytes"
            );
            self.block = block;
        }
        if let Some(probes) = text.strip_prefix("probes:") {
            self.shows_drains = probes.split_whitespace().any(|name| name == "drain");
        }
        Ok(())
    }

    fn survey(&mut self, event: &Event<'_>) -> Result<()> {
        self.counts(event)
    }

    fn event(&mut self, event: &Event<'_>, out: &mut Vec<Trace>) -> Result<()> {
        let pid = event.raw.pid;
        self.last = event.line;
        let mut task = self.tasks.remove(&pid).unwrap_or_default();
        if task.name.is_empty() {
            task.name = format!("{}-{pid}", event.raw.comm);
        }
        // These come while a task still waits for what it has asked for, or within a step.
        let is_on_the_way = matches!(
            event.name,
            "contention_begin"
                | "contention_end"
                | "switch"
                | "waking"
                | "journal_start"
                | "handle_stop"
                | "drain"
                | "drain_end"
        );
        if let Some(ask) = task.asks_for().filter(|_| !is_on_the_way) {
            ask.until = Some(event.line);
        }
        let name_of_event = if self.is_unknown(event, &mut task)? {
            ""
        } else {
            event.name
        };
        match name_of_event {
            "mark" => self.mark(event, &mut task)?,
            "journal_start" => self.sets_size(event, &mut task)?,
            "handle_stop" => self.has_set_size(event, &mut task),
            "contention_begin" => self.waits(event, &mut task)?,
            "contention_end" => Dio::granted(event, &mut task)?,
            "drain" => task.drains = Some((event.line, event.line)),
            "drain_end" => {
                if let Some((_, until)) = &mut task.drains {
                    *until = event.line;
                }
            }
            "extent_status" => self.look_up(event, &mut task)?,
            "ilock" => self.lock(event, &mut task)?,
            "iunlock" => self.unlock(event, &mut task)?,
            "dio_begin" => self.begin(event, &mut task)?,
            "iomap_iter" => io::is_a_write(event, &task)?,
            "iomap_mapping" => self.map(event, &mut task)?,
            "dio_queued" => self.queued(event, &mut task)?,
            "dio_complete" => self.complete(event, &mut task)?,
            _ => {}
        }
        if !is_on_the_way {
            task.last = event.line;
        }
        let left = task.unlocks.as_ref().map(|(file, ..)| file.clone());
        self.tasks.insert(pid, task);
        if name_of_event == "mark" {
            let names: Vec<Name> = self.unknown.keys().cloned().collect();
            for name in &names {
                self.learns(name, event.line);
            }
        }
        if matches!(name_of_event, "dio_complete" | "iunlock") {
            let name = match left {
                Some(file) if !event.knows("ino") => file,
                _ => name(event)?,
            };
            let are_many = self.files.len() > FILES;
            self.cut(&name, if are_many { 1 } else { REQUESTS }, event.line, out)?;
            if are_many
                && self
                    .files
                    .get(&name)
                    .is_some_and(|file| file.window.requests.is_empty())
            {
                self.files.remove(&name);
            }
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<Trace>) -> Result<()> {
        let names: Vec<Name> = self.files.keys().cloned().collect();
        for name in &names {
            self.ends_under_way(name)?;
        }
        ensure!(
            !names.is_empty() || !self.wrote,
            "at no line is it known which direct writes are under way: each file has tasks that were not seen to begin one and to end it, \
             or never a moment without one; record longer, or say --at-rest if none was when it began"
        );
        ensure!(
            !names.is_empty(),
            "no direct write in it: record iomap_dio_rw_begin, or the probe that stands for it in the table"
        );
        for task in self.tasks.values_mut() {
            task.asked.clear();
            task.truncates = None;
        }
        for name in names {
            self.cut(&name, 1, self.last, out)?;
        }
        ensure!(
            self.judged || self.unended.is_empty(),
            "no moment without a direct write under way, from the line on at which it is known which are: {}; record while less is \
             written, or until all have ended",
            self.unended.join(", ")
        );
        ensure!(
            self.judged,
            "no direct write begins behind the line at which it is known which are under way: record longer, or say --at-rest if none \
             was when it began"
        );
        Ok(())
    }

    fn unjudged(&self) -> Vec<String> {
        let files = self
            .unknown
            .iter()
            .filter(|(_, unknown)| unknown.is_written());
        let files: Vec<String> = files
            .map(|((dev, ino), _)| format!("device {dev} inode {ino}"))
            .collect();
        let told = (!files.is_empty()).then(|| {
            format!(
                "not judged, because it is never known which direct writes are under way: {}",
                files.join(", ")
            )
        });
        let unended = (!self.unended.is_empty()).then(|| {
            format!(
                "requests not judged, because one is under way at the end and there is no moment without one before: {}",
                self.unended.join(", ")
            )
        });
        told.into_iter().chain(unended).collect()
    }
}

/// The file that an event is of.
fn name(event: &Event<'_>) -> Result<Name> {
    let dev = event.text("dev")?;
    let dev = if dev.starts_with("0x") {
        // As the kernel has it: a probe does not take it apart.
        let dev = event.number("dev")?;
        format!("{}:{}", dev >> 20, dev & ((1 << 20) - 1))
    } else {
        dev.replace(',', ":")
    };
    Ok((dev, event.number("ino")?))
}
