//! Whether a fault makes a property weaker: then all that fulfils the property fulfils what is left of it, and a row can only notice
//! that expects it to fail.
//!
//! What a change does to the part that it is in is followed up to the whole definition. A part of another kind than those below, as
//! an argument of an operator, may do anything: then it is not known.

use interlock_tla::module::source::{Node, Source, children};

use super::{Fault, Operator};

/// What becomes of a formula, a set or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// True of more, with more elements, or greater.
    More,
    Less,
}

impl Change {
    fn turned(self) -> Change {
        match self {
            Self::More => Self::Less,
            Self::Less => Self::More,
        }
    }
}

/// Of a fault in a definition with this body.
pub(super) fn is_weaker(source: &Source, body: Node, fault: &Fault) -> bool {
    let place = match (fault.operator, &fault.edits[..]) {
        (Operator::OffByOne, [edit]) => &edit.range,
        _ => &fault.place,
    };
    let node = body.descendant_for_byte_range(place.start, place.end);
    let changed = node.and_then(|node| upward(source, body, node, at(fault.operator, node)?));
    changed == Some(Change::More)
}

/// What the operator does to the formula, or number, that it changes.
fn at(operator: Operator, node: Node) -> Option<Change> {
    let symbol = || Some(node.child_by_field_name("symbol")?.kind());
    match operator {
        Operator::DropConjunct | Operator::OffByOne => Some(Change::More),
        Operator::DropDisjunct => Some(Change::Less),
        Operator::Comparison => match symbol()? {
            "lt" | "gt" => Some(Change::More),
            _ => Some(Change::Less),
        },
        Operator::Connective => match node.kind() {
            "conj_list" => Some(Change::More),
            "disj_list" => Some(Change::Less),
            _ => match symbol()? {
                "land" => Some(Change::More),
                _ => Some(Change::Less),
            },
        },
        _ => None,
    }
}

fn upward(source: &Source, body: Node, node: Node, change: Change) -> Option<Change> {
    if node == body {
        return Some(change);
    }
    let above = node.parent()?;
    upward(source, body, above, within(source, above, node, change)?)
}

/// What a change of a part is to the whole.
fn within(source: &Source, whole: Node, part: Node, change: Change) -> Option<Change> {
    let is = |field| whole.child_by_field_name(field) == Some(part);
    match whole.kind() {
        "parentheses" | "conj_list" | "conj_item" | "disj_list" | "disj_item" => Some(change),
        "bound_infix_op" => infix(whole, children(whole).next() == Some(part), change),
        "bound_prefix_op" => match whole.child_by_field_name("symbol")?.kind() {
            "lnot" => Some(change.turned()),
            "powerset" | "union" | "always" | "eventually" => Some(change),
            _ => None,
        },
        // A set that is larger makes `\A` say more.
        "quantifier_bound" => {
            let quantified = whole.parent()?;
            match quantified.child_by_field_name("quantifier")?.kind() {
                "forall" => Some(change.turned()),
                "exists" => Some(change),
                _ => None,
            }
        }
        "bounded_quantification" => Some(change),
        "let_in" if is("expression") => Some(change),
        "if_then_else" if !is("if") => Some(change),
        "set_of_functions" if children(whole).last() == Some(part) => Some(change),
        "set_of_records" => Some(change),
        "set_filter" if is("filter") => Some(change),
        "bound_op" => {
            let operator = children(whole).next()?;
            (source.text_of(operator) == "Seq" && operator != part).then_some(change)
        }
        _ => None,
    }
}

fn infix(whole: Node, is_left: bool, change: Change) -> Option<Change> {
    let kind = whole.child_by_field_name("symbol")?.kind();
    match (kind, is_left) {
        ("land" | "lor" | "cup" | "cap" | "times" | "plus", _) => Some(change),
        ("implies" | "leads_to" | "subseteq" | "dots_2" | "leq" | "lt", true) => {
            Some(change.turned())
        }
        ("implies" | "leads_to" | "subseteq" | "dots_2" | "leq" | "lt", false) => Some(change),
        ("geq" | "gt" | "setminus" | "minus", true) => Some(change),
        ("geq" | "gt" | "setminus" | "minus", false) => Some(change.turned()),
        ("in", false) => Some(change),
        ("notin", false) => Some(change.turned()),
        _ => None,
    }
}
