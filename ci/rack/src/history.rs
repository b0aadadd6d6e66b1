//! The oracle: what may be in the file, by the history of calls alone.
//!
//! A sector's content is that of a write (or what was there at the start) which no other acknowledged write of the sector has
//! followed: one that was called after the first was acknowledged. Of two that were in flight together either may be the later one.
//! A truncate is a write of zeroes from the new size on, a punch one of its range; one that makes the file longer writes nothing.

use crate::content::Content;
use crate::plan::{Plan, SECTOR, What};
use crate::played::{Made, Played};

/// A sector of 512 bytes that holds what it may not, or of which a read has read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Which sector of the file.
    pub sector: u64,
    /// What it holds.
    pub holds: Content,
    /// What it might hold.
    pub may: Vec<Content>,
    /// The read that has read it; none: it is so at the end.
    pub read_by: Option<String>,
}

impl Wrong {
    /// Whether another sector is wrong in the same way.
    pub fn is_like(&self, other: &Wrong) -> bool {
        (&self.holds, &self.may, &self.read_by) == (&other.holds, &other.may, &other.read_by)
    }
}

/// What was put into a sector, and when.
struct Put {
    content: Content,
    started: u64,
    /// When it was acknowledged; what was there at the start was before everything.
    acknowledged: Option<u64>,
}

impl Put {
    /// Whether the other was called after this one had been acknowledged.
    fn before(&self, other: &Put) -> bool {
        self.acknowledged.is_some_and(|at| at < other.started)
    }
}

/// Every sector that is wrong: at the end, and in what reads have read.
pub fn wrong(plan: &Plan, played: &Played) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    for (sector, holds) in (0..).zip(&played.content) {
        let may = may(plan, played, sector, None);
        if !may.contains(holds) {
            wrong.push(Wrong {
                sector,
                holds: holds.clone(),
                may,
                read_by: None,
            });
        }
    }
    for (call, made) in plan.calls.iter().zip(&played.calls) {
        let first = call.from / SECTOR;
        for (sector, holds) in (first..).zip(&made.read) {
            let may = may(plan, played, sector, Some(made));
            if !may.contains(holds) {
                wrong.push(Wrong {
                    sector,
                    holds: holds.clone(),
                    may,
                    read_by: Some(call.name.clone()),
                });
            }
        }
    }
    wrong
}

/// What the sector may hold at the end, or for this read.
fn may(plan: &Plan, played: &Played, sector: u64, read: Option<&Made>) -> Vec<Content> {
    let puts = puts(plan, played, sector);
    let seen = |put: &&Put| match read {
        // Nobody reads what is written later; and what was acknowledged before hides what is older.
        Some(read) => read.ended.is_none_or(|ended| put.started < ended),
        None => true,
    };
    let hides = |put: &Put| match read {
        Some(read) => match (put.acknowledged, read.started) {
            (Some(at), Some(started)) => at < started,
            _ => false,
        },
        None => put.acknowledged.is_some(),
    };
    let last = |put: &&Put| !puts.iter().any(|other| hides(other) && put.before(other));
    let mut may: Vec<Content> = puts
        .iter()
        .filter(seen)
        .filter(last)
        .map(|put| put.content.clone())
        .collect();
    may.sort();
    may.dedup();
    may
}

/// All that was put into the sector.
fn puts(plan: &Plan, played: &Played, sector: u64) -> Vec<Put> {
    let at = sector * SECTOR;
    let block = usize::try_from(at / crate::plan::BLOCK).unwrap_or(usize::MAX);
    let written = plan.blocks.get(block) == Some(&crate::plan::Extent::Written);
    let mut puts = vec![Put {
        content: match written && at < plan.size {
            true => Content::Old,
            false => Content::Zero,
        },
        started: 0,
        acknowledged: Some(0),
    }];
    for (call, made) in plan.calls.iter().zip(&played.calls) {
        let inside = match call.what {
            What::Read => false,
            What::Truncate => at >= call.from,
            What::Write | What::Buffered | What::Punch => (call.from..call.to).contains(&at),
        };
        if let Some(started) = made.started
            && inside
        {
            puts.push(Put {
                content: match call.writes() {
                    true => Content::Of(call.name.clone()),
                    false => Content::Zero,
                },
                // What was there at the start was so before the first step.
                started: started + 1,
                acknowledged: made.acknowledged().map(|at| at + 1),
            });
        }
    }
    puts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::played::Went;

    fn made(started: u64, ended: u64) -> Made {
        Made {
            started: Some(started),
            ended: Some(ended),
            ..Made::default()
        }
    }

    fn of(name: &str) -> Content {
        Content::Of(name.to_owned())
    }

    /// `a` and `b` write the first and the second sector of 512 bytes of one block, which ends at 1024; `t` truncates.
    fn played(steps: &str, calls: Vec<Made>, content: Vec<Content>) -> (Plan, Played) {
        let text = "cut 512 1024\nblock written\nsize 1024\n\
            call a write 0 512 aio\ncall b write 0 1024\ncall t truncate 512 1024\ncall r read 0 512\n";
        let plan = Plan::parse(&format!("{text}{steps}")).expect("a plan");
        let played = Played {
            steps: vec![Went::Done; plan.steps.len()],
            calls,
            disk: Vec::new(),
            size: content.len() as u64 * SECTOR,
            content,
            sync: None,
        };
        (plan, played)
    }

    #[test]
    fn of_two_in_flight_together_either_may_be_the_later() {
        for first in [of("a"), of("b")] {
            let calls = vec![made(1, 9), made(2, 3), Made::default(), Made::default()];
            let (plan, played) = played("", calls, vec![first, of("b")]);
            assert_eq!(wrong(&plan, &played), []);
        }
    }

    #[test]
    fn what_was_acknowledged_is_not_lost() {
        let calls = vec![made(1, 9), made(2, 3), Made::default(), Made::default()];
        let (plan, played) = played("", calls, vec![of("a"), Content::Zero]);
        let expected = Wrong {
            sector: 1,
            holds: Content::Zero,
            may: vec![of("b")],
            read_by: None,
        };
        assert_eq!(wrong(&plan, &played), [expected]);
    }

    #[test]
    fn what_failed_may_be_there_or_not() {
        for second in [of("b"), Content::Old] {
            let mut failed = made(2, 3);
            failed.error = Some("EIO".to_owned());
            let calls = vec![Made::default(), failed, Made::default(), Made::default()];
            let (plan, played) = played("", calls, vec![Content::Old, second]);
            assert_eq!(wrong(&plan, &played), []);
        }
    }

    #[test]
    fn a_truncate_writes_zeroes_behind_the_size() {
        let truncated = vec![
            Made::default(),
            Made::default(),
            made(2, 3),
            Made::default(),
        ];
        let (plan, played) = played("", truncated, vec![Content::Old, Content::Old]);
        assert_eq!(wrong(&plan, &played).len(), 1);
    }

    #[test]
    fn a_read_sees_nothing_older_than_what_was_acknowledged_before_it() {
        for (content, wrongs) in [(of("a"), 0), (of("b"), 1), (Content::Old, 1)] {
            let read = Made {
                read: vec![content],
                ..made(5, 6)
            };
            let calls = vec![made(1, 2), made(7, 8), Made::default(), read];
            let (plan, played) = played("", calls, vec![of("b"), of("b")]);
            assert_eq!(wrong(&plan, &played).len(), wrongs);
        }
    }
}
