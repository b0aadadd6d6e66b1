//! TLC's counterexamples are behaviours of the machine: data that were acknowledged there are lost here.

use anyhow::{Context as _, Result};
use conformance::corpus;
use conformance::replay::replay;
use interlock::dio::machine::{Content, Extent, Kind, Outcome, Pc, State};
use interlock::dio::policy::Policy;
use interlock_traces::machines::counterpart::Counterpart;
use interlock_traces::machines::dio::Dio;

/// What each counterexample ends with: the sector, who wrote it and was told so, and what a read would return.
const LOSSES: [(&str, usize, &str, &str); 4] = [
    ("RfcOn63-AB-unwritten-data", 0, "a", "Zero"),
    ("NoForceWait-AC-unwritten-data", 1, "C", "Zero"),
    ("ExclNoDioWait-AC-unwritten-data", 1, "C", "Zero"),
    ("Final65-AC-eof-data", 1, "C", "Zero"),
];

fn dio(model: &str) -> Result<Dio> {
    let (policy, scenario) = model.split_once('-').context("no policy")?;
    let (calls, file) = scenario.split_once('-').context("no calls")?;
    let (extents, length) = match file {
        "unwritten-data" => ("Unwritten", "4"),
        _ => ("WrittenEnd", "1"),
    };
    let constants = [
        ("Policy", policy),
        ("Calls", calls),
        ("Extents", extents),
        ("Length", length),
        ("PerBlock", "2"),
    ];
    Dio::new(
        &constants
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
    )
}

/// What a read of the sector would return (`View`).
fn view(dio: &Dio, state: &State, sector: usize) -> Content {
    let block = sector / dio.machine.per_block as usize;
    if sector < state.size as usize && state.extent[block] == Extent::Written {
        state.disk[sector]
    } else {
        Content::Zero
    }
}

/// The sectors, with the write that put them there, of which another thing would be read although the write was acknowledged; a
/// write that was called before the acknowledged one had returned, or later, may have put it there.
fn lost(dio: &Dio, states: &[State]) -> Vec<(usize, usize, Content)> {
    let last = &states[states.len() - 1];
    let first_with = |holds: &dyn Fn(&State) -> bool| states.iter().position(holds);
    let mut lost = Vec::new();
    for (r, call) in dio.machine.calls.iter().enumerate() {
        let acked = |state: &State| state.requests[r].result == Outcome::Ok;
        let (Kind::Write, Some(acked)) = (call.kind, first_with(&acked)) else {
            continue;
        };
        for sector in call.from as usize..=call.to as usize {
            let content = view(dio, last, sector);
            let is_excused = match content {
                Content::Of(other) => {
                    let returned = |state: &State| state.requests[other].result != Outcome::None;
                    first_with(&returned).is_none_or(|returned| returned > acked)
                }
                _ => false,
            };
            if content != Content::Of(r) && !is_excused {
                lost.push((sector, r, content));
            }
        }
    }
    lost
}

#[test]
fn what_was_acknowledged_is_lost() -> Result<()> {
    for (model, sector, writer, found) in LOSSES {
        let dio = dio(model)?;
        let behaviour = replay(&dio, &corpus::counterexample(model)?)?;
        let states = &behaviour.states;
        let last = states.last().context("a trace has a state")?;
        println!(
            "{model}: {} steps to {}",
            behaviour.actions.len(),
            dio.show(last)
        );
        let lost_at = |end: usize| -> Vec<(usize, String, String)> {
            let shown = |(sector, r, content): (usize, usize, Content)| {
                (sector, dio.requests[r].clone(), format!("{content:?}"))
            };
            lost(&dio, &states[..end]).into_iter().map(shown).collect()
        };
        let expected = (sector, writer.to_owned(), found.to_owned());
        assert_eq!(lost_at(states.len()), [expected], "{model}");
        assert_eq!(
            lost_at(states.len() - 1),
            [],
            "{model}: before the last step"
        );
    }
    Ok(())
}

/// Requests that come again and again starve one: it gets nowhere in a thousand rounds of the loop, in which the others return.
#[test]
fn who_waits_waits_for_ever() -> Result<()> {
    let lassos = [
        // The lock: who comes back takes it before the one who waits.
        (
            "Final65-Unfair-aRS-EveryCallReturns",
            ("Final65", "aRS", "OneUnwritten", "Others", "AnyOrder"),
            ("a", &[Pc::Lock][..]),
        ),
        // The drain: a lock that is shared keeps nobody from beginning.
        (
            "SharedDrain-Again-aRS-EveryCallReturns",
            ("SharedDrain", "aRS", "OneUnwritten", "Others", "InOrder"),
            ("a", &[Pc::Drain]),
        ),
        // NOWAIT: refused each time, since somebody has the lock each time.
        (
            "Final65-Again-nT-PollerServed",
            ("Final65", "nT", "TwoWritten", "Everybody", "InOrder"),
            ("n", &[Pc::Lock, Pc::Done]),
        ),
    ];
    for (model, (policy, calls, extents, repeats, fifo), (victim, waits)) in lassos {
        let constants = [
            ("Policy", policy),
            ("Calls", calls),
            ("Extents", extents),
            ("Length", "2"),
            ("PerBlock", "2"),
            ("Repeats", repeats),
            ("Fifo", fifo),
        ];
        let constants = constants.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let dio = Dio::new(&constants.into())?;
        let victim = dio.requests.iter().position(|request| request == victim);
        let victim = victim.context("there is no such request")?;
        let behaviour = replay(&dio, &corpus::counterexample(model)?)?;
        assert!(!behaviour.cycle.is_empty(), "{model} is no lasso");
        let last = behaviour.states.last().context("a trace has a state")?;
        let (mut state, mut returned) = (last.clone(), 0);
        for _ in 0..1000 {
            for &action in &behaviour.cycle {
                let next = dio.machine.step(&state, action);
                let next = next.with_context(|| dio.label(action))?;
                let starves = &next.requests[victim];
                assert!(waits.contains(&starves.pc), "{}", dio.show(&next));
                assert_ne!(starves.result, Outcome::Ok, "{}", dio.show(&next));
                let returns = |r: &usize| {
                    let result = |state: &State| state.requests[*r].result;
                    result(&state) == Outcome::None && result(&next) == Outcome::Ok
                };
                returned += (0..dio.requests.len()).filter(returns).count();
                state = next;
            }
            assert_eq!(state, *last, "{model}: a round does not close");
        }
        println!(
            "{model}: {} steps round the loop, {returned} calls returned in 1000 rounds",
            behaviour.cycle.len()
        );
        assert!(returned >= 1000, "{model}: {returned}");
    }
    Ok(())
}

/// A machine of another design does not follow: the replay says where.
#[test]
fn another_design_does_not_follow() -> Result<()> {
    let others = [
        (
            "RfcOn63-AB-unwritten-data",
            Policy::FINAL65,
            "step to state 4: in [a Check holds Shared, b Idle; Unwritten Written: Stale Stale Old Old; size 4, dio 0], Check(a): \
             TLC [a Begin holds Shared, b Idle; Unwritten Written: Stale Stale Old Old; size 4, dio 0]; the machine [a Lock wants Exclusive drain wait, b Idle; Unwritten Written: Stale Stale Old Old; size 4, dio 0]",
        ),
        (
            "NoForceWait-AC-unwritten-data",
            Policy::FINAL65,
            "step to state 4: in [a Check holds Shared, C Idle; Unwritten Written: Stale Stale Old Old; size 4, dio 0], Check(a): \
             TLC [a Lock wants Exclusive drain, C Idle; Unwritten Written: Stale Stale Old Old; size 4, dio 0]; the machine [a Lock wants Exclusive drain wait, C Idle; Unwritten Written: Stale Stale Old Old; size 4, dio 0]",
        ),
        (
            "ExclNoDioWait-AC-unwritten-data",
            Policy::FINAL65,
            "step to state 4: in [a Check holds Shared, C Idle; Unwritten Written: Stale Stale Old Old; size 4, dio 0], Check(a): \
             TLC [a Lock wants Exclusive wait, C Idle; Unwritten Written: Stale Stale Old Old; size 4, dio 0]; the machine [a Lock wants Exclusive drain wait, C Idle; Unwritten Written: Stale Stale Old Old; size 4, dio 0]",
        ),
        (
            "Final65-AC-eof-data",
            Policy::FINAL65_EOF,
            "step to state 2: in [a Idle, C Idle; Written: Old Zero; size 1, dio 0], Call(a): \
             TLC [a Lock, C Idle; Written: Old Zero; size 1, dio 0]; the machine [a Lock wants Exclusive, C Idle; Written: Old Zero; size 1, dio 0]",
        ),
    ];
    for (model, policy, told) in others {
        let mut dio = dio(model)?;
        dio.machine.policy = policy;
        let error = replay(&dio, &corpus::counterexample(model)?).err();
        let error = error.with_context(|| format!("{model}: it follows"))?;
        println!("{error:#}");
        assert_eq!(format!("{error:#}"), told, "{model}");
    }
    Ok(())
}
