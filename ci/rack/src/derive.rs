//! A counterexample of direct I/O (specs/dio) becomes a plan.
//!
//! A kernel lets itself be told two things: when a call is made, and when the disk completes what it writes. What is between, the
//! lock, the look at the mapping, the submission, it does by itself as soon as it can. So a call starts where the model's is
//! called, and its I/O completes where the model's last one does: its data and its pads arrive at the disk as one request. A kernel's
//! I/O ends as soon as the disk has completed it. So where the model's ends later, the disk is asked later too, but before it
//! completes another's.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail, ensure};
use interlock::dio::machine::{self, Action, Kind};
use interlock_tla::counterexample::{Counterexample, Step as Taken};
use interlock_traces::machines::counterpart::Counterpart as _;
use interlock_traces::machines::dio::Dio;

use crate::plan::{BLOCK, By, Call, Extent, Fs, Plan, SECTOR, Step, What};

/// The plan of a counterexample of this machine. `by`: how the asynchronous calls are made.
///
/// # Errors
/// If a step is not of this machine, or has no counterpart that a user of a kernel could ask for.
pub fn derive(dio: &Dio, counterexample: &Counterexample, fs: Fs, by: By) -> Result<Plan> {
    let taken = counterexample.states.iter().skip(1).map(|state| {
        dio.action(&Taken {
            action: state.action.clone(),
            args: state.args.clone(),
        })
    });
    let actions: Vec<Action> = taken.collect::<Result<_>>()?;
    let mut state = dio.machine.init();
    for &action in &actions {
        let next = dio.machine.step(&state, action);
        state = next.with_context(|| format!("{} is no step of the machine", dio.label(action)))?;
    }
    let mut plan = setting(dio, fs, by)?;
    let mut started = BTreeSet::new();
    let last = |place: usize, r: usize| {
        let mut later = actions[place + 1..].iter();
        !later.any(|later| at_the_disk(later) && later.request() == r)
    };
    // Before this step the disk completes a write whose last I/O the model completes at `place`.
    let completes = |place: usize, r: usize| {
        let mut later = (place + 1)..actions.len();
        later
            .find(|&at| at_the_disk(&actions[at]) || actions[at] == Action::EndIo(r))
            .unwrap_or(place)
    };
    let completed: Vec<(usize, usize)> = (0..actions.len())
        .filter(|&place| matches!(actions[place], Action::Complete(..)))
        .map(|place| (place, actions[place].request()))
        .filter(|&(place, r)| dio.machine.calls[r].kind == Kind::Write && last(place, r))
        .map(|(place, r)| (completes(place, r), r))
        .collect();
    // Of who asks for the lock while another takes it: behind that one's start, which may be held up under the lock.
    let starts = |place: usize, r: usize| {
        let lock = actions.iter().position(|&action| action == Action::Lock(r));
        let called = actions.iter().position(|&action| action == Action::Call(r));
        let (Some(called), Some(lock)) = (called, lock) else {
            return called == Some(place);
        };
        let mut others = (called..lock).filter(|&at| matches!(actions[at], Action::Lock(_)));
        others.next_back().unwrap_or(called) == place
    };
    for (place, &action) in actions.iter().enumerate() {
        let released = completed.iter().filter(|&&(at, _)| at == place);
        plan.steps.extend(released.map(|&(_, r)| Step::Release(r)));
        for r in 0..plan.calls.len() {
            let call = &plan.calls[r];
            // The disk does not hold a direct read back: it is made where the model's reads the disk.
            if call.what != What::Read && starts(place, r) {
                ensure!(
                    started.insert(r),
                    "{} is called again: a plan has each call once",
                    call.name
                );
                plan.steps.push(Step::Start(r));
            }
        }
        let r = action.request();
        let call = plan.calls[r].clone();
        let mut step = |step| plan.steps.push(step);
        match action {
            Action::Complete(..) if last(place, r) && call.what == What::Read => {
                started.insert(r);
                step(Step::Start(r));
                step(Step::Returned(r));
            }
            Action::Fail(..) if last(place, r) => step(Step::Fail(r)),
            Action::Free(_) => {
                step(Step::Release(r));
                step(Step::Returned(r));
            }
            Action::Fill(_) => step(Step::Returned(r)),
            Action::Flush(_) => step(Step::Sync),
            Action::FallBack(_) => bail!(
                "{} falls back to buffered I/O, because the page cache cannot be invalidated: no call asks for that",
                call.name
            ),
            _ => {}
        }
    }
    let ended = |r: usize| {
        let steps = plan.steps.iter();
        let mut ends =
            steps.filter(|step| matches!(step, Step::Release(q) | Step::Fail(q) if *q == r));
        ends.next().is_some()
    };
    let open: Vec<usize> = started
        .iter()
        .copied()
        .filter(|&r| plan.calls[r].is_held() && !ended(r))
        .collect();
    plan.steps.extend(open.into_iter().map(Step::Release));
    plan.steps.push(Step::Sync);
    Ok(plan)
}

/// Whether the disk does it.
fn at_the_disk(action: &Action) -> bool {
    matches!(action, Action::Complete(..) | Action::Fail(..))
}

/// The machine's file and calls, in bytes.
fn setting(dio: &Dio, fs: Fs, by: By) -> Result<Plan> {
    let machine = &dio.machine;
    ensure!(
        machine.repeats.is_empty(),
        "its calls come again and again: a plan has each once"
    );
    let cut = cut(machine.per_block)?;
    let at = |sector: u32| byte(&cut, machine.per_block, sector);
    let extent = |extent: &machine::Extent| match extent {
        machine::Extent::Hole => Extent::Hole,
        machine::Extent::Unwritten => Extent::Unwritten,
        machine::Extent::Written => Extent::Written,
    };
    let calls = dio.requests.iter().zip(&machine.calls).map(|(name, call)| {
        let what = match call.kind {
            Kind::Write => What::Write,
            Kind::Buffered => What::Buffered,
            Kind::Read => What::Read,
            Kind::Punch => What::Punch,
            Kind::Truncate => What::Truncate,
        };
        Call {
            name: name.clone(),
            what,
            from: at(call.from),
            to: at(call.to + 1),
            by: if call.is_async { by } else { By::Sync },
            nowait: call.nowait,
        }
    });
    Ok(Plan {
        fs,
        calls: calls.collect(),
        blocks: machine.extents.iter().map(extent).collect(),
        size: at(machine.length),
        cloned: false,
        steps: Vec::new(),
        cut,
    })
}

/// Where a block of so many sectors is cut: all but the last have the least length that a direct write may have.
///
/// # Errors
/// If there are too many.
pub fn cut(per_block: u32) -> Result<Vec<u64>> {
    let most = BLOCK / SECTOR;
    let cuts = u64::from(per_block)
        .checked_sub(1)
        .context("a block without sectors")?;
    ensure!(
        cuts < most,
        "{per_block} sectors in a block: a kernel's has {most} at most"
    );
    Ok((1..=cuts).map(|cut| cut * SECTOR).collect())
}

/// A sector's first byte.
pub fn byte(cut: &[u64], per_block: u32, sector: u32) -> u64 {
    let (block, within) = (u64::from(sector / per_block), (sector % per_block) as usize);
    let start = within.checked_sub(1).map_or(0, |before| cut[before]);
    block * BLOCK + start
}
