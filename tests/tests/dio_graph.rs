//! The machine's graph is TLC's, state for state and step for step.

use std::collections::BTreeSet;

use anyhow::Result;
use conformance::corpus;
use conformance::difference::compare;
use conformance::dio::Dio;
use conformance::model::Model;

const MODELS: [&str; 12] = [
    "Final65-ABC-unwritten-graph",
    "Final65-AC-eof-graph",
    "Final65-ACP-written-graph",
    "Final65-AE-unwritten-graph",
    "Final65-CR-hole-graph",
    "Final65-FB-written-graph",
    "Final65-NC-unwritten-graph",
    "NoRecheckAfterUpgrade-AB-unwritten-graph",
    "Pre61-NC-unwritten-graph",
    "RfcOn63-ABCs-unwritten-graph",
    "SkipBeyondEOF-AB-eof-hole-graph",
    "XfsOptimistic-ABC-unwritten-graph",
];

#[test]
fn the_machine_is_the_specification() -> Result<()> {
    assert_eq!(corpus::graphs("MCUnalignedDio")?, MODELS);
    for model in MODELS {
        let graph = corpus::graph(model)?;
        let dio = Dio::new(&graph.constants)?;
        let report = compare(&dio, &graph, |state, action| {
            dio.machine.step(state, action)
        })?;
        assert!(
            report.differences.is_empty(),
            "{model}: {:#?}",
            report.differences
        );
        let sizes = (graph.states.len(), graph.steps.len());
        assert_eq!((report.states, report.steps), sizes, "{model}");
        println!("{model}: {} states, {} steps", sizes.0, sizes.1);
    }
    Ok(())
}

/// The machine offers exactly the actions that TLC takes, and each is taken in some graph.
#[test]
fn the_actions_offered_are_the_steps() -> Result<()> {
    let mut names = BTreeSet::new();
    for model in MODELS {
        let graph = corpus::graph(model)?;
        let dio = Dio::new(&graph.constants)?;
        let mut steps = vec![Vec::new(); graph.states.len()];
        for (from, how, _) in &graph.steps {
            steps[*from].push(dio.action(how)?);
            names.insert(how.action.clone());
        }
        for (vars, mut taken) in graph.states.iter().zip(steps) {
            let state = dio.state(vars)?;
            let mut offered = dio.machine.actions(&state);
            taken.sort_unstable();
            offered.sort_unstable();
            assert_eq!(offered, taken, "{model}: in {}", dio.show(&state));
        }
    }
    let all = [
        "Begin",
        "Call",
        "Check",
        "Complete",
        "DioEnd",
        "Drain",
        "EndIo",
        "Fail",
        "FallBack",
        "Fill",
        "Flush",
        "Free",
        "Lock",
        "LockFails",
        "Map",
        "Retry",
        "Unlock",
    ];
    assert!(names.iter().eq(all), "{names:?}");
    Ok(())
}
