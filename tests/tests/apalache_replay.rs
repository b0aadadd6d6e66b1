//! Apalache's counterexamples are behaviours of the machines. It names no step: the machine must have one between each two states.

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use conformance::corpus;
use interlock_checker::manifest::{Engine, Expect, Manifest};
use interlock_tla::counterexample::Counterexample;
use interlock_traces::machines::counterpart::Counterpart;
use interlock_traces::machines::dio::Dio;
use interlock_traces::machines::jbd2::Jbd2;
use interlock_traces::machines::latency::Latency;
use interlock_traces::machines::reserve_wait::ReserveWait;
use interlock_traces::machines::rwsem::Rwsem;
use interlock_traces::machines::wb_lists::WbLists;
use interlock_traces::machines::wb_plug::WbPlug;

/// The steps of the counterexample, as the machine names them.
fn follow<M: Counterpart>(model: &M, found: &Counterexample) -> Result<Vec<String>> {
    let states = found.states.iter().map(|state| model.state(&state.vars));
    let states = states.collect::<Result<Vec<M::State>>>()?;
    ensure!(
        states.first() == Some(&model.init()),
        "it begins elsewhere than the machine"
    );
    let steps = states.windows(2).zip(1..).map(|(pair, number)| {
        let mut candidates = model.candidates().into_iter();
        let taken =
            candidates.find(|action| model.step(&pair[0], *action).as_ref() == Some(&pair[1]));
        let taken = taken.with_context(|| {
            format!(
                "no step {number} from {} to {}",
                model.show(&pair[0]),
                model.show(&pair[1])
            )
        })?;
        Ok(model.label(taken))
    });
    steps.collect()
}

#[test]
fn every_counterexample_is_a_behaviour_of_the_machine() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = Manifest::load(&root.join("specs"))?;
    let mut replayed = 0;
    let mut faults = Vec::new();
    for model in &manifest.models {
        let (Engine::Apalache, Some(first), Expect::Violates { property, .. }) =
            (model.engine, &model.second_of, &model.expect)
        else {
            continue;
        };
        // The model of TLC's says which constants these are.
        let first = manifest.model(first).context("it is a second opinion")?;
        let constants = corpus::constants(first);
        let Ok(mut found) = corpus::counterexample(&model.name) else {
            continue;
        };
        // Apalache's states have the constants too.
        for state in &mut found.states {
            state.vars.retain(|name, _| !constants.contains_key(name));
        }
        let follows = match first.module.as_str() {
            "MCRwsem" => follow(&Rwsem::new(&constants)?, &found),
            "MCUnalignedDio" => follow(&Dio::new(&constants)?, &found),
            "MCJbd2Credits" => follow(&Jbd2::new(&constants)?, &found),
            "MCReserveWait" => follow(&ReserveWait::new(&constants)?, &found),
            "MCWbPlug" => follow(&WbPlug::new(&constants)?, &found),
            "MCWbLists" => follow(&WbLists::new(&constants)?, &found),
            "MCMpageLatency" => follow(&Latency::new(&constants)?, &found),
            other => bail!("there is no machine of {other}"),
        };
        let steps = match follows {
            Ok(steps) => steps,
            Err(error) => {
                faults.push(format!("{}: {error:#}", model.name));
                continue;
            }
        };
        println!("{}: {property} by {}", model.name, steps.join(" "));
        ensure!(
            Some(found.states.len()) == model.witness,
            "{}: another length",
            model.name
        );
        replayed += 1;
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    ensure!(replayed == 14, "{replayed} counterexamples are replayed");
    Ok(())
}
