//! TLC's counterexamples are behaviours of the machine: what they end with there they end with here.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result};
use conformance::corpus;
use conformance::replay::replay;
use interlock::writeback::plug::{Action, Cpu, State};
use interlock::writeback::plug_policy::Policy;
use interlock_checker::manifest::Manifest;
use interlock_traces::machines::counterpart::{Counterpart, reached};
use interlock_traces::machines::wb_plug::{Invariant, WbPlug};

const ENDS: [(&str, Invariant); 5] = [
    (
        "FinishUnderLock-F3-NoSleepUnderLock",
        Invariant::NoSleepUnderLock,
    ),
    (
        "PlugOutside-F3-PreemptedPlugIsEmpty",
        Invariant::PreemptedPlugIsEmpty,
    ),
    (
        "PlugOutside-F3-NobodyWaitsForUnissued",
        Invariant::NobodyWaitsForUnissued,
    ),
    (
        "SleepKeepsPlug-F3-NobodyWaitsForUnissued",
        Invariant::NobodyWaitsForUnissued,
    ),
    (
        "CachesNext-F3-moved-PicksFromList",
        Invariant::PicksFromList,
    ),
];

fn wb_plug(model: &str) -> Result<WbPlug> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = Manifest::load(&root.join("specs"))?;
    let model = manifest.model(model).context("there is no such model")?;
    WbPlug::new(&corpus::constants(model))
}

#[test]
fn the_last_state_alone_is_wrong() -> Result<()> {
    for (model, invariant) in ENDS {
        let plug = wb_plug(model)?;
        let behaviour = replay(&plug, &corpus::counterexample(model)?)?;
        let (last, before) = behaviour.states.split_last().context("no states")?;
        let steps = behaviour.actions.len();
        println!("{model}: {steps} steps to {}", plug.show(last));
        assert!(!invariant.holds(last), "{model}: {}", plug.show(last));
        for state in before {
            assert!(invariant.holds(state), "{model}: {}", plug.show(state));
        }
    }
    Ok(())
}

/// The cure: at the same size the variant of today keeps every invariant.
#[test]
fn the_variant_of_today_never_ends_so() -> Result<()> {
    let mut plug = wb_plug(ENDS[0].0)?;
    plug.machine.policy = Policy::FLUSH_BEFORE_RESCHED;
    let (states, _) = reached(&plug, |state, action| plug.step(state, action));
    assert_eq!(states.len(), 688);
    for state in &states {
        for invariant in Invariant::ALL {
            assert!(
                invariant.holds(state),
                "{invariant:?}: {}",
                plug.show(state)
            );
        }
    }
    Ok(())
}

/// Every state from `from` on, if a task that was preempted never runs again.
fn without_the_processor(plug: &WbPlug, from: &State) -> BTreeSet<State> {
    let mut found = BTreeSet::from([from.clone()]);
    let mut unexplored = vec![from.clone()];
    while let Some(state) = unexplored.pop() {
        let mut actions = plug.machine.actions(&state);
        actions.retain(|action| *action != Action::Resume || state.cpu == Cpu::Asleep);
        let next = actions
            .iter()
            .filter_map(|action| plug.step(&state, *action));
        for state in next {
            if found.insert(state.clone()) {
                unexplored.push(state);
            }
        }
    }
    found
}

/// What the lassos end with: I/O in the plug that no step from there on issues.
#[test]
fn the_lasso_never_issues() -> Result<()> {
    for model in [
        "PlugOutside-preempted-F2-IoProgress",
        "NeverFinished-F2-IoProgress",
    ] {
        let plug = wb_plug(model)?;
        let behaviour = replay(&plug, &corpus::counterexample(model)?)?;
        let last = behaviour.states.last().context("no states")?;
        let later = without_the_processor(&plug, last);
        println!(
            "{model}: {} steps to {}, {} states from there",
            behaviour.actions.len(),
            plug.show(last),
            later.len()
        );
        let stuck = last.plug.iter().find(|inode| {
            let mut later = later.iter();
            later.all(|state| state.plug.contains(inode))
        });
        assert!(stuck.is_some(), "{model}: {}", plug.show(last));
    }
    Ok(())
}

/// A machine of the variant of today does not follow: the replay says where.
#[test]
fn the_variant_of_today_does_not_follow() -> Result<()> {
    for ((model, _), step) in ENDS.into_iter().zip([2, 7, 7, 9, 2]) {
        let mut plug = wb_plug(model)?;
        plug.machine.policy = Policy::FLUSH_BEFORE_RESCHED;
        let error = replay(&plug, &corpus::counterexample(model)?).err();
        let error = error.with_context(|| format!("{model}: it follows"))?;
        println!("{error:#}");
        assert_eq!(error.to_string(), format!("step to state {step}"));
    }
    Ok(())
}
