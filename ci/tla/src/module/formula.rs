//! Formulas of the syntax tree, with their names resolved.

use std::ops::Range;

use tree_sitter::Node;

use super::elaborate::{Context, Elaborator};
use super::expression::{Expr, Id, Kind, Origin, Place, Target};
use super::operators::{self, Sign};
use super::source::{children, fields};

impl<'a> Elaborator<'a> {
    pub(super) fn expr(&mut self, context: &mut Context<'a>, node: Node<'a>) -> Expr {
        match node.kind() {
            "parentheses" => match children(node).next() {
                Some(inner) => self.expr(context, inner),
                None => self.made_of(context, node, Kind::Other),
            },
            "identifier_ref" | "nat_number_set" | "int_number_set" | "real_number_set"
            | "prefix_op_symbol" | "infix_op_symbol" | "postfix_op_symbol" => {
                let target = self.resolve(context, &self.name(context, node));
                let kind = Kind::Name(target, self.place(context, node));
                self.with(context, node, kind, Vec::new())
            }
            "bound_op" | "bound_nonfix_op" | "prefixed_op" | "subexpression" => {
                self.applied(context, node)
            }
            "bound_prefix_op" | "bound_infix_op" | "bound_postfix_op" => self.signed(context, node),
            "conj_list" => self.made_of(context, node, Kind::Conjunction { bullets: true }),
            "disj_list" => self.made_of(context, node, Kind::Disjunction { bullets: true }),
            "bounded_quantification" => {
                let bounds: Vec<Range<usize>> =
                    fields(node, "bound").iter().map(Node::byte_range).collect();
                let exists = node
                    .child_by_field_name("quantifier")
                    .is_some_and(|sign| sign.kind() == "exists");
                let kind = match &bounds[..] {
                    [first, .., last] if exists => Kind::Exists(first.start..last.end),
                    [only] if exists => Kind::Exists(only.clone()),
                    _ if exists => Kind::Other,
                    _ => Kind::ForAll,
                };
                self.introducing(context, node, kind)
            }
            "unbounded_quantification" => {
                let temporal = node
                    .child_by_field_name("quantifier")
                    .is_some_and(|sign| sign.kind().starts_with("temporal"));
                let kind = if temporal {
                    Kind::Unchecked
                } else {
                    Kind::Other
                };
                self.introducing(context, node, kind)
            }
            "choose" | "set_filter" | "set_map" | "function_literal" | "lambda" => {
                self.introducing(context, node, Kind::Other)
            }
            "let_in" => self.local_definitions(context, node),
            "step_expr_or_stutter" => self.made_of(context, node, Kind::SquareAction),
            "step_expr_no_stutter" => self.made_of(context, node, Kind::AngleAction),
            "fairness" => self.made_of(context, node, Kind::Fairness),
            "finite_set_literal" => self.made_of(context, node, Kind::Set),
            "if_then_else" => self.made_of(context, node, Kind::If),
            _ => self.made_of(context, node, Kind::Other),
        }
    }

    fn with(&self, context: &Context<'a>, node: Node<'a>, kind: Kind, parts: Vec<Expr>) -> Expr {
        Expr {
            kind,
            place: self.place(context, node),
            parts,
            binders: Vec::new(),
        }
    }

    /// A formula whose parts are all that it is made of.
    fn made_of(&mut self, context: &mut Context<'a>, node: Node<'a>, kind: Kind) -> Expr {
        let parts = parts(node)
            .into_iter()
            .map(|part| self.expr(context, part))
            .collect();
        self.with(context, node, kind, parts)
    }

    fn resolve(&self, context: &Context<'a>, name: &str) -> Target {
        let found = context.scope.look_up(name);
        found.cloned().unwrap_or(Target::Unknown)
    }

    /// A sign between, before or behind its operands.
    fn signed(&mut self, context: &mut Context<'a>, node: Node<'a>) -> Expr {
        let mut operands = Vec::new();
        for operand in children(node).filter(|part| !fields(node, "symbol").contains(part)) {
            operands.push(self.expr(context, operand));
        }
        let kind = match node.child_by_field_name("symbol") {
            Some(symbol) => match operators::sign(symbol, self.text_of(context, symbol)) {
                Sign::Own(kind) => kind,
                Sign::Defined(name) => {
                    Kind::Name(self.resolve(context, &name), self.place(context, symbol))
                }
            },
            None => Kind::Other,
        };
        self.with(context, node, kind, operands)
    }

    /// A name, which may be of an instance or of a part of a definition, with its arguments. What is said of a part of a
    /// definition is said of all of it.
    fn applied(&mut self, context: &mut Context<'a>, node: Node<'a>) -> Expr {
        let mut names: Vec<String> = Vec::new();
        let mut arguments = Vec::new();
        let mut at = node.byte_range();
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            match node.kind() {
                "prefixed_op" | "subexpression" | "subexpr_prefix" | "subexpr_component"
                | "subexpr_tree_nav" | "operator_args" => {
                    let from = todo.len();
                    todo.extend(children(node));
                    todo[from..].reverse();
                }
                "bound_op" | "bound_nonfix_op" => {
                    let mut parts = children(node);
                    if let Some(name) = parts.next() {
                        names.push(self.name(context, name));
                        at.end = name.end_byte();
                    }
                    arguments.extend(parts.map(|part| self.expr(context, part)));
                }
                "identifier_ref" | "nat_number_set" | "int_number_set" | "real_number_set"
                | "prefix_op_symbol" | "infix_op_symbol" | "postfix_op_symbol" => {
                    names.push(self.name(context, node));
                    at.end = node.end_byte();
                }
                "child_id" | "colon" | "address" | "langle_bracket" | "rangle_bracket" => {}
                _ => arguments.push(self.expr(context, node)),
            }
        }
        let found = (1..=names.len()).rev().find_map(|length| {
            let name = names[..length].join("!");
            context.scope.look_up(&name).cloned()
        });
        let at = Place {
            text: context.text,
            range: at,
        };
        let kind = Kind::Name(found.unwrap_or(Target::Unknown), at);
        self.with(context, node, kind, arguments)
    }

    /// A formula that introduces names: the sets that they are of stand outside of their scope, all else inside.
    pub(super) fn introducing(
        &mut self,
        context: &mut Context<'a>,
        node: Node<'a>,
        kind: Kind,
    ) -> Expr {
        let depth = context.scope.depth();
        let own_set = node.child_by_field_name("set");
        let own_name = node.child_by_field_name("name");
        let (mut names, mut sets, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        for part in children(node).filter(|part| Some(*part) != own_name) {
            match part.kind() {
                "quantifier_bound" => {
                    for intro in fields(part, "intro") {
                        names.extend(introduced(intro));
                    }
                    sets.extend(part.child_by_field_name("set"));
                }
                "identifier" | "tuple_of_identifiers" => names.extend(introduced(part)),
                _ if Some(part) == own_set => sets.push(part),
                kind if is_formula(kind) => inner.push(part),
                _ => {}
            }
        }
        let mut parts: Vec<Expr> = Vec::new();
        for set in sets {
            parts.push(self.expr(context, set));
        }
        let bound = self.parameters(context, &names).into_iter();
        let binders = bound.map(|name| (name.local, name.at)).collect();
        for part in inner {
            parts.push(self.expr(context, part));
        }
        context.scope.leave(depth);
        parts.sort_by_key(|part| part.place.range.start);
        Expr {
            binders,
            ..self.with(context, node, kind, parts)
        }
    }

    fn local_definitions(&mut self, context: &mut Context<'a>, node: Node<'a>) -> Expr {
        let depth = context.scope.depth();
        let mut definitions: Vec<Id> = Vec::new();
        let mut plain = true;
        for definition in fields(node, "definitions") {
            match definition.kind() {
                "recursive_declaration" => {
                    plain = false;
                    for declared in children(definition) {
                        let name = self.name(context, declared);
                        let id = self.reserve(context, &name, declared);
                        context.scope.add_local(name, Target::Definition(id));
                    }
                }
                "module_definition" => {
                    plain = false;
                    for (name, target) in self.instance(context, definition, Origin::Let) {
                        context.scope.add_local(name, target);
                    }
                }
                _ => {
                    let name = self.name(context, definition);
                    let reserved = self.reserved(context, &name);
                    let id = self.define(context, definition, reserved, Origin::Let);
                    context.scope.add_local(name, Target::Definition(id));
                    definitions.push(id);
                }
            }
        }
        let body = node.child_by_field_name("expression");
        let parts = body
            .into_iter()
            .map(|body| self.expr(context, body))
            .collect();
        context.scope.leave(depth);
        let kind = Kind::Let { definitions, plain };
        self.with(context, node, kind, parts)
    }
}

/// The formulas that this one is made of, in the order of the text.
fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    match node.kind() {
        "conj_list" | "disj_list" => children(node)
            .filter_map(|item| children(item).last())
            .collect(),
        // names of fields are no names of the module
        "record_value" => children(node).take(1).collect(),
        "except_update_record_field" => Vec::new(),
        "label" => fields(node, "expression"),
        _ => children(node)
            .filter(|part| is_formula(part.kind()))
            .collect(),
    }
}

/// Whether a node of this kind is more than a sign or a new name.
fn is_formula(kind: &str) -> bool {
    !matches!(
        kind,
        "identifier"
            | "tuple_of_identifiers"
            | "placeholder"
            | "langle_bracket"
            | "rangle_bracket"
            | "rangle_bracket_sub"
            | "case_box"
            | "case_arrow"
            | "set_in"
            | "all_map_to"
            | "maps_to"
            | "colon"
            | "gets"
            | "def_eq"
            | "forall"
            | "exists"
            | "temporal_forall"
            | "temporal_exists"
    )
}

/// The names in what a quantifier introduces.
fn introduced(node: Node<'_>) -> Vec<Node<'_>> {
    match node.kind() {
        "identifier" => vec![node],
        _ => children(node)
            .filter(|part| part.kind() == "identifier")
            .collect(),
    }
}
