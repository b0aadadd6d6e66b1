//! What follows the beginning of a request: its blocks are mapped, its I/O ends, the lock is given up.

use anyhow::{Context as _, Result, bail, ensure};

use super::super::event::Event;
use super::task::{Did, Mode, Phase, Task};
use super::{Dio, name};

/// -EAGAIN, as events write it.
pub(super) const EAGAIN: &str = "-11";

impl Dio {
    /// `iomap_iter_dstmap`: blocks are mapped, and their I/Os follow.
    pub(super) fn map(&mut self, event: &Event<'_>, task: &mut Task) -> Result<()> {
        let name = name(event)?;
        let current = task.current.as_mut().filter(|it| it.file == name);
        let (Some(current), Some(file)) = (current, self.files.get_mut(&name)) else {
            return Ok(());
        };
        let window = &mut file.window;
        if let Phase::Begun(step) = current.phase {
            ensure!(
                file.is_xfs,
                "{}: blocks are mapped that nobody has looked up: record ext4_es_lookup_extent_exit too",
                event.place()
            );
            window.steps[step].to = event.line;
        }
        current.phase = Phase::Maps;
        let extent = match event.text("type")? {
            "MAPPED" => "written",
            "UNWRITTEN" => "unwritten",
            other => bail!("{}: a write to a block that is {other}", event.place()),
        };
        // What is new was a hole, if nobody has looked it up before: ext4 allocates it as written at or behind EOF, else as
        // unwritten, and calls blocks new that were unwritten.
        let flags = event.optional("flags")?.unwrap_or_default();
        let is_new = flags.split('|').any(|flag| flag == "NEW");
        let was = if is_new { "hole" } else { extent };
        let (from, length) = (event.number("offset")?, event.number("length")?);
        let to = from.saturating_add(length);
        ensure!(
            from % self.block == 0 && length % self.block == 0,
            "{}: {length} bytes at {from} are no blocks of {} bytes",
            event.place(),
            self.block
        );
        let request = &mut window.requests[current.place];
        let blocks = request.blocks(self.block).skip(request.mapped.len());
        let mapped: Vec<u64> = blocks
            .take_while(|block| from <= block * self.block && (block + 1) * self.block <= to)
            .collect();
        ensure!(
            !mapped.is_empty(),
            "{}: {from} to {to} is mapped, which is not what the request at line {} goes on with",
            event.place(),
            request.line
        );
        request.line = event.line;
        let is_new = |block: &u64| (*block, is_new || extent == "unwritten");
        request.mapped.extend(mapped.iter().map(is_new));
        for block in mapped {
            window.extents.entry(block).or_insert(was);
            let lines = (task.last, event.line);
            let sees = window.step("Map", current.place, &task.name, lines);
            sees.extents.push((block, extent));
        }
        Ok(())
    }

    /// `iomap_dio_rw_queued`: the caller goes on while its I/O is in flight.
    pub(super) fn queued(&mut self, event: &Event<'_>, task: &mut Task) -> Result<()> {
        let name = name(event)?;
        let current = task.current.as_mut().filter(|it| it.file == name);
        let (Some(current), Some(file)) = (current, self.files.get_mut(&name)) else {
            bail!("{}: the task has begun no request", event.place())
        };
        if let Phase::Begun(step) = current.phase {
            file.window.steps[step].to = event.line;
        }
        let place = current.place;
        file.leaves(task, &name, place, event.line);
        Ok(())
    }

    /// `iomap_dio_complete`: a request was refused; or all its I/O is done, and it counts no more in i_dio_count.
    pub(super) fn complete(&mut self, event: &Event<'_>, task: &mut Task) -> Result<()> {
        let ret = event.text("ret")?;
        let (name, end, is_async, size) = if event.knows("end") {
            if event.text("error")? == EAGAIN {
                return self.refused(event, task);
            }
            ensure!(
                event.text("error")? == "0",
                "{}: an I/O error, which the projection does not know: record without faults",
                event.place()
            );
            let size = Some(event.number("size")?);
            (
                name(event)?,
                event.number("end")?,
                event.text("aio")? == "1",
                size,
            )
        } else {
            // A probe of the return tells no more; whoever waits for its own I/O completes that.
            let current = task
                .current
                .as_ref()
                .with_context(|| format!("{}: the task has begun no request", event.place()))?;
            let file = self.files.get(&current.file).context("its file")?;
            let end = file.window.requests[current.place].end();
            (current.file.clone(), end, false, None)
        };
        let file = self.files.get_mut(&name);
        let found = file.and_then(|file| {
            let is_it = |place: &usize| {
                let request = &file.window.requests[*place];
                (request.end(), request.is_async) == (end, is_async)
                    && request.length.to_string() == ret
            };
            let own = task.current.as_ref().filter(|it| it.file == name);
            let own = own.map(|it| it.place).filter(is_it);
            let queued = |place: &usize| {
                let request = &file.window.requests[*place];
                request.is_async && !request.force_wait && is_it(place)
            };
            let place = own.or_else(|| file.window.flying.iter().copied().find(queued))?;
            Some((file, place))
        });
        let (file, place) = found.with_context(|| {
            format!(
                "{}: no request of {ret} bytes is in flight that ends at {end}: events are missing",
                event.place()
            )
        })?;
        file.size = size.or(file.size);
        let window = &mut file.window;
        window.flying.retain(|other| *other != place);
        let request = &window.requests[place];
        // Blocks are converted before the events of that conversion; what comes behind inode_dio_end has no event but this one.
        let from = task.completed.max(request.line);
        let changes = request.end() > request.size || request.mapped.iter().any(|(_, new)| *new);
        let until = if changes { event.line } else { from };
        window.completes(place, &task.name, from, self.block);
        window.step("EndIo", place, &task.name, (from, until));
        let lines = (from.max(task.last), event.line);
        window.step("DioEnd", place, &task.name, lines).size = size;
        task.completed = event.line;
        let own = task.current.as_ref().filter(|it| it.file == name);
        if let Some(current) = own.filter(|it| it.place == place) {
            if let Phase::Begun(step) = current.phase {
                window.steps[step].to = event.line;
            }
            file.leaves(task, &name, place, event.line);
        }
        Ok(())
    }

    /// XFS: a block is not written, and the request may not write to such.
    fn refused(&mut self, event: &Event<'_>, task: &mut Task) -> Result<()> {
        let name = name(event)?;
        let end = event.number("end")?;
        let current = task.current.as_mut().filter(|it| it.file == name);
        let file = self.files.get_mut(&name).filter(|file| file.is_xfs);
        let (Some(current), Some(file)) = (current, file) else {
            bail!("{}: -EAGAIN, and no request of XFS", event.place())
        };
        let (window, place) = (&mut file.window, current.place);
        ensure!(
            window.requests[place].offset == end,
            "{}: -EAGAIN at {end}, where the request of the task does not begin",
            event.place()
        );
        if let Phase::Begun(step) = current.phase {
            window.steps[step].to = event.line;
        }
        current.phase = Phase::Refused(event.line);
        let lines = (task.last, event.line);
        window.step("Map", place, &task.name, lines);
        window.completes(place, &task.name, event.line, self.block);
        window.requests[place].mapped.clear();
        Ok(())
    }

    /// `xfs_iunlock`, which is behind the unlock.
    pub(super) fn unlock(&mut self, event: &Event<'_>, task: &mut Task) -> Result<()> {
        let Some(mode) = Mode::of_ilock(event.text("flags")?) else {
            return Ok(());
        };
        let name = name(event)?;
        let current = task.current.as_mut().filter(|it| it.file == name);
        let (Some(current), Some(file)) = (current, self.files.get_mut(&name)) else {
            if !task.asked.is_empty() {
                task.ask(Did::Unlock, name, None, event.line);
            }
            return Ok(());
        };
        let (action, line) = match current.phase {
            Phase::Refused(line) => ("Retry", line),
            Phase::Leaves(line) => ("Unlock", line),
            _ => bail!(
                "{}: the lock is given up before the request has ended",
                event.place()
            ),
        };
        ensure!(
            current.held == Some(mode),
            "{}: the lock is given up as {}, and was taken otherwise",
            event.place(),
            mode.name()
        );
        let lines = (line, event.line);
        file.window.step(action, current.place, &task.name, lines);
        if action == "Retry" {
            current.phase = Phase::Again;
        } else {
            task.current = None;
        }
        Ok(())
    }
}

/// `iomap_iter` says of a request whether it is a write.
///
/// # Errors
/// If it is none.
pub fn is_a_write(event: &Event<'_>, task: &Task) -> Result<()> {
    ensure!(
        task.current.is_none() || event.text("flags")?.contains("WRITE"),
        "{}: a direct read: record writes only",
        event.place()
    );
    Ok(())
}
