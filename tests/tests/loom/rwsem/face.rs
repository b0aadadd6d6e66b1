//! `lock_api`'s own calls on the lock, in every schedule: what is written lies in loom's cell, and nobody holds the lock in the end.

use std::sync::Arc;

use interlock_rwlock::layout::{Budget, Layout, NoBudget};
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::lock_api::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use interlock_rwlock::probe::NoProbe;
use interlock_rwlock::rules::BatchQueue;
use interlock_rwlock::word::WordOf;
use loom::cell::UnsafeCell;
use rusty_fork::rusty_fork_test;

use super::HEAD;
use super::faults::RACE;
use super::sys::*;
use crate::explored::{self, Figures, figures_of};

type Raw<const FAULT: u8, L> = RawBarrierRwLock<LoomSys<FAULT, true>, NoProbe, BatchQueue, L>;
type Lock<const FAULT: u8, L> = RwLock<Raw<FAULT, L>, UnsafeCell<u32>>;

/// What a thread does with the lock, named by the call that only it makes.
#[derive(Clone, Copy)]
enum Call {
    Read,
    TryRead,
    Write,
    TryWrite,
    Downgrade,
}

/// The calls of a lock that is fair, one by one.
#[derive(Clone, Copy)]
enum FairCall {
    BumpRead,
    BumpWrite,
    UnlockFair,
}

fn look(cell: &UnsafeCell<u32>) {
    // SAFETY: the caller has a guard; loom panics if that is worth nothing.
    cell.with(|value| unsafe { *value });
}

fn change(cell: &UnsafeCell<u32>) -> u32 {
    // SAFETY: the caller has a guard for writing; loom panics if that is worth nothing.
    cell.with_mut(|value| unsafe { *value += 1 });
    1
}

/// How often it wrote.
fn call<const FAULT: u8, L: Layout>(lock: &Lock<FAULT, L>, call: Call) -> u32 {
    match call {
        Call::Read => look(&lock.read()),
        Call::TryRead => {
            lock.try_read().inspect(|guard| look(guard));
        }
        Call::Write => return change(&lock.write()),
        Call::TryWrite => return lock.try_write().map_or(0, |guard| change(&guard)),
        Call::Downgrade => {
            let guard = lock.write();
            let wrote = change(&guard);
            look(&RwLockWriteGuard::downgrade(guard));
            return wrote;
        }
    }
    0
}

/// The same of a lock that is fair.
fn fair_call<const FAULT: u8>(lock: &Lock<FAULT, NoBudget>, call: FairCall) -> u32 {
    match call {
        FairCall::BumpRead => {
            let mut guard = lock.read();
            look(&guard);
            RwLockReadGuard::bump(&mut guard);
            look(&guard);
            RwLockReadGuard::unlock_fair(guard);
            0
        }
        FairCall::BumpWrite => {
            let mut guard = lock.write();
            let wrote = change(&guard);
            RwLockWriteGuard::bump(&mut guard);
            wrote + change(&guard)
        }
        FairCall::UnlockFair => {
            let guard = lock.write();
            let wrote = change(&guard);
            RwLockWriteGuard::unlock_fair(guard);
            wrote
        }
    }
}

/// Runs every schedule with at most 3 preemptions.
fn explore<const FAULT: u8, L: Layout, C: Copy + Sync>(
    name: &str,
    calls: &'static [C],
    call: fn(&Lock<FAULT, L>, C) -> u32,
) -> Figures {
    let run = move || {
        let raw = RawBarrierRwLock::with(WordOf::FREE, NoProbe);
        let lock = Arc::new(Lock::<FAULT, L>::from_raw(raw, UnsafeCell::new(0)));
        let thread = |one: C| {
            let lock = lock.clone();
            move || call(&lock, one)
        };
        let others: Vec<_> = calls[1..]
            .iter()
            .map(|&one| loom::thread::spawn(thread(one)))
            .collect();
        let mut writes = thread(calls[0])();
        for other in others {
            writes += other.join().expect("no thread panics");
        }
        assert!(!lock.is_locked(), "somebody holds the lock in the end");
        // SAFETY: all threads have ended.
        let value = lock.write().with(|value| unsafe { *value });
        assert_eq!(value, writes, "a write was lost");
        (writes, ())
    };
    explored::explore(name, Some(3), run, |_, _, _: &mut ()| {}).0
}

/// The same without a fault; the figures must be those of the head.
fn holds<L: Layout, C: Copy + Sync>(
    name: &str,
    calls: &'static [C],
    call: fn(&Lock<NONE, L>, C) -> u32,
) {
    let figures = explore::<NONE, L, C>(name, calls, call);
    assert_eq!(figures, figures_of(HEAD, name, Some(3)), "{name}");
}

rusty_fork_test! {
    #[test]
    fn of_any_lock() {
        use Call::*;
        holds::<NoBudget, _>("lock_api r+w", &[Read, Write], call);
        holds::<NoBudget, _>("lock_api tr+tw+d", &[TryRead, TryWrite, Downgrade], call);
    }

    #[test]
    fn of_one_with_a_budget() {
        use Call::*;
        holds::<Budget<1>, Call>("lock_api, budget, d+r+tw", &[Downgrade, Read, TryWrite], call);
    }

    #[test]
    fn of_a_fair_one() {
        use FairCall::*;
        holds::<NoBudget, _>("lock_api br+bw", &[BumpRead, BumpWrite], fair_call);
        holds::<NoBudget, _>("lock_api bw+f", &[BumpWrite, UnlockFair], fair_call);
    }

    #[test]
    fn a_weaker_order_is_found() {
        use conformance::symptom::assert_found;
        use Call::*;
        assert_found("lock_api, Relaxed Release", RACE, || {
            explore::<RELAXED_RELEASE, NoBudget, Call>("", &[Write, TryWrite], call)
        });
        assert_found("lock_api, Relaxed Downgrade", RACE, || {
            explore::<RELAXED_DOWNGRADE, NoBudget, Call>("", &[Downgrade, TryRead], call)
        });
        assert_found("lock_api, Relaxed try", RACE, || {
            explore::<RELAXED_ENTER, NoBudget, Call>("", &[TryWrite, TryWrite], call)
        });
        assert_found("lock_api, Relaxed Enter", RACE, || {
            explore::<RELAXED_FAST_ENTER, NoBudget, Call>("", &[Write, Write], call)
        });
    }
}
