//! The journal: a kernel's trace as one of `Handles` and one of `LogTail`.
//!
//! An event says when a handle's start, or its stop, is over at one end: the step itself was taken at some time before it, or after.
//! Instead of all such times one is taken that fits if any does. A start is as late as it can be, at its event or where its
//! transaction was locked; a reserved handle's start and a stop are as early as they can be. So there are never more credits
//! reserved, or in the transaction, than there were. `docs/kernel-traces.md` has the reasons.

mod size;
mod steps;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, ensure};

use super::event::Event;
use super::{Projection, Source};
use crate::recording::{self, Head, Trace};
use size::Size;
use steps::{Steps, line};

/// Credits that every transaction begins with, at least: a descriptor and a commit block.
const OVERHEAD: u32 = 2;

/// What is known of a journal.
#[derive(Debug)]
pub struct Journal {
    source: Source,
    size: Size,
    dev: Option<String>,
    tasks: BTreeMap<u32, Task>,
    /// The last transaction that was locked, and that gave way to the next, with their lines.
    locked: Option<(i32, usize)>,
    flushed: Option<(i32, usize)>,
    /// Credits that were reserved and used.
    used: BTreeSet<i32>,
    handles: Steps,
    log: Steps,
    /// The line at which the second transaction begins, or the first if there is no other: handles are judged from then on, as few of
    /// them were asked for before the trace began.
    begins: usize,
    /// How many have begun, of two.
    flushes: u32,
    /// The lines at which tasks are first seen as they get a handle.
    claims: BTreeSet<usize>,
    /// Who is seen to ask for a handle, or to have one, in the whole file.
    seen: BTreeSet<u32>,
    /// So many handles that are judged were asked for before the trace began.
    older: usize,
    /// No handle is left, and the next transaction begins: handles are judged.
    is_known: bool,
    /// The line at which the log's tail is known.
    tail: Option<usize>,
    /// The place in `log` of the event after which each task has done nothing yet.
    tails: BTreeMap<u32, usize>,
}

/// What a task is doing.
#[derive(Debug, Default)]
struct Task {
    /// It has asked for a handle. If it has one it shares that, and no start follows.
    asked: Option<Asked>,
    /// The line of its last event.
    last: usize,
}

/// A handle that is asked for: the line, and the blocks that it reserves or, of a reserved one, that are reserved.
#[derive(Debug, Clone, Copy, Default)]
struct Asked {
    line: usize,
    reserve: i32,
    reserved: bool,
}

impl Journal {
    /// Knows nothing of a file yet.
    ///
    /// # Errors
    /// If the table of a kernel lacks a constant.
    pub fn make(source: Source) -> Result<Box<dyn Projection>> {
        Ok(Box::new(Journal {
            size: Size::new(&source)?,
            source,
            dev: None,
            tasks: BTreeMap::new(),
            locked: None,
            flushed: None,
            used: BTreeSet::new(),
            begins: 0,
            flushes: 0,
            claims: BTreeSet::new(),
            seen: BTreeSet::new(),
            older: 0,
            is_known: false,
            tail: None,
            handles: Steps::default(),
            log: Steps::default(),
            tails: BTreeMap::new(),
        }))
    }

    /// What the task of an event has asked for: it has got it.
    fn asked(&mut self, event: &Event<'_>) -> Result<Asked> {
        let task = self.tasks.entry(event.raw.pid).or_default();
        task.asked.take().with_context(|| {
            format!(
                "{}: the task {} has not asked for this handle: record ext4_journal_start* too, and from before the tasks start",
                event.place(),
                event.raw.pid
            )
        })
    }

    fn start(&mut self, event: &Event<'_>) -> Result<()> {
        let (tid, credits) = (int(event, "tid")?, int(event, "requested")?);
        if self.claims.contains(&event.line) {
            // It may have been reserved itself.
            self.used.insert(credits);
            self.older += 1;
            let until = self.last_before(event.line, tid);
            return self
                .handles
                .of_task("StartOlder", event, until, &[tid, credits]);
        }
        let asked = self.asked(event)?;
        if asked.reserved {
            // The transaction has taken handles since the one before it gave way.
            let since = self.flushed.filter(|(flushed, _)| flushed + 1 == tid);
            let since = since.map_or(asked.line, |(_, line)| line.max(asked.line));
            self.used.insert(asked.reserve);
            let args = [tid, asked.reserve, credits];
            return self.handles.of_task("StartReserved", event, since, &args);
        }
        self.start_by(event, asked, [tid, credits])
    }

    /// The last line up to this one at which the transaction takes ordinary handles.
    fn last_before(&self, line: usize, tid: i32) -> usize {
        let locked = self.locked.filter(|(locked, _)| *locked == tid);
        locked.map_or(line, |(_, line)| line)
    }

    /// An ordinary start.
    fn start_by(
        &mut self,
        event: &Event<'_>,
        asked: Asked,
        [tid, credits]: [i32; 2],
    ) -> Result<()> {
        let until = self.last_before(event.line, tid).max(asked.line);
        let args = [tid, credits, asked.reserve];
        self.handles.of_task("Start", event, until, &args)
    }

    /// The event comes when the handle has left its transaction and started anew; the kernel names 0 if it could not.
    fn restart(&mut self, event: &Event<'_>, last: usize) -> Result<()> {
        let (tid, credits) = (int(event, "tid")?, int(event, "requested")?);
        self.handles.of_task("Restart", event, last, &[])?;
        let asked = Asked {
            line: last,
            reserve: 0,
            reserved: false,
        };
        match tid {
            0 => Ok(()),
            _ => self.start_by(event, asked, [tid, credits]),
        }
    }

    fn heads(&self) -> Result<[Head; 2]> {
        let max = self.size.max(&self.source.judged)?;
        let off: u32 = int_of(self.source.judged.constant("reserve_overhead")?)?;
        let half = max.saturating_sub(off) / 2;
        let tasks = self
            .handles
            .events
            .iter()
            .map(|event| event.thread.as_str());
        let tasks: BTreeSet<&str> = tasks.collect();
        let head = |module: &str, first: Option<&str>, constants: &[(&str, String)]| Head {
            trace: recording::VERSION,
            module: module.to_owned(),
            source: format!(
                "the journal of {}, Linux {}",
                self.dev.as_deref().unwrap_or_default(),
                self.source.family.kernel
            ),
            silent: Vec::new(),
            constants: constants
                .iter()
                .map(|(name, value)| (name.to_string(), value.clone()))
                .chain([
                    ("FirstTid".into(), first.unwrap_or("1").to_owned()),
                    ("Arguments".into(), "<- TraceArguments".into()),
                ])
                .collect(),
        };
        // A commit that goes on is older than the handles that join meanwhile.
        let first = self.handles.first(0, &COMMIT);
        let handles = head(
            "Handles",
            first.or(self.handles.first(1, &JOINED)),
            &[
                ("Task", set(tasks)),
                ("Max", max.to_string()),
                ("Overhead", OVERHEAD.to_string()),
                ("Half", half.to_string()),
                ("InFlight", set(sums(&self.used, half))),
                ("OlderReserves", set([0].iter().chain(&self.used))),
            ],
        );
        let log = head(
            "LogTail",
            self.log.first(0, &["Logged"]),
            &[("Log", self.size.log()?.to_string())],
        );
        Ok([handles, log])
    }
}

impl Projection for Journal {
    fn comment(&mut self, text: &str) -> Result<()> {
        self.size.comment(text)
    }

    fn survey(&mut self, event: &Event<'_>) -> Result<()> {
        match event.name {
            "handle_start" if !self.seen.contains(&event.raw.pid) => {
                self.claims.insert(event.line);
            }
            "commit_flush" if self.flushes < 2 => {
                self.flushes += 1;
                self.begins = event.line;
            }
            _ => {}
        }
        // Not who commits; and who waits for room in the log may make it.
        let of_handle = event.name.starts_with("handle_") || event.name.starts_with("journal_");
        if of_handle {
            self.seen.insert(event.raw.pid);
        }
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>, _out: &mut Vec<Trace>) -> Result<()> {
        let pid = event.raw.pid;
        if let Some(tail) = self.tails.remove(&pid) {
            self.log.events[tail].to = line(event.line);
        }
        if !JOURNAL.contains(&event.name) {
            return Ok(());
        }
        self.of_one_journal(event)?;
        let task = self.tasks.entry(pid).or_default();
        let last = std::mem::replace(&mut task.last, event.line);
        let at = event.line;
        match event.name {
            "journal_start" | "journal_start_sb" => {
                task.asked = Some(Asked {
                    line: at,
                    reserve: int(event, "reserve")?,
                    reserved: false,
                });
            }
            "journal_start_reserved" => {
                task.asked = Some(Asked {
                    line: at,
                    reserve: int(event, "credits")?,
                    reserved: true,
                });
            }
            "handle_start" => self.start(event)?,
            "handle_restart" => self.restart(event, last)?,
            "handle_extend" => {
                let args = ints(event, ["tid", "has", "requested"])?;
                self.handles.of_task("Extend", event, at, &args)?;
            }
            "handle_stop" => {
                task.asked = None;
                let args = ints(event, ["tid", "requested", "dirtied"])?;
                self.handles.of_task("Stop", event, at, &args)?;
            }
            "commit_lock" => {
                let [tid] = ints(event, ["tid"])?;
                self.locked = Some((tid, at));
                self.handles.push("CommitLock", event, &[tid])?;
            }
            "commit_flush" => {
                let [tid] = ints(event, ["tid"])?;
                self.flushed = Some((tid, at));
                if self.source.midway && at == self.begins {
                    self.is_known = true;
                    self.handles = Steps::default();
                    self.used.clear();
                    self.older = 0;
                }
                self.handles.push("CommitFlush", event, &[tid])?;
            }
            "commit_log" => self
                .handles
                .push("CommitLog", event, &ints(event, ["tid"])?)?,
            "run_stats" => {
                let [tid, handles, blocks, logged] =
                    ints(event, ["tid", "handles", "blocks", "logged"])?;
                self.handles.push("Stats", event, &[tid, handles, blocks])?;
                self.log.push("Logged", event, &[tid, blocks, logged])?;
            }
            "commit_end" => {
                let args = ints(event, ["tid", "head"])?;
                self.tail.get_or_insert(at);
                self.handles.push("CommitEnd", event, &args[..1])?;
                self.log.push("Finish", event, &args)?;
            }
            "drop_transaction" => self.log.push("Drop", event, &ints(event, ["tid"])?)?,
            "update_log_tail" => {
                self.tail.get_or_insert(at);
                // The numbers change after the event, before the task does anything else.
                self.tails.insert(pid, self.log.events.len());
                self.log
                    .push("Tail", event, &ints(event, ["from", "to", "freed"])?)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<Trace>) -> Result<()> {
        ensure!(
            !self.handles.events.is_empty(),
            "no handle or commit of a journal in it: record the events jbd2_* and ext4_journal_start*"
        );
        ensure!(
            !self.source.midway || self.is_known,
            "no transaction begins in it: which handles are older than the trace is never known, and nothing is judged; record longer, \
             or say --at-rest if the journal was when it began"
        );
        let [handles, log] = self.heads()?;
        let trace = std::mem::take(&mut self.handles).trace(handles, &self.source);
        out.extend(trace.map(|trace| Trace {
            known: self.is_known.then_some(self.begins),
            ..trace
        }));
        // Without a transaction's blocks there is nothing to be asked of a log.
        if self.log.first(0, &["Logged"]).is_some() {
            let trace = std::mem::take(&mut self.log).trace(log, &self.source);
            let known = self.tail.filter(|_| self.source.midway);
            out.extend(trace.map(|trace| Trace { known, ..trace }));
        }
        Ok(())
    }

    fn unjudged(&self) -> Vec<String> {
        let told = (self.older > 0).then(|| {
            format!(
                "asked for before the trace begins, so that it is not known what they reserve: {} of the handles that are judged",
                self.older
            )
        });
        told.into_iter().collect()
    }
}

/// The events of the table that are read.
const JOURNAL: [&str; 14] = [
    "journal_start",
    "journal_start_sb",
    "journal_start_reserved",
    "handle_start",
    "handle_extend",
    "handle_restart",
    "handle_stop",
    "commit_lock",
    "commit_flush",
    "commit_log",
    "commit_end",
    "run_stats",
    "drop_transaction",
    "update_log_tail",
];

impl Journal {
    fn of_one_journal(&mut self, event: &Event<'_>) -> Result<()> {
        let dev = event.text("dev")?;
        let known = self.dev.get_or_insert_with(|| dev.to_owned());
        ensure!(
            known == dev,
            "{}: an event of the journal on {dev}, and those before are of {known}: record one, with the filter `dev == ...`",
            event.place()
        );
        Ok(())
    }
}

/// The steps that name a transaction first, and those that name it behind a task.
const COMMIT: [&str; 5] = [
    "CommitLock",
    "CommitFlush",
    "CommitLog",
    "Stats",
    "CommitEnd",
];
const JOINED: [&str; 4] = ["Start", "StartReserved", "Extend", "Stop"];

/// A field that the kernel prints as an int.
fn int(event: &Event<'_>, field: &str) -> Result<i32> {
    let text = event.text(field)?;
    text.parse().with_context(|| {
        format!(
            "{}: the field `{field}` is `{text}`, which is no number that TLC has",
            event.place()
        )
    })
}

fn ints<const N: usize>(event: &Event<'_>, fields: [&str; N]) -> Result<[i32; N]> {
    let mut numbers = [0; N];
    for (number, field) in numbers.iter_mut().zip(fields) {
        *number = int(event, field)?;
    }
    Ok(numbers)
}

fn int_of(text: &str) -> Result<u32> {
    text.parse()
        .with_context(|| format!("`{text}` in the table is no number"))
}

fn set(members: impl IntoIterator<Item = impl ToString>) -> String {
    let members: Vec<String> = members
        .into_iter()
        .map(|member| member.to_string())
        .collect();
    format!("{{{}}}", members.join(", "))
}

/// The sums of such numbers, up to `most`: what may be reserved at the beginning, and used later.
fn sums(of: &BTreeSet<i32>, most: u32) -> BTreeSet<u32> {
    let mut sums = BTreeSet::from([0]);
    for sum in 0..=most {
        if sums.contains(&sum) {
            let more = of.iter().filter_map(|number| u32::try_from(*number).ok());
            let more = more.filter_map(|number| sum.checked_add(number));
            sums.extend(more.filter(|sum| *sum <= most));
        }
    }
    sums
}
