//! Which formulas of a module TLC has evaluated in a run. One that it has not cannot have decided anything.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use interlock_tla::messages::{Message, Output};
use interlock_tla::module::source::{Node, line_and_column};

/// TLC's code for how often it has evaluated a formula.
const ROW: u32 = 2221;

/// TLC's codes for what stands above rows: an action, the initial states, an invariant.
const HEADS: RangeInclusive<u32> = 2772..=2776;

/// Line and column of the first character and of the last, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    first: (usize, usize),
    last: (usize, usize),
}

impl Span {
    /// Of a range of bytes that is not empty.
    pub fn of(text: &str, range: &std::ops::Range<usize>) -> Span {
        let (last, behind) = line_and_column(text, range.end);
        Span {
            first: line_and_column(text, range.start),
            last: (last, behind - 1),
        }
    }

    /// Of a node, in lines that are ASCII.
    pub fn of_node(node: Node) -> Span {
        let (first, last) = (node.start_position(), node.end_position());
        Span {
            first: (first.row + 1, first.column + 1),
            last: (last.row + 1, last.column),
        }
    }

    /// Whether the other one is part of it.
    pub fn has(&self, other: &Span) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}

/// The formulas that a run counts, and whether it has evaluated each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    formulas: BTreeMap<String, Vec<(Span, bool)>>,
    /// Formulas that it has evaluated, by module, of whose parts TLC says nothing: what these lead to is evaluated too, although it
    /// may be counted as not evaluated where something else leads to it.
    pub ends: Vec<(String, Span)>,
    /// The names of actions and invariants of which it says nothing more.
    pub names: BTreeSet<String>,
}

impl Coverage {
    /// What TLC says, if it was asked to count.
    pub fn of(output: &Output) -> Coverage {
        let said = output.coverage().iter();
        let said = said.filter(|message| message.code == ROW || HEADS.contains(&message.code));
        let mut said = said.peekable();
        let mut coverage = Coverage::default();
        while let Some(message) = said.next() {
            let has_parts = said.peek().is_some_and(|next| depth(next) > depth(message));
            if message.code != ROW {
                coverage
                    .names
                    .extend(head(&message.body).filter(|_| !has_parts));
                continue;
            }
            let Some((module, span, is_evaluated)) = row(&message.body) else {
                continue;
            };
            let of_module = coverage.formulas.entry(module.to_owned()).or_default();
            of_module.push((span, is_evaluated));
            if is_evaluated && !has_parts {
                coverage.ends.push((module.to_owned(), span));
            }
        }
        coverage
    }

    /// Whether the formula at `span` may have been evaluated: the least one around it that is counted was, or a part of it, or neither
    /// is counted. One that several definitions use has a count in each.
    pub fn may_evaluate(&self, module: &str, span: &Span) -> bool {
        let counted = self.formulas.get(module).map_or(&[][..], Vec::as_slice);
        let within = |(formula, _): &&(Span, bool)| span.has(formula);
        let around = counted.iter().filter(|(formula, _)| formula.has(span));
        let least = around.clone().map(|(formula, _)| formula);
        let least = least.fold(None, |least: Option<&Span>, formula| match least {
            Some(least) if formula.has(least) => Some(least),
            _ => Some(formula),
        });
        let Some(least) = least else {
            return true;
        };
        let mut relevant = counted
            .iter()
            .filter(within)
            .chain(around.filter(|(formula, _)| formula == least));
        relevant.any(|(_, is_evaluated)| *is_evaluated)
    }
}

/// How far a row is indented: more than what it is a part of.
fn depth(message: &Message) -> usize {
    match message.code {
        ROW => 1 + message.body.matches('|').count(),
        _ => 0,
    }
}

/// The name in ``<Lock line 153, col 1 to line 153, col 4 of module WbPlug>: 4:14``.
fn head(body: &str) -> Option<String> {
    let label = body.trim_start().strip_prefix('<')?;
    label.split([' ', '(']).next().map(str::to_owned)
}

/// Of ``  ||line 138, col 5 to line 139, col 72 of module WbPlug: 14`` the module, the place, and whether the number is not 0.
fn row(body: &str) -> Option<(&str, Span, bool)> {
    let (first, rest) = body.trim_start_matches([' ', '|']).split_once(" to ")?;
    let (last, rest) = rest.split_once(" of module ")?;
    let (module, counts) = rest.trim_end().split_once(": ")?;
    let place = |text: &str| {
        let (line, column) = text.strip_prefix("line ")?.split_once(", col ")?;
        Some((line.parse().ok()?, column.parse().ok()?))
    };
    let span = Span {
        first: place(first)?,
        last: place(last)?,
    };
    let count = counts.split(':').next()?;
    Some((module, span, count != "0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "Next ==\n  \\/ /\\ a\n     /\\ b' = IF c THEN 1 ELSE 2\n  \\/ d\n";

    fn message(code: u32, body: &str) -> String {
        format!("@!@!@STARTMSG {code}:0 @!@!@\n{body}@!@!@ENDMSG {code} @!@!@\n")
    }

    fn row(bars: &str, formula: &str, count: u32) -> String {
        let Span { first, last } = span(formula);
        let (from, to) = (
            format!("line {}, col {}", first.0, first.1),
            format!("line {}, col {}", last.0, last.1),
        );
        let body = format!("  {bars}{from} to {to} of module Small: {count}\n");
        message(ROW, &body)
    }

    fn table(rows: &[String]) -> String {
        message(2201, "") + &rows.concat()
    }

    fn coverage(rows: &[(&str, u32)]) -> Coverage {
        let rows = rows
            .iter()
            .map(|(formula, count)| row("|", formula, *count));
        let rows: Vec<String> = rows.collect();
        Coverage::of(&Output::parse(&table(&rows)))
    }

    fn span(formula: &str) -> Span {
        let start = MODULE.find(formula).expect("it is there");
        Span::of(MODULE, &(start..start + formula.len()))
    }

    #[test]
    fn a_place_is_counted_from_1() {
        let whole = Span {
            first: (3, 9),
            last: (3, 31),
        };
        assert_eq!(span("b' = IF c THEN 1 ELSE 2"), whole);
    }

    #[test]
    fn the_least_formula_around_decides() {
        let step = "b' = IF c THEN 1 ELSE 2";
        let known = coverage(&[(step, 3), ("1", 0), ("IF c THEN 1 ELSE 2", 3)]);
        assert!(!known.may_evaluate("Small", &span("1")));
        assert!(known.may_evaluate("Small", &span("2")));
        assert!(known.may_evaluate("Small", &span("c")));
    }

    #[test]
    fn a_part_that_is_evaluated_is_enough() {
        let known = coverage(&[("b' = IF c THEN 1 ELSE 2", 0), ("c", 1)]);
        assert!(known.may_evaluate("Small", &span("IF c THEN 1 ELSE 2")));
        assert!(!known.may_evaluate("Small", &span("1")));
    }

    #[test]
    fn a_use_that_is_evaluated_is_enough() {
        assert!(coverage(&[("d", 0), ("d", 2)]).may_evaluate("Small", &span("d")));
        assert!(!coverage(&[("d", 0), ("d", 0)]).may_evaluate("Small", &span("d")));
    }

    #[test]
    fn what_is_not_counted_may_be_evaluated() {
        let known = coverage(&[("d", 0)]);
        assert!(known.may_evaluate("Small", &span("c")));
        assert!(known.may_evaluate("Other", &span("d")));
        assert!(Coverage::default().may_evaluate("Small", &span("d")));
    }

    #[test]
    fn where_the_parts_are_left_out_they_may_be_evaluated() {
        let action = |name: &str| {
            let body = format!("<{name} line 1, col 1 to line 1, col 4 of module Small>: 1:2\n");
            message(2772, &body)
        };
        let rows = [
            action("Next"),
            row("", "IF c THEN 1 ELSE 2", 3),
            row("|", "c", 3),
            row("|", "1", 0),
            action("Alone"),
        ];
        let known = Coverage::of(&Output::parse(&table(&rows)));
        assert_eq!(known.ends, [("Small".to_owned(), span("c"))]);
        assert_eq!(known.names, BTreeSet::from(["Alone".to_owned()]));
    }

    #[test]
    fn the_last_table_counts() {
        let of_count = |count| table(&[row("", "d", count)]);
        let both = Coverage::of(&Output::parse(&(of_count(0) + &of_count(2))));
        assert!(both.may_evaluate("Small", &span("d")));
    }
}
