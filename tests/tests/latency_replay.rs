//! TLC's counterexamples on the machine: each ends as it says, and another variant does not follow.

use std::path::Path;

use anyhow::{Context as _, Result};
use conformance::corpus;
use conformance::replay::replay;
use interlock::latency::machine::{Flusher, State};
use interlock::latency::policy::Policy;
use interlock_checker::manifest::Manifest;
use interlock_traces::machines::counterpart::{Counterpart, reached};
use interlock_traces::machines::latency::{Latency, never_off_with_handle};

const OFF: [&str; 3] = [
    "NoResched-N6-NeverOffWithHandle",
    "PerExtent-N6-NeverOffWithHandle",
    "ReschedPerPagevec-N6-NeverOffWithHandle",
];
const DEADLOCK: &str = "SyncStopEarly-N6-deadlock";

fn latency(model: &str) -> Result<Latency> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = Manifest::load(&root.join("specs"))?;
    let model = manifest.model(model).context("there is no such model")?;
    Latency::new(&corpus::constants(model))
}

fn states(latency: &Latency) -> Vec<State> {
    let (states, _) = reached(latency, |state, action| latency.step(state, action));
    states.into_iter().collect()
}

#[test]
fn the_flusher_is_off_with_pages_locked_in_the_last_state_alone() -> Result<()> {
    for model in OFF {
        let mut latency = latency(model)?;
        let behaviour = replay(&latency, &corpus::counterexample(model)?)?;
        let (last, before) = behaviour.states.split_last().context("no states")?;
        println!("{model}: {}", latency.show(last));
        assert_eq!(last.flusher, Flusher::Collect, "{model}");
        assert!(!never_off_with_handle(last), "{model}");
        assert!(before.iter().all(never_off_with_handle), "{model}");
        for cure in [Policy::NO_POINT, Policy::BETWEEN_HANDLES] {
            latency.machine.policy = cure;
            assert!(states(&latency).iter().all(never_off_with_handle));
        }
    }
    Ok(())
}

#[test]
fn a_commit_waits_for_a_bio_whose_sender_waits_for_the_commit() -> Result<()> {
    let mut latency = latency(DEADLOCK)?;
    let behaviour = replay(&latency, &corpus::counterexample(DEADLOCK)?)?;
    let (last, before) = behaviour.states.split_last().context("no states")?;
    assert_eq!((last.flusher, last.handle), (Flusher::Sync, false));
    assert_eq!(last.bio, latency.machine.sizes.extent);
    assert!(latency.machine.actions(last).is_empty());
    let stuck = |state: &State, latency: &Latency| latency.machine.actions(state).is_empty();
    assert!(!before.iter().any(|state| stuck(state, &latency)));
    for (name, policy) in Policy::NAMED {
        latency.machine.policy = policy;
        let ends = states(&latency).iter().any(|state| stuck(state, &latency));
        assert_eq!(ends, name == "SyncStopEarly", "{name}");
    }
    Ok(())
}

/// A machine of another variant does not follow: the replay says where.
#[test]
fn another_variant_does_not_follow() -> Result<()> {
    let mut latency = latency(DEADLOCK)?;
    latency.machine.policy = Policy::SYNC_STOP_LATE;
    let error = replay(&latency, &corpus::counterexample(DEADLOCK)?).err();
    let error = format!("{:#}", error.context("it follows")?);
    println!("{error}");
    assert_eq!(
        error,
        "step to state 11: in [Submit Sleep Idle; next 2 locked 1 bio 2 handle], SubmitPage: \
         TLC [Stop Sleep Idle; next 3 locked 0 bio 3 handle]; the machine [Send Sleep Idle; next 3 locked 0 bio 3 handle]"
    );
    Ok(())
}
