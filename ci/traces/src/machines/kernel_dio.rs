//! What a kernel's trace shows of the machine of `UnalignedDio.tla`, as `TraceKernelDio.tla` says.

use std::collections::BTreeMap;

use anyhow::Result;
use interlock::dio::machine::{Action, Mode, Pc, State};
use interlock::dio::policy::Flag;

use super::counterpart::Counterpart;
use super::dio::{Dio, EXTENTS};
use super::named::name_of;
use super::traced::{Seen, Traced};
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

/// The machine, of which a kernel shows other things than the reference's threads do.
#[derive(Debug, Clone)]
pub struct KernelDio(pub Dio);

impl Traced for KernelDio {
    const SEES: &'static [Seen] = &[
        Seen {
            name: "size",
            what: "i_size, in sectors",
        },
        Seen {
            name: "extent BLOCK",
            what: "the block's state",
        },
        Seen {
            name: "held REQUEST",
            what: "how the request holds the lock",
        },
        Seen {
            name: "wait REQUEST",
            what: "whether the request has FORCE_WAIT",
        },
        Seen {
            name: "flag REQUEST",
            what: "whether the request has OVERWRITE_ONLY",
        },
        Seen {
            name: "drains REQUEST",
            what: "whether the request is about to call inode_dio_wait",
        },
    ];

    fn sees(&self, state: &State, name: &str) -> Option<Value> {
        if name == "size" {
            return Some(Value::Int(state.size.into()));
        }
        let (what, of) = name.split_once(' ')?;
        if what == "extent" {
            let extent = state.extent.get(of.parse::<usize>().ok()?)?;
            return Some(name_of(&EXTENTS, *extent));
        }
        let machine = &self.0.machine;
        let place = self.0.requests.iter().position(|request| request == of)?;
        let (request, call) = (&state.requests[place], &machine.calls[place]);
        Some(match what {
            "held" => {
                let names = [
                    ("none", None),
                    ("shared", Some(Mode::Shared)),
                    ("exclusive", Some(Mode::Exclusive)),
                ];
                name_of(&names, request.held)
            }
            "wait" => Value::Bool(request.plan.wait),
            "drains" => Value::Bool(request.pc == Pc::Drain),
            "flag" => {
                let aligned = |position: u32| position.is_multiple_of(machine.per_block);
                let unaligned = !(aligned(call.from) && aligned(call.to + 1));
                let heeded = machine.policy.flag == Flag::Heeded;
                Value::Bool(heeded && unaligned && request.held == Some(Mode::Shared))
            }
            _ => return None,
        })
    }

    fn is_silent(&self, action: Action) -> bool {
        matches!(action, Action::Drain(_))
    }
}

impl Counterpart for KernelDio {
    type State = State;
    type Action = Action;

    fn init(&self) -> State {
        self.0.init()
    }

    fn candidates(&self) -> Vec<Action> {
        self.0.candidates()
    }

    fn step(&self, state: &State, action: Action) -> Option<State> {
        // What is silent is asked for each request of each state, and the machine looks through all of a state first.
        if let Action::Drain(request) = action {
            let asked = state.requests.get(request)?;
            if asked.pc != Pc::Drain {
                return None;
            }
        }
        self.0.step(state, action)
    }

    fn state(&self, vars: &BTreeMap<String, Value>) -> Result<State> {
        self.0.state(vars)
    }

    fn action(&self, step: &Step) -> Result<Action> {
        self.0.action(step)
    }

    fn show(&self, state: &State) -> String {
        self.0.show(state)
    }

    fn label(&self, action: Action) -> String {
        self.0.label(action)
    }
}
