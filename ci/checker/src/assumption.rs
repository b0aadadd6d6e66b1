//! The name of a false assumption: TLC tells only where it stands.

use std::fs;
use std::path::Path;

use crate::manifest::Kind;
use crate::verdict::Outcome;

/// Replaces `line 6, col 17 to line 6, col 23 of module M` by the assumption's name, if it has one. `dir` holds the modules.
pub fn name(outcome: &mut Outcome, dir: &Path) {
    if let Outcome::Violates {
        property,
        kind: Kind::Assumption,
    } = outcome
        && let Some(name) = look_up(property, dir)
    {
        *property = name;
    }
}

fn look_up(place: &str, dir: &Path) -> Option<String> {
    let (line, rest) = place.strip_prefix("line ")?.split_once(", col ")?;
    let (column, _) = rest.split_once(' ')?;
    let (_, module) = place.rsplit_once(" of module ")?;
    let text = fs::read_to_string(dir.join(format!("{module}.tla"))).ok()?;
    named(&text, line.parse().ok()?, column.parse().ok()?)
}

/// The `Name` of `ASSUME Name == ...`, whose body starts at this line and column, both from 1.
fn named(text: &str, line: usize, column: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().take(line).collect();
    let (last, before) = lines.split_last()?;
    let head = before.join("\n") + "\n" + last.get(..column.checked_sub(1)?)?;
    let mut words = head.trim_end().strip_suffix("==")?.split_whitespace().rev();
    let name = words.next()?;
    let keyword = words.next()?;
    matches!(keyword, "ASSUME" | "ASSUMPTION" | "AXIOM").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assumption_may_have_a_name() {
        let text = "---- MODULE M ----\nASSUME N > 0\nASSUME Enough == N > 1\nASSUMPTION More ==\n  N > 2\nx == N\n";
        assert_eq!(named(text, 2, 8), None);
        assert_eq!(named(text, 3, 18), Some("Enough".into()));
        assert_eq!(named(text, 5, 3), Some("More".into()));
        assert_eq!(named(text, 6, 6), None);
        assert_eq!(named(text, 9, 99), None);
    }
}
