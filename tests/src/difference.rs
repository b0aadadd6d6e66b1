//! A graph of TLC's against the machine, both ways.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::corpus::Graph;
use interlock_traces::machines::counterpart::Counterpart;

/// What a comparison found.
#[derive(Debug, Clone)]
pub struct Report {
    /// How many states the machine reaches.
    pub states: usize,
    /// How many steps it has from them.
    pub steps: usize,
    /// What is in one graph and not in the other, a sentence each; none if the graphs are the same. Where there are [`MOST`], it was
    /// looked for no more.
    pub differences: Vec<String>,
}

/// So many are told.
pub const MOST: usize = 50;

/// For each action, the states that it leads to.
type Steps<'a, M> = BTreeMap<<M as Counterpart>::Action, BTreeSet<&'a <M as Counterpart>::State>>;

/// Compares `graph` with what `step` reaches from the machine's initial state. `step` is the machine's own, or a faulty one. A state
/// that TLC does not have is reported and not explored.
///
/// # Errors
/// If the graph has a state or an action that is none of the machine's.
pub fn compare<M: Counterpart>(
    model: &M,
    graph: &Graph,
    step: impl Fn(&M::State, M::Action) -> Option<M::State>,
) -> Result<Report> {
    let states = graph.states.iter().map(|vars| model.state(vars));
    let states = states.collect::<Result<Vec<M::State>>>()?;
    let mut tlc: BTreeMap<&M::State, Steps<M>> = states
        .iter()
        .map(|state| (state, BTreeMap::new()))
        .collect();
    for (from, how, to) in &graph.steps {
        let of_state = tlc.entry(&states[*from]).or_default();
        let of_action = of_state.entry(model.action(how)?).or_default();
        of_action.insert(&states[*to]);
    }

    let initial = model.init();
    let mut report = Report {
        states: 0,
        steps: 0,
        differences: Vec::new(),
    };
    if initial != states[graph.initial] {
        report.differences.push(format!(
            "TLC starts in {}, the machine in {}",
            model.show(&states[graph.initial]),
            model.show(&initial)
        ));
    }
    let mut reached = BTreeSet::from([initial.clone()]);
    let mut unexplored = vec![initial];
    while let Some(from) = unexplored.pop() {
        if report.differences.len() >= MOST {
            return Ok(report);
        }
        report.states += 1;
        let Some(of_state) = tlc.get(&from) else {
            let only = format!("only the machine reaches {}", model.show(&from));
            report.differences.push(only);
            continue;
        };
        for action in model.candidates() {
            let of_tlc: Vec<&M::State> = of_state
                .get(&action)
                .into_iter()
                .flatten()
                .copied()
                .collect();
            let to = step(&from, action);
            if of_tlc != Vec::from_iter(&to) {
                let shown = |to: Vec<&M::State>| match &to[..] {
                    [] => "is not enabled".to_owned(),
                    to => to
                        .iter()
                        .map(|to| model.show(to))
                        .collect::<Vec<_>>()
                        .join(" or "),
                };
                report.differences.push(format!(
                    "in {}, {}: TLC {}; the machine {}",
                    model.show(&from),
                    model.label(action),
                    shown(of_tlc),
                    shown(Vec::from_iter(&to))
                ));
            }
            if let Some(to) = to {
                report.steps += 1;
                if reached.insert(to.clone()) {
                    unexplored.push(to);
                }
            }
        }
    }
    let missed = states.iter().filter(|state| !reached.contains(state));
    let missed = missed.map(|state| format!("only TLC reaches {}", model.show(state)));
    report.differences.extend(missed.take(MOST));
    Ok(report)
}

/// The machine has the states and the steps of the graph of `name`, and no others.
///
/// # Errors
/// Those of [`compare`].
///
/// # Panics
/// If it has not.
pub fn assert_equal<M: Counterpart>(model: &M, name: &str, graph: &Graph) -> Result<()> {
    let report = compare(model, graph, |state, action| model.step(state, action))?;
    assert!(
        report.differences.is_empty(),
        "{name}: {:#?}",
        report.differences
    );
    let sizes = (graph.states.len(), graph.steps.len());
    assert_eq!((report.states, report.steps), sizes, "{name}");
    println!("{name}: {} states, {} steps", sizes.0, sizes.1);
    Ok(())
}

/// In each state of the graph of `name`, what `offered` gives are the actions that TLC takes.
///
/// # Errors
/// If the graph has a state or an action that is none of the machine's.
///
/// # Panics
/// If they are not.
pub fn assert_offered<M: Counterpart<Action: std::fmt::Debug>>(
    model: &M,
    name: &str,
    graph: &Graph,
    offered: impl Fn(&M::State) -> Vec<M::Action>,
) -> Result<()> {
    let mut steps = vec![Vec::new(); graph.states.len()];
    for (from, how, _) in &graph.steps {
        steps[*from].push(model.action(how)?);
    }
    for (vars, mut taken) in graph.states.iter().zip(steps) {
        let state = model.state(vars)?;
        let mut offered = offered(&state);
        taken.sort_unstable();
        offered.sort_unstable();
        assert_eq!(offered, taken, "{name}: in {}", model.show(&state));
    }
    Ok(())
}

/// The first difference between the graph and a machine with the `fault`, which takes its steps by `step`, is what it `tells`.
///
/// # Errors
/// Those of [`compare`].
///
/// # Panics
/// If it is another, or there is none.
pub fn assert_told<M: Counterpart>(
    model: &M,
    graph: &Graph,
    (fault, tells): (&str, &str),
    step: impl Fn(&M::State, M::Action) -> Option<M::State>,
) -> Result<()> {
    let report = compare(model, graph, step)?;
    let first = report.differences.first().map_or("nothing", String::as_str);
    println!("{fault}: {} differences\n{first}", report.differences.len());
    assert_eq!(first, tells, "{fault}");
    Ok(())
}
