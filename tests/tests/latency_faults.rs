//! The comparison with TLC's graphs tells a fault of one line in the machine of the flusher: what differs, and where.

use anyhow::Result;
use conformance::corpus;
use conformance::difference::assert_told;
use interlock::latency::machine::{Action, Commit, Flusher, Machine, Realtime, Sizes, State};
use interlock::latency::policy::{Policy, Preemption};
use interlock_traces::machines::counterpart::Counterpart;
use interlock_traces::machines::latency::Latency;

type Step = fn(&Latency, &State, Action) -> Option<State>;

/// A machine with one wrong line, and the first thing that tells it from TLC's graph.
struct Fault {
    name: &'static str,
    model: &'static str,
    step: Step,
    tells: &'static str,
}

/// The step of the same machine under another policy.
fn under(policy: Policy, latency: &Latency, state: &State, action: Action) -> Option<State> {
    let machine = Machine {
        policy,
        ..latency.machine
    };
    machine.step(state, action)
}

/// The step of the same machine in another kernel.
fn in_kernel(
    preemption: Preemption,
    latency: &Latency,
    state: &State,
    action: Action,
) -> Option<State> {
    let machine = Machine {
        preemption,
        ..latency.machine
    };
    machine.step(state, action)
}

/// The step with something changed after one action.
fn after(
    changed: Action,
    change: fn(&mut State),
    latency: &Latency,
    state: &State,
    action: Action,
) -> Option<State> {
    let mut next = latency.step(state, action)?;
    if action == changed {
        change(&mut next);
    }
    Some(next)
}

const FAULTS: [Fault; 15] = [
    Fault {
        name: "might_sleep is no preemption point",
        model: "PerExtent-voluntary-N5-graph",
        step: |latency, state, action| in_kernel(Preemption::None, latency, state, action),
        tells: "in [Start Sleep Idle; next 0 locked 0 bio 0], FirstPass: \
                TLC [Start Sleep Idle; next 1 locked 0 bio 0 point]; the machine [Start Sleep Idle; next 1 locked 0 bio 0]",
    },
    Fault {
        name: "might_sleep is one without CONFIG_PREEMPT_VOLUNTARY",
        model: "PerExtent-N5-graph",
        step: |latency, state, action| in_kernel(Preemption::Voluntary, latency, state, action),
        tells: "in [Start Sleep Idle; next 0 locked 0 bio 0], FirstPass: \
                TLC [Start Sleep Idle; next 1 locked 0 bio 0]; the machine [Start Sleep Idle; next 1 locked 0 bio 0 point]",
    },
    Fault {
        name: "full preemption is that of might_sleep",
        model: "PerExtent-full-N5-graph",
        step: |latency, state, action| in_kernel(Preemption::Voluntary, latency, state, action),
        tells: "in [Submit Sleep Wait; next 2 locked 2 bio 0 handle], SubmitPage: \
                TLC [Submit Sleep Wait; next 3 locked 1 bio 1 handle point]; the machine [Submit Sleep Wait; next 3 locked 1 bio 1 handle]",
    },
    Fault {
        name: "a bio is allocated for each page of an extent",
        model: "PerExtent-voluntary-N5-graph",
        step: |latency, state, action| {
            let mut next = latency.step(state, action)?;
            next.point |= action == Action::SubmitPage && next.flusher == Flusher::Submit;
            Some(next)
        },
        tells: "in [Submit Sleep Wait; next 2 locked 2 bio 0 handle], SubmitPage: \
                TLC [Submit Sleep Wait; next 3 locked 1 bio 1 handle]; the machine [Submit Sleep Wait; next 3 locked 1 bio 1 handle point]",
    },
    Fault {
        name: "a bio is not allocated for each page of 2.6.34",
        model: "NoResched-voluntary-N5-graph",
        step: |latency, state, action| {
            let mut next = latency.step(state, action)?;
            next.point &= action != Action::SubmitPage;
            Some(next)
        },
        tells: "in [Submit Sleep Wait; next 0 locked 5 bio 0 handle], SubmitPage: \
                TLC [Submit Sleep Wait; next 1 locked 4 bio 0 handle point]; the machine [Submit Sleep Wait; next 1 locked 4 bio 0 handle]",
    },
    Fault {
        name: "the submit loop has a preemption point",
        model: "NoResched-N5-graph",
        step: |latency, state, action| under(Policy::RESCHED_PER_PAGEVEC, latency, state, action),
        tells: "in [Submit Wants Wait; next 1 locked 4 bio 0 handle], SubmitPage: \
                TLC [Submit Wants Wait; next 2 locked 3 bio 0 handle]; the machine [Submit Wants Wait; next 2 locked 3 bio 0 handle point]",
    },
    Fault {
        name: "the submit loop has none",
        model: "ReschedPerPagevec-N5-graph",
        step: |latency, state, action| under(Policy::NO_RESCHED, latency, state, action),
        tells: "in [Submit Wants Wait; next 1 locked 4 bio 0 handle], SubmitPage: \
                TLC [Submit Wants Wait; next 2 locked 3 bio 0 handle point]; the machine [Submit Wants Wait; next 2 locked 3 bio 0 handle]",
    },
    Fault {
        name: "a handle is for one page more",
        model: "PerExtent-N5-graph",
        step: |latency, state, action| {
            let sizes = Sizes {
                extent: latency.machine.sizes.extent + 1,
                ..latency.machine.sizes
            };
            let machine = Machine {
                sizes,
                ..latency.machine
            };
            machine.step(state, action)
        },
        tells: "in [Collect Wants Wait; next 2 locked 1 bio 0 handle], Collect: \
                TLC [Map Wants Wait; next 2 locked 2 bio 0 handle point]; the machine [Collect Wants Wait; next 2 locked 2 bio 0 handle point]",
    },
    Fault {
        name: "the first pass writes no page",
        model: "PerExtent-N5-graph",
        step: |latency, state, action| {
            let sizes = Sizes {
                mapped: 0,
                ..latency.machine.sizes
            };
            let machine = Machine {
                sizes,
                ..latency.machine
            };
            machine.step(state, action)
        },
        tells: "in [Start Sleep Idle; next 0 locked 0 bio 0], FirstPass: \
                TLC [Start Sleep Idle; next 1 locked 0 bio 0]; the machine is not enabled",
    },
    Fault {
        name: "cond_resched forgets who wants the processor",
        model: "PerExtent-N5-graph",
        step: |latency, state, action| {
            after(
                Action::Resched,
                |next| next.realtime = Realtime::Sleep,
                latency,
                state,
                action,
            )
        },
        tells: "in [Start Wants Idle; next 2 locked 0 bio 0 point], Resched: \
                TLC [Start Runs Idle; next 2 locked 0 bio 0]; the machine [Start Sleep Idle; next 2 locked 0 bio 0]",
    },
    Fault {
        name: "a stop leaves the handle open",
        model: "BetweenHandles-N5-graph",
        step: |latency, state, action| {
            after(
                Action::StopHandle,
                |next| next.handle = true,
                latency,
                state,
                action,
            )
        },
        tells: "in [Stop Wants Wait; next 4 locked 0 bio 2 handle], StopHandle: \
                TLC [Send Wants Wait; next 4 locked 0 bio 2]; the machine [Send Wants Wait; next 4 locked 0 bio 2 handle]",
    },
    Fault {
        name: "there is no preemption point between two handles",
        model: "BetweenHandles-N5-graph",
        step: |latency, state, action| {
            let mut policy = latency.machine.policy;
            policy.points.stop = false;
            under(policy, latency, state, action)
        },
        tells: "in [Send Wants Wait; next 4 locked 0 bio 2], SendBio: \
                TLC [Start Wants Wait; next 4 locked 0 bio 0 point]; the machine [Start Wants Wait; next 4 locked 0 bio 0]",
    },
    Fault {
        name: "a handle starts while a commit waits",
        model: "PerExtent-N5-graph",
        step: |latency, state, action| {
            let mut seen = *state;
            if action == Action::StartHandle {
                seen.commit = Commit::Idle;
            }
            let mut next = latency.step(&seen, action)?;
            if action == Action::StartHandle {
                next.commit = state.commit;
            }
            Some(next)
        },
        tells: "in [Start Wants Wait; next 4 locked 0 bio 0], StartHandle: \
                TLC is not enabled; the machine [Collect Wants Wait; next 4 locked 0 bio 0 handle]",
    },
    Fault {
        name: "a commit does not wait for the data",
        model: "SyncStopEarly-N5-graph",
        step: |latency, state, action| {
            let mut seen = *state;
            if action == Action::CommitGoesOn {
                seen.bio = 0;
            }
            let mut next = latency.step(&seen, action)?;
            if action == Action::CommitGoesOn {
                next.bio = state.bio;
            }
            Some(next)
        },
        tells: "in [Sync Runs Wait; next 4 locked 0 bio 2], CommitGoesOn: \
                TLC is not enabled; the machine [Sync Runs Idle; next 4 locked 0 bio 2]",
    },
    Fault {
        name: "a synchronous stop asks for no commit",
        model: "SyncStopLate-N5-graph",
        step: |latency, state, action| {
            let mut next = latency.step(state, action)?;
            if action == Action::StopSyncHandle {
                next.commit = state.commit;
            }
            Some(next)
        },
        tells: "in [Stop Wants Idle; next 5 locked 0 bio 0 handle], StopSyncHandle: \
                TLC [Sync Runs Wait; next 5 locked 0 bio 0]; the machine [Sync Runs Idle; next 5 locked 0 bio 0]",
    },
];

#[test]
fn a_fault_is_told() -> Result<()> {
    for fault in FAULTS {
        let graph = corpus::graph(fault.model)?;
        let latency = Latency::new(&graph.constants)?;
        let step = |state: &State, action| (fault.step)(&latency, state, action);
        assert_told(&latency, &graph, (fault.name, fault.tells), step)?;
    }
    Ok(())
}
