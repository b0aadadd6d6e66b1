//! What a module has, as TLC's own parser can also tell it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::expression::{Definition, Kind, Origin, Target};
use super::{Level, Module, walk};

/// A name that a module has for its own use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// Of a constant that is declared.
    Constant(String),
    /// Of a variable.
    Variable(String),
    /// Of a definition, with the number of its parameters and what it is about.
    Definition(String, usize, Level),
}

/// A definition in a module's own text, those of its LETs included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defined {
    /// Its name.
    pub name: String,
    /// The line that it begins in, from 1.
    pub line: usize,
    /// The number of its parameters.
    pub arity: usize,
    /// What it is about.
    pub level: Level,
    /// The constants, variables and definitions that its text names, and `?` and its text for a name that means nothing; those
    /// in definitions of its LETs not included.
    pub names: BTreeSet<String>,
}

/// Where a definition of a module of the project is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The module's file.
    pub path: PathBuf,
    /// The line that it begins in, from 1.
    pub line: usize,
    /// Its name, in that module.
    pub name: String,
}

impl Module {
    /// The definitions that it has of modules of the project, those of LETs not included.
    pub fn sites(&self) -> BTreeSet<Site> {
        let definitions = self.definitions.iter();
        let own = definitions.filter(|definition| definition.origin == Origin::Module);
        own.map(|definition| self.site(definition)).collect()
    }

    /// Those that these operators lead to, or assumptions.
    pub fn sites_read<'a>(&self, operators: impl IntoIterator<Item = &'a str>) -> BTreeSet<Site> {
        let named = operators.into_iter().filter_map(|name| self.id(name));
        let assumed = self.loose.iter().flat_map(|formula| self.uses(formula));
        let read = self.reached(named.chain(assumed)).into_iter();
        let read = read.filter(|id| self.definitions[*id].origin == Origin::Module);
        read.map(|id| self.site(&self.definitions[id])).collect()
    }

    fn site(&self, definition: &Definition) -> Site {
        let text = &self.texts[definition.place.text];
        let name = definition.name.rsplit('!').next();
        Site {
            path: text.path.clone(),
            line: text.line(definition.place.range.start),
            name: name.unwrap_or_default().to_owned(),
        }
    }

    /// All names that it has for its own use, those of standard modules included.
    pub fn names(&self) -> BTreeSet<Name> {
        let names = self.names.iter().filter_map(|(name, target)| match target {
            Target::Constant(_) => Some(Name::Constant(name.clone())),
            Target::Variable(_) => Some(Name::Variable(name.clone())),
            Target::Definition(id) => Some(Name::Definition(
                name.clone(),
                self.definitions[*id].parameters.len(),
                self.shapes.of_definition(*id).level(),
            )),
            Target::Local(_) | Target::Unknown => None,
        });
        names.collect()
    }

    /// The definitions in its own text, in no particular order.
    pub fn defined(&self) -> Vec<Defined> {
        let own = self
            .definitions
            .iter()
            .enumerate()
            .filter(|(_, definition)| {
                definition.place.text == self.text
                    && matches!(definition.origin, Origin::Module | Origin::Let)
            });
        own.map(|(id, definition)| {
            let start = definition.place.range.start;
            let mut names = BTreeSet::new();
            walk(&definition.body, &mut |expr| {
                if let Kind::Name(target, at) = &expr.kind {
                    names.extend(match target {
                        Target::Constant(name) | Target::Variable(name) => Some(name.clone()),
                        Target::Definition(id) => Some(self.definitions[*id].name.clone()),
                        Target::Local(_) => None,
                        Target::Unknown => Some(format!("?{}", self.verbatim(at))),
                    });
                }
            });
            Defined {
                name: definition.name.clone(),
                line: self.texts[self.text].line(start),
                arity: definition.parameters.len(),
                level: self.shapes.of_definition(id).level(),
                names,
            }
        })
        .collect()
    }
}
