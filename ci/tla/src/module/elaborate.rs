//! What a module declares and defines, with all that it takes from others.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::expression::{Definition, Expr, Id, Kind, Local, Origin, Parameter, Place, Target};
use super::library::Library;
use super::operators;
use super::scope::{Given, Scope, Unit};
use super::source::{children, fields};

/// Collects the definitions of modules, each of an instance anew.
pub(super) struct Elaborator<'a> {
    library: &'a Library,
    pub(super) definitions: Vec<Definition>,
    /// Formulas that are no definition's: assumptions, and lone names that an instance puts for declared ones.
    pub(super) loose: Vec<Expr>,
    /// Where the constants and variables of the module and of those that it extends are declared.
    pub(super) declared: BTreeMap<String, Place>,
    /// The places where an instance names what it puts something for, and where that is declared.
    pub(super) replaced: Vec<(Place, Place)>,
    /// How many local names there are.
    locals: usize,
    /// The definitions that are reserved.
    open: BTreeSet<Id>,
    standard: BTreeMap<String, Given<'a>>,
}

/// Where in the modules the reader is.
pub(super) struct Context<'a> {
    pub(super) text: usize,
    pub(super) scope: Scope<'a>,
    instance: Instance,
    origin: Origin,
    /// What was extended already: the same definitions, whoever extends it again.
    extended: BTreeMap<String, Given<'a>>,
    /// The modules that take this one. One that takes itself has no meaning, and must not hang the reader.
    above: Vec<String>,
}

/// What is being instantiated.
#[derive(Clone, Default)]
struct Instance {
    /// What its definitions' names begin with.
    prefix: String,
    /// The parameters that it gives to its definitions.
    parameters: Vec<Parameter>,
    /// What takes the place of each declared name; `None` where nothing is instantiated.
    instead: Option<BTreeMap<String, Target>>,
}

impl<'a> Elaborator<'a> {
    pub(super) fn new(library: &'a Library) -> Self {
        Self {
            library,
            definitions: Vec::new(),
            loose: Vec::new(),
            declared: BTreeMap::new(),
            replaced: Vec::new(),
            locals: 0,
            open: BTreeSet::new(),
            standard: BTreeMap::new(),
        }
    }

    /// What module `name` has for its own use.
    pub(super) fn root(&mut self, name: &str) -> BTreeMap<String, Target> {
        let Some(unit) = self.library.module(name) else {
            return BTreeMap::new();
        };
        let mut context = Context {
            text: unit.text,
            scope: Scope::default(),
            instance: Instance::default(),
            origin: Origin::Module,
            extended: BTreeMap::new(),
            above: vec![name.to_owned()],
        };
        self.units(&mut context, unit.node);
        context.scope.own().names.clone()
    }

    pub(super) fn text_of(&self, context: &Context, node: Node) -> &'a str {
        self.library.texts[context.text].text_of(node)
    }

    pub(super) fn place(&self, context: &Context, node: Node) -> Place {
        Place {
            text: context.text,
            range: node.byte_range(),
        }
    }

    /// The parts of a module, in their order.
    fn units(&mut self, context: &mut Context<'a>, module: Node<'a>) {
        for unit in children(module) {
            self.unit(context, unit, false);
        }
    }

    fn unit(&mut self, context: &mut Context<'a>, node: Node<'a>, hidden: bool) {
        match node.kind() {
            "extends" => {
                for name in children(node) {
                    let given = self.extended(context, self.text_of(context, name));
                    context.scope.extend(given);
                }
            }
            "constant_declaration" | "variable_declaration" => {
                let constant = node.kind() == "constant_declaration";
                for declared in children(node) {
                    let name = self.name(context, declared);
                    let itself = match constant {
                        true => Target::Constant(name.clone()),
                        false => Target::Variable(name.clone()),
                    };
                    let at = declared.child_by_field_name("name").unwrap_or(declared);
                    let place = self.place(context, at);
                    match &context.instance.instead {
                        Some(instead) => {
                            let target = instead.get(&name).cloned().unwrap_or(Target::Unknown);
                            context.scope.substitute(name, target, place);
                        }
                        None => {
                            self.declared.insert(name.clone(), place);
                            context.scope.add(name, itself, false);
                        }
                    }
                }
            }
            "recursive_declaration" => {
                for declared in children(node) {
                    let name = self.name(context, declared);
                    let id = self.reserve(context, &name, declared);
                    context.scope.add(name, Target::Definition(id), hidden);
                }
            }
            "operator_definition" | "function_definition" => {
                let name = self.name(context, node);
                let reserved = self.reserved(context, &name);
                let id = self.define(context, node, reserved, context.origin);
                self.qualify(id, &context.instance);
                context.scope.add(name, Target::Definition(id), hidden);
            }
            "instance" | "module_definition" => {
                for (name, target) in self.instance(context, node, context.origin) {
                    context.scope.add(name, target, hidden);
                }
            }
            "local_definition" => {
                for definition in children(node) {
                    self.unit(context, definition, true);
                }
            }
            "module" => {
                if let Some(name) = node.child_by_field_name("name") {
                    let (text, name) = (context.text, self.text_of(context, name).to_owned());
                    context.scope.add_module(name, Unit { text, node });
                }
            }
            "assumption" if context.instance.instead.is_none() => {
                if let Some(formula) = children(node).last() {
                    let formula = self.expr(context, formula);
                    self.loose.push(formula);
                }
            }
            // theorems and their proofs define nothing that a model can name
            _ => {}
        }
    }

    /// What module `name` gives to a module that extends it.
    fn extended(&mut self, context: &mut Context<'a>, name: &str) -> Given<'a> {
        if context.above.iter().any(|above| above == name) {
            return Given::default();
        }
        if let Some(unit) = context.scope.module(name).or(self.library.module(name)) {
            if let Some(given) = context.extended.get(name) {
                return given.clone();
            }
            let mut inner = Context {
                text: unit.text,
                scope: Scope::default(),
                instance: context.instance.clone(),
                origin: context.origin,
                extended: std::mem::take(&mut context.extended),
                above: [&context.above[..], &[name.to_owned()]].concat(),
            };
            self.units(&mut inner, unit.node);
            let given = inner.scope.given();
            context.extended = inner.extended;
            context.extended.insert(name.to_owned(), given.clone());
            return given;
        }
        let Some(unit) = self.library.standard(name) else {
            return Given::default();
        };
        if let Some(given) = self.standard.get(name) {
            return given.clone();
        }
        let mut inner = Context {
            text: unit.text,
            scope: Scope::default(),
            instance: Instance::default(),
            origin: Origin::Standard,
            extended: BTreeMap::new(),
            above: vec![name.to_owned()],
        };
        self.units(&mut inner, unit.node);
        let given = inner.scope.given();
        self.standard.insert(name.to_owned(), given.clone());
        given
    }

    /// The names that `INSTANCE M WITH ...` or `I(x) == INSTANCE M WITH ...` defines.
    pub(super) fn instance(
        &mut self,
        context: &mut Context<'a>,
        node: Node<'a>,
        origin: Origin,
    ) -> BTreeMap<String, Target> {
        let depth = context.scope.depth();
        let (prefix, instance) = match node.child_by_field_name("definition") {
            Some(instance) => (format!("{}!", self.name(context, node)), instance),
            None => (String::new(), node),
        };
        let parameters = self.parameters(context, &fields(node, "parameter"));
        let names = self.instantiated(context, &prefix, &parameters, instance, origin);
        context.scope.leave(depth);
        let named = |(name, target)| (format!("{prefix}{name}"), target);
        names.into_iter().map(named).collect()
    }

    fn instantiated(
        &mut self,
        context: &mut Context<'a>,
        prefix: &str,
        parameters: &[Parameter],
        node: Node<'a>,
        origin: Origin,
    ) -> BTreeMap<String, Target> {
        let mut parts = children(node);
        let Some(name) = parts.next().map(|name| self.text_of(context, name)) else {
            return BTreeMap::new();
        };
        let inside = context.scope.module(name);
        let Some(unit) = inside.or_else(|| self.library.module(name)) else {
            let given = self.extended(context, name).names;
            return self.with_parameters(given, parameters);
        };
        if context.above.iter().any(|above| above == name) {
            return BTreeMap::new();
        }
        let mut instead = context.scope.visible();
        let mut replaced = Vec::new();
        for substitution in parts {
            let mut parts = children(substitution).filter(|part| part.kind() != "gets");
            if let (Some(name), Some(by)) = (parts.next(), parts.next()) {
                let at = self.place(context, name);
                let name = operators::name(name, self.text_of(context, name));
                let by = self.substitute(context, &name, by);
                replaced.push((at, name.clone()));
                instead.insert(name, by);
            }
        }
        let outer = &context.instance;
        let mut inner = Context {
            text: unit.text,
            scope: match inside {
                Some(_) => context.scope.inside(),
                None => Scope::default(),
            },
            instance: Instance {
                prefix: format!("{}{prefix}", outer.prefix),
                parameters: [&outer.parameters[..], parameters].concat(),
                instead: Some(instead),
            },
            origin,
            extended: BTreeMap::new(),
            above: [&context.above[..], &[name.to_owned()]].concat(),
        };
        self.units(&mut inner, unit.node);
        let mut given = inner.scope.given();
        for (at, name) in replaced {
            let declared = given.substituted.get(&name).cloned();
            self.replaced
                .extend(declared.map(|declared| (at, declared)));
        }
        given
            .names
            .retain(|name, _| !given.substituted.contains_key(name));
        self.with_parameters(given.names, parameters)
    }

    /// An instance with parameters gives them to the standard modules' operators too.
    fn with_parameters(
        &mut self,
        mut names: BTreeMap<String, Target>,
        parameters: &[Parameter],
    ) -> BTreeMap<String, Target> {
        for target in names.values_mut().filter(|_| !parameters.is_empty()) {
            if let Target::Definition(id) = target
                && self.definitions[*id].origin == Origin::Standard
            {
                let mut own = self.definitions[*id].clone();
                own.parameters.splice(0..0, parameters.iter().cloned());
                self.definitions.push(own);
                *target = Target::Definition(self.definitions.len() - 1);
            }
        }
        names
    }

    /// What takes the place of the declared `name`: another name, or a formula.
    fn substitute(&mut self, context: &mut Context<'a>, name: &str, by: Node<'a>) -> Target {
        let depth = context.scope.depth();
        let is_lambda = by.kind() == "lambda";
        let mut parts: Vec<Node> = children(by).collect();
        let body = parts.pop().filter(|_| is_lambda).unwrap_or(by);
        parts.retain(|_| is_lambda);
        let parameters = self.parameters(context, &parts);
        let body = self.expr(context, body);
        context.scope.leave(depth);
        if let (Kind::Name(target, _), []) = (&body.kind, &body.parts[..])
            && !is_lambda
        {
            let target = target.clone();
            self.loose.push(body);
            return target;
        }
        self.definitions.push(Definition {
            name: name.to_owned(),
            origin: Origin::Substitution,
            parameters,
            place: body.place.clone(),
            at: body.place.clone(),
            body,
        });
        Target::Definition(self.definitions.len() - 1)
    }

    /// Reads a definition, into the place reserved for it if there is one.
    pub(super) fn define(
        &mut self,
        context: &mut Context<'a>,
        node: Node<'a>,
        reserved: Option<Id>,
        origin: Origin,
    ) -> Id {
        let depth = context.scope.depth();
        let name = self.name(context, node);
        let is_function = node.kind() == "function_definition";
        // a function may say something of itself
        let reserved = reserved.or_else(|| is_function.then(|| self.reserve(context, &name, node)));
        if let (Some(id), true) = (reserved, is_function) {
            let target = Target::Definition(id);
            context.scope.add_local(name.clone(), target);
        }
        let own = self.parameters(context, &fields(node, "parameter"));
        let body = match is_function {
            true => self.introducing(context, node, Kind::Other),
            false => {
                let body = node.child_by_field_name("definition").unwrap_or(node);
                self.expr(context, body)
            }
        };
        context.scope.leave(depth);
        let definition = Definition {
            name,
            origin,
            parameters: own,
            body,
            place: self.place(context, node),
            at: self.place(context, node.child_by_field_name("name").unwrap_or(node)),
        };
        let id = reserved.unwrap_or_else(|| self.reserve(context, "", node));
        self.open.remove(&id);
        self.definitions[id] = definition;
        id
    }

    /// Gives a module's definition the name and the parameters that it has as an instance's.
    fn qualify(&mut self, id: Id, instance: &Instance) {
        let definition = &mut self.definitions[id];
        definition.name.insert_str(0, &instance.prefix);
        let parameters = instance.parameters.iter().cloned();
        definition.parameters.splice(0..0, parameters);
    }

    /// A place for a definition that is used before it is known.
    pub(super) fn reserve(&mut self, context: &Context<'a>, name: &str, node: Node) -> Id {
        let place = self.place(context, node);
        let id = self.definitions.len();
        self.definitions.push(Definition {
            name: name.to_owned(),
            origin: context.origin,
            parameters: Vec::new(),
            body: Expr {
                kind: Kind::Other,
                place: place.clone(),
                parts: Vec::new(),
                binders: Vec::new(),
            },
            place: place.clone(),
            at: place,
        });
        self.open.insert(id);
        id
    }

    /// What is reserved under this name, and not defined yet.
    pub(super) fn reserved(&self, context: &Context<'a>, name: &str) -> Option<Id> {
        match context.scope.look_up(name) {
            Some(Target::Definition(id)) if self.open.contains(id) => Some(*id),
            _ => None,
        }
    }

    /// The name of what is declared or defined.
    pub(super) fn name(&self, context: &Context<'a>, node: Node<'a>) -> String {
        let name = node.child_by_field_name("name").unwrap_or(node);
        operators::name(name, self.text_of(context, name))
    }

    /// Declares parameters, up to where the caller leaves the scope.
    pub(super) fn parameters(
        &mut self,
        context: &mut Context<'a>,
        nodes: &[Node<'a>],
    ) -> Vec<Parameter> {
        let read = |node: &Node<'a>| {
            let name = self.name(context, *node);
            self.locals += 1;
            let local = Local(self.locals);
            context.scope.add_local(name.clone(), Target::Local(local));
            let placeholders = children(*node).filter(|part| part.kind() == "placeholder");
            Parameter {
                name,
                arity: placeholders.count(),
                local,
                at: self.place(context, node.child_by_field_name("name").unwrap_or(*node)),
            }
        };
        nodes.iter().map(read).collect()
    }
}
