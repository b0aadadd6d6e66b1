//! The links of the repository's pages.

use std::fs;
use std::path::Path;

use interlock_checker::links::faults;

#[test]
fn every_link_of_the_repository_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let faults = faults(&root).expect("pages that can be read");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What is wrong in a book of one chapter with this text, beside a module and a list of chapters.
fn of(chapter: &str) -> Vec<String> {
    let root = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let write = |file: &str, text: &str| {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("docs/SUMMARY.md", "- [One](one.md)\n");
    write("docs/one.md", chapter);
    write(
        "specs/Lock.tla",
        "Steal(t) ==\n  /\\ pc[t] = 1\nIdle == TRUE\nLater[n \\in Nat] == n\n",
    );
    write("src/lib.rs", "");
    faults(root.path()).expect("pages that can be read")
}

#[test]
fn good_links_are_no_faults() {
    let good = "# The [lock](one.md), `held`\n## Again\n## Again\n[a](#the-lock-held) [b](one.md#again-1) [c](../specs/Lock.tla#Steal)
[d](../specs/Lock.tla#Idle) [e](../specs/Lock.tla#Later) [f](../src/lib.rs#L3) [g](https://example.org/#x) [h](../specs)
`[i](none.md)`\n```\n[j](none.md)\n# Hidden\n```\n";
    assert_eq!(of(good), Vec::<String>::new());
}

#[test]
fn each_kind_of_fault_is_found() {
    let found = |text: &str, expected: &str| assert_eq!(of(text), [expected], "{text}");
    found(
        "\n[a](none.md)",
        "docs/one.md:2: `none.md` leads nowhere: there is no docs/none.md (correct the link)",
    );
    found(
        "![a](img/a.svg)",
        "docs/one.md:1: `img/a.svg` leads nowhere: there is no docs/img/a.svg (correct the link)",
    );
    found(
        "[a](../../b.md)",
        "docs/one.md:1: `../../b.md` leads out of the repository (name a file in it)",
    );
    found(
        "# Again\n[a](#again-1)",
        "docs/one.md:2: `#again-1`: docs/one.md has no heading for `#again-1` (correct the anchor)",
    );
    found(
        "```\n# Hidden\n```\n[a](#hidden)",
        "docs/one.md:4: `#hidden`: docs/one.md has no heading for `#hidden` (correct the anchor)",
    );
    found(
        "[a](../specs/Lock.tla#Stea)",
        "docs/one.md:1: `../specs/Lock.tla#Stea`: specs/Lock.tla defines no `Stea` (name an operator of that module)",
    );
    found(
        "[a](../src/lib.rs#x)",
        "docs/one.md:1: `../src/lib.rs#x`: only pages and modules have anchors (leave `#x` out)",
    );
}

#[test]
fn a_page_that_the_list_does_not_name_is_found() {
    let root = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let docs = root.path().join("docs");
    fs::create_dir_all(&docs).expect("a folder");
    fs::write(docs.join("SUMMARY.md"), "# Summary\n").expect("a file");
    fs::write(docs.join("two.md"), "# Two\n").expect("a file");
    let faults = faults(root.path()).expect("pages that can be read");
    assert_eq!(
        faults,
        ["docs/two.md:1: is no chapter (add it to docs/SUMMARY.md)"]
    );
}

/// An operator that is there, one that is not, and what is no doc comment.
#[test]
fn an_operator_that_a_doc_comment_names_and_no_module_has_is_found() {
    let root = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let source = root.path().join("reference/rwlock/src");
    fs::create_dir_all(&source).expect("a folder");
    fs::create_dir_all(root.path().join("specs")).expect("a folder");
    fs::write(root.path().join("specs/Lock.tla"), "Steal == TRUE\n").expect("a file");
    let text = "//! Keeps `specs/Lock.tla#Steal`.\nmod a {\n    /// And `specs/Lock.tla#Stea`; `specs/Loc.tla#Steal`.\n}
// Not `specs/Lock.tla#Other`.\n";
    fs::write(source.join("lib.rs"), text).expect("a file");
    let faults = faults(root.path()).expect("sources that can be read");
    let at = "reference/rwlock/src/lib.rs:3: ";
    assert_eq!(
        faults,
        [
            format!(
                "{at}`specs/Lock.tla#Stea`: specs/Lock.tla defines no `Stea` (name an operator of that module)"
            ),
            format!(
                "{at}`specs/Loc.tla#Steal` leads nowhere: there is no specs/Loc.tla (correct the link)"
            ),
        ]
    );
}

#[test]
fn the_locks_name_what_they_keep() {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference");
    for lock in [
        "rwlock/src/lib.rs",
        "rwlock/src/lock.rs",
        "rwlock/src/queued/mod.rs",
        "src/range/lock.rs",
        "src/range/list.rs",
    ] {
        let text = fs::read_to_string(reference.join(lock)).expect("a source");
        assert!(text.contains(".tla#"), "{lock} names no property");
    }
}
