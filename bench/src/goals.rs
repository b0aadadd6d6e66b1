//! What a lock is to reach, beside what it did. A goal is told as missed, never asserted: a loaded machine may miss it.

use std::time::Duration;

use comfy_table::Table;

use crate::report::{self, Form};

/// What is wanted, and what was measured.
pub struct Goal {
    /// Of what.
    pub what: String,
    /// What it is to be.
    pub wanted: Wanted,
    /// What it was.
    pub measured: f64,
    /// What both are.
    pub unit: Unit,
    /// Why it is missed, as far as we know, where it is.
    pub why: &'static str,
}

/// A limit.
#[derive(Clone, Copy)]
pub enum Wanted {
    /// So much or less.
    AtMost(f64),
    /// So much or more.
    AtLeast(f64),
}

/// What a number is.
#[derive(Clone, Copy)]
pub enum Unit {
    /// A ratio, or a count a grant.
    Ratio,
    /// Seconds.
    Time,
}

impl Unit {
    fn say(self, value: f64) -> String {
        match self {
            Unit::Ratio => report::ratio(value),
            Unit::Time => report::duration(Duration::try_from_secs_f64(value).unwrap_or_default()),
        }
    }
}

impl Goal {
    fn is_met(&self) -> bool {
        match self.wanted {
            Wanted::AtMost(limit) => self.measured <= limit,
            Wanted::AtLeast(limit) => self.measured >= limit,
        }
    }
}

/// Goals as a table.
pub fn table(goals: &[Goal], form: Form) -> Table {
    let mut table = report::table(form, 1, ["goal", "wanted", "measured", ""]);
    for goal in goals {
        let wanted = match goal.wanted {
            Wanted::AtMost(limit) => format!("≤ {}", goal.unit.say(limit)),
            Wanted::AtLeast(limit) => format!("≥ {}", goal.unit.say(limit)),
        };
        let verdict = if goal.is_met() { "met" } else { "MISSED" };
        table.add_row([
            goal.what.clone(),
            wanted,
            goal.unit.say(goal.measured),
            verdict.to_owned(),
        ]);
    }
    table
}

/// Why goals are missed, as far as we know: a line for each that is.
pub fn misses(goals: &[Goal]) -> Vec<String> {
    let missed = goals.iter().filter(|goal| !goal.is_met());
    missed
        .map(|goal| format!("{}: {}.", goal.what, goal.why))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(wanted: Wanted, measured: f64) -> Goal {
        Goal {
            what: "what".to_owned(),
            wanted,
            measured,
            unit: Unit::Ratio,
            why: "why",
        }
    }

    #[test]
    fn a_goal_is_met_up_to_its_limit() {
        let met = |wanted, measured| goal(wanted, measured).is_met();
        assert!(met(Wanted::AtMost(1.1), 1.1) && !met(Wanted::AtMost(1.1), 1.11));
        assert!(met(Wanted::AtLeast(0.8), 0.8) && !met(Wanted::AtLeast(0.8), 0.79));
        assert!(!met(Wanted::AtLeast(50.0), f64::NAN));
    }

    #[test]
    fn what_is_missed_says_why_and_what_is_met_does_not() {
        let goals = [
            goal(Wanted::AtMost(1.0), 0.5),
            goal(Wanted::AtMost(1.0), 1.5),
        ];
        assert_eq!(misses(&goals), ["what: why."]);
        let table = table(&goals, Form::Markdown).to_string();
        assert_eq!(table.matches(" met |").count(), 1, "{table}");
        assert_eq!(table.matches(" MISSED |").count(), 1, "{table}");
    }

    #[test]
    fn times_are_told_as_times() {
        assert_eq!(Unit::Time.say(0.02), "20 ms");
        assert_eq!(Unit::Time.say(-0.001), "0 ns");
    }
}
