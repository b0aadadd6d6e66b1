//! A small book from its files to its pages, and what its check finds in it.

use std::fs;
use std::path::{Path, PathBuf};

use interlock_book::{build, check};
use tempfile::TempDir;

/// The folder of a repository's book with one chapter of this text, built.
fn book(chapter: &str) -> (TempDir, PathBuf) {
    let root = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let write = |file: &str, text: &str| {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("docs/book.toml", include_str!("../../../docs/book.toml"));
    for file in [
        "colours.css",
        "keyboard.css",
        "keyboard.js",
        "listings.css",
        "tables.css",
    ] {
        write(&format!("docs/{file}"), "\n");
    }
    write(
        "docs/SUMMARY.md",
        "- [One](one.md)\n- [Two](two/README.md)\n",
    );
    write("docs/one.md", chapter);
    write("docs/two/README.md", "# Two\n\n[one](../one.md)\n");
    write(
        "specs/lock/Lock.tla",
        "---- MODULE Lock ----\nVARIABLE lock\n\n\\* <b>&amp; nobody\nInit == lock = {}\nNever == ~Init\n====\n",
    );
    write("src/lib.rs", "# not a heading\nfn a() {}\n");
    let folder = build(root.path()).expect("a book");
    (root, folder)
}

fn text(folder: &Path, page: &str) -> String {
    fs::read_to_string(folder.join(page)).expect("a page")
}

#[test]
fn chapters_lead_to_modules_and_back() {
    let chapter =
        "# One\n\n[a](../specs/lock/Lock.tla#Init) [b](two/README.md) [c](../src/lib.rs#L2)\n";
    let (_root, folder) = book(chapter);
    assert_eq!(check::faults(&folder).expect("pages"), Vec::<String>::new());
    let one = text(&folder, "one.html");
    for link in [
        "specs/lock/Lock.html#Init",
        "two/index.html",
        "source/src/lib.rs.html#L2",
    ] {
        assert!(one.contains(&format!("href=\"{link}\"")), "{link}: {one}");
    }
    let module = text(&folder, "specs/lock/Lock.html");
    for part in [
        "Told in: <a href=\"../../one.html\">One</a>.",
        "<a href=\"Lock.html#Init\">Init</a>",
        "\n\n<span class=\"hljs-comment\">\\* &lt;b&gt;&amp;amp; nobody</span>\n",
    ] {
        assert!(module.contains(part), "{part}: {module}");
    }
    let source = text(&folder, "source/src/lib.rs.html");
    assert!(
        source.contains("<span class=\"line\" id=\"L1\"># not a heading</span>"),
        "{source}"
    );
}

#[test]
fn each_kind_of_fault_is_found() {
    let (_root, folder) = book("# One\n");
    let faults = |html: &str| {
        fs::write(folder.join("seeded.html"), html).expect("a page");
        check::faults(&folder).expect("pages")
    };
    assert_eq!(
        faults("<a href=\"one.html#one\">x</a><script>'<a href=\"none.html\">'</script>"),
        Vec::<String>::new()
    );
    let found = |html: &str, message: &str| {
        assert_eq!(faults(html), [format!("seeded.html: {message}")], "{html}")
    };
    found("<a href=\"none.html\">x</a>", "`none.html` leads nowhere");
    found(
        "<a href=\"../one.html\">x</a>",
        "`../one.html` leads out of the book",
    );
    found(
        "<a href=\"one.html#none\">x</a>",
        "`one.html#none`: one.html has no such anchor",
    );
    found(
        "<a href=\"#none\">x</a>",
        "`#none`: seeded.html has no such anchor",
    );
    found("<img src=\"none.svg\">", "`none.svg` leads nowhere");
    found(
        "<i id=\"a\"></i><i id=\"a\"></i>",
        "has the anchor `a` twice",
    );
    for (html, target) in [
        (
            "<script src=\"https://example.org/a.js\"></script>",
            "https://example.org/a.js",
        ),
        (
            "<link rel=\"stylesheet\" href=\"//example.org/a.css\">",
            "//example.org/a.css",
        ),
    ] {
        found(
            html,
            &format!("loads `{target}` from the network (bring it along)"),
        );
    }
    found(
        "<pre class=\"playground\"></pre>",
        "has code to be run, for which the book asks a server (set `runnable = false`)",
    );
    fs::write(
        folder.join("seeded.css"),
        "@import \"https://example.org/b.css\"; a { background: url('c.png') }",
    )
    .expect("a style");
    let expected = [
        "seeded.css: `c.png` leads nowhere",
        "seeded.css: loads `https://example.org/b.css` from the network (bring it along)",
    ];
    assert_eq!(faults(""), expected);
}
