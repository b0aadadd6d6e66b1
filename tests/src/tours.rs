//! Paths through a state graph that take each of its steps.

use anyhow::Result;

use crate::corpus::Graph;
use interlock_traces::machines::counterpart::Counterpart;

/// How far each state is from a step that has not been taken; `usize::MAX`: there is no way.
fn distances(graph: &Graph, open: &[bool], barred: &[bool]) -> Vec<usize> {
    let mut distance = vec![usize::MAX; graph.states.len()];
    let mut into = vec![Vec::new(); graph.states.len()];
    for ((from, _, to), barred) in graph.steps.iter().zip(barred) {
        if !barred {
            into[*to].push(*from);
        }
    }
    let open = (0..open.len()).filter(|&step| open[step]);
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

/// Paths from the initial state that take every step of the graph that can be reached by the steps, given by their places, that
/// `drivable` allows.
///
/// # Errors
/// If a step is none of the model's.
pub fn tours<M: Counterpart>(
    graph: &Graph,
    model: &M,
    drivable: impl Fn(usize) -> bool,
) -> Result<Vec<Vec<M::Action>>> {
    let mut outgoing = vec![Vec::new(); graph.states.len()];
    let barred: Vec<bool> = (0..graph.steps.len()).map(|step| !drivable(step)).collect();
    let mut open: Vec<bool> = barred.iter().map(|barred| !barred).collect();
    for (place, (from, _, _)) in graph.steps.iter().enumerate() {
        if open[place] {
            outgoing[*from].push(place);
        }
    }
    let mut tours = Vec::new();
    loop {
        let distance = distances(graph, &open, &barred);
        if distance[graph.initial] == usize::MAX {
            return Ok(tours);
        }
        let (mut at, mut path) = (graph.initial, Vec::new());
        // A step taken on the way may be the one that others are near to: the path ends where nothing new is near.
        while let Some(&place) = outgoing[at]
            .iter()
            .min_by_key(|&&place| (!open[place], distance[graph.steps[place].2]))
        {
            let (_, how, to) = &graph.steps[place];
            let gets_nearer = distance[*to] < distance[at];
            if !open[place] && !gets_nearer {
                break;
            }
            open[place] = false;
            path.push(model.action(how)?);
            at = *to;
        }
        tours.push(path);
    }
}
