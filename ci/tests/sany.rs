//! The reader of TLA+ and the parser of TLC see the same in every module of `specs/`.

mod runner;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use interlock_tla::module::{Defined, Level, Module, Name};
use roxmltree::{Document, Node};
use runner::{root, temp, tools};

/// What TLC's parser says of the modules that one module takes, and of itself.
struct Sany {
    /// By module.
    names: BTreeMap<String, BTreeSet<Name>>,
    /// By module: by line and name.
    defined: BTreeMap<String, BTreeMap<(usize, String), Defined>>,
}

/// Runs TLC's parser on the module at `path`.
fn sany(path: &Path, library: &Path) -> Sany {
    let scratch = temp();
    let tools = tools();
    let mut tmp = std::ffi::OsString::from("-Djava.io.tmpdir=");
    tmp.push(scratch.path());
    let output = Command::new(&tools.java.path)
        .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
        .arg(tmp)
        .arg("-cp")
        .arg(&tools.jar.path)
        .args(["tla2sany.xml.XMLExporter", "-o", "-I"])
        .arg(root().join("specs/trace"))
        .arg("-I")
        .arg(library)
        .arg(path.file_name().expect("a file"))
        .current_dir(path.parent().expect("a directory"))
        .stdin(Stdio::null())
        .output()
        .expect("java starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", path.display());
    let xml = String::from_utf8(output.stdout).expect("its XML is UTF-8");
    read(
        &Document::parse(&xml)
            .unwrap_or_else(|error| panic!("{}: {error}: {said}", path.display())),
    )
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn text<'a>(node: Node<'a, '_>, path: &[&str]) -> &'a str {
    let found = path.iter().try_fold(node, |node, name| child(node, name));
    found.and_then(|node| node.text()).unwrap_or_default()
}

fn number(node: Node, path: &[&str]) -> usize {
    text(node, path).parse().expect("a number")
}

fn level(node: Node) -> Level {
    [
        Level::Constant,
        Level::State,
        Level::Action,
        Level::Temporal,
    ][number(node, &["level"])]
}

fn read(document: &Document) -> Sany {
    let entries: BTreeMap<usize, Node> = document
        .descendants()
        .filter(|node| node.has_tag_name("entry"))
        .map(|entry| {
            let node = entry.children().filter(Node::is_element).nth(1);
            (number(entry, &["UID"]), node.expect("what has the number"))
        })
        .collect();
    let (mut names, mut inside) = (BTreeMap::new(), Vec::new());
    let mut defined: BTreeMap<String, BTreeMap<(usize, String), Defined>> = BTreeMap::new();
    for entry in entries.values() {
        let name = text(*entry, &["uniquename"]).to_owned();
        match entry.tag_name().name() {
            // a module inside of another is seen where it is instantiated
            "ModuleNode" if text(*entry, &["location", "filename"]) != name => {
                let line = |end| number(*entry, &["location", "line", end]);
                let file = text(*entry, &["location", "filename"]).to_owned();
                inside.push((file, line("begin")..=line("end")));
            }
            "ModuleNode" => {
                names.insert(name, names_of(*entry, &entries));
            }
            // what an instance defines stands in another module
            "UserDefinedOpKind" if name != "LAMBDA" && !is_instance(*entry) => {
                let mut named = BTreeSet::new();
                named_by(*entry, &entries, &mut named);
                named.remove(&name);
                let found = Defined {
                    line: number(*entry, &["location", "line", "begin"]),
                    arity: number(*entry, &["arity"]),
                    level: level(*entry),
                    names: named,
                    name,
                };
                let module = text(*entry, &["location", "filename"]).to_owned();
                let key = (found.line, found.name.clone());
                defined.entry(module).or_default().insert(key, found);
            }
            _ => {}
        }
    }
    for (file, lines) in inside {
        let of_file = defined.entry(file).or_default();
        of_file.retain(|(line, _), _| !lines.contains(line));
    }
    Sany { names, defined }
}

fn is_instance(entry: Node) -> bool {
    let body = child(entry, "body").and_then(|body| body.first_element_child());
    body.is_some_and(|body| body.tag_name().name().ends_with("SubstInNode"))
}

fn refers(node: &Node) -> bool {
    ["UserDefinedOpKindRef", "OpDeclNodeRef"].contains(&node.tag_name().name())
}

fn names_of(module: Node, entries: &BTreeMap<usize, Node>) -> BTreeSet<Name> {
    let own = module.children().filter(refers);
    own.map(|reference| {
        let entry = entries[&number(reference, &["UID"])];
        let name = text(entry, &["uniquename"]).to_owned();
        match (entry.tag_name().name(), text(entry, &["kind"])) {
            ("OpDeclNode", "2") => Name::Constant(name),
            ("OpDeclNode", _) => Name::Variable(name),
            _ => Name::Definition(name, number(entry, &["arity"]), level(entry)),
        }
    })
    .collect()
}

/// The names that a definition's text has, those in its LAMBDAs included.
fn named_by(entry: Node, entries: &BTreeMap<usize, Node>, names: &mut BTreeSet<String>) {
    let Some(body) = child(entry, "body") else {
        return;
    };
    // what a LET defines has an entry of its own
    let of_let = |node: &Node| node.ancestors().any(|above| above.has_tag_name("opDefs"));
    for reference in body
        .descendants()
        .filter(|node| refers(node) && !of_let(node))
    {
        let entry = entries[&number(reference, &["UID"])];
        match text(entry, &["uniquename"]) {
            "LAMBDA" => named_by(entry, entries, names),
            name => drop(names.insert(name.to_owned())),
        }
    }
}

/// The modules of `specs/`: those first that take many others.
fn modules() -> Vec<PathBuf> {
    let folders = fs::read_dir(root().join("specs")).expect("specs/");
    let folders = folders.map(|entry| entry.expect("an entry").path());
    let files = folders
        .filter(|path| path.is_dir())
        .flat_map(|folder| fs::read_dir(folder).expect("a folder"))
        .map(|entry| entry.expect("an entry").path());
    let mut modules: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "tla"))
        .collect();
    let order = |path: &PathBuf| {
        let name = name(path).to_owned();
        let kinds = ["Trace", "AP", "MC"];
        let kind = kinds.iter().position(|kind| name.starts_with(kind));
        (kind.unwrap_or(kinds.len()), path.clone())
    };
    modules.sort_by_key(order);
    modules
}

fn name(path: &Path) -> &str {
    let name = path.file_stem().and_then(|name| name.to_str());
    name.expect("a name")
}

/// The operators of a library that TLC does not have, as the reader knows them: a module of its own.
fn apalache(directory: &Path) {
    let all = fs::read_to_string(root().join("ci/tla/src/module/standard.tla")).expect("a file");
    let start = all.find("---- MODULE Apalache ----").expect("the module");
    let module = &all[start..];
    let end = module.find("====").expect("its end") + 4;
    fs::write(directory.join("Apalache.tla"), &module[..end]).expect("written");
}

fn differences<T: Ord + std::fmt::Debug>(
    what: &str,
    ours: &BTreeSet<T>,
    theirs: &BTreeSet<T>,
    faults: &mut Vec<String>,
) {
    for extra in ours.difference(theirs) {
        faults.push(format!("{what}: only the reader has {extra:?}"));
    }
    for missed in theirs.difference(ours) {
        faults.push(format!("{what}: only TLC has {missed:?}"));
    }
}

/// Where an instance puts a constant in a variable's place, TLC goes on to take what is said of it for one about a state.
fn keep_state(ours: &mut BTreeSet<Name>, theirs: &BTreeSet<Name>) {
    let constant = |name: &Name| match name {
        Name::Definition(name, arity, Level::Constant) if name.contains('!') => {
            Some(Name::Definition(name.clone(), *arity, Level::State))
        }
        _ => None,
    };
    let raised: Vec<_> = ours
        .iter()
        .filter_map(|name| Some((name.clone(), constant(name)?)))
        .collect();
    for (name, raised) in raised
        .into_iter()
        .filter(|(_, raised)| theirs.contains(raised))
    {
        ours.remove(&name);
        ours.insert(raised);
    }
}

/// What the reader sees in the module otherwise than TLC.
fn compare(path: &Path, sany: &Sany, faults: &mut Vec<String>) {
    let name = name(path);
    let directories = [
        path.parent().expect("a directory"),
        &root().join("specs/trace"),
    ];
    let module = Module::read_from(&directories, name).expect("a module");
    let mut names = module.names();
    keep_state(&mut names, &sany.names[name]);
    differences(name, &names, &sany.names[name], faults);
    let mut theirs = sany.defined.get(name).cloned().unwrap_or_default();
    let own = module.defined().into_iter();
    for mut ours in own.filter(|defined| !defined.name.contains('!')) {
        // a function may name itself
        ours.names.remove(&ours.name);
        match theirs.remove(&(ours.line, ours.name.clone())) {
            Some(theirs) if ours == theirs => {}
            other => faults.push(format!(
                "{name}: the reader has {ours:?}, TLC has {other:?}"
            )),
        }
    }
    for missed in theirs.values() {
        faults.push(format!("{name}: only TLC has {missed:?}"));
    }
}

#[test]
fn the_reader_sees_what_tlc_sees() {
    let library = temp();
    apalache(library.path());
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let mut faults = Vec::new();
    let modules = modules();
    for root in &modules {
        if seen.contains(root) {
            continue;
        }
        let sany = sany(root, library.path());
        for path in &modules {
            let beside = path.parent() == root.parent() || path.ends_with("trace/Traces.tla");
            if beside && sany.names.contains_key(name(path)) && seen.insert(path.clone()) {
                compare(path, &sany, &mut faults);
            }
        }
    }
    assert!(seen.len() > 50, "{} modules", seen.len());
    assert_eq!(seen.len(), modules.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Every form of TLA+ that `specs/` has no need of.
#[test]
fn the_reader_sees_what_tlc_sees_in_other_forms() {
    let directory = temp();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(format!("{name}.tla"));
        fs::write(&path, text).expect("written");
        path
    };
    let standard =
        "Naturals, Integers, Reals, Sequences, FiniteSets, Bags, Randomization, RealTime, TLC";
    let paths = [
        write(
            "Standard",
            &format!("---- MODULE Standard ----\nEXTENDS {standard}\n====\n"),
        ),
        write("Base", include_str!("forms/Base.tla")),
        write("Forms", include_str!("forms/Forms.tla")),
    ];
    let mut faults = Vec::new();
    for path in &paths {
        compare(path, &sany(path, directory.path()), &mut faults);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
