//! The steps that TLC explores, with the arguments of their actions.
//!
//! A trace of the pinned TLC names an action without its arguments. [`printer`] is a module with an action constraint, and a
//! property, that print for each step and each action that it is one of `ToString(<<"E", action, args, state, state'>>)`; of these
//! lines, in TLC's `-userFile`, are the [`Edges`].

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::counterexample::{Counterexample, Step};
use crate::module::Module;
use crate::value::Value;

/// The name of [`printer`]'s module.
pub const PRINTER: &str = "PrintedSteps";

/// The name of its action constraint, which is true.
pub const CONSTRAINT: &str = "PrintStep";

/// The name of its property, which says no more.
pub const PROPERTY: &str = "EachStepIsPrinted";

/// An operator that a module may have: the state as a graph shows it, in short.
pub const SHORT: &str = "Changes";

/// A module that extends `name` and prints its steps, with all variables, or in a graph as the module would have them shown there.
/// `None` when the module has no `Next`.
///
/// # Errors
/// When `Next` is no choice of actions.
pub fn printer(module: &Module, name: &str, for_graph: bool) -> anyhow::Result<Option<String>> {
    let Some(ways) = module.ways() else {
        return Ok(None);
    };
    let ways = ways.map_err(|why| anyhow::anyhow!("{name}: {why}"))?;
    let variables = module.variables();
    let fields = variables.iter().map(|name| format!("{name} |-> {name}"));
    let fields: Vec<String> = fields.collect();
    let state = match for_graph && module.defines(SHORT) {
        true => SHORT.to_owned(),
        false => format!("[{}]", fields.join(", ")),
    };
    let conjuncts = ways.iter().map(|way| {
        let line = format!("<<\"E\", {}, PrintedState, PrintedState'>>", way.label());
        let prints = format!("({} => PrintT(ToString({line})))", way.taken);
        format!("    /\\ {}\n", way.quantified("\\A", &prints))
    });
    let conjuncts: String = conjuncts.collect();
    Ok(Some(format!(
        "---- MODULE {PRINTER} ----\nEXTENDS {name}, TLC\nPrintedState == {state}\n{CONSTRAINT} ==\n{conjuncts}{PROPERTY} == [][{CONSTRAINT}]_<<{}>>\n====\n",
        variables.join(", ")
    )))
}

/// The steps of a state graph, by their states and action.
#[derive(Debug, Default)]
pub struct Edges {
    states: HashMap<BTreeMap<String, Value>, usize>,
    /// By the numbers of the two states: the steps between them.
    steps: HashMap<(usize, usize), Between>,
}

/// What leads from one state to another.
#[derive(Debug, Default)]
struct Between {
    /// Each once.
    steps: Vec<Step>,
    /// Lines about them: each time that TLC goes from one to the other, one line a step.
    lines: usize,
}

/// A state graph. TLC explores from an initial state, so that the first line it writes starts in one.
#[derive(Debug)]
pub struct Graph<'a> {
    /// Each state once.
    pub states: Vec<&'a BTreeMap<String, Value>>,
    /// Each step once, in no order: from, how, to.
    pub steps: Vec<(usize, &'a Step, usize)>,
}

impl Edges {
    /// Reads the file that TLC wrote for `-userFile`.
    ///
    /// # Errors
    /// If the file cannot be read, or a line about a step is malformed; the error names the file and the line.
    pub fn read(path: &Path) -> anyhow::Result<Edges> {
        let file =
            std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        Edges::from_lines(std::io::BufReader::new(file))
            .with_context(|| format!("in {}", path.display()))
    }

    /// Reads the lines of such a file. A line that is not about a step is skipped: a spec may print other things.
    ///
    /// # Errors
    /// If reading fails, or a line about a step is malformed.
    pub fn from_lines(mut lines: impl BufRead) -> anyhow::Result<Edges> {
        let mut edges = Edges::default();
        let mut line = String::new();
        for number in 1.. {
            line.clear();
            if lines
                .read_line(&mut line)
                .with_context(|| format!("line {number}"))?
                == 0
            {
                break;
            }
            edges
                .add_line(&line)
                .with_context(|| format!("line {number}"))?;
        }
        Ok(edges)
    }

    /// The arguments with which `action` steps from one state to the other. If several do, the first that TLC explored.
    pub fn args(
        &self,
        from: &BTreeMap<String, Value>,
        action: &str,
        to: &BTreeMap<String, Value>,
    ) -> Option<&[Value]> {
        let between = (*self.states.get(from)?, *self.states.get(to)?);
        let step = self
            .steps
            .get(&between)?
            .steps
            .iter()
            .find(|step| step.action == action)?;
        Some(&step.args)
    }

    /// Gives every step of the counterexample that has none its arguments.
    pub fn fill_args(&self, cex: &mut Counterexample) {
        for index in 1..cex.states.len() {
            if let [.., from, to] = &mut cex.states[..=index]
                && to.args.is_empty()
                && let Some(args) = self.args(&from.vars, &to.action, &to.vars)
            {
                to.args = args.to_vec();
            }
        }
        if let (Some(target), Some(step), Some(last)) =
            (cex.loop_to, &mut cex.closing, cex.states.last())
            && step.args.is_empty()
            && let Some(args) = self.args(&last.vars, &step.action, &cex.states[target].vars)
        {
            step.args = args.to_vec();
        }
    }

    /// The whole graph: the states, an initial one first, and the steps between them by their places in that list.
    pub fn graph(&self) -> Graph<'_> {
        let mut states: Vec<_> = self.states.iter().collect();
        states.sort_unstable_by_key(|(_, number)| **number);
        let steps = self.steps.iter().flat_map(|((from, to), between)| {
            between.steps.iter().map(move |step| (*from, step, *to))
        });
        Graph {
            states: states.into_iter().map(|(state, _)| state).collect(),
            steps: steps.collect(),
        }
    }

    /// How many different states the steps have.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// How many different steps there are.
    pub fn steps(&self) -> usize {
        self.steps.values().map(|between| between.steps.len()).sum()
    }

    /// How often TLC has gone from a state to another: more than once where two actions do the same, or two disjuncts of one.
    pub fn explored(&self) -> usize {
        let between = self.steps.values();
        between
            .map(|between| between.lines / between.steps.len())
            .sum()
    }

    fn add_line(&mut self, line: &str) -> anyhow::Result<()> {
        // TLC prints the string that ToString makes with its quotes, and so with the inner quotes escaped.
        let step: Value = if line.starts_with(r#""<<\"E\","#) {
            let Value::Str(inner) = line.parse()? else {
                bail!("expected a string")
            };
            inner.parse()?
        } else {
            return Ok(());
        };
        let Value::Seq(fields) = step else {
            bail!("expected a tuple")
        };
        let Ok(
            [
                _,
                Value::Str(action),
                Value::Seq(args),
                Value::Record(from),
                Value::Record(to),
            ],
        ) = <[Value; 5]>::try_from(fields)
        else {
            bail!(
                "expected <<\"E\", action, args, state, state'>>, the states as records of all variables"
            );
        };
        let between = (self.number(from), self.number(to));
        let step = Step { action, args };
        let known = self.steps.entry(between).or_default();
        known.lines += 1;
        if !known.steps.contains(&step) {
            known.steps.push(step);
        }
        Ok(())
    }

    fn number(&mut self, state: BTreeMap<String, Value>) -> usize {
        let next = self.states.len();
        *self.states.entry(state).or_insert(next)
    }
}
