//! TLC's counterexamples are behaviours of the machine: who starves there starves here.

use anyhow::{Context as _, Result};
use conformance::corpus;
use conformance::replay::replay;
use interlock::rwsem::machine::Pc;
use interlock::rwsem::policy::Policy;
use interlock_traces::machines::counterpart::Counterpart;
use interlock_traces::machines::rwsem::Rwsem;

const ROUNDS: usize = 1000;

/// Goes round the loop, and returns how many grants the tasks other than `victim` get in it. The victim, which wants the lock all
/// the time, gets none.
fn starve(model: &str, rwsem: &Rwsem, victim: &str) -> Result<usize> {
    let victim = rwsem.tasks.iter().position(|task| task == victim);
    let victim = victim.context("there is no such task")?;
    let behaviour = replay(rwsem, &corpus::counterexample(model)?)?;
    assert!(!behaviour.cycle.is_empty(), "{model} is no lasso");
    let last = behaviour.states.last().context("a trace has a state")?;
    let mut state = last.clone();
    let mut grants = 0;
    for round in 0..ROUNDS {
        for &action in &behaviour.cycle {
            let next = rwsem.machine.step(&state, action);
            let next = next.with_context(|| format!("round {round}: {}", rwsem.label(action)))?;
            assert!(
                matches!(next.pc[victim], Pc::Spin | Pc::Wait | Pc::Try),
                "{model}, round {round}: {}",
                rwsem.show(&next)
            );
            let granted = |task: &usize| state.pc[*task] != Pc::Hold && next.pc[*task] == Pc::Hold;
            grants += (0..rwsem.tasks.len()).filter(granted).count();
            state = next;
        }
        assert_eq!(state, *last, "{model}: round {round} does not close");
    }
    println!(
        "{model}: {} steps to the loop's end, {} round it; {ROUNDS} rounds, {grants} grants to others",
        behaviour.actions.len(),
        behaviour.cycle.len()
    );
    Ok(grants)
}

#[test]
fn a_victim_waits_through_a_thousand_rounds() -> Result<()> {
    let lassos = [
        (
            "Xadd420-RWW-ReaderProgress",
            Rwsem::of_size(1, 2, Policy::XADD420),
            "r1",
            2,
        ),
        (
            "Rule5Ignored-RWWW-ReaderProgress",
            Rwsem::of_size(1, 3, Policy::RULE5_IGNORED),
            "r1",
            3,
        ),
        (
            "ReaderSpin53-RRW-WriterProgress",
            Rwsem::of_size(2, 1, Policy::READER_SPIN53),
            "w1",
            2,
        ),
        (
            "LinuxMrlock2003-RW-ReaderProgress",
            Rwsem::of_size(1, 1, Policy::LINUX_MRLOCK2003),
            "r1",
            1,
        ),
    ];
    for (model, rwsem, victim, a_round) in lassos {
        assert_eq!(starve(model, &rwsem, victim)?, a_round * ROUNDS, "{model}");
    }
    Ok(())
}

#[test]
fn wilcox_lets_a_writer_in_with_another() -> Result<()> {
    let rwsem = Rwsem::of_size(1, 2, Policy::WILCOX_V0);
    let cex = corpus::counterexample("WilcoxV0-RWW-MutualExclusion")?;
    let behaviour = replay(&rwsem, &cex)?;
    let broken: Vec<bool> = behaviour
        .states
        .iter()
        .map(|state| rwsem.exclusion_is_broken(state))
        .collect();
    assert_eq!(broken, [false, false, false, false, false, false, true]);
    Ok(())
}

/// A machine of another design does not follow: the replay says where.
#[test]
fn another_design_does_not_follow() -> Result<()> {
    let others = [
        (
            "Xadd420-RWW-ReaderProgress",
            Rwsem::of_size(1, 2, Policy::XADD420_NO_STEAL),
            "step to state 5: in [r1 Wait, w1 Wake, w2 Idle; queue r1], Spin(w2): \
             TLC [r1 Wait, w1 Wake, w2 Spin; queue r1]; the machine is not enabled",
        ),
        (
            "Rule5Ignored-RWWW-ReaderProgress",
            Rwsem::of_size(1, 3, Policy::BATCH_QUEUE),
            "step to state 5: in [r1 Wait, w1 Hold, w2 Idle, w3 Wait; queue w3 r1], Queue(w2): \
             TLC [r1 Wait, w1 Hold, w2 Wait, w3 Wait; queue w3 w2 r1]; the machine [r1 Wait, w1 Hold, w2 Wait, w3 Wait; queue w3 r1 w2]",
        ),
        (
            "ReaderSpin53-RRW-WriterProgress",
            Rwsem::of_size(2, 1, Policy::HANDOFF511),
            "step to state 5: in [r1 Idle, r2 Hold, w1 Try; queue w1], Spin(r1): \
             TLC [r1 Spin, r2 Hold, w1 Try; queue w1]; the machine is not enabled",
        ),
        (
            "WilcoxV0-RWW-MutualExclusion",
            Rwsem::of_size(1, 2, Policy::WILCOX_V1),
            "step to state 7: in [r1 Wait, w1 Wake, w2 Wait; queue r1 w2], Wake(w1): \
             TLC [r1 Hold, w1 Idle, w2 Hold; queue ]; the machine [r1 Hold, w1 Idle, w2 Wait; queue w2]",
        ),
    ];
    for (model, rwsem, told) in others {
        let error = replay(&rwsem, &corpus::counterexample(model)?).err();
        let error = error.with_context(|| format!("{model}: it follows"))?;
        println!("{error:#}");
        assert_eq!(format!("{error:#}"), told, "{model}");
    }
    Ok(())
}
