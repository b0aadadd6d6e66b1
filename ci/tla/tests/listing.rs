//! What a reader of a module's text is shown: its pieces, and where its names lead.

use std::fs;
use std::path::Path;

use interlock_tla::module::{Class, Listing};
use tempfile::TempDir;

/// Lists module `M` with this text between its first and last line, beside modules `Base` and `Above`.
fn list(text: &str) -> Listing {
    let directory = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory");
    let base =
        "---- MODULE Base ----\nCONSTANTS Size, Op(_)\nVARIABLE v\nStep == v' = Op(Size)\n====\n";
    fs::write(directory.path().join("Base.tla"), base).expect("written");
    let above = "---- MODULE Above ----\nEXTENDS Base\n====\n";
    fs::write(directory.path().join("Above.tla"), above).expect("written");
    let text = format!("---- MODULE M ----\n{text}\n====\n");
    fs::write(directory.path().join("M.tla"), text).expect("written");
    Listing::read(&[directory.path()], "M").expect("a module")
}

/// Each link: its text, and `FILE#ANCHOR`.
fn links(text: &str) -> Vec<(String, String)> {
    let listing = list(text);
    let shown = |path: &Path| {
        path.file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    let links = listing.links.iter().map(|link| {
        let anchor = link.anchor.as_ref().map(|anchor| format!("#{anchor}"));
        let to = shown(&link.path) + &anchor.unwrap_or_default();
        (listing.text[link.at.clone()].to_owned(), to)
    });
    links.collect()
}

fn pairs(links: &[(String, String)]) -> Vec<(&str, &str)> {
    links
        .iter()
        .map(|(text, to)| (&text[..], &to[..]))
        .collect()
}

#[test]
fn every_piece_has_its_class() {
    let listing = list(
        "VARIABLE x \\* kept\nA == (* of\n two *) IF x = \"a\\\"b\" THEN 12 ELSE TRUE\nB == \\A y \\in Nat : WF_x(A)",
    );
    let of = |class| {
        let tokens = listing
            .tokens
            .iter()
            .filter(move |token| token.class == class);
        tokens
            .map(|token| &listing.text[token.at.clone()])
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of(Class::Comment),
        ["----", "----", "\\* kept", "(* of\n two *)", "===="]
    );
    assert_eq!(
        of(Class::Keyword),
        ["MODULE", "VARIABLE", "IF", "THEN", "ELSE", "WF_"]
    );
    assert_eq!(of(Class::String), ["\"a\\\"b\""]);
    assert_eq!(of(Class::Number), ["12"]);
    assert_eq!(of(Class::Literal), ["TRUE", "Nat"]);
    assert_eq!(of(Class::Operator), ["==", "=", "==", "\\A", "\\in"]);
    assert!(
        listing
            .tokens
            .windows(2)
            .all(|pair| pair[0].at.end <= pair[1].at.start)
    );
}

#[test]
fn what_is_declared_and_defined_has_an_anchor() {
    let listing = list(
        "CONSTANTS C, D(_)\nVARIABLE x\nA == LET B == 1 C2 == 2 IN B\nB(n) == LET B2 == 1 IN n\nf[n \\in {1}] == LET C2 == 3 IN n\n\
         LOCAL E == 1\nI == INSTANCE Base WITH v <- x, Size <- 1, Op <- D",
    );
    let names: Vec<&str> = listing
        .anchors
        .iter()
        .map(|anchor| &anchor.name[..])
        .collect();
    assert_eq!(
        names,
        [
            "C", "D", "x", "A", "B-1", "C2", "B", "B2", "f", "C2-1", "E", "I"
        ]
    );
}

#[test]
fn names_lead_to_what_they_mean_where_they_stand() {
    let found = links(
        "EXTENDS Naturals, Base\nASSUME \\A t \\in 1..Size : t.Size = 1\nA(v2) == v2 + v\nB == LET c == 1 IN c + A(c)\nt == [Size |-> B]",
    );
    let expected = [
        ("Base", "Base"),
        ("Size", "Base#Size"),
        ("v", "Base#v"),
        ("c", "M#c"),
        ("A", "M#A"),
        ("c", "M#c"),
        ("B", "M#B"),
    ];
    assert_eq!(pairs(&found), expected);
}

#[test]
fn an_instance_puts_something_for_what_its_module_extends() {
    let found = links("VARIABLE x\nI == INSTANCE Above WITH v <- x, Size <- 1, Op <- LAMBDA n : x");
    let expected = [
        ("Above", "Above"),
        ("v", "Base#v"),
        ("x", "M#x"),
        ("Size", "Base#Size"),
        ("Op", "Base#Op"),
        ("x", "M#x"),
    ];
    assert_eq!(pairs(&found), expected);
}

#[test]
fn names_of_instances_lead_to_their_module() {
    let found = links(
        "VARIABLE x\nF(n) == n\nI(W) == INSTANCE Base WITH v <- x, Size <- W + x, Op <- F\nA == I(x)!Step\nJ == INSTANCE Base WITH v <- x, Size <- 1, Op <- F\nB == J!Step",
    );
    let base = [
        ("Base", "Base"),
        ("v", "Base#v"),
        ("x", "M#x"),
        ("Size", "Base#Size"),
    ];
    let expected = [
        &base[..],
        &[
            ("x", "M#x"),
            ("Op", "Base#Op"),
            ("F", "M#F"),
            ("x", "M#x"),
            ("Step", "Base#Step"),
        ],
        &base[..],
        &[("Op", "Base#Op"), ("F", "M#F"), ("J!Step", "Base#Step")],
    ];
    assert_eq!(pairs(&found), expected.concat());
}

#[test]
fn definitions_alone_have_the_classes_of_a_module_s() {
    let text = "\\* kept\nA ==\n    /\\ x = \"a\"\n\n    /\\ y' = 12";
    let listing = Listing::of_definitions(text).expect("definitions");
    let classes: Vec<_> = listing
        .tokens
        .iter()
        .map(|token| (&listing.text[token.at.clone()], token.class))
        .collect();
    let expected = [
        ("\\* kept", Class::Comment),
        ("==", Class::Operator),
        ("/\\", Class::Operator),
        ("=", Class::Operator),
        ("\"a\"", Class::String),
        ("/\\", Class::Operator),
        ("'", Class::Operator),
        ("=", Class::Operator),
        ("12", Class::Number),
    ];
    assert_eq!(classes, expected);
    Listing::of_definitions("A == /\\").expect_err("no TLA+");
}
