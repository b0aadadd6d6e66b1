//! `\/` for `/\`, and the other way round.

use interlock_tla::module::source::Node;

use super::{Context, Fault, Operator, connected, edit};

/// The whole list, or chain: a mixture without parentheses is not TLA+.
pub(super) fn swapped(context: Context, node: Node) -> Option<Fault> {
    let swapped = |from, to: &str| {
        let found = connected(node, from)?;
        let assigns = found.parts.iter().any(|part| context.assigns(*part));
        let temporal = context.is_temporal(node);
        let edits = found.signs.into_iter().map(|sign| edit(sign, to));
        (found.parts.len() > 1 && !assigns && !temporal)
            .then(|| Fault::new(Operator::Connective, node, edits.collect()))
    };
    swapped("land", "\\/").or_else(|| swapped("lor", "/\\"))
}
