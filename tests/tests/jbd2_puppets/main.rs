//! Real threads on the journal's code, driven step by step along paths of the machine. After each step the journal's numbers, its
//! queues and what the thread does next are those of the machine's state; who waits in the machine sleeps.
//!
//! Two steps of the machine's no thread takes. `FindNewer` and `FindCommitting` with space enough: whoever has taken
//! j_checkpoint_mutex looks for space first, in the kernel too. And any between `Fail` and `Undo`, which are one step here.

mod stage;

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use conformance::corpus;
use conformance::tours::tours;
use interlock::jbd2::machine::{Action, Machine, Pc, State};
use interlock::jbd2::policy::Policy;
use interlock::jbd2::rules::{HandOver, WakeAll};
use interlock_traces::machines::counterpart::Counterpart;
use interlock_traces::machines::jbd2::Jbd2;

use stage::drive;

/// Whether a thread takes the step.
fn is_taken(machine: &Machine, state: &State, action: Action) -> bool {
    if state.pc.contains(&Pc::Undo) && !matches!(action, Action::Undo(_)) {
        return false;
    }
    let (Action::FindNewer(task) | Action::FindCommitting(task)) = action else {
        return true;
    };
    let looks = machine.step(state, Action::MakeSpace(task));
    let place = machine.place(task);
    looks
        .zip(place)
        .is_some_and(|(next, place)| next.pc[place] != Pc::Try)
}

fn follow(machine: &Machine, path: &[Action]) -> Result<()> {
    let driven = match machine.policy == Policy::HAND_OVER {
        true => drive::<HandOver>(machine, path),
        false => drive::<WakeAll>(machine, path),
    };
    driven
        .map_err(anyhow::Error::msg)
        .with_context(|| format!("{path:?}"))
}

/// The graph's steps: those that threads take, those that no thread does, and those that only such a step leads to.
#[test]
fn threads_take_every_step_of_the_graphs() -> Result<()> {
    for (model, figures) in [
        ("Abort-P-6-graph", [5, 0, 0]),
        ("HandOver-W-12-half-graph", [5_136, 23, 23]),
        ("Upstream-P-12-large-graph", [1, 0, 0]),
        ("Upstream-PW-12-3-extra-graph", [11_959, 196, 312]),
        ("Upstream-W-12-graph", [1_426, 0, 0]),
        ("Upstream-W-12-half-graph", [4_972, 38, 32]),
    ] {
        let graph = corpus::graph(model)?;
        let jbd2 = Jbd2::new(&graph.constants)?;
        let machine = &jbd2.machine;
        let mut steps = Vec::new();
        for (from, how, _) in &graph.steps {
            let state = jbd2.state(&graph.states[*from])?;
            let action = jbd2.action(how)?;
            steps.push((is_taken(machine, &state, action), state, action));
        }
        let tours = tours(&graph, &jbd2, |place| steps[place].0)?;
        let mut walked = BTreeSet::new();
        for path in &tours {
            let mut state = machine.init();
            for &action in path {
                let next = machine.step(&state, action).context("it is not enabled")?;
                walked.insert((state, action));
                state = next;
            }
            follow(machine, path).with_context(|| model.to_owned())?;
        }
        let not_taken = steps.iter().filter(|(is_taken, ..)| !is_taken).count();
        let mut behind = steps.clone();
        behind.retain(|(is_taken, state, action)| {
            *is_taken && !walked.contains(&(state.clone(), *action))
        });
        let lengths: usize = tours.iter().map(Vec::len).sum();
        println!(
            "{model}: {} of {} steps, in {} paths of {lengths} steps; {not_taken} not taken, {} behind them",
            walked.len(),
            steps.len(),
            tours.len(),
            behind.len()
        );
        ensure!(
            figures == [walked.len(), not_taken, behind.len()],
            "{model}: other figures"
        );
    }
    Ok(())
}

/// A path that is picked at random.
fn stroll(machine: &Machine, length: usize, seed: u64) -> Vec<Action> {
    let (mut state, mut path, mut random) = (machine.init(), Vec::new(), seed | 1);
    while path.len() < length {
        let mut actions = machine.actions(&state);
        actions.retain(|action| is_taken(machine, &state, *action));
        if actions.is_empty() {
            break;
        }
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let action = actions[(random >> 16) as usize % actions.len()];
        state = machine.step(&state, action).expect("it is enabled");
        path.push(action);
    }
    path
}

#[test]
fn threads_follow_the_machine() -> Result<()> {
    let graph = corpus::graph("Upstream-PW-12-3-extra-graph")?;
    let jbd2 = Jbd2::new(&graph.constants)?;
    let mut larger = jbd2.machine.clone();
    (larger.load.plain, larger.load.pages) = (2, 3);
    larger.sizes.max = 6;
    larger.sizes.log = 24;
    let mut hand_over = larger.clone();
    hand_over.policy = Policy::HAND_OVER;
    for machine in [&jbd2.machine, &larger, &hand_over] {
        let mut steps = 0;
        for number in 1..=40 {
            let path = stroll(machine, 150, 0x9E37_79B9 * number);
            follow(machine, &path)?;
            steps += path.len();
        }
        println!("{:?}: 40 paths, {steps} steps", machine.load);
    }
    Ok(())
}
