//! What a task does until its request begins: it takes i_rwsem and looks at the mapping, perhaps more than once.

use anyhow::{Context as _, Result, bail, ensure};

use super::super::event::Event;
use super::checks::{Check, covered};
use super::task::{Ask, Current, Did, Mode, Phase, Task};
use super::window::{OPEN, Request, SECTOR};
use super::{Dio, File, name};

/// Blocks of one request.
const MOST_BLOCKS: u64 = 1024;

/// IOMAP_DIO_FORCE_WAIT; in 5.10 it is an argument, `wait_for_completion`.
const FORCE_WAIT: u64 = 1;

/// IOMAP_DIO_OVERWRITE_ONLY.
const OVERWRITE_ONLY: u64 = 2;

/// A look-up's extent: its state, its first block, and the block behind it.
pub type Extent = (&'static str, u64, u64);

impl Dio {
    /// `ext4_es_lookup_extent_exit`: before a request begins it is the check, behind that a part of the mapping.
    /// A truncate looks up the block that it zeroes the rest of.
    pub(super) fn look_up(&mut self, event: &Event<'_>, task: &mut Task) -> Result<()> {
        if task.truncates.is_some() {
            return Ok(());
        }
        let extent = extent(event)?;
        let name = name(event)?;
        let Some(current) = &mut task.current else {
            // Workers convert blocks, and begin nothing.
            if !task.name.starts_with("kworker") {
                let wait = task.waits.take();
                let line = wait.as_ref().map_or(event.line, |wait| wait.from);
                self.has_unlocked(task, line);
                task.ask(Did::LookUp(extent), name, wait, event.line);
            }
            return Ok(());
        };
        let (Phase::Begun(step), Some(file)) = (current.phase, self.files.get_mut(&name)) else {
            return Ok(());
        };
        if current.file != name {
            return Ok(());
        }
        let window = &mut file.window;
        let blocks = window.requests[current.place].blocks(self.block);
        let first = *blocks.start();
        let seen = covered(blocks, first, extent).with_context(|| event.place())?;
        let step = &mut window.steps[step];
        step.to = event.line;
        for (block, extent) in seen {
            window.extents.entry(block).or_insert(extent);
            step.sees.extents.push((block, extent));
        }
        current.phase = Phase::Maps;
        Ok(())
    }

    /// `xfs_ilock`, which is before the lock is asked for.
    pub(super) fn lock(&mut self, event: &Event<'_>, task: &mut Task) -> Result<()> {
        let Some(mode) = Mode::of_ilock(event.text("flags")?) else {
            return Ok(());
        };
        // A lock given up for the exclusive one at once is this request's; any other was some other call's.
        let name = name(event)?;
        let is_upgrade = task.asked.last().is_some_and(|ask| {
            let at_once = (mode, ask.line) == (Mode::Exclusive, task.last);
            matches!(ask.did, Did::Unlock) && ask.file == name && at_once
        });
        if !is_upgrade {
            task.asked.clear();
        }
        task.ask(Did::Lock(mode), name, None, event.line);
        Ok(())
    }

    /// `iomap_dio_rw_begin`: what the task has done before is this request's, or its second attempt's.
    pub(super) fn begin(&mut self, event: &Event<'_>, task: &mut Task) -> Result<()> {
        let name = name(event)?;
        let request = request(event)?;
        let blocks = request.blocks(self.block);
        ensure!(
            blocks.end() - blocks.start() < MOST_BLOCKS,
            "{}: a request of more than {MOST_BLOCKS} blocks: record shorter ones",
            event.place()
        );
        let mut asked = std::mem::take(&mut task.asked);
        asked.retain(|ask| ask.file == name);
        // What grows the file may queue for the lock without a look before.
        let called = match (asked.first(), &task.waits) {
            (Some(ask), _) => (ask.before, ask.from()),
            (None, Some(wait)) => (wait.before, wait.from),
            (None, None) => (task.last, task.locked_by(event.line)),
        };
        self.has_unlocked(task, called.1);
        let mut file = self.take(&name);
        file.is_xfs |= asked.iter().any(|ask| matches!(ask.did, Did::Lock(_)));
        let place = match &task.current {
            None => {
                file.window.requests.push(request);
                let place = file.window.requests.len() - 1;
                file.window.flying.push(place);
                file.window.step("Call", place, &task.name, called);
                place
            }
            Some(it) if (it.phase, &it.file) == (Phase::Again, &name) => {
                let refused = &mut file.window.requests[it.place];
                ensure!(
                    (refused.offset, refused.length) == (request.offset, request.length),
                    "{}: the request that was refused was to be tried again, and this is another one",
                    event.place()
                );
                *refused = request;
                it.place
            }
            Some(_) => bail!(
                "{}: {} begins a request before its last one has ended",
                event.place(),
                task.name
            ),
        };
        let held = if file.is_xfs {
            Some(shown_locks(event, &asked, task, &mut file, place)?)
        } else {
            self.look_ups(event, &asked, task, &mut file, place)?;
            None
        };
        let request = &file.window.requests[place];
        let (wait, size) = (request.force_wait, request.size);
        let decided = self.waits_when_forced || request.is_async;
        file.size = Some(size);
        let flag = has_flag(event, "OVERWRITE_ONLY", OVERWRITE_ONLY)?;
        let lines = (event.line, OPEN);
        let sees = file.window.step("Begin", place, &task.name, lines);
        (sees.wait, sees.flag, sees.size) = (decided.then_some(wait), Some(flag), Some(size));
        task.current = Some(Current {
            file: name.clone(),
            place,
            phase: Phase::Begun(file.window.steps.len() - 1),
            held,
        });
        self.files.insert(name, file);
        Ok(())
    }

    /// ext4: each check is one or two look-ups, with the lock taken before it.
    fn look_ups(
        &self,
        event: &Event<'_>,
        asked: &[Ask],
        task: &mut Task,
        file: &mut File,
        place: usize,
    ) -> Result<()> {
        let window = &mut file.window;
        let checks = self
            .looks
            .checks(&window.requests[place], asked, self.block);
        let checks = checks.with_context(|| event.place())?;
        let unseen = checks.is_empty();
        let unchecked = unseen
            || self
                .looks
                .upgrades(&window.requests[place], &checks, self.block);
        for Check { seen, first, last } in checks {
            for (block, extent) in &seen {
                window.extents.entry(*block).or_insert(extent);
            }
            // A task may have waited for some other lock before; this one has one address.
            let lock = file.lock.as_ref();
            let wait = first.wait.as_ref();
            let wait = wait.filter(|wait| lock.is_none_or(|lock| *lock == wait.lock));
            let granted = match wait {
                Some(wait) => {
                    file.lock = Some(wait.lock.clone());
                    let to = wait.to.unwrap_or(first.line);
                    let sees = window.step("Lock", place, &task.name, (wait.from, to));
                    sees.held = Some(wait.mode.name());
                    to
                }
                None => {
                    window.step("Lock", place, &task.name, (first.before, first.line));
                    first.before
                }
            };
            let lines = (granted, last.line);
            window.step("Check", place, &task.name, lines).extents = seen;
        }
        // Behind the last look-up a task waits for other locks too.
        let wait = task.waits.take();
        let wait = wait.filter(|wait| unchecked || file.lock.as_ref() == Some(&wait.lock));
        if let Some(wait) = &wait {
            let to = wait.to.unwrap_or(event.line);
            let sees = window.step("Lock", place, &task.name, (wait.from, to));
            sees.held = Some(wait.mode.name());
        }
        if unchecked {
            ensure!(
                !unseen || self.looks.skips(&window.requests[place], self.block),
                "{}: nobody has looked up its mapping before: record ext4_es_lookup_extent_exit or, of XFS, xfs_ilock and xfs_iunlock",
                event.place()
            );
            let until = task.locked_by(event.line);
            let granted = match wait {
                Some(wait) => wait.to.unwrap_or(until),
                None => {
                    let lines = (task.last, until);
                    window.step("Lock", place, &task.name, lines);
                    task.last
                }
            };
            window.step("Check", place, &task.name, (granted, until));
        }
        let drains = task.drains.take();
        if self.shows_drains
            && let Some(check) = window
                .steps
                .last_mut()
                .filter(|step| step.action == "Check")
        {
            check.sees.drains = Some(drains.is_some());
        }
        if let Some(lines) = drains {
            window.step("Drain", place, &task.name, lines);
        }
        Ok(())
    }
}

/// XFS: the last lock that it has asked for is the one that it holds. One that it has given up for that, to change the inode's
/// security marks or to zero what lies beyond EOF, the specification does not have: how it holds it then is not told.
fn shown_locks(
    event: &Event<'_>,
    asked: &[Ask],
    task: &Task,
    file: &mut File,
    place: usize,
) -> Result<Mode> {
    let (Some(ask), Some(Did::Lock(mode))) = (asked.last(), asked.last().map(|ask| ask.did)) else {
        bail!(
            "{}: the task holds no lock of the file: record xfs_ilock and xfs_iunlock too",
            event.place()
        )
    };
    let until = ask.until.unwrap_or(event.line);
    let window = &mut file.window;
    let from = ask.wait.as_ref().map_or(ask.line, |wait| wait.from);
    let sees = window.step("Lock", place, &task.name, (from, until));
    sees.held = (asked.len() == 1).then_some(mode.name());
    window.step("Check", place, &task.name, (until, event.line));
    Ok(mode)
}

pub(super) fn request(event: &Event<'_>) -> Result<Request> {
    let [offset, length, size] = [
        event.number("offset")?,
        event.number("length")?,
        event.number("size")?,
    ];
    let end = offset.checked_add(length);
    ensure!(
        end.is_some_and(|end| end.max(size) <= i64::MAX as u64) && length > 0,
        "{}: {length} bytes at {offset} of a file of {size} are no request",
        event.place()
    );
    ensure!(
        offset % SECTOR == 0 && length % SECTOR == 0,
        "{}: {length} bytes at {offset}: the specification has whole sectors of {SECTOR} bytes only",
        event.place()
    );
    let flags = if event.knows("flags") {
        event.text("flags")?
    } else {
        ""
    };
    ensure!(
        flags.contains("WRITE") || !flags.contains("AIO_RW"),
        "{}: a direct read: record writes only",
        event.place()
    );
    Ok(Request {
        truncates: false,
        offset,
        length,
        is_async: event.number("aio")? != 0,
        nowait: flags.contains("NOWAIT"),
        force_wait: has_flag(event, "FORCE_WAIT", FORCE_WAIT)?,
        size,
        mapped: Vec::new(),
        line: event.line,
    })
}

/// A flag of a direct write, by its name or, where a probe shows it, its bit.
fn has_flag(event: &Event<'_>, name: &str, bit: u64) -> Result<bool> {
    let flags = event.text("dio_flags")?;
    Ok(if flags.starts_with("0x") {
        event.number("dio_flags")? & bit != 0
    } else {
        flags.contains(name)
    })
}

/// What the extent status tree has found.
fn extent(event: &Event<'_>) -> Result<Extent> {
    let found = || {
        let (from, length) = event.text("extent").ok()?.split_once('/')?;
        let (from, length): (u64, u64) = (
            from.parse().ok()?,
            length.trim_end_matches(')').parse().ok()?,
        );
        let state = match event.text("status").ok()?.trim_end_matches('R') {
            "W" => "written",
            "U" => "unwritten",
            "H" => "hole",
            _ => return None,
        };
        Some((state, from, from.checked_add(length)?))
    };
    let Some(extent) = found().filter(|_| event.text("found").is_ok_and(|found| found == "1"))
    else {
        bail!(
            "{}: a look-up that has not found whether blocks are written (`{}`): read the file once before the trace",
            event.place(),
            event.raw.body
        )
    };
    Ok(extent)
}
