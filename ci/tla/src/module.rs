//! TLA+ modules: what they declare and define, and what their formulas are made of.
//!
//! `library` reads the files of a module and of all that it takes by `EXTENDS` and `INSTANCE`, each with the parser of
//! `source`. `elaborate` makes of them what the module declares and defines, and `formula` resolves the names of each formula
//! to what they mean there. `shape` says what a formula is about, `ways` which actions the next-state relation is a choice of,
//! and `guards` what an action demands of a state. `listing` is a module's text for a reader.
//!
//! A name that nothing defines is passed over: whether a module is one that TLC accepts, TLC says. Of a part of a definition
//! that is named by its place (`Op!2`), what is said holds of the whole.

mod antecedent;
mod elaborate;
mod expression;
mod formula;
mod guards;
mod library;
mod listing;
mod operators;
mod outline;
mod scope;
mod shape;
pub mod source;
mod text;
mod ways;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use elaborate::Elaborator;
use expression::{Definition, Expr, Id, Kind, Origin, Place, Target};
use library::Library;
use shape::Shapes;
use text::Text;

pub use guards::Guard;
pub use listing::{Anchor, Class, Link, Listing, Token};
pub use outline::{Defined, Name, Site};
pub use shape::{Level, Shape};
pub use ways::{NEXT, Way};

/// What the name of a definition begins with that Apalache reads in place of another, whose name is the rest.
pub const REPLACES: &str = "OVERRIDE_";

/// A module, with what it extends and instantiates.
#[derive(Debug, Clone)]
pub struct Module {
    names: BTreeMap<String, Target>,
    constants: BTreeSet<String>,
    definitions: Vec<Definition>,
    /// As the elaborator has collected them.
    loose: Vec<Expr>,
    declared: BTreeMap<String, Place>,
    replaced: Vec<(Place, Place)>,
    shapes: Shapes,
    /// Its own text's place in `texts`.
    text: usize,
    texts: Vec<Text>,
}

impl Module {
    /// Reads `name`.tla in `directory`, and the modules it takes from there.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or is not TLA+ (with its line and column), is called other than the module in it, or takes a
    /// module that there is not.
    pub fn read(directory: &Path, name: &str) -> anyhow::Result<Self> {
        Self::read_from(&[directory], name)
    }

    /// As [`Module::read`]; a module that is not in the first of the directories is looked for in the next.
    ///
    /// # Errors
    ///
    /// As [`Module::read`].
    pub fn read_from(directories: &[&Path], name: &str) -> anyhow::Result<Self> {
        let library = Library::read(directories, name)?;
        let mut elaborator = Elaborator::new(&library);
        let names = elaborator.root(name);
        let definitions = elaborator.definitions;
        let is_constant = |target: &Target| matches!(target, Target::Constant(_));
        let constants = names.iter().filter(|(_, target)| is_constant(target));
        Ok(Self {
            constants: constants.map(|(name, _)| name.clone()).collect(),
            shapes: Shapes::new(&definitions),
            names,
            definitions,
            loose: elaborator.loose,
            declared: elaborator.declared,
            replaced: elaborator.replaced,
            text: library.module(name).map_or(0, |unit| unit.text),
            texts: library.texts.into_iter().map(Text::from).collect(),
        })
    }

    /// Whether an operator of this name is defined, here or in a standard module that is extended.
    pub fn defines(&self, name: &str) -> bool {
        self.id(name).is_some()
    }

    /// The defined operators in alphabetic order, without those of the standard modules.
    pub fn operators(&self) -> impl Iterator<Item = &str> {
        let names = self.names.iter().filter(|(_, target)| match target {
            Target::Definition(id) => self.definitions[*id].origin != Origin::Standard,
            _ => false,
        });
        names.map(|(name, _)| name.as_str())
    }

    /// The declared constants, those of extended modules included; not those of instances, which are substituted.
    pub fn constants(&self) -> &BTreeSet<String> {
        &self.constants
    }

    /// The names of the operator's parameters; none, if it is not defined.
    pub fn parameters(&self, operator: &str) -> Vec<&str> {
        let parameters = self.id(operator).map(|id| &self.definitions[id].parameters);
        let parameters = parameters.into_iter().flatten();
        parameters
            .map(|parameter| parameter.name.as_str())
            .collect()
    }

    /// What the operator's definition, and every definition that it uses, is made of; the action in an `ENABLED` apart, which
    /// is a formula about one state.
    pub fn shape(&self, operator: &str) -> Shape {
        self.id(operator)
            .map_or_else(Shape::default, |id| self.shapes.of_definition(id))
    }

    /// The actions that the next-state relation of the specification `spec` names: the operators in the text of `Next` which
    /// say something of the next state, or `Next` itself where it is a conjunction.
    pub fn steps(&self, spec: &str) -> Vec<&str> {
        let Some(spec) = self.id(spec) else {
            return Vec::new();
        };
        let mut next = None;
        for id in self.reached([spec]) {
            walk(&self.definitions[id].body, &mut |expr| {
                if let (Kind::Always, [step]) = (&expr.kind, &expr.parts[..])
                    && let (Kind::SquareAction, [action, ..]) = (&step.kind, &step.parts[..])
                {
                    next.get_or_insert(action);
                }
            });
        }
        let used = match next {
            Some(Expr {
                kind: Kind::Name(Target::Definition(next), _),
                ..
            }) => match &self.definitions[*next].body {
                Expr {
                    kind: Kind::Conjunction { .. },
                    ..
                } => BTreeSet::from([*next]),
                choice => self.uses(choice),
            },
            Some(action) => self.uses(action),
            None => BTreeSet::new(),
        };
        used.into_iter()
            .filter(|id| self.shapes.of_definition(*id).primed)
            .map(|id| self.definitions[id].name.as_str())
            .collect()
    }

    /// `operator` and every operator of the project's modules that its definition leads to.
    pub fn used_by<'a>(&'a self, operator: &'a str) -> BTreeSet<&'a str> {
        let reached = self.reached(self.id(operator)).into_iter();
        let names = reached.map(|id| self.definitions[id].name.as_str());
        names.chain([operator]).collect()
    }

    /// Whether the operator's definition, or one that it leads to, names the constant.
    pub fn reads(&self, operator: &str, constant: &str) -> bool {
        let mut todo = Vec::from_iter(self.id(operator));
        let mut seen = BTreeSet::from_iter(todo.clone());
        let mut found = false;
        while let Some(id) = todo.pop() {
            walk(&self.definitions[id].body, &mut |expr| match &expr.kind {
                Kind::Name(Target::Constant(name), _) => found |= name == constant,
                Kind::Name(Target::Definition(id), _) if seen.insert(*id) => todo.push(*id),
                _ => {}
            });
        }
        found
    }

    fn id(&self, name: &str) -> Option<Id> {
        match self.names.get(name) {
            Some(Target::Definition(id)) => Some(*id),
            _ => None,
        }
    }

    /// These definitions and all of the project's modules that they lead to.
    fn reached(&self, from: impl IntoIterator<Item = Id>) -> BTreeSet<Id> {
        let mut reached: BTreeSet<Id> = from.into_iter().collect();
        let mut todo = Vec::from_iter(reached.iter().copied());
        while let Some(id) = todo.pop() {
            let used = self.uses(&self.definitions[id].body);
            todo.extend(used.into_iter().filter(|id| reached.insert(*id)));
        }
        reached
    }

    /// The definitions of the project's modules that the formula names, also through those of a LET; for one, or a constant, that
    /// Apalache reads another definition in place of, that one.
    fn uses(&self, expr: &Expr) -> BTreeSet<Id> {
        let mut seen = BTreeSet::new();
        let mut instead = BTreeSet::new();
        let mut todo = vec![expr];
        while let Some(expr) = todo.pop() {
            walk(expr, &mut |expr| match &expr.kind {
                Kind::Name(Target::Definition(id), _) if seen.insert(*id) => {
                    let definition = &self.definitions[*id];
                    if matches!(definition.origin, Origin::Let | Origin::Substitution) {
                        todo.push(&definition.body);
                    }
                }
                Kind::Name(Target::Constant(name), _) => instead.extend(self.replacing(name)),
                _ => {}
            });
        }
        seen.retain(|id| self.definitions[*id].origin == Origin::Module);
        let replaced = |id: Id| self.replacing(&self.definitions[id].name).unwrap_or(id);
        instead.extend(seen.into_iter().map(replaced));
        instead
    }

    /// What Apalache reads in place of the constant or the definition of this name.
    fn replacing(&self, name: &str) -> Option<Id> {
        self.id(&format!("{REPLACES}{name}"))
    }
}

/// Shows `visit` the formula and all its parts.
fn walk<'a>(expr: &'a Expr, visit: &mut impl FnMut(&'a Expr)) {
    visit(expr);
    for part in &expr.parts {
        walk(part, visit);
    }
}
