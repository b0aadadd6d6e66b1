//! The machine of the lock that is biased to readers: its graphs are TLC's, state for state and step for step, and a fault of one
//! line is told.

use std::collections::BTreeSet;

use anyhow::Result;
use conformance::corpus;
use conformance::difference::{assert_equal, assert_told};
use interlock::range::bias_machine::{Action, State};
use interlock::range::machine;
use interlock_traces::machines::counterpart::Counterpart as _;
use interlock_traces::machines::range_bias::RangeBias;

const GRAPHS: [&str; 2] = ["Biased-crowded-killed-graph", "BiasedPassOne-crowded-graph"];

#[test]
fn the_machine_is_the_specification() -> Result<()> {
    assert_eq!(corpus::graphs("MCRangeBias")?, GRAPHS);
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        assert_equal(&RangeBias::new(&graph.constants)?, model, &graph)?;
    }
    Ok(())
}

/// No action is missing from the graphs.
#[test]
fn each_action_is_taken_in_some_graph() -> Result<()> {
    let mut taken = BTreeSet::new();
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        taken.extend(graph.steps.into_iter().map(|(_, how, _)| how.action));
    }
    let every = [
        "Close",
        "Drain",
        "Enter",
        "Interrupt",
        "Leave",
        "Lock",
        "Open",
        "Pass",
        "Unlock",
        "Wait",
    ];
    assert_eq!(Vec::from_iter(taken), every);
    Ok(())
}

type Step = fn(&RangeBias, &State, Action) -> Option<State>;

/// A machine with one wrong line, and the first thing that tells it from TLC's graph.
struct Fault {
    name: &'static str,
    step: Step,
    tells: &'static str,
}

const FAULTS: [Fault; 5] = [
    Fault {
        name: "a reader does not look whether the word is open",
        step: |bias, state, action| match action {
            Action::Enter(_) => {
                let opened = State {
                    open: true,
                    ..state.clone()
                };
                let next = bias.step(&opened, action)?;
                Some(State {
                    open: state.open,
                    ..next
                })
            }
            _ => bias.step(state, action),
        },
        tells: "in [], closed {}, last {}, Enter(a): TLC is not enabled; the machine [], closed {a}, last {}",
    },
    Fault {
        name: "no crowd comes into the tree",
        step: |bias, state, action| {
            let next = bias.step(state, action)?;
            Some(match action {
                Action::Close(_) => State {
                    tree: state.tree.clone(),
                    ..next
                },
                _ => next,
            })
        },
        tells: "in [b holds], open {a}, last {}, Close(w): TLC [b holds; crowd holds], closed {a}, last {}; the machine [b holds], closed {a}, last {}",
    },
    Fault {
        name: "each reader that leaves a closed word is the last",
        step: |bias, state, action| {
            let mut next = bias.step(state, action)?;
            if let Action::Leave(task) = action
                && !state.open
            {
                next.last.insert(task);
            }
            Some(next)
        },
        tells: "in [crowd holds], closed {a, b}, last {}, Leave(a): TLC [crowd holds], closed {b}, last {}; the machine [crowd holds], closed {b}, last {a}",
    },
    Fault {
        name: "the word is opened behind a waiter",
        step: |bias, state, action| match action {
            Action::Open if !state.open => {
                let waits = |account: &machine::Account| account.blocking > 0;
                let holders = State {
                    tree: state.tree.iter().filter(|a| !waits(a)).cloned().collect(),
                    ..state.clone()
                };
                let opened = bias.step(&holders, action)?;
                Some(State {
                    tree: state.tree.clone(),
                    ..opened
                })
            }
            _ => bias.step(state, action),
        },
        tells: "in [b holds; x waits for 1], closed {}, last {}, Open: TLC is not enabled; the machine [b holds; x waits for 1], open {}, last {}",
    },
    Fault {
        name: "a writer arrives at an open word",
        step: |bias, state, action| {
            let closed = State {
                open: false,
                ..state.clone()
            };
            match action {
                Action::Tree(machine::Action::Lock(_)) => Some(State {
                    open: state.open,
                    ..bias.step(&closed, action)?
                }),
                _ => bias.step(state, action),
            }
        },
        tells: "in [], open {}, last {}, Lock(w): TLC is not enabled; the machine [w holds], open {}, last {}",
    },
];

#[test]
fn each_fault_is_told() -> Result<()> {
    let graph = corpus::graph("Biased-crowded-killed-graph")?;
    let bias = RangeBias::new(&graph.constants)?;
    for fault in FAULTS {
        let step = |state: &State, action| (fault.step)(&bias, state, action);
        assert_told(&bias, &graph, (fault.name, fault.tells), step)?;
    }
    Ok(())
}
