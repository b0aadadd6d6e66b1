//! `Calls`, `Extents` and `Repeats`: operators of `MCUnalignedDio.tla` and `MCDioAgain.tla` by their names, or values.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail, ensure};
use interlock::dio::machine::{Call, Extent, Kind, Machine, Request};

use super::EXTENTS;
use crate::machines::named::one_of;
use crate::machines::values::{field, number, pairs, truth};
use interlock_tla::value::Value;

const KINDS: [(&str, Kind); 5] = [
    ("buffered", Kind::Buffered),
    ("write", Kind::Write),
    ("read", Kind::Read),
    ("punch", Kind::Punch),
    ("truncate", Kind::Truncate),
];

/// A state has each of them.
const MOST_SECTORS: u32 = 1 << 16;

/// What is called, by whom.
pub fn calls(text: &str) -> Result<Vec<(String, Call)>> {
    if let Some(calls) = operator_calls(text) {
        let calls = calls.into_iter();
        return Ok(calls.map(|(name, call)| (name.to_owned(), call)).collect());
    }
    let Value::Record(calls) = value(text)? else {
        bail!("{text} is no record of calls")
    };
    let calls = calls.into_iter();
    calls
        .map(|(name, value)| Ok((name, call(&value)?)))
        .collect()
}

/// The extents at the start.
pub fn extents(text: &str) -> Result<Vec<Extent>> {
    if let Some(extents) = operator_extents(text) {
        return Ok(extents);
    }
    let value = value(text)?;
    let mut extents = Vec::new();
    for (block, extent) in pairs(&value)? {
        let place: usize = number(&block)?;
        ensure!(
            place == extents.len(),
            "{text} has no block {}",
            extents.len()
        );
        extents.push(one_of(&EXTENTS, extent)?);
    }
    Ok(extents)
}

/// Who may be called again.
pub fn repeats(text: &str, requests: &[String]) -> Result<BTreeSet<Request>> {
    let all = 0..requests.len();
    Ok(match text {
        "Everybody" => all.collect(),
        "Others" => all.filter(|&place| requests[place] != "a").collect(),
        _ => bail!("no operator {text} is known"),
    })
}

/// Whether the constants go together.
pub fn check(machine: &Machine, requests: &[String]) -> Result<()> {
    let sectors = machine.sectors();
    ensure!(machine.per_block > 0, "PerBlock: a block without sectors");
    ensure!(
        sectors <= MOST_SECTORS,
        "{sectors} sectors are more than {MOST_SECTORS}"
    );
    ensure!(
        machine.length <= sectors,
        "Length: {} sectors of {sectors}",
        machine.length
    );
    for (name, Call { from, to, .. }) in requests.iter().zip(&machine.calls) {
        ensure!(
            from <= to && *to < sectors,
            "Calls: {name} is of the sectors {from} to {to}, of {sectors}"
        );
    }
    Ok(())
}

fn value(text: &str) -> Result<Value> {
    text.parse()
        .with_context(|| format!("no operator {text} is known, and it is no value of TLA+"))
}

fn call(value: &Value) -> Result<Call> {
    let truth = |name: &str| truth(field(value, name)?);
    Ok(Call {
        kind: one_of(&KINDS, field(value, "kind")?)?,
        from: number(field(value, "from")?)?,
        to: number(field(value, "to")?)?,
        is_async: truth("async")?,
        nowait: truth("nowait")?,
        cached: truth("cached")?,
        fails: truth("fails")?,
    })
}

fn operator_calls(name: &str) -> Option<Vec<(&'static str, Call)>> {
    let does = Call::new;
    let aio = |call| Call {
        is_async: true,
        ..call
    };
    let (a0, b0, c0) = (
        does(Kind::Write, 0, 0),
        does(Kind::Write, 1, 1),
        does(Kind::Write, 0, 1),
    );
    let (a, b, c) = (("a", aio(a0)), ("b", aio(b0)), ("C", aio(c0)));
    let read = ("R", does(Kind::Read, 0, 1));
    let fails = Call {
        fails: true,
        ..aio(a0)
    };
    let cached = Call { cached: true, ..a0 };
    let nowait = Call {
        nowait: true,
        ..aio(a0)
    };
    Some(match name {
        "AB" => vec![a, b],
        "AC" => vec![a, c],
        "ABC" => vec![a, b, c],
        "ABCs" => vec![("a", a0), ("b", b0), c],
        "CR" => vec![c, read],
        "ACP" => vec![a, c, ("P", does(Kind::Punch, 0, 1))],
        "AP" => vec![a, ("P", does(Kind::Punch, 0, 1))],
        "MC" => vec![
            ("m", aio(does(Kind::Write, 1, 2))),
            ("c", aio(does(Kind::Write, 2, 3))),
        ],
        "NC" => vec![("n", nowait), c],
        "FB" => vec![("f", cached), b],
        "AE" => vec![("a", fails), b],
        "ABs" => vec![("a", a0), ("b", b0)],
        "ACR" => vec![a, c, read],
        "ACT" => vec![a, c, ("T", does(Kind::Truncate, 1, 3))],
        "AN" => vec![a, ("n", Call { nowait: true, ..b0 })],
        "XR" => vec![
            ("X", aio(does(Kind::Write, 2, 3))),
            ("R", does(Kind::Read, 0, 3)),
        ],
        "X" => vec![("X", aio(does(Kind::Write, 2, 3)))],
        "XD" => vec![a, ("X", aio(does(Kind::Write, 2, 3))), b],
        "XT" => vec![a, ("T", does(Kind::Truncate, 2, 3)), b],
        "TR" => vec![a, ("T", does(Kind::Truncate, 2, 3))],
        "TS" => vec![a, ("S", does(Kind::Truncate, 1, 3))],
        "CT" => vec![
            ("C", aio(does(Kind::Write, 0, 1))),
            ("T", does(Kind::Truncate, 2, 3)),
        ],
        "LT" => vec![
            ("L", aio(does(Kind::Write, 0, 3))),
            ("T", does(Kind::Truncate, 2, 3)),
        ],
        "AW" => vec![a, ("w", does(Kind::Buffered, 1, 1))],
        "AV" => vec![a, ("v", does(Kind::Buffered, 2, 3))],
        "XD3" => vec![
            a,
            ("X", aio(does(Kind::Write, 3, 5))),
            ("b", aio(does(Kind::Write, 1, 2))),
        ],
        "TR3" => vec![a, ("T", does(Kind::Truncate, 3, 5))],
        "TS3" => vec![a, ("S", does(Kind::Truncate, 2, 5))],
        "AV3" => vec![a, ("v", does(Kind::Buffered, 3, 5))],
        "aC" => vec![a, c],
        "aRS" => vec![a, ("R", read.1), ("S", read.1)],
        "fC" => vec![("f", cached), c],
        "nT" => vec![("n", nowait), ("T", does(Kind::Truncate, 2, 3))],
        "ET" => {
            let e = Call {
                fails: true,
                ..aio(does(Kind::Write, 1, 2))
            };
            vec![("e", e), ("T", does(Kind::Truncate, 1, 3))]
        }
        "EF" => {
            let (e, f) = (does(Kind::Write, 2, 2), does(Kind::Write, 3, 3));
            let e = Call {
                fails: true,
                ..aio(e)
            };
            vec![("e", e), ("f", aio(f))]
        }
        _ => return None,
    })
}

fn operator_extents(name: &str) -> Option<Vec<Extent>> {
    Some(match name {
        "Hole" => vec![Extent::Hole, Extent::Written],
        "Unwritten" => vec![Extent::Unwritten, Extent::Written],
        "Written" => vec![Extent::Written, Extent::Written],
        "OneUnwritten" => vec![Extent::Unwritten],
        "WU" => vec![Extent::Written, Extent::Unwritten],
        "TwoWritten" => vec![Extent::Written, Extent::Written],
        "WrittenEnd" => vec![Extent::Written],
        "HoleBehind" => vec![Extent::Written, Extent::Hole],
        "HoleEnd" => vec![Extent::Hole],
        _ => return None,
    })
}
