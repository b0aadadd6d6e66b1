//! A design of the reference is the record of that name in the specification's Policies module, field for field.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;

use anyhow::{Context as _, Result};
use interlock::{dio, jbd2, rwsem, writeback};

/// A design's fields, as texts.
type Fields = BTreeMap<String, String>;

/// The parts of a text between its commas, but for those within brackets.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let within = |c: char| {
        match c {
            '[' | '{' | '<' => depth += 1,
            ']' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(within).map(str::trim).collect()
}

/// What is between the bracket that the text begins with and its counterpart.
fn bracketed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('[')?;
    let mut depth = 1;
    let end = inner.find(|c| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    Some(&inner[..end?])
}

/// The records of a module that stand for designs, each whole: `Name == [field |-> value, ...]`, `Name == [Other EXCEPT !.field = value, ...]`.
fn records(module: &str) -> Result<BTreeMap<String, Fields>> {
    let path = format!("{}/../specs/{module}.tla", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).with_context(|| path.clone())?;
    let code = text
        .lines()
        .map(|line| line.split("\\*").next().unwrap_or_default());
    let code: Vec<&str> = code.filter(|line| !line.starts_with("(*")).collect();
    let code = code.join(" ");
    let mut records: BTreeMap<String, Fields> = BTreeMap::new();
    let names = code
        .split("==")
        .map(|before| before.split_whitespace().last());
    for (name, definition) in names.zip(code.split("==").skip(1)) {
        let (Some(name), Some(body)) = (name, bracketed(definition.trim())) else {
            continue;
        };
        let (mut fields, changes) = match body.split_once(" EXCEPT ") {
            Some((base, changes)) => {
                let base = records.get(base.trim());
                let base = base.with_context(|| format!("{name} is like no record before it"))?;
                (base.clone(), changes)
            }
            None => (Fields::new(), body),
        };
        for change in parts(changes) {
            let field = change.split_once("|->").or_else(|| change.split_once('='));
            let (field, value) = field.with_context(|| format!("{name}: `{change}`"))?;
            let field = field.trim().trim_start_matches("!.");
            fields.insert(field.to_owned(), value.trim().replace('"', ""));
        }
        records.insert(name.to_owned(), fields);
    }
    Ok(records)
}

/// `ExtendingOrUnaligned` as `extending-or-unaligned`, and `true` as `TRUE`.
fn as_specified(value: &str) -> String {
    if value == "true" || value == "false" {
        return value.to_uppercase();
    }
    let mut text = String::new();
    for c in value.chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(c.to_lowercase());
    }
    text
}

/// The fields of a policy as its `Debug` has them.
fn fields(policy: &impl Debug) -> Fields {
    let text = format!("{policy:?}");
    let body = text.trim_start_matches("Policy {").trim_end_matches('}');
    let fields = parts(body)
        .into_iter()
        .filter_map(|part| part.split_once(": "));
    fields
        .map(|(field, value)| (field.to_owned(), as_specified(value.trim())))
        .collect()
}

/// Compares, after `changed` has made of the reference's fields those of the specification; `unlike` are fields that it has not.
fn assert_specified<P: Debug>(
    module: &str,
    named: &[(&str, P)],
    unlike: &[&str],
    changed: fn(&mut Fields),
) -> Result<()> {
    let records = records(module)?;
    for (name, policy) in named {
        let mut of = fields(policy);
        changed(&mut of);
        let mut record = records
            .get(*name)
            .with_context(|| format!("{module} has no {name}"))?
            .clone();
        record.retain(|field, _| !unlike.contains(&&field[..]));
        assert_eq!(of, record, "{module}: {name}");
    }
    Ok(())
}

#[test]
fn of_direct_writes() -> Result<()> {
    let named = &dio::policy::Policy::NAMED;
    assert_specified("dio/UnalignedDioPolicies", named, &[], |_| {})
}

#[test]
fn of_the_lock() -> Result<()> {
    let named = &rwsem::policy::Policy::NAMED;
    assert_specified("rwsem/RwsemPolicies", named, &[], |of| {
        let spins = |field: Option<String>| field.as_deref() == Some("TRUE");
        let (readers, writers) = (
            spins(of.remove("spin_readers")),
            spins(of.remove("spin_writers")),
        );
        let kinds = [("R", readers), ("W", writers)]
            .into_iter()
            .filter(|(_, spins)| *spins);
        let kinds: Vec<&str> = kinds.map(|(kind, _)| kind).collect();
        of.insert("spin".into(), format!("{{{}}}", kinds.join(", ")));
    })
}

#[test]
fn of_the_journal() -> Result<()> {
    let named = &jbd2::policy::Policy::NAMED;
    assert_specified("jbd2/Jbd2CreditsPolicies", named, &["kworker"], |of| {
        let tests = of.remove("tests").unwrap_or_default();
        let tests = parts(tests.trim_matches(['[', ']'])).into_iter().zip(1..);
        let made = tests
            .filter(|(made, _)| *made == "true")
            .map(|(_, test)| test.to_string());
        let made: Vec<String> = made.collect();
        of.insert("tests".into(), format!("{{{}}}", made.join(", ")));
    })
}

#[test]
fn of_writeback() -> Result<()> {
    let named = &writeback::list_policy::Policy::NAMED;
    assert_specified("writeback/WbListsPolicies", named, &[], |_| {})?;
    let named = &writeback::plug_policy::Policy::NAMED;
    assert_specified("writeback/WbPlugPolicies", named, &[], |_| {})
}
