//! What the pages say of models in running text is what the claims have: their names, their verdicts, and how many states were counted;
//! and a piece of a specification that a page shows is in one.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use interlock_checker::manifest::{Engine, Expect, Manifest, Model};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file below a folder whose name ends so.
fn files(folder: &Path, end: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, end, found);
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
}

/// The README and the book, by their paths from the root.
fn pages() -> Vec<(String, String)> {
    let root = root();
    let mut found = vec![root.join("README.md")];
    files(&root.join("docs"), ".md", &mut found);
    found.sort();
    let pages = found.into_iter().map(|path| {
        let text = fs::read_to_string(&path).expect("a page");
        let shown = path.strip_prefix(&root).expect("below the root");
        (shown.display().to_string(), text)
    });
    pages.collect()
}

/// The paragraphs, items of lists and rows of tables that somebody has written, each on one line; and the blocks of code, each behind
/// its kind and the paragraph before it.
fn parts(page: &str) -> (Vec<String>, Vec<[String; 3]>) {
    let (mut prose, mut code) = (vec![String::new()], Vec::new());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let begins = line.is_empty() || line.starts_with(['|', '#']) || item(line);
        if let Some(kind) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let before = prose.iter().rfind(|part| !part.is_empty());
            let before = before.cloned().unwrap_or_default();
            code.push([kind.to_owned(), before, block.join("\n")]);
            prose.push(String::new());
        } else if line.starts_with("<!-- table:") && !line.starts_with("<!-- table:measured ") {
            let _generated = lines.by_ref().find(|line| line.starts_with("<!-- /table"));
        } else if begins {
            prose.push(line.to_owned());
        } else if let Some(last) = prose.last_mut() {
            *last = format!("{last} {}", line.trim_start());
        }
    }
    prose.retain(|part| !part.is_empty());
    (prose, code)
}

/// `- `, or `1. `.
fn item(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ") || (number.len() < line.len() && number.starts_with(". "))
}

/// What stands between backticks, each with what follows it.
fn quoted(part: &str) -> Vec<(&str, &str)> {
    let ends: Vec<usize> = part.match_indices('`').map(|(at, _)| at).collect();
    let pairs = ends.chunks_exact(2);
    pairs
        .map(|ends| (&part[ends[0] + 1..ends[1]], &part[ends[1] + 1..]))
        .collect()
}

/// `Final612-XD-eof-KeepsOthers`, `*-voluntary-*-ConstantStretch`.
fn is_model_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase() || c == '*')
        && name.contains('-')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '*')
}

/// Whether the claims have a model or a design of this name.
fn is_known(manifest: &Manifest, name: &str) -> bool {
    let pattern = glob::Pattern::new(name).expect("a pattern");
    let models = manifest.models.iter();
    let mut names = models.flat_map(|model| [&model.name, &model.design]);
    names.any(|known| pattern.matches(known))
}

/// The names that nothing in the claims has. A size has one too where a table of the page is about it.
fn unknown(manifest: &Manifest, page: &str) -> Vec<String> {
    let (prose, _) = parts(page);
    let named = |part: &String| -> Vec<String> {
        let names = quoted(part).into_iter().map(|(name, _)| name);
        names.map(str::to_owned).collect()
    };
    let rows = prose.iter().filter(|part| part.starts_with('|'));
    let in_tables: BTreeSet<String> = rows.flat_map(named).collect();
    let sizes: BTreeSet<&String> = manifest.sizes.keys().map(|(_, size)| size).collect();
    let names = prose.iter().flat_map(named);
    names
        .filter(|name| is_model_name(name) && !is_known(manifest, name))
        .filter(|name| !(in_tables.contains(name) && sizes.contains(name)))
        .collect()
}

/// The words behind a model's name that say its verdict; whether it holds.
const WORDS: [(&str, bool); 7] = [
    (" holds", true),
    (" hold", true),
    (" is violated", false),
    (" fails", false),
    (" reaches", false),
    (" finds", false),
    (", violated", false),
];

/// The models of which the text says what they do not.
fn contradicted(manifest: &Manifest, page: &str) -> Vec<String> {
    let (prose, _) = parts(page);
    let said = prose.iter().flat_map(|part| quoted(part));
    let wrong = said.filter(|(name, after)| {
        let says = WORDS.iter().find(|(word, _)| {
            let rest = after.strip_prefix(word);
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        });
        let model = manifest.model(name);
        let holds = model.map(|model| model.expect == Expect::Holds);
        says.zip(holds)
            .is_some_and(|((_, says), holds)| *says != holds)
    });
    wrong
        .map(|(name, after)| format!("{name}{}", after.chars().take(20).collect::<String>()))
        .collect()
}

/// The numbers of states in a paragraph that none of the models has which it names, by their names or by their designs.
fn miscounted(manifest: &Manifest, page: &str) -> Vec<String> {
    let (prose, _) = parts(page);
    let mut wrong = Vec::new();
    for part in &prose {
        let named: BTreeSet<&str> = quoted(part).into_iter().map(|(name, _)| name).collect();
        let is_named = |model: &&Model| {
            let modules = [&model.name, &model.design, &model.module];
            let next = model.symbolic.as_ref().map(|asked| asked.next.as_str());
            let mut names = modules.into_iter().map(String::as_str).chain(next);
            names.any(|name| named.contains(name))
        };
        let of: Vec<&Model> = manifest.models.iter().filter(is_named).collect();
        for (at, _) in part.match_indices(" states") {
            let number = part[..at].rsplit([' ', '(']).next().unwrap_or_default();
            let Ok(number) = number.parse::<u64>() else {
                continue;
            };
            let counts = |model: &&Model| {
                let witness = model.witness.map(|states| states as u64);
                witness == Some(number) || model.distinct == Some(number)
            };
            if !of.iter().any(counts) {
                wrong.push(part[..at + " states".len()].to_owned());
            }
        }
    }
    wrong
}

/// A text without what is white in it.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The pieces of TLA+ that no module has. What a page has its reader add to one is tried by the tutorial's test.
fn invented(modules: &[String], page: &str) -> Vec<String> {
    let (_, code) = parts(page);
    let shown = code.into_iter().filter(|[kind, before, _]| {
        kind == "tla" && !before.contains("Add to `specs/") && !before.contains("add to `specs/")
    });
    shown
        .map(|[_, _, block]| block)
        .filter(|block| {
            let block = dense(block);
            !modules.iter().any(|module| module.contains(&block))
        })
        .collect()
}

fn modules() -> Vec<String> {
    let mut found = Vec::new();
    files(&root().join("specs"), ".tla", &mut found);
    let texts = found
        .iter()
        .map(|path| dense(&fs::read_to_string(path).expect("a module")));
    texts.collect()
}

fn manifest() -> Manifest {
    Manifest::load(&root().join("specs")).expect("the claims")
}

#[test]
fn what_pages_say_of_models_is_what_the_claims_have() {
    let (manifest, modules) = (manifest(), modules());
    let mut faults = Vec::new();
    for (page, text) in pages() {
        let mut of = |kind: &str, found: Vec<String>| {
            faults.extend(
                found
                    .into_iter()
                    .map(|found| format!("{page}: {kind}: {found}")),
            );
        };
        of("no model is named so", unknown(&manifest, &text));
        of("its verdict is another", contradicted(&manifest, &text));
        of(
            "no model named there has so many",
            miscounted(&manifest, &text),
        );
        of("no module has this", invented(&modules, &text));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_they_say_is_read() {
    let (mut named, mut counted, mut shown) = (0, 0, 0);
    for (_, text) in pages() {
        let (prose, code) = parts(&text);
        let names = prose.iter().flat_map(|part| quoted(part));
        named += names.filter(|(name, _)| is_model_name(name)).count();
        counted += prose
            .iter()
            .map(|part| part.matches(" states").count())
            .sum::<usize>();
        shown += code.iter().filter(|[kind, ..]| kind == "tla").count();
    }
    assert!(named > 400, "{named}");
    assert!(counted > 15, "{counted}");
    assert!(shown > 3, "{shown}");
}

#[test]
fn each_fault_is_found() {
    let (manifest, modules) = (manifest(), modules());
    let model = |expect: fn(&Expect) -> bool| {
        let mut models = manifest.models.iter();
        let found = models.find(|model| {
            model.engine == Engine::Tlc && model.witness.is_some() && expect(&model.expect)
        });
        found.expect("there is one")
    };
    let violated = model(|expect| matches!(expect, Expect::Violates { .. }));
    let (name, states) = (&violated.name, violated.witness.expect("it has one"));
    let good = format!("- One\n- `{name}` is violated\n  in {states} states.\n");
    let none: Vec<String> = Vec::new();
    assert_eq!(unknown(&manifest, &good), none);
    assert_eq!(contradicted(&manifest, &good), none);
    assert_eq!(miscounted(&manifest, &good), none);
    assert_eq!(unknown(&manifest, "`No-such-model`"), ["No-such-model"]);
    let mut sizes = manifest.sizes.keys().map(|(_, size)| size);
    let size = sizes.find(|size| is_model_name(size)).expect("one");
    let (row, said) = (format!("| `{size}` | x |\n"), format!("As `{size}` is.\n"));
    assert_eq!(unknown(&manifest, &said), [size.as_str()]);
    assert_eq!(unknown(&manifest, &(row + "\n" + &said)), none);
    let says = good.replace("is violated", "holds");
    assert_eq!(contradicted(&manifest, &says).len(), 1);
    let more = good.replace(
        &format!("{states} states"),
        &format!("{} states", states + 1000),
    );
    assert_eq!(miscounted(&manifest, &more).len(), 1);
    let piece = |text: &str| format!("Here it is:\n\n```tla\n{text}\n```\n");
    let real = "Spin(t) ==\n  /\\ pc[t] = \"idle\"   /\\ Spins(t)";
    assert_eq!(invented(&modules, &piece(real)), none);
    let other = real.replace("idle", "idler");
    assert_eq!(invented(&modules, &piece(&other)), [other.as_str()]);
    let told = format!("Add to `specs/rwsem/Rwsem.tla`:\n\n```tla\n{other}\n```\n");
    assert_eq!(invented(&modules, &told), none);
}
