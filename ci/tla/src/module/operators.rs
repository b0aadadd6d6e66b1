//! Operators that are signs: which are TLA+'s own, and one spelling for each of those that modules define.

use tree_sitter::Node;

use super::expression::Kind;

/// What a sign is.
pub(super) enum Sign {
    /// TLA+'s own.
    Own(Kind),
    /// One that a module defines, as TLC spells it.
    Defined(String),
}

/// What the sign at this node is, which is written like this.
pub(super) fn sign(node: Node, text: &str) -> Sign {
    let own = match node.kind() {
        "land" => Kind::Conjunction { bullets: false },
        "lor" => Kind::Disjunction { bullets: false },
        "prime" => Kind::Prime,
        "unchanged" => Kind::Unchanged,
        "enabled" => Kind::Enabled,
        "always" => Kind::Always,
        "eventually" => Kind::Eventually,
        "leads_to" => Kind::LeadsTo,
        "plus_arrow" => Kind::Unchecked,
        "implies" | "eq" | "neq" | "in" | "notin" | "cup" | "lnot" => Kind::Sign(node.kind()),
        "iff" | "equiv" | "subseteq" | "cap" | "setminus" | "times" | "cdot" | "union"
        | "powerset" | "domain" => Kind::Other,
        _ => return Sign::Defined(name(node, text)),
    };
    Sign::Own(own)
}

/// The name of the operator at this node, which is written like this.
pub(super) fn name(node: Node, text: &str) -> String {
    // only those with more than one ASCII spelling
    let spelling = match node.kind() {
        "prefix_op_symbol" | "infix_op_symbol" | "postfix_op_symbol" => {
            return node
                .named_child(0)
                .map_or_else(|| text.to_owned(), |sign| name(sign, text));
        }
        "negative" | "negative_dot" => "-.",
        "leq" => "\\leq",
        "geq" => "\\geq",
        "oplus" => "\\oplus",
        "ominus" => "\\ominus",
        "odot" => "\\odot",
        "oslash" => "\\oslash",
        "otimes" => "\\otimes",
        "circ" => "\\o",
        _ => text,
    };
    spelling.to_owned()
}
