//! A truncate that grows a file of ext4. Its size is in no event: the workload's mark before the call says it.

use anyhow::{Context as _, Result, ensure};

use super::super::event::Event;
use super::task::{Current, Phase, Task};
use super::window::{Request, SECTOR};
use super::{Dio, name};

/// Who starts the handle under which the size changes.
const SETATTR: &str = "ext4_setattr+";

impl Dio {
    /// The workload's mark, before a call or behind it.
    pub(super) fn mark(&mut self, event: &Event<'_>, task: &mut Task) -> Result<()> {
        let frees = task.current.as_ref();
        ensure!(
            !frees.is_some_and(|it| matches!(it.phase, Phase::Frees(_))),
            "{}: the handle of the truncate has not stopped: record jbd2_handle_stats too",
            event.place()
        );
        let waits = task.current.as_ref().filter(|it| {
            let file = self.files.get(&it.file);
            let is_async = file.is_none_or(|file| file.window.requests[it.place].is_async);
            !is_async && matches!(it.phase, Phase::Begun(_) | Phase::Maps)
        });
        ensure!(
            waits.is_none(),
            "{}: the call has begun a request, and ends before it: iomap_dio_complete is missing",
            event.place()
        );
        self.has_unlocked(task, event.line);
        task.asked.clear();
        task.waits = None;
        task.drains = None;
        let truncates = event.raw.body.starts_with("B t ");
        task.truncates = truncates.then(|| event.number("size")).transpose()?;
        Ok(())
    }

    /// `ext4_journal_start_inode` of `ext4_setattr`: the truncate has the lock.
    pub(super) fn sets_size(&mut self, event: &Event<'_>, task: &mut Task) -> Result<()> {
        let Some(size) = task.truncates else {
            return Ok(());
        };
        if task.current.is_some() || !event.text("caller")?.starts_with(SETATTR) {
            return Ok(());
        }
        let name = match self.files.keys().next() {
            // An event that does not say of which file it is says enough where there is one.
            Some(only) if !event.knows("ino") && self.files.len() == 1 => only.clone(),
            _ => name(event)?,
        };
        if self.source.midway && !self.known.contains_key(&name) {
            self.unknown.entry(name).or_default().size = Some(size);
            return Ok(());
        }
        let file = self.files.get_mut(&name);
        let (file, before) = file
            .and_then(|file| file.size.map(|size| (file, size)))
            .with_context(|| {
                format!(
                    "{}: nothing tells how long the file is before this truncate: let a direct write be the first",
                    event.place()
                )
            })?;
        ensure!(
            size > before && size % SECTOR == 0,
            "{}: a truncate from {before} bytes to {size}: record those only that grow the file, by whole sectors of {SECTOR} bytes",
            event.place()
        );
        let window = &mut file.window;
        window
            .requests
            .push(Request::truncate(size, before, event.line));
        let place = window.requests.len() - 1;
        // A task may have waited for some other lock before.
        let lock = file.lock.as_ref();
        let wait = task.waits.take();
        let wait = wait.filter(|wait| lock.is_none_or(|lock| *lock == wait.lock));
        let unseen = (task.last, task.locked_by(event.line));
        let (called, locked) = match &wait {
            Some(wait) => (
                (wait.before, wait.from),
                (wait.from, wait.to.unwrap_or(event.line)),
            ),
            None => (unseen, unseen),
        };
        window.step("Call", place, &task.name, called);
        let drains = task.drains.take();
        let sees = window.step("Lock", place, &task.name, locked);
        sees.drains = self.shows_drains.then_some(drains.is_some());
        if let Some(wait) = wait {
            sees.held = Some(wait.mode.name());
            file.lock = Some(wait.lock);
        }
        if let Some(lines) = drains {
            window.step("Drain", place, &task.name, lines);
        }
        task.current = Some(Current {
            file: name,
            place,
            phase: Phase::Frees(event.line),
            held: None,
        });
        Ok(())
    }

    /// `jbd2_handle_stats`: the size has changed.
    pub(super) fn has_set_size(&mut self, event: &Event<'_>, task: &mut Task) {
        let Some(Current {
            file: name,
            place,
            phase: Phase::Frees(line),
            ..
        }) = task.current.clone()
        else {
            return;
        };
        let Some(file) = self.files.get_mut(&name) else {
            return;
        };
        file.size = Some(file.window.requests[place].offset);
        let lines = (line, event.line);
        file.window.step("Free", place, &task.name, lines);
        file.leaves(task, &name, place, event.line);
    }
}
