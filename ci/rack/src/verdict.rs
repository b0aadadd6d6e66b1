//! What a played plan says.

use std::fmt;

use crate::history::{self, Wrong};
use crate::keeper::shown;
use crate::plan::{Plan, SECTOR};
use crate::played::{Played, Went};

/// The verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every step was possible, and something acknowledged is lost, or a read has read what was not there.
    Reproduced(Vec<Wrong>),
    /// A step was not: which one, from 1, and why. What was wrong nevertheless.
    NotPossible(usize, String, Vec<Wrong>),
    /// Every step was possible, and nothing is wrong.
    Differs,
}

impl Verdict {
    /// Of this plan.
    pub fn of(plan: &Plan, played: &Played) -> Verdict {
        let wrong = history::wrong(plan, played);
        let mut steps = (1..).zip(&played.steps);
        let not = steps.find_map(|(step, went)| match went {
            Went::Not(why) => Some((step, why.clone())),
            _ => None,
        });
        match not {
            Some((step, why)) => Verdict::NotPossible(step, why, wrong),
            None if wrong.is_empty() => Verdict::Differs,
            None => Verdict::Reproduced(wrong),
        }
    }

    /// Whether something is wrong.
    pub fn lost(&self) -> bool {
        match self {
            Verdict::Reproduced(_) => true,
            Verdict::NotPossible(_, _, wrong) => !wrong.is_empty(),
            Verdict::Differs => false,
        }
    }

    /// In one word or two, for a table.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Reproduced(_) => "reproduced",
            Verdict::NotPossible(_, _, wrong) if wrong.is_empty() => "not possible",
            Verdict::NotPossible(..) => "otherwise wrong",
            Verdict::Differs => "differs",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, wrong: &[Wrong]| {
            let runs =
                wrong.chunk_by(|one, next| one.sector + 1 == next.sector && one.is_like(next));
            runs.into_iter().try_for_each(|run| {
                let (from, to) = (
                    run[0].sector * SECTOR,
                    (run[run.len() - 1].sector + 1) * SECTOR,
                );
                write!(f, "\n  bytes {from} to {to}: {}", run[0])
            })
        };
        match self {
            Verdict::Reproduced(wrong) => {
                write!(f, "reproduced:")?;
                list(f, wrong)
            }
            Verdict::NotPossible(step, why, wrong) => {
                write!(f, "not possible here: at step {step} {why}")?;
                if !wrong.is_empty() {
                    write!(f, "; and nevertheless:")?;
                }
                list(f, wrong)
            }
            Verdict::Differs => {
                f.write_str("differs: every step was possible, and nothing is lost")
            }
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.read_by {
            Some(read) => write!(f, "{read} has read {}", self.holds)?,
            None => write!(f, "{}", self.holds)?,
        }
        let may: Vec<String> = self.may.iter().map(ToString::to_string).collect();
        write!(f, " instead of {}", may.join(" or "))
    }
}

/// How the plan went, a line a step, what the disk did, and what the file holds at the end.
pub fn tell(plan: &Plan, played: &Played) -> String {
    let mut text = String::new();
    let went = plan.steps.iter().zip(&played.steps);
    for (number, (step, went)) in (1..).zip(went) {
        let went = match went {
            Went::Done => "",
            Went::Flying => "in flight",
            Went::Waits => "waits",
            Went::Said(what) | Went::Not(what) => what,
        };
        let line = format!("  {number:>2}  {:<14}{went}", plan.show(*step));
        text += line.trim_end();
        text += "\n";
    }
    text += "at the disk:\n";
    for line in &played.disk {
        text += &format!("      {line}\n");
    }
    for (call, made) in plan.calls.iter().zip(&played.calls) {
        if let Some(error) = &made.error {
            text += &format!("{}: {error}\n", call.name);
        }
    }
    if let Some(error) = &played.sync {
        text += &format!("fsync at the end: {error}\n");
    }
    text += &format!(
        "the file: {} bytes, by 512: {}\n",
        played.size,
        shown(&played.content)
    );
    text
}
