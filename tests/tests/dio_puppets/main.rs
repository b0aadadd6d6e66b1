//! Real threads on the file's code, driven step by step along paths of the machine: the device does an I/O when the path says so.
//! After each step the block states, i_size, i_dio_count and every byte on the device are those of the machine's state.
//!
//! A path that loses acknowledged bytes in the machine loses them on the device; the design that cures it does not go that way.

mod stage;
mod tours;

use std::collections::{HashMap, VecDeque};

use conformance::dio_log::{History, OLD, machine, replay, view};
use interlock::dio::file::Layout;
use interlock::dio::machine::{Action, Call, Content, Extent, Kind, Machine, Outcome, State};
use interlock::dio::policy::Policy;

use stage::drive;

fn aio(from: u32, to: u32) -> Call {
    Call {
        is_async: true,
        ..Call::new(Kind::Write, from, to)
    }
}

/// Two blocks of two sectors, the second written; all happens in the first, which is this.
fn first(extent: Extent) -> Layout {
    Layout {
        per_block: 2,
        extents: vec![extent, Extent::Written],
        length: 4,
    }
}

/// All writes are acknowledged, and one of their sectors has the bytes of none.
fn is_lost(machine: &Machine, state: &State) -> bool {
    let done = |request: &interlock::dio::machine::Progress| request.result == Outcome::Ok;
    let writes = machine.calls.iter().filter(|call| call.kind == Kind::Write);
    let mut written = writes.flat_map(|call| call.from..=call.to);
    state.requests.iter().all(done)
        && written.any(|sector| !matches!(view(machine, state, sector as usize), Content::Of(_)))
}

/// The shortest path to such a state, if there is one, and how many states were looked at.
fn shortest_loss(machine: &Machine) -> (Option<Vec<Action>>, usize) {
    let mut came_by = HashMap::from([(machine.init(), None)]);
    let mut todo = VecDeque::from([machine.init()]);
    while let Some(state) = todo.pop_front() {
        if is_lost(machine, &state) {
            let (mut path, mut at) = (Vec::new(), &state);
            while let Some(Some((before, action))) = came_by.get(at) {
                path.push(*action);
                at = before;
            }
            path.reverse();
            return (Some(path), came_by.len());
        }
        for action in machine.actions(&state) {
            let Some(next) = machine.step(&state, action) else {
                continue;
            };
            if !came_by.contains_key(&next) {
                came_by.insert(next.clone(), Some((state.clone(), action)));
                todo.push_back(next);
            }
        }
    }
    (None, came_by.len())
}

/// The design loses the bytes, on the device too; the cure cannot be driven that way, and loses them on no other.
fn loses(
    name: &str,
    byte: u8,
    [bad, cure]: [Policy; 2],
    layout: &Layout,
    calls: &[Call],
    refusal: &str,
) {
    let of = |policy| machine(policy, layout, calls.to_vec());
    let (path, _) = shortest_loss(&of(bad));
    let path = path.expect("the design loses acknowledged bytes");
    let bytes = drive(&of(bad), bad, &path).expect("the threads follow the path");
    let states = replay(&of(bad), &path).expect("it is a path of the machine");
    let bad_machine = of(bad);
    let history = History::new(&bad_machine, &states);
    assert!(!history.holds(&states[path.len()]), "the oracle sees it");
    let lost: Vec<usize> = (0..bytes.len())
        .filter(|&sector| !history.allows(sector, &bytes[sector]))
        .collect();
    assert!(!lost.is_empty(), "{name}: the bytes are intact: {bytes:?}");
    assert!(lost.iter().all(|&sector| bytes[sector] == [byte; 4]));
    let (none, states) = shortest_loss(&of(cure));
    assert_eq!(none, None);
    let refused = drive(&of(bad), cure, &path).expect_err("the cure goes another way");
    println!(
        "{name}: {} steps lose sectors {lost:?}; the cure, {states} states: {refused}",
        path.len()
    );
    assert_eq!(refused, refusal, "{name}");
}

#[test]
fn designs_that_lose_acknowledged_bytes_lose_them() {
    let unwritten = first(Extent::Unwritten);
    let (a, b, c) = (aio(0, 0), aio(1, 1), aio(0, 1));
    let by_final = |bad| [bad, Policy::FINAL65];
    let rfc = by_final(Policy::RFC_ON63);
    let waits = "told Lock(0), expected Begin(0)";
    loses("RfcOn63, a b", 0, rfc, &unwritten, &[a, b], waits);
    loses("RfcOn63, a C", 0, rfc, &unwritten, &[a, c], waits);
    let no_force_wait = by_final(Policy::NO_FORCE_WAIT);
    loses(
        "NoForceWait, a C",
        0,
        no_force_wait,
        &unwritten,
        &[a, c],
        "nothing happens: (0, false)",
    );
    let no_dio_wait = by_final(Policy::EXCL_NO_DIO_WAIT);
    loses(
        "ExclNoDioWait, a C",
        0,
        no_dio_wait,
        &unwritten,
        &[a, c],
        "nothing happens: Begin(0)",
    );
    let shared = by_final(Policy::ALWAYS_SHARED);
    loses("AlwaysShared, a b", 0, shared, &unwritten, &[a, b], waits);
    let fallback = [Policy::FINAL65, Policy::DRAINED72];
    let f = Call {
        cached: true,
        ..Call::new(Kind::Write, 0, 0)
    };
    let (name, written) = ("Final65, f b", first(Extent::Written));
    loses(
        name,
        OLD,
        fallback,
        &written,
        &[f, b],
        "nothing happens: Fill(0)",
    );
    let at_eof = Layout {
        length: 1,
        ..written
    };
    let eof = [Policy::FINAL65, Policy::FINAL65_EOF];
    loses(
        "Final65 at EOF, a C",
        0,
        eof,
        &at_eof,
        &[a, c],
        "told Drain(0), expected Begin(0)",
    );
}

/// A path that is picked at random, to its end.
fn stroll(machine: &Machine, seed: u64) -> Vec<Action> {
    let (mut state, mut path, mut random) = (machine.init(), Vec::new(), seed | 1);
    loop {
        let actions = machine.actions(&state);
        if actions.is_empty() {
            return path;
        }
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let action = actions[(random >> 16) as usize % actions.len()];
        state = machine.step(&state, action).expect("it is enabled");
        path.push(action);
    }
}

/// Designs, good and bad, on all kinds of requests.
#[test]
fn threads_follow_the_machine() {
    let read = Call::new(Kind::Read, 0, 1);
    let (punch, cut) = (
        Call::new(Kind::Punch, 0, 1),
        Call::new(Kind::Truncate, 1, 3),
    );
    let nowait = |call| Call {
        nowait: true,
        ..call
    };
    let fails = |call| Call {
        fails: true,
        ..call
    };
    let cached = |call| Call {
        cached: true,
        ..call
    };
    let (a, b, c) = (aio(0, 0), aio(1, 1), aio(0, 1));
    let (w, longer) = (
        Call::new(Kind::Buffered, 1, 1),
        Call::new(Kind::Truncate, 3, 3),
    );
    let scenarios: [&[Call]; 11] = [
        &[a, b, c],
        &[a, c, read],
        &[a, c, punch],
        &[a, c, cut],
        &[nowait(a), c, Call::new(Kind::Write, 1, 1)],
        &[cached(Call::new(Kind::Write, 0, 0)), b],
        &[fails(a), b, fails(read)],
        &[aio(1, 2), aio(2, 3), Call::new(Kind::Write, 0, 0)],
        &[a, Call::new(Kind::Write, 3, 3), read],
        &[a, w, b],
        &[aio(2, 2), longer, aio(3, 3)],
    ];
    // Where the second try is shared too, a request need not end.
    let mut policies = Policy::NAMED.to_vec();
    policies.retain(|(_, policy)| *policy != Policy::XFS_RETRY_SHARED);
    let (mut paths, mut steps) = (0, 0);
    for (name, policy) in policies {
        for (number, calls) in scenarios.iter().enumerate() {
            for extent in [Extent::Hole, Extent::Unwritten, Extent::Written] {
                let layout = Layout {
                    length: if number % 2 == 0 { 4 } else { 3 },
                    ..first(extent)
                };
                // Behind EOF there are zeroes, as in `Init`.
                let machine = machine(policy, &layout, calls.to_vec());
                let seed = 0x9E37_79B9 * (paths as u64 + 1);
                let path = stroll(&machine, seed);
                if let Err(error) = drive(&machine, policy, &path) {
                    panic!("{name}, scenario {number}, {extent:?}: {error}: {path:?}");
                }
                paths += 1;
                steps += path.len();
            }
        }
    }
    println!("{paths} paths, {steps} steps");
}
