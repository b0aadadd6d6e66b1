//! The figures that the lock's README gives are those of the run that is kept in `docs/bench.md`.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The tables of a document, by their headings.
struct Tables(String);

impl Tables {
    /// The cell of the table whose heading begins so, in the row that begins with these cells, in the first column that is named so.
    fn cell(&self, heading: &str, row: &[&str], column: &str) -> &str {
        let begin = format!("### {heading}");
        let lines = self
            .0
            .lines()
            .skip_while(|line| !line.starts_with(&begin))
            .skip(1)
            .take_while(|line| !line.starts_with('#'));
        let mut rows = lines
            .filter(|line| line.starts_with('|'))
            .map(|line| line.trim_matches('|').split('|').map(str::trim).collect());
        let names: Vec<&str> = rows.next().unwrap_or_else(|| panic!("no table {heading}"));
        let column = names.iter().position(|name| *name == column);
        let found = rows.find(|cells: &Vec<&str>| cells.starts_with(row));
        let found = found.unwrap_or_else(|| panic!("no row {row:?} in {heading}"));
        found[column.unwrap_or_else(|| panic!("{heading} has the columns {names:?}"))]
    }
}

#[test]
fn the_readme_gives_the_figures_of_the_kept_run() {
    let kept = Tables(fs::read_to_string(root().join("docs/bench.md")).expect("it is kept"));
    let readme = fs::read_to_string(root().join("reference/rwlock/README.md")).expect("it is here");
    let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    let ours = "interlock-rwlock";
    let others = "parking_lot 0.13.0";
    let uncontended = |op| kept.cell("Uncontended", &[ours, op], "ratio");
    let s1 = |lock, side, column| kept.cell("S1", &[lock, side], column);
    let sentences = [
        format!(
            "a lock and unlock that nobody else wants takes {} of its time for reading, {} for writing",
            uncontended("read"),
            uncontended("write")
        ),
        format!(
            "get {} of its writers' grants, since a batch of readers comes after each round of them; the readers get {} times as many",
            s1(ours, "writers", "ratio"),
            s1(ours, "readers", "ratio")
        ),
        format!(
            "a reader waits {} at worst and a writer {}, where they wait {} and {} there",
            s1(ours, "readers", "worst wait"),
            s1(ours, "writers", "worst wait"),
            s1(others, "readers", "worst wait"),
            s1(others, "writers", "worst wait")
        ),
    ];
    for sentence in sentences {
        assert!(
            readme.contains(&sentence),
            "reference/rwlock/README.md does not say: {sentence}"
        );
    }
}
