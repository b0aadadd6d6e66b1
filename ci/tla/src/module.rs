//! A light reader of TLA+ modules: what lint must know of them, and no more.
//!
//! It sees definitions (`Op == ...`, `Op(a, b) == ...`, `f[x \in S] == ...`), declared constants, and what a module gets by
//! `EXTENDS`, `INSTANCE` and `X == INSTANCE` from modules of the same directory. It does not see: infix and postfix operators,
//! definitions inside `LET` or in a nested module, operators of the standard modules, `WITH` substitutions (the substituted
//! formula keeps the instance's own names), instances with parameters, which declarations a local name hides, and proofs.

mod token;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, bail};

use token::{is_name, tokens};

/// A module, with what it extends and instantiates.
#[derive(Debug, Clone, Default)]
pub struct Module {
    definitions: BTreeMap<String, Vec<String>>,
    constants: BTreeSet<String>,
}

/// What a formula is made of, its own text and that of every definition it uses taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// `P ~> Q`.
    pub leads_to: bool,
    /// `<>P`.
    pub eventually: bool,
    /// `WF_v(A)` or `SF_v(A)`.
    pub fairness: bool,
    /// `[][A]_v`.
    pub action_box: bool,
    /// `[]P`, where P is not `[A]_v`.
    pub always: bool,
    /// A primed variable or `UNCHANGED`.
    pub primed: bool,
}

impl Shape {
    /// Whether TLC needs the state graph's cycles to decide it.
    pub fn is_liveness(self) -> bool {
        self.leads_to || self.eventually || self.fairness
    }

    /// Whether it is a formula about behaviours, which is not for `INVARIANT`.
    pub fn is_temporal(self) -> bool {
        self.is_liveness() || self.action_box || self.always
    }

    fn or(self, other: Self) -> Self {
        Self {
            leads_to: self.leads_to || other.leads_to,
            eventually: self.eventually || other.eventually,
            fairness: self.fairness || other.fairness,
            action_box: self.action_box || other.action_box,
            always: self.always || other.always,
            primed: self.primed || other.primed,
        }
    }

    /// The shape of a body's own text.
    fn of(body: &[String]) -> Self {
        let mut shape = Self::default();
        for (at, token) in body.iter().enumerate() {
            match token.as_str() {
                "~>" => shape.leads_to = true,
                "<>" => shape.eventually = true,
                "'" | "UNCHANGED" => shape.primed = true,
                "[]" if !(at > 0 && ends_expression(&body[at - 1])) => {
                    if boxed_action(&body[at + 1..]) {
                        shape.action_box = true;
                    } else {
                        shape.always = true;
                    }
                }
                name if name.starts_with("WF_") || name.starts_with("SF_") => shape.fairness = true,
                _ => {}
            }
        }
        shape
    }
}

impl Module {
    /// Reads `name`.tla in `directory`, and the modules it takes from there.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, or has no `MODULE` line.
    pub fn read(directory: &Path, name: &str) -> anyhow::Result<Self> {
        Self::read_beneath(directory, name, &mut BTreeSet::new())
    }

    fn read_beneath(
        directory: &Path,
        name: &str,
        above: &mut BTreeSet<String>,
    ) -> anyhow::Result<Self> {
        let path = directory.join(format!("{name}.tla"));
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("{}: cannot read it", path.display()))?;
        let tokens = tokens(&text);
        let Some(start) = tokens.iter().position(|token| token == "MODULE") else {
            bail!(
                "{}: no `---- MODULE {name} ----` line (add it)",
                path.display()
            );
        };
        // a module that takes itself has no meaning, and must not hang the reader
        above.insert(name.to_owned());
        let mut module = Self::default();
        for item in items(tokens.get(start + 2..).unwrap_or_default()) {
            let mut part = |name: &String| -> anyhow::Result<Option<Self>> {
                let here = directory.join(format!("{name}.tla")).exists() && !above.contains(name);
                here.then(|| Self::read_beneath(directory, name, above))
                    .transpose()
            };
            match item {
                Item::Extends(names) => {
                    for extended in &names {
                        if let Some(extended) = part(extended)? {
                            module.constants.extend(extended.constants);
                            module.definitions.extend(extended.definitions);
                        }
                    }
                }
                Item::Instance(None, instantiated) => {
                    if let Some(instantiated) = part(&instantiated)? {
                        module.definitions.extend(instantiated.definitions);
                    }
                }
                Item::Instance(Some(prefix), instantiated) => {
                    if let Some(instantiated) = part(&instantiated)? {
                        module.definitions.extend(instantiated.prefixed(&prefix));
                    }
                }
                Item::Constants(names) => module.constants.extend(names),
                Item::Definition(name, body) => {
                    module.definitions.insert(name, body);
                }
            }
        }
        above.remove(name);
        Ok(module)
    }

    /// The definitions under the names that `prefix == INSTANCE` gives them.
    fn prefixed(self, prefix: &str) -> BTreeMap<String, Vec<String>> {
        let Self { definitions, .. } = self;
        let rename = |name: &String| {
            if definitions.contains_key(name) {
                format!("{prefix}!{name}")
            } else {
                name.clone()
            }
        };
        definitions
            .iter()
            .map(|(name, body)| (rename(name), body.iter().map(rename).collect()))
            .collect()
    }

    /// Whether an operator of this name is defined.
    pub fn defines(&self, name: &str) -> bool {
        self.definitions.contains_key(name)
    }

    /// The defined operators, in alphabetic order.
    pub fn operators(&self) -> impl Iterator<Item = &str> {
        self.definitions.keys().map(String::as_str)
    }

    /// The declared constants, those of extended modules included; not those of instances, which are substituted.
    pub fn constants(&self) -> &BTreeSet<String> {
        &self.constants
    }

    /// What the operator's definition, and every definition that it uses, is made of; the action in an `ENABLED` apart, which
    /// is a formula about one state.
    pub fn shape(&self, operator: &str) -> Shape {
        let mut shape = Shape::default();
        let mut seen = BTreeSet::from([operator]);
        let mut todo = vec![operator];
        while let Some(name) = todo.pop() {
            let Some(body) = self.definitions.get(name) else {
                continue;
            };
            let body = without_enabled(body);
            shape = shape.or(Shape::of(&body));
            let defined = body
                .iter()
                .filter_map(|token| self.definitions.get_key_value(token));
            todo.extend(
                defined
                    .map(|(name, _)| name.as_str())
                    .filter(|name| seen.insert(name)),
            );
        }
        shape
    }

    /// The actions that the next-state relation of the specification `spec` names: the operators in the text of `Next` which
    /// say something of the next state.
    pub fn steps(&self, spec: &str) -> Vec<&str> {
        let next = self.used_by(spec).into_iter().filter_map(|name| self.definitions.get(name)).find_map(|body| {
            let boxed = |at: &usize| matches!(&body[*at..], [b, open, _, close, ..] if b == "[]" && open == "[" && close == "]");
            (0..body.len()).find(boxed).map(|at| body[at + 2].as_str())
        });
        next.map_or_else(Vec::new, |next| {
            self.uses(next)
                .filter(|name| self.shape(name).primed)
                .collect()
        })
    }

    /// `operator` and every defined operator that its definition leads to.
    pub fn used_by<'a>(&'a self, operator: &'a str) -> BTreeSet<&'a str> {
        let mut seen = BTreeSet::from([operator]);
        let mut todo = vec![operator];
        while let Some(name) = todo.pop() {
            todo.extend(self.uses(name).filter(|used| seen.insert(used)));
        }
        seen
    }

    /// Whether the operator's definition, or one that it uses, names the constant.
    pub fn reads(&self, operator: &str, constant: &str) -> bool {
        let used = self.used_by(operator).into_iter();
        let mut bodies = used.filter_map(|name| self.definitions.get(name));
        bodies.any(|body| body.iter().any(|token| token == constant))
    }

    /// The defined operators in the text of `operator`'s definition.
    fn uses<'a>(&'a self, operator: &str) -> impl Iterator<Item = &'a str> {
        let body = self
            .definitions
            .get(operator)
            .map_or(&[][..], Vec::as_slice);
        body.iter()
            .map(String::as_str)
            .filter(|token| self.defines(token))
    }
}

/// A body without what its `ENABLED`s are about: an action in parentheses, or a name with its arguments.
fn without_enabled(body: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = body;
    while let Some((token, after)) = rest.split_first() {
        rest = after;
        if token != "ENABLED" {
            kept.push(token.clone());
            continue;
        }
        if rest.first().is_some_and(|next| next != "(") {
            rest = &rest[1..];
        }
        let mut depth = 0_usize;
        while let Some((token, after)) = rest.split_first() {
            match token.as_str() {
                "(" => depth += 1,
                ")" if depth > 0 => depth -= 1,
                _ if depth == 0 => break,
                _ => {}
            }
            rest = after;
            if depth == 0 {
                break;
            }
        }
    }
    kept
}

/// One of the parts of a module that matter here.
enum Item {
    Extends(Vec<String>),
    /// The name, if any, and the module.
    Instance(Option<String>, String),
    Constants(Vec<String>),
    Definition(String, Vec<String>),
}

/// The items of a module's text, which starts behind its name.
fn items(tokens: &[String]) -> Vec<Item> {
    let starts = starts(tokens);
    let ends = starts.iter().skip(1).copied().chain([tokens.len()]);
    starts
        .iter()
        .zip(ends)
        .filter_map(|(&start, end)| item(&tokens[start..end]))
        .collect()
}

/// Where items start: at a keyword that starts one, at a definition's name, and at a line of dashes; up to the module's end.
fn starts(tokens: &[String]) -> Vec<usize> {
    let mut starts = Vec::new();
    let (mut lets, mut nested) = (0_usize, 0_usize);
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "LET" => lets += 1,
            "IN" => lets = lets.saturating_sub(1),
            "MODULE" => nested += 1,
            token if token.starts_with("====") => match nested.checked_sub(1) {
                Some(outer) => nested = outer,
                None => {
                    starts.push(at);
                    break;
                }
            },
            _ if lets > 0 || nested > 0 => {}
            "==" => starts.extend(defined_name(&tokens[..at])),
            "EXTENDS" | "CONSTANT" | "CONSTANTS" | "VARIABLE" | "VARIABLES" | "ASSUME"
            | "ASSUMPTION" | "AXIOM" | "THEOREM" | "LEMMA" | "RECURSIVE" | "LOCAL" => {
                starts.push(at)
            }
            "INSTANCE" if at == 0 || tokens[at - 1] != "==" => starts.push(at),
            token if token.starts_with("----") => starts.push(at),
            _ => {}
        }
    }
    starts
}

/// Where the name is in the text before a `==`: its last token, or the one before the last token's matching bracket.
fn defined_name(before: &[String]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in before.iter().enumerate().rev() {
        match token.as_str() {
            ")" | "]" => depth += 1,
            "(" | "[" => depth = depth.checked_sub(1)?,
            name if depth == 0 => return is_name(name).then_some(at),
            _ => {}
        }
    }
    None
}

fn item(tokens: &[String]) -> Option<Item> {
    let (first, rest) = tokens.split_first()?;
    match (first.as_str(), rest) {
        ("EXTENDS", names) => Some(Item::Extends(list(names))),
        ("CONSTANT" | "CONSTANTS", names) => Some(Item::Constants(list(names))),
        ("INSTANCE", [module, ..]) => Some(Item::Instance(None, module.clone())),
        (name, rest) if is_name(name) => {
            let equals = rest.iter().position(|token| token == "==")?;
            match &rest[equals + 1..] {
                [instance, module, ..] if instance == "INSTANCE" => {
                    Some(Item::Instance(Some(name.to_owned()), module.clone()))
                }
                body => Some(Item::Definition(name.to_owned(), body.to_vec())),
            }
        }
        _ => None,
    }
}

/// The names of a comma-separated list; a constant operator's `(_, _)` is passed over.
fn list(tokens: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    for token in tokens {
        match token.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            name if depth == 0 && is_name(name) => names.push(name.to_owned()),
            _ => {}
        }
    }
    names
}

/// Whether an expression can end with `token`, so that a `[]` behind it separates the arms of a `CASE`.
fn ends_expression(token: &str) -> bool {
    const KEYWORDS: [&str; 7] = ["IF", "THEN", "ELSE", "CASE", "LET", "IN", "DOMAIN"];
    matches!(token, ")" | "]" | "}" | ">>" | "'" | "\"\"" | "@")
        || (token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            && !KEYWORDS.contains(&token))
}

/// Whether the text starts with `[A]_v`.
fn boxed_action(tokens: &[String]) -> bool {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "[" => depth += 1,
            "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at > 0 && tokens.get(at + 1).is_some_and(|next| next.starts_with('_'));
        }
    }
    false
}
