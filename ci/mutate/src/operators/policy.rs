//! A policy decides one thing as another policy does.

use std::collections::{BTreeMap, BTreeSet};

use interlock_tla::module::source::{Node, Source, children, descendants};

use super::{Fault, Operator, edit};

/// The values that policies give their fields.
#[derive(Debug, Clone, Default)]
pub struct Values(BTreeMap<String, BTreeSet<String>>);

impl Values {
    /// Takes in those of a policy's formula.
    pub fn take(&mut self, source: &Source, policy: Node) {
        for (field, value) in fields(source, policy) {
            let value = source.text_of(value).to_owned();
            self.0.entry(field.to_owned()).or_default().insert(value);
        }
    }

    /// Each field of the policy with the next value that one of them has for it.
    pub(super) fn swapped(&self, source: &Source, policy: Node) -> Vec<Fault> {
        let swap = |(field, value): (&str, Node)| {
            let values = self.0.get(field)?;
            let text = source.text_of(value);
            let later = values.iter().find(|other| other.as_str() > text);
            let other = later.or_else(|| values.first())?;
            // the field and its value are what is changed
            let place = field_place(value)..value.end_byte();
            (other != text).then(|| Fault {
                operator: Operator::PolicyValue,
                place,
                edits: vec![edit(value, other)],
                is_weaker: false,
            })
        };
        fields(source, policy)
            .into_iter()
            .filter_map(swap)
            .collect()
    }
}

/// Where the field of this value begins.
fn field_place(value: Node) -> usize {
    let is_name = |node: &Node| matches!(node.kind(), "identifier" | "except_update_specifier");
    let mut before = value.prev_named_sibling();
    while let Some(node) = before.filter(|node| !is_name(node)) {
        before = node.prev_named_sibling();
    }
    before.map_or(value.start_byte(), |name| name.start_byte())
}

/// The fields that the records in a formula give a value, and these.
fn fields<'a>(source: &'a Source, policy: Node<'a>) -> Vec<(&'a str, Node<'a>)> {
    let mut found = Vec::new();
    for node in descendants(policy) {
        match node.kind() {
            "record_literal" => {
                let parts: Vec<Node> = children(node).collect();
                for part in parts.chunks_exact(3) {
                    found.push((source.text_of(part[0]), part[2]));
                }
            }
            "except_update" => {
                let parts: Vec<Node> = children(node).collect();
                if let [specifier, value] = &parts[..] {
                    let name = source.text_of(*specifier).trim_start_matches('.');
                    found.push((name, *value));
                }
            }
            _ => {}
        }
    }
    found
}
