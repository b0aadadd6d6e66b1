//! The crates of `ci/` and their modules depend on each other without a cycle, and the checker does without the reference.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What each part needs, by name.
type Needs = BTreeMap<String, BTreeSet<String>>;

/// A part that needs itself by way of others, if there is one: what nothing in the rest needs is taken away until nothing changes.
fn in_a_cycle(needs: &Needs) -> BTreeSet<String> {
    let mut rest = needs.clone();
    loop {
        let free = |needed: &BTreeSet<String>| needed.iter().all(|name| !rest.contains_key(name));
        let ready: Vec<String> = rest
            .iter()
            .filter(|(_, needed)| free(needed))
            .map(|(name, _)| name.clone())
            .collect();
        if ready.is_empty() {
            return rest.into_keys().collect();
        }
        for name in ready {
            rest.remove(&name);
        }
    }
}

fn ci() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn crates() -> Vec<PathBuf> {
    let folders = fs::read_dir(ci())
        .expect("ci/")
        .map(|entry| entry.expect("an entry").path());
    let mut crates: Vec<PathBuf> = folders
        .filter(|path| path.join("Cargo.toml").is_file())
        .collect();
    crates.sort();
    crates
}

fn sources(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// The modules right below a crate's root, each with those that its files name.
fn modules(krate: &Path) -> Needs {
    let root = krate.join("src");
    let top = |path: &Path| {
        let first = path
            .strip_prefix(&root)
            .expect("below src/")
            .components()
            .next();
        let first = Path::new(first.expect("a name").as_os_str())
            .file_stem()
            .expect("a stem");
        first.to_string_lossy().into_owned()
    };
    let mut needs = Needs::new();
    for path in sources(&root).into_iter().filter(|path| top(path) != "lib") {
        let text = fs::read_to_string(&path).expect("a source");
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code: String = code.collect::<Vec<_>>().join("\n");
        let direct = path.parent() == Some(&root);
        let prefixes: &[&str] = if direct {
            &["crate::", "super::"]
        } else {
            &["crate::"]
        };
        let needed = needs.entry(top(&path)).or_default();
        for after in prefixes
            .iter()
            .flat_map(|prefix| code.split(prefix).skip(1))
        {
            let group = after
                .strip_prefix('{')
                .and_then(|group| group.split('}').next());
            for part in
                group
                    .unwrap_or(after)
                    .split(',')
                    .take(if group.is_some() { usize::MAX } else { 1 })
            {
                let name = part
                    .trim()
                    .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .next();
                needed.extend(name.map(str::to_owned));
            }
        }
    }
    let known: BTreeSet<String> = needs.keys().cloned().collect();
    for (name, needed) in &mut needs {
        needed.retain(|other| other != name && known.contains(other));
    }
    needs
}

/// The project's own crates that a crate depends on.
fn dependencies(krate: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(krate.join("Cargo.toml")).expect("Cargo.toml");
    let normal = text.split("[dependencies]").nth(1).unwrap_or_default();
    let normal = normal.split("\n[").next().unwrap_or_default();
    let own = normal.lines().filter(|line| line.contains("path ="));
    own.filter_map(|line| Some(line.split_once(" =")?.0.to_owned()))
        .collect()
}

fn name(krate: &Path) -> String {
    format!(
        "interlock-{}",
        krate.file_name().expect("a name").to_string_lossy()
    )
}

#[test]
fn no_module_needs_itself() {
    assert!(crates().len() >= 5, "{:?}", crates());
    for krate in crates() {
        let needs = modules(&krate);
        assert_eq!(
            in_a_cycle(&needs),
            BTreeSet::new(),
            "{}: {needs:#?}",
            krate.display()
        );
    }
    let seen = modules(&ci().join("checker"));
    assert!(seen["lint"].contains("manifest"), "{seen:#?}");
}

#[test]
fn no_crate_needs_itself_and_the_checker_needs_no_reference() {
    let needs: Needs = crates()
        .iter()
        .map(|krate| (name(krate), dependencies(krate)))
        .collect();
    assert_eq!(in_a_cycle(&needs), BTreeSet::new(), "{needs:#?}");
    let of_checker = BTreeSet::from(["interlock-tla".to_owned()]);
    assert_eq!(needs["interlock-checker"], of_checker);
    let of_tla = BTreeSet::from(["interlock-picture".to_owned()]);
    assert_eq!(needs["interlock-tla"], of_tla);
    assert_eq!(needs["interlock-picture"], BTreeSet::new());
    assert!(
        needs["interlock-traces"].contains("interlock"),
        "{needs:#?}"
    );
}

#[test]
fn a_cycle_is_found() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let needs = [
        ("a", set(&["b"])),
        ("b", set(&["c"])),
        ("c", set(&["b"])),
        ("d", set(&[])),
    ];
    let needs: Needs = needs.map(|(name, needed)| (name.to_owned(), needed)).into();
    assert_eq!(in_a_cycle(&needs), set(&["a", "b", "c"]));
}

/// The records that a module can run are in the module that is called so with `Policies` behind.
#[test]
fn policies_are_found_by_their_module() {
    let areas = fs::read_dir(ci().join("../specs")).expect("specs/");
    let files = areas.flat_map(|area| {
        fs::read_dir(area.expect("an area").path())
            .into_iter()
            .flatten()
    });
    let names = files.map(|file| file.expect("a file").path());
    let policies: Vec<PathBuf> = names
        .filter(|path| path.to_string_lossy().ends_with("Policies.tla"))
        .collect();
    assert!(policies.len() > 1);
    for path in policies {
        let module = path.to_string_lossy().replace("Policies.tla", ".tla");
        assert!(
            Path::new(&module).is_file(),
            "{} is of no module",
            path.display()
        );
    }
}
