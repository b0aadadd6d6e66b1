//! The machine of the lock with a budget: its graphs are TLC's, a budget of 0 is `BatchQueue`, random programs keep the bounds, and a
//! fault of one line is told.

use anyhow::Result;
use conformance::corpus;
use conformance::difference::{assert_equal, assert_offered, assert_told};
use conformance::overtaking::Overtaking;
use conformance::random::runner;
use interlock::rwsem::budget_machine::{Action, BudgetMachine, State};
use interlock::rwsem::machine::{Kind, Pc};
use interlock_tla::value::Value;
use interlock_traces::machines::rwsem_budget::RwsemBudget;
use proptest::prelude::*;

const GRAPHS: [&str; 4] = [
    "Budget1-Downgrade-RRWW-safety",
    "Budget1-RRWW-safety",
    "Budget1-RWW-safety",
    "Budget2-RRW-safety",
];

#[test]
fn the_machine_is_the_specification() -> Result<()> {
    assert_eq!(corpus::graphs("MCRwsemBudget")?, GRAPHS);
    for model in GRAPHS {
        let graph = corpus::graph(model)?;
        let budget = RwsemBudget::new(&graph.constants)?;
        assert_equal(&budget, model, &graph)?;
        assert_offered(&budget, model, &graph, |state| {
            budget.machine.actions(state)
        })?;
    }
    Ok(())
}

/// The graph of the lock without a budget, state for state and step for step.
#[test]
fn a_budget_of_nothing_is_no_budget() -> Result<()> {
    for model in [
        "BatchQueue-RRRWW-safety",
        "BatchQueue-RWWW-safety",
        "BatchQueue-Downgrade-RRWW-safety",
    ] {
        let mut graph = corpus::graph(model)?;
        graph.constants.insert("Budget".to_owned(), "0".to_owned());
        for state in &mut graph.states {
            state.insert("passed".to_owned(), Value::Int(0));
            state.insert("roused".to_owned(), Value::Bool(false));
        }
        assert_equal(&RwsemBudget::new(&graph.constants)?, model, &graph)?;
    }
    Ok(())
}

/// In a state of another machine nothing is enabled, and nothing for a task of another.
#[test]
fn what_is_not_the_machines_is_refused() {
    let machine = BudgetMachine::new(1, 1, 1);
    let larger = BudgetMachine::new(1, 2, 1);
    let own = machine.init();
    let refused = |state: &State| {
        let actions = larger.candidates().into_iter();
        let mut taken = actions.filter(|&action| machine.step(state, action).is_some());
        assert_eq!(taken.next(), None, "{state:?}");
    };
    assert!(!machine.actions(&own).is_empty());
    refused(&larger.init());
    let mut queued = own.clone();
    queued.lock.queue = vec![2];
    refused(&queued);
    let of_another = larger.candidates().into_iter();
    for action in of_another.filter(|action| action.task() == 2) {
        assert_eq!(machine.step(&own, action), None, "{action:?}");
    }
}

type Step = fn(&BudgetMachine, &State, Action) -> Option<State>;

/// A machine with one wrong line, and the first thing that tells it from TLC's graph.
struct Fault {
    name: &'static str,
    step: Step,
    tells: &'static str,
}

const FAULTS: [Fault; 6] = [
    Fault {
        name: "who passes takes nothing from the budget",
        step: |machine, state, action| {
            let next = machine.step(state, action)?;
            let passed = match action {
                Action::Enter(_) => state.passed,
                _ => next.passed,
            };
            Some(State { passed, ..next })
        },
        tells: "in [r1 Idle, r2 Idle, w1 Try, w2 Idle; queue w1] passed 0, roused, Enter(r1): \
                TLC [r1 Hold, r2 Idle, w1 Try, w2 Idle; queue w1] passed 1, roused; the machine [r1 Hold, r2 Idle, w1 Try, w2 Idle; queue w1] passed 0, roused",
    },
    Fault {
        name: "the budget goes on for the next head",
        step: |machine, state, action| {
            let next = machine.step(state, action)?;
            let passed = match action {
                Action::Wake(_) if !next.lock.queue.is_empty() => state.passed,
                _ => next.passed,
            };
            Some(State { passed, ..next })
        },
        tells: "in [r1 Idle, r2 Wait, w1 Wake, w2 Wait; queue w2 r2] passed 1, Wake(w1): \
                TLC [r1 Idle, r2 Wait, w1 Idle, w2 Hold; queue r2] passed 0; the machine [r1 Idle, r2 Wait, w1 Idle, w2 Hold; queue r2] passed 1",
    },
    Fault {
        name: "a look in vain leaves the head called",
        step: |machine, state, action| {
            let next = machine.step(state, action)?;
            let roused = match action {
                Action::Miss(_) => state.roused,
                _ => next.roused,
            };
            Some(State { roused, ..next })
        },
        tells: "in [r1 Idle, r2 Idle, w1 Try, w2 Hold; queue w1] passed 1, roused, Miss(w1): \
                TLC [r1 Idle, r2 Idle, w1 Wait, w2 Hold; queue w1] passed 1; the machine [r1 Idle, r2 Idle, w1 Wait, w2 Hold; queue w1] passed 1, roused",
    },
    Fault {
        name: "a release forgets that the head has been called",
        step: |machine, state, action| {
            let uncalled = State {
                roused: false,
                ..state.clone()
            };
            match action {
                Action::Release(_) => machine.step(&uncalled, action),
                _ => machine.step(state, action),
            }
        },
        tells: "in [r1 Idle, r2 Idle, w1 Try, w2 Hold; queue w1] passed 1, roused, Release(w2): \
                TLC [r1 Idle, r2 Idle, w1 Try, w2 Idle; queue w1] passed 1, roused; the machine [r1 Idle, r2 Idle, w1 Try, w2 Wake; queue w1] passed 1",
    },
    Fault {
        name: "an arrival passes between a release and its wake-up",
        step: |machine, state, action| {
            let Action::Enter(_) = action else {
                return machine.step(state, action);
            };
            let called = State {
                roused: true,
                ..state.clone()
            };
            let next = machine.step(&called, action)?;
            Some(State {
                roused: state.roused,
                ..next
            })
        },
        tells: "in [r1 Idle, r2 Idle, w1 Wait, w2 Wake; queue w1] passed 0, Enter(r1): \
                TLC is not enabled; the machine [r1 Hold, r2 Idle, w1 Wait, w2 Wake; queue w1] passed 1",
    },
    Fault {
        name: "the first of a batch that looks takes the lock for itself alone",
        step: |machine, state, action| {
            let next = machine.step(state, action)?;
            let Action::Take(task) = action else {
                return Some(next);
            };
            let mut alone = next;
            alone.lock.queue.clone_from(&state.lock.queue);
            alone.lock.queue.retain(|waiter| *waiter != task);
            alone.lock.pc.clone_from(&state.lock.pc);
            alone.lock.pc[task] = Pc::Hold;
            Some(alone)
        },
        tells: "in [r1 Try, r2 Try, w1 Idle, w2 Idle; queue r2 r1] passed 0, roused, Take(r1): \
                TLC [r1 Hold, r2 Hold, w1 Idle, w2 Idle; queue ] passed 0; the machine [r1 Hold, r2 Try, w1 Idle, w2 Idle; queue r2] passed 0",
    },
];

#[test]
fn a_fault_is_told() -> Result<()> {
    let graph = corpus::graph("Budget1-RRWW-safety")?;
    let budget = RwsemBudget::new(&graph.constants)?;
    for fault in FAULTS {
        let step = |state: &State, action| (fault.step)(&budget.machine, state, action);
        assert_told(&budget, &graph, (fault.name, fault.tells), step)?;
    }
    Ok(())
}

/// Up to eight tasks, some of which may downgrade, a budget, and which of the enabled actions is taken each time.
fn programs() -> impl Strategy<Value = (usize, usize, u8, u32, Vec<prop::sample::Index>)> {
    let sizes = (1..=8usize).prop_flat_map(|tasks| (0..=tasks, Just(tasks)));
    let choices = prop::collection::vec(any::<prop::sample::Index>(), 1..300);
    (sizes, any::<u8>(), 0..4u32, choices).prop_map(|((readers, tasks), mask, budget, choices)| {
        (readers, tasks - readers, mask, budget, choices)
    })
}

/// The first promise that a machine with this step breaks.
fn walk(
    step: Step,
    (readers, writers, mask, budget, choices): (usize, usize, u8, u32, Vec<prop::sample::Index>),
) -> Result<(), TestCaseError> {
    let mut machine = BudgetMachine::new(readers, writers, budget);
    let may_downgrade = |task| task >= readers && mask >> task & 1 == 1;
    machine.lock.downgraders = (0..readers + writers).map(may_downgrade).collect();
    let mut overtaking = Overtaking::new(&machine.lock, budget);
    let mut state = machine.init();
    for choice in choices {
        let mut actions = machine.candidates();
        actions.retain(|&action| step(&machine, &state, action).is_some());
        if actions.is_empty() {
            return Err(TestCaseError::fail("stuck"));
        }
        let next = step(&machine, &state, *choice.get(&actions));
        let next = next.expect("an action that is offered is enabled");
        overtaking
            .account(&state.lock, &next.lock)
            .map_err(|_| TestCaseError::fail("overtaken"))?;
        state = next;
        let pc = &state.lock.pc;
        let holders = pc
            .iter()
            .filter(|pc| matches!(pc, Pc::Hold | Pc::Shared))
            .count();
        let written = pc
            .iter()
            .zip(&machine.lock.kinds)
            .any(|task| task == (&Pc::Hold, &Kind::Writer));
        if written && holders > 1 {
            return Err(TestCaseError::fail("exclusion"));
        }
        let called = state.roused && pc.contains(&Pc::Try);
        if holders == 0 && !state.lock.queue.is_empty() && !pc.contains(&Pc::Wake) && !called {
            return Err(TestCaseError::fail("idle"));
        }
    }
    Ok(())
}

#[test]
fn the_budget_keeps_its_promises() {
    let found =
        runner(3000, u32::MAX).run(&programs(), |program| walk(BudgetMachine::step, program));
    assert!(found.is_ok(), "{found:#?}");
}

/// The control: a faulty machine breaks each promise.
#[test]
fn the_walk_finds_what_faults_break() {
    for (fault, promise) in [(0, "overtaken"), (2, "idle"), (4, "exclusion")] {
        let Fault { name, step, .. } = FAULTS[fault];
        let of_promise = |program| match walk(step, program) {
            Err(TestCaseError::Fail(broken)) if broken.message() != promise => Ok(()),
            other => other,
        };
        let found = runner(3000, 0).run(&programs(), of_promise);
        assert!(found.is_err(), "{name}: {promise} is not broken");
    }
}
