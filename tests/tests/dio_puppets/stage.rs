//! The threads of a machine's requests, and the strings that they hang on.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread::JoinHandle;

use conformance::cast::{Cast, Puppets};
use conformance::dio_log::{OLD, STALE, agrees, byte_of, rename, snapshot};
use conformance::strings::Strings;
use interlock::device::{BlockDevice, MemoryDevice};
use interlock::dio::file::{Completion, DirectFile, Layout, Options};
use interlock::dio::machine::{
    Action, Bio, Call, Content, Io as Flown, Kind, Machine, Outcome, Pc, Request, State,
};
use interlock::dio::policy::Policy;
use interlock::dio::probe::{self, Probe, Side};
use interlock::dio::workers::{Io, Queue};
use interlock::errno::Errno;

/// Bytes in a sector.
const SECTOR: usize = 4;

/// Where everybody is, and who may go on.
#[derive(Default)]
struct Seen {
    /// The machine's names of the file's requests, in the order of their calls.
    names: Vec<Request>,
    /// Who waits to go on.
    at: BTreeSet<(Request, bool)>,
    /// Who may.
    go: Option<(Request, bool)>,
    /// Steps taken, not yet looked at.
    steps: Vec<Action>,
    /// I/Os in flight.
    ios: Vec<Io>,
    /// The play is over: all may go on.
    over: bool,
}

/// A request's side, so that it can be sorted.
fn place(request: Request, side: Side) -> (Request, bool) {
    (request, side == Side::Io)
}

/// The strings as the file's probe and its queue.
struct Held(Arc<Strings<Seen>>);

impl Probe for Held {
    fn about(&self, request: Request, side: Side) {
        let here = self.0.with(|seen| place(seen.names[request], side));
        self.0.hang(
            |seen| seen.at.insert(here),
            |seen| {
                let goes_on = seen.over || seen.go == Some(here);
                if goes_on {
                    seen.at.remove(&here);
                    seen.go = None;
                }
                goes_on
            },
        );
    }

    fn step(&self, action: Action, _: probe::Seen) {
        self.0.with(|seen| {
            let action = rename(action, seen.names[action.request()]);
            seen.steps.push(action);
        });
    }
}

impl Queue for Held {
    fn submit(&self, io: Io) {
        // Once the play is over, as any other queue.
        let performed = self.0.with(|seen| match seen.over {
            true => Some(io),
            false => {
                seen.ios.push(io);
                None
            }
        });
        if let Some(io) = performed {
            io.perform();
        }
    }
}

type File = DirectFile<MemoryDevice, Held, Puppets, Held>;

/// What a caller comes back with.
enum Back {
    Done(Result<usize, Errno>),
    Queued(Completion<Puppets>),
}

/// Makes the call.
fn call(file: &File, name: Request, call: &Call, sectors: u32) -> Back {
    let position = u64::from(call.from) * SECTOR as u64;
    let length = (call.to + 1 - call.from) as usize * SECTOR;
    let data = vec![byte_of(name); length];
    let options = Options {
        nowait: call.nowait,
        cached: call.cached,
    };
    match call.kind {
        Kind::Write if call.is_async => Back::Queued(file.submit_with(&data, position, options)),
        Kind::Write => Back::Done(file.write_with(&data, position, options)),
        Kind::Buffered => Back::Done(file.write_buffered_at(&data, position)),
        Kind::Read => {
            let mut bytes = vec![0; length];
            Back::Done(file.read_with(&mut bytes, position, options))
        }
        Kind::Punch => Back::Done(file.punch_hole(position, length).map(|()| 0)),
        Kind::Truncate => {
            assert_eq!(call.to + 1, sectors, "a truncate reaches to the end");
            Back::Done(file.truncate(position).map(|()| 0))
        }
    }
}

struct Stage<'a> {
    machine: &'a Machine,
    file: Arc<File>,
    strings: Arc<Strings<Seen>>,
    callers: Vec<Option<JoinHandle<Back>>>,
    backs: Vec<Option<Back>>,
    helpers: Vec<JoinHandle<()>>,
}

/// Drives threads of a file with this policy along a path of the machine, and returns the device's sectors at its end.
///
/// # Errors
///
/// What a thread does that the path does not say, or where the file and the machine differ.
pub fn drive(machine: &Machine, policy: Policy, path: &[Action]) -> Result<Vec<Vec<u8>>, String> {
    let mut stage = Stage::new(machine, policy);
    let result = stage.follow(path);
    let bytes = stage.bytes();
    let backs = stage.clear();
    let end = result?;
    for (request, (back, progress)) in backs.into_iter().zip(&end.requests).enumerate() {
        let got = match back {
            None => continue,
            Some(Back::Done(result)) => result,
            Some(Back::Queued(completion)) => completion.wait(),
        };
        let expected = match progress.result {
            Outcome::None => continue,
            Outcome::Ok => Ok(()),
            Outcome::Eagain => Err(Errno::Again),
            Outcome::Eio => Err(Errno::Io),
        };
        if got.map(drop) != expected {
            return Err(format!("{request} got {got:?}, expected {expected:?}"));
        }
    }
    Ok(bytes)
}

impl<'a> Stage<'a> {
    fn new(machine: &'a Machine, policy: Policy) -> Self {
        let strings = Arc::new(Strings::<Seen>::new(Cast::directed()));
        let device = MemoryDevice::new(SECTOR, machine.sectors() as usize, STALE);
        for (sector, content) in machine.init().disk.iter().enumerate() {
            let byte = match content {
                Content::Zero => 0,
                Content::Old => OLD,
                _ => STALE,
            };
            let written = device.write_at(&[byte; SECTOR], (sector * SECTOR) as u64);
            written.expect("the device is good");
        }
        let layout = Layout {
            per_block: machine.per_block,
            extents: machine.extents.clone(),
            length: machine.length,
        };
        let (queue, probe) = (Held(strings.clone()), Held(strings.clone()));
        let file = DirectFile::on(device, queue, policy, layout, probe);
        Stage {
            machine,
            file: Arc::new(file.expect("the layout is good")),
            strings,
            callers: machine.calls.iter().map(|_| None).collect(),
            backs: machine.calls.iter().map(|_| None).collect(),
            helpers: Vec::new(),
        }
    }

    fn follow(&mut self, path: &[Action]) -> Result<State, String> {
        let mut state = self.machine.init();
        for &action in path {
            let next = self.machine.step(&state, action);
            let next = next.ok_or_else(|| format!("{action:?} is not enabled"))?;
            self.take(action, &next)?;
            state = next;
        }
        Ok(state)
    }

    /// Has one step taken, waits until its thread has come to rest, and compares.
    fn take(&mut self, action: Action, next: &State) -> Result<(), String> {
        let request = action.request();
        match action {
            Action::Complete(_, part, block) | Action::Fail(_, part, block) => {
                let io = self.io(request, Bio { part, block })?;
                let performs = matches!(action, Action::Complete(..));
                let work = move || if performs { io.perform() } else { io.fail() };
                self.helpers.push(self.strings.cast.spawn(work));
            }
            Action::EndIo(_) | Action::DioEnd(_) => self.go(place(request, Side::Io))?,
            _ => {
                if let Action::Call(_) = action {
                    self.strings.with(|seen| seen.names.push(request));
                    let (file, calls) = (self.file.clone(), self.machine.calls[request]);
                    let sectors = self.machine.sectors();
                    let caller = self
                        .strings
                        .cast
                        .spawn(move || call(&file, request, &calls, sectors));
                    self.callers[request] = Some(caller);
                }
                self.go(place(request, Side::Caller))?;
            }
        }
        let told = self
            .strings
            .wait(&format!("{action:?}"), |seen| seen.steps.pop())?;
        if told != action {
            return Err(format!("told {told:?}, expected {action:?}"));
        }
        self.settle(request, next)?;
        self.compare(next)
    }

    fn go(&self, here: (Request, bool)) -> Result<(), String> {
        self.strings.wait(&format!("{here:?}"), |seen| {
            seen.at.contains(&here).then(|| {
                seen.go = Some(here);
                self.strings.cast.goes_on();
            })
        })
    }

    fn io(&self, request: Request, bio: Bio) -> Result<Io, String> {
        self.strings.wait(&format!("{request} {bio:?}"), |seen| {
            let names = &seen.names;
            let is = |io: &Io| names[io.request()] == request && io.bio() == bio;
            let found = seen.ios.iter().position(is)?;
            Some(seen.ios.swap_remove(found))
        })
    }

    /// Waits until the threads of the request are where the state says.
    fn settle(&mut self, request: Request, state: &State) -> Result<(), String> {
        let now = &state.requests[request];
        let landed = now.bios.is_empty();
        let flies = matches!(now.io, Flown::Flying | Flown::Converted);
        let is_at = |side| {
            let here = place(request, side);
            let at = |seen: &mut Seen| seen.at.contains(&here).then_some(());
            self.strings.wait(&format!("{here:?}"), at)
        };
        match now.pc {
            Pc::Done | Pc::Queued => {
                if let Some(caller) = self.callers[request].take() {
                    let back = caller.join().map_err(|_| "a caller panics".to_owned())?;
                    self.backs[request] = Some(back);
                }
            }
            Pc::Io if flies && landed => is_at(Side::Io)?,
            Pc::Io if flies => {}
            Pc::Again if !landed => {}
            _ => is_at(Side::Caller)?,
        }
        if matches!(now.pc, Pc::Queued | Pc::Unlock) && flies && landed {
            is_at(Side::Io)?;
        }
        Ok(())
    }

    fn bytes(&self) -> Vec<Vec<u8>> {
        let read = |sector: u32| {
            let mut bytes = vec![0; SECTOR];
            let position = u64::from(sector) * SECTOR as u64;
            let read = self.file.device().read_at(&mut bytes, position);
            read.expect("the device is good");
            bytes
        };
        (0..self.machine.sectors()).map(read).collect()
    }

    fn compare(&self, state: &State) -> Result<(), String> {
        let (is, expected) = (self.file.snapshot(), snapshot(state));
        if is != expected {
            return Err(format!("the file is {is:?}, expected {expected:?}"));
        }
        let bytes = self.bytes();
        let differs = |sector: &usize| !agrees(state.disk[*sector], &bytes[*sector]);
        match (0..bytes.len()).find(differs) {
            Some(sector) => Err(format!(
                "sector {sector} is {:?}, expected {:?}",
                bytes[sector], state.disk[sector]
            )),
            None => Ok(()),
        }
    }

    /// Lets everybody go to the end.
    fn clear(&mut self) -> Vec<Option<Back>> {
        let ios = self.strings.with(|seen| {
            seen.over = true;
            std::mem::take(&mut seen.ios)
        });
        ios.into_iter().for_each(Io::perform);
        for (caller, back) in self.callers.iter_mut().zip(&mut self.backs) {
            if let Some(caller) = caller.take() {
                *back = caller.join().ok();
            }
        }
        for helper in self.helpers.drain(..) {
            helper.join().expect("no helper panics");
        }
        std::mem::take(&mut self.backs)
    }
}
