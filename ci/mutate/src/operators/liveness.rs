//! Fairness and leads-to.

use interlock_tla::module::source::{Node, children};

use super::{Context, Fault, Operator, edit, sign};

/// `TRUE` for a fairness condition, and the weak one for a strong one.
pub(super) fn fairness(context: Context, node: Node) -> Vec<Fault> {
    if node.kind() != "fairness" {
        return Vec::new();
    }
    let text = context.source.text_of(node);
    let mut faults = vec![Fault::replace(Operator::Fairness, node, "TRUE")];
    if let Some(rest) = text.strip_prefix("SF_") {
        let weak = format!("WF_{}", rest.replace('\n', " "));
        faults.push(Fault::replace(Operator::Fairness, node, weak));
    }
    faults
}

/// `Q ~> P` for `P ~> Q`, where each side is one line: the columns of a list's bullets could not stay.
pub(super) fn leads_to(context: Context, node: Node) -> Option<Fault> {
    sign(node, "leads_to")?;
    let mut sides = children(node);
    let (first, _, second) = (sides.next()?, sides.next()?, sides.next()?);
    let text = |side| context.source.text_of(side);
    let one_line = !text(first).contains('\n') && !text(second).contains('\n');
    one_line.then(|| {
        let edits = vec![edit(first, text(second)), edit(second, text(first))];
        Fault::new(Operator::LeadsTo, node, edits)
    })
}
