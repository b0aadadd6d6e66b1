//! Random calls of a file of three blocks on the machine: the safe designs keep what Integrity says of a state, every run of theirs
//! ends, and a walk like it finds what each other design breaks.

use conformance::foreign::{Foreign, assert_refused};
use conformance::random::runner;
use interlock::dio::machine::{
    Action, Bio, Call, Content, Extent, Io, Kind, Machine, Outcome, Part, Pc, Progress, State,
};
use interlock::dio::policy::Policy;
use proptest::prelude::*;
use proptest::test_runner::TestError;

const BLOCKS: u32 = 3;

/// More steps than any run of four requests takes that ends.
const STEPS: usize = 400;

/// Designs that keep every [`Promise`], for pads at the end of the file as well.
const CURED: [Policy; 3] = [Policy::FINAL65_EOF, Policy::ZEROING73_EOF, Policy::XFS_EOF];

/// Designs that keep everything but [`Promise::ZeroingExcludesIo`].
const SAFE: [Policy; 4] = [
    Policy::FINAL65,
    Policy::FINAL65_FLAG,
    Policy::ZEROING73,
    Policy::XFS_OPTIMISTIC,
];

/// What Integrity says of each state, and that runs end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Promise {
    AloneAfterDrain,
    ZeroingExcludesIo,
    NoMisplacedIo,
    NowaitNeverBlocks,
    EagainOnlyWithNowait,
    RetriesOnce,
    EveryRunEnds,
}

fn alone_after_drain(machine: &Machine, state: &State) -> bool {
    let drained = |(call, request): (&Call, &Progress)| match request.pc {
        Pc::Begin | Pc::Map | Pc::Io => request.plan.drain,
        Pc::Fill => {
            let Policy { fallback, grow, .. } = machine.policy;
            fallback.drains() || (grow.drains_to_zero() && call.from > state.size)
        }
        Pc::Free => call.kind == Kind::Punch || call.from < state.size,
        _ => false,
    };
    let own = |request: &Progress| u32::from(matches!(request.io, Io::Flying | Io::Converted));
    let mut requests = machine.calls.iter().zip(&state.requests);
    requests.all(|request| !drained(request) || state.dio == own(request.1))
}

fn zeroing_excludes_io(state: &State) -> bool {
    let is_pad = |bio: &&Bio| matches!(bio.part, Part::Head | Part::Tail);
    let requests = || state.requests.iter().enumerate();
    requests().all(|(r, request)| {
        request.bios.iter().filter(is_pad).all(|pad| {
            let hits = |bio: &Bio| bio.block == pad.block;
            requests().all(|(q, other)| q == r || !other.bios.iter().any(hits))
        })
    })
}

fn no_misplaced_io(state: &State) -> bool {
    let mut bios = state.requests.iter().flat_map(|request| &request.bios);
    bios.all(|bio| state.extent[bio.block as usize] != Extent::Hole)
}

fn nowait_never_blocks(machine: &Machine, state: &State, actions: &[Action]) -> bool {
    let mut requests = machine.calls.iter().zip(&state.requests).enumerate();
    requests.all(|(r, (call, request))| {
        !call.nowait
            || matches!(request.pc, Pc::Idle | Pc::Done | Pc::Queued)
            || actions.iter().any(|action| action.request() == r)
    })
}

fn eagain_only_with_nowait(machine: &Machine, state: &State) -> bool {
    let mut requests = machine.calls.iter().zip(&state.requests);
    requests.all(|(call, request)| request.result != Outcome::Eagain || call.nowait)
}

/// The first promise that the state breaks.
fn broken(machine: &Machine, state: &State, actions: &[Action]) -> Option<Promise> {
    let kept = [
        (Promise::AloneAfterDrain, alone_after_drain(machine, state)),
        (Promise::ZeroingExcludesIo, zeroing_excludes_io(state)),
        (Promise::NoMisplacedIo, no_misplaced_io(state)),
        (
            Promise::NowaitNeverBlocks,
            nowait_never_blocks(machine, state, actions),
        ),
        (
            Promise::EagainOnlyWithNowait,
            eagain_only_with_nowait(machine, state),
        ),
        (
            Promise::RetriesOnce,
            state.requests.iter().all(|request| request.retries <= 1),
        ),
    ];
    let broken = kept.iter().find(|(_, kept)| !kept);
    broken.map(|(promise, _)| *promise)
}

/// A file, what is called of it, and which of the enabled actions is taken each time.
type Program = (Vec<Call>, Vec<Extent>, u32, u32, Vec<prop::sample::Index>);

fn calls(per_block: u32) -> impl Strategy<Value = Call> {
    let kind = prop::sample::select(vec![
        Kind::Write,
        Kind::Write,
        Kind::Write,
        Kind::Read,
        Kind::Buffered,
        Kind::Punch,
        Kind::Truncate,
    ]);
    let range = (0..BLOCKS * per_block, 0..BLOCKS * per_block);
    (kind, range, any::<[bool; 4]>()).prop_map(
        |(kind, (a, b), [is_async, nowait, cached, fails])| {
            let is_io = matches!(kind, Kind::Write | Kind::Read);
            Call {
                kind,
                from: a.min(b),
                to: a.max(b),
                is_async: is_io && is_async,
                nowait: is_io && nowait,
                // A fallback may block: buffered I/O of a NOWAIT request is out of the model's scope.
                cached: kind == Kind::Write && cached && !nowait,
                fails: is_io && fails,
            }
        },
    )
}

fn programs() -> impl Strategy<Value = Program> {
    (1..=3u32).prop_flat_map(|per_block| {
        let extent = prop::sample::select(vec![Extent::Hole, Extent::Unwritten, Extent::Written]);
        (
            prop::collection::vec(calls(per_block), 1..=4),
            prop::collection::vec(extent, BLOCKS as usize),
            0..=BLOCKS * per_block,
            Just(per_block),
            prop::collection::vec(any::<prop::sample::Index>(), STEPS),
        )
    })
}

/// Runs to the end, with a lock that is granted in any order and with one that is in that of asking; fails with the first promise
/// broken that is one of `promises`.
fn walk(policy: Policy, program: Program, promises: &[Promise]) -> Result<(), TestCaseError> {
    let (calls, extents, length, per_block, choices) = program;
    let any_order = Machine::new(policy, calls, extents, length, per_block);
    let in_order = Machine {
        fifo: true,
        ..any_order.clone()
    };
    walk_on(&any_order, &choices, promises)?;
    walk_on(&in_order, &choices, promises)
}

fn walk_on(
    machine: &Machine,
    choices: &[prop::sample::Index],
    promises: &[Promise],
) -> Result<(), TestCaseError> {
    let mut state = machine.init();
    for choice in choices {
        let actions = machine.actions(&state);
        if let Some(promise) = broken(machine, &state, &actions)
            && promises.contains(&promise)
        {
            return Err(TestCaseError::fail(format!("{promise:?}")));
        }
        if actions.is_empty() {
            break;
        }
        let next = machine.step(&state, *choice.get(&actions));
        state = next.expect("an action that is offered is enabled");
    }
    let returned = |request: &Progress| request.pc == Pc::Done && request.result != Outcome::None;
    let at_rest = |request: &Progress| request.held.is_none() && request.bios.is_empty();
    let ended = state.dio == 0
        && state
            .requests
            .iter()
            .all(|request| returned(request) && at_rest(request));
    if !ended && promises.contains(&Promise::EveryRunEnds) {
        return Err(TestCaseError::fail(format!("{:?}", Promise::EveryRunEnds)));
    }
    Ok(())
}

const ALL: [Promise; 7] = [
    Promise::AloneAfterDrain,
    Promise::ZeroingExcludesIo,
    Promise::NoMisplacedIo,
    Promise::NowaitNeverBlocks,
    Promise::EagainOnlyWithNowait,
    Promise::RetriesOnce,
    Promise::EveryRunEnds,
];

#[test]
fn the_cured_designs_keep_every_promise() {
    let policy = prop::sample::select(CURED.to_vec());
    let found = runner(1500, 2000).run(&(policy, programs()), |(policy, program)| {
        walk(policy, program, &ALL)
    });
    assert!(found.is_ok(), "{found:#?}");
}

#[test]
fn the_safe_designs_keep_all_but_one() {
    let others = ALL.map(|promise| match promise {
        Promise::ZeroingExcludesIo => Promise::EveryRunEnds,
        other => other,
    });
    let policy = prop::sample::select(SAFE.to_vec());
    let found = runner(1500, 2000).run(&(policy, programs()), |(policy, program)| {
        walk(policy, program, &others)
    });
    assert!(found.is_ok(), "{found:#?}");
}

/// The control: each promise is broken by a design that does not make it.
#[test]
fn the_walk_finds_what_other_designs_break() {
    let designs = [
        (Policy::SHARED_DRAIN, Promise::AloneAfterDrain),
        (Policy::FALLBACK_DRAINS_SHARED, Promise::AloneAfterDrain),
        (Policy::RFC_ON63, Promise::ZeroingExcludesIo),
        (Policy::FINAL65, Promise::ZeroingExcludesIo),
        (Policy::PUNCH_NO_DIO_WAIT, Promise::NoMisplacedIo),
        (Policy::NOWAIT_DRAINS, Promise::NowaitNeverBlocks),
        (Policy::XFS_NO_RETRY, Promise::EagainOnlyWithNowait),
        (Policy::XFS_RETRY_SHARED, Promise::RetriesOnce),
        (Policy::XFS_RETRY_SHARED, Promise::EveryRunEnds),
    ];
    for (policy, promise) in designs {
        // A smaller program that breaks it too is of no interest.
        let found = runner(5000, 0).run(&programs(), |program| walk(policy, program, &[promise]));
        assert!(
            matches!(found, Err(TestError::Fail(..))),
            "{policy:?}: {promise:?} is not broken"
        );
    }
}

/// In a state of another file nothing is enabled, wherever it points outside of this one; nor for a call that is none, nor by a request
/// that is not there.
#[test]
fn what_is_not_the_machines_is_refused() {
    let write = Call {
        is_async: true,
        ..Call::new(Kind::Write, 1, 3)
    };
    let machine = Machine::new(
        Policy::FINAL65,
        vec![write; 2],
        vec![Extent::Written; 2],
        4,
        2,
    );
    let own = machine.init();
    let call = Action::Call(0);
    assert!(machine.step(&own, call).is_some());
    assert_eq!(machine.step(&own, Action::Call(2)), None);
    let places: &[Foreign<State>] = &[
        ("fewer blocks", |state| {
            state.extent.pop();
        }),
        ("more blocks", |state| state.extent.push(Extent::Hole)),
        ("fewer sectors", |state| {
            state.disk.pop();
        }),
        ("a page", |state| {
            state.cache.insert(4, Content::Old);
        }),
        ("fewer requests", |state| {
            state.requests.pop();
        }),
        ("more requests", |state| state.requests.push(Progress::IDLE)),
        ("the next block", |state| state.requests[1].next = 3),
        ("an I/O", |state| {
            let (part, block) = (Part::Data, 2);
            state.requests[1].bios.insert(Bio { part, block });
        }),
        ("a block to convert", |state| {
            state.requests[1].convert.insert(2);
        }),
        ("a block that was seen", |state| {
            state.requests[1].plan.saw.insert(2, Extent::Hole);
        }),
        ("a sector that was read", |state| {
            state.requests[1].buffer.insert(4, Content::Old);
        }),
        ("who asked before", |state| {
            state.requests[1].ahead.insert(2);
        }),
    ];
    assert_refused(&own, places, |state| machine.actions(state));
    for (from, to) in [(3, 1), (1, 4)] {
        let mut machine = machine.clone();
        machine.calls[1] = Call { from, to, ..write };
        assert_eq!(machine.step(&own, call), None, "{from} to {to}");
    }
}

/// The machine is total: any state, reachable or not, even of another size, and any request.
#[test]
fn no_state_and_no_action_makes_it_panic() {
    let progress = (0..8u32, any::<[bool; 3]>(), 0..6u32, 0..8u32);
    let pcs = prop::sample::select(vec![
        Pc::Lock,
        Pc::Check,
        Pc::Drain,
        Pc::Begin,
        Pc::Map,
        Pc::Io,
        Pc::Again,
        Pc::Fill,
        Pc::Flush,
        Pc::Free,
        Pc::Unlock,
        Pc::Queued,
    ]);
    let requests = prop::collection::vec((pcs, progress), 0..5);
    let sizes = (0..3u32, 0..5usize, 0..10usize, 0..4u32, 0..6usize);
    let policy = prop::sample::select(Policy::NAMED.to_vec());
    let program = (programs(), requests, sizes, policy);
    let found = runner(5000, 2000).run(
        &program,
        |((calls, extents, length, _, _), requests, sizes, (_, policy))| {
            let (per_block, blocks, sectors, dio, request) = sizes;
            let mut machine = Machine::new(policy, calls, extents, length, per_block);
            machine.fifo = true;
            let mut state = machine.init();
            if blocks < 4 {
                state.extent.truncate(blocks);
                state.disk.truncate(sectors);
            }
            state.dio = dio;
            state.requests.truncate(request);
            for (progress, (pc, (next, [held, failed, flies], block, sector))) in
                state.requests.iter_mut().zip(requests)
            {
                progress.pc = pc;
                progress.next = next;
                progress.held = held.then_some(progress.plan.mode);
                progress.failed = failed;
                progress.io = if flies { Io::Flying } else { Io::Converted };
                progress.convert.insert(block);
                let part = Part::Tail;
                progress.bios.insert(Bio { part, block });
                let content = Content::Old;
                progress.buffer.insert(sector, content);
                progress.ahead.insert(block as usize);
            }
            let offered = machine.actions(&state);
            for action in [
                Action::Map(request),
                Action::Flush(request),
                Action::Complete(request, Part::Tail, 7),
                Action::DioEnd(request),
            ] {
                let next = machine.step(&state, action);
                prop_assert_eq!(next.is_some(), offered.contains(&action));
            }
            Ok(())
        },
    );
    assert!(found.is_ok(), "{found:#?}");
}
