//! A module with one fault, and what it is known by.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use interlock_tla::module::REPLACES;
use interlock_tla::module::source::{Node, Source, children, descendants};

use crate::coverage::Span;
use crate::edit::{self, Edit};
use crate::operators::{Context, Fault, Operator, Values, faults};
use crate::reach::{Area, definitions, name};

/// So many characters of a formula are shown.
const SHOWN: usize = 100;

/// What a mutant is known by, wherever in its module the definition stands.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The module that has the fault.
    pub module: String,
    /// The definition that has it.
    #[serde(rename = "in")]
    pub definition: String,
    /// The operator that has put it there.
    pub operator: Operator,
    /// The formula, on one line and without comments.
    pub from: String,
    /// What it has become.
    pub to: String,
    /// Which of several that are the same, from 1.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub nth: usize,
}

fn first() -> usize {
    1
}

fn is_first(nth: &usize) -> bool {
    *nth == 1
}

/// As ``Lock!Enter: drop-conjunct: `free` is `TRUE` ``.
impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Identity {
            module,
            definition,
            operator,
            from,
            to,
            nth,
        } = self;
        let operator = operator.name();
        write!(f, "{module}!{definition}: {operator}: `{from}` is `{to}`")?;
        match nth {
            1 => Ok(()),
            _ => write!(f, " (the {nth}. of these)"),
        }
    }
}

/// A mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// The folder of its module.
    pub area: String,
    /// What it is known by.
    pub identity: Identity,
    /// Whether it only makes a property weaker.
    pub is_weaker: bool,
    /// Where the formula is that is changed.
    pub span: Span,
    /// Its definition before the fault, without comments.
    pub code: String,
    edits: Vec<Edit>,
}

impl Mutant {
    /// All that its edits write; the identity has of a long formula the beginning alone.
    pub fn written(&self) -> Vec<&str> {
        self.edits.iter().map(|edit| edit.text.as_str()).collect()
    }

    /// The text of its module, with the fault.
    pub fn text(&self, source: &Source) -> String {
        edit::apply(&source.text, &self.edits)
    }

    /// Whether the fault leaves all else in the module what it was. A layout that it disturbs might make another formula of it.
    pub fn fits(&self, source: &Source) -> bool {
        let Ok(mutated) = Source::parse(self.identity.module.as_ref(), self.text(source)) else {
            return false;
        };
        let before = outline(source, |node| {
            self.edits.iter().any(|edit| {
                edit.range.start <= node.start_byte() && node.end_byte() <= edit.range.end
            })
        });
        let mut moved = 0;
        let mut new = Vec::new();
        for edit in &self.edits {
            let start = edit.range.start as isize + moved;
            new.push(start as usize..start as usize + edit.text.len());
            moved += edit.text.len() as isize - edit.place(&source.text).len() as isize;
        }
        let after = outline(&mutated, |node| {
            let within = |range: &Range<usize>| {
                range.start <= node.start_byte() && node.end_byte() <= range.end
            };
            new.iter().any(within)
        });
        before == after
    }
}

/// The kinds of the nodes that are not changed; a list is a list.
fn outline(source: &Source, is_changed: impl Fn(Node) -> bool) -> Vec<&'static str> {
    let nodes = source.modules().flat_map(descendants);
    let kept = nodes.filter(|node| !is_changed(*node));
    kept.map(|node| match node.kind() {
        "disj_list" => "conj_list",
        "disj_item" => "conj_item",
        kind => kind,
    })
    .collect()
}

/// The values that a module's policies have for their fields. Where a policy is all of a module, for Apalache, those of all
/// such modules.
fn values(area: &Area, module: &str) -> Values {
    let mut values = Values::default();
    for other in area.modules() {
        let Some(source) = area.source(other) else {
            continue;
        };
        for definition in source.modules().flat_map(definitions) {
            let name = name(source, definition);
            if area.is_policy(name)
                && (other == module || name.starts_with(REPLACES))
                && let Some(body) = children(definition).last()
            {
                values.take(source, body);
            }
        }
    }
    values
}

/// The mutants of a module, in the order of its text: those of definitions that a row reaches.
pub fn of_module(area: &Area, module: &str) -> Vec<Mutant> {
    let Some(source) = area.source(module) else {
        return Vec::new();
    };
    let values = values(area, module);
    let mut mutants = Vec::new();
    let mut seen: BTreeMap<Identity, usize> = BTreeMap::new();
    for definition in source.modules().flat_map(definitions) {
        let name = name(source, definition);
        if !area.is_reached(module, name) {
            continue;
        }
        let code = source.code_of(definition);
        let context = Context {
            source,
            actions: area.actions(),
            role: area.role(name),
        };
        for fault in faults(context, definition, &values) {
            let mut identity = identity(source, module, name, &fault);
            let same = seen.entry(identity.clone()).or_insert(0);
            *same += 1;
            identity.nth = *same;
            mutants.push(Mutant {
                area: area.name.clone(),
                identity,
                is_weaker: fault.is_weaker,
                span: Span::of(&source.text, &fault.place),
                code: code.clone(),
                edits: fault.edits,
            });
        }
    }
    mutants
}

fn identity(source: &Source, module: &str, definition: &str, fault: &Fault) -> Identity {
    Identity {
        module: module.to_owned(),
        definition: definition.to_owned(),
        operator: fault.operator,
        from: shown(&source.text[fault.place.clone()]),
        to: shown(&edited(source, fault.place.clone(), fault)),
        nth: 1,
    }
}

/// The text of this place, which has all of the fault in it.
fn edited(source: &Source, place: Range<usize>, fault: &Fault) -> String {
    let within = fault.edits.iter().map(|edit| Edit {
        range: edit.range.start - place.start..edit.range.end - place.start,
        text: edit.text.clone(),
    });
    let within = Vec::from_iter(within);
    edit::apply(&source.text[place], &within)
}

/// A formula on one line, without its comments, and no longer than is shown.
fn shown(formula: &str) -> String {
    let lines = formula.lines();
    let code = lines.map(|line| line.split("\\*").next().unwrap_or_default());
    let words: Vec<&str> = code.flat_map(str::split_whitespace).collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}...", &line[..cut]),
        None => line,
    }
}
