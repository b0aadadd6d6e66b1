//! A variable keeps its value.

use interlock_tla::module::source::{Node, children};

use super::{Context, Fault, Operator, Role, edit, sign};

/// `x' = x` for `x' = e`.
pub(super) fn unchanged(context: Context, node: Node) -> Option<Fault> {
    sign(node, "eq")?;
    let mut parts = children(node);
    let (primed, _, value) = (parts.next()?, parts.next()?, parts.next()?);
    let is_primed = primed.kind() == "bound_postfix_op"
        && primed
            .child_by_field_name("symbol")
            .is_some_and(|symbol| symbol.kind() == "prime");
    let variable = context.source.text_of(children(primed).next()?);
    let changes = context.source.text_of(value) != variable;
    (context.role == Role::Behavior && is_primed && changes)
        .then(|| Fault::new(Operator::Unchanged, node, vec![edit(value, variable)]))
}
