//! What is in flight on one file from a quiet moment to the next, as one trace of the specification.
//!
//! The specification's file has only the blocks that the requests touch, in their order, and one behind them where the file goes on.
//! Its sectors are as long as the requests' positions allow.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use interlock_tla::value::Value;

use super::super::Source;
use crate::recording::{Event, Head, Trace, VERSION};

/// The kernel's sectors: direct I/O is of whole ones.
pub const SECTOR: u64 = 512;

/// A write, or a truncate.
#[derive(Debug, Clone)]
pub struct Request {
    /// It is a truncate.
    pub truncates: bool,
    /// Where it begins, in bytes; of a truncate the new size.
    pub offset: u64,
    /// How long it is, in bytes.
    pub length: u64,
    /// The caller does not wait for the I/O, unless it is made to.
    pub is_async: bool,
    /// The caller waits for nothing else either.
    pub nowait: bool,
    /// IOMAP_DIO_FORCE_WAIT.
    pub force_wait: bool,
    /// i_size when it began, in bytes.
    pub size: u64,
    /// The blocks that are mapped, and whether each was new to the file's data.
    pub mapped: Vec<(u64, bool)>,
    /// The line of its last mapping, or of its beginning.
    pub line: usize,
}

impl Request {
    /// A truncate to this size, and from which one.
    pub fn truncate(offset: u64, size: u64, line: usize) -> Request {
        Request {
            truncates: true,
            offset,
            length: 0,
            is_async: false,
            nowait: false,
            force_wait: false,
            size,
            mapped: Vec::new(),
            line,
        }
    }

    /// The position behind its last byte.
    pub fn end(&self) -> u64 {
        self.offset + self.length
    }

    /// Its first and its last block.
    pub fn blocks(&self, block: u64) -> std::ops::RangeInclusive<u64> {
        self.offset / block..=(self.end() - 1) / block
    }

    /// Whether it covers its first and its last block in part.
    pub fn is_partial(&self, block: u64) -> (bool, bool) {
        let is_within = |position: u64| !position.is_multiple_of(block);
        (is_within(self.offset), is_within(self.end()))
    }

    /// The I/Os that it has in flight: a block that is new has pads, and the last one where the write reaches EOF.
    pub fn bios(&self, block: u64) -> Vec<(&'static str, u64)> {
        let mut bios = Vec::new();
        for &(of, new) in &self.mapped {
            let (from, to) = (of * block, (of + 1) * block);
            bios.push(("data", of));
            if new && self.offset > from {
                bios.push(("head", of));
            }
            if (new || self.end() >= self.size) && self.end() < to {
                bios.push(("tail", of));
            }
        }
        bios
    }
}

/// The end of a step that is not known yet.
pub const OPEN: usize = 0;

/// What a step has seen of the state.
#[derive(Debug, Clone, Default)]
pub struct Sees {
    /// How its request holds the lock.
    pub held: Option<&'static str>,
    /// Its request waits for its own I/O.
    pub wait: Option<bool>,
    /// Its request is stopped by a block that is not written.
    pub flag: Option<bool>,
    /// Its request is about to drain.
    pub drains: Option<bool>,
    /// The states of blocks.
    pub extents: Vec<(u64, &'static str)>,
    /// i_size, in bytes.
    pub size: Option<u64>,
}

/// A step of a request.
#[derive(Debug, Clone)]
pub struct Step {
    /// Who takes it.
    pub thread: String,
    /// Between these lines.
    pub from: usize,
    /// [`OPEN`]: it is not known yet.
    pub to: usize,
    /// The action.
    pub action: &'static str,
    /// Its request's place.
    pub request: usize,
    /// Which I/O of it.
    pub bio: Option<(&'static str, u64)>,
    /// What was seen.
    pub sees: Sees,
}

/// What has been in flight since a quiet moment.
#[derive(Debug, Clone, Default)]
pub struct Window {
    /// The requests.
    pub requests: Vec<Request>,
    /// Those whose I/O is not over, in the order in which they began.
    pub flying: Vec<usize>,
    /// Their steps; those of one thread are in order.
    pub steps: Vec<Step>,
    /// Each block's state at the start, from what was first seen of it.
    pub extents: BTreeMap<u64, &'static str>,
    /// How many requests and steps there were at the last quiet moment.
    quiet: [usize; 2],
}

/// Where things are in the specification's file.
struct Layout {
    blocks: Vec<u64>,
    /// Bytes.
    block: u64,
    /// Bytes.
    sector: u64,
    /// i_size at the start, in bytes.
    size: u64,
}

impl Layout {
    fn of(window: &Window, block: u64) -> Result<Layout> {
        let size = window.requests.first().map_or(0, |request| request.size);
        let mut blocks = BTreeSet::new();
        let mut sector = block;
        let mut grown = 0;
        for request in &window.requests {
            if request.truncates {
                grown = grown.max(request.offset);
            } else {
                blocks.extend(request.blocks(block));
            }
            sector = gcd(sector, gcd(request.offset, request.length));
        }
        let last = blocks.last().copied().unwrap_or(size / block);
        let end = (last + 1) * block;
        ensure!(
            grown <= end,
            "a truncate grows the file to {grown}, past the blocks that are written, which end at {end}"
        );
        // The new sizes are sectors, too.
        let truncates = window.requests.iter().filter(|request| request.truncates);
        blocks.extend(truncates.map(|request| request.offset / block));
        blocks.insert(last);
        if size > end {
            blocks.insert(last + 1);
        }
        if size < end && !size.is_multiple_of(block) {
            blocks.insert(size / block);
            sector = gcd(sector, size);
        }
        ensure!(
            sector >= SECTOR,
            "the file ends at {size}, within a sector, and its last block is written: the specification has whole sectors only"
        );
        Ok(Layout {
            blocks: blocks.into_iter().collect(),
            block,
            sector,
            size,
        })
    }

    fn per_block(&self) -> u64 {
        self.block / self.sector
    }

    fn sectors(&self) -> u64 {
        self.blocks.len() as u64 * self.per_block()
    }

    /// A block's number.
    fn number(&self, block: u64) -> u64 {
        self.blocks.partition_point(|&other| other < block) as u64
    }

    /// A position of a request.
    fn position(&self, byte: u64) -> u64 {
        let within = (byte % self.block) / self.sector;
        self.number(byte / self.block) * self.per_block() + within
    }

    /// An i_size. One that no request of these makes is none that the specification has.
    fn length(&self, size: u64) -> u64 {
        let end = self.blocks.last().map_or(0, |last| (last + 1) * self.block);
        if size == self.size && size > end {
            self.sectors()
        } else if size > end || !size.is_multiple_of(self.sector) {
            self.sectors() + 1
        } else {
            self.position(size)
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn text(text: &str) -> Value {
    Value::Str(text.to_owned())
}

fn number(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn name(request: usize) -> String {
    format!("r{}", request + 1)
}

impl Window {
    /// A request's step, taken by a thread between two lines: to be told what it has seen.
    pub fn step(
        &mut self,
        action: &'static str,
        request: usize,
        thread: &str,
        (from, to): (usize, usize),
    ) -> &mut Sees {
        self.steps.push(Step {
            thread: thread.to_owned(),
            from,
            to,
            action,
            request,
            bio: None,
            sees: Sees::default(),
        });
        let step = self.steps.len() - 1;
        &mut self.steps[step].sees
    }

    /// No request is under way.
    pub fn is_quiet(&mut self) {
        self.quiet = [self.requests.len(), self.steps.len()];
    }

    /// Leaves out the requests that began behind the last quiet moment: these.
    pub fn back_to_quiet(&mut self) -> Vec<Request> {
        let [requests, steps] = self.quiet;
        self.flying.clear();
        self.steps.truncate(steps);
        self.requests.split_off(requests)
    }

    /// All I/Os of a request are done. When each of them was is not shown, and nothing that is shown depends on it: at once.
    pub fn completes(&mut self, request: usize, thread: &str, line: usize, block: u64) {
        for bio in self.requests[request].bios(block) {
            self.step("Complete", request, thread, (line, line));
            if let Some(step) = self.steps.last_mut() {
                step.bio = Some(bio);
            }
        }
    }

    /// As a trace, of the file that is called so, with blocks of so many bytes and by this policy; what is not known to have ended
    /// has by `line`.
    ///
    /// # Errors
    /// If the specification cannot say where the file ends.
    pub fn trace(
        mut self,
        source: &Source,
        file: &str,
        policy: &str,
        block: u64,
        line: usize,
    ) -> Result<Trace> {
        for step in self.steps.iter_mut().filter(|step| step.to == OPEN) {
            step.to = line;
        }
        // Those of one thread stay in order.
        self.steps.sort_by_key(|step| step.to);
        let layout = Layout::of(&self, block)?;
        let first = self.steps.iter().map(|step| step.to).min();
        let first = first.unwrap_or(line);
        let head = Head {
            silent: Vec::new(),
            trace: VERSION,
            module: "KernelDio".into(),
            source: format!(
                "Linux {}, {file}, lines {first} to {line}",
                source.family.kernel
            ),
            constants: self.constants(&layout, policy),
        };
        let events = self.steps.iter().map(|step| event(step, &layout));
        Ok(Trace {
            head,
            events: events.collect(),
            file: source.file.clone(),
            line: first,
            lines: self.steps.iter().map(|step| step.to).collect(),
            known: None,
        })
    }

    fn constants(&self, layout: &Layout, policy: &str) -> BTreeMap<String, String> {
        let calls = self.requests.iter().enumerate().map(|(place, request)| {
            let (kind, last) = if request.truncates {
                ("truncate", layout.sectors() - 1)
            } else {
                ("write", layout.position(request.end() - layout.sector))
            };
            let fields = [
                ("kind", text(kind)),
                ("from", number(layout.position(request.offset))),
                ("to", number(last)),
                ("async", Value::Bool(request.is_async)),
                ("nowait", Value::Bool(request.nowait)),
                ("cached", Value::Bool(false)),
                ("fails", Value::Bool(false)),
            ];
            let fields = fields.map(|(name, value)| (name.to_owned(), value));
            (name(place), Value::Record(fields.into()))
        });
        let extents = layout.blocks.iter().map(|block| {
            // Nobody looks at those that are only behind the requests.
            let extent = self.extents.get(block).copied().unwrap_or("written");
            (number(layout.number(*block)), text(extent))
        });
        let constants = [
            ("Policy", format!("<- {policy}")),
            ("Calls", Value::Record(calls.collect()).to_string()),
            ("Extents", Value::Fn(extents.collect()).to_string()),
            ("Length", layout.length(layout.size).to_string()),
            ("PerBlock", layout.per_block().to_string()),
            ("Remember", "<- Forget".to_owned()),
        ];
        constants
            .map(|(name, value)| (name.to_owned(), value))
            .into()
    }
}

fn event(step: &Step, layout: &Layout) -> Event {
    let request = name(step.request);
    let sees = &step.sees;
    let mut seen = BTreeMap::new();
    let mut see = |name: String, value: Value| drop(seen.insert(name, value.to_string()));
    if let Some(held) = sees.held {
        see(format!("held {request}"), text(held));
    }
    if let Some(wait) = sees.wait {
        see(format!("wait {request}"), Value::Bool(wait));
    }
    if let Some(flag) = sees.flag {
        see(format!("flag {request}"), Value::Bool(flag));
    }
    if let Some(drains) = sees.drains {
        see(format!("drains {request}"), Value::Bool(drains));
    }
    for (block, extent) in &sees.extents {
        see(format!("extent {}", layout.number(*block)), text(extent));
    }
    if let Some(size) = sees.size {
        see("size".to_owned(), number(layout.length(size)));
    }
    let mut args = vec![text(&request)];
    if let Some((part, block)) = step.bio {
        args.extend([text(part), number(layout.number(block))]);
    }
    Event {
        others: Vec::new(),
        thread: step.thread.clone(),
        from: step.from as u64,
        to: step.to as u64,
        action: step.action.to_owned(),
        args: args.iter().map(Value::to_string).collect(),
        sees: seen,
    }
}
