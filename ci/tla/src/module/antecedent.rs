//! What a property starts from, and whether a counterexample to another formula shows that it happens.
//!
//! A property that says what follows from something holds of itself where that never happens. It happens where a counterexample to
//! a probe is found: a formula whose negation implies it. That is decided by the form of both alone, so `No` says nothing.

use super::Module;
use super::expression::{Expr, Kind, Local, Origin, Target};
use super::text::Names;

/// How many operators one within the other are looked into.
const DEEPEST: usize = 20;

/// A formula where it stands: with what is written for its parameters and bound names, and whether its negation is meant.
#[derive(Clone)]
struct Here<'m> {
    expr: &'m Expr,
    names: Names,
    not: bool,
    /// How many operators it is inside of.
    depth: usize,
}

/// A formula, looked at one level deep and without negations.
enum Form<'m> {
    All(Vec<Here<'m>>),
    Any(Vec<Here<'m>>),
    /// `\A` or `\E` over the names, each in its set.
    Quantified {
        exists: bool,
        bounds: Vec<(Local, &'m Expr)>,
        body: Here<'m>,
    },
    /// The left side is among the right ones, or `not`.
    Among {
        left: String,
        right: Vec<String>,
        not: bool,
    },
    Atom(String, bool),
}

/// What a property starts from: for some of these names, this.
struct Antecedent<'m> {
    bounds: Vec<(Local, &'m Expr)>,
    formula: Here<'m>,
}

impl Module {
    /// Whether the property says what follows from something: `P ~> Q`, `[](P => Q)` or `[][P => Q]_v`, for all of something or
    /// not. It holds of itself where P never is.
    pub fn has_antecedent(&self, property: &str) -> bool {
        !self.antecedents(property).is_empty()
    }

    /// Whether each counterexample to the invariant or step property `probe` shows a state, or a step, that `property` starts from.
    /// `false` too where that does not follow from their form: equal conditions on quantified names, membership in sets that are
    /// written out, sets that are unions.
    pub fn reaches(&self, probe: &str, property: &str) -> bool {
        let antecedents = self.antecedents(property);
        let Some(id) = self.id(probe) else {
            return false;
        };
        let probe = step_of(&self.definitions[id].body);
        antecedents.iter().all(|antecedent| {
            let probe = Here {
                expr: probe,
                names: Names::new(),
                not: true,
                depth: 0,
            };
            self.shows(&probe, &antecedent.bounds, &antecedent.formula, &mut 0)
        })
    }

    fn antecedents(&self, property: &str) -> Vec<Antecedent<'_>> {
        let mut found = Vec::new();
        if let Some(id) = self.id(property) {
            let body = Here {
                expr: &self.definitions[id].body,
                names: Names::new(),
                not: false,
                depth: 0,
            };
            self.collect(body, Vec::new(), &mut found);
        }
        found
    }

    fn collect<'m>(
        &'m self,
        here: Here<'m>,
        bounds: Vec<(Local, &'m Expr)>,
        found: &mut Vec<Antecedent<'m>>,
    ) {
        let at = |expr: &'m Expr| Here {
            expr,
            ..here.clone()
        };
        match (&here.expr.kind, &here.expr.parts[..]) {
            (Kind::LeadsTo | Kind::Sign("implies"), [first, _]) => found.push(Antecedent {
                formula: at(first),
                bounds,
            }),
            (Kind::Always | Kind::SquareAction, [inner, ..]) => {
                self.collect(at(inner), bounds, found);
            }
            (Kind::Conjunction { .. }, parts) => {
                for part in parts {
                    self.collect(at(part), bounds.clone(), found);
                }
            }
            (Kind::ForAll, [sets @ .., body]) => {
                if let Some(more) = bound(here.expr, sets) {
                    self.collect(at(body), [bounds, more].concat(), found);
                }
            }
            (Kind::Name(Target::Definition(_), _), _) => {
                if let Some(inner) = self.opened(&here) {
                    self.collect(inner, bounds, found);
                }
            }
            _ => {}
        }
    }

    /// Whether the formula implies `wanted` for some values of the names in `bounds`.
    fn shows(
        &self,
        given: &Here,
        bounds: &[(Local, &Expr)],
        wanted: &Here,
        fresh: &mut usize,
    ) -> bool {
        let [(local, set), rest @ ..] = bounds else {
            return self.implies(given, wanted, fresh);
        };
        self.somebody(
            given,
            &mut |module, value, of, inner, fresh| {
                if !module.includes(set, &wanted.names, of, &inner.names) {
                    return false;
                }
                let mut wanted = wanted.clone();
                wanted.names.insert(*local, Some(value.to_owned()));
                module.shows(inner, rest, &wanted, fresh)
            },
            fresh,
        )
    }

    /// Whether somebody of whom the formula says that there is one is as `fits` asks: it is given the name, its set, and what is said.
    fn somebody(
        &self,
        given: &Here,
        fits: &mut dyn FnMut(&Self, &str, &Expr, &Here, &mut usize) -> bool,
        fresh: &mut usize,
    ) -> bool {
        match self.form(given) {
            Form::All(parts) => parts.iter().any(|part| self.somebody(part, fits, fresh)),
            Form::Any(parts) => {
                !parts.is_empty() && parts.iter().all(|part| self.somebody(part, fits, fresh))
            }
            Form::Quantified {
                exists: true,
                bounds,
                body,
            } => {
                let mut names = body.names.clone();
                let mut named = Vec::new();
                for (local, set) in &bounds {
                    *fresh += 1;
                    let name = format!("somebody__{fresh}");
                    names.insert(*local, Some(name.clone()));
                    named.push((name, *set));
                }
                let inner = Here { names, ..body };
                named
                    .iter()
                    .any(|(name, set)| fits(self, name, set, &inner, fresh))
                    || self.somebody(&inner, fits, fresh)
            }
            _ => false,
        }
    }

    /// Whether one formula implies the other, by their form.
    fn implies(&self, given: &Here, wanted: &Here, fresh: &mut usize) -> bool {
        if given.not == wanted.not && self.text(given.expr, given) == self.text(wanted.expr, wanted)
        {
            return true;
        }
        match self.form(wanted) {
            Form::All(parts) => return parts.iter().all(|part| self.implies(given, part, fresh)),
            Form::Any(parts) if parts.iter().any(|part| self.implies(given, part, fresh)) => {
                return true;
            }
            Form::Quantified {
                exists: true,
                bounds,
                body,
            } if self.shows(given, &bounds, &body, fresh) => return true,
            _ => {}
        }
        match self.form(given) {
            Form::All(parts) => parts.iter().any(|part| self.implies(part, wanted, fresh)),
            Form::Any(parts) => {
                !parts.is_empty() && parts.iter().all(|part| self.implies(part, wanted, fresh))
            }
            Form::Quantified {
                exists: true, body, ..
            } => self.implies(&body, wanted, fresh),
            Form::Quantified { exists: false, .. } => false,
            Form::Atom(text, not) => match self.form(wanted) {
                Form::Atom(other, other_not) => text == other && not == other_not,
                _ => false,
            },
            Form::Among { left, right, not } => match self.form(wanted) {
                Form::Among {
                    left: other,
                    right: among,
                    not: outside,
                } => left == other && follows(&right, not, &among, outside),
                _ => false,
            },
        }
    }

    /// Whether every member of `inner` is one of `outer`: they are the same, or `outer` is a union of it and others.
    fn includes(&self, outer: &Expr, of_outer: &Names, inner: &Expr, of_inner: &Names) -> bool {
        let written = self.written(outer, of_outer);
        if written.is_some() && written == self.written(inner, of_inner) {
            return true;
        }
        let here = Here {
            expr: outer,
            names: of_outer.clone(),
            not: false,
            depth: 0,
        };
        match &outer.kind {
            Kind::Sign("cup") => outer
                .parts
                .iter()
                .any(|part| self.includes(part, of_outer, inner, of_inner)),
            Kind::Name(Target::Definition(_), _) => self
                .opened(&here)
                .is_some_and(|here| self.includes(here.expr, &here.names, inner, of_inner)),
            _ => false,
        }
    }

    fn form<'m>(&'m self, here: &Here<'m>) -> Form<'m> {
        let part = |expr: &'m Expr, not: bool| Here {
            expr,
            names: here.names.clone(),
            not,
            depth: here.depth,
        };
        let not = here.not;
        let joined = |parts: Vec<Here<'m>>, all: bool| {
            if all != not {
                Form::All(parts)
            } else {
                Form::Any(parts)
            }
        };
        let expr = here.expr;
        match (&expr.kind, &expr.parts[..]) {
            (Kind::Conjunction { .. }, parts) => {
                joined(parts.iter().map(|each| part(each, not)).collect(), true)
            }
            (Kind::Disjunction { .. }, parts) => {
                joined(parts.iter().map(|each| part(each, not)).collect(), false)
            }
            (Kind::Sign("implies"), [first, second]) => {
                joined(vec![part(first, !not), part(second, not)], false)
            }
            (Kind::Sign("lnot"), [inner]) => self.form(&part(inner, !not)),
            (Kind::Sign(sign @ ("eq" | "neq")), [left, right]) => {
                let right = vec![self.text(right, here)];
                let not = not != (*sign == "neq");
                let left = self.text(left, here);
                Form::Among { left, right, not }
            }
            (Kind::Sign(sign @ ("in" | "notin")), [left, set]) if matches!(set.kind, Kind::Set) => {
                let right = set.parts.iter().map(|each| self.text(each, here)).collect();
                let not = not != (*sign == "notin");
                let left = self.text(left, here);
                Form::Among { left, right, not }
            }
            (Kind::Sign(sign @ ("in" | "notin")), [left, set]) => {
                let text = format!("{} \\in {}", self.text(left, here), self.text(set, here));
                Form::Atom(text, not != (*sign == "notin"))
            }
            (Kind::ForAll | Kind::Exists(_), [sets @ .., body]) => match bound(expr, sets) {
                Some(bounds) => Form::Quantified {
                    exists: matches!(expr.kind, Kind::Exists(_)) != not,
                    bounds,
                    body: part(body, not),
                },
                None => Form::Atom(self.text(expr, here), not),
            },
            (Kind::Name(Target::Definition(_), _), _) => match self.opened(here) {
                Some(inner) => self.form(&inner),
                None => Form::Atom(self.text(expr, here), not),
            },
            _ => Form::Atom(self.text(expr, here), not),
        }
    }

    /// The body of the operator that the formula is a call of, with its arguments.
    fn opened<'m>(&'m self, here: &Here<'m>) -> Option<Here<'m>> {
        let Kind::Name(Target::Definition(id), _) = &here.expr.kind else {
            return None;
        };
        let definition = &self.definitions[*id];
        let own = definition.origin == Origin::Module;
        let plain = definition
            .parameters
            .iter()
            .all(|parameter| parameter.arity == 0);
        if !own || !plain || here.depth == DEEPEST {
            return None;
        }
        let mut names = here.names.clone();
        let parameters = definition.parameters.iter().rev();
        for (parameter, argument) in parameters.zip(here.expr.parts.iter().rev()) {
            names.insert(parameter.local, self.written(argument, &here.names));
        }
        Some(Here {
            expr: &definition.body,
            names,
            not: here.not,
            depth: here.depth + 1,
        })
    }

    /// The same text for the same formula; one that cannot be written equals no other.
    fn text(&self, expr: &Expr, here: &Here) -> String {
        let written = self.written(expr, &here.names);
        written.unwrap_or_else(|| format!("{:?} at depth {}", expr.place, here.depth))
    }
}

/// The step of `[][A]_v`, or the formula itself.
fn step_of(expr: &Expr) -> &Expr {
    match (&expr.kind, &expr.parts[..]) {
        (Kind::Always | Kind::SquareAction, [inner, ..]) => step_of(inner),
        _ => expr,
    }
}

/// The names that a quantifier binds, each with its set.
fn bound<'m>(expr: &'m Expr, sets: &'m [Expr]) -> Option<Vec<(Local, &'m Expr)>> {
    let names = expr.binders.iter().map(|(local, _)| *local);
    match sets {
        [set] => Some(names.map(|local| (local, set)).collect()),
        sets if sets.len() == expr.binders.len() => Some(names.zip(sets).collect()),
        _ => None,
    }
}

/// Whether being among some values, or not, is or is not being among others.
fn follows(given: &[String], given_not: bool, wanted: &[String], wanted_not: bool) -> bool {
    let within = |few: &[String], many: &[String]| few.iter().all(|value| many.contains(value));
    // two strings are the same value only if they are the same text
    let string = |value: &String| value.starts_with('"');
    match (given_not, wanted_not) {
        (false, false) => within(given, wanted),
        (true, true) => within(wanted, given),
        (false, true) => {
            given.iter().chain(wanted).all(string)
                && !given.iter().any(|value| wanted.contains(value))
        }
        (true, false) => false,
    }
}
