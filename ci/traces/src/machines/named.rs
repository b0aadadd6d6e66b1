//! Strings of a specification that a machine has as an enum.

use anyhow::{Context as _, Result};
use interlock_tla::value::Value;

/// What has this name.
///
/// # Errors
/// If nothing has.
pub(super) fn one_of<T: Copy>(names: &[(&str, T)], value: &Value) -> Result<T> {
    let label = value.label();
    let found = names.iter().find(|(name, _)| *name == label);
    let (_, found) = found.with_context(|| format!("{value} is not one of them"))?;
    Ok(*found)
}

/// The name of this; empty, if it has none.
pub(super) fn name_of<T: PartialEq>(names: &[(&str, T)], of: T) -> Value {
    let found = names.iter().find(|(_, known)| *known == of);
    Value::Str(found.map_or("", |(name, _)| name).to_owned())
}
