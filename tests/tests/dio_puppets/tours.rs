//! Paths that TLC has walked: its counterexamples, and every step of its state graphs.

use anyhow::{Context as _, Result};
use conformance::corpus;
use conformance::replay::replay;
use conformance::tours::tours;
use interlock::dio::policy::Policy;
use interlock_traces::machines::dio::Dio;

use crate::stage::drive;

#[test]
fn counterexamples_lose_the_bytes() -> Result<()> {
    let unwritten = ("Unwritten", "4", Policy::FINAL65);
    let at_eof = ("WrittenEnd", "1", Policy::FINAL65_EOF);
    for (model, policy, calls, (extents, length, cure), lost) in [
        ("RfcOn63-AB-unwritten-data", "RfcOn63", "AB", unwritten, 0),
        (
            "NoForceWait-AC-unwritten-data",
            "NoForceWait",
            "AC",
            unwritten,
            1,
        ),
        (
            "ExclNoDioWait-AC-unwritten-data",
            "ExclNoDioWait",
            "AC",
            unwritten,
            1,
        ),
        ("Final65-AC-eof-data", "Final65", "AC", at_eof, 1),
    ] {
        let constants = [
            ("Policy", policy),
            ("Calls", calls),
            ("Extents", extents),
            ("Length", length),
            ("PerBlock", "2"),
        ];
        let dio = Dio::new(
            &constants
                .map(|(name, value)| (name.into(), value.into()))
                .into(),
        )?;
        let path = replay(&dio, &corpus::counterexample(model)?)?.actions;
        let bytes = drive(&dio.machine, dio.machine.policy, &path).map_err(anyhow::Error::msg);
        let bytes = bytes.with_context(|| model.to_owned())?;
        assert_eq!(bytes[lost], [0; 4], "{model}: sector {lost}");
        let refused = drive(&dio.machine, cure, &path).expect_err("the cure goes another way");
        println!("{model}: {} steps; the cure: {refused}", path.len());
    }
    Ok(())
}

#[test]
fn threads_take_every_step_of_the_graphs() -> Result<()> {
    // All but the largest, which would take minutes.
    let models = corpus::graphs("MCUnalignedDio")?;
    for model in models
        .iter()
        .filter(|model| !model.starts_with("RfcOn63-ABCs"))
    {
        let graph = corpus::graph(model)?;
        let dio = Dio::new(&graph.constants)?;
        let tours = tours(&graph, &dio, |_| true)?;
        for path in &tours {
            let driven = drive(&dio.machine, dio.machine.policy, path).map_err(anyhow::Error::msg);
            driven.with_context(|| format!("{model}: {path:?}"))?;
        }
        let steps = tours.iter().map(Vec::len).sum::<usize>();
        println!(
            "{model}: each of {} steps, in {} paths of {steps} steps",
            graph.steps.len(),
            tours.len()
        );
    }
    Ok(())
}
