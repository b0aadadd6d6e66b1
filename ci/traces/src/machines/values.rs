//! What a machine takes a value of TLA+ for, and the constants of a model or trace.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use anyhow::{Context as _, Result, bail};
use interlock_tla::value::Value;

/// A constant, as it is written.
pub(super) fn constant<'a>(constants: &'a BTreeMap<String, String>, name: &str) -> Result<&'a str> {
    let value = constants.get(name).map(String::as_str);
    value.with_context(|| format!("there is no constant {name}"))
}

/// The members of a constant that is a set, as they are written.
pub(super) fn names(constants: &BTreeMap<String, String>, name: &str) -> Result<Vec<String>> {
    let set: Value = constant(constants, name)?.parse()?;
    let members = members(&set).context(name.to_owned())?;
    Ok(members.iter().map(Value::to_string).collect())
}

/// A variable of a state.
pub(super) fn variable<'a>(vars: &'a BTreeMap<String, Value>, name: &str) -> Result<&'a Value> {
    let value = vars.get(name);
    value.with_context(|| format!("there is no variable {name}"))
}

pub(super) fn number<N>(value: &Value) -> Result<N>
where
    N: TryFrom<i64, Error: Display>,
{
    let Value::Int(number) = value else {
        bail!("{value} is no number")
    };
    N::try_from(*number).map_err(|error| anyhow::anyhow!("{value}: {error}"))
}

pub(super) fn truth(value: &Value) -> Result<bool> {
    let Value::Bool(truth) = value else {
        bail!("{value} is neither TRUE nor FALSE")
    };
    Ok(*truth)
}

/// The arguments and values of a function.
pub(super) fn pairs(value: &Value) -> Result<Vec<(Value, &Value)>> {
    let pairs = value.pairs();
    pairs.with_context(|| format!("{value} is no function"))
}

pub(super) fn members(value: &Value) -> Result<&BTreeSet<Value>> {
    let Value::Set(members) = value else {
        bail!("{value} is no set")
    };
    Ok(members)
}

pub(super) fn field<'a>(value: &'a Value, name: &str) -> Result<&'a Value> {
    let Value::Record(fields) = value else {
        bail!("{value} is no record")
    };
    let field = fields.get(name);
    field.with_context(|| format!("{value} has no {name}"))
}
