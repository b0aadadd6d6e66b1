//! Which rows read which definitions of an area.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context as _, Result};
use interlock_checker::manifest::{Engine, Expect, Manifest, Model};
use interlock_checker::toolchain::hex_sha256;
use interlock_tla::module::source::{Node, Source, children, descendants};
use interlock_tla::module::{Level, Module, Name, REPLACES};

use crate::coverage::{Coverage, Span};
use crate::operators::Role;
use crate::row::{asked, first, is_asked, next, substituted};

/// An area's modules and rows.
#[derive(Debug)]
pub struct Area<'a> {
    /// Its folder's name.
    pub name: String,
    sources: BTreeMap<String, Source>,
    rows: Vec<Row<'a>>,
    roles: Roles,
    named: Named,
}

/// What formulas of an area name, whatever module a name is of.
#[derive(Debug, Default)]
struct Named {
    /// In each module, by place.
    places: BTreeMap<String, Vec<(Span, String)>>,
    /// In a definition; one in a LET names the definition around it.
    by: BTreeMap<String, BTreeSet<String>>,
    /// In what an instance puts in the place of its module's names.
    substituted: BTreeSet<String>,
}

/// A row, and what it reads.
#[derive(Debug)]
struct Row<'a> {
    model: &'a Model,
    modules: BTreeSet<String>,
    names: BTreeSet<String>,
    checks: BTreeSet<String>,
    counted: BTreeSet<String>,
    digest: String,
}

#[derive(Debug, Default)]
struct Roles {
    actions: BTreeSet<String>,
    initial: BTreeSet<String>,
    checked: BTreeSet<String>,
    behavior: BTreeSet<String>,
    policies: BTreeSet<String>,
}

impl<'a> Area<'a> {
    /// Reads the modules in the folder `name`, and what its rows for the engine read of them.
    ///
    /// # Errors
    ///
    /// When a module cannot be read or parsed.
    pub fn read(manifest: &'a Manifest, name: &str, engine: Engine) -> Result<Area<'a>> {
        let folder = manifest.specs.join(name);
        let files = fs::read_dir(&folder)
            .and_then(|files| files.collect::<Result<Vec<_>, _>>())
            .with_context(|| format!("{} cannot be listed", folder.display()))?;
        let mut sources = BTreeMap::new();
        for path in files.iter().map(fs::DirEntry::path) {
            let Some(module) = path.file_stem().and_then(|stem| stem.to_str()) else {
                continue;
            };
            if path.extension().is_some_and(|extension| extension == "tla") {
                sources.insert(module.to_owned(), Source::read(&path)?);
            }
        }
        let mut area = Area {
            name: name.to_owned(),
            named: Named::of(&sources),
            sources,
            rows: Vec::new(),
            roles: Roles::default(),
        };
        let of_area = manifest.models.iter();
        let of_area =
            of_area.filter(|model| model.area == name && model.engine == engine && is_asked(model));
        let records = area.records();
        let mut symbolic = BTreeSet::new();
        let mut roots: BTreeMap<&str, Root> = BTreeMap::new();
        for model in of_area {
            if !roots.contains_key(model.module.as_str()) {
                let module = Module::read(&folder, &model.module)?;
                area.roles.take(&module);
                let replacing = module.constants().iter();
                let replacing = replacing.map(|constant| format!("{REPLACES}{constant}"));
                let replacing = replacing.filter(|operator| records.contains(operator));
                area.roles.policies.extend(replacing);
                let modules = area.closure(&model.module);
                let assumed = area.assumed(&modules);
                roots.insert(&model.module, Root::new(module, modules, assumed));
            }
            let Some(root) = roots.get_mut(model.module.as_str()) else {
                continue;
            };
            let (policies, others): (Vec<&str>, Vec<&str>) =
                substituted(model).partition(|operator| records.contains(*operator));
            let behavior = root.used(others.into_iter().chain(next(model)));
            let mut names = root.used(asked(model));
            names.extend(root.assumed.iter().cloned());
            names.extend(behavior.iter().cloned());
            symbolic.extend(root.used(first(model)));
            let invariants = model.invariants.iter().map(String::as_str);
            area.roles.checked.extend(root.used(invariants));
            area.roles.behavior.extend(behavior);
            area.roles
                .policies
                .extend(policies.into_iter().map(str::to_owned));
            area.rows.push(Row {
                digest: digest(
                    model,
                    &names,
                    root.modules.iter().map(|name| &area.sources[name]),
                )?,
                model,
                modules: root.modules.clone(),
                checks: root.checks(model),
                counted: match engine {
                    Engine::Tlc => root.counted(&names, model),
                    Engine::Apalache | Engine::TlaChecker => BTreeSet::new(),
                },
                names,
            });
        }
        // A first state of Apalache's may be any that an inductive invariant has; that is checked, too.
        let Roles {
            behavior, checked, ..
        } = &area.roles;
        symbolic.retain(|name| !behavior.contains(name) && !checked.contains(name));
        area.roles.initial.extend(symbolic);
        Ok(area)
    }

    /// The modules that rows read, in alphabetic order.
    pub fn modules(&self) -> BTreeSet<&str> {
        let modules = self.rows.iter().flat_map(|row| &row.modules);
        modules.map(String::as_str).collect()
    }

    /// The text of a module.
    pub fn source(&self, module: &str) -> Option<&Source> {
        self.sources.get(module)
    }

    /// The names of operators that say something of the next state.
    pub fn actions(&self) -> &BTreeSet<String> {
        &self.roles.actions
    }

    /// Whether a row gives a constant the policy of this name.
    pub fn is_policy(&self, name: &str) -> bool {
        self.roles.policies.contains(name)
    }

    /// What a definition is to the rows. The one that is several is the first of these.
    pub fn role(&self, name: &str) -> Role {
        match &self.roles {
            roles if roles.policies.contains(name) => Role::Policy,
            roles if roles.initial.contains(name) => Role::Initial,
            roles if roles.behavior.contains(name) => Role::Behavior,
            _ => Role::Property,
        }
    }

    /// Whether a row reads the definition.
    pub fn is_reached(&self, module: &str, definition: &str) -> bool {
        self.reaching(module, definition).next().is_some()
    }

    /// All rows that are asked, in the manifest's order.
    pub fn all_rows(&self) -> Vec<&'a Model> {
        self.rows.iter().map(|row| row.model).collect()
    }

    /// The rows that read the definition, in the manifest's order.
    pub fn rows(&self, module: &str, definition: &str) -> Vec<&'a Model> {
        self.reaching(module, definition)
            .map(|row| row.model)
            .collect()
    }

    /// The rows that cannot notice that the definition is weaker: it is one of their checks and nothing else, and is not expected to
    /// fail.
    pub fn blind(&self, module: &str, definition: &str) -> BTreeSet<&'a str> {
        let fails = |model: &Model| match &model.expect {
            Expect::Violates { property, .. } => property == definition,
            Expect::Holds | Expect::Typed => false,
        };
        let others: BTreeSet<&String> = self
            .sources
            .iter()
            .filter(|(name, source)| *name != module && defines(source, definition))
            .map(|(name, _)| name)
            .collect();
        self.reaching(module, definition)
            .filter(|row| row.checks.contains(definition) && !fails(row.model))
            .filter(|row| !row.modules.iter().any(|name| others.contains(name)))
            .map(|row| row.model.name.as_str())
            .collect()
    }

    /// The rows in which TLC counts how often it evaluates the definition's formulas.
    pub fn counting(&self, module: &str, definition: &str) -> BTreeSet<&'a str> {
        self.reaching(module, definition)
            .filter(|row| row.counted.contains(definition))
            .map(|row| row.model.name.as_str())
            .collect()
    }

    /// The definitions that are evaluated although they may be counted as if they were not: what the run's formulas lead to of whose
    /// parts it says nothing.
    pub fn hidden(&self, coverage: &Coverage) -> BTreeSet<String> {
        let mut todo: Vec<&String> = coverage.names.iter().collect();
        todo.extend(&self.named.substituted);
        for (module, end) in &coverage.ends {
            let places = self.named.places.get(module).into_iter().flatten();
            let within = places.filter(|(place, _)| end.has(place));
            todo.extend(within.map(|(_, name)| name));
        }
        let mut hidden = BTreeSet::new();
        while let Some(name) = todo.pop() {
            if let Some(names) = self.named.by.get(name)
                && hidden.insert(name.clone())
            {
                todo.extend(names);
            }
        }
        hidden
    }

    /// The digest of all that decides what these rows say together: the claims, and what they read.
    pub fn digest(&self, models: &[&Model]) -> String {
        let of = |model: &&Model| self.rows.iter().find(|row| row.model.name == model.name);
        let digests = models.iter().filter_map(of).map(|row| &row.digest[..]);
        let mut digest = hex_sha256(Vec::from_iter(digests).concat().as_bytes());
        // Short, for a survivor has one of each of its asks.
        digest.truncate(16);
        digest
    }

    fn reaching(&self, module: &str, definition: &str) -> impl Iterator<Item = &Row<'a>> {
        self.rows
            .iter()
            .filter(move |row| row.modules.contains(module) && row.names.contains(definition))
    }

    /// The module and all that it takes from the folder.
    fn closure(&self, root: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut todo = vec![root.to_owned()];
        while let Some(name) = todo.pop() {
            let Some(source) = self.sources.get(&name) else {
                continue;
            };
            if found.insert(name) {
                let nodes = source.modules().flat_map(descendants);
                let takes = nodes.filter(|node| matches!(node.kind(), "extends" | "instance"));
                let names = takes.flat_map(children);
                let names = names.filter(|node| node.kind() == "identifier_ref");
                todo.extend(names.map(|node| source.text_of(node).to_owned()));
            }
        }
        found
    }

    /// What the assumptions of these modules name.
    fn assumed(&self, modules: &BTreeSet<String>) -> BTreeSet<String> {
        let sources = modules.iter().filter_map(|name| self.sources.get(name));
        sources
            .flat_map(|source| {
                let nodes = source.modules().flat_map(descendants);
                let assumptions = nodes.filter(|node| node.kind() == "assumption");
                let names = assumptions.flat_map(names);
                names.map(|node| source.text_of(node).to_owned())
            })
            .collect()
    }

    /// The operators that are a record, or one that differs in some fields.
    fn records(&self) -> BTreeSet<String> {
        let mut records = BTreeSet::new();
        for source in self.sources.values() {
            for definition in source.modules().flat_map(children) {
                let parts: Vec<Node> = children(definition).collect();
                if let [name, _, body] = &parts[..]
                    && matches!(body.kind(), "record_literal" | "except")
                {
                    records.insert(source.text_of(*name).to_owned());
                }
            }
        }
        records
    }
}

impl Named {
    fn of(sources: &BTreeMap<String, Source>) -> Named {
        let mut named = Named::default();
        for (module, source) in sources {
            let text = |name: Node| source.text_of(name).to_owned();
            let places = source.modules().flat_map(names);
            let places = places.map(|name| (Span::of_node(name), text(name)));
            named.places.insert(module.clone(), places.collect());
            let nodes = source.modules().flat_map(descendants);
            let substitutions = nodes.filter(|node| node.kind() == "substitution");
            named
                .substituted
                .extend(substitutions.flat_map(names).map(text));
            for definition in source.modules().flat_map(definitions) {
                let own = name(source, definition).to_owned();
                for part in descendants(definition) {
                    if matches!(part.kind(), "operator_definition" | "function_definition") {
                        let inner = named.by.entry(name(source, part).to_owned()).or_default();
                        inner.insert(own.clone());
                    }
                }
                let names = names(definition).map(text);
                named.by.entry(own).or_default().extend(names);
            }
        }
        named
    }
}

/// A root module, and what its operators lead to.
struct Root {
    module: Module,
    modules: BTreeSet<String>,
    assumed: BTreeSet<String>,
    used: BTreeMap<String, BTreeSet<String>>,
}

impl Root {
    /// `assumed` is what its assumptions name.
    fn new(module: Module, modules: BTreeSet<String>, assumed: BTreeSet<String>) -> Root {
        let mut root = Root {
            module,
            modules,
            assumed: BTreeSet::new(),
            used: BTreeMap::new(),
        };
        root.assumed = root.used(assumed.iter().map(String::as_str));
        root
    }

    /// The row's invariants and property that nothing else uses which it reads.
    fn checks(&mut self, model: &Model) -> BTreeSet<String> {
        let mut checks = BTreeSet::new();
        for check in model.checks() {
            let others = asked(model).chain(next(model));
            let others: Vec<&str> = others.filter(|other| *other != check).collect();
            let elsewhere = self.used(others);
            if !elsewhere.contains(check) && !self.assumed.contains(check) {
                checks.insert(check.to_owned());
            }
        }
        checks
    }

    /// Of these names those that TLC evaluates for states and steps alone. It finds what is constant before it counts, and does not
    /// count what a property, a view, a symmetry, a constraint or an assumption asks, nor what takes the place of something else.
    fn counted(&mut self, names: &BTreeSet<String>, model: &Model) -> BTreeSet<String> {
        let others = model.property.iter().chain(&model.symmetry);
        let others = others.chain(&model.view).chain(&model.constraint);
        let others = others.map(String::as_str).chain(substituted(model));
        let mut not_counted = self.used(others.collect::<Vec<_>>());
        not_counted.extend(self.assumed.iter().cloned());
        let mut counted = BTreeSet::new();
        for name in self.module.names() {
            let Name::Definition(name, _, level) = name else {
                continue;
            };
            let into = match level {
                Level::State | Level::Action => &mut counted,
                Level::Constant | Level::Temporal => &mut not_counted,
            };
            into.insert(last(&name).to_owned());
        }
        counted.retain(|name| names.contains(name) && !not_counted.contains(name));
        counted
    }

    fn used<'a>(&mut self, operators: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for operator in operators {
            if !self.used.contains_key(operator) {
                let used = used(&self.module, operator);
                self.used.insert(operator.to_owned(), used);
            }
            all.extend(self.used[operator].iter().cloned());
        }
        all
    }
}

impl Roles {
    fn take(&mut self, module: &Module) {
        let actions = module.names().into_iter().filter_map(|name| match name {
            Name::Definition(name, _, Level::Action) => Some(last(&name).to_owned()),
            _ => None,
        });
        self.actions.extend(actions);
        let next = used(module, "Next");
        let initial = used(module, "Init");
        self.initial.extend(initial.difference(&next).cloned());
    }
}

/// The digest of a row and of what it reads of these modules: what they define of these names, and all that is no definition.
/// Where it stands decides nothing, nor what is said of it.
fn digest<'a>(
    model: &Model,
    names: &BTreeSet<String>,
    sources: impl Iterator<Item = &'a Source>,
) -> Result<String> {
    let model = Model {
        line: 0,
        ..model.clone()
    };
    let mut decides = serde_json::to_string(&model)?;
    for source in sources {
        let is_read = |node: &Node| {
            definition(*node).is_none_or(|definition| names.contains(name(source, definition)))
        };
        for node in source.modules().flat_map(children).filter(is_read) {
            decides += &source.code_of(node);
        }
    }
    Ok(hex_sha256(decides.as_bytes()))
}

/// The names in a formula, those of variables and parameters included.
fn names(formula: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let parts = descendants(formula).into_iter();
    parts.filter(|part| part.kind() == "identifier_ref")
}

/// Whether a module has a definition of this name.
fn defines(source: &Source, wanted: &str) -> bool {
    let mut definitions = source.modules().flat_map(definitions);
    definitions.any(|definition| name(source, definition) == wanted)
}

/// Operators and functions, those of LETs and of modules inside of others not included.
pub(crate) fn definitions(module: Node<'_>) -> Vec<Node<'_>> {
    children(module).filter_map(definition).collect()
}

/// The definition that a part of a module is, if it is one of an operator or of a function.
fn definition(node: Node<'_>) -> Option<Node<'_>> {
    let node = match node.kind() {
        "local_definition" => children(node).last().unwrap_or(node),
        _ => node,
    };
    matches!(node.kind(), "operator_definition" | "function_definition").then_some(node)
}

/// A definition's name.
pub(crate) fn name<'a>(source: &'a Source, definition: Node) -> &'a str {
    let name = definition
        .child_by_field_name("name")
        .or_else(|| children(definition).next());
    name.map_or("", |name| source.text_of(name))
}

/// The operator and all that it leads to; of one of an instance, the name that it has there.
fn used(module: &Module, operator: &str) -> BTreeSet<String> {
    let used = module.used_by(operator).into_iter();
    used.map(|name| last(name).to_owned()).collect()
}

fn last(name: &str) -> &str {
    name.rsplit('!').next().unwrap_or(name)
}
