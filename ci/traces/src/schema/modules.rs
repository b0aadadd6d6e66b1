//! The specifications that traces are judged by: their actions, and what an event may have seen.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use interlock_checker::markdown;
use interlock_tla::module::Module;

use crate::recording::SEE;
use crate::validate::protocol::{PROTOCOLS, Protocol};

/// All of them, those of an area together.
fn by_area() -> Vec<&'static Protocol> {
    let mut protocols: Vec<&Protocol> = PROTOCOLS.iter().collect();
    protocols.sort_by_key(|protocol| protocol.area);
    protocols
}

/// Each area, its modules, and what makes their traces.
pub(super) fn areas() -> String {
    let rows = by_area().into_iter().map(|protocol| {
        let recorder = protocol
            .recorder
            .map(|recorder| format!("`{}`, the probe of {}", recorder.module, recorder.probe_of));
        let kernels = protocol.of_kernels.then(|| "a kernel's events".to_owned());
        let made_by: Vec<String> = recorder.into_iter().chain(kernels).collect();
        vec![
            format!("`{}`", protocol.area),
            format!(
                "[`{0}`](#{1})",
                protocol.module,
                markdown::anchor(protocol.module)
            ),
            made_by.join("; or "),
        ]
    });
    markdown::table(&["area", "module", "recorded by"], 3, rows)
}

/// A heading for each, and below it what its traces have.
pub(super) fn modules(root: &Path) -> Result<String> {
    let texts = by_area()
        .into_iter()
        .map(|protocol| one(root, protocol).with_context(|| format!("module {}", protocol.module)));
    let texts = texts.collect::<Result<Vec<_>>>()?;
    Ok(texts.join("\n"))
}

fn one(root: &Path, protocol: &Protocol) -> Result<String> {
    let [specs, traces] = protocol.library(root);
    let trace = format!("Trace{}", protocol.module);
    let module = Module::read_from(&[&specs, &traces], &trace)?;
    let ways = module.ways().context("there is no Next")?;
    let ways = ways.map_err(|why| anyhow!(why))?;
    let mut names: Vec<&str> = Vec::new();
    for way in &ways {
        if !names.contains(&way.action.as_str()) {
            names.push(&way.action);
        }
    }
    let actions = names.iter().map(|name| {
        let parameters = module.parameters(name).join(", ");
        match parameters.as_str() {
            "" => format!("`{name}`"),
            _ => format!("`{name}({parameters})`"),
        }
    });
    let actions: Vec<String> = actions.collect();
    let link = |name: &str| format!("[{name}](../../specs/{}/{name}.tla)", protocol.area);
    let mut text = format!(
        "### {}\n\nThe steps are those of {}; {} takes them as a trace's events.\n\n- Actions: {}.\n",
        protocol.module,
        link(protocol.actions),
        link(&trace),
        actions.join(", ")
    );
    let mut say = |what: &str, names: &[&str]| {
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let _ = writeln!(text, "- {what}: {}.", names.join(", "));
        }
    };
    if module.used_by("TraceSpec").contains(SEE) {
        say("A look at the state as it is, without a step", &[SEE]);
    }
    say("Without an event in every trace", protocol.silent);
    let may_be_silent = names
        .iter()
        .copied()
        .filter(|name| !protocol.silent.contains(name) && protocol.may_leave_out(name));
    let may_be_silent: Vec<&str> = may_be_silent.collect();
    say("In a trace that says so, without an event", &may_be_silent);
    say(
        "Asked in every state that a trace may be in",
        protocol.invariants,
    );
    text += "\n";
    if protocol.sees.is_empty() {
        text += "An event sees nothing: its arguments say all that was seen.\n";
        return Ok(text);
    }
    let rows = protocol.sees.iter();
    let rows = rows.map(|seen| vec![format!("`{}`", seen.name), seen.what.to_owned()]);
    Ok(text + &markdown::table(&["an event may see", "which is"], 2, rows))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;
    use crate::recording::{Trace, read};
    use crate::validate::search::Found;

    /// What a name has in it beside the words in capitals: `unexpired` of `unexpired TASK`.
    fn literal(name: &str) -> &str {
        let is_capital = |c: char| c.is_ascii_uppercase();
        name.trim_end_matches(is_capital).trim_end()
    }

    /// The literals in the conditions of the CASE of a module's operator, which says what an event may have seen.
    fn shown(text: &str, operator: &str) -> BTreeSet<String> {
        let (_, rest) = text
            .split_once(&format!("{operator}(name) =="))
            .expect("it");
        let body = rest.split("====").next().unwrap_or_default();
        let Some((_, arms)) = body.split_once("CASE ") else {
            return BTreeSet::new();
        };
        let (mut literals, mut condition) = (BTreeSet::new(), arms);
        while let Some((before, value)) = condition.split_once("->") {
            let quoted = before.split('"').skip(1).step_by(2);
            literals.insert(quoted.map(str::trim).next().unwrap_or_default().to_owned());
            condition = value.split_once("[] ").map_or("", |(_, next)| next);
        }
        literals
    }

    #[test]
    fn what_an_event_may_see_is_what_its_module_shows() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        for protocol in PROTOCOLS {
            let file = format!("specs/{}/Trace{}.tla", protocol.area, protocol.module);
            let text = fs::read_to_string(root.join(file)).expect("the module");
            let declared = protocol
                .sees
                .iter()
                .map(|seen| literal(seen.name).to_owned());
            let declared: BTreeSet<String> = declared.collect();
            assert_eq!(
                shown(&text, protocol.shows),
                declared,
                "{}",
                protocol.module
            );
        }
    }

    /// Why the first event of a legal trace is refused, if it has seen that what has this name is no such thing.
    fn refused(protocol: &Protocol, legal: &Trace, name: &str) -> String {
        let mut trace = legal.clone();
        let event = &mut trace.events[0];
        event.sees = [(name.to_owned(), "\"no such value\"".to_owned())].into();
        match protocol.search(&trace).expect("a trace that is read") {
            Found::Refused(refusal) => refusal.next[0].1.clone(),
            found => panic!("{}: {name}: {found:?}", protocol.module),
        }
    }

    #[test]
    fn the_machine_knows_what_an_event_may_see() {
        for protocol in PROTOCOLS {
            let legal = read("legal".as_ref(), protocol.legal.as_bytes()).expect("a trace");
            let args = &legal[0].events[0].args;
            let of = args.first().map_or("", |arg| arg.trim_matches('"'));
            for seen in protocol.sees {
                let name = match literal(seen.name) {
                    literal if literal == seen.name => literal.to_owned(),
                    "extent" => "extent 0".to_owned(),
                    literal => format!("{literal} {of}").trim_start().to_owned(),
                };
                let why = refused(protocol, &legal[0], &name);
                assert!(why.contains(&format!("{name} is ")), "{name}: {why}");
            }
            let why = refused(protocol, &legal[0], "nothing of it");
            assert_eq!(why, "nothing of the state is called nothing of it");
        }
    }
}
