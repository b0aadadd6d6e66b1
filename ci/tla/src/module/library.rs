//! The files of a module and of all that it takes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use tree_sitter::Node;

use super::scope::Unit;
use super::source::{Source, children, descendants};

/// The modules that TLC and Apalache bring along.
const STANDARD: &str = include_str!("standard.tla");

/// Texts, and where each module is in them.
pub(super) struct Library {
    pub(super) texts: Vec<Source>,
    /// By its name: its text.
    files: BTreeMap<String, usize>,
}

impl Library {
    /// Reads module `name`, and what it takes from the same directories.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or is not TLA+, is called other than its module, or takes a module that does not exist.
    pub(super) fn read(directories: &[&Path], name: &str) -> Result<Self> {
        let standard = Source::parse("standard.tla".as_ref(), STANDARD.to_owned())
            .expect("the standard modules' text is TLA+");
        let mut library = Self {
            texts: vec![standard],
            files: BTreeMap::new(),
        };
        let find = |name: &str| {
            let mut paths = directories
                .iter()
                .map(|directory| directory.join(format!("{name}.tla")));
            paths.find(|path| path.exists())
        };
        let root = find(name).unwrap_or_else(|| {
            let directory = directories.first().copied().unwrap_or(Path::new(""));
            directory.join(format!("{name}.tla"))
        });
        let mut todo: Vec<(String, PathBuf)> = vec![(name.to_owned(), root)];
        while let Some((name, path)) = todo.pop() {
            if library.files.contains_key(&name) {
                continue;
            }
            let source = Source::read(&path)?;
            is_called(&source, &name)?;
            for taken in taken(&source) {
                let other = source.text_of(taken);
                if let Some(path) = find(other) {
                    todo.push((other.to_owned(), path));
                } else {
                    ensure!(
                        library.standard(other).is_some(),
                        "{}: there is no module {other} here, nor among the standard ones (correct the name, or add it)",
                        source.place(taken.start_byte())
                    );
                }
            }
            library.files.insert(name, library.texts.len());
            library.texts.push(source);
        }
        Ok(library)
    }

    /// The module of a file of this name.
    pub(super) fn module(&self, name: &str) -> Option<Unit<'_>> {
        let text = *self.files.get(name)?;
        let node = self.texts[text].modules().next()?;
        Some(Unit { text, node })
    }

    /// The module of this name that TLC brings along.
    pub(super) fn standard(&self, name: &str) -> Option<Unit<'_>> {
        let source = &self.texts[0];
        let node = source
            .modules()
            .find(|node| name_of(source, *node) == Some(name))?;
        Some(Unit { text: 0, node })
    }
}

fn name_of<'a>(source: &'a Source, module: Node) -> Option<&'a str> {
    let name = module.child_by_field_name("name")?;
    Some(source.text_of(name))
}

fn is_called(source: &Source, name: &str) -> Result<()> {
    let module = source.modules().next();
    let found = module.and_then(|module| module.child_by_field_name("name"));
    match found {
        Some(found) if source.text_of(found) != name => bail!(
            "{}: the module is called {}, and its file {name}.tla (call both the same)",
            source.place(found.start_byte()),
            source.text_of(found)
        ),
        _ => Ok(()),
    }
}

/// The names of the modules of other files that it extends or instantiates.
fn taken(source: &Source) -> Vec<Node<'_>> {
    let Some(module) = source.modules().next() else {
        return Vec::new();
    };
    let nodes = descendants(module);
    let inside: Vec<&str> = nodes
        .iter()
        .filter(|node| node.kind() == "module")
        .filter_map(|node| name_of(source, *node))
        .collect();
    let names = nodes.iter().flat_map(|node| match node.kind() {
        "extends" => children(*node).collect(),
        "instance" => children(*node).take(1).collect(),
        _ => Vec::new(),
    });
    names
        .filter(|name| !inside.contains(&source.text_of(*name)))
        .collect()
}
