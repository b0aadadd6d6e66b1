//! One line of ftrace's text, or of what `trace-cmd report` makes of it.

/// What stands for an event's name before the lines of its stack.
const STACK: &str = "<stack trace>";

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line<'a> {
    /// A comment, without its sign.
    Comment(&'a str),
    /// Events that the ring buffer has lost; `None`: nobody knows how many.
    Lost(Option<u64>),
    /// An event.
    Event(Raw<'a>),
    /// A part of the stack that belongs to the event before it.
    Stack,
    /// Nothing.
    Empty,
}

/// An event as the line has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a> {
    /// The task's name.
    pub comm: &'a str,
    /// The task.
    pub pid: u32,
    /// The processor.
    pub cpu: u32,
    /// When: nanoseconds, or, with the clock `counter`, a number.
    pub time: u64,
    /// It is nanoseconds.
    pub timed: bool,
    /// The event's name.
    pub name: &'a str,
    /// Its fields.
    pub body: &'a str,
}

impl Raw<'_> {
    /// When, if the clock of the trace tells.
    pub fn nanoseconds(&self) -> Option<u64> {
        self.timed.then_some(self.time)
    }
}

impl<'a> Line<'a> {
    /// Reads a line. `None`: it is none of these.
    pub fn parse(line: &'a str) -> Option<Line<'a>> {
        let text = line.trim();
        if text.is_empty() || text.starts_with("cpus=") || text.starts_with("version = ") {
            return Some(Line::Empty);
        }
        if let Some(comment) = text.strip_prefix('#') {
            let comment = comment.trim();
            return Some(overwritten(comment).map_or(Line::Comment(comment), Line::Lost));
        }
        if let Some(rest) = text.strip_prefix("CPU:") {
            return lost(rest).map(Line::Lost);
        }
        if text.starts_with("=>") {
            return Some(Line::Stack);
        }
        let raw = event(text)?;
        // The lines of the stack follow as lines of their own.
        Some(match raw.name {
            STACK | "kernel_stack" => Line::Stack,
            _ => Line::Event(raw),
        })
    }
}

/// `0 [LOST 17 EVENTS]`, `0 [17 EVENTS DROPPED]`, `0 [EVENTS DROPPED]`.
fn lost(text: &str) -> Option<Option<u64>> {
    let (_, rest) = text.split_once('[')?;
    let words: Vec<&str> = rest.trim_end_matches(']').split(' ').collect();
    match words[..] {
        ["LOST", count, "EVENTS"] | [count, "EVENTS", "DROPPED"] => count.parse().ok().map(Some),
        ["LOST", "EVENTS"] | ["EVENTS", "DROPPED"] => Some(None),
        _ => None,
    }
}

/// How many events a header says are lost: `entries-in-buffer/entries-written: 90/100   #P:2`, or the counters of per_cpu/*/stats,
/// `overrun: 0;commit overrun: 0;dropped events: 0;`. `None`: it says nothing of that, or that none is.
fn overwritten(comment: &str) -> Option<Option<u64>> {
    let lost = if let Some((_, counts)) = comment.split_once("entries-in-buffer/entries-written:") {
        let (kept, written) = counts.split_whitespace().next()?.split_once('/')?;
        let (kept, written): (u64, u64) = (kept.parse().ok()?, written.parse().ok()?);
        written.saturating_sub(kept)
    } else if comment.contains("overrun:") {
        let counters = comment.split(';').filter_map(|part| {
            let (_, count) = part.rsplit_once(':')?;
            count.trim().parse::<u64>().ok()
        });
        counters.fold(0, u64::saturating_add)
    } else {
        0
    };
    (lost > 0).then_some(Some(lost))
}

/// `comm-pid [cpu] flags time: name: body`; `trace-cmd report` may leave the flags out, and ftrace may add the thread group.
fn event(text: &str) -> Option<Raw<'_>> {
    // A task's name may have a bracket too: the processor is the first number in brackets that a time follows.
    let cpus = text.match_indices('[').filter_map(|(at, _)| {
        let (cpu, rest) = text[at + 1..].split_once(']')?;
        let cpu = cpu.parse().ok()?;
        let (time, rest) = stamp(rest)?;
        Some((at, cpu, time, rest))
    });
    let (at, cpu, stamp, rest) = cpus.into_iter().next()?;
    let task = text[..at].trim_end();
    let task = match task.rsplit_once(" (") {
        Some((task, group)) if group.ends_with(')') => task.trim_end(),
        _ => task,
    };
    let (comm, pid) = task.rsplit_once('-')?;
    let (name, body) = match rest.trim() {
        STACK => (STACK, ""),
        _ => rest.split_once(':')?,
    };
    Some(Raw {
        comm: comm.trim(),
        pid: pid.parse().ok()?,
        cpu,
        time: time(stamp)?,
        timed: stamp.contains('.'),
        name: name.trim(),
        body: body.trim(),
    })
}

/// The time, behind flags that may be there, and what follows it.
fn stamp(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let (first, rest) = text.split_once(' ')?;
    let is_time = |word: &&str| time(word).is_some();
    let (stamp, rest) = match first.strip_suffix(':').filter(is_time) {
        Some(stamp) => (stamp, rest),
        None => {
            let (second, rest) = rest.trim_start().split_once(' ')?;
            (second.strip_suffix(':').filter(is_time)?, rest)
        }
    };
    Some((stamp, rest.trim_start()))
}

/// `3688.406604` as nanoseconds; `123`, of the clock `counter`, as it is.
fn time(text: &str) -> Option<u64> {
    match text.split_once('.') {
        None => text.parse().ok(),
        Some((seconds, fraction)) if (1..=9).contains(&fraction.len()) => {
            let seconds: u64 = seconds.parse().ok()?;
            let digits = 9 - u32::try_from(fraction.len()).ok()?;
            let fraction: u64 = fraction.parse().ok()?;
            seconds
                .checked_mul(1_000_000_000)?
                .checked_add(fraction * 10_u64.pow(digits))
        }
        Some(_) => None,
    }
}
