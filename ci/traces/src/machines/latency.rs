//! From the values of `MpageLatency.tla` to the machine: its sizes, states and actions.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use interlock::latency::machine::{Action, Commit, Flusher, Machine, Realtime, Sizes, State};
use interlock::latency::policy::{Policy, Preemption};
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;
use super::values::{constant, field, number, truth, variable};

/// A machine as its specification sees it.
#[derive(Debug, Clone, Copy)]
pub struct Latency {
    /// The machine.
    pub machine: Machine,
}

impl Latency {
    /// The machine with these constants of module MpageLatency.
    ///
    /// # Errors
    /// If one is missing, is no number, or there is no such variant or preemption.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<Latency> {
        let constant = |name: &str| constant(constants, name);
        let number = |name: &str| constant(name)?.parse().with_context(|| name.to_owned());
        let policy = constant("Policy")?;
        let named = Policy::NAMED.iter().find(|(name, _)| *name == policy);
        let (_, policy) = named.with_context(|| format!("there is no variant {policy}"))?;
        let preemption = constant("Preemption")?.trim_matches('"');
        let mut known = Preemption::NAMED.iter();
        let known = known.find(|(name, _)| *name == preemption);
        let (_, preemption) = known.with_context(|| format!("there is no {preemption}"))?;
        let sizes = Sizes {
            pages: number("Pages")?,
            mapped: number("Mapped")?,
            batch: number("Batch")?,
            extent: number("Extent")?,
        };
        Ok(Latency {
            machine: Machine {
                sizes,
                policy: *policy,
                preemption: *preemption,
            },
        })
    }
}

/// `NeverOffWithHandle`.
pub fn never_off_with_handle(state: &State) -> bool {
    state.realtime != Realtime::Runs || !state.handle || state.locked == 0
}

/// The histories are left out.
impl Counterpart for Latency {
    type State = State;
    type Action = Action;

    fn init(&self) -> State {
        self.machine.init()
    }

    fn candidates(&self) -> Vec<Action> {
        Action::ALL.to_vec()
    }

    fn step(&self, state: &State, action: Action) -> Option<State> {
        self.machine.step(state, action)
    }

    fn state(&self, vars: &BTreeMap<String, Value>) -> Result<State> {
        let number = |name: &str| number(variable(vars, name)?);
        let truth = |name: &str| truth(variable(vars, name)?);
        let pc = variable(vars, "pc")?;
        let label = |task: &str| Ok::<_, anyhow::Error>(field(pc, task)?.label());
        Ok(State {
            flusher: flusher(&label("flusher")?)?,
            realtime: realtime(&label("realtime")?)?,
            commit: commit(&label("commit")?)?,
            next: number("next")?,
            locked: number("locked")?,
            bio: number("bio")?,
            handle: truth("handle")?,
            point: truth("point")?,
        })
    }

    fn action(&self, step: &Step) -> Result<Action> {
        let mut named = Action::ALL.into_iter();
        let found = named.find(|&action| format!("{action:?}") == step.action);
        found.with_context(|| format!("there is no action {}", step.action))
    }

    fn show(&self, state: &State) -> String {
        let mut flags = String::new();
        for (is, flag) in [(state.handle, " handle"), (state.point, " point")] {
            flags.push_str(if is { flag } else { "" });
        }
        format!(
            "[{:?} {:?} {:?}; next {} locked {} bio {}{flags}]",
            state.flusher, state.realtime, state.commit, state.next, state.locked, state.bio
        )
    }

    fn label(&self, action: Action) -> String {
        format!("{action:?}")
    }
}

fn flusher(label: &str) -> Result<Flusher> {
    Ok(match label {
        "idle" => Flusher::Idle,
        "start" => Flusher::Start,
        "collect" => Flusher::Collect,
        "map" => Flusher::Map,
        "submit" => Flusher::Submit,
        "stop" => Flusher::Stop,
        "sync" => Flusher::Sync,
        "send" => Flusher::Send,
        _ => bail!("{label} is nothing that a flusher does"),
    })
}

fn realtime(label: &str) -> Result<Realtime> {
    Ok(match label {
        "sleep" => Realtime::Sleep,
        "wants" => Realtime::Wants,
        "runs" => Realtime::Runs,
        _ => bail!("{label} is nothing that a real-time task does"),
    })
}

fn commit(label: &str) -> Result<Commit> {
    Ok(match label {
        "idle" => Commit::Idle,
        "wait" => Commit::Wait,
        _ => bail!("{label} is nothing that a commit does"),
    })
}
