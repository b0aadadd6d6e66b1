//! What threads do with the lock, recorded, is a behaviour of `Rwsem`: see `docs/traces.md`.

use std::cell::Cell;
use std::sync::Arc;
use std::thread;

use anyhow::{Context as _, Result, ensure};
use conformance::in_time::{PATIENCE, in_time_or_tell};
use conformance::traces::{in_order, later, one};
use interlock::rwsem::recorder::Recorder;
use interlock_rwlock::Kind;
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::rules::BatchQueue;
use interlock_rwlock::sys::StdSys;
use interlock_rwlock::word::Word;
use interlock_traces::recording::Trace;
use interlock_traces::validate::edits::Edit;
use interlock_traces::validate::protocol::Protocol;
use interlock_traces::validate::search::Found;

type Lock = RawBarrierRwLock<StdSys, Recorder, BatchQueue>;

/// How often each thread takes the lock.
const ROUNDS: usize = 100;

/// A stress run of these threads, recorded.
fn record(threads: &'static [&str]) -> Result<Trace> {
    let lock = Arc::new(Lock::with(Word::FREE, Recorder::new()));
    let (used, told) = (Arc::clone(&lock), Arc::clone(&lock));
    let state = move || format!("with the lock as {:?}", told.snapshot());
    in_time_or_tell(PATIENCE, state, move || stress(&used, threads));
    let text = lock.probe().to_text("a stress run", threads);
    one(&text)
}

fn stress(lock: &Lock, threads: &[&str]) {
    thread::scope(|scope| {
        for thread in threads {
            scope.spawn(move || {
                lock.probe().join(thread);
                for round in 0..ROUNDS {
                    use_lock(lock, thread, round);
                }
            });
        }
    });
}

fn use_lock(lock: &Lock, thread: &str, round: usize) {
    let kind = match thread.starts_with('r') {
        true => Kind::Reader,
        false => Kind::Writer,
    };
    lock.probe().about();
    lock.acquire(kind);
    if round.is_multiple_of(3) {
        thread::yield_now();
    }
    lock.probe().about();
    if kind == Kind::Writer && round.is_multiple_of(5) {
        // SAFETY: this thread is the writer inside.
        unsafe { lock.downgrade() };
        lock.probe().about();
        // SAFETY: it is a reader since.
        unsafe { lock.release(Kind::Reader) };
    } else {
        // SAFETY: this thread has acquired the lock as that.
        unsafe { lock.release(kind) };
    }
}

#[test]
fn stress_runs_are_behaviours() -> Result<()> {
    for threads in [
        &["r1", "w1"][..],
        &["r1", "r2", "w1", "w2"],
        &["r1", "r2", "r3", "w1", "w2", "w3"],
    ] {
        let trace = record(threads)?;
        let mut times: Vec<(u64, u64, &str)> = Vec::new();
        for event in &trace.events {
            times.push((event.to, event.from, &event.thread));
        }
        times.sort_unstable();
        let overlap = |pair: &&[(u64, u64, &str)]| pair[1].1 <= pair[0].0 && pair[0].2 != pair[1].2;
        let overlapping = times.windows(2).filter(overlap).count();
        println!(
            "{threads:?}: {} events, {overlapping} may come before the one that ends before",
            trace.events.len()
        );
        ensure!(
            trace.events.len() >= 2 * ROUNDS * threads.len(),
            "too few events"
        );
        let found = Protocol::of("rwsem", &trace)?.search(&trace)?;
        ensure!(found == Found::Accepted, "{threads:?}: {found:?}");
    }
    Ok(())
}

/// The record of a thread that is left out, or is another's, is no behaviour.
#[test]
fn edited_runs_are_refused() -> Result<()> {
    let mut trace = record(&["r1", "w1"])?;
    in_order(&mut trace);
    let protocol = Protocol::of("rwsem", &trace)?;
    let mut without = trace.clone();
    without.events.retain(|event| event.action != "Release");
    ensure!(
        protocol.search(&without)? != Found::Accepted,
        "nobody releases the lock"
    );
    for edit in [Edit::Other, Edit::More] {
        let mut edited = edit.all(&trace);
        edited.truncate(3);
        for edited in edited {
            ensure!(protocol.search(&edited)? != Found::Accepted, "{edit:?}");
        }
    }
    Ok(())
}

thread_local! {
    /// Whom a thread plays.
    static PLAYS: Cell<usize> = const { Cell::new(0) };
}

#[test]
fn who_comes_later_is_recorded_so_and_by_name() -> Result<()> {
    let lock = Lock::with(Word::FREE, Recorder::of(|| PLAYS.get()));
    let plays = |who: usize, joins: Option<&str>| {
        PLAYS.set(who);
        joins.into_iter().for_each(|task| lock.probe().join(task));
        use_lock(&lock, "r", 1);
        let text = lock.probe().to_text("a test", &["r1", "r2"]);
        one(&text)
    };
    let first = plays(1, Some("r1"))?;
    let second = plays(2, Some("r2"))?;
    later(&first, &second);
    let third = plays(1, None)?;
    later(&second, &third);
    let last = third.events.iter().max_by_key(|event| event.to);
    let last = last.map(|event| event.show());
    ensure!(
        last.as_deref() == Some("Release(r1) of r1, sees holders = 0, queued = 0"),
        "{last:?}"
    );
    Ok(())
}

/// Whatever people are told is read back, and a thread that has not said which task it is is no task.
#[test]
fn a_record_says_what_it_was_given() -> Result<()> {
    let lock = Lock::with(Word::FREE, Recorder::new());
    use_lock(&lock, "r1", 1);
    let source = "a \"stress\" run\n\tof \\ and \u{1}, ü";
    let text = lock.probe().to_text(source, &["r1"]);
    let trace = one(&text)?;
    ensure!(trace.head.source == source, "{}", trace.head.source);
    let threads: Vec<&str> = trace
        .events
        .iter()
        .map(|event| event.thread.as_str())
        .collect();
    ensure!(threads == ["t1", "t1"], "{threads:?}");
    let refused = Protocol::of("rwsem", &trace)?.search(&trace);
    let error = format!("{:#}", refused.err().context("there is no task t1")?);
    ensure!(error.contains("there is no task t1"), "{error}");
    Ok(())
}
