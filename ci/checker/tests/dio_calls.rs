//! The table of calls at the end of the file, in the appendix on direct I/O: what kernels did is what the record has, what models lose is
//! what the claims have, and the two agree.

use std::fs;
use std::path::{Path, PathBuf};

use interlock_checker::manifest::{Expect, Manifest};
use interlock_checker::measured::Record;

const PAGE: &str = "docs/appendix/dio.md";

/// Each size, and the variant of the finding's program that is these calls.
const VARIANTS: [(&str, &str); 10] = [
    ("AC-eof", "d-aio"),
    ("XD-eof", "x-d"),
    ("XT-eof", "x-tr"),
    ("AW-eof", "buf"),
    ("AB-eof", "d-unal"),
    ("XD3-mid", "m-d"),
    ("TR-eof", "tr"),
    ("TS-eof", "tre"),
    ("AV-eof", "av"),
    ("AV3-mid", "avm"),
];

/// Each kernel, and the design that stands for it.
const DESIGNS: [(&str, &str); 7] = [
    ("5.10.223", "Pre61"),
    ("6.1.176", "Pre61"),
    ("6.12.107", "Final612"),
    ("6.17.13", "Final612"),
    ("6.18.15", "Final612"),
    ("7.2.13", "Drained72"),
    ("7.3.4", "Zeroing73"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The heading and the rows of the table that begins so.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let lines = page.lines().skip_while(|line| !line.starts_with(heading));
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|').map(str::trim);
        cells.map(str::to_owned).collect()
    };
    let lines = lines.take_while(|line| line.starts_with('|'));
    let found: Vec<Vec<String>> = lines
        .filter(|line| !line.contains("---"))
        .map(cells)
        .collect();
    assert!(found.len() > 1, "no table {heading}");
    found
}

/// Whether a design loses bytes that were acknowledged, in calls of this size; nothing if it was not asked.
fn loses(manifest: &Manifest, design: &str, size: &str) -> Option<bool> {
    let models = manifest.models.iter();
    let of = models.filter(|model| model.design == design && model.size == size);
    let asked = of.filter_map(|model| match &model.expect {
        Expect::Violates { property, .. } => {
            let lost = ["NoLostWrite", "KeepsA", "KeepsOthers"].contains(&&property[..]);
            lost.then_some(true)
        }
        Expect::Holds => {
            let kept = model.invariants.iter().any(|name| name == "NoLostWrite");
            kept.then_some(false)
        }
        Expect::Typed => None,
    });
    asked.reduce(|one, other| one || other)
}

/// What is wrong with the table of a page.
fn faults(page: &str, manifest: &Manifest, record: &Record) -> Vec<String> {
    let mut rows = table(page, "| size | what grows the file").into_iter();
    let heading = rows.next().expect("a heading");
    let mut faults = Vec::new();
    let mut before: Vec<String> = Vec::new();
    let mut seen = 0;
    for row in rows {
        let size = row[0].trim_matches('`');
        let found = VARIANTS.iter().find(|(known, _)| *known == size);
        let Some((_, variant)) = found else {
            faults.push(format!("{size}: nobody knows which variant it is"));
            continue;
        };
        seen += 1;
        for (kernel, design) in DESIGNS {
            let named = |heading: &String| {
                let mut names = heading.split(", ");
                names.any(|name| kernel == name || kernel.starts_with(&format!("{name}.")))
            };
            let at = heading
                .iter()
                .position(named)
                .expect("a column for the kernel");
            let word = record.did(variant, kernel).map(|did| &did.word[..]);
            let lost = matches!(word, Some("lost" | "EIO"));
            if row[at] != (if lost { "lost" } else { "kept" }) {
                faults.push(format!("{size}: {kernel} was not {}", row[at]));
            }
            if loses(manifest, design, size) != Some(lost) {
                faults.push(format!("{size}: {design} is not {kernel}"));
            }
        }
        let mut said: Vec<String> = Vec::new();
        for part in row[6].split([',', ' ']).filter(|part| !part.is_empty()) {
            match part {
                "the" | "these" => said.extend(before.clone()),
                "same" | "and" | "none" => {}
                design => said.push(design.to_owned()),
            }
        }
        said.sort();
        let designs = ["Drained72", "Final612", "Final65", "Zeroing73"];
        let lose = designs.into_iter();
        let lose: Vec<&str> = lose
            .filter(|design| loses(manifest, design, size) == Some(true))
            .collect();
        if said != lose {
            faults.push(format!("{size}: {} lose it", lose.join(", ")));
        }
        before = said;
    }
    if seen != VARIANTS.len() {
        faults.push(format!("{seen} of {} sizes", VARIANTS.len()));
    }
    faults
}

/// What is wrong with the table of cures: the sizes that it says a design does not keep, and those that F3 keeps.
fn of_cures(page: &str, manifest: &Manifest) -> Vec<String> {
    let rows = table(page, "| cure | design | keeps | does not keep |");
    let mut faults = Vec::new();
    for row in &rows[1..] {
        let design = row[1].trim_matches('`');
        let is_size = |name: &&str| {
            manifest
                .sizes
                .contains_key(&("dio".to_owned(), (*name).to_owned()))
        };
        let named = |cell: usize| row[cell].split('`').filter(is_size).collect::<Vec<_>>();
        for size in named(3) {
            if loses(manifest, design, size) != Some(true) {
                faults.push(format!("{design} keeps {size}"));
            }
        }
        if row[2].starts_with("all of") {
            let but = named(2);
            for (size, _) in VARIANTS.into_iter().filter(|(size, _)| !but.contains(size)) {
                if loses(manifest, design, size) == Some(true) && !named(3).contains(&size) {
                    faults.push(format!("{design} loses {size}"));
                }
            }
        }
    }
    faults
}

#[test]
fn the_calls_and_the_cures_are_what_was_measured_and_what_models_lose() {
    let manifest = Manifest::load(&root().join("specs")).expect("the claims");
    let record = Record::load(&root(), "direct-io").expect("a record");
    let page = fs::read_to_string(root().join(PAGE)).expect("a page");
    let none: [&str; 0] = [];
    assert_eq!(faults(&page, &manifest, &record), none);
    assert_eq!(of_cures(&page, &manifest), none);
    // A cell of a kernel, one of the models, a size, and one of the cures.
    for (from, to, told) in [
        (
            "kept | lost | kept | kept | Final65, Final612 |",
            "kept | lost | lost | kept | Final65, Final612 |",
            1,
        ),
        (
            "kept | lost | kept | kept | Final65, Final612 |",
            "kept | lost | kept | kept | Final612 |",
            1,
        ),
        ("| `AW-eof` | `w`", "| `AW-eof2` | `w`", 2),
        ("these and Final65", "the same", 1),
    ] {
        assert!(page.contains(from), "{from}");
        let found = faults(&page.replace(from, to), &manifest, &record);
        assert!(found.len() >= told, "{to}: {found:?}");
    }
    let other = page.replace(
        "`TR3-mid`, `TS3-mid`, `AV3-mid` |",
        "`TR-eof`, `TS3-mid`, `AV3-mid` |",
    );
    assert_eq!(of_cures(&other, &manifest), ["Final612Eof keeps TR-eof"]);
}
