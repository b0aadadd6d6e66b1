//! Numbers among the arguments of a trace. TLC's have 32 bits.

use anyhow::{Context as _, Result, bail};

use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

/// A number that TLC can have too.
pub(super) fn number(value: &Value) -> Result<i64> {
    match value {
        Value::Int(number) if i32::try_from(*number).is_ok() => Ok(*number),
        other => bail!("{other} is no number of 32 bits"),
    }
}

/// The arguments of a step, or those after the first, as so many numbers.
pub(super) fn numbers<const N: usize>(step: &Step, args: &[Value]) -> Result<[i64; N]> {
    let numbers = args.iter().map(number).collect::<Result<Vec<_>>>()?;
    let numbers = <[i64; N]>::try_from(numbers).ok();
    numbers.with_context(|| format!("{} has {} arguments", step.action, step.args.len()))
}
