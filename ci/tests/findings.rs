//! The programs of `docs/findings` compile without a warning, say what they take, and are in its index; its pages say what the index
//! does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn findings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/findings")
}

/// Its files with this extension, in the order of their names.
fn files(extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(findings()).expect("docs/findings");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no {extension} in docs/findings");
    files
}

fn name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .expect("a name")
}

#[test]
fn each_program_compiles_without_a_warning_and_refuses_what_it_does_not_know() {
    let folder = tempfile::tempdir().unwrap();
    for source in files("c") {
        let program = folder.path().join("program");
        let compiled = Command::new("cc")
            .args("-std=gnu11 -O2 -Wall -Wextra -Werror -pthread -o".split(' '))
            .args([&program, &source])
            .output()
            .expect("cc");
        assert!(
            compiled.status.success(),
            "{}",
            String::from_utf8_lossy(&compiled.stderr)
        );
        for wrong in ["no-such-variant", "-?"] {
            let told = Command::new(&program).arg(wrong).output().unwrap();
            assert_eq!(told.status.code(), Some(2), "{} {wrong}", name(&source));
            let said = String::from_utf8_lossy(&told.stderr).into_owned();
            assert!(
                said.contains("usage: "),
                "{} {wrong}: {said}",
                name(&source)
            );
        }
    }
}

#[test]
fn the_index_has_every_page_and_program() {
    let index = fs::read_to_string(findings().join("README.md")).unwrap();
    for file in [files("c"), files("h"), files("md")].concat() {
        let file = name(&file);
        assert!(
            file == "README.md" || index.contains(&format!("({file})")),
            "{file}"
        );
    }
}

/// What is between backticks, begins with a capital and has a dash is a model: `Final612-XD-eof-KeepsOthers`.
fn models(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted
        .filter(|name| name.starts_with(|first: char| first.is_ascii_uppercase()))
        .filter(|name| name.contains('-') && !name.contains(' '))
}

/// What of its row in the index a page does not say: a model, or a function of a kernel with its file.
fn unsaid(page: &str, row: &[&str]) -> Vec<String> {
    let models = models(row[2]).map(|model| format!("`{model}`"));
    let source = row[3].split("; ").flat_map(|source| source.split(", "));
    let said = models.chain(source.map(str::to_owned));
    said.filter(|said| !page.contains(said.as_str())).collect()
}

#[test]
fn each_page_says_what_its_row_in_the_index_does() {
    let index = fs::read_to_string(findings().join("README.md")).unwrap();
    let (_, rest) = index
        .split_once("<!-- table:findings -->\n")
        .expect("the table");
    let (table, _) = rest.split_once("<!-- /table -->").expect("its end");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(2)
        .map(|row| row.trim_matches(['|', ' ']).split(" | ").collect())
        .collect();
    assert_eq!(rows.len(), files("md").len() - 1, "a row a page");
    for row in rows {
        let (_, link) = row[0].rsplit_once("](").expect("a link");
        let page = fs::read_to_string(findings().join(link.trim_end_matches(')'))).unwrap();
        assert_eq!(unsaid(&page, &row), Vec::<String>::new(), "{}", row[0]);
        let name = row[3].split('`').nth(1).expect("a function");
        let without = page.replace(name, "f");
        assert_eq!(unsaid(&without, &row), [format!("`{name}`")]);
    }
}
