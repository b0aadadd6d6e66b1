//! `\E` for `\A`, and the other way round.

use interlock_tla::module::source::Node;

use super::{Context, Fault, Operator, edit};

pub(super) fn swapped(context: Context, node: Node) -> Option<Fault> {
    let sign = node.child_by_field_name("quantifier")?;
    let other = match sign.kind() {
        "forall" => "\\E",
        "exists" => "\\A",
        _ => return None,
    };
    let fits = !context.assigns(node) && !context.is_temporal(node);
    fits.then(|| Fault::new(Operator::Quantifier, node, vec![edit(sign, other)]))
}
