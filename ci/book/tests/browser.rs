//! The book's pages in a browser, opened from disk: each chapter, and one each of the pages that no chapter is.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use interlock_book::build;
use interlock_browser::{Chromium, Scheme, View, find};
use interlock_judges::CHROMIUM;

/// The themes that a reader may choose, besides those of the system's schemes.
const CHOSEN: [&str; 3] = ["rust", "coal", "ayu"];

/// Pages that are unlike: text, tables and pictures, a module, a source.
const UNLIKE: [&str; 4] = ["introduction.html", "rwsem.html", MODULE, SOURCE];
const MODULE: &str = "specs/rwsem/Rwsem.html";
const SOURCE: &str = "source/ci/src/main.rs.html";

static ROOT: LazyLock<PathBuf> =
    LazyLock::new(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));

/// Built once.
static BOOK: LazyLock<PathBuf> = LazyLock::new(|| build(&ROOT).expect("the book"));

/// A browser, where there is one.
fn chromium() -> Option<Chromium> {
    let program = find();
    let is_here = CHROMIUM.is_here(program.as_ref());
    is_here.then(|| Chromium::start(&program.expect("Chromium")).expect("a browser"))
}

/// The chapters that `docs/SUMMARY.md` names, as pages.
fn chapters() -> Vec<String> {
    let summary = fs::read_to_string(ROOT.join("docs/SUMMARY.md")).expect("the summary");
    let links = summary.lines().filter_map(|line| {
        let (_, link) = line.split_once("](")?;
        link.strip_suffix(".md)")
    });
    let page = |link: &str| match link.strip_suffix("README") {
        Some(folder) => format!("{folder}index.html"),
        None => format!("{link}.html"),
    };
    links.map(page).collect()
}

#[test]
fn each_page_is_sound() {
    let Some(mut chromium) = chromium() else {
        return;
    };
    let mut pages = chapters();
    assert!(pages.len() > 20, "{pages:?}");
    pages.extend([MODULE, SOURCE].map(str::to_owned));
    let scripts = CHOSEN.map(|theme| format!("localStorage.setItem('mdbook-theme', '{theme}')"));
    let chosen = scripts.iter().flat_map(|before| {
        let view = View {
            before,
            ..View::of(1440, Scheme::Light)
        };
        UNLIKE.map(|page| (page, view))
    });
    let pages = pages
        .iter()
        .flat_map(|page| View::EACH.map(|view| (page.as_str(), view)));
    let mut faults = Vec::new();
    for (page, view) in pages.chain(chosen) {
        let found = chromium
            .faults(&BOOK.join(page), &view)
            .unwrap_or_else(|error| panic!("{page}: {error:#}"));
        faults.extend(
            found
                .iter()
                .map(|fault| format!("{page} ({view}): {fault}")),
        );
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn keys_open_the_list_of_chapters() {
    let Some(mut chromium) = chromium() else {
        return;
    };
    let press = "(() => {
        const is_open = () => document.documentElement.classList.contains('sidebar-visible');
        const button = document.querySelector('#mdbook-sidebar-toggle');
        const opened = ['Enter', ' '].map((key) => {
            button.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
            return is_open();
        });
        return String(opened);
    })()";
    let opened = chromium
        .evaluate(
            &BOOK.join("introduction.html"),
            &View::of(360, Scheme::Light),
            press,
        )
        .expect("an answer");
    assert_eq!(opened, "true,false");
}

#[test]
fn a_search_from_disk_finds_a_chapter() {
    let Some(mut chromium) = chromium() else {
        return;
    };
    let search = "(async () => {
        document.querySelector('#mdbook-search-toggle').click();
        const bar = document.querySelector('#mdbook-searchbar');
        bar.value = 'StrictFifo';
        for (let tries = 0; tries < 100; tries++) {
            bar.dispatchEvent(new KeyboardEvent('keyup'));
            await new Promise((done) => setTimeout(done, 100));
            const found = document.querySelector('#mdbook-searchresults a');
            if (found) return found.getAttribute('href');
        }
        return 'nothing';
    })()";
    let found = chromium
        .evaluate(
            &BOOK.join("introduction.html"),
            &View::of(1440, Scheme::Light),
            search,
        )
        .expect("an answer");
    assert!(found.as_str().expect("a link").contains(".html"), "{found}");
}
