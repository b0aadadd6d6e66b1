//! A model: two inodes, a thread for each, the flusher and a device that takes one request at a time.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use conformance::symptom::assert_found;
use conformance::traces;
use conformance::wb_flusher_log::{Entry, Log, Wants, replay};
use interlock::device::{BlockDevice, MemoryDevice};
use interlock::writeback::flusher::{Flusher, Sizes};
use interlock::writeback::flusher_probe::Probe;
use interlock::writeback::flusher_recorder::Recorder;
use interlock::writeback::plug::{Action, State, awaits_room};
use interlock::writeback::rules::Rules;
use interlock_traces::machines::wb_plug::Invariant;

use crate::dio::sys::{LoomDevice, LoomSys, NONE};
use crate::explored::{self, Figures, assert_shown, look};

const BLOCK: usize = 4;
const SLOTS: usize = 1;

/// What is run.
#[derive(Clone, Copy)]
pub struct Model {
    /// When somebody wants the flusher's processor.
    pub wants: Wants,
    /// Each inode's I/O sleeps.
    pub sleeps: bool,
    /// With more dirty pages a thread is throttled.
    pub dirty: usize,
    /// The second thread syncs too.
    pub two_sync: bool,
    /// What every state is to keep.
    pub invariants: &'static [Invariant],
}

/// What some path has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// One request writes both inodes.
    Merged,
    /// A thread waits for a page that is in the plug.
    WaitsForPlug,
    /// A thread that has dirtied its inode is throttled while the flusher holds the lock.
    UnderLock,
    /// A preemption flushes the plug.
    Broken,
    /// The flusher sleeps because the device is full.
    Full,
}

impl Sight {
    fn is(self, action: Action, state: &State) -> bool {
        match self {
            Sight::Merged => matches!(action, Action::Complete(run) if run.last > run.first),
            Sight::WaitsForPlug => state.plug.contains(&state.waits),
            Sight::UnderLock => matches!(action, Action::Throttle(_)) && state.locked,
            Sight::Broken => action == Action::Resched && state.breaks > 0,
            Sight::Full => awaits_room(state),
        }
    }
}

type Run<R> = Flusher<LoomDevice, LoomSys<NONE>, R, Log>;

/// Dirties an inode; if it syncs, the inode is on the device then.
fn write<R: Rules>(flusher: &Run<R>, inode: usize, syncs: bool) {
    let bytes = [inode as u8 + 1; BLOCK];
    flusher.dirty(inode, &bytes).expect("the device has it");
    if syncs {
        flusher.sync().expect("the device works");
        let mut read = [0; BLOCK];
        let read_at = flusher.device().read_at(&mut read, (inode * BLOCK) as u64);
        read_at.expect("the device works");
        assert_eq!(read, bytes, "inode {inode} is not on the device");
    }
}

fn run<R: Rules>(model: Model) -> Vec<Entry> {
    let device = LoomDevice::new(MemoryDevice::new(BLOCK, 2, 0));
    let sizes = Sizes {
        block: BLOCK,
        slots: SLOTS,
        dirty: model.dirty,
    };
    let log = Log::new(model.wants, model.sleeps);
    let flusher = Arc::new(Run::<R>::on(device, sizes, log).expect("the sizes are right"));
    let other = flusher.clone();
    let other = loom::thread::spawn(move || write(&other, 1, model.two_sync));
    write(&flusher, 0, true);
    other.join().expect("no thread panics");
    // The flusher's threads end with it.
    flusher.probe().taken()
}

/// Runs every schedule with at most `preemptions` preemptions, and checks each; some path must show each of `sights`. `each` gets
/// every distinct log.
pub fn explore<R: Rules>(
    name: &str,
    model: Model,
    preemptions: usize,
    sights: &[Sight],
    each: impl Fn(&[Entry]) + Send + Sync + 'static,
) -> Figures {
    let looked_for = sights.to_vec();
    let judge = move |log: Vec<Entry>, (): &(), shown: &mut Vec<Sight>| {
        each(&log);
        let states = replay(R::POLICY, SLOTS, &log, model.invariants);
        let states = states.unwrap_or_else(|error| panic!("{error}"));
        let steps = log.iter().filter_map(|entry| match entry {
            Entry::Step(action, _) => Some(*action),
            Entry::Begins(_) => None,
        });
        for (action, state) in steps.zip(&states[1..]) {
            look(&looked_for, |sight| sight.is(action, state), shown);
        }
    };
    let run = move || (run::<R>(model), ());
    let (figures, shown) = explored::explore(name, Some(preemptions), run, judge);
    assert_shown(name, sights, &shown);
    figures
}

/// Explores; the figures must be these, so that a model that explores less is noticed.
pub fn holds<R: Rules>(
    name: &str,
    model: Model,
    preemptions: usize,
    sights: &[Sight],
    [iterations, paths]: [usize; 2],
) {
    let figures = explore::<R>(name, model, preemptions, sights, |_| {});
    assert_eq!(figures, Figures { iterations, paths }, "{name}");
}

/// The same; and each pass of each log is a trace that the machine accepts: so many that differ, which are returned.
pub fn holds_as_traces<R: Rules>(
    name: &str,
    model: Model,
    preemptions: usize,
    sights: &[Sight],
    [iterations, paths, passes]: [usize; 3],
) -> Vec<String> {
    let kept = Arc::new(Mutex::new(BTreeSet::new()));
    let keeps = kept.clone();
    let figures = explore::<R>(name, model, preemptions, sights, move |log| {
        let recorder = Recorder::new();
        for entry in log {
            match entry {
                Entry::Begins(inodes) => recorder.begins(inodes),
                Entry::Step(action, now) => recorder.step(*action, now),
            }
        }
        let traces = recorder.to_texts("a loom execution", R::POLICY, SLOTS);
        keeps
            .lock()
            .expect("no check has failed before")
            .extend(traces);
    });
    assert_eq!(figures, Figures { iterations, paths }, "{name}");
    let kept = std::mem::take(&mut *kept.lock().expect("no check has failed"));
    let texts = Vec::from_iter(kept);
    assert_eq!(texts.len(), passes, "{name}: passes that differ");
    traces::accepted(name, "writeback", &texts);
    texts
}

/// Explores with rules at fault, which must be found by a panic that says `symptom`.
pub fn finds<R: Rules>(name: &str, model: Model, preemptions: usize, symptom: &str) {
    assert_found(name, &[symptom], || {
        explore::<R>(name, model, preemptions, &[], |_| {})
    });
}
