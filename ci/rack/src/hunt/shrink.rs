//! The fewest calls and steps that still do it.

use anyhow::Result;

use crate::plan::{By, Plan, Step};

/// Leaves out what is not needed: calls, then steps, then asynchrony by io_uring. `still` plays a plan, and says whether it does it.
///
/// # Errors
/// As `still`.
pub fn shrink(plan: &Plan, mut still: impl FnMut(&Plan) -> Result<bool>) -> Result<Plan> {
    let mut least = plan.clone();
    loop {
        let mut smaller = None;
        for candidate in candidates(&least) {
            if still(&candidate)? {
                smaller = Some(candidate);
                break;
            }
        }
        match smaller {
            Some(plan) => least = plan,
            None => return Ok(least),
        }
    }
}

/// Plans that are smaller by one thing.
fn candidates(plan: &Plan) -> Vec<Plan> {
    let mut all = Vec::new();
    for call in 0..plan.calls.len() {
        all.push(without_call(plan, call));
    }
    for (place, step) in plan.steps.iter().enumerate() {
        if !matches!(step, Step::Start(_)) && place + 1 < plan.steps.len() {
            let mut smaller = plan.clone();
            smaller.steps.remove(place);
            all.push(smaller);
        }
    }
    for (place, call) in plan.calls.iter().enumerate() {
        if call.by == By::Uring {
            let mut simpler = plan.clone();
            simpler.calls[place].by = By::Aio;
            all.push(simpler);
        }
    }
    all
}

fn without_call(plan: &Plan, gone: usize) -> Plan {
    let mut smaller = plan.clone();
    smaller.calls.remove(gone);
    let renumbered =
        |call: usize| (call != gone).then_some(if call > gone { call - 1 } else { call });
    smaller.steps = plan
        .steps
        .iter()
        .filter_map(|step| {
            Some(match *step {
                Step::Start(call) => Step::Start(renumbered(call)?),
                Step::Release(call) => Step::Release(renumbered(call)?),
                Step::Fail(call) => Step::Fail(renumbered(call)?),
                Step::Returned(call) => Step::Returned(renumbered(call)?),
                Step::Sync => Step::Sync,
            })
        })
        .collect();
    smaller
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_needed_stays() -> Result<()> {
        let text = "fs ext4\ncut 512\nblock written\nsize 512\n\
            call a write 0 512 uring\ncall b read 0 512\ncall c write 512 4096\n\
            start a\nsync\nstart b\nstart c\nrelease c\nrelease a\nsync\n";
        let plan = Plan::parse(text)?;
        let least = shrink(&plan, |plan| {
            let names: Vec<&str> = plan.calls.iter().map(|call| &call.name[..]).collect();
            Ok(names.contains(&"a") && plan.to_string().contains("release a"))
        })?;
        let expected = "fs ext4\ncut 512\nblock written\nsize 512\ncall a write 0 512 aio\nstart a\nrelease a\nsync\n";
        assert_eq!(least.to_string(), expected);
        Ok(())
    }
}
