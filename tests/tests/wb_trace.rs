//! What a flusher does, recorded, is a behaviour of `WbPlug`, pass by pass: see `docs/traces.md`.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use anyhow::{Context as _, Result, ensure};
use conformance::in_time::in_time;
use conformance::traces::{by_both, by_machine, in_order, later, read};
use conformance::wb_flusher_rules::{KeepsPlug, SleepsWithPlug};
use interlock::device::{BlockDevice, MemoryDevice};
use interlock::errno::Errno;
use interlock::sys::StdSys;
use interlock::writeback::flusher::{Flusher, Sizes};
use interlock::writeback::flusher_probe::{Numbers, Probe};
use interlock::writeback::flusher_recorder::Recorder;
use interlock::writeback::plug::Action;
use interlock::writeback::plug_policy::Policy;
use interlock::writeback::rules::{PerInode, Rules, Today};
use interlock_traces::recording::Trace;
use interlock_traces::validate::edits::Edit;
use interlock_traces::validate::protocol::Protocol;
use interlock_traces::validate::search::Found;

const BLOCK: usize = 512;

/// So many inodes, which are written in turn.
const INODES: usize = 8;

/// What is run.
#[derive(Debug, Clone, Copy)]
struct Run {
    slots: usize,
    /// Somebody wants the flusher's processor behind every inode.
    wants: bool,
    /// Each inode's I/O sleeps.
    sleeps: bool,
    /// How many threads write, each so often.
    threads: usize,
    rounds: usize,
}

type Recorded<R> = Flusher<MemoryDevice, StdSys, R, Recorder>;

/// Dirties the next inode. A pass is to find neighbours: the last inode is synced before the first one's next turn.
fn write<R: Rules>(flusher: &Recorded<R>, next: &Mutex<usize>) -> Result<()> {
    let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
    flusher.dirty(*next, &[7; BLOCK])?;
    *next += 1;
    if *next == INODES {
        flusher.sync()?;
        *next = 0;
    }
    Ok(())
}

/// A stress run, recorded, to be judged by this policy.
fn record<R: Rules>(run: Run, policy: Policy) -> Result<Vec<Trace>> {
    let device = MemoryDevice::new(BLOCK, INODES, 0);
    let sizes = Sizes {
        block: BLOCK,
        slots: run.slots,
        dirty: 3,
    };
    let recorder = Recorder::with(run.wants, run.sleeps);
    let flusher = Recorded::<R>::on(device, sizes, recorder)?;
    let next = Mutex::new(0);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..run.threads)
            .map(|thread| {
                let (flusher, next) = (&flusher, &next);
                scope.spawn(move || {
                    for round in 0..run.rounds {
                        write(flusher, next)?;
                        if (thread + round).is_multiple_of(7) {
                            flusher.sync()?;
                        }
                    }
                    anyhow::Ok(())
                })
            })
            .collect();
        let results = writers.into_iter().map(|writer| writer.join());
        results
            .into_iter()
            .try_for_each(|result| result.expect("no thread panics"))
    })?;
    flusher.sync()?;
    let (passes, left_out) = flusher.probe().passes_and_left_out();
    ensure!(
        passes > 0 && left_out == 0,
        "{passes} passes, {left_out} not of neighbours"
    );
    let texts = flusher.probe().to_texts("a stress run", policy, run.slots);
    ensure!(texts.len() == passes, "each pass is a trace");
    read(&texts.concat())
}

/// Whether somebody is throttled, and who waits for that.
#[derive(Clone, Default)]
struct Throttled(Arc<(Mutex<bool>, Condvar)>);

/// Records, and tells when a thread is throttled.
struct Telling(Recorder, Throttled);

impl Probe for Telling {
    fn begins(&self, inodes: &[usize]) {
        self.0.begins(inodes);
    }

    fn about_to(&self, action: Action) {
        self.0.about_to(action);
    }

    fn step(&self, action: Action, now: &Numbers) {
        self.0.step(action, now);
        if let Action::Throttle(_) = action {
            let (throttled, changed) = &*self.1.0;
            *throttled.lock().expect("nobody panics here") = true;
            changed.notify_all();
        }
    }
}

/// A device that has done nothing before a thread is throttled.
struct Slow(MemoryDevice, Throttled);

impl BlockDevice for Slow {
    fn sector_size(&self) -> usize {
        self.0.sector_size()
    }

    fn sectors(&self) -> u64 {
        self.0.sectors()
    }

    fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        self.0.read_at(bytes, position)
    }

    fn write_at(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        let (throttled, changed) = &*self.1.0;
        let throttled = throttled.lock().expect("nobody panics here");
        drop(changed.wait_while(throttled, |throttled| !*throttled));
        self.0.write_at(bytes, position)
    }
}

/// A run in which a thread is throttled, whoever runs when.
fn throttled() -> Result<Vec<Trace>> {
    let throttled = Throttled::default();
    let device = Slow(MemoryDevice::new(BLOCK, INODES, 0), throttled.clone());
    let sizes = Sizes {
        block: BLOCK,
        slots: 1,
        dirty: 3,
    };
    let probe = Telling(Recorder::new(), throttled);
    let flusher = Flusher::<_, StdSys, Today, _>::on(device, sizes, probe)?;
    for inode in 0..INODES {
        flusher.dirty(inode, &[7; BLOCK])?;
    }
    flusher.sync()?;
    let today = Policy::FLUSH_BEFORE_RESCHED;
    read(
        &flusher
            .probe()
            .0
            .to_texts("a throttled run", today, 1)
            .concat(),
    )
}

const PLAIN: Run = Run {
    slots: 1,
    wants: false,
    sleeps: false,
    threads: 3,
    rounds: 100,
};

fn count(traces: &[Trace], action: &str) -> usize {
    let events = traces.iter().flat_map(|trace| &trace.events);
    events.filter(|event| event.action == action).count()
}

/// The traces that have as many inodes as most of them.
fn of_commonest_head(traces: &[Trace]) -> Result<Vec<Trace>> {
    let same = |trace: &Trace| {
        let same = traces.iter().filter(|other| other.head == trace.head);
        same.cloned().collect::<Vec<_>>()
    };
    let most = traces.iter().max_by_key(|trace| same(trace).len());
    Ok(same(most.context("no trace")?))
}

/// TLC has those passes that have as many inodes as most of them.
#[test]
fn stress_runs_are_behaviours() -> Result<()> {
    let preempted = Run {
        wants: true,
        slots: 2,
        ..PLAIN
    };
    let asleep = Run {
        sleeps: true,
        ..PLAIN
    };
    let short = Run {
        rounds: 20,
        ..PLAIN
    };
    let today = Policy::FLUSH_BEFORE_RESCHED;
    let runs = [
        record::<Today>(PLAIN, today)?,
        record::<Today>(preempted, today)?,
        record::<Today>(asleep, today)?,
        record::<PerInode>(PLAIN, Policy::PLUG_PER_INODE)?,
        in_time(throttled)?,
    ];
    for traces in &runs {
        let actions = ["Submit", "Complete", "Throttle", "Resched", "Sleep"];
        let counts = actions.map(|action| (action, count(traces, action)));
        println!("{} passes: {counts:?}", traces.len());
        let accepted = by_machine("writeback", traces)?;
        ensure!(
            accepted.len() == traces.len(),
            "of {} only {accepted:?}",
            traces.len()
        );
    }
    ensure!(count(&runs[4], "Throttle") > 0, "nobody is throttled");
    ensure!(count(&runs[1], "Resched") > 0, "nobody is preempted");
    ensure!(count(&runs[2], "Sleep") > 0, "nobody sleeps");
    let unasked = count(&runs[0], "Sleep") + count(&runs[0], "Resched");
    ensure!(unasked == 0, "somebody sleeps or is preempted of itself");
    let short = of_commonest_head(&record::<Today>(short, today)?)?;
    let accepted = by_both("writeback-stress", "writeback", &short)?;
    ensure!(
        accepted.len() == short.len(),
        "of the short ones only {accepted:?}"
    );
    Ok(())
}

/// A pass of three inodes under these rules, to be judged by this policy.
fn three_inodes<R: Rules>(wants: bool, sleeps: bool, policy: Policy) -> Result<Vec<Trace>> {
    let device = MemoryDevice::new(BLOCK, INODES, 0);
    let sizes = Sizes {
        block: BLOCK,
        slots: 3,
        dirty: INODES,
    };
    let flusher = Recorded::<R>::on(device, sizes, Recorder::with(wants, sleeps))?;
    for inode in 2..5 {
        flusher.dirty(inode, &[7; BLOCK])?;
    }
    flusher.sync()?;
    let texts = flusher.probe().to_texts("three inodes", policy, 3);
    read(&texts.concat())
}

/// Which inode a thread is throttled for is its own choice: another is no fault, unlike a second time for the same.
#[test]
fn edited_runs_are_refused() -> Result<()> {
    let today = Policy::FLUSH_BEFORE_RESCHED;
    let alone = three_inodes::<Today>(true, true, today)?;
    let edits = [
        (Edit::More, &alone),
        (Edit::Repeat, &alone),
        (Edit::Repeat, &in_time(throttled)?),
    ];
    for (edit, traces) in edits {
        let longest = traces.iter().max_by_key(|trace| trace.events.len());
        let mut longest = longest.context("no trace")?.clone();
        in_order(&mut longest);
        let protocol = Protocol::of("writeback", &longest)?;
        let edited = edit.all(&longest);
        ensure!(edited.len() > 10, "{edit:?}: only {}", edited.len());
        // A request with a gap is none.
        let is_accepted = |edited: &Trace| matches!(protocol.search(edited), Ok(Found::Accepted));
        let accepted = edited.iter().position(is_accepted);
        ensure!(accepted.is_none(), "{edit:?} at {accepted:?}");
    }
    Ok(())
}

/// What the device does in a pass is after all of the pass before.
#[test]
fn a_later_pass_is_recorded_so() -> Result<()> {
    let device = MemoryDevice::new(BLOCK, INODES, 0);
    let sizes = Sizes {
        block: BLOCK,
        slots: 1,
        dirty: INODES,
    };
    let flusher = Recorded::<Today>::on(device, sizes, Recorder::new())?;
    for inode in [0, 1] {
        flusher.dirty(inode, &[7; BLOCK])?;
        flusher.sync()?;
    }
    let today = Policy::FLUSH_BEFORE_RESCHED;
    let passes = read(&flusher.probe().to_texts("two passes", today, 1).concat())?;
    let [first, second] = &passes[..] else {
        anyhow::bail!("{} passes", passes.len());
    };
    later(first, second);
    Ok(())
}

/// A fault's record is refused, and is a behaviour of the variant that has the fault.
#[test]
fn faulty_runs_are_refused() -> Result<()> {
    let today = Policy::FLUSH_BEFORE_RESCHED;
    let judged = [
        three_inodes::<KeepsPlug>(true, false, today)?,
        three_inodes::<SleepsWithPlug>(false, true, today)?,
        three_inodes::<PerInode>(false, false, today)?,
        three_inodes::<Today>(true, true, today)?,
    ];
    let accepted = by_both("writeback-faults", "writeback", &judged.concat())?;
    ensure!(accepted.into_iter().eq([3]), "all but the faults");
    let variants = [
        three_inodes::<KeepsPlug>(true, false, Policy::PLUG_OUTSIDE)?,
        three_inodes::<SleepsWithPlug>(false, true, Policy::SLEEP_KEEPS_PLUG)?,
        three_inodes::<PerInode>(false, false, Policy::PLUG_PER_INODE)?,
    ];
    let accepted = by_machine("writeback", &variants.concat())?;
    ensure!(accepted.len() == 3, "of the variants only {accepted:?}");
    Ok(())
}

/// Inodes that are no neighbours are not the specification's.
#[test]
fn a_pass_with_a_gap_is_left_out() -> Result<()> {
    let device = MemoryDevice::new(BLOCK, INODES, 0);
    let sizes = Sizes {
        block: BLOCK,
        slots: 2,
        dirty: INODES,
    };
    let flusher = Recorded::<Today>::on(device, sizes, Recorder::new())?;
    for inode in [0, 2] {
        flusher.dirty(inode, &[7; BLOCK])?;
    }
    flusher.sync()?;
    ensure!(
        flusher.probe().passes_and_left_out() == (1, 1),
        "one, left out"
    );
    let texts = flusher
        .probe()
        .to_texts("a gap", Policy::FLUSH_BEFORE_RESCHED, 2);
    ensure!(texts.is_empty(), "it is no trace");
    Ok(())
}
