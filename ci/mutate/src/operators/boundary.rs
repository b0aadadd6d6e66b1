//! Bounds that are off by one.

use interlock_tla::module::source::Node;

use super::{Context, Fault, Operator, edit};

pub(super) fn comparison(node: Node) -> Option<Fault> {
    let symbol = node.child_by_field_name("symbol")?;
    let other = match symbol.kind() {
        "lt" => "<=",
        "leq" => "<",
        "gt" => ">=",
        "geq" => ">",
        _ => return None,
    };
    let swapped = vec![edit(symbol, other)];
    (node.kind() == "bound_infix_op").then(|| Fault::new(Operator::Comparison, node, swapped))
}

/// The formula around the number says which one it is.
pub(super) fn off_by_one(context: Context, node: Node) -> Option<Fault> {
    if node.kind() != "nat_number" {
        return None;
    }
    let number: u64 = context.source.text_of(node).parse().ok()?;
    let around = node
        .parent()
        .filter(|above| above.kind() == "bound_infix_op");
    let more = edit(node, (number + 1).to_string());
    Some(Fault::new(
        Operator::OffByOne,
        around.unwrap_or(node),
        vec![more],
    ))
}
