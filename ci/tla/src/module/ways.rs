//! The ways to take a step: what a next-state relation is a choice of.

use super::expression::{Expr, Kind, Target};
use super::text::Names;
use super::{Module, Name};

/// The next-state relation's name, in every module.
pub const NEXT: &str = "Next";

/// An action that the next-state relation has among its alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// What is bound around it, from the outside in: `t \in Task`.
    pub bounds: Vec<String>,
    /// Its name.
    pub action: String,
    /// It with its arguments, as a formula.
    pub taken: String,
    /// The arguments.
    pub arguments: Vec<String>,
}

impl Way {
    /// The action's name and its arguments, as a tuple's first and second.
    pub fn label(&self) -> String {
        format!("\"{}\", <<{}>>", self.action, self.arguments.join(", "))
    }

    /// A formula in the action's place with this quantifier, `\E` or `\A`, over all that is bound around it.
    pub fn quantified(&self, quantifier: &str, formula: &str) -> String {
        let bounds = self.bounds.iter();
        let bounds: String = bounds
            .map(|bound| format!("{quantifier} {bound} : "))
            .collect();
        format!("{bounds}{formula}")
    }
}

impl Module {
    /// What `Next` is a choice of, in the order of its text: a disjunction, under `\E` or not, of actions. Each formula means the
    /// same in any module that extends this one. `None` when there is no `Next`.
    ///
    /// # Errors
    ///
    /// When `Next` is something else; the text tells what, and in which line.
    pub fn ways(&self) -> Option<Result<Vec<Way>, String>> {
        let next = &self.definitions[self.id(NEXT)?];
        let mut ways = Vec::new();
        let all = self.add_ways(&next.body, &mut Vec::new(), &mut ways);
        Some(all.map(|()| ways).map_err(|other| {
            let place = &other.place;
            let line = self.texts[place.text].line(place.range.start);
            let shown = self.shown(place.text, &place.range);
            format!("line {line}: {NEXT} is to be a choice of actions, and this is none: {shown}")
        }))
    }

    /// The variables, those of modules that are extended included, in alphabetic order.
    pub fn variables(&self) -> Vec<String> {
        let names = self.names().into_iter();
        let variables = names.filter_map(|name| match name {
            Name::Variable(name) => Some(name),
            Name::Constant(_) | Name::Definition(..) => None,
        });
        variables.collect()
    }

    fn add_ways<'a>(
        &self,
        expr: &'a Expr,
        around: &mut Vec<String>,
        ways: &mut Vec<Way>,
    ) -> Result<(), &'a Expr> {
        let names = Names::new();
        match (&expr.kind, &expr.parts[..]) {
            (Kind::Disjunction { .. }, parts) => {
                for part in parts {
                    self.add_ways(part, around, ways)?;
                }
            }
            (Kind::Exists(bounds), [.., body]) => {
                around.push(self.bounds(expr, bounds, &names).ok_or(expr)?);
                self.add_ways(body, around, ways)?;
                around.pop();
            }
            (Kind::Name(Target::Definition(id), _), arguments)
                if self.shapes.of_definition(*id).primed =>
            {
                let arguments = arguments.iter().map(|part| self.written(part, &names));
                ways.push(Way {
                    bounds: around.clone(),
                    action: self.definitions[*id].name.clone(),
                    taken: self.written(expr, &names).ok_or(expr)?,
                    arguments: arguments.collect::<Option<_>>().ok_or(expr)?,
                });
            }
            _ => return Err(expr),
        }
        Ok(())
    }
}
