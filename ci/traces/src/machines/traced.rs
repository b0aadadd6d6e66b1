//! What a trace may say of a machine.

use anyhow::Result;

use super::counterpart::Counterpart;
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

/// Something that an event may have seen of a state.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// Its name. A word in capitals stands for one of several names: `TASK`.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
}

/// A machine that traces are checked against.
pub trait Traced: Counterpart {
    /// All that an event may have seen of a state.
    const SEES: &'static [Seen];

    /// What an event may have seen of a state, by its name: the same as in `Trace<Module>.tla`.
    fn sees(&self, state: &Self::State, name: &str) -> Option<Value>;

    /// The actions of which an event leaves open which one it was.
    ///
    /// # Errors
    /// As [`Counterpart::action`].
    fn actions(&self, step: &Step) -> Result<Vec<Self::Action>> {
        Ok(vec![self.action(step)?])
    }

    /// The states that a trace may begin in.
    fn starts(&self) -> Vec<Self::State> {
        vec![self.init()]
    }

    /// An event may be a look at the state alone: [`SEE`](crate::recording::SEE).
    fn may_see(&self) -> bool {
        false
    }

    /// The action leaves no event.
    fn is_silent(&self, _action: Self::Action) -> bool {
        false
    }

    /// The action leaves none in a trace that says so.
    fn may_be_silent(&self, _action: Self::Action) -> bool {
        false
    }

    /// The action may leave none of a task that a trace says is not in it.
    fn may_be_unseen(&self, _action: Self::Action) -> bool {
        false
    }

    /// A silent action, from one state to another, may be taken where events with these arguments may come next: the same as in
    /// `Trace<Module>.tla`.
    fn is_in_time(
        &self,
        _action: Self::Action,
        _states: [&Self::State; 2],
        _next: &[&[Value]],
    ) -> bool {
        true
    }
}

/// So many, as a value.
pub(super) fn count(count: usize) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}
