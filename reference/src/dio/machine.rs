//! The state machine of direct I/O to one file: `UnalignedDio.tla`.
//!
//! States and actions bear the names that they have in the specification, where each action's kernel function is told. What
//! only the oracle of Integrity needs, the history of what was acknowledged, is left out. The actions that are enabled in a state,
//! and the state after each, are a function of the state: no threads, no clock.

use std::collections::{BTreeMap, BTreeSet};

use super::decisions::View;
use super::policy::Policy;

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A direct write.
    Write,
    /// A buffered write, with its fsync.
    Buffered,
    /// A direct read.
    Read,
    /// Makes a hole.
    Punch,
    /// Makes `from` the size.
    Truncate,
}

/// A request, in sectors: from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call {
    /// What it does.
    pub kind: Kind,
    /// Its first sector.
    pub from: u32,
    /// Its last sector.
    pub to: u32,
    /// The caller does not wait for the I/O.
    pub is_async: bool,
    /// IOCB_NOWAIT: the caller waits for nothing else either.
    pub nowait: bool,
    /// The page cache cannot be invalidated: it falls back to buffered I/O.
    pub cached: bool,
    /// Its I/O may fail.
    pub fails: bool,
}

impl Call {
    /// A synchronous call of these sectors, which may wait for anything, and whose I/O is done.
    pub const fn new(kind: Kind, from: u32, to: u32) -> Call {
        Call {
            kind,
            from,
            to,
            is_async: false,
            nowait: false,
            cached: false,
            fails: false,
        }
    }
}

/// The state of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extent {
    /// Reads as zero.
    Hole,
    /// Allocated, reads as zero.
    Unwritten,
    /// Reads as what the disk holds.
    Written,
}

/// What a sector of the disk holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Content {
    /// Zeroes.
    Zero,
    /// What was there before the block belonged to the file.
    Stale,
    /// What was in the file at the start.
    Old,
    /// What this request has written.
    Of(Request),
}

/// Which part of a request an I/O is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The pad before the data.
    Head,
    /// The data.
    Data,
    /// The pad behind the data.
    Tail,
    /// A read's.
    Read,
}

/// An I/O in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bio {
    /// Which part of its request it is.
    pub part: Part,
    /// Its block.
    pub block: u32,
}

/// A request: its place among the calls.
pub type Request = usize;

/// A way to hold i_rwsem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// For reading.
    Shared,
    /// For writing.
    Exclusive,
}

/// What a request's caller is doing; in `UnalignedDio.tla` a string of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pc {
    /// Not called yet.
    Idle,
    /// Asks for i_rwsem.
    Lock,
    /// Holds it, is to look at the mapping.
    Check,
    /// inode_dio_wait.
    Drain,
    /// Is to begin its direct I/O.
    Begin,
    /// Maps its blocks and submits I/Os.
    Map,
    /// Waits for its own I/O.
    Io,
    /// Stopped by the flag.
    Again,
    /// Buffered: is to put its data into pages.
    Fill,
    /// Buffered: is to have them written back.
    Flush,
    /// Truncate, punch: is to free blocks.
    Free,
    /// Is to give up i_rwsem.
    Unlock,
    /// -EIOCBQUEUED: I/O still in flight.
    Queued,
    /// Has returned.
    Done,
}

/// How far a request's I/O as a whole is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Io {
    /// Not begun.
    None,
    /// Begun.
    Flying,
    /// Its blocks are converted.
    Converted,
    /// It counts no more in i_dio_count.
    Ended,
}

/// What a caller gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Nothing yet.
    None,
    /// All that it asked for.
    Ok,
    /// -EAGAIN.
    Eagain,
    /// -EIO.
    Eio,
}

/// How a request wants the lock, and what it will do under it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Plan {
    /// How it wants the lock.
    pub mode: Mode,
    /// It drains.
    pub drain: bool,
    /// It waits for its own I/O.
    pub wait: bool,
    /// The mapping that a check before an upgrade saw; none if the check is repeated. Of a truncate, the sectors that it saw
    /// behind EOF.
    pub saw: BTreeMap<u32, Extent>,
    /// It has fallen back to buffered I/O.
    pub buffered: bool,
}

impl Plan {
    /// `NoPlan`, but for the mode.
    pub const fn of(mode: Mode) -> Plan {
        Plan {
            mode,
            drain: false,
            wait: false,
            saw: BTreeMap::new(),
            buffered: false,
        }
    }
}

/// How far a request is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Progress {
    /// What its caller is doing.
    pub pc: Pc,
    /// How it holds i_rwsem, if it does.
    pub held: Option<Mode>,
    /// Who asked for i_rwsem before it, and waits too, where it is granted in the order of asking.
    pub ahead: BTreeSet<Request>,
    /// What it will do.
    pub plan: Plan,
    /// The next block to be mapped.
    pub next: u32,
    /// Its I/Os in flight.
    pub bios: BTreeSet<Bio>,
    /// The blocks to be made written when all of them are done.
    pub convert: BTreeSet<u32>,
    /// How far its I/O is.
    pub io: Io,
    /// One of its I/Os has failed.
    pub failed: bool,
    /// What a read has read of each sector.
    pub buffer: BTreeMap<u32, Content>,
    /// How often it was stopped by the flag; 2 stands for more.
    pub retries: u32,
    /// What the caller got.
    pub result: Outcome,
}

impl Progress {
    /// Not called yet.
    pub const IDLE: Progress = Progress {
        pc: Pc::Idle,
        held: None,
        ahead: BTreeSet::new(),
        plan: Plan::of(Mode::Shared),
        next: 0,
        bios: BTreeSet::new(),
        convert: BTreeSet::new(),
        io: Io::None,
        failed: false,
        buffer: BTreeMap::new(),
        retries: 0,
        result: Outcome::None,
    };
}

/// A state of the file and its requests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// Each block's state.
    pub extent: Vec<Extent>,
    /// What each sector of the device holds.
    pub disk: Vec<Content>,
    /// i_size, in sectors.
    pub size: u32,
    /// i_dio_count.
    pub dio: u32,
    /// The dirty pages of the page cache.
    pub cache: BTreeMap<u32, Content>,
    /// How far each request is.
    pub requests: Vec<Progress>,
}

/// An action of `UnalignedDio.tla`, with the request that takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// The system call, the first or one more.
    Call(Request),
    /// Takes i_rwsem.
    Lock(Request),
    /// NOWAIT: does not get it.
    LockFails(Request),
    /// Looks at the mapping: stays with the lock, upgrades, or is refused.
    Check(Request),
    /// i_dio_count is 0.
    Drain(Request),
    /// Begins its direct I/O.
    Begin(Request),
    /// Cannot invalidate the page cache: on to buffered I/O.
    FallBack(Request),
    /// Looks up a block and submits its I/Os; or is stopped by the flag.
    Map(Request),
    /// Stopped by the flag: once more, or -EAGAIN.
    Retry(Request),
    /// Gives i_rwsem up.
    Unlock(Request),
    /// Buffered: its data are in dirty pages.
    Fill(Request),
    /// Buffered: they are written back.
    Flush(Request),
    /// Frees blocks, or makes the file longer.
    Free(Request),
    /// The device has done an I/O for this block.
    Complete(Request, Part, u32),
    /// The device has failed to.
    Fail(Request, Part, u32),
    /// Unwritten blocks become written, i_size grows.
    EndIo(Request),
    /// inode_dio_end.
    DioEnd(Request),
}

impl Action {
    /// The request that takes it.
    pub fn request(self) -> Request {
        match self {
            Action::Call(r)
            | Action::Lock(r)
            | Action::LockFails(r)
            | Action::Check(r)
            | Action::Drain(r)
            | Action::Begin(r)
            | Action::FallBack(r)
            | Action::Map(r)
            | Action::Retry(r)
            | Action::Unlock(r)
            | Action::Fill(r)
            | Action::Flush(r)
            | Action::Free(r)
            | Action::Complete(r, ..)
            | Action::Fail(r, ..)
            | Action::EndIo(r)
            | Action::DioEnd(r) => r,
        }
    }
}

/// A file, the requests that are made of it, and its design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The design.
    pub policy: Policy,
    /// The requests. Each is made once, unless it is among `repeats`.
    pub calls: Vec<Call>,
    /// The requests that may be made again.
    pub repeats: BTreeSet<Request>,
    /// Whether i_rwsem is granted in the order of asking; if not, to anybody who conflicts with no holder.
    pub fifo: bool,
    /// Each block's state at the start.
    pub extents: Vec<Extent>,
    /// i_size at the start, in sectors.
    pub length: u32,
    /// Sectors in a block.
    pub per_block: u32,
}

impl Machine {
    /// A file of `extents`, `length` sectors long, with `per_block` sectors in a block, and what is called, each once, for a lock
    /// that is granted in any order.
    pub fn new(
        policy: Policy,
        calls: Vec<Call>,
        extents: Vec<Extent>,
        length: u32,
        per_block: u32,
    ) -> Machine {
        Machine {
            policy,
            calls,
            repeats: BTreeSet::new(),
            fifo: false,
            extents,
            length,
            per_block,
        }
    }

    /// How many sectors the file has at most.
    pub fn sectors(&self) -> u32 {
        (self.extents.len() as u32).saturating_mul(self.per_block)
    }

    /// `Init`: nothing is called.
    pub fn init(&self) -> State {
        let content = |sector: u32| match self.extents[(sector / self.per_block) as usize] {
            Extent::Hole | Extent::Unwritten => Content::Stale,
            Extent::Written if sector >= self.length => Content::Zero,
            Extent::Written => Content::Old,
        };
        State {
            extent: self.extents.clone(),
            disk: (0..self.sectors()).map(content).collect(),
            size: self.length,
            dio: 0,
            cache: BTreeMap::new(),
            requests: vec![Progress::IDLE; self.calls.len()],
        }
    }

    /// Every action there could be, enabled or not.
    pub fn candidates(&self) -> Vec<Action> {
        let of_request = [
            Action::Call,
            Action::Lock,
            Action::LockFails,
            Action::Check,
            Action::Drain,
            Action::Begin,
            Action::FallBack,
            Action::Map,
            Action::Retry,
            Action::Unlock,
            Action::Fill,
            Action::Flush,
            Action::Free,
            Action::EndIo,
            Action::DioEnd,
        ];
        let of_bio: [fn(Request, Part, u32) -> Action; 2] = [Action::Complete, Action::Fail];
        let parts = [Part::Head, Part::Data, Part::Tail, Part::Read];
        let blocks = 0..self.extents.len() as u32;
        let bios = parts
            .iter()
            .flat_map(|&part| blocks.clone().map(move |block| (part, block)));
        let mut candidates = Vec::new();
        for r in 0..self.calls.len() {
            candidates.extend(of_request.map(|action| action(r)));
            for (part, block) in bios.clone() {
                candidates.extend(of_bio.map(|action| action(r, part, block)));
            }
        }
        candidates
    }

    /// The actions that are enabled.
    pub fn actions(&self, state: &State) -> Vec<Action> {
        let mut actions = self.candidates();
        actions.retain(|&action| self.step(state, action).is_some());
        actions
    }

    /// The state after `action`, or `None` if it is not enabled: also for a request or a state that is not this machine's.
    pub fn step(&self, state: &State, action: Action) -> Option<State> {
        if action.request() >= self.calls.len() || !self.knows(state) {
            return None;
        }
        let now = View {
            machine: self,
            state,
        };
        now.step(action)
    }

    /// Whether the state has the sizes of this machine, and nothing in it points outside.
    fn knows(&self, state: &State) -> bool {
        let (blocks, sectors) = (self.extents.len() as u32, self.sectors());
        let inside = |call: &Call| call.from <= call.to && call.to < sectors;
        let ours = |(call, progress): (&Call, &Progress)| {
            let of_block = |block: &u32| *block < blocks;
            let of_sector = |sector: &u32| *sector < sectors;
            progress.next <= blocks
                && progress.bios.iter().all(|bio| bio.block < blocks)
                && progress.convert.iter().all(of_block)
                && match call.kind {
                    Kind::Truncate => progress.plan.saw.keys().all(of_sector),
                    _ => progress.plan.saw.keys().all(of_block),
                }
                && progress.buffer.keys().all(of_sector)
                && progress.ahead.iter().all(|other| *other < self.calls.len())
        };
        self.calls.iter().all(inside)
            && state.extent.len() == self.extents.len()
            && state.disk.len() as u32 == sectors
            && state.cache.keys().all(|sector| *sector < sectors)
            && state.requests.len() == self.calls.len()
            && self.calls.iter().zip(&state.requests).all(ours)
    }
}
