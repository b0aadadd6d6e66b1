//! Whether the model admits what a kernel has left in the file: the design's machine, in every order.

use std::collections::HashSet;

use anyhow::{Context as _, Result};
use interlock::dio::machine::{self, Content as Is, Kind, Machine, Pc, State};
use interlock::dio::policy::Policy;

use crate::content::Content;
use crate::derive::byte;
use crate::plan::{By, Extent, Plan, SECTOR, What};
use crate::played::Played;

/// More states than this are not looked at.
const MOST: usize = 400_000;

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Some order of the model's ends so.
    Yes,
    /// None does.
    No,
    /// It has more states than are looked at.
    TooMany,
}

/// Asks the design of this name.
///
/// # Errors
/// If there is none, or the plan is not the model's: a truncate behind the last block, say.
pub fn ask(design: &str, plan: &Plan, played: &Played) -> Result<Answer> {
    let named = Policy::NAMED.iter().find(|(name, _)| *name == design);
    let (_, policy) = named.with_context(|| format!("there is no design {design}"))?;
    let machine = machine(*policy, plan)?;
    let mut seen: HashSet<State> = HashSet::from([machine.init()]);
    let mut ahead: Vec<State> = seen.iter().cloned().collect();
    while let Some(state) = ahead.pop() {
        let mut ends = true;
        for action in machine.actions(&state) {
            ends = false;
            if let Some(next) = machine.step(&state, action)
                && seen.insert(next.clone())
            {
                ahead.push(next);
            }
        }
        if ends && is(&machine, &state, plan, played) {
            return Ok(Answer::Yes);
        }
        if seen.len() > MOST {
            return Ok(Answer::TooMany);
        }
    }
    Ok(Answer::No)
}

pub(super) fn machine(policy: Policy, plan: &Plan) -> Result<Machine> {
    let per_block = plan.cut.len() as u32 + 1;
    let last = plan.blocks.len() as u32 * per_block;
    let sector = |at: u64| {
        let found = (0..=last).find(|sector| byte(&plan.cut, per_block, *sector) == at);
        found.with_context(|| format!("byte {at} is no sector's first"))
    };
    let calls = plan.calls.iter().map(|call| {
        let kind = match call.what {
            What::Write => Kind::Write,
            What::Buffered => Kind::Buffered,
            What::Read => Kind::Read,
            What::Punch => Kind::Punch,
            What::Truncate => Kind::Truncate,
        };
        Ok(machine::Call {
            is_async: call.by != By::Sync,
            nowait: call.nowait,
            ..machine::Call::new(kind, sector(call.from)?, sector(call.to)? - 1)
        })
    });
    let extents = plan.blocks.iter().map(|block| match block {
        Extent::Hole => machine::Extent::Hole,
        Extent::Unwritten => machine::Extent::Unwritten,
        Extent::Written => machine::Extent::Written,
    });
    let calls = calls.collect::<Result<_>>()?;
    Ok(Machine::new(
        policy,
        calls,
        extents.collect(),
        sector(plan.size)?,
        per_block,
    ))
}

/// Whether the file is as this state leaves it, once its dirty pages are written.
fn is(machine: &Machine, state: &State, plan: &Plan, played: &Played) -> bool {
    let at = |sector: u32| byte(&plan.cut, machine.per_block, sector);
    let done = state
        .requests
        .iter()
        .all(|request| matches!(request.pc, Pc::Done));
    done && at(state.size) == played.size
        && (0..state.size).all(|sector| {
            let written =
                state.extent[(sector / machine.per_block) as usize] == machine::Extent::Written;
            let holds = match state.cache.get(&sector) {
                Some(holds) => *holds,
                None if written => state.disk[sector as usize],
                None => Is::Zero,
            };
            let parts = at(sector) / SECTOR..at(sector + 1) / SECTOR;
            let mut parts = parts.map(|part| played.content.get(part as usize));
            parts.all(|part| part.is_some_and(|part| same(holds, part, plan)))
        })
}

/// What the sector holds once the dirty pages are written.
pub(super) fn holds(machine: &Machine, state: &State, sector: u32) -> Is {
    let written = state.extent[(sector / machine.per_block) as usize] == machine::Extent::Written;
    match state.cache.get(&sector) {
        Some(holds) => *holds,
        None if written => state.disk[sector as usize],
        None => Is::Zero,
    }
}

fn same(holds: Is, part: &Content, plan: &Plan) -> bool {
    match holds {
        Is::Zero => *part == Content::Zero,
        Is::Old => *part == Content::Old,
        Is::Of(call) => matches!(part, Content::Of(name) if *name == plan.calls[call].name),
        // Whatever the disk held.
        Is::Stale => true,
    }
}
