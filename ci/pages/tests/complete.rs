//! A small repository's book: which pages it gets, and where its links lead.

use std::fs;
use std::path::PathBuf;

use interlock_pages::{Added, Chapter, Page, complete};
use tempfile::TempDir;

const FILES: [(&str, &str); 10] = [
    ("docs/img/a.svg", "<svg/>"),
    (
        "specs/lock/README.md",
        "# A lock\n\n[It](Lock.tla), [told](../../docs/lock.md), [rows](models.toml).\n",
    ),
    (
        "specs/lock/Lock.tla",
        "---- MODULE Lock ----\nEXTENDS Shared\nVARIABLE x\nInit == x = Start\n====\n",
    ),
    (
        "specs/lock/MCLock.tla",
        "---- MODULE MCLock ----\nEXTENDS Lock\nNever == ~Init\n====\n",
    ),
    ("specs/lock/Faces.tla", "---- MODULE Faces ----\n====\n"),
    (
        "specs/lock/LockPolicies.tla",
        "---- MODULE LockPolicies ----\n====\n",
    ),
    ("specs/lock/models.toml", "a = 1 # <b>\n"),
    (
        "specs/early/Shared.tla",
        "---- MODULE Shared ----\nStart == 0\n====\n",
    ),
    ("src/lib.rs", "fn a() {}\n"),
    ("NOTES.md", "# Notes\n\n[Lock](specs/lock/Lock.tla#Init)\n"),
];

/// The chapters with this text in the first, and what is added, in a repository of `FILES`.
fn book(text: &str) -> anyhow::Result<(Vec<Chapter>, Added)> {
    let root = TempDir::new_in(env!("CARGO_TARGET_TMPDIR"))?;
    for (file, text) in FILES {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder"))?;
        fs::write(path, text)?;
    }
    let chapter = |title: &str, file: &str, page: &str, text: &str| Chapter {
        title: title.to_owned(),
        file: PathBuf::from(file),
        page: PathBuf::from(page),
        text: text.to_owned(),
    };
    fs::write(root.path().join("docs/lock.md"), "")?;
    fs::create_dir(root.path().join("docs/more"))?;
    fs::write(root.path().join("docs/more/README.md"), "")?;
    let more = "[The lock](../../specs/lock/Lock.tla), [again](../lock.md)\n";
    let mut chapters = vec![
        chapter("The lock", "docs/lock.md", "lock.md", text),
        chapter("More", "docs/more/README.md", "more/index.md", more),
    ];
    let added = complete(root.path(), &mut chapters)?;
    Ok((chapters, added))
}

fn names(pages: &[Page]) -> Vec<String> {
    pages
        .iter()
        .map(|page| page.page.display().to_string())
        .collect()
}

#[test]
fn links_of_chapters_lead_to_pages() {
    let text = "[a](more/README.md#b) [c](../specs/lock/Lock.tla#Init) [d](../src/lib.rs#L1) ![e](img/a.svg) [f](#g) [h](../specs/lock)\n";
    let (chapters, added) = book(text).expect("a book");
    let expected = "[a](more/index.md#b) [c](specs/lock/Lock.md#Init) [d](source/src/lib.rs.md#L1) ![e](img/a.svg) [f](#g) \
                    [h](specs/lock/index.md)\n";
    assert_eq!(chapters[0].text, expected);
    assert_eq!(
        chapters[1].text,
        "[The lock](../specs/lock/Lock.md), [again](../lock.md)\n"
    );
    assert_eq!(
        names(&added.sources.below),
        ["source/specs/lock/models.toml.md", "source/src/lib.rs.md"]
    );
    assert!(
        added.sources.below[0]
            .text
            .contains("<span class=\"line\" id=\"L1\">a = 1 # &lt;b&gt;</span>"),
        "{:?}",
        added.sources.below[0]
    );
}

/// One of the chapters' folder is in the book by its README alone.
#[test]
fn a_folder_is_its_readme_or_a_list_of_its_files() {
    let (chapters, added) = book("[a](more) [b](img) [c](../src)\n").expect("a book");
    let expected = "[a](more/index.md) [b](source/docs/img/index.md) [c](source/src/index.md)\n";
    assert_eq!(chapters[0].text, expected);
    let pages: Vec<&str> = added
        .sources
        .below
        .iter()
        .map(|page| &page.text[..])
        .collect();
    let pages = pages.concat();
    assert!(
        pages.contains("- [`a.svg`](../../../img/a.svg)\n"),
        "{pages}"
    );
    assert!(pages.contains("- [`lib.rs`](lib.rs.md)\n"), "{pages}");
}

#[test]
fn modules_follow_their_readme_and_those_of_a_chapter_come_first() {
    let (_, added) = book("").expect("a book");
    assert_eq!(
        names(&added.specifications),
        ["specs/lock/index.md", "specs/early/Shared.md"]
    );
    let area = &added.specifications[0];
    assert_eq!(
        names(&area.below),
        [
            "specs/lock/Lock.md",
            "specs/lock/LockPolicies.md",
            "specs/lock/Faces.md",
            "specs/lock/MCLock.md"
        ]
    );
    let readme = "# A lock\n\n[It](Lock.md), [told](../../lock.md), [rows](../../source/specs/lock/models.toml.md).\n";
    assert_eq!(area.text, readme);
}

#[test]
fn a_module_has_its_chapters_and_leads_to_the_modules_that_it_takes() {
    let (_, added) =
        book("[a](../specs/lock/Lock.tla#Init) [again](../specs/lock/Lock.tla)\n").expect("a book");
    let [lock, .., instance] = &added.specifications[0].below[..] else {
        panic!("{added:?}");
    };
    let expected = "# Lock {#module-Lock}\n\n`specs/lock/Lock.tla` is a module of [A lock](index.md).\n\nTold in: [The lock](../../lock.md), [More](../../more/index.md).\n\n\
                    <pre";
    assert!(lock.text.starts_with(expected), "{}", lock.text);
    for part in [
        "<span class=\"hljs-title\" id=\"Init\">Init</span>",
        "<a href=\"../early/Shared.html#Start\">Start</a>",
        "<a href=\"Lock.html#x\">x</a>",
    ] {
        assert!(lock.text.contains(part), "{part}: {}", lock.text);
    }
    assert!(
        instance
            .text
            .contains("<a href=\"Lock.html#Init\">Init</a>")
            && !instance.text.contains("Told in"),
        "{}",
        instance.text
    );
}

#[test]
fn a_folder_lists_what_is_in_it_and_markdown_stays_markdown() {
    let (_, added) =
        book("[a](../specs/lock/models.toml) [b](../src) [c](../NOTES.md)\n").expect("a book");
    assert_eq!(
        names(&added.sources.below),
        [
            "source/NOTES.md",
            "source/specs/lock/models.toml.md",
            "source/src/index.md",
            "source/src/lib.rs.md"
        ]
    );
    assert_eq!(
        added.sources.below[0].text,
        "# Notes\n\n[Lock](../specs/lock/Lock.md#Init)\n"
    );
    assert_eq!(
        added.sources.below[2].text,
        "# `src`\n\n- [`lib.rs`](lib.rs.md)\n"
    );
    assert!(
        added
            .sources
            .text
            .contains("- [`src/lib.rs`](src/lib.rs.md)\n"),
        "{}",
        added.sources.text
    );
}

#[test]
fn links_that_lead_nowhere_are_faults() {
    let fault = |text: &str| book(text).expect_err("a fault").to_string();
    assert_eq!(
        fault("[a](none.md)"),
        "docs/lock.md: `none.md` leads nowhere: there is no docs/none.md (correct the link)"
    );
    assert_eq!(
        fault("[a](../../b.md)"),
        "docs/lock.md: `../../b.md` leads out of the repository (name a file in it)"
    );
}
