//! The mutation operators: which faults are put into a definition.

mod boundary;
mod connective;
mod drop;
mod liveness;
mod policy;
mod quantifier;
mod step;
mod weaker;

use std::collections::BTreeSet;

use interlock_tla::module::source::{Node, Source, children, descendants};

use crate::edit::Edit;

/// What is done to a formula.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// A disjunct, of `Next` or of any other formula, is `FALSE`.
    DropDisjunct,
    /// A conjunct, of a guard or of a property, is `TRUE`.
    DropConjunct,
    /// A variable stays as it is.
    Unchanged,
    /// `<` for `<=`, `>` for `>=`, and the other way round.
    Comparison,
    /// A number is one more.
    OffByOne,
    /// `\/` for `/\`, and the other way round.
    Connective,
    /// `\E` for `\A`, and the other way round.
    Quantifier,
    /// A policy's field has a value of another policy's.
    PolicyValue,
    /// A fairness condition is gone, or weak where it was strong.
    Fairness,
    /// `Q ~> P` for `P ~> Q`.
    LeadsTo,
}

impl Operator {
    /// Every operator, in the order of the reports.
    pub const ALL: [Operator; 10] = [
        Self::DropDisjunct,
        Self::DropConjunct,
        Self::Unchanged,
        Self::Comparison,
        Self::OffByOne,
        Self::Connective,
        Self::Quantifier,
        Self::PolicyValue,
        Self::Fairness,
        Self::LeadsTo,
    ];

    /// Its name in lists and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::DropDisjunct => "drop-disjunct",
            Self::DropConjunct => "drop-conjunct",
            Self::Unchanged => "unchanged",
            Self::Comparison => "comparison",
            Self::OffByOne => "off-by-one",
            Self::Connective => "connective",
            Self::Quantifier => "quantifier",
            Self::PolicyValue => "policy-value",
            Self::Fairness => "fairness",
            Self::LeadsTo => "leads-to",
        }
    }
}

/// One fault that can be put into a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The operator that makes it.
    pub operator: Operator,
    /// The formula that is changed, in bytes of the text.
    pub place: std::ops::Range<usize>,
    /// The changes.
    pub edits: Vec<Edit>,
    /// Whether the definition is a property, and what is left of it is implied by it.
    pub is_weaker: bool,
}

impl Fault {
    fn new(operator: Operator, node: Node, edits: Vec<Edit>) -> Fault {
        Fault {
            operator,
            place: node.byte_range(),
            edits,
            is_weaker: false,
        }
    }

    /// Another text for all of the node.
    fn replace(operator: Operator, node: Node, text: impl Into<String>) -> Fault {
        Fault::new(operator, node, vec![edit(node, text)])
    }
}

/// What a definition is to the specification that it is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It says which states are the first.
    Initial,
    /// It says which steps there are, or which must be taken in the end.
    Behavior,
    /// It is what is checked, or what only checks use.
    Property,
    /// It is a value that a row gives a constant.
    Policy,
}

/// Where faults are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The module's text.
    pub source: &'a Source,
    /// The names of operators that say something of the next state.
    pub actions: &'a BTreeSet<String>,
    /// What the definition is.
    pub role: Role,
}

impl Context<'_> {
    /// Whether the formula assigns variables their next values, or may: such a part cannot be dropped or negated, since a step
    /// that leaves a variable open is none.
    fn assigns(&self, node: Node) -> bool {
        self.role == Role::Behavior
            && descendants(node).into_iter().any(|part| match part.kind() {
                "prime" | "unchanged" => true,
                "identifier_ref" => self.actions.contains(self.source.text_of(part)),
                _ => false,
            })
    }

    /// Whether the formula has a part that only formulas about behaviours have.
    fn is_temporal(&self, node: Node) -> bool {
        descendants(node).into_iter().any(|part| {
            matches!(
                part.kind(),
                "fairness" | "step_expr_or_stutter" | "always" | "eventually" | "leads_to"
            )
        })
    }
}

/// The faults of a definition, in the order of the text. `policies` are all values of policies in the module, by field.
pub fn faults(context: Context, definition: Node, policies: &policy::Values) -> Vec<Fault> {
    let Some(body) = children(definition).last() else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    for node in descendants(body) {
        faults.extend(drop::disjuncts(context, node));
        faults.extend(drop::conjuncts(context, node));
        faults.extend(step::unchanged(context, node));
        faults.extend(boundary::comparison(node));
        faults.extend(boundary::off_by_one(context, node));
        faults.extend(connective::swapped(context, node));
        faults.extend(quantifier::swapped(context, node));
        faults.extend(liveness::fairness(context, node));
        faults.extend(liveness::leads_to(context, node));
    }
    if context.role == Role::Policy {
        faults.extend(policies.swapped(context.source, body));
    }
    if context.role == Role::Property {
        for fault in &mut faults {
            fault.is_weaker = weaker::is_weaker(context.source, body, fault);
        }
    }
    faults.sort_by_key(|fault| (fault.place.start, fault.operator));
    faults
}

pub use policy::Values;

fn edit(node: Node, text: impl Into<String>) -> Edit {
    Edit {
        range: node.byte_range(),
        text: text.into(),
    }
}

/// The sign between two operands, of this kind.
fn sign<'a>(node: Node<'a>, kind: &str) -> Option<Node<'a>> {
    let symbol = node.child_by_field_name("symbol")?;
    (node.kind() == "bound_infix_op" && symbol.kind() == kind).then_some(symbol)
}

/// A list of formulas that are connected: with a bullet each, or with a sign between two.
struct Connected<'a> {
    parts: Vec<Node<'a>>,
    signs: Vec<Node<'a>>,
}

/// The conjunction (`land`) or disjunction (`lor`) that begins here; none within a longer one of the same sign.
fn connected<'a>(node: Node<'a>, connective: &str) -> Option<Connected<'a>> {
    let (list, bullet) = match connective {
        "land" => ("conj_list", "bullet_conj"),
        _ => ("disj_list", "bullet_disj"),
    };
    if node.kind() == list {
        let items: Vec<Node> = children(node).collect();
        let of_kind = |item: &Node<'a>| children(*item).find(|part| part.kind() == bullet);
        return Some(Connected {
            parts: items
                .iter()
                .filter_map(|item| children(*item).last())
                .collect(),
            signs: items.iter().filter_map(of_kind).collect(),
        });
    }
    sign(node, connective)?;
    if node
        .parent()
        .is_some_and(|above| sign(above, connective).is_some())
    {
        return None;
    }
    let mut found = Connected {
        parts: Vec::new(),
        signs: Vec::new(),
    };
    chain(node, connective, &mut found);
    Some(found)
}

fn chain<'a>(node: Node<'a>, connective: &str, found: &mut Connected<'a>) {
    let Some(symbol) = sign(node, connective) else {
        found.parts.push(node);
        return;
    };
    for part in children(node) {
        match part {
            _ if part == symbol => found.signs.push(part),
            _ => chain(part, connective, found),
        }
    }
}
