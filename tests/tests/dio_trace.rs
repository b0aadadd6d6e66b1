//! What requests of a file do in real threads, recorded, is a behaviour of `UnalignedDio`: see `docs/traces.md`.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use conformance::fault_device::{Delays, FaultDevice};
use conformance::in_time::{PATIENCE, in_time_or_tell};
use conformance::traces::{self, one};
use interlock::device::MemoryDevice;
use interlock::dio::file::{Completion, DirectFile, Layout, Options};
use interlock::dio::machine::Extent::{Hole, Unwritten, Written};
use interlock::dio::machine::Kind;
use interlock::dio::policy::Policy;
use interlock::dio::recorder::Recorder;
use interlock::dio::workers::Workers;
use interlock::errno::Errno;
use interlock::sys::StdSys;
use interlock_traces::recording::Trace;
use interlock_traces::validate::edits::{EDITS, Edit};
use interlock_traces::validate::protocol::Protocol;
use interlock_traces::validate::search::Found;

type File = DirectFile<FaultDevice<MemoryDevice>, Workers, StdSys, Recorder>;

const SECTOR: usize = 8;

fn layout() -> Layout {
    Layout {
        per_block: 2,
        extents: vec![Unwritten, Written, Hole, Unwritten, Hole],
        length: 7,
    }
}

/// Runs `calls` on a file of this design, of whose I/Os one of `fails` fails if that is not 0, and gives the record as that of a
/// file of the design `judged_by`.
fn record(
    policy: Policy,
    judged_by: Policy,
    fails: u64,
    calls: impl FnOnce(&File) + Send + 'static,
) -> Result<String> {
    let layout = layout();
    let device = MemoryDevice::new(SECTOR, 2 * layout.extents.len(), 0);
    let delays = Delays {
        seed: 9,
        delay: Duration::from_micros(100),
        fails,
        panics: 0,
    };
    let device = FaultDevice::new(device, delays);
    let (workers, recorder) = (Workers::new(2), Recorder::new());
    let file = File::on(device, workers, policy, layout.clone(), recorder);
    let file = Arc::new(file.ok().context("the layout is good")?);
    let (called, told) = (Arc::clone(&file), Arc::clone(&file));
    let state = move || format!("with the file as {:?}", told.snapshot());
    in_time_or_tell(PATIENCE, state, move || calls(&called));
    Ok(file.probe().to_text("a stress run", judged_by, &layout))
}

/// So many threads that make so many calls each.
fn stress(file: &File, threads: u64, calls: u64, fails: u64) {
    thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || call(file, thread, calls, fails > 0));
        }
    });
}

/// What one thread calls. Of an error of a punch, a truncate or a fallback the specification knows nothing.
fn call(file: &File, thread: u64, calls: u64, may_fail: bool) {
    let mut random = thread + 1;
    let mut draw = |below: u64| {
        // Knuth's MMIX.
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (random >> 33) % below
    };
    let mut flying: Vec<Completion> = Vec::new();
    for _ in 0..calls {
        let sectors = 1 + draw(4);
        let from = match draw(4) {
            // Appends, as far as there is room.
            0 => u64::from(file.snapshot().size).min(10 - sectors),
            _ => draw(11 - sectors),
        };
        let kind = match draw(12) {
            0 if !may_fail => Kind::Punch,
            1 if !may_fail => Kind::Truncate,
            0..4 => Kind::Read,
            4 if !may_fail => Kind::Buffered,
            _ => Kind::Write,
        };
        let (position, length) = (from * SECTOR as u64, sectors as usize * SECTOR);
        let options = Options {
            cached: !may_fail && draw(10) == 0,
            ..Options::default()
        };
        match (kind, draw(2)) {
            (Kind::Write, 0) => flying.push(file.submit_with(&vec![1; length], position, options)),
            (Kind::Write, _) => judge(file.write_with(&vec![1; length], position, options)),
            (Kind::Buffered, _) => judge(file.write_buffered_at(&vec![1; length], position)),
            (Kind::Read, 0) => flying.push(file.submit_read_at(length, position)),
            (Kind::Read, _) => judge(file.read_at(&mut vec![0; length], position)),
            (Kind::Punch, _) => judge(file.punch_hole(position, length)),
            (Kind::Truncate, _) => judge(file.truncate(position)),
        }
        if flying.len() > 2 {
            flying.drain(..).for_each(|call| judge(call.wait()));
        }
    }
    flying.into_iter().for_each(|call| judge(call.wait()));
}

fn judge<T: std::fmt::Debug>(result: Result<T, Errno>) {
    assert!(matches!(result, Ok(_) | Err(Errno::Io)), "{result:?}");
}

#[test]
fn stress_runs_are_behaviours() -> Result<()> {
    for (name, policy, threads, calls, fails) in [
        ("Final65", Policy::FINAL65, 3, 20, 0),
        ("XfsOptimistic", Policy::XFS_OPTIMISTIC, 3, 20, 0),
        ("Final65, failing", Policy::FINAL65, 3, 12, 6),
        ("Final65, all failing", Policy::FINAL65, 1, 6, 1),
    ] {
        let text = record(policy, policy, fails, move |file| {
            stress(file, threads, calls, fails)
        })?;
        traces::accepted(name, "dio", std::slice::from_ref(&text));
        let events = one(&text)?.events;
        let failed = events.iter().filter(|event| event.action == "Fail").count();
        println!("{name}: {} events, {failed} failed I/Os", events.len());
        // Which of the others fail is the scheduler's.
        ensure!(
            fails > 1 || (failed > 0) == (fails == 1),
            "{failed} I/Os have failed"
        );
    }
    Ok(())
}

#[test]
fn tlc_accepts_a_short_run() -> Result<()> {
    let policy = Policy::FINAL65;
    let text = record(policy, policy, 0, |file| stress(file, 2, 6, 0))?;
    traces::accepted_by_tlc("stress-dio", "dio", &[text]);
    Ok(())
}

thread_local! {
    /// Whom a thread plays.
    static PLAYS: Cell<usize> = const { Cell::new(0) };
}

/// What a design that waits for its I/O with the lock does is in one order alone, which the record says as far as it is told when
/// somebody begins.
#[test]
fn a_record_says_what_was_done() -> Result<()> {
    let (device, workers) = (MemoryDevice::new(SECTOR, 4, 0), Workers::new(1));
    let layout = Layout {
        per_block: 2,
        extents: vec![Unwritten, Written],
        length: 4,
    };
    let policy = Policy::FINAL65;
    let recorder = Recorder::of(|| PLAYS.get());
    let file =
        DirectFile::<_, Workers, StdSys, _>::on(device, workers, policy, layout.clone(), recorder);
    let file = file.ok().context("the layout is good")?;
    let taken = || one(&file.probe().to_text("a test", policy, &layout));
    PLAYS.set(1);
    file.write_at(&[1; SECTOR], 0)?;
    let first = taken()?;
    let shown: Vec<String> = first.events.iter().map(|event| event.show()).collect();
    let file_is = |dio: u32, first: &str| {
        format!("sees dio = {dio}, extent = (0 :> \"{first}\" @@ 1 :> \"written\"), size = 4")
    };
    let (idle, flying) = (file_is(0, "unwritten"), file_is(1, "unwritten"));
    let expected = [
        format!("Call(\"r1\") of t1, {idle}"),
        "Lock(\"r1\") of t1, sees exclusive = FALSE".to_owned(),
        format!("Check(\"r1\") of t1, {idle}"),
        "Lock(\"r1\") of t1, sees exclusive = TRUE".to_owned(),
        format!("Check(\"r1\") of t1, {idle}"),
        format!("Drain(\"r1\") of t1, {idle}"),
        format!("Begin(\"r1\") of t1, {flying}"),
        format!("Map(\"r1\") of t1, {flying}"),
        format!("EndIo(\"r1\") of t1, {}", file_is(1, "written")),
        format!("DioEnd(\"r1\") of t1, {}", file_is(0, "written")),
        "Unlock(\"r1\") of t1".to_owned(),
        "Complete(\"r1\", \"data\", 0) of t2".to_owned(),
        "Complete(\"r1\", \"tail\", 0) of t2".to_owned(),
    ];
    ensure!(shown == expected, "{shown:#?}");
    // What nobody else does in between, neither the caller nor the worker has seen.
    file.punch_hole(2 * SECTOR as u64, SECTOR)?;
    let second = taken()?;
    traces::later(&first, &second);
    PLAYS.set(2);
    file.write_at(&[1; SECTOR], 2 * SECTOR as u64)?;
    let third = taken()?;
    traces::later(&second, &third);
    let threads: BTreeSet<&str> = third
        .events
        .iter()
        .map(|event| event.thread.as_str())
        .collect();
    ensure!(
        threads.into_iter().eq(["t1", "t2", "t3"]),
        "{}",
        third.to_text()
    );
    Ok(())
}

/// Half of a block that is not written is written, by a design that takes that for an overwrite.
#[test]
fn another_design_is_refused() -> Result<()> {
    let half = |file: &File| judge(file.write_at(&[1; SECTOR], 0));
    let (rfc, final65) = (Policy::RFC_ON63, Policy::FINAL65);
    let text = record(rfc, rfc, 0, half)?;
    traces::accepted("RfcOn63", "dio", &[text]);
    let text = record(rfc, final65, 0, half)?;
    let Found::Refused(refusal) = Protocol::of("dio", &one(&text)?)?.search(&one(&text)?)? else {
        anyhow::bail!("it is accepted");
    };
    // After the check it goes on with the shared lock, and Final65 asks for it anew.
    ensure!(refusal.fit == 3, "{refusal:?}");
    ensure!(
        traces::judged("fault-dio", "dio", &[text])? == 1,
        "accepted"
    );
    Ok(())
}

/// A record that leaves out what all do is no behaviour; nor are edited ones, but for a few that say less, or in another order
/// what may come in another order.
#[test]
fn edited_runs_are_refused() -> Result<()> {
    let policy = Policy::FINAL65;
    let text = record(policy, policy, 0, |file| stress(file, 1, 10, 0))?;
    let mut trace = one(&text)?;
    let protocol = Protocol::of("dio", &trace)?;
    traces::in_order(&mut trace);
    ensure!(
        protocol.search(&trace)? == Found::Accepted,
        "not in this order"
    );
    for action in ["Lock", "Check", "Begin", "Map", "EndIo", "DioEnd"] {
        let mut without = trace.clone();
        without.events.retain(|event| event.action != action);
        ensure!(
            protocol.search(&without)? != Found::Accepted,
            "nobody takes {action}"
        );
    }
    for edit in EDITS {
        let edited = edit.all(&trace);
        let is_refused = |edited: &&Trace| !matches!(protocol.search(edited), Ok(Found::Accepted));
        let refused = edited.iter().filter(is_refused).count();
        println!("{edit:?}: {refused} of {} refused", edited.len());
        let least = match edit {
            Edit::More => edited.len(),
            _ => edited.len() / 3,
        };
        ensure!(refused >= least, "{edit:?}: {refused} of {}", edited.len());
    }
    Ok(())
}
