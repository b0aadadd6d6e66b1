//! The steps of a file's requests, as a path of the machine, and the history oracle of `Integrity.tla` over it.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use interlock::dio::file::{Layout, Snapshot};
use interlock::dio::machine::{
    Action, Call, Content, Extent, Kind, Machine, Outcome, Pc, Request, State,
};
use interlock::dio::policy::Policy;
use interlock::dio::probe::{Probe, Seen};

/// What the sectors that are written at the start hold.
pub const OLD: u8 = 0xEE;
/// What the others hold.
pub const STALE: u8 = 0xAA;

/// The byte that a request writes.
pub fn byte_of(request: Request) -> u8 {
    u8::try_from(request + 1).expect("a few requests")
}

thread_local! {
    static NAME: Cell<Request> = const { Cell::new(0) };
}

/// Names the next calls of this thread, for [`Log::named`].
pub fn name_calls(name: Request) {
    NAME.with(|own| own.set(name));
}

/// Logs every step.
#[derive(Default)]
pub struct Log(Mutex<Logged>);

#[derive(Default)]
struct Logged {
    names: Vec<Request>,
    calls: Vec<Call>,
    actions: Vec<Action>,
}

impl Log {
    fn with<R>(&self, step: impl FnOnce(&mut Logged) -> R) -> R {
        step(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The calls and the steps until now, numbered by the calls.
    pub fn taken(&self) -> (Vec<Call>, Vec<Action>) {
        self.with(|log| (log.calls.clone(), log.actions.clone()))
    }

    /// The same, numbered by the names 0, 1, ... that the threads have given.
    pub fn named(&self) -> (Vec<Call>, Vec<Action>) {
        self.with(|log| {
            let mut calls = log.calls.clone();
            for (name, call) in log.names.iter().zip(&log.calls) {
                calls[*name] = *call;
            }
            let rename = |action: &Action| rename(*action, log.names[action.request()]);
            (calls, log.actions.iter().map(rename).collect())
        })
    }
}

impl Probe for Log {
    fn called(&self, request: Request, call: &Call) {
        self.with(|log| {
            let number = log.calls.len();
            assert_eq!(request, number, "requests are numbered by their calls");
            log.calls.push(*call);
            log.names.push(NAME.with(Cell::get));
        });
    }

    fn step(&self, action: Action, _: Seen) {
        self.with(|log| log.actions.push(action));
    }
}

/// The action, as that of request `r`.
pub fn rename(action: Action, r: Request) -> Action {
    match action {
        Action::Call(_) => Action::Call(r),
        Action::Lock(_) => Action::Lock(r),
        Action::LockFails(_) => Action::LockFails(r),
        Action::Check(_) => Action::Check(r),
        Action::Drain(_) => Action::Drain(r),
        Action::Begin(_) => Action::Begin(r),
        Action::FallBack(_) => Action::FallBack(r),
        Action::Map(_) => Action::Map(r),
        Action::Retry(_) => Action::Retry(r),
        Action::Unlock(_) => Action::Unlock(r),
        Action::Fill(_) => Action::Fill(r),
        Action::Flush(_) => Action::Flush(r),
        Action::Free(_) => Action::Free(r),
        Action::Complete(_, part, block) => Action::Complete(r, part, block),
        Action::Fail(_, part, block) => Action::Fail(r, part, block),
        Action::EndIo(_) => Action::EndIo(r),
        Action::DioEnd(_) => Action::DioEnd(r),
    }
}

/// The states of a path, the first one included.
///
/// # Errors
///
/// A step that is not enabled in the machine.
pub fn replay(machine: &Machine, actions: &[Action]) -> Result<Vec<State>, String> {
    let mut states = vec![machine.init()];
    for (place, &action) in actions.iter().enumerate() {
        let Some(next) = machine.step(&states[place], action) else {
            let path = &actions[..=place];
            return Err(format!(
                "{action:?} is not enabled in the machine: {path:?}"
            ));
        };
        states.push(next);
    }
    Ok(states)
}

/// The machine of a file.
pub fn machine(policy: Policy, layout: &Layout, calls: Vec<Call>) -> Machine {
    let Layout {
        per_block,
        extents,
        length,
    } = layout.clone();
    Machine::new(policy, calls, extents, length, per_block)
}

/// The file's part of a state.
pub fn snapshot(state: &State) -> Snapshot {
    Snapshot {
        extents: state.extent.clone(),
        size: state.size,
        dio: state.dio,
    }
}

/// May a sector whose content is this, in the machine, hold these bytes?
pub fn agrees(content: Content, bytes: &[u8]) -> bool {
    let all = |byte: u8| bytes.iter().all(|is| *is == byte);
    match content {
        Content::Zero => all(0),
        Content::Stale => true,
        Content::Old => all(OLD),
        Content::Of(request) => all(byte_of(request)),
    }
}

/// Whose value a sector, or what a read makes of it, may have: requests, and `None` for the start.
type Whose = BTreeSet<Option<Request>>;

/// `current`, `older` and `may` of `UnalignedDio.tla` at the end of a path.
pub struct History<'a> {
    machine: &'a Machine,
    current: Vec<Whose>,
    older: Vec<Whose>,
    /// Read -> sector -> the requests whose value it may return.
    may: Vec<Vec<Whose>>,
}

impl<'a> History<'a> {
    /// `Remember`, step by step.
    pub fn new(machine: &'a Machine, states: &[State]) -> Self {
        let start = Whose::from([None]);
        let sectors = machine.sectors() as usize;
        let requests = machine.calls.len();
        let mut history = History {
            machine,
            current: vec![start.clone(); sectors],
            older: vec![Whose::new(); requests],
            may: vec![vec![Whose::new(); sectors]; requests],
        };
        for pair in states.windows(2) {
            history.remember(&pair[0], &pair[1]);
        }
        history
    }

    fn remember(&mut self, now: &State, next: &State) {
        for request in 0..self.machine.calls.len() {
            let (was, is) = (&now.requests[request], &next.requests[request]);
            let returned = was.result == Outcome::None && is.result != Outcome::None;
            let called = was.pc == Pc::Idle && is.pc != Pc::Idle;
            if called {
                let done = now.requests.iter().enumerate();
                let acked = done.filter(|(_, other)| other.result == Outcome::Ok);
                self.older[request] = acked.map(|(other, _)| Some(other)).chain([None]).collect();
            }
            for (sector, current) in self.current.iter_mut().enumerate() {
                let puts = puts(&self.machine.calls[request], sector);
                if called && puts {
                    current.insert(Some(request));
                }
                if returned && is.result == Outcome::Eagain {
                    current.remove(&Some(request));
                } else if returned && is.result == Outcome::Ok && puts {
                    current.retain(|whose| !self.older[request].contains(whose));
                }
            }
        }
        for (request, may) in self.may.iter_mut().enumerate() {
            let (was, is) = (&now.requests[request], &next.requests[request]);
            if is.pc != Pc::Idle && was.result == Outcome::None {
                for (may, current) in may.iter_mut().zip(&self.current) {
                    may.extend(current);
                }
            }
        }
    }

    /// May a sector of the file look like this?
    pub fn allows(&self, sector: usize, bytes: &[u8]) -> bool {
        self.any_is(&self.current[sector], sector, bytes)
    }

    /// May the read have returned this of the sector?
    pub fn allows_read(&self, read: Request, sector: usize, bytes: &[u8]) -> bool {
        self.any_is(&self.may[read][sector], sector, bytes)
    }

    /// `NoLostWrite` of the last state of the path.
    pub fn holds(&self, state: &State) -> bool {
        (0..self.current.len()).all(|sector| {
            let view = view(self.machine, state, sector);
            let current = self.current[sector].iter();
            current
                .into_iter()
                .any(|whose| self.value(*whose, sector) == view)
        })
    }

    fn any_is(&self, whose: &Whose, sector: usize, bytes: &[u8]) -> bool {
        let mut values = whose.iter().map(|whose| self.value(*whose, sector));
        values.any(|value| agrees(value, bytes))
    }

    /// `Value`, and `FirstView`.
    fn value(&self, whose: Option<Request>, sector: usize) -> Content {
        match whose {
            Some(request) if is_write(&self.machine.calls[request]) => Content::Of(request),
            Some(_) => Content::Zero,
            None => match view(self.machine, &self.machine.init(), sector) {
                Content::Old => Content::Old,
                _ => Content::Zero,
            },
        }
    }
}

/// `View`: what a read of the sector would return, were it alone.
pub fn view(machine: &Machine, state: &State, sector: usize) -> Content {
    let block = sector / machine.per_block as usize;
    if sector >= state.size as usize {
        return Content::Zero;
    }
    match (state.cache.get(&(sector as u32)), state.extent[block]) {
        (Some(dirty), _) => *dirty,
        (None, Extent::Written) => state.disk[sector],
        (None, _) => Content::Zero,
    }
}

fn is_write(call: &Call) -> bool {
    matches!(call.kind, Kind::Write | Kind::Buffered)
}

/// Whether the sector is one of `Puts(r)`.
fn puts(call: &Call, sector: usize) -> bool {
    let (from, to) = (call.from as usize, call.to as usize);
    call.kind != Kind::Read && (from..=to).contains(&sector)
}
