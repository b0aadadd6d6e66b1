//! Each picture of the documentation is legible by light and in the dark: the contrast of each text to what is below it, and its size.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};

/// WCAG's least contrast of text.
const CONTRAST: f64 = 4.5;
/// The least size of a text in pixels.
const SIZE: f64 = 11.0;
/// The most that a picture is wide: on a phone's page of 320 pixels the least text is then of 8.
const WIDTH: f64 = 440.0;

const DARK: &str = "@media (prefers-color-scheme: dark) {";

/// By selector, in order: the declarations.
type Rules = Vec<(String, BTreeMap<String, String>)>;

fn rules(sheet: &str) -> Rules {
    let rules = sheet.split('}').filter_map(|rule| rule.split_once('{'));
    let rules = rules.flat_map(|(selectors, declarations)| {
        let declarations: BTreeMap<String, String> = declarations
            .split(';')
            .filter_map(|declaration| declaration.split_once(':'))
            .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
            .collect();
        let selectors = selectors.split(',').map(str::trim);
        let rules = selectors.map(|selector| (selector.to_owned(), declarations.clone()));
        rules.collect::<Vec<_>>()
    });
    rules.collect()
}

/// What a property of a node is: of the last rule for one of its classes, or else for its element.
fn property<'a>(rules: &'a Rules, node: Node, name: &str) -> Option<&'a str> {
    let classes = node.attribute("class").unwrap_or_default();
    let is_class = |selector: &str| {
        let class = selector.strip_prefix('.');
        class.is_some_and(|class| classes.split_whitespace().any(|own| own == class))
    };
    let last = |applies: &dyn Fn(&str) -> bool| {
        let mut rules = rules.iter().rev();
        rules.find_map(|(selector, declarations)| {
            applies(selector).then(|| declarations.get(name)).flatten()
        })
    };
    last(&is_class)
        .or_else(|| last(&|selector| selector == node.tag_name().name()))
        .map(String::as_str)
}

fn luminance(colour: &str) -> f64 {
    let part = |at: usize| {
        let hex = colour.get(at..at + 2).expect("a colour of six digits");
        let part = f64::from(u8::from_str_radix(hex, 16).expect("digits")) / 255.0;
        if part <= 0.040_45 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn number(node: Node, name: &str) -> f64 {
    let value = node.attribute(name).unwrap_or("0");
    value.parse().expect("a number")
}

/// The colours on which a text stands: of the last rectangle below each of three of its places, which covers all before it.
fn grounds<'a>(rules: &'a Rules, before: &[Node], text: Node) -> Vec<&'a str> {
    let size = size(rules, text);
    let length = text.text().unwrap_or_default().chars().count() as f64 * size * 0.5;
    let start = match property(rules, text, "text-anchor") {
        Some("middle") => number(text, "x") - length / 2.0,
        Some("end") => number(text, "x") - length,
        _ => number(text, "x"),
    };
    let y = number(text, "y") - size / 3.0;
    let at = |x: f64| {
        let covers = |node: &&Node| {
            let (left, top) = (number(**node, "x"), number(**node, "y"));
            let is_across = (left..left + number(**node, "width")).contains(&x);
            is_across && (top..top + number(**node, "height")).contains(&y)
        };
        let mut rects = before.iter().rev().filter(covers);
        rects.find_map(|node| property(rules, *node, "fill").filter(|fill| *fill != "none"))
    };
    let places = [start + 1.0, start + length / 2.0, start + length - 1.0];
    let found = places.into_iter().map(at);
    found.map(|ground| ground.unwrap_or("nothing")).collect()
}

fn size(rules: &Rules, text: Node) -> f64 {
    let size = property(rules, text, "font-size").and_then(|size| size.strip_suffix("px"));
    size.expect("a size in pixels").parse().expect("a number")
}

/// What is not legible in a picture, in words.
fn faults(picture: &str) -> Vec<String> {
    let document = Document::parse(picture).expect("XML");
    let mut nodes = document.descendants();
    let style = nodes.find(|node| node.has_tag_name("style"));
    let style = style.and_then(|style| style.text()).unwrap_or_default();
    let Some((light, dark)) = style.split_once(DARK) else {
        return vec!["it has no dark colours".to_owned()];
    };
    let mut faults = Vec::new();
    if number(document.root_element(), "width") > WIDTH {
        faults.push(format!("it is wider than {WIDTH}"));
    }
    let light = rules(light);
    let both: Rules = light.iter().cloned().chain(rules(dark)).collect();
    for (palette, rules) in [("by light", &light), ("in the dark", &both)] {
        let mut before: Vec<Node> = Vec::new();
        let shapes = document.root_element().children();
        for node in shapes.filter(Node::is_element) {
            match node.tag_name().name() {
                "rect" => before.push(node),
                "text" => {
                    let words = node.text().unwrap_or_default();
                    if size(rules, node) < SIZE {
                        faults.push(format!("`{words}` is small"));
                    }
                    let ink = property(rules, node, "fill").expect("a text has a colour");
                    for ground in grounds(rules, &before, node) {
                        if !ground.starts_with('#') || contrast(ink, ground) < CONTRAST {
                            faults.push(format!("{palette} `{words}` is {ink} on {ground}"));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    faults
}

fn pictures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/img");
    let files = fs::read_dir(folder).expect("the pictures");
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|kind| kind == "svg"));
    files.sort();
    files
}

#[test]
fn every_picture_is_legible_in_both_palettes() {
    let mut found = Vec::new();
    for path in pictures() {
        let picture = fs::read_to_string(&path).expect("a picture");
        let name = path.file_name().expect("a name").to_string_lossy();
        found.extend(
            faults(&picture)
                .into_iter()
                .map(|fault| format!("{name}: {fault}")),
        );
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(pictures().len() > 50, "the pictures are there");
}

#[test]
fn what_is_not_legible_is_found() {
    let path = pictures()
        .into_iter()
        .find(|path| path.ends_with("Xadd420-RWW-ReaderProgress.svg"));
    let picture =
        fs::read_to_string(path.expect("a picture that the README shows")).expect("it is read");
    let (light, dark) = picture.split_once(DARK).expect("dark colours");
    let changed = |half: &str, from: &str, to: &str| {
        assert!(half.contains(from), "{from}");
        half.replace(from, to)
    };
    for (faulty, told) in [
        (
            picture.replace(DARK, "@media print {"),
            "it has no dark colours",
        ),
        // A ground of the dark palette that is as light as its ink.
        (
            format!(
                "{light}{DARK}{}",
                changed(
                    dark,
                    ".plate { fill: #3d3115; }",
                    ".plate { fill: #9a8a50; }"
                )
            ),
            "in the dark `wait` is #e6e9ef on #9a8a50",
        ),
        // A text that keeps the light palette's ink.
        (
            format!(
                "{light}{DARK}{}",
                changed(dark, "text { fill: #e6e9ef; }", "")
            ),
            "in the dark `Enter(w1)` is #1f2430 on #14171c",
        ),
        // One that keeps its ink on a ground that changes.
        (
            format!(
                "{light}{DARK}{}",
                changed(dark, ".held { fill: #14171c; }", "")
            ),
            "in the dark `hold` is #ffffff on #cf9be0",
        ),
        (
            format!(
                "{}{DARK}{dark}",
                changed(
                    light,
                    ".number { font-size: 11px; fill: #5b6472; }",
                    ".number { font-size: 11px; fill: #9aa4b2; }"
                )
            ),
            "by light `1` is #9aa4b2 on #ffffff",
        ),
        (
            changed(
                &picture,
                ".value { font-size: 11px",
                ".value { font-size: 6px",
            ),
            "`hold` is small",
        ),
        (
            changed(&picture, "<rect class=\"page\"", "<rect class=\"none\""),
            "by light `Enter(w1)` is #1f2430 on nothing",
        ),
        (
            changed(&picture, "width=\"320\"", "width=\"900\""),
            "it is wider than 440",
        ),
    ] {
        let found = faults(&faulty);
        assert!(found.iter().any(|fault| fault == told), "{told}: {found:?}");
    }
}
