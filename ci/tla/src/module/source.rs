//! A file of TLA+ as a syntax tree.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tree_sitter::{Parser, Tree};

pub use tree_sitter::Node;

/// How deep formulas may be nested. What walks a tree calls itself, and has a stack of some megabytes.
const DEEPEST: usize = 500;

/// What the parser made of a file: no part of it is left unread.
#[derive(Debug)]
pub struct Source {
    pub(super) path: PathBuf,
    /// All of it, as it was read.
    pub text: String,
    tree: Tree,
}

impl Source {
    /// Reads and parses the file at `path`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read; as [`Source::parse`].
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{}: cannot read it", path.display()))?;
        Self::parse(path, text)
    }

    /// Parses `text`, which a fault is told of as the file at `path`.
    ///
    /// # Errors
    ///
    /// When `text` is not TLA+, with the line and column where that shows; when it holds no module.
    ///
    /// # Panics
    ///
    /// When the grammar is not one of the parser's version.
    pub fn parse(path: &Path, text: String) -> Result<Self> {
        let mut parser = Parser::new();
        parser
            .set_language(&tree_sitter_tlaplus::LANGUAGE.into())
            .expect("the grammar is of a version that the parser reads");
        let tree = parser
            .parse(&text, None)
            .expect("a parser with a language and no time limit ends");
        let path = path.to_owned();
        let source = Self { path, text, tree };
        source.check()?;
        Ok(source)
    }

    /// All of it is read, and something is there.
    fn check(&self) -> Result<()> {
        if !self.text.contains("MODULE") || self.is_snippet() {
            let name = self.path.file_stem().unwrap_or_default();
            bail!(
                "{}: no `---- MODULE {} ----` line (add it)",
                self.path.display(),
                name.to_string_lossy()
            );
        }
        if let Some(fault) = self.fault() {
            let (place, what) = match fault {
                // nothing else is wrong
                _ if fault == self.tree.root_node() => {
                    let what = "the file ends within the module (finish it with a line `====`)";
                    (self.text.trim_end().len(), what.to_owned())
                }
                _ if fault.is_missing() => {
                    let what = format!("a part is missing: {}", fault.kind().replace('_', " "));
                    (fault.start_byte(), what + " (add it)")
                }
                _ => {
                    let what = "this is not TLA+ (correct it; TLC's own message may say more)";
                    (fault.start_byte(), what.to_owned())
                }
            };
            bail!("{}: {what}", self.place(place));
        }
        if let Some(deep) = first(self.tree.root_node(), |_, depth| depth > DEEPEST) {
            bail!(
                "{}: this is nested too deeply (give a part of it a name)",
                self.place(deep.start_byte())
            );
        }
        Ok(())
    }

    /// The first thing that is wrong. What the parser gives up for it may begin long before.
    fn fault(&self) -> Option<Node<'_>> {
        let is_fault = |node: Node| node.is_error() || node.is_missing();
        let mut fault = first(self.tree.root_node(), |node, _| is_fault(node))?;
        while let Some(inner) = first(fault, |node, depth| depth > 0 && is_fault(node)) {
            fault = inner;
        }
        Some(fault)
    }

    /// Whether it is TLA+ without a module around it.
    fn is_snippet(&self) -> bool {
        let root = self.tree.root_node();
        !root.has_error() && self.modules().next().is_none()
    }

    /// The modules of the file, those inside of others not counted.
    pub fn modules(&self) -> impl Iterator<Item = Node<'_>> {
        children(self.tree.root_node()).filter(|node| node.kind() == "module")
    }

    /// The text of one of its nodes.
    pub fn text_of(&self, node: Node) -> &str {
        &self.text[node.byte_range()]
    }

    /// The same without comments, of which the tree has some within a list that they stand behind, and without the empty lines that
    /// they leave.
    pub fn code_of(&self, node: Node) -> String {
        let range = node.byte_range();
        let mut code = String::new();
        let mut at = range.start;
        for comment in comments(node) {
            code += &self.text[at..comment.start];
            at = comment.end;
        }
        code += &self.text[at..range.end];
        let lines = code.lines().map(str::trim_end);
        Vec::from_iter(lines.filter(|line| !line.is_empty())).join("\n")
    }

    /// `path:line:column` of what is at `byte`.
    pub(super) fn place(&self, byte: usize) -> String {
        let (line, column) = line_and_column(&self.text, byte);
        format!("{}:{line}:{column}", self.path.display())
    }

    /// Shows `into` the nodes in the order of the text, those without a name and comments included; what is beneath one only where it
    /// says so.
    pub(super) fn visit(&self, into: &mut impl FnMut(Node<'_>) -> bool) {
        let mut todo = vec![self.tree.root_node()];
        while let Some(node) = todo.pop() {
            if into(node) {
                todo.extend(
                    (0..node.child_count())
                        .rev()
                        .filter_map(|at| node.child(at)),
                );
            }
        }
    }

    /// Where the comments are, in their order.
    pub(super) fn comments(&self) -> Vec<Range<usize>> {
        comments(self.tree.root_node())
    }
}

/// Where the comments are in a node, in their order.
fn comments(node: Node) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    first(node, |node, _| {
        if is_comment(node) {
            comments.push(node.byte_range());
        }
        false
    });
    comments
}

/// Where the byte is in the text; both count from 1.
pub fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..byte];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[start..].chars().count() + 1)
}

fn is_comment(node: Node) -> bool {
    matches!(node.kind(), "comment" | "block_comment")
}

/// The named children that are no comments.
pub fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    (0..node.named_child_count())
        .filter_map(move |at| node.named_child(at))
        .filter(|child| !is_comment(*child))
}

/// The children in this field that are named and no comments.
pub fn fields<'a>(node: Node<'a>, field: &str) -> Vec<Node<'a>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor)
        .filter(|child| child.is_named() && !is_comment(*child))
        .collect()
}

/// The node and all beneath it, outer ones before inner ones.
pub fn descendants(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        found.push(node);
        let from = todo.len();
        todo.extend(children(node));
        todo[from..].reverse();
    }
    found
}

/// The first node from this one on, outer ones before inner ones, that is `wanted`, which is told how deep it is.
fn first<'a>(root: Node<'a>, mut wanted: impl FnMut(Node<'a>, usize) -> bool) -> Option<Node<'a>> {
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        if wanted(cursor.node(), depth) {
            return Some(cursor.node());
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
            depth -= 1;
        }
    }
}
