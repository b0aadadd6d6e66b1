//! The machine's graph is TLC's, state for state and step for step.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use anyhow::{Result, ensure};
use conformance::corpus;
use conformance::difference::{assert_equal, assert_offered};
use interlock::rwsem::machine::Machine;
use interlock::rwsem::policy::Policy;
use interlock_checker::manifest::Manifest;
use interlock_traces::machines::rwsem::Rwsem;

const MODELS: [&str; 11] = [
    "BatchQueue-Downgrade-RRWW-safety",
    "BatchQueue-RRRWW-safety",
    "BatchQueue-RRW-safety",
    "BatchQueue-RRWW-safety",
    "BatchQueue-RWW-safety",
    "BatchQueue-RWWW-safety",
    "Handoff511-Downgrade-RWW-safety",
    "Handoff511-RWW-safety",
    "ReaderSpin53-RRW-safety",
    "WilcoxV2-RRWW-safety",
    "Xadd420-RWW-safety",
];

#[test]
fn the_machine_is_the_specification() -> Result<()> {
    assert_eq!(corpus::graphs("MCRwsem")?, MODELS);
    for model in MODELS {
        let graph = corpus::graph(model)?;
        let rwsem = Rwsem::new(&graph.constants)?;
        assert_equal(&rwsem, model, &graph)?;
    }
    Ok(())
}

/// The machine offers exactly the actions that TLC takes.
#[test]
fn the_actions_offered_are_the_steps() -> Result<()> {
    for model in MODELS {
        let graph = corpus::graph(model)?;
        let rwsem = Rwsem::new(&graph.constants)?;
        assert_offered(&rwsem, model, &graph, |state| rwsem.machine.actions(state))?;
    }
    Ok(())
}

/// For the sizes that have no graph in the corpus, and the designs: as many states as TLC counts, and no more steps.
#[test]
fn the_machine_has_as_many_states_as_the_manifest_says() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = Manifest::load(&root.join("specs"))?;
    let mut graphs = BTreeMap::new();
    for model in &manifest.models {
        let (Some(distinct), Some(total)) = (model.distinct, model.total) else {
            continue;
        };
        if model.module != "MCRwsem" || !corpus::is_of_machine(model, &Policy::NAMED) {
            continue;
        }
        let constants = corpus::constants(model);
        let of = |name: &str| constants.get(name).cloned().unwrap_or_default();
        let key = ["Policy", "Readers", "Writers", "Downgraders"].map(of);
        let before = graphs.insert(key, (distinct, total, &model.name));
        ensure!(
            before.is_none_or(|before| (before.0, before.1) == (distinct, total)),
            "{} has other counts than a model of the same graph",
            model.name
        );
    }
    assert!(graphs.len() >= 40, "only {} graphs", graphs.len());
    let designs: BTreeSet<&str> = graphs.keys().map(|[policy, ..]| policy.as_str()).collect();
    let named = Policy::NAMED.map(|(name, _)| name);
    assert_eq!(designs, BTreeSet::from(named));
    for ([policy, readers, writers, downgraders], (distinct, total, name)) in graphs {
        let constants = [
            ("Policy", policy),
            ("Readers", readers),
            ("Writers", writers),
            ("Downgraders", downgraders),
        ];
        let rwsem = Rwsem::new(
            &constants
                .map(|(name, value)| (name.to_owned(), value))
                .into(),
        )?;
        let (states, steps) = size(&rwsem.machine);
        println!("{name}: {states} states, {steps} steps");
        assert_eq!(states, distinct, "{name}");
        // TLC generates a step twice that two disjuncts of its action allow.
        assert!(
            steps < total,
            "{name}: {steps} steps, but TLC generates {total} states"
        );
    }
    Ok(())
}

/// How many states the machine reaches, and how many steps it has from them.
fn size(machine: &Machine) -> (u64, u64) {
    let mut reached = HashSet::from([machine.init()]);
    let mut unexplored = vec![machine.init()];
    let mut steps = 0;
    while let Some(from) = unexplored.pop() {
        for to in machine
            .actions(&from)
            .into_iter()
            .filter_map(|action| machine.step(&from, action))
        {
            steps += 1;
            if reached.insert(to.clone()) {
                unexplored.push(to);
            }
        }
    }
    (reached.len() as u64, steps)
}
