//! A model: requests, each by a thread of its own, on one block, run by loom in every schedule.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use conformance::dio_log::{History, Log, OLD, STALE, agrees, byte_of, machine, replay, snapshot};
use conformance::symptom::assert_found;
use conformance::traces;
use interlock::device::{BlockDevice, MemoryDevice};
use interlock::dio::file::{DirectFile, Layout, Snapshot};
use interlock::dio::machine::{Action, Bio, Call, Extent, Kind, Request};
use interlock::dio::policy::Policy;
use interlock::dio::probe::{Probe, Seen, Side};
use interlock::dio::recorder::Recorder;
use interlock::dio::rules::{Rules, Specified};
use interlock::dio::workers::Workers;

use super::HEAD;
use super::sys::{LoomDevice, LoomSys, NONE};
use crate::explored::{self, Figures, figures_of};

/// A write: its first sector, its last sector, and whether it is asynchronous.
pub type Write = (u32, u32, bool);

pub const A: Write = (0, 0, false);
pub const B: Write = (1, 1, false);
pub const C: Write = (0, 1, false);

/// The same, asynchronous.
pub const fn aio(write: Write) -> Write {
    (write.0, write.1, true)
}

/// A design, the first of two blocks, where the file ends, and what is written, one thread a write.
#[derive(Clone)]
pub struct Model {
    pub policy: Policy,
    pub first: Extent,
    pub length: u32,
    pub writes: Vec<Write>,
    /// The log is looked at, not the bytes alone.
    pub judges_log: bool,
}

impl Model {
    /// A file of two blocks, the second written.
    pub fn new(policy: Policy, first: Extent, writes: &[Write]) -> Self {
        let writes = writes.to_vec();
        Model {
            policy,
            first,
            length: 4,
            writes,
            judges_log: true,
        }
    }

    fn layout(&self) -> Layout {
        Layout {
            per_block: 2,
            extents: vec![self.first, Extent::Written],
            length: self.length,
        }
    }
}

static THREADS: AtomicUsize = AtomicUsize::new(0);

loom::thread_local! {
    /// A number that no other of loom's threads has.
    static THIS: usize = THREADS.fetch_add(1, Ordering::Relaxed);
}

/// The log, and the record that `interlock validate` judges.
struct Logs {
    log: Log,
    recorder: Recorder,
}

impl Probe for Logs {
    fn about(&self, request: Request, side: Side) {
        self.recorder.about(request, side);
    }

    fn performs(&self, request: Request, bio: Bio) {
        self.recorder.performs(request, bio);
    }

    fn called(&self, request: Request, call: &Call) {
        self.log.called(request, call);
        self.recorder.called(request, call);
    }

    fn step(&self, action: Action, seen: Seen) {
        self.log.step(action, seen);
        self.recorder.step(action, seen);
    }
}

type File<R, const FAULT: u8> =
    DirectFile<LoomDevice, Workers<LoomSys<FAULT>>, LoomSys<FAULT>, Logs, R>;

fn open<R: Rules, const FAULT: u8>(model: &Model) -> File<R, FAULT> {
    let layout = model.layout();
    let initial = machine(model.policy, &layout, Vec::new()).init();
    let device = MemoryDevice::new(1, initial.disk.len(), STALE);
    for (sector, content) in initial.disk.iter().enumerate() {
        let byte = [0, OLD].into_iter().find(|byte| agrees(*content, &[*byte]));
        let written = device.write_at(&[byte.unwrap_or(STALE)], sector as u64);
        written.expect("the device is good");
    }
    let device = LoomDevice::new(device);
    let workers = Workers::on(2);
    let logs = Logs {
        log: Log::default(),
        recorder: Recorder::of(|| THIS.with(|this| *this)),
    };
    let file = DirectFile::on(device, workers, model.policy, layout, logs);
    file.expect("the layout is good")
}

/// The byte that a write writes: other than its number in the log, which is the order of the calls.
fn byte(thread: usize) -> u8 {
    0x10 + thread as u8
}

fn write<R: Rules, const FAULT: u8>(file: &File<R, FAULT>, thread: usize, write: Write) {
    let (from, to, is_async) = write;
    let data = vec![byte(thread); (to + 1 - from) as usize];
    let written = match is_async {
        true => file.submit_at(&data, u64::from(from)).wait(),
        false => file.write_at(&data, u64::from(from)),
    };
    assert_eq!(written, Ok(data.len()));
}

/// Runs every schedule with at most `preemptions` preemptions, and checks each. Also returns the traces.
pub fn explore<R: Rules, const FAULT: u8>(
    name: &str,
    model: &Model,
    preemptions: usize,
) -> (Figures, Vec<String>) {
    let (of_run, of_judge) = (model.clone(), model.clone());
    let run = move || {
        let file = Arc::new(open::<R, FAULT>(&of_run));
        let thread = |number: usize| {
            let (file, writes) = (file.clone(), of_run.writes.clone());
            move || write(&file, number, writes[number])
        };
        let others: Vec<_> = (1..of_run.writes.len())
            .map(|number| loom::thread::spawn(thread(number)))
            .collect();
        thread(0)();
        for other in others {
            other.join().expect("no thread panics");
        }
        let left = kept(&file, &of_run);
        let log = file.probe().log.taken();
        (log, (file, left))
    };
    let judge = move |(calls, actions): (Vec<Call>, Vec<Action>),
                      (file, left): &(Arc<File<R, FAULT>>, Left),
                      traces: &mut Vec<String>| {
        if of_judge.judges_log {
            let recorder = &file.probe().recorder;
            traces.push(recorder.to_text(
                "a schedule of loom's",
                of_judge.policy,
                &of_judge.layout(),
            ));
            agree(left, &of_judge, calls, &actions);
        }
    };
    explored::explore(name, Some(preemptions), run, judge)
}

/// The file, and the bytes on its device.
type Left = (Snapshot, Vec<u8>);

/// What an execution has left: of each sector some writer's bytes, whatever the log says.
fn kept<R: Rules, const FAULT: u8>(file: &File<R, FAULT>, model: &Model) -> Left {
    let snapshot = file.snapshot();
    let mut bytes = vec![0; snapshot.extents.len() * 2];
    let read = file.device().read_at(&mut bytes, 0);
    read.expect("the device is good");
    for sector in 0..2 {
        let covers = |write: &Write| (write.0..=write.1).contains(&sector);
        let mut writers = (0..model.writes.len()).filter(|&thread| covers(&model.writes[thread]));
        let is = bytes[sector as usize];
        let written = snapshot.extents[0] == Extent::Written && snapshot.size > sector;
        assert!(
            written && writers.any(|thread| byte(thread) == is),
            "sector {sector} is lost: {is:#x}"
        );
    }
    (snapshot, bytes)
}

/// It is what the machine has after the log's steps.
fn agree((now, bytes): &Left, model: &Model, calls: Vec<Call>, actions: &[Action]) {
    let machine = machine(model.policy, &model.layout(), calls);
    let states = replay(&machine, actions).unwrap_or_else(|error| panic!("{error}"));
    let end = &states[actions.len()];
    assert_eq!(*now, snapshot(end));
    let history = History::new(&machine, &states);
    assert!(
        history.holds(end),
        "acknowledged data are lost: {actions:?}"
    );
    // The bytes as the log's requests would have written them.
    for (sector, byte_now) in bytes.iter().enumerate() {
        let of = |call: &Call| {
            let same = |write: &Write| (write.0, write.1) == (call.from, call.to);
            model.writes.iter().position(same)
        };
        let mut threads = machine.calls.iter().map(of);
        let request =
            threads.position(|thread| thread.is_some_and(|thread| byte(thread) == *byte_now));
        let as_logged = request.map_or(*byte_now, byte_of);
        assert!(
            agrees(end.disk[sector], &[as_logged]),
            "sector {sector} is {as_logged:#x}, expected {:?}",
            end.disk[sector]
        );
    }
    assert!(machine.calls.iter().all(|call| call.kind == Kind::Write));
}

/// Explores without faults; the figures must be these, so that a model that explores less is noticed. The traces of all paths
/// are behaviours, says the machine; returns them.
pub fn holds(name: &str, model: &Model, preemptions: usize) -> Vec<String> {
    let (figures, traces) = explore::<Specified, NONE>(name, model, preemptions);
    let told = figures_of(HEAD, name, Some(preemptions));
    assert_eq!(figures, told, "{name}");
    traces::accepted(name, "dio", &traces);
    traces
}

/// Explores with a fault, which must be found by a panic that says `symptom`.
pub fn finds<R: Rules, const FAULT: u8>(
    name: &str,
    model: &Model,
    preemptions: usize,
    symptom: &str,
) {
    assert_found(name, &[symptom], || {
        explore::<R, FAULT>(name, model, preemptions)
    });
}
