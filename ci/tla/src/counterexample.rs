//! A counterexample: the states, and the steps between them, that TLC reports.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail, ensure};

use crate::messages::Message;
use crate::value::Value;
use crate::value_parser::{ParseError, Parser};

/// The action of the first state, in TLC's words.
pub const INITIAL: &str = "Initial predicate";

/// The action of a step of which only the states are known: Apalache names none.
pub const SOME_STEP: &str = "step";

/// A behaviour that violates a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    /// What TLC says is violated: an invariant, an action property, or `Deadlock`. The pinned TLC does not name a temporal property.
    pub violated: Option<String>,
    /// The states from the initial one on, never none.
    pub states: Vec<State>,
    /// For a lasso, the index in `states` of the state that follows the last one.
    pub loop_to: Option<usize>,
    /// For a lasso, the step from the last state to that one.
    pub closing: Option<Step>,
    /// Whether the last state lasts for ever.
    pub ends_stuttering: bool,
}

/// A state, and the step that leads to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// TLC's number of it, from 1.
    pub number: usize,
    /// The action that leads to it; [`INITIAL`] for the first state.
    pub action: String,
    /// The action's arguments; none as long as they are not known.
    pub args: Vec<Value>,
    /// The value of every variable.
    pub vars: BTreeMap<String, Value>,
}

/// An action and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The action's name.
    pub action: String,
    /// Its arguments; none as long as they are not known.
    pub args: Vec<Value>,
}

impl Counterexample {
    /// The counterexample among the messages of one run of TLC, if there is one.
    ///
    /// # Errors
    /// If a message about it is not as TLC writes it, or the states are not numbered one after the other.
    pub fn from_messages(messages: &[Message]) -> anyhow::Result<Option<Counterexample>> {
        let mut found = Counterexample {
            violated: None,
            states: Vec::new(),
            loop_to: None,
            closing: None,
            ends_stuttering: false,
        };
        for message in messages {
            found.add(message).with_context(|| {
                format!(
                    "in TLC's message {}: {}",
                    message.code,
                    message.body.lines().next().unwrap_or_default()
                )
            })?;
        }
        Ok((!found.states.is_empty()).then_some(found))
    }

    /// The states of the part that repeats for ever: the loop of a lasso, or the last state if it lasts; otherwise none.
    pub fn repeated(&self) -> &[State] {
        match self.loop_to {
            Some(target) => &self.states[target..],
            None if self.ends_stuttering => &self.states[self.states.len() - 1..],
            None => &[],
        }
    }

    fn add(&mut self, message: &Message) -> anyhow::Result<()> {
        let text = &message.body;
        match message.code {
            2107 | 2108 => {
                ensure!(self.states.is_empty(), "a second initial state");
                self.violated = Some(property(text)?);
                let (_, state) = text
                    .split_once(':')
                    .context("expected a colon before the state")?;
                let state = Parser::new(state);
                self.states.push(State {
                    number: 1,
                    action: INITIAL.to_owned(),
                    args: Vec::new(),
                    vars: variables(state)?,
                });
            }
            2110 | 2112 => self.violated = Some(property(text)?),
            2114 => self.violated = Some("Deadlock".to_owned()),
            2122 => {
                let mut parser = Parser::new(text);
                let number = self.number(&mut parser)?;
                parser.expect("Back to state:")?;
                ensure!(
                    (1..=self.states.len()).contains(&number),
                    "there is no state {number} to go back to"
                );
                self.loop_to = Some(number - 1);
                self.closing = Some(label(&mut parser)?);
            }
            2217 => {
                let mut parser = Parser::new(text);
                let number = self.number(&mut parser)?;
                ensure!(
                    number == self.states.len() + 1,
                    "expected state {}",
                    self.states.len() + 1
                );
                let mut step = label(&mut parser)?;
                if number == 1 {
                    step.action = INITIAL.to_owned();
                }
                self.states.push(State {
                    number,
                    action: step.action,
                    args: step.args,
                    vars: variables(parser)?,
                });
            }
            2218 => {
                ensure!(!self.states.is_empty(), "there is no state that could last");
                self.ends_stuttering = true;
            }
            _ => {}
        }
        Ok(())
    }

    fn number(&self, parser: &mut Parser<'_>) -> anyhow::Result<usize> {
        let number = parser
            .word("the number of a state")?
            .parse()
            .context("the number of a state")?;
        parser.expect(":")?;
        Ok(number)
    }
}

/// The name in `Invariant NAME is violated...` and its like.
fn property(text: &str) -> anyhow::Result<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.iter().position(|word| *word == "is") {
        Some(at) if at > 0 => Ok(words[at - 1].to_owned()),
        _ => bail!("expected the name of what is violated"),
    }
}

/// Reads `<Inc line 7, col 11 to line 9, col 3 of module M>`; a newer TLC writes the arguments too, `<Inc(p1) line ...>`.
fn label(parser: &mut Parser<'_>) -> Result<Step, ParseError> {
    parser.expect("<")?;
    let mut action = parser.word("the name of an action")?.to_owned();
    while parser.accept("!") {
        action = format!("{action}!{}", parser.word("the name of an action")?);
    }
    let args = if parser.accept("(") {
        parser.values(")")?
    } else {
        Vec::new()
    };
    parser.skip_past(">")?;
    Ok(Step { action, args })
}

/// Reads `/\ x = 1 /\ y = 2`, or `x = 1` when there is only one variable, up to the end.
fn variables(mut parser: Parser<'_>) -> Result<BTreeMap<String, Value>, ParseError> {
    let mut vars = BTreeMap::new();
    parser.accept("/\\");
    loop {
        let name = parser.word("the name of a variable")?;
        parser.expect("=")?;
        vars.insert(name.to_owned(), parser.value()?);
        if !parser.accept("/\\") {
            parser.end()?;
            return Ok(vars);
        }
    }
}
