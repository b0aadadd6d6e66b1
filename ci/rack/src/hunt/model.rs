//! A kernel that is the model: the design's machine plays a plan, each call as far as it comes by itself.
//!
//! A hunt on it needs no guest. What it finds there the model loses, so that it shows what a hunt of so many programs would find.

use anyhow::Result;
use interlock::dio::machine::{self, Action, Machine, Outcome, State};
use interlock::dio::policy::Policy;

use super::admits;
use crate::content::Content;
use crate::derive::byte;
use crate::plan::{Plan, SECTOR, Step};
use crate::played::{Made, Played, Went};

/// What the design does with the plan.
///
/// # Errors
/// If the plan is not the model's.
pub fn play(policy: Policy, plan: &Plan) -> Result<Played> {
    let machine = admits::machine(policy, plan)?;
    let mut game = Game {
        state: machine.init(),
        released: plan.calls.iter().map(|call| !call.is_held()).collect(),
        calls: vec![Made::default(); plan.calls.len()],
        now: 0,
        machine,
    };
    for step in &plan.steps {
        game.now += 1;
        match *step {
            Step::Start(call) => {
                game.calls[call].started = Some(game.now);
                game.take(Action::Call(call));
            }
            Step::Release(call) | Step::Fail(call) => game.released[call] = true,
            Step::Returned(_) | Step::Sync => {}
        }
        game.settle();
    }
    game.now += 1;
    game.released.fill(true);
    game.settle();
    let content = game.content(plan);
    Ok(Played {
        steps: vec![Went::Done; plan.steps.len()],
        disk: Vec::new(),
        size: content.len() as u64 * SECTOR,
        content,
        calls: game.calls,
        sync: None,
    })
}

struct Game {
    machine: Machine,
    state: State,
    released: Vec<bool>,
    calls: Vec<Made>,
    now: u64,
}

impl Game {
    fn take(&mut self, action: Action) -> bool {
        let Some(next) = self.machine.step(&self.state, action) else {
            return false;
        };
        self.state = next;
        true
    }

    /// Everybody goes as far as he comes: in the order of the calls, the disk first.
    fn settle(&mut self) {
        loop {
            let waits = |action: &Action| match *action {
                Action::Call(_) | Action::Fail(..) => true,
                Action::Complete(call, ..) => !self.released[call],
                _ => false,
            };
            let actions = self.machine.actions(&self.state);
            let next = actions.into_iter().find(|action| !waits(action));
            let Some(action) = next else {
                break;
            };
            self.take(action);
            for (request, made) in self.state.requests.iter().zip(&mut self.calls) {
                if request.result != Outcome::None && made.ended.is_none() {
                    self.now += 1;
                    made.ended = Some(self.now);
                    made.error =
                        (request.result != Outcome::Ok).then(|| format!("{:?}", request.result));
                }
            }
        }
        self.now += 1;
    }

    /// By sectors of 512 bytes.
    fn content(&self, plan: &Plan) -> Vec<Content> {
        let at = |sector: u32| byte(&plan.cut, self.machine.per_block, sector);
        let mut content = Vec::new();
        for sector in 0..self.state.size {
            let parts = (at(sector + 1) - at(sector)) / SECTOR;
            let holds = match admits::holds(&self.machine, &self.state, sector) {
                machine::Content::Of(call) => Content::Of(plan.calls[call].name.clone()),
                machine::Content::Old => Content::Old,
                machine::Content::Zero => Content::Zero,
                machine::Content::Stale => Content::Garbage,
            };
            content.extend(std::iter::repeat_n(holds, parts as usize));
        }
        content
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::history;
    use crate::hunt::{mixes, program};
    use crate::plan::Fs;
    use crate::plans;

    /// How many of so many programs lose something that is not mixed.
    fn lost(policy: Policy, programs: u64) -> Result<usize> {
        let mut chance = Chance::new(1);
        let mut lost = 0;
        for _ in 0..programs {
            let plan = program::program(&mut chance, Fs::Ext4);
            let played = play(policy, &plan)?;
            let wrong = history::wrong(&plan, &played);
            lost += usize::from(!wrong.is_empty() && !mixes(&plan, &wrong));
        }
        Ok(lost)
    }

    #[test]
    fn a_hunt_finds_what_the_design_loses_and_nothing_where_it_loses_nothing() -> Result<()> {
        let found = lost(Policy::FINAL612, 300)?;
        assert!(found >= 3, "{found} of 300 programs lose something");
        assert_eq!(lost(Policy::PRE61, 300)?, 0);
        Ok(())
    }

    #[test]
    fn the_plans_of_the_design_lose_what_they_are_about() -> Result<()> {
        for named in plans::all()? {
            // The machine's buffered write is written back at once, not at the plan's fsync.
            if named.plan.fs != Fs::Ext4 || named.name == "Final612-AW-written-KeepsA" {
                continue;
            }
            let wrong = history::wrong(&named.plan, &play(Policy::FINAL612, &named.plan)?);
            let expected = named.name.starts_with("Final612");
            assert_eq!(!wrong.is_empty(), expected, "{}: {wrong:?}", named.name);
        }
        Ok(())
    }
}
