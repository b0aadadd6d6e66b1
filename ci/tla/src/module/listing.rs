//! A module's text for a reader: what each piece of it is, and where the names in it are defined.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;
use tree_sitter::Node;

use super::expression::{Expr, Kind, Origin, Place, Target};
use super::source::{Source, children, descendants};
use super::{Module, walk};

/// What stands around and between, and is no sign.
const BRACKETS: [&str; 12] = [
    "(", ")", "[", "]", "]_", "{", "}", "<<", ">>", ",", ":", ".",
];

/// A module's text, with all that is to be marked in it. Places are in bytes, and what there are several of is in the text's order.
#[derive(Debug, Clone)]
pub struct Listing {
    /// All of the file.
    pub text: String,
    /// No two overlap. What is of no class, such as space, is in none.
    pub tokens: Vec<Token>,
    /// What the module declares and defines.
    pub anchors: Vec<Anchor>,
    /// The names that lead somewhere; no two overlap.
    pub links: Vec<Link>,
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Where it is.
    pub at: Range<usize>,
    /// What it is.
    pub class: Class,
}

/// What a piece of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A comment, a rule, or text outside of the module.
    Comment,
    /// A word that is TLA+'s own.
    Keyword,
    /// TRUE, FALSE, or a set that TLA+ has a name for.
    Literal,
    /// A number.
    Number,
    /// A sign, brackets and commas excepted.
    Operator,
    /// A string.
    String,
}

/// What a link can lead to: a constant, a variable or a definition, one in a LET included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// Its name, where it is declared or defined.
    pub at: Range<usize>,
    /// No other of the module is called so: its name, or, where something else has this one, its name and a number.
    pub name: String,
}

/// A name that means something which a module has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where the name is used.
    pub at: Range<usize>,
    /// The file of what it means.
    pub path: PathBuf,
    /// The anchor there; `None` where the file's module is meant.
    pub anchor: Option<String>,
}

impl Listing {
    /// Lists `name`.tla of the first of the directories that has it. What it takes is looked for in all of them.
    ///
    /// # Errors
    ///
    /// As [`Module::read_from`].
    pub fn read(directories: &[&Path], name: &str) -> Result<Self> {
        let module = Module::read_from(directories, name)?;
        let source = Source::read(&module.texts[module.text].path)?;
        let mut anchors = anchors(&source);
        let mut links = module.links(&source, &anchors);
        anchors.sort_by_key(|anchor| anchor.at.start);
        links.sort_by_key(|link| link.at.start);
        let mut end = 0;
        // a definition that an instance's parameters make again has the same names once more
        links.retain(|link| {
            link.at.start >= end && {
                end = link.at.end;
                true
            }
        });
        Ok(Self {
            tokens: tokens(&source),
            anchors,
            links,
            text: source.text,
        })
    }

    /// Lists definitions that stand alone, as prose shows them: nothing in them is an anchor, and no name leads anywhere.
    ///
    /// # Errors
    ///
    /// When they are not TLA+.
    pub fn of_definitions(text: &str) -> Result<Self> {
        let begin = "---- MODULE Definitions ----\n";
        let module = format!("{begin}{text}\n====\n");
        let source = Source::parse(Path::new("definitions"), module)?;
        let inside = begin.len()..begin.len() + text.len();
        let tokens = tokens(&source)
            .into_iter()
            .filter(|token| inside.contains(&token.at.start));
        let tokens = tokens.map(|Token { at, class }| Token {
            at: at.start - inside.start..at.end - inside.start,
            class,
        });
        Ok(Self {
            text: text.to_owned(),
            tokens: tokens.collect(),
            anchors: Vec::new(),
            links: Vec::new(),
        })
    }
}

/// Every leaf of the syntax tree that has a class.
fn tokens(source: &Source) -> Vec<Token> {
    let mut tokens = Vec::new();
    source.visit(&mut |node| {
        let class = class(node, source.text_of(node));
        if let Some(class) = class
            && !node.byte_range().is_empty()
        {
            tokens.push(Token {
                at: node.byte_range(),
                class,
            });
        }
        class.is_none()
    });
    tokens
}

fn class(node: Node, text: &str) -> Option<Class> {
    match node.kind() {
        "comment" | "block_comment" | "header_line" | "single_line" | "double_line"
        | "extramodular_text" => Some(Class::Comment),
        "string" => Some(Class::String),
        "nat_number" | "real_number" | "binary_number" | "octal_number" | "hex_number" => {
            Some(Class::Number)
        }
        "boolean" | "boolean_set" | "string_set" | "nat_number_set" | "int_number_set"
        | "real_number_set" => Some(Class::Literal),
        "identifier" | "identifier_ref" => None,
        _ if node.child_count() > 0 || BRACKETS.contains(&text) => None,
        _ if text.starts_with(|first: char| first.is_ascii_alphabetic()) => Some(Class::Keyword),
        _ => Some(Class::Operator),
    }
}

/// The names that the module declares and defines. Of several of one name, one outside of a LET has the name for itself.
fn anchors(source: &Source) -> Vec<Anchor> {
    let Some(module) = source.modules().next() else {
        return Vec::new();
    };
    let (mut outer, mut inner) = (Vec::new(), Vec::new());
    for node in descendants(module) {
        let named: Vec<Node> = match node.kind() {
            "constant_declaration" | "variable_declaration" => children(node).collect(),
            "operator_definition" | "function_definition" | "module_definition" => vec![node],
            _ => continue,
        };
        let is_outer = node
            .parent()
            .is_some_and(|parent| parent == module || parent.kind() == "local_definition");
        let names = if is_outer { &mut outer } else { &mut inner };
        names.extend(
            named
                .into_iter()
                .map(|node| node.child_by_field_name("name").unwrap_or(node)),
        );
    }
    let mut taken = BTreeSet::new();
    let mut anchors = Vec::new();
    for node in outer.into_iter().chain(inner) {
        let name = source.text_of(node);
        let numbered = (1..).map(|number| format!("{name}-{number}"));
        let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
        let free = candidates.find(|candidate| taken.insert(candidate.clone()));
        anchors.extend(free.map(|name| Anchor {
            at: node.byte_range(),
            name,
        }));
    }
    anchors
}

impl Module {
    /// The names in its own text that lead somewhere.
    fn links(&self, source: &Source, anchors: &[Anchor]) -> Vec<Link> {
        let own = anchors
            .iter()
            .map(|anchor| (anchor.at.start, &anchor.name[..]));
        let own: BTreeMap<usize, &str> = own.collect();
        let mut links = Vec::new();
        let bodies = self.definitions.iter().map(|definition| &definition.body);
        for formula in bodies.chain(&self.loose) {
            walk(formula, &mut |expr: &Expr| {
                if let Kind::Name(target, at) = &expr.kind
                    && at.text == self.text
                    && let Some(to) = self.place_of(target)
                {
                    let at = last_part(&source.text, at.range.clone());
                    links.push(self.link(at, to, &own));
                }
            });
        }
        for (at, declared) in &self.replaced {
            if at.text == self.text {
                links.push(self.link(at.range.clone(), declared, &own));
            }
        }
        for node in source.modules().flat_map(descendants) {
            let names = match node.kind() {
                "extends" => children(node).collect(),
                "instance" => Vec::from_iter(children(node).next()),
                _ => Vec::new(),
            };
            links.extend(
                names
                    .into_iter()
                    .filter_map(|name| self.to_module(source, name)),
            );
        }
        links
    }

    fn to_module(&self, source: &Source, name: Node) -> Option<Link> {
        let file = format!("{}.tla", source.text_of(name));
        let text = self.texts.iter().find(|text| text.path.ends_with(&file))?;
        let (at, path) = (name.byte_range(), text.path.clone());
        Some(Link {
            at,
            path,
            anchor: None,
        })
    }

    /// Where what a name means is declared or defined, in a module of the project.
    fn place_of(&self, target: &Target) -> Option<&Place> {
        match target {
            Target::Constant(name) | Target::Variable(name) => self.declared.get(name),
            Target::Definition(id) => {
                let definition = &self.definitions[*id];
                let is_written = matches!(definition.origin, Origin::Module | Origin::Let);
                is_written.then_some(&definition.at)
            }
            Target::Local(_) | Target::Unknown => None,
        }
    }

    fn link(&self, at: Range<usize>, to: &Place, own: &BTreeMap<usize, &str>) -> Link {
        let anchor = match own.get(&to.range.start) {
            Some(name) if to.text == self.text => name,
            _ => self.verbatim(to),
        };
        let (path, anchor) = (self.texts[to.text].path.clone(), Some(anchor.to_owned()));
        Link { at, path, anchor }
    }
}

/// Of `I(x)!Op` what stands behind the last `!`: the rest has names of its own. All of any other name.
fn last_part(text: &str, at: Range<usize>) -> Range<usize> {
    let name = &text[at.clone()];
    match name.rfind('!') {
        Some(before) if name.contains('(') => at.start + before + 1..at.end,
        _ => at,
    }
}
