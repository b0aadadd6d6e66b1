//! What names mean at a place of a module.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::expression::{Place, Target};

/// A module's place in the texts.
#[derive(Clone, Copy)]
pub(super) struct Unit<'a> {
    pub(super) text: usize,
    pub(super) node: Node<'a>,
}

/// What a module gives to others.
#[derive(Clone, Default)]
pub(super) struct Given<'a> {
    pub(super) names: BTreeMap<String, Target>,
    /// The modules inside of it.
    pub(super) modules: BTreeMap<String, Unit<'a>>,
    /// The names that an instance substitutes, and where they are declared: given to who extends the module, and to nobody who
    /// instantiates it.
    pub(super) substituted: BTreeMap<String, Place>,
}

/// What names mean.
#[derive(Clone, Default)]
pub(super) struct Scope<'a> {
    /// What the module declares and defines, and what it takes from others.
    own: Given<'a>,
    /// Not given to others: LOCAL.
    hidden: BTreeSet<String>,
    /// What the module around it has.
    around: Given<'a>,
    /// Parameters, bound names and those of LETs, the innermost last.
    locals: Vec<(String, Target)>,
}

impl<'a> Scope<'a> {
    /// That of a module inside of this one.
    pub(super) fn inside(&self) -> Self {
        let mut modules = self.around.modules.clone();
        modules.extend(self.own.modules.clone());
        let around = Given {
            names: self.visible(),
            modules,
            ..Given::default()
        };
        Self {
            around,
            ..Self::default()
        }
    }

    /// All names that mean something here.
    pub(super) fn visible(&self) -> BTreeMap<String, Target> {
        let mut names = self.around.names.clone();
        names.extend(self.own.names.clone());
        names.extend(self.locals.iter().cloned());
        names
    }

    pub(super) fn look_up(&self, name: &str) -> Option<&Target> {
        let mut locals = self.locals.iter().rev();
        let local = locals.find(|(local, _)| local == name);
        local
            .map(|(_, target)| target)
            .or_else(|| self.own.names.get(name))
            .or_else(|| self.around.names.get(name))
    }

    pub(super) fn module(&self, name: &str) -> Option<Unit<'a>> {
        let mut places = [&self.own, &self.around].into_iter();
        places.find_map(|given| given.modules.get(name).copied())
    }

    /// Declares or defines a name of the module.
    pub(super) fn add(&mut self, name: String, target: Target, hidden: bool) {
        if hidden {
            self.hidden.insert(name.clone());
        } else {
            self.hidden.remove(&name);
        }
        self.own.names.insert(name, target);
    }

    /// Declares a name, at this place, for which an instance puts this.
    pub(super) fn substitute(&mut self, name: String, target: Target, place: Place) {
        self.own.substituted.insert(name.clone(), place);
        self.add(name, target, false);
    }

    /// Takes over what another module gives. Of two that give the same name, TLC takes the first.
    pub(super) fn extend(&mut self, given: Given<'a>) {
        for (name, target) in given.names {
            if !self.own.names.contains_key(&name) || self.hidden.contains(&name) {
                self.add(name, target, false);
            }
        }
        self.own.modules.extend(given.modules);
        self.own.substituted.extend(given.substituted);
    }

    pub(super) fn add_module(&mut self, name: String, unit: Unit<'a>) {
        self.own.modules.insert(name, unit);
    }

    /// Declares a name up to the matching [`Scope::leave`].
    pub(super) fn add_local(&mut self, name: String, target: Target) {
        self.locals.push((name, target));
    }

    /// Where to [`Scope::leave`] to.
    pub(super) fn depth(&self) -> usize {
        self.locals.len()
    }

    pub(super) fn leave(&mut self, depth: usize) {
        self.locals.truncate(depth);
    }

    /// What the module has, for its own use.
    pub(super) fn own(&self) -> &Given<'a> {
        &self.own
    }

    /// What it gives to others.
    pub(super) fn given(mut self) -> Given<'a> {
        self.own.names.retain(|name, _| !self.hidden.contains(name));
        self.own
    }
}
