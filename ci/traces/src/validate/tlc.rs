//! Traces on TLC: as a module that is generated, against `Trace<Module>.tla`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, anyhow, bail};

use super::protocol::Protocol;
use crate::recording::{Head, Trace};
use interlock_checker::jvm::{Jvm, Length};
use interlock_checker::process::{self, Budget, Stop};
use interlock_checker::run::clear;
use interlock_checker::toolchain::Toolchain;
use interlock_tla::counterexample::Counterexample;
use interlock_tla::messages::Output;
use interlock_tla::module::{Module, NEXT};
use interlock_tla::value::Value;

/// Seconds for one run.
const BUDGET: u64 = 300;

/// What each line that is read back begins with.
const ACCEPTED: &str = "accepted";

/// TLC, and where its runs' files go.
#[derive(Debug)]
pub struct Tlc<'a> {
    toolchain: &'a Toolchain,
    jvm: Jvm<'a>,
    dir: &'a Path,
}

impl<'a> Tlc<'a> {
    /// Each run's files go into a folder of `dir`.
    pub fn new(toolchain: &'a Toolchain, dir: &'a Path) -> Tlc<'a> {
        Tlc {
            toolchain,
            jvm: Jvm::new(toolchain),
            dir,
        }
    }

    /// Which of the traces, by their places, TLC accepts. All have the same head.
    ///
    /// # Errors
    /// If a state that a trace may be in violates one of the protocol's invariants, TLC gives no verdict, or files cannot be
    /// written or read.
    pub fn accepted(&self, protocol: &Protocol, traces: &[&Trace]) -> Result<BTreeSet<usize>> {
        let printed = self.print(protocol, traces, "Accept", "")?;
        let accepted = printed.iter().filter_map(|fields| match &fields[..] {
            [Value::Str(word), Value::Int(which)] if word == ACCEPTED => {
                usize::try_from(*which).ok()
            }
            _ => None,
        });
        Ok(accepted.map(|which| which - 1).collect())
    }

    /// What the invariant `report`, which `definitions` may define, prints for these traces.
    ///
    /// # Errors
    /// As [`Tlc::accepted`].
    pub fn print(
        &self,
        protocol: &Protocol,
        traces: &[&Trace],
        report: &str,
        definitions: &str,
    ) -> Result<Vec<Vec<Value>>> {
        let head = &traces.first().context("no trace")?.head;
        clear(self.dir)?;
        let scratch = self.dir.join("scratch");
        fs::create_dir_all(&scratch)
            .with_context(|| format!("{} cannot be made", scratch.display()))?;
        let names = names(traces)?;
        let write = |name: &str, text: &str| {
            let path = self.dir.join(name);
            fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))
        };
        let definitions = taken(&self.read(protocol)?)? + definitions;
        write(
            "CheckTrace.tla",
            &module(protocol, traces, &names, &definitions)?,
        )?;
        write("CheckTrace.cfg", &cfg(protocol, head, &names, report))?;
        let (stdout, printed) = (self.dir.join("stdout.txt"), self.dir.join("printed.txt"));
        let mut tlc = self.command(protocol, &scratch);
        tlc.arg("-userFile")
            .arg(&printed)
            .arg("-metadir")
            .arg(scratch.join("meta"))
            .args(["-config", "CheckTrace.cfg", "CheckTrace.tla"])
            .current_dir(self.dir)
            .stdout(File::create(&stdout)?)
            .stderr(File::create(self.dir.join("stderr.txt"))?);
        let end = process::run(&mut tlc, Budget::cpu(BUDGET)).context("java does not start")?;
        let output = Output::parse(&String::from_utf8_lossy(&fs::read(&stdout)?));
        let success = 2193;
        match end.stop {
            Stop::Exited(status) if status.success() && output.has(success) => {}
            Stop::Budget => bail!(
                "TLC has no verdict within {BUDGET} s of CPU time (`interlock validate --machine-only` asks the machine alone): see {}",
                stdout.display()
            ),
            _ => {
                let found = Counterexample::from_messages(&output.messages)
                    .ok()
                    .flatten();
                if let Some((invariant, place)) = found.and_then(|found| violated(&found, traces)) {
                    bail!(
                        "{place}: behind it {invariant} of module Trace{} does not hold: what the module allows is not what it \
                         says; see {}",
                        protocol.module,
                        stdout.display()
                    )
                }
                bail!("TLC gives no verdict: see {}", stdout.display())
            }
        }
        fs::remove_dir_all(&scratch)?;
        // TLC makes no file where it prints nothing.
        let lines = fs::read_to_string(&printed).unwrap_or_default();
        lines.lines().map(fields).collect()
    }

    /// The module that traces of the protocol are checked against.
    fn read(&self, protocol: &Protocol) -> Result<Module> {
        let [specs, traces] = protocol.library(&self.toolchain.root);
        Module::read_from(&[&specs, &traces], &format!("Trace{}", protocol.module))
    }

    fn command(&self, protocol: &Protocol, scratch: &Path) -> Command {
        let library = protocol
            .library(&self.toolchain.root)
            .map(|path| path.display().to_string());
        let mut tlc = self
            .jvm
            .tlc_with_library(1500, Length::Long, scratch, &library.join(":"));
        tlc.args([
            "-workers",
            "1",
            "-fp",
            "0",
            "-seed",
            "1",
            "-checkpoint",
            "0",
        ]);
        if !self.toolchain.jar.pinned {
            tlc.arg("-noGenerateSpecTE");
        }
        tlc
    }
}

/// Which invariant a counterexample violates, and the place in its trace of the last event that was taken, or of the trace.
fn violated(found: &Counterexample, traces: &[&Trace]) -> Option<(String, String)> {
    let invariant = found.violated.clone()?;
    let vars = &found.states.last()?.vars;
    let Value::Int(which) = vars.get("which")? else {
        return None;
    };
    let trace = traces.get(usize::try_from(*which - 1).ok()?)?;
    let strands = trace.strands().ok()?;
    let taken = vars.get("at")?.pairs()?.into_iter();
    let lines = taken.filter_map(|(strand, count)| {
        let (Value::Str(strand), Value::Int(count)) = (strand, count) else {
            return None;
        };
        let last = usize::try_from(*count).ok()?.checked_sub(1)?;
        let places = strands.get(strand.as_str())?;
        trace.lines.get(*places.get(last)?).copied()
    });
    let line = lines.max().unwrap_or(trace.line);
    Some((invariant, format!("{}:{line}", trace.file.display())))
}

/// A line that TLC has printed: a string with a tuple in it.
fn fields(line: &str) -> Result<Vec<Value>> {
    let printed: Value = line
        .parse()
        .with_context(|| format!("TLC has printed {line}"))?;
    let Value::Str(inner) = printed else {
        bail!("TLC has printed {line}")
    };
    match inner.parse()? {
        Value::Seq(fields) => Ok(fields),
        _ => bail!("TLC has printed {line}"),
    }
}

/// The model values that events name.
fn names(traces: &[&Trace]) -> Result<BTreeSet<String>> {
    fn collect(value: &Value, names: &mut BTreeSet<String>) {
        match value {
            Value::Model(name) => drop(names.insert(name.clone())),
            Value::Seq(items) => items.iter().for_each(|item| collect(item, names)),
            Value::Set(items) => items.iter().for_each(|item| collect(item, names)),
            Value::Record(fields) => fields.values().for_each(|item| collect(item, names)),
            Value::Fn(pairs) => pairs.iter().for_each(|(key, item)| {
                collect(key, names);
                collect(item, names);
            }),
            Value::Int(_) | Value::Bool(_) | Value::Str(_) => {}
        }
    }
    let mut names = BTreeSet::new();
    for (name, text) in plain(&traces[0].head) {
        let value: Value = text.parse().with_context(|| {
            let trace = traces[0];
            format!(
                "{}:{}: the constant {name} is no value of TLA+",
                trace.file.display(),
                trace.line
            )
        })?;
        collect(&value, &mut names);
    }
    for event in traces.iter().flat_map(|trace| &trace.events) {
        event
            .step()?
            .args
            .iter()
            .for_each(|arg| collect(arg, &mut names));
        event
            .seen()?
            .values()
            .for_each(|seen| collect(seen, &mut names));
    }
    Ok(names)
}

fn module(
    protocol: &Protocol,
    traces: &[&Trace],
    names: &BTreeSet<String>,
    definitions: &str,
) -> Result<String> {
    let mut text = format!(
        "---- MODULE CheckTrace ----\nEXTENDS Trace{}\n",
        protocol.module
    );
    if !names.is_empty() {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        writeln!(text, "CONSTANTS {}", names.join(", "))?;
    }
    let mut all = Vec::new();
    for (trace, number) in traces.iter().zip(1..) {
        let strands = trace.strands()?.into_iter().map(|(thread, places)| {
            let events = places.iter().map(|&place| event(trace, place));
            let events = events.collect::<Result<Vec<_>>>()?.join(",\n    ");
            Ok(format!(
                "({} :> <<\n    {events} >>)",
                Value::Str(thread.into())
            ))
        });
        let strands = strands.collect::<Result<Vec<_>>>()?.join(" @@ ");
        writeln!(text, "Trace{number} == {strands}")?;
        all.push(format!("Trace{number}"));
    }
    let traces_value = format!("<< {} >>", all.join(", "));
    let constants = plain(&traces[0].head).map(|(name, value)| (name.as_str(), value));
    let unseen = unseen(&traces[0].head)?;
    for (name, value) in constants.chain([("Traces", &traces_value), ("Unseen", &unseen)]) {
        // TLC evaluates the right side of what replaces a constant each time, and that of any other definition once.
        writeln!(text, "Once{name} == {value}\nThe{name} == Once{name}")?;
    }
    text += definitions;
    Ok(text + "====\n")
}

/// The next-state relation with each of its actions taken as an event, or as a silent one.
fn taken(module: &Module) -> Result<String> {
    let ways = module.ways().context("there is no Next")?;
    let ways = ways.map_err(|why| anyhow!(why))?;
    let disjuncts = ways.iter().map(|way| {
        let taken = format!("({} /\\ TakeEvent({}))", way.taken, way.label());
        format!("    \\/ {}\n", way.quantified("\\E", &taken))
    });
    Ok(format!("NextTaken ==\n{}", String::from_iter(disjuncts)))
}

/// The constants that are no substitutions. A cfg takes few kinds of values; a definition takes all.
fn plain(head: &Head) -> impl Iterator<Item = (&String, &String)> {
    let constants = head.constants.iter();
    constants.filter(|(_, value)| interlock_checker::cfg::substitution(value).is_none())
}

fn event(trace: &Trace, place: usize) -> Result<String> {
    let event = &trace.events[place];
    let args: Vec<String> = event.step()?.args.iter().map(Value::to_string).collect();
    let sees = event
        .seen()?
        .into_iter()
        .map(|(name, value)| format!("[name |-> {}, value |-> {value}]", Value::Str(name)));
    let names = event
        .names()
        .map(|name| Value::Str(name.into()).to_string());
    Ok(format!(
        "[from |-> {}, to |-> {}, actions |-> {{{}}}, args |-> <<{}>>, sees |-> <<{}>>]",
        event.from,
        event.to,
        names.collect::<Vec<_>>().join(", "),
        args.join(", "),
        sees.collect::<Vec<_>>().join(", ")
    ))
}

/// The steps of those who are not in the trace: an action and its arguments each.
fn unseen(head: &Head) -> Result<String> {
    let steps = head.unseen_steps().map(|step| {
        let parts = step.trim_end_matches(')').split_once('(');
        let (action, args) = parts.with_context(|| format!("{step} is no step"))?;
        Ok(format!("<<{}, <<{args}>>>>", Value::Str(action.into())))
    });
    let steps: Result<Vec<String>> = steps.collect();
    Ok(format!("{{{}}}", steps?.join(", ")))
}

fn cfg(protocol: &Protocol, head: &Head, names: &BTreeSet<String>, report: &str) -> String {
    let mut text = String::from("SPECIFICATION TraceSpec\nCONSTANTS\n");
    for (name, value) in &head.constants {
        let operator = interlock_checker::cfg::substitution(value).map(str::to_owned);
        let operator = operator.unwrap_or_else(|| format!("The{name}"));
        text += &format!("    {name} <- {operator}\n");
    }
    for name in names {
        text += &format!("    {name} = {name}\n");
    }
    let recorder = head.silent_actions();
    let silent: Vec<String> = protocol
        .silent
        .iter()
        .copied()
        .chain(recorder)
        .map(|name| Value::Str(name.into()).to_string())
        .collect();
    text += &format!("    Silent = {{{}}}\n", silent.join(", "));
    text += &format!("    Shows <- {}\n", protocol.shows);
    text + &format!("    {NEXT} <- NextTaken\n    Traces <- TheTraces\n    Unseen <- TheUnseen\n")
        + &format!(
            "INVARIANTS {} {report}\nCHECK_DEADLOCK FALSE\n",
            protocol.invariants.join(" ")
        )
}
