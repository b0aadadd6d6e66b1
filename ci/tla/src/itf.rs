//! Counterexamples as ITF, the informal trace format: a JSON form that Apalache and other tools share.
//!
//! ITF has no model values: they are strings, and `#meta` lists which strings they are. A state that lasts for ever is a loop to itself.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, bail, ensure};
use serde_json::{Map, Value as Json, json};

use crate::counterexample::{Counterexample, INITIAL, SOME_STEP, State, Step};
use crate::value::Value;

/// Integers beyond this are written as `#bigint`: a JSON number of 64 bits in binary does not hold them exactly.
const MAX_PLAIN: u64 = 1 << 53;

/// Writes the counterexample with a description of where it comes from.
///
/// # Errors
/// If one text is both a string and a model value of the trace: ITF could not tell them apart.
pub fn to_json(cex: &Counterexample, description: &str) -> anyhow::Result<Json> {
    let mut names = Names::default();
    let args = cex
        .states
        .iter()
        .flat_map(|state| &state.args)
        .chain(cex.closing.iter().flat_map(|step| &step.args));
    cex.states
        .iter()
        .flat_map(|state| state.vars.values())
        .chain(args)
        .for_each(|value| names.collect(value));
    if let Some(name) = names.models.intersection(&names.strings).next() {
        bail!(
            "the trace has both a string and a model value `{name}`, which ITF cannot tell apart: rename the model value"
        );
    }

    let states: Vec<Json> = cex
        .states
        .iter()
        .enumerate()
        .map(|(index, state)| {
            let mut object: Map<String, Json> = state
                .vars
                .iter()
                .map(|(name, value)| (name.clone(), encode(value)))
                .collect();
            object.insert(
                "#meta".to_owned(),
                json!({ "index": index, "action": state.action, "args": encode_all(&state.args) }),
            );
            Json::Object(object)
        })
        .collect();
    let mut meta = json!({
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "description": description,
        "violated": cex.violated,
        "model_values": names.models,
        "stuttering": cex.ends_stuttering,
    });
    if let Some(step) = &cex.closing {
        meta["closing"] = json!({ "action": step.action, "args": encode_all(&step.args) });
    }
    let vars: BTreeSet<&String> = cex
        .states
        .iter()
        .flat_map(|state| state.vars.keys())
        .collect();
    let mut trace = json!({ "#meta": meta, "vars": vars, "states": states });
    let last = cex
        .states
        .len()
        .checked_sub(1)
        .filter(|_| cex.ends_stuttering);
    if let Some(target) = cex.loop_to.or(last) {
        trace["loop"] = json!(target);
    }
    Ok(trace)
}

/// Reads what [`to_json`] writes.
///
/// # Errors
/// If the text is not JSON, or not ITF with the `#meta` that [`to_json`] writes; the error says what is missing where.
pub fn from_json(text: &str) -> anyhow::Result<Counterexample> {
    let trace: Json = serde_json::from_str(text).context("an ITF trace must be JSON")?;
    let meta = trace.get("#meta").context("the trace has no #meta")?;
    let models = meta
        .get("model_values")
        .and_then(Json::as_array)
        .context("#meta has no list model_values")?;
    let models: BTreeSet<&str> = models.iter().filter_map(Json::as_str).collect();
    let states = trace
        .get("states")
        .and_then(Json::as_array)
        .context("the trace has no list `states`")?;
    ensure!(!states.is_empty(), "the trace has no state");
    let states: Vec<State> = states
        .iter()
        .enumerate()
        .map(|(index, state)| {
            read_state(index, state, &models).with_context(|| format!("in state {index}"))
        })
        .collect::<anyhow::Result<_>>()?;

    let ends_stuttering = meta
        .get("stuttering")
        .and_then(Json::as_bool)
        .context("#meta has no boolean `stuttering`")?;
    let target = trace
        .get("loop")
        .map(|target| {
            let index = target
                .as_u64()
                .and_then(|index| usize::try_from(index).ok());
            index
                .filter(|index| *index < states.len())
                .with_context(|| format!("`loop` must be the index of a state, not {target}"))
        })
        .transpose()?;
    let closing = meta
        .get("closing")
        .map(|step| read_step(step, &models).context("in `closing`"))
        .transpose()?;
    Ok(Counterexample {
        violated: meta
            .get("violated")
            .and_then(Json::as_str)
            .map(str::to_owned),
        states,
        loop_to: target.filter(|_| !ends_stuttering),
        closing,
        ends_stuttering,
    })
}

/// Reads what Apalache writes: states without the steps between them.
///
/// # Errors
/// If the text is not JSON, or has no states of values that are known.
pub fn from_apalache(text: &str, violated: &str) -> anyhow::Result<Counterexample> {
    let trace: Json = serde_json::from_str(text).context("an ITF trace must be JSON")?;
    let states = trace
        .get("states")
        .and_then(Json::as_array)
        .context("the trace has no list `states`")?;
    ensure!(!states.is_empty(), "the trace has no state");
    let states = states.iter().enumerate().map(|(index, state)| {
        let fields = state.as_object().context("expected an object")?;
        // Its helpers' names begin with two underscores.
        let vars = fields
            .iter()
            .filter(|(name, _)| *name != "#meta" && !name.starts_with("__"));
        let vars = vars.map(|(name, value)| {
            let value = decode(value, &BTreeSet::new()).with_context(|| format!("in `{name}`"))?;
            Ok((name.clone(), with_model_values(value)))
        });
        Ok(State {
            number: index + 1,
            action: if index == 0 { INITIAL } else { SOME_STEP }.to_owned(),
            args: Vec::new(),
            vars: vars
                .collect::<anyhow::Result<_>>()
                .with_context(|| format!("in state {index}"))?,
        })
    });
    Ok(Counterexample {
        violated: Some(violated.to_owned()),
        states: states.collect::<anyhow::Result<_>>()?,
        loop_to: None,
        closing: None,
        ends_stuttering: false,
    })
}

/// What Apalache calls `r1_OF_TASK` is the model value `r1`.
fn with_model_values(value: Value) -> Value {
    let all = |items: Vec<Value>| items.into_iter().map(with_model_values).collect();
    match value {
        Value::Str(text) => match text.split_once("_OF_") {
            Some((name, _)) => Value::Model(name.to_owned()),
            None => Value::Str(text),
        },
        Value::Seq(items) => Value::Seq(all(items)),
        Value::Set(items) => Value::Set(items.into_iter().map(with_model_values).collect()),
        // A function from such names was read as a record.
        Value::Record(fields) => Value::function(
            fields
                .into_iter()
                .map(|(name, value)| {
                    (
                        with_model_values(Value::Str(name)),
                        with_model_values(value),
                    )
                })
                .collect(),
        ),
        Value::Fn(pairs) => {
            let pairs = pairs.into_iter();
            Value::function(
                pairs
                    .map(|(key, value)| (with_model_values(key), with_model_values(value)))
                    .collect(),
            )
        }
        plain @ (Value::Int(_) | Value::Bool(_) | Value::Model(_)) => plain,
    }
}

#[derive(Default)]
struct Names {
    models: BTreeSet<String>,
    strings: BTreeSet<String>,
}

impl Names {
    fn collect(&mut self, value: &Value) {
        match value {
            Value::Int(_) | Value::Bool(_) => {}
            Value::Str(text) => drop(self.strings.insert(text.clone())),
            Value::Model(name) => drop(self.models.insert(name.clone())),
            Value::Seq(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Set(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Record(fields) => fields.values().for_each(|value| self.collect(value)),
            Value::Fn(pairs) => pairs.iter().for_each(|(key, value)| {
                self.collect(key);
                self.collect(value);
            }),
        }
    }
}

fn encode(value: &Value) -> Json {
    match value {
        Value::Int(number) if number.unsigned_abs() <= MAX_PLAIN => json!(number),
        Value::Int(number) => json!({ "#bigint": number.to_string() }),
        Value::Bool(truth) => json!(truth),
        Value::Str(text) | Value::Model(text) => json!(text),
        Value::Seq(items) => encode_all(items),
        Value::Set(items) => json!({ "#set": encode_all(items) }),
        Value::Record(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), encode(value)))
            .collect(),
        Value::Fn(pairs) => {
            let pairs: Vec<Json> = pairs
                .iter()
                .map(|(key, value)| json!([encode(key), encode(value)]))
                .collect();
            json!({ "#map": pairs })
        }
    }
}

fn encode_all<'a>(values: impl IntoIterator<Item = &'a Value>) -> Json {
    values.into_iter().map(encode).collect()
}

fn read_state(index: usize, state: &Json, models: &BTreeSet<&str>) -> anyhow::Result<State> {
    let fields = state.as_object().context("expected an object")?;
    let step = read_step(fields.get("#meta").context("it has no #meta")?, models)?;
    let vars = fields.iter().filter(|(name, _)| *name != "#meta");
    let vars = vars.map(|(name, value)| {
        Ok((
            name.clone(),
            decode(value, models).with_context(|| format!("in `{name}`"))?,
        ))
    });
    Ok(State {
        number: index + 1,
        action: step.action,
        args: step.args,
        vars: vars.collect::<anyhow::Result<_>>()?,
    })
}

fn read_step(step: &Json, models: &BTreeSet<&str>) -> anyhow::Result<Step> {
    let action = step
        .get("action")
        .and_then(Json::as_str)
        .context("no string `action`")?
        .to_owned();
    let args =
        decode_all(step.get("args").context("no list `args`")?, models).context("in `args`")?;
    Ok(Step { action, args })
}

fn decode(json: &Json, models: &BTreeSet<&str>) -> anyhow::Result<Value> {
    match json {
        Json::Bool(truth) => Ok(Value::Bool(*truth)),
        Json::Number(number) => {
            Ok(Value::Int(number.as_i64().with_context(|| {
                format!("{number} is no integer of 64 bits")
            })?))
        }
        Json::String(text) if models.contains(text.as_str()) => Ok(Value::Model(text.clone())),
        Json::String(text) => Ok(Value::Str(text.clone())),
        Json::Array(_) => Ok(Value::Seq(decode_all(json, models)?)),
        Json::Null => bail!("null is no value"),
        Json::Object(object) => match object.iter().next() {
            Some((tag, inner)) if tag.starts_with('#') && object.len() == 1 => {
                decode_tagged(tag, inner, models)
            }
            _ => {
                let fields = object
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), decode(value, models)?)));
                Ok(Value::Record(fields.collect::<anyhow::Result<_>>()?))
            }
        },
    }
}

fn decode_tagged(tag: &str, inner: &Json, models: &BTreeSet<&str>) -> anyhow::Result<Value> {
    match tag {
        "#bigint" => {
            let number = inner.as_str().and_then(|digits| digits.parse().ok());
            Ok(Value::Int(number.with_context(|| {
                format!("#bigint {inner} is no integer of 64 bits")
            })?))
        }
        "#tup" => Ok(Value::Seq(decode_all(inner, models)?)),
        "#set" => Ok(Value::Set(decode_all(inner, models)?.into_iter().collect())),
        "#map" => {
            let mut pairs = BTreeMap::new();
            for pair in inner.as_array().context("#map must have a list")? {
                let Ok([key, value]) = <[Value; 2]>::try_from(decode_all(pair, models)?) else {
                    bail!("#map must have pairs, not {pair}")
                };
                pairs.insert(key, value);
            }
            Ok(Value::function(pairs))
        }
        other => bail!("`{other}` is not known"),
    }
}

fn decode_all(list: &Json, models: &BTreeSet<&str>) -> anyhow::Result<Vec<Value>> {
    list.as_array()
        .with_context(|| format!("expected a list, not {list}"))?
        .iter()
        .map(|item| decode(item, models))
        .collect()
}
