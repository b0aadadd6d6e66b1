//! Paths that TLC has walked: its counterexamples, and every step of its state graphs.

use anyhow::{Context as _, Result};
use conformance::corpus::{self, Graph};
use conformance::dio::Dio;
use conformance::model::Model;
use conformance::replay::replay;
use interlock::dio::machine::Action;
use interlock::dio::policy::Policy;

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

/// How far each state is from a step that has not been taken; `usize::MAX`: there is no way.
fn distances(graph: &Graph, taken: &[bool]) -> Vec<usize> {
    let mut distance = vec![usize::MAX; graph.states.len()];
    let mut into = vec![Vec::new(); graph.states.len()];
    for (from, _, to) in &graph.steps {
        into[*to].push(*from);
    }
    let open = (0..taken.len()).filter(|&step| !taken[step]);
    let mut todo: Vec<usize> = open.map(|step| graph.steps[step].0).collect();
    for depth in 0.. {
        todo.retain(|&state| {
            let is_new = distance[state] == usize::MAX;
            distance[state] = depth.min(distance[state]);
            is_new
        });
        todo = todo.iter().flat_map(|&state| into[state].clone()).collect();
        if todo.is_empty() {
            break;
        }
    }
    distance
}

/// Paths from the initial state that take every step of the graph.
fn tours(graph: &Graph, dio: &Dio) -> Result<Vec<Vec<Action>>> {
    let mut outgoing = vec![Vec::new(); graph.states.len()];
    for (place, (from, _, _)) in graph.steps.iter().enumerate() {
        outgoing[*from].push(place);
    }
    let mut taken = vec![false; graph.steps.len()];
    let mut tours = Vec::new();
    loop {
        let distance = distances(graph, &taken);
        if distance[graph.initial] == usize::MAX {
            return Ok(tours);
        }
        let (mut at, mut path) = (graph.initial, Vec::new());
        // A step taken on the way may be the one that others are near to: the path ends where nothing new is near.
        while let Some(&place) = outgoing[at]
            .iter()
            .min_by_key(|&&place| (taken[place], distance[graph.steps[place].2]))
        {
            let (_, how, to) = &graph.steps[place];
            let gets_nearer = distance[*to] < distance[at];
            if taken[place] && !gets_nearer {
                break;
            }
            taken[place] = true;
            path.push(dio.action(how)?);
            at = *to;
        }
        tours.push(path);
    }
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
        let tours = tours(&graph, &dio)?;
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
