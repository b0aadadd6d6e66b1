//! The lists of inodes of each bdi, and its flusher.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, ensure};

use super::begin::Begins;
use super::{Recording, is_dirty, signed, small, task};
use crate::kernel::Source;
use crate::kernel::event::Event;
use crate::recording::Trace;
use interlock_tla::value::Value;

/// Times further from the first one are none of this trace.
const FARTHEST: u64 = 1_000_000_000;

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Lists {
    bdis: BTreeMap<String, Bdi>,
    /// The bdi that each flusher has worked for last.
    flushers: BTreeMap<u32, String>,
    /// Those that have begun something there since they were done.
    begun: BTreeSet<u32>,
    /// The line of each task's last event.
    lines: BTreeMap<u32, usize>,
    /// Times are since this one, in jiffies: the first that the file shows, and if it begins in the middle, one that what was dirty
    /// before the line is no younger than.
    zero: Option<u64>,
    /// From which line on the lists of each bdi are known, if the file may begin in the middle.
    begins: Option<Begins>,
}

#[derive(Debug, Default)]
struct Bdi {
    recording: Recording,
    /// The flusher has done something.
    works: BTreeSet<Value>,
    current: Option<Work>,
    /// The inode written last, by its event: the flusher's next one shows that it is requeued.
    open: Option<usize>,
    dirtied: Vec<Dirtied>,
    picked: Vec<(i64, usize)>,
    /// The first queue_io: its line, its limit and how many inodes it has moved.
    queued: Option<(usize, i64, i64)>,
}

/// `__mark_inode_dirty`, between two lines.
#[derive(Debug)]
struct Dirtied {
    ino: i64,
    when: i64,
    from: usize,
    to: usize,
}

/// The work that the flusher is at.
#[derive(Debug, Clone)]
struct Work {
    reason: String,
    superblock: String,
    mode: i64,
    /// The pages that it was to write when it began.
    pages: i64,
}

impl Work {
    fn of(event: &Event<'_>) -> Result<Work> {
        Ok(Work {
            reason: event.text("reason")?.to_owned(),
            superblock: event.text("superblock")?.to_owned(),
            mode: small(event, "mode")?,
            pages: signed(event, "pages")?,
        })
    }

    fn is_same(&self, other: &Work) -> bool {
        let fields = |work: &Work| (work.reason.clone(), work.superblock.clone(), work.mode);
        fields(self) == fields(other)
    }

    /// As the specification has it: TLC cannot count so many pages.
    fn value(&self) -> Value {
        Value::Seq(vec![
            Value::Str(self.reason.clone()),
            Value::Str(self.superblock.clone()),
            Value::Int(self.mode),
            Value::Str(self.pages.to_string()),
        ])
    }
}

impl Lists {
    /// The first reading of a file that may begin in the middle.
    pub(super) fn survey(&mut self, event: &Event<'_>) -> Result<()> {
        let begins = self.begins.get_or_insert_default();
        begins.survey(event)?;
        self.zero = begins.zero;
        Ok(())
    }

    pub(super) fn events(&self) -> usize {
        let bdis = self.bdis.values();
        bdis.map(|bdi| bdi.recording.events.len()).sum()
    }

    pub(super) fn event(&mut self, event: &Event<'_>) -> Result<()> {
        self.listed(event)?;
        self.lines.insert(event.raw.pid, event.line);
        Ok(())
    }

    fn listed(&mut self, event: &Event<'_>) -> Result<()> {
        let pid = event.raw.pid;
        let bdi = match event.name {
            "dirty_inode" => bdi_of(event)?,
            "wb_exec" | "wb_start" | "wb_written" => {
                let bdi = event.text("bdi")?;
                self.flushers.insert(pid, bdi.to_owned());
                self.begun.insert(pid);
                Some(bdi.to_owned())
            }
            "wb_queue" | "queue_io" | "single_inode_start" | "inode_requeue" | "single_inode" => {
                Some(event.text("bdi")?.to_owned())
            }
            "pages_written" => self.done(event)?,
            _ => None,
        };
        let Some(bdi) = bdi else {
            return Ok(());
        };
        if let Some(begins) = &self.begins
            && begins.from(&bdi).is_none_or(|from| event.line <= from)
        {
            return self.bdis.entry(bdi).or_default().asked(event);
        }
        match event.name {
            "dirty_inode" => self.dirty(event, bdi),
            "wb_queue" => self.bdi(event)?.queue(event),
            "wb_exec" | "wb_start" | "wb_written" => self.bdi(event)?.work(event),
            "queue_io" => {
                let limit = self.time(event, "older")?;
                let moved = small(event, "moved")?;
                let bdi = self.bdi(event)?;
                bdi.queued.get_or_insert((event.line, limit, moved));
                bdi.flusher(event, "QueueIo", vec![Value::Int(limit), Value::Int(moved)]);
                Ok(())
            }
            "single_inode_start" => {
                self.expect_flusher(event)?;
                let (ino, when) = (small(event, "ino")?, self.time(event, "dirtied")?);
                let bdi = self.bdi(event)?;
                bdi.picked.push((ino, event.line));
                bdi.flusher(event, "Pick", vec![Value::Int(ino), Value::Int(when)]);
                Ok(())
            }
            "inode_requeue" => {
                let ino = small(event, "ino")?;
                let bdi = self.bdi(event)?;
                bdi.picked.push((ino, event.line));
                bdi.flusher(event, "PickBusy", vec![Value::Int(ino)]);
                Ok(())
            }
            "single_inode" => {
                self.expect_flusher(event)?;
                self.bdi(event)?.write_inode(event)
            }
            "pages_written" => {
                let pages = small(event, "pages")?;
                let bdi = self.bdis.entry(bdi).or_default();
                bdi.flusher(event, "FinishWork", vec![Value::Int(pages)]);
                bdi.current = None;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whose work is over: the event does not say it. A worker serves several bdis, and others' events need not be in the file: if it
    /// has begun nothing here since it was done, what it has written was not written here; and of a file system in use not even that
    /// nothing was to be done is known to be of here.
    fn done(&mut self, event: &Event<'_>) -> Result<Option<String>> {
        let pid = event.raw.pid;
        let has_begun = self.begun.remove(&pid);
        let is_others = event.number("pages")? > 0 || self.begins.is_some();
        let bdi = self.flushers.get(&pid).cloned();
        Ok(bdi.filter(|_| has_begun || !is_others))
    }

    fn bdi(&mut self, event: &Event<'_>) -> Result<&mut Bdi> {
        let name = event.text("bdi")?;
        Ok(self.bdis.entry(name.to_owned()).or_default())
    }

    /// Jiffies since the first time.
    fn time(&mut self, event: &Event<'_>, field: &str) -> Result<i64> {
        let time = event.number(field)?;
        let zero = *self.zero.get_or_insert(time);
        ensure!(
            time.abs_diff(zero) < FARTHEST,
            "{}: the field `{field}` is {time}, and the first time of the file is {zero}: they are too far from each other",
            event.place()
        );
        let after = i64::try_from(time.abs_diff(zero))?;
        Ok(if time < zero { -after } else { after })
    }

    /// The step was taken before its event, which the task writes without list_lock.
    fn dirty(&mut self, event: &Event<'_>, bdi: String) -> Result<()> {
        let (ino, when) = (small(event, "ino")?, self.time(event, "dirtied")?);
        is_dirty(event)?;
        let from = self.lines.get(&event.raw.pid).copied().unwrap_or(1);
        let to = event.line;
        let bdi = self.bdis.entry(bdi).or_default();
        bdi.dirtied.push(Dirtied {
            ino,
            when,
            from,
            to,
        });
        let args = vec![Value::Int(ino), Value::Int(when)];
        bdi.recording.push(&task(event), (from, to), "Dirty", args);
        Ok(())
    }

    fn expect_flusher(&self, event: &Event<'_>) -> Result<()> {
        let bdi = self.flushers.get(&event.raw.pid);
        ensure!(
            bdi.is_some_and(|bdi| event.text("bdi").is_ok_and(|named| named == bdi)),
            "{}: {} writes an inode, and is no flusher that has begun to work: begin to record before, \
             with a workload that does not write single inodes (fsync without a journal)",
            event.place(),
            task(event)
        );
        Ok(())
    }

    /// The trace of each bdi whose flusher has worked.
    pub(super) fn end(self, source: &Source, synced: Option<usize>, out: &mut Vec<Trace>) {
        let zero = self.zero;
        for (name, bdi) in self.bdis {
            let works = if self.begins.is_some() {
                bdi.recording
                    .events
                    .iter()
                    .any(|event| event.thread == "flusher")
            } else {
                !bdi.works.is_empty()
            };
            if zero.is_some() && works {
                let known = self.begins.as_ref().and_then(|begins| begins.from(&name));
                let trace = bdi.end(&name, source, synced);
                out.push(Trace { known, ..trace });
            }
        }
    }

    /// The bdis whose lists are never known.
    pub(super) fn unknown(&self) -> Vec<&str> {
        let begins = self.begins.as_ref();
        begins.map(Begins::unknown).unwrap_or_default()
    }
}

impl Bdi {
    /// Under list_lock, or of what nobody else changes: at its line.
    fn flusher(&mut self, event: &Event<'_>, action: &str, args: Vec<Value>) {
        if let Some(written) = self.open.take() {
            self.recording.events[written].to = event.line as u64;
        }
        let at = (event.line, event.line);
        self.recording.push("flusher", at, action, args);
    }

    fn queue(&mut self, event: &Event<'_>) -> Result<()> {
        let work = Work::of(event)?.value();
        self.works.insert(work.clone());
        let at = (event.line, event.line);
        self.recording.push(&task(event), at, "Queue", vec![work]);
        Ok(())
    }

    /// Before the line from which on the lists are known: of what is asked for, what is not begun remains.
    fn asked(&mut self, event: &Event<'_>) -> Result<()> {
        match event.name {
            "wb_queue" => self.queue(event),
            "wb_exec" => {
                let work = [Work::of(event)?.value().to_string()];
                let mut asked = self.recording.events.iter();
                if let Some(place) = asked.position(|asked| asked.args == work) {
                    self.recording.events.remove(place);
                    self.recording.lines.remove(place);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn work(&mut self, event: &Event<'_>) -> Result<()> {
        let now = Work::of(event)?;
        let goes_on = event.name != "wb_exec";
        let work = match &self.current {
            Some(current) if goes_on && current.is_same(&now) => current.clone(),
            _ => now.clone(),
        };
        let value = work.value();
        self.works.insert(value.clone());
        let done = work.pages.checked_sub(now.pages);
        let done = done.filter(|done| done.unsigned_abs() <= super::LARGEST);
        let done = done.with_context(|| {
            format!(
                "{}: {} pages of {} are left: they are too far from each other",
                event.place(),
                now.pages,
                work.pages
            )
        })?;
        self.current = Some(work);
        match event.name {
            "wb_exec" => self.flusher(event, "Exec", vec![value]),
            "wb_start" => self.flusher(event, "Start", vec![value]),
            _ => {
                let over = Value::Bool(now.pages <= 0);
                self.flusher(event, "EndPass", vec![value, over]);
            }
        }
        self.recording.saw("done", done);
        Ok(())
    }

    /// requeue_inode follows behind the event, and before the flusher's next one.
    fn write_inode(&mut self, event: &Event<'_>) -> Result<()> {
        let wrote = small(event, "wrote")?;
        let again = is_dirty(event)?;
        let spent = is_spent(event)?;
        let ino = Value::Int(small(event, "ino")?);
        let args = vec![
            ino,
            Value::Int(wrote),
            Value::Bool(again),
            Value::Bool(spent),
        ];
        self.flusher(event, "WriteInode", args);
        self.open = Some(self.recording.events.len() - 1);
        Ok(())
    }

    /// What was dirty before the trace began: inodes that are picked without having been dirtied, and what else the first queue_io
    /// has moved.
    fn before(&self) -> Vec<i64> {
        let mut before: Vec<i64> = Vec::new();
        let mut seen = BTreeSet::new();
        for (ino, picked) in &self.picked {
            let mut dirtied = self.dirtied.iter();
            let is_dirtied = dirtied.any(|dirtied| dirtied.ino == *ino && dirtied.from < *picked);
            if seen.insert(*ino) && !is_dirtied {
                before.push(*ino);
            }
        }
        if let Some((line, limit, moved)) = self.queued {
            let is_old = |dirtied: &&Dirtied| dirtied.to < line && dirtied.when <= limit;
            let known = before.len() + self.dirtied.iter().filter(is_old).count();
            let moved = usize::try_from(moved).unwrap_or(0).min(crate::kernel::MOST);
            before.resize(before.len() + moved.saturating_sub(known), 0);
        }
        before
    }

    fn end(mut self, name: &str, source: &Source, synced: Option<usize>) -> Trace {
        if let Some(line) = synced {
            self.recording
                .push("sync", (line, line), "Synced", Vec::new());
        }
        let before = self.before().into_iter().map(Value::Int).collect();
        let mut foreign = BTreeSet::from([Value::Int(0)]);
        foreign.extend(device_inode(name).map(Value::Int));
        let constants = [
            ("Before", Value::Seq(before).to_string()),
            ("Foreign", Value::Set(foreign).to_string()),
            ("Works", Value::Set(self.works).to_string()),
            ("Args", "<- TraceArguments".to_owned()),
        ];
        let of = format!("the lists of bdi {name}");
        self.recording
            .trace(source, "ObservedLists", &of, &constants)
    }
}

/// The bdi of an inode that is dirtied.
pub(super) fn bdi_of(event: &Event<'_>) -> Result<Option<String>> {
    Ok(match event.text("dev")?.split_once(',') {
        // The inode of a block device has the device's number, and is on the device's bdi.
        Some(("0", _)) => {
            let ino = small(event, "ino")?;
            Some(format!("{}:{}", ino >> 20, ino & 0xf_ffff))
        }
        Some((major, minor)) => Some(format!("{major}:{minor}")),
        None => None,
    })
}

/// Whether an inode that was written has pages left, and has used its slice up.
pub(super) fn is_spent(event: &Event<'_>) -> Result<bool> {
    let has_pages = event.text("state")?.contains("I_DIRTY_PAGES");
    Ok(has_pages && signed(event, "to_write")? <= small(event, "wrote")?)
}

/// The inode of the block device that a bdi is named after: `7:0`.
fn device_inode(bdi: &str) -> Option<i64> {
    let (major, minor) = bdi.split_once(':')?;
    let (major, minor): (i64, i64) = (major.parse().ok()?, minor.parse().ok()?);
    Some((major << 20) | minor)
}
