//! TLC's counterexamples are behaviours of the machines: what they end with there they end with here.

use std::path::Path;

use anyhow::{Context as _, Result};
use conformance::corpus;
use conformance::jbd2_invariants::Invariant;
use conformance::replay::replay;
use interlock::jbd2::machine::{Pc, State, Task};
use interlock::jbd2::policy::Policy;
use interlock::jbd2::reserve_wait::{Pc as Waiter, State as WaitState, Wake};
use interlock_checker::manifest::Manifest;
use interlock_traces::machines::counterpart::{Counterpart, reached};
use interlock_traces::machines::jbd2::Jbd2;
use interlock_traces::machines::reserve_wait::{ReserveWait, no_lost_wakeup, reserved_is_held};

const ROUNDS: usize = 1000;

/// What a counterexample ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Nobody can take a step.
    Deadlock,
    /// An invariant does not hold.
    Breaks(Invariant),
}

const ENDS: [(&str, End); 13] = [
    (
        "GrantedIsReserved-W-18-grant-CommitWithinCredits",
        End::Breaks(Invariant::CommitWithinCredits),
    ),
    ("NoReserve-PW-12-3-deadlock", End::Deadlock),
    ("ReservedCannotJoinLocked-PW-18-3-deadlock", End::Deadlock),
    ("CkptHoldsMutex-PW-12-3-deadlock", End::Deadlock),
    ("RestartKeeps-PW-12-3-extra-deadlock", End::Deadlock),
    (
        "NoTest2-PW-12-3-CreditsInBounds",
        End::Breaks(Invariant::CreditsInBounds),
    ),
    (
        "StopGivesAllBack-PW-12-3-LoggedWithinCredits",
        End::Breaks(Invariant::LoggedWithinCredits),
    ),
    (
        "TightReserve-PW-12-2-CommitNeverNeedsSpace",
        End::Breaks(Invariant::CommitNeverNeedsSpace),
    ),
    (
        "NeededInsteadOfMax-PW-12-3-CommitNeverNeedsSpace",
        End::Breaks(Invariant::CommitNeverNeedsSpace),
    ),
    (
        "NoTest4-W-24-spare-ReservedIsReserved",
        End::Breaks(Invariant::ReservedIsReserved),
    ),
    (
        "UnreserveLeak-PW-12-3-CreditsConserved",
        End::Breaks(Invariant::CreditsConserved),
    ),
    (
        "TailPastCheckpoint-PW-12-3-SpaceConserved",
        End::Breaks(Invariant::SpaceConserved),
    ),
    (
        "ReservedJoinsSwitch-PW-12-3-HandlesAreInTime",
        End::Breaks(Invariant::HandlesAreInTime),
    ),
];

fn manifest() -> Result<Manifest> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    Manifest::load(&root.join("specs"))
}

fn jbd2(model: &str) -> Result<Jbd2> {
    let manifest = manifest()?;
    let model = manifest.model(model).context("there is no such model")?;
    Jbd2::new(&corpus::constants(model))
}

fn reserve_wait(model: &str) -> Result<ReserveWait> {
    let manifest = manifest()?;
    let model = manifest.model(model).context("there is no such model")?;
    ReserveWait::new(&corpus::constants(model))
}

/// Whether the state is one that such a counterexample ends with.
fn is_end(jbd2: &Jbd2, state: &State, end: End) -> bool {
    match end {
        End::Deadlock => jbd2.machine.actions(state).is_empty(),
        End::Breaks(invariant) => !invariant.holds(&jbd2.machine, state),
    }
}

#[test]
fn the_last_state_alone_is_wrong() -> Result<()> {
    for (model, end) in ENDS {
        let jbd2 = jbd2(model)?;
        let behaviour = replay(&jbd2, &corpus::counterexample(model)?)?;
        assert!(behaviour.cycle.is_empty(), "{model} is a lasso");
        let (last, before) = behaviour.states.split_last().context("no states")?;
        println!(
            "{model}: {} steps to {}",
            behaviour.actions.len(),
            jbd2.show(last)
        );
        assert!(is_end(&jbd2, last, end), "{model}: {}", jbd2.show(last));
        for state in before {
            assert!(!is_end(&jbd2, state, end), "{model}: {}", jbd2.show(state));
        }
    }
    Ok(())
}

/// The cure: at the same sizes the variant of today keeps every invariant, and somebody can always take a step.
#[test]
fn the_variant_of_today_never_ends_so() -> Result<()> {
    let sizes = [
        ("NoReserve-PW-12-3-deadlock", 3945),
        ("RestartKeeps-PW-12-3-extra-deadlock", 4123),
        ("NoTest4-W-24-spare-ReservedIsReserved", 33_093),
        ("ReservedCannotJoinLocked-PW-18-3-deadlock", 71_411),
    ];
    for (model, count) in sizes {
        let mut jbd2 = jbd2(model)?;
        jbd2.machine.policy = Policy::UPSTREAM;
        let (states, _) = reached(&jbd2, |state, action| jbd2.step(state, action));
        assert_eq!(states.len(), count, "{model}");
        for state in &states {
            let ends = Invariant::ALL.map(End::Breaks);
            for end in ends.into_iter().chain([End::Deadlock]) {
                assert!(!is_end(&jbd2, state, end), "{end:?}: {}", jbd2.show(state));
            }
        }
    }
    Ok(())
}

/// Goes round the loop, and returns how many grants others get in it (`is_granted`). The victim waits all the time.
fn starve<M: Counterpart>(
    model: &str,
    machine: &M,
    waits: impl Fn(&M::State) -> bool,
    is_granted: impl Fn(&M::State, &M::State) -> bool,
) -> Result<usize> {
    let behaviour = replay(machine, &corpus::counterexample(model)?)?;
    assert!(!behaviour.cycle.is_empty(), "{model} is no lasso");
    let last = behaviour.states.last().context("a trace has a state")?;
    let mut state = last.clone();
    let mut grants = 0;
    for round in 0..ROUNDS {
        for &action in &behaviour.cycle {
            let next = machine.step(&state, action);
            let next = next.with_context(|| format!("round {round}: {}", machine.label(action)))?;
            assert!(
                waits(&next),
                "{model}, round {round}: {}",
                machine.show(&next)
            );
            grants += usize::from(is_granted(&state, &next));
            state = next;
        }
        assert!(state == *last, "{model}: round {round} does not close");
    }
    println!(
        "{model}: {} steps to the loop's end, {} round it; {ROUNDS} rounds, {grants} grants to others",
        behaviour.actions.len(),
        behaviour.cycle.len()
    );
    Ok(grants)
}

#[test]
fn a_conversion_waits_through_a_thousand_rounds() -> Result<()> {
    let model = "Upstream-PW-12-3-ConversionProgress";
    let jbd2 = jbd2(model)?;
    let place = |task| jbd2.machine.place(task).context("there is no such task");
    let (worker, plain) = (place(Task::Worker(0))?, place(Task::Plain(0))?);
    let waits = |state: &State| matches!(state.pc[worker], Pc::Try | Pc::WaitSwitch);
    let is_granted =
        |from: &State, to: &State| (from.pc[plain], to.pc[plain]) == (Pc::Try, Pc::Attached);
    assert_eq!(starve(model, &jbd2, waits, is_granted)?, ROUNDS);
    Ok(())
}

#[test]
fn a_large_reservation_waits_through_a_thousand_rounds() -> Result<()> {
    let model = "WakeAll-SSL-LargeProgress";
    let wait = reserve_wait(model)?;
    let large = wait.machine.needs.iter().position(|need| *need == 2);
    let large = large.context("there is no large one")?;
    let holders = |state: &WaitState| state.pc.iter().filter(|pc| **pc == Waiter::Hold).count();
    let grants = starve(
        model,
        &wait,
        |state| !matches!(state.pc[large], Waiter::Idle | Waiter::Hold),
        |from, to| holders(to) > holders(from),
    )?;
    assert_eq!(grants, ROUNDS);
    Ok(())
}

#[test]
fn a_wake_up_is_lost() -> Result<()> {
    for model in ["WakeOne-SSSL-NoLostWakeup", "WakeChain-SSSL-NoLostWakeup"] {
        let mut wait = reserve_wait(model)?;
        let behaviour = replay(&wait, &corpus::counterexample(model)?)?;
        let (last, before) = behaviour.states.split_last().context("no states")?;
        println!(
            "{model}: {} steps to {}",
            behaviour.actions.len(),
            wait.show(last)
        );
        assert!(!no_lost_wakeup(&wait.machine, last), "{model}");
        for state in before {
            assert!(no_lost_wakeup(&wait.machine, state), "{model}");
        }
        for wake in [Wake::All, Wake::HandOff] {
            wait.machine.wake = wake;
            let (states, _) = reached(&wait, |state, action| wait.step(state, action));
            for state in states {
                assert!(no_lost_wakeup(&wait.machine, &state), "{wake:?}");
                assert!(reserved_is_held(&wait.machine, &state), "{wake:?}");
            }
        }
    }
    Ok(())
}

/// A machine of another variant does not follow: the replay says where.
#[test]
fn another_variant_does_not_follow() -> Result<()> {
    let others = [
        (
            "NoReserve-PW-12-3-deadlock",
            "step to state 3: in [w1 Try; free 12], Try(w1): \
             TLC [w1 Attached; running Running out 3 updates 1 log 0; free 12]; the machine [w1 Attached; running Running out 4 updates 1 log 0; free 12; reserved 1]",
        ),
        (
            "ReservedCannotJoinLocked-PW-18-3-deadlock",
            "step to state 11: in [p1 WaitLocked, w1 Attached, <<\"kworker\", w1>> Try; running Locked out 6 updates 1 log 1 asked; free 18; reserved 2; w1 under writeback], TryReserved(<<\"kworker\", w1>>): \
             TLC [p1 WaitLocked, w1 Attached, <<\"kworker\", w1>> WaitLocked; running Locked out 6 updates 1 log 1 asked; free 18; reserved 2; w1 under writeback]; the machine [p1 WaitLocked, w1 Attached, <<\"kworker\", w1>> Attached; running Locked out 6 updates 2 log 1 asked; free 18; reserved 1; w1 under writeback]",
        ),
        (
            "CkptHoldsMutex-PW-12-3-deadlock",
            "step to state 22: in [p1 Try, w1 Checkpoint; running Running out 2 updates 0 log 0; committing Flush out 3 updates 0 log 1 asked; free 9; checkpoint [3]; mutex of w1], FindCommitting(w1): \
             TLC [p1 Try, w1 WaitCommit; running Running out 2 updates 0 log 0; committing Flush out 3 updates 0 log 1 asked; free 9; checkpoint [3]; mutex of w1]; the machine [p1 Try, w1 WaitCommit; running Running out 2 updates 0 log 0; committing Flush out 3 updates 0 log 1 asked; free 9; checkpoint [3]]",
        ),
        (
            "RestartKeeps-PW-12-3-extra-deadlock",
            "step to state 8: in [p1 Denied, w1 WaitLocked; running Locked out 3 updates 1 log 0 asked; free 12], Restart(p1): \
             TLC [p1 Try, w1 WaitLocked; running Locked out 3 updates 1 log 0 asked; free 12]; the machine [p1 Try, w1 WaitLocked; running Locked out 3 updates 0 log 1 asked; free 12]",
        ),
        (
            "NoTest2-PW-12-3-CreditsInBounds",
            "step to state 6: in [p1 Try; running Running out 4 updates 0 log 1; free 12; reserved 1; w1 under writeback], Try(p1): \
             TLC [p1 Attached; running Running out 5 updates 1 log 1; free 12; reserved 1; w1 under writeback]; the machine [p1 WaitLocked; running Running out 4 updates 0 log 1 asked; free 12; reserved 1; w1 under writeback]",
        ),
        (
            "StopGivesAllBack-PW-12-3-LoggedWithinCredits",
            "step to state 4: in [w1 Attached; running Running out 4 updates 1 log 0; free 12; reserved 1], Submit(w1): \
             TLC [running Running out 3 updates 0 log 1; free 12; reserved 1; w1 under writeback]; the machine [running Running out 4 updates 0 log 1; free 12; reserved 1; w1 under writeback]",
        ),
        (
            "NeededInsteadOfMax-PW-12-3-CommitNeverNeedsSpace",
            "step to state 25: in [p1 Try; committing Flush out 4 updates 0 log 2 asked; free 8; checkpoint [4]], Try(p1): \
             TLC [p1 Attached; running Running out 3 updates 1 log 0; committing Flush out 4 updates 0 log 2 asked; free 8; checkpoint [4]]; the machine [p1 Space; running Running out 2 updates 0 log 0; committing Flush out 4 updates 0 log 2 asked; free 8; checkpoint [4]]",
        ),
        (
            "NoTest4-W-24-spare-ReservedIsReserved",
            "step to state 6: in [w1 Try; running Running out 5 updates 0 log 1; free 24; reserved 2; w1 under writeback], Try(w1): \
             TLC [w1 Attached; running Running out 8 updates 1 log 1; free 24; reserved 4; w1 under writeback]; the machine is not enabled",
        ),
        (
            "UnreserveLeak-PW-12-3-CreditsConserved",
            "step to state 4: in [w1 Attached; running Running out 4 updates 1 log 0; free 12; reserved 1], Unreserve(w1): \
             TLC [running Running out 4 updates 0 log 1; free 12]; the machine [running Running out 3 updates 0 log 1; free 12]",
        ),
        (
            "TailPastCheckpoint-PW-12-3-SpaceConserved",
            "step to state 10: in [committing Tail out 0 updates 0 log 1 asked; free 9; reserved 1; w1 under writeback], CommitEnd(): \
             TLC [free 12; checkpoint [3]; reserved 1; w1 under writeback]; the machine [free 9; checkpoint [3]; reserved 1; w1 under writeback]",
        ),
        (
            "ReservedJoinsSwitch-PW-12-3-HandlesAreInTime",
            "step to state 9: in [<<\"kworker\", w1>> Try; running Switch out 4 updates 0 log 1 asked; free 12; reserved 1; w1 under writeback], TryReserved(<<\"kworker\", w1>>): \
             TLC [<<\"kworker\", w1>> Attached; running Switch out 4 updates 1 log 1 asked; free 12; w1 under writeback]; the machine [<<\"kworker\", w1>> WaitSwitch; running Switch out 4 updates 0 log 1 asked; free 12; reserved 1; w1 under writeback]",
        ),
    ];
    for (model, told) in others {
        let mut jbd2 = jbd2(model)?;
        jbd2.machine.policy = Policy::UPSTREAM;
        let error = replay(&jbd2, &corpus::counterexample(model)?).err();
        let error = error.with_context(|| format!("{model}: it follows"))?;
        println!("{error:#}");
        assert_eq!(format!("{error:#}"), told, "{model}");
    }
    Ok(())
}
