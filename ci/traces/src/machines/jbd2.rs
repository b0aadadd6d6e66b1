//! From the values of `Jbd2Credits.tla` to the machine: its tasks, states and actions.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use interlock::jbd2::machine::{
    Action, Load, Machine, Pc, Sizes, State, TState, Task, Transaction,
};
use interlock::jbd2::policy::Policy;
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;
use super::named::one_of;
use super::traced::{Seen, Traced};
use super::values::{constant, field, members, names, number, pairs, truth};

/// A machine and the names of its tasks.
#[derive(Debug, Clone)]
pub struct Jbd2 {
    /// The machine.
    pub machine: Machine,
    /// The names of the plain threads in the specification.
    pub plain: Vec<String>,
    /// The names of the writepages threads.
    pub pages: Vec<String>,
}

impl Jbd2 {
    /// The machine with these constants of module Jbd2Credits: `Policy`, `Plain`, `Pages`, and the numbers.
    ///
    /// # Errors
    /// If one is missing, a set is not one of tasks, or no policy has that name.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<Jbd2> {
        let constant = |name: &str| constant(constants, name);
        let number = |name: &str| -> Result<i64> {
            constant(name)?.parse().with_context(|| name.to_owned())
        };
        let policy = constant("Policy")?;
        let named = Policy::NAMED.iter().find(|(name, _)| *name == policy);
        let (_, policy) = named.with_context(|| format!("there is no policy {policy}"))?;
        let sizes = Sizes {
            log: number("Log")?,
            max: number("Max")?,
            overhead: number("Overhead")?,
            slack: number("Slack")?,
        };
        let (plain, pages) = (names(constants, "Plain")?, names(constants, "Pages")?);
        let load = Load {
            plain: plain.len(),
            pages: pages.len(),
            cost: number("Cost")?,
            uses: number("Uses")?,
            extra: number("Extra")?,
            convert_extra: number("ConvertExtra")?,
            page_cost: number("PageCost")?,
            page_uses: number("PageUses")?,
            reserve: number("Reserve")?,
            convert_uses: number("ConvertUses")?,
        };
        Ok(Jbd2 {
            machine: Machine::new(*policy, sizes, load),
            plain,
            pages,
        })
    }

    /// The task's name in the specification.
    pub fn name(&self, task: Task) -> String {
        match task {
            Task::Plain(p) => self.plain[p].clone(),
            Task::Pages(w) => self.pages[w].clone(),
            Task::Worker(w) => format!("<<\"kworker\", {}>>", self.pages[w]),
        }
    }

    fn task(&self, value: &Value) -> Result<Task> {
        let name = value.label();
        let page = |w: usize| self.name(Task::Pages(w));
        let is_meant = |task: &Task| match task {
            // Apalache knows the worker of w1 as k1: it has no tuples beside names.
            Task::Worker(w) if name.replacen('k', "w", 1) == page(*w) && name != page(*w) => true,
            _ => self.name(*task) == name,
        };
        let task = self.machine.tasks().into_iter().find(is_meant);
        task.with_context(|| format!("there is no task {name}"))
    }

    fn page(&self, value: &Value) -> Result<usize> {
        match self.task(value)? {
            Task::Pages(w) => Ok(w),
            _ => bail!("{value} has no page"),
        }
    }

    fn transaction(&self, value: &Value) -> Result<Transaction> {
        let field = |name: &str| field(value, name);
        Ok(Transaction {
            state: one_of(&STATES, field("state")?)?,
            out: number(field("out")?)?,
            updates: number(field("updates")?)?,
            log: number(field("log")?)?,
            data: members(field("data")?)?
                .iter()
                .map(|page| self.page(page))
                .collect::<Result<_>>()?,
            asked: truth(field("asked")?)?,
        })
    }

    /// Gives the variable `name` its value, or that part of it which there is.
    fn set(&self, state: &mut State, name: &str, value: &Value) -> Result<()> {
        match name {
            "running" => state.running = self.transaction(value)?,
            "committing" => state.committing = self.transaction(value)?,
            "free" => state.free = number(value)?,
            "checkpoint" => {
                state.checkpoint = pairs(value)?
                    .into_iter()
                    .map(|(_, blocks)| number(blocks))
                    .collect::<Result<_>>()?;
            }
            "reserved" => state.reserved = number(value)?,
            "queue" => {
                let waiting = pairs(value)?.into_iter().map(|(_, task)| self.page(task));
                state.queue = waiting.collect::<Result<_>>()?;
            }
            "promised" => {
                let promised = members(value)?.iter().map(|task| self.page(task));
                state.promised = promised.collect::<Result<_>>()?;
            }
            "mutex" => {
                let holder = members(value)?.first();
                state.mutex = holder.map(|task| self.task(task)).transpose()?;
            }
            "pc" => {
                for (task, value) in pairs(value)? {
                    let place = self.machine.place(self.task(&task)?);
                    state.pc[place.context("it has no place")?] = one_of(&Pc::NAMED, value)?;
                }
            }
            "writeback" => self.set_writeback(state, value)?,
            "aborted" => state.aborted = truth(value)?,
            _ => bail!("there is no variable {name}"),
        }
        Ok(())
    }

    /// From a function, or from the set of pages where it is TRUE.
    fn set_writeback(&self, state: &mut State, value: &Value) -> Result<()> {
        if let Value::Set(pages) = value {
            for page in pages {
                state.writeback[self.page(page)?] = true;
            }
            return Ok(());
        }
        for (page, value) in pairs(value)? {
            state.writeback[self.page(&page)?] = truth(value)?;
        }
        Ok(())
    }

    fn show_transaction(&self, name: &str, transaction: &Transaction) -> Option<String> {
        let Transaction {
            state,
            out,
            updates,
            log,
            data,
            asked,
        } = transaction;
        let mut shown = format!("{name} {state:?} out {out} updates {updates} log {log}");
        for page in data {
            shown += &format!(" data {}", self.pages[*page]);
        }
        if *asked {
            shown += " asked";
        }
        (*transaction != Transaction::NONE).then_some(shown)
    }
}

/// What is not there is as it was at the start: `Changes` of MCJbd2Credits leaves it out.
impl Counterpart for Jbd2 {
    type State = State;
    type Action = Action;

    fn init(&self) -> State {
        self.machine.init()
    }

    fn candidates(&self) -> Vec<Action> {
        self.machine.candidates()
    }

    fn step(&self, state: &State, action: Action) -> Option<State> {
        self.machine.step(state, action)
    }

    fn state(&self, vars: &BTreeMap<String, Value>) -> Result<State> {
        let mut state = self.machine.init();
        for (name, value) in vars {
            self.set(&mut state, name, value)
                .with_context(|| name.clone())?;
        }
        Ok(state)
    }

    fn action(&self, step: &Step) -> Result<Action> {
        let task = match &step.args[..] {
            [] => None,
            [task] => Some(self.task(task)?),
            args => bail!("{} has {} arguments", step.action, args.len()),
        };
        let named = |action: &Action| {
            let name = format!("{action:?}");
            action.task() == task && name.split('(').next() == Some(&step.action)
        };
        let action = self.candidates().into_iter().find(named);
        action.with_context(|| format!("there is no action {}", step.action))
    }

    fn show(&self, state: &State) -> String {
        let busy = self.machine.tasks().into_iter().zip(&state.pc);
        let busy = busy.filter(|(_, pc)| **pc != Pc::Idle);
        let busy: Vec<String> = busy
            .map(|(task, pc)| format!("{} {pc:?}", self.name(task)))
            .collect();
        let writeback = self.pages.iter().zip(&state.writeback);
        let writeback = writeback.filter(|(_, is_under)| **is_under);
        let parts = [
            (!busy.is_empty()).then(|| busy.join(", ")),
            self.show_transaction("running", &state.running),
            self.show_transaction("committing", &state.committing),
            Some(format!("free {}", state.free)),
            (!state.checkpoint.is_empty()).then(|| format!("checkpoint {:?}", state.checkpoint)),
            (state.reserved != 0).then(|| format!("reserved {}", state.reserved)),
            (!state.queue.is_empty()).then(|| format!("queue {:?}", state.queue)),
            (!state.promised.is_empty()).then(|| format!("promised {:?}", state.promised)),
            state
                .mutex
                .map(|holder| format!("mutex of {}", self.name(holder))),
        ];
        let writeback = writeback.map(|(page, _)| format!("{page} under writeback"));
        let aborted = state.aborted.then(|| "aborted".to_owned());
        let parts = parts.into_iter().flatten().chain(writeback).chain(aborted);
        format!("[{}]", parts.collect::<Vec<_>>().join("; "))
    }

    fn label(&self, action: Action) -> String {
        let name = format!("{action:?}");
        let name = name.split('(').next().unwrap_or_default();
        let task = action.task().map(|task| self.name(task));
        format!("{name}({})", task.unwrap_or_default())
    }
}

/// Blocks, credits and handles by name; and what a task does, by the task's.
impl Traced for Jbd2 {
    const SEES: &'static [Seen] = &[
        Seen {
            name: "free",
            what: "j_free, in blocks",
        },
        Seen {
            name: "reserved",
            what: "j_reserved_credits",
        },
        Seen {
            name: "out",
            what: "t_outstanding_credits of the running transaction; 0 if there is none",
        },
        Seen {
            name: "updates",
            what: "t_updates of the running transaction; 0 if there is none",
        },
        Seen {
            name: "TASK",
            what: "what the task does now: `\"attached\"`, or what it waits for",
        },
    ];

    fn sees(&self, state: &State, name: &str) -> Option<Value> {
        let number = match name {
            "free" => state.free,
            "reserved" => state.reserved,
            "out" => state.running.out,
            "updates" => state.running.updates,
            task => {
                let mut tasks = self.machine.tasks().into_iter().zip(&state.pc);
                let (_, pc) = tasks.find(|(known, _)| self.name(*known) == task)?;
                return Some(Value::Str(pc.name().to_owned()));
            }
        };
        Some(Value::Int(number))
    }
}

const STATES: [(&str, TState); 6] = [
    ("none", TState::None),
    ("RUNNING", TState::Running),
    ("LOCKED", TState::Locked),
    ("SWITCH", TState::Switch),
    ("FLUSH", TState::Flush),
    ("TAIL", TState::Tail),
];
