//! Random schedules of requests on a small file, of every kind: writes, reads, holes, truncates, buffered writes and
//! fallbacks to them, some that may not wait, on a device that may fail. The log is a path of the machine; every read, and the file
//! at the end, hold byte by byte what the history oracle of `Integrity.tla` allows. A lost wake-up is a deadlock.

use std::cell::Cell;
use std::sync::Arc;

use conformance::dio_log::{
    History, Log, OLD, STALE, agrees, byte_of, machine, name_calls, replay, snapshot,
};
use conformance::symptom::assert_found;
use interlock::device::{BlockDevice, MemoryDevice};
use interlock::dio::file::{DirectFile, Layout, Options};
use interlock::dio::machine::{Action, Call, Extent, Kind, Request};
use interlock::dio::policy::{Drain, Fallback, Free, Nowait, Policy, Share};
use interlock::dio::probe::{Probe, Seen};
use interlock::dio::rules::{Rules, Specified};
use interlock::dio::workers::Workers;
use interlock::errno::Errno;
use shuttle::rand::Rng as _;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::thread;

use crate::sys::{ShuttleSys, Turns, explore};

/// Schedules of each kind and design.
const SCHEDULES: usize = 200;
const SECTOR: usize = 2;
const BLOCKS: usize = 2;
const PER_BLOCK: u32 = 2;
const SECTORS: u32 = BLOCKS as u32 * PER_BLOCK;
const THREADS: usize = 3;
/// Operations of each thread.
const OPERATIONS: usize = 2;
/// So that the same schedules are tried each time.
const SEED: u64 = 31;

/// A design, and what is asked of it.
#[derive(Clone, Copy)]
struct Model {
    policy: Policy,
    /// The device fails now and then. The specification knows no error of what is no direct I/O.
    fails: bool,
    /// Some calls may not wait.
    nowait: bool,
    /// Some writes are buffered, or fall back to that.
    falls_back: bool,
    /// There are direct writes alone.
    writes: bool,
}

impl Model {
    fn new(policy: Policy) -> Self {
        Model {
            policy,
            fails: false,
            nowait: false,
            falls_back: policy.fallback.drains(),
            writes: false,
        }
    }
}

shuttle::thread_local! {
    static NAME: Cell<Request> = const { Cell::new(0) };
}

/// The log, with the names that shuttle's threads give.
#[derive(Default)]
struct Named(Log);

impl Probe for Named {
    fn called(&self, request: Request, call: &Call) {
        name_calls(NAME.with(Cell::get));
        self.0.called(request, call);
    }

    fn step(&self, action: Action, seen: Seen) {
        self.0.step(action, seen);
    }
}

/// A device that fails now and then.
struct Failing {
    device: MemoryDevice,
    fails: bool,
}

impl Failing {
    fn meddle(&self) -> Result<(), Errno> {
        let fails = self.fails && shuttle::rand::thread_rng().gen_bool(0.2);
        if fails { Err(Errno::Io) } else { Ok(()) }
    }
}

impl BlockDevice for Failing {
    fn sector_size(&self) -> usize {
        self.device.sector_size()
    }

    fn sectors(&self) -> u64 {
        self.device.sectors()
    }

    fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        self.meddle()?;
        self.device.read_at(bytes, position)
    }

    fn write_at(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        self.meddle()?;
        self.device.write_at(bytes, position)
    }
}

type File<R> = DirectFile<Turns<Failing>, Workers<ShuttleSys>, ShuttleSys, Named, R>;

fn layout(model: &Model) -> Layout {
    let mut random = shuttle::rand::thread_rng();
    let kinds = [Extent::Hole, Extent::Unwritten, Extent::Written];
    // The specification knows no error of what a direct write zeroes before it begins.
    let zeroes = model.fails && model.policy.grow.by_direct_writes();
    Layout {
        per_block: PER_BLOCK,
        extents: (0..BLOCKS).map(|_| kinds[random.gen_range(0..3)]).collect(),
        length: match zeroes {
            true => SECTORS,
            false => random.gen_range(0..=SECTORS),
        },
    }
}

fn open<R: Rules>(model: &Model, layout: &Layout) -> File<R> {
    let initial = machine(model.policy, layout, Vec::new()).init();
    let device = MemoryDevice::new(SECTOR, initial.disk.len(), STALE);
    for (sector, content) in initial.disk.iter().enumerate() {
        let byte = [0, OLD].into_iter().find(|byte| agrees(*content, &[*byte]));
        let bytes = [byte.unwrap_or(STALE); SECTOR];
        let written = device.write_at(&bytes, (sector * SECTOR) as u64);
        written.expect("the device is good");
    }
    let device = Turns::new(Failing {
        device,
        fails: model.fails,
    });
    let (workers, layout) = (Workers::on(2), layout.clone());
    let file = File::<R>::on(device, workers, model.policy, layout, Named::default());
    file.expect("the layout is good")
}

/// What a read has returned: its name, its first sector, its bytes.
type Read = (Request, u32, Vec<u8>);

/// Whole blocks, or one sector.
fn range() -> (u32, u32) {
    let mut random = shuttle::rand::thread_rng();
    let at = random.gen_range(0..SECTORS);
    if random.gen_bool(0.5) {
        return (at, at);
    }
    let from = at / PER_BLOCK * PER_BLOCK;
    let behind = random.gen_range(from / PER_BLOCK..BLOCKS as u32) + 1;
    (from, behind * PER_BLOCK - 1)
}

/// A call that is picked at random.
fn operate<R: Rules>(file: &File<R>, model: &Model, name: Request) -> Option<Read> {
    NAME.with(|own| own.set(name));
    let mut random = shuttle::rand::thread_rng();
    let (from, to) = range();
    let position = u64::from(from) * SECTOR as u64;
    let length = (to + 1 - from) as usize * SECTOR;
    let data = vec![byte_of(name); length];
    let nowait = model.nowait && random.gen_bool(0.3);
    let falls_back = model.falls_back && !model.fails && !nowait;
    let options = Options {
        nowait,
        cached: falls_back && random.gen_bool(0.2),
    };
    let is_async = random.gen_bool(0.5);
    let kinds = match model {
        Model { writes: true, .. } => 4,
        Model { fails: true, .. } => 6,
        _ => 10,
    };
    let done = match random.gen_range(0..kinds) {
        4 | 5 => {
            let options = Options {
                cached: false,
                ..options
            };
            let mut bytes = vec![0; length];
            let read = match is_async && !nowait {
                true => file.submit_read_at(length, position).wait_bytes(),
                false => file
                    .read_with(&mut bytes, position, options)
                    .map(|length| bytes[..length].to_vec()),
            };
            match read {
                Ok(bytes) => return Some((name, from, bytes)),
                Err(errno) => Err(errno),
            }
        }
        6 | 7 => file.punch_hole(position, length),
        8 => file.truncate(position),
        9 if falls_back => file.write_buffered_at(&data, position).map(drop),
        _ if is_async => file.submit_with(&data, position, options).wait().map(drop),
        _ => file.write_with(&data, position, options).map(drop),
    };
    let is_known = match done {
        Ok(()) => true,
        Err(Errno::Io) => model.fails,
        Err(Errno::Again) => nowait,
        Err(_) => false,
    };
    assert!(is_known, "{done:?}");
    None
}

/// The calls and the steps, without those of a request that was not to wait and has found the lock taken while it is free in the
/// machine: another waits for it, or has not quite left it. Such a request has changed nothing.
fn without_refused(
    model: &Model,
    layout: &Layout,
    calls: Vec<Call>,
    mut actions: Vec<Action>,
) -> (Vec<Call>, Vec<Action>) {
    let machine = machine(model.policy, layout, calls);
    loop {
        let mut state = machine.init();
        let stuck = actions.iter().find(|action| {
            let next = machine.step(&state, **action);
            let is_stuck = next.is_none();
            state = next.unwrap_or_else(|| state.clone());
            is_stuck
        });
        let Some(Action::LockFails(refused)) = stuck.copied() else {
            return (machine.calls, actions);
        };
        actions.retain(|action| action.request() != refused);
    }
}

/// One schedule.
fn schedule<R: Rules>(model: Model) {
    let layout = layout(&model);
    let file = Arc::new(open::<R>(&model, &layout));
    let thread = |number: usize| {
        let file = file.clone();
        let names = number * OPERATIONS..(number + 1) * OPERATIONS;
        thread::spawn(move || {
            let reads = names.filter_map(|name| operate(&file, &model, name));
            reads.collect::<Vec<Read>>()
        })
    };
    let threads: Vec<_> = (0..THREADS).map(thread).collect();
    let reads = threads
        .into_iter()
        .map(|thread| thread.join().expect("no thread panics"));
    let reads: Vec<Read> = reads.flatten().collect();
    let (is, (calls, actions)) = (file.snapshot(), file.probe().0.named());
    let (calls, actions) = without_refused(&model, &layout, calls, actions);
    let machine = machine(model.policy, &layout, calls);
    for action in &actions {
        let waits = matches!(action, Action::Drain(request) if machine.calls[*request].nowait);
        assert!(!waits, "{action:?} was not to wait: {actions:?}");
    }
    let states = replay(&machine, &actions).unwrap_or_else(|error| panic!("{error}"));
    for (state, action) in states.iter().zip(&actions) {
        let punches =
            matches!(action, Action::Free(request) if machine.calls[*request].kind == Kind::Punch);
        assert!(
            !punches || state.dio == 0,
            "{action:?} with I/O in flight: {actions:?}"
        );
    }
    assert_eq!(is, snapshot(&states[actions.len()]), "{actions:?}");
    let history = History::new(&machine, &states);
    for (name, from, bytes) in reads {
        for (sector, bytes) in (from as usize..).zip(bytes.chunks(SECTOR)) {
            let allowed = history.allows_read(name, sector, bytes);
            assert!(allowed, "{name} read {bytes:?} in {sector}: {actions:?}");
        }
    }
    // In spite of the device's faults.
    let mut bytes = vec![0; SECTORS as usize * SECTOR];
    while file.read_at(&mut bytes, 0).is_err() {}
    for (sector, bytes) in bytes.chunks(SECTOR).take(is.size as usize).enumerate() {
        let allowed = history.allows(sector, bytes);
        assert!(allowed, "sector {sector} is lost: {bytes:?}: {actions:?}");
    }
}

fn random(schedules: usize) -> RandomScheduler {
    RandomScheduler::new_from_seed(SEED, schedules)
}

fn holds(scheduler: impl Scheduler + 'static, model: Model) {
    let schedules = explore(scheduler, move || schedule::<Specified>(model));
    assert_eq!(schedules, SCHEDULES);
}

/// Designs that lose nothing.
pub const SOUND: [Policy; 3] = [
    Policy::FINAL612_CURED,
    Policy::ZEROING73_CURED,
    Policy::XFS_CURED,
];

#[test]
fn sound_designs_lose_nothing() {
    for policy in SOUND {
        let model = Model::new(policy);
        holds(random(SCHEDULES), model);
        holds(PctScheduler::new_from_seed(SEED, 3, SCHEDULES), model);
    }
}

#[test]
fn errors_of_the_device_lose_nothing_of_others() {
    for policy in SOUND {
        let model = Model {
            fails: true,
            ..Model::new(policy)
        };
        holds(random(SCHEDULES), model);
    }
}

/// Of XFS one that is refused may have written before, in its first try.
#[test]
fn calls_that_may_not_wait_lose_nothing() {
    for policy in [Policy::FINAL612_CURED, Policy::ZEROING73_CURED] {
        let model = Model {
            nowait: true,
            ..Model::new(policy)
        };
        holds(random(SCHEDULES), model);
    }
}

/// A request's I/O leaves i_dio_count before its blocks are converted.
struct DioEndFirst;

impl Rules for DioEndFirst {
    fn conclude<R>(end_io: impl FnOnce() -> R, dio_end: impl FnOnce()) -> R {
        dio_end();
        end_io()
    }
}

/// The end of I/O that has failed converts blocks as if it had not.
struct ConvertsAll;

impl Rules for ConvertsAll {
    fn converts(_failed: bool) -> bool {
        true
    }
}

/// The design has the fault that is named, which is found by one of the symptoms.
fn finds<R: Rules>(name: &str, model: Model, symptoms: &[&str]) {
    assert_found(name, symptoms, || {
        explore(random(20 * SCHEDULES), move || schedule::<R>(model))
    });
}

/// What a write or a read has lost.
const LOST: &[&str] = &["is lost", " read "];

#[test]
fn faults_of_direct_writes_are_found() {
    let sound = Policy::FINAL612_CURED;
    let shares = Policy {
        share: Share::Overwrite,
        ..sound
    };
    let never_drains = Policy {
        drain: Drain::Never,
        ..sound
    };
    for (name, policy) in [
        ("unwritten blocks taken for overwrites", shares),
        ("nobody drains", never_drains),
    ] {
        let model = Model {
            writes: true,
            ..Model::new(policy)
        };
        finds::<Specified>(name, model, LOST);
    }
    finds::<DioEndFirst>("dio_end first", Model::new(sound), &["DioEnd"]);
}

#[test]
fn blocks_that_failed_io_has_converted_are_found() {
    let model = Model {
        fails: true,
        ..Model::new(Policy::FINAL612_CURED)
    };
    // The file has written blocks that the machine has not, or a read sees what was never written.
    finds::<ConvertsAll>(
        "converts after an error",
        model,
        &["is lost", " read ", "EndIo"],
    );
}

#[test]
fn holes_beside_direct_writes_are_found() {
    for (name, free) in [
        ("holes beside I/O in flight", Free::Exclusive),
        ("holes under the shared lock", Free::Shared),
    ] {
        let model = Model::new(Policy {
            free,
            ..Policy::FINAL612_CURED
        });
        finds::<Specified>(name, model, &["with I/O in flight"]);
    }
}

#[test]
fn a_fallback_beside_direct_writes_is_found() {
    let model = Model {
        falls_back: true,
        ..Model::new(Policy {
            fallback: Fallback::NoDrain,
            ..Policy::ZEROING73_CURED
        })
    };
    finds::<Specified>("a fallback beside I/O in flight", model, LOST);
}

#[test]
fn a_truncate_that_looks_at_the_size_before_it_waits_is_found() {
    let model = Model::new(Policy::XFS_EOF);
    finds::<Specified>("zeroes what an append has written", model, LOST);
}

#[test]
fn a_call_that_waits_although_it_may_not_is_found() {
    let model = Model {
        nowait: true,
        ..Model::new(Policy {
            nowait: Nowait::None,
            ..Policy::FINAL612_CURED
        })
    };
    finds::<Specified>("NOWAIT drains", model, &["was not to wait"]);
}

/// What a thread writes into its own sector, and reads there.
fn own<R: Rules>(file: &File<R>, sector: usize) {
    let position = (sector * SECTOR) as u64;
    let mut newest = None;
    for round in 1..=4 {
        let bytes = [round * 16 + sector as u8; SECTOR];
        match shuttle::rand::thread_rng().gen_range(0..3) {
            0 => {
                let all = SECTORS as usize * SECTOR;
                file.fallocate(0, all).expect("there is room");
            }
            1 => {
                let written = file.submit_at(&bytes, position).wait();
                assert_eq!(written, Ok(SECTOR));
                newest = Some(bytes);
            }
            _ => {
                let written = file.write_at(&bytes, position);
                assert_eq!(written, Ok(SECTOR));
                newest = Some(bytes);
            }
        }
        let mut read = [0; SECTOR];
        file.read_at(&mut read, position).expect("it works");
        let is_lost = newest.is_some_and(|newest| newest != read);
        assert!(!is_lost, "sector {sector} is lost: {read:?}");
    }
}

/// Threads that each have a sector, and allocate all blocks: no request of the machine's, so that the bytes alone are looked at.
fn allocates(schedules: usize, policy: Policy) -> usize {
    explore(random(schedules), move || {
        let layout = Layout::holes(BLOCKS, PER_BLOCK);
        let file = Arc::new(open::<Specified>(&Model::new(policy), &layout));
        let thread = |sector: usize| {
            let file = file.clone();
            thread::spawn(move || own(&file, sector))
        };
        let threads: Vec<_> = (0..SECTORS as usize).map(thread).collect();
        for thread in threads {
            thread.join().expect("no thread panics");
        }
        assert_eq!(file.snapshot().dio, 0);
    })
}

#[test]
fn an_allocation_loses_nothing() {
    for policy in SOUND {
        assert_eq!(allocates(SCHEDULES, policy), SCHEDULES);
    }
    assert_found(
        "unwritten blocks taken for overwrites",
        &["is lost"],
        || allocates(20 * SCHEDULES, Policy::RFC_ON63),
    );
}
