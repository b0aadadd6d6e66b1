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

fn kept() -> Tables {
    Tables(fs::read_to_string(root().join("docs/bench.md")).expect("it is kept"))
}

/// That the page has these sentences, however its lines are broken.
fn says(page: &str, sentences: &[String]) {
    let text = fs::read_to_string(root().join(page)).expect("it is here");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in sentences {
        assert!(text.contains(sentence), "{page} does not say: {sentence}");
    }
}

#[test]
fn the_readme_gives_the_figures_of_the_kept_run() {
    let kept = kept();
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
    says("reference/rwlock/README.md", &sentences);
    let sentence = format!(
        "takes {} for reading and {} for writing; where three writers hold the lock for 1 us and come back at once, beside two readers \
         that hold it for 1 ms, the writers get {} of that lock's grants, and the readers {} times as many",
        uncontended("read"),
        uncontended("write"),
        s1(ours, "writers", "ratio"),
        s1(ours, "readers", "ratio")
    );
    says("README.md", &[sentence]);
}

#[test]
fn the_pages_on_ranges_give_the_figures_of_the_kept_run() {
    let kept = kept();
    let ratio = "to range-mutex 0.1.7";
    let beside = |held, lock| kept.cell("Range locks, uncontended", &[held, lock], ratio);
    let full =
        |side, column| kept.cell("Range locks: 7 threads hold", &["RangeLock", side], column);
    let quarter = "Range locks: 8 threads, two ranges overlap in one case of four";
    let quarter = kept.cell(quarter, &["RangeLock", "writers"], ratio);
    // Of "0.67 (105.41 M)" the ratio, the least and the most of them.
    let shared = |lock| {
        let ratios = ["1", "2", "4", "8", "16", "32"].map(|threads| {
            let column = format!("{threads} threads");
            let cell = kept.cell("Range locks: threads that read", &[lock], &column);
            cell.split(' ').next().unwrap_or_default()
        });
        let least = ratios.iter().min().expect("there are six");
        let most = ratios.iter().max().expect("there are six");
        format!("{least} to {most}")
    };
    let lists = ["0", "8", "64", "512"].map(|held| beside(held, "RangeList"));
    let number = |text: &&str| text.parse::<f64>().expect("a ratio");
    let least = lists.iter().min_by(|a, b| number(a).total_cmp(&number(b)));
    let most = lists.iter().max_by(|a, b| number(a).total_cmp(&number(b)));
    let sentences = [
        format!(
            "takes {}, {}, {} and {} times as long beside 0, 8, 64 and 512 ranges",
            beside("0", "RangeLock"),
            beside("8", "RangeLock"),
            beside("64", "RangeLock"),
            beside("512", "RangeLock")
        ),
        format!(
            "the list takes {} to {} times as long",
            least.expect("there are four"),
            most.expect("there are four")
        ),
        format!("gets in {} times a second", full("full range", "grants/s")),
        format!(
            "the narrow ones get {} of their grants",
            full("small", ratio)
        ),
        format!("everybody gets {quarter}"),
        format!("the tree does {} of an rwlock", shared("RangeLock")),
        format!("the biased lock {};", shared("RangeLock, biased")),
    ];
    says("docs/range.md", &sentences);
}
