//! Random programs from the model's alphabet of calls, each with a random order in which the disk completes what they write.

use crate::chance::Chance;
use crate::derive::byte;
use crate::plan::{BLOCK, By, Call, Extent, Fs, Plan, Step, What};

/// Names of calls.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Blocks of the file.
const BLOCKS: u32 = 2;

/// The program of this chance.
pub fn program(chance: &mut Chance, fs: Fs) -> Plan {
    let cut = chance.of(&[&[512_u64][..], &[512, 1024]]).to_vec();
    let per_block = cut.len() as u32 + 1;
    let at = |sector: u32| byte(&cut, per_block, sector);
    let last = BLOCKS * per_block;
    // The file is not empty, and ends within its first block more often than elsewhere.
    let end = chance.of(&[per_block, per_block, last]);
    let size = at(1 + chance.below(u64::from(end)) as u32);
    let blocks = (0..u64::from(BLOCKS)).map(|block| match block * BLOCK < size {
        true => chance.of(&[
            Extent::Written,
            Extent::Written,
            Extent::Written,
            Extent::Written,
            Extent::Unwritten,
            Extent::Hole,
        ]),
        false => chance.of(&[Extent::Hole, Extent::Hole, Extent::Unwritten]),
    });
    let mut plan = Plan {
        fs,
        blocks: blocks.collect(),
        size,
        cloned: false,
        calls: Vec::new(),
        steps: Vec::new(),
        cut: cut.clone(),
    };
    // Where calls begin and end: at the end of the file and at those of blocks more often than elsewhere.
    let mut places: Vec<u64> = (0..=last).map(at).collect();
    places.extend([0, size, size, size.next_multiple_of(BLOCK), BLOCK, at(last)]);
    for (place, name) in NAMES[..2 + chance.below(3) as usize].iter().enumerate() {
        let mut call = call(chance, name, at(last), &places);
        // The first is in flight below the end of the file while the others come, more often than not.
        if place == 0 && !chance.once_in(4) {
            (call.what, call.from, call.to) = below(chance, &places, size);
            call.by = chance.of(&[By::Aio, By::Aio, By::Uring]);
        }
        plan.calls.push(call);
    }
    plan.steps = steps(chance, &plan.calls);
    plan
}

fn call(chance: &mut Chance, name: &str, end: u64, places: &[u64]) -> Call {
    let what = chance.of(&[
        What::Write,
        What::Write,
        What::Write,
        What::Write,
        What::Write,
        What::Write,
        What::Write,
        What::Buffered,
        What::Read,
        What::Truncate,
        What::Truncate,
        What::Punch,
    ]);
    let (from, to) = loop {
        let (one, other) = (chance.of(places), chance.of(places));
        match what {
            What::Truncate if one > 0 && one < end => break (one, end),
            What::Truncate => {}
            _ if one != other => break (one.min(other), one.max(other)),
            _ => {}
        }
    };
    let by = match what {
        What::Write => chance.of(&[By::Sync, By::Aio, By::Aio, By::Uring]),
        What::Read => chance.of(&[By::Sync, By::Aio]),
        _ => By::Sync,
    };
    Call {
        name: name.to_owned(),
        what,
        from,
        to,
        by,
        nowait: false,
    }
}

/// A direct write that does not make the file longer.
fn below(chance: &mut Chance, places: &[u64], size: u64) -> (What, u64, u64) {
    let below: Vec<u64> = places
        .iter()
        .copied()
        .filter(|place| *place <= size)
        .collect();
    loop {
        let (one, other) = (chance.of(&below), chance.of(&below));
        if one != other {
            return (What::Write, one.min(other), one.max(other));
        }
    }
}

/// The calls start in their order; what they write completes in any.
fn steps(chance: &mut Chance, calls: &[Call]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut flying: Vec<usize> = Vec::new();
    let mut next = 0;
    while next < calls.len() || !flying.is_empty() {
        // Who has started stays in flight beside others two times of three.
        if next < calls.len() && (flying.is_empty() || !chance.once_in(3)) {
            steps.push(Step::Start(next));
            flying.push(next);
            next += 1;
        } else {
            // The disk is the last to answer who was the first to ask, more often than not.
            let place = match chance.once_in(3) {
                true => chance.below(flying.len() as u64) as usize,
                false => flying.len() - 1,
            };
            let call = flying.remove(place);
            if calls[call].what != What::Read && calls[call].what != What::Buffered {
                steps.push(Step::Release(call));
            }
        }
        if chance.once_in(6) {
            steps.push(Step::Sync);
        }
    }
    steps.push(Step::Sync);
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_a_plan() {
        let mut chance = Chance::new(1);
        for _ in 0..2000 {
            let plan = program(&mut chance, Fs::Ext4);
            let text = plan.to_string();
            assert_eq!(Plan::parse(&text).expect(&text), plan);
        }
    }
}
