//! A part of a disjunction or of a conjunction is left out: it is what changes nothing in its place.

use interlock_tla::module::source::{Node, descendants};

use super::{Context, Fault, Operator, Role, connected};

pub(super) fn disjuncts(context: Context, node: Node) -> Vec<Fault> {
    let parts = connected(node, "lor").map_or_else(Vec::new, |found| found.parts);
    let parts = parts.into_iter().filter(|part| !context.is_temporal(*part));
    let parts = parts.filter(|part| context.source.text_of(*part) != "FALSE");
    parts
        .map(|part| Fault::replace(Operator::DropDisjunct, part, "FALSE"))
        .collect()
}

/// Not a part that assigns a variable, nor one of the first states or of the specification itself: without it there is none.
pub(super) fn conjuncts(context: Context, node: Node) -> Vec<Fault> {
    let parts = connected(node, "land").map_or_else(Vec::new, |found| found.parts);
    if context.role == Role::Initial
        || context.role == Role::Behavior && parts.iter().any(|part| context.is_temporal(*part))
        // a disjunct is dropped as a whole already
        || parts.len() < 2
    {
        return Vec::new();
    }
    let is_open = |part: &Node| !context.assigns(*part) && !is_spec(context, *part);
    let parts = parts.into_iter().filter(is_open);
    let parts = parts.filter(|part| context.source.text_of(*part) != "TRUE");
    parts
        .map(|part| Fault::replace(Operator::DropConjunct, part, "TRUE"))
        .collect()
}

/// `[][Next]_vars`
fn is_spec(context: Context, node: Node) -> bool {
    context.role == Role::Behavior
        && descendants(node)
            .iter()
            .any(|part| part.kind() == "step_expr_or_stutter")
}
