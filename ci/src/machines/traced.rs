//! What a trace may say of a machine.

use super::model::Model;
use super::rwsem::Rwsem;
use interlock::rwsem::machine::Pc;

use crate::value::Value;

/// A machine that traces are checked against.
pub trait Traced: Model {
    /// What an event may have seen of a state, by its name: the same as in `Trace<Module>.tla`.
    fn sees(&self, state: &Self::State, name: &str) -> Option<Value>;

    /// The action leaves no event.
    fn is_silent(&self, _action: Self::Action) -> bool {
        false
    }
}

fn count(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

impl Traced for Rwsem {
    fn sees(&self, state: &Self::State, name: &str) -> Option<Value> {
        match name {
            "holders" => {
                let holds = |pc: &&Pc| matches!(pc, Pc::Hold | Pc::Shared);
                Some(count(state.pc.iter().filter(holds).count()))
            }
            "queued" => Some(count(state.queue.len())),
            _ => None,
        }
    }
}
