//! The machine's graph is TLC's, state for state and step for step.

use std::collections::BTreeSet;

use anyhow::Result;
use conformance::corpus;
use conformance::difference::{assert_equal, assert_offered};
use interlock_traces::machines::dio::Dio;

const MODELS: [&str; 40] = [
    "AllocWritten-AB-hole-graph",
    "Drained72-AW-eof-graph",
    "Drained72-FB-unwritten-graph",
    "Drained72-FB-written-graph",
    "Drained72Append-X-eof-graph",
    "FallbackDrainsShared-FB-written-graph",
    "Final612-AV-eof-graph",
    "Final612-TS-eof-graph",
    "Final612-XT-eof-graph",
    "Final612Tail-AC-eof-graph",
    "Final65-ABC-unwritten-graph",
    "Final65-AC-eof-graph",
    "Final65-ACP-written-graph",
    "Final65-AE-unwritten-graph",
    "Final65-CR-hole-graph",
    "Final65-EF-behind-graph",
    "Final65-ET-written-graph",
    "Final65-NC-unwritten-graph",
    "Final65-TR-eof-graph",
    "Final65-XR-allocated-graph",
    "NoRecheckAfterUpgrade-AB-unwritten-graph",
    "NoTrim-EF-behind-graph",
    "NowaitDrains-NC-unwritten-graph",
    "Pre61-NC-unwritten-graph",
    "PunchShared-AP-written-graph",
    "RfcOn63-ABCs-unwritten-graph",
    "SkipBeyondEOF-AB-eof-hole-graph",
    "XfsOptimistic-ABC-unwritten-graph",
    "XfsOptimistic-CT-eof-graph",
    "XfsOptimistic-LT-eof-graph",
    "XfsOptimistic-MC-WU-graph",
    "XfsOptimistic-X-eof-graph",
    "XfsOptimistic-XR-behind-graph",
    "Zeroing73-AC-eof-graph",
    "Zeroing73-MC-WU-graph",
    "Zeroing73-X-eof-graph",
    "Zeroing73Cured-TR-eof-graph",
    // Requests that come again, on a lock that is granted in the order of asking.
    "Final65-Again-aC-graph",
    "Final65-Again-nT-graph",
    "XfsOptimistic-Again-aC-graph",
];

#[test]
fn the_machine_is_the_specification() -> Result<()> {
    let modules = ["MCUnalignedDio", "MCDioAgain"].map(corpus::graphs);
    let [once, again] = modules;
    assert_eq!([once?, again?].concat(), MODELS);
    for model in MODELS {
        let graph = corpus::graph(model)?;
        let dio = Dio::new(&graph.constants)?;
        assert_equal(&dio, model, &graph)?;
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
        assert_offered(&dio, model, &graph, |state| dio.machine.actions(state))?;
        names.extend(graph.steps.iter().map(|(_, how, _)| how.action.clone()));
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
