//! The figures that pages give in running text of what was measured by hand are those of the records.

use std::fs;
use std::path::{Path, PathBuf};

use interlock_checker::measured::Record;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn record(name: &str) -> Record {
    Record::load(&root(), name).expect("a record")
}

/// The cells of a column of a record's table, by its heading.
fn column(record: &Record, table: &str, heading: &str) -> Vec<String> {
    let table = &record.table[table];
    let at = table.headings.iter().position(|found| found == heading);
    let at = at.unwrap_or_else(|| panic!("no column {heading}: {:?}", table.headings));
    table.rows.iter().map(|row| row[at].clone()).collect()
}

/// The sentences that a page does not have, however its lines are broken.
fn missing<'a>(page: &str, sentences: &'a [String]) -> Vec<&'a str> {
    let text = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let missing = sentences
        .iter()
        .filter(|sentence| !text.contains(&***sentence));
    missing.map(String::as_str).collect()
}

fn says(page: &str, sentences: &[String]) {
    let text = fs::read_to_string(root().join(page)).expect("it is here");
    let none: [&str; 0] = [];
    assert_eq!(missing(&text, sentences), none, "{page} does not say this");
}

/// `a, b and c`.
fn listed(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The kernels on which all runs of this variant came to this word, and how many runs these were.
fn came_to<'a>(record: &'a Record, variant: &str, word: &str) -> (Vec<&'a str>, u32) {
    let all = record.kernels.iter().zip(&record.did[variant]);
    let those: Vec<_> = all.filter(|(_, did)| did.word == word).collect();
    let runs = those.iter().map(|(_, did)| did.runs).sum();
    let kernels = those.into_iter().map(|(kernel, _)| kernel.as_str());
    (kernels.collect(), runs)
}

#[test]
fn the_losses_of_direct_writes() {
    let record = record("direct-io");
    let (on, _) = came_to(&record, "x-d", "lost");
    let (not, _) = came_to(&record, "x-d", "waited");
    assert_eq!((on[0], on.len() + not.len()), ("6.12.107", 7));
    let sentence = format!(
        "Seen on 6.12.107 and 6.12.117, {}; not possible on {}, where",
        listed(&on[1..]),
        listed(&not)
    );
    says("docs/findings/eof-loss.md", &[sentence]);
    let (on, _) = came_to(&record, "kuas", "lost");
    assert_eq!(on.len(), record.kernels.len());
    let sentence = format!("Seen on every kernel that was run: {}.", on.join(", "));
    says("docs/findings/xfs-reflink.md", &[sentence]);
    let (on, _) = came_to(&record, "xt-d", "lost");
    let (not, _) = came_to(&record, "xt-d", "waited");
    let sentence = format!("Seen on {}; not on {}, where", listed(&on), listed(&not));
    says("docs/findings/xfs-truncate.md", &[sentence]);
}

#[test]
fn what_a_truncate_zeroes_beside_an_append() {
    let record = record("xfs-append");
    let (on, _) = came_to(&record, "xfs-ap", "lost");
    assert_eq!(on.len(), record.kernels.len());
    let sentence = format!("Seen on {}, in each run.", listed(&on));
    says("docs/findings/xfs-append.md", &[sentence]);
}

#[test]
fn what_a_sync_misses() {
    let record = record("sync-miss");
    let (pages, runs) = came_to(&record, "page-syncfs", "missed");
    let (kept, times) = came_to(&record, "page-syncfs", "kept");
    let waits = came_to(&record, "page-sync", "kept").1;
    let (both, sync) = came_to(&record, "time-sync", "missed");
    let (syncfs, times_missed) = came_to(&record, "time-syncfs", "missed");
    let alone: Vec<&str> = syncfs
        .iter()
        .filter(|of| !both.contains(of))
        .copied()
        .collect();
    let times_kept = |kernel: &str| {
        let did = ["time-syncfs", "time-sync"].map(|variant| record.did(variant, kernel));
        let kept = did.into_iter().flatten().filter(|did| did.word == "kept");
        kept.map(|did| did.runs).sum::<u32>()
    };
    let number = |count: u32| ["none", "one", "two", "three"][count as usize];
    let sentences = [
        format!(
            "on {}, in each of {runs} runs. On {} it did not, in {times} runs;",
            listed(&pages),
            listed(&kept)
        ),
        format!("in each of {waits} runs the sync waited for the page"),
        format!(
            "was missed by `syncfs` and by `sync` on {}, and by `syncfs` on {}, in each of {} runs. It was not on 6.12.107 ({} runs), \
             6.17.13 ({}) and 6.18.15 ({}).",
            listed(&both),
            listed(&alone),
            sync + times_missed,
            times_kept("6.12.107"),
            number(times_kept("6.17.13")),
            number(times_kept("6.18.15"))
        ),
    ];
    says("docs/writeback.md", &sentences);
}

#[test]
fn the_herd() {
    let sleeps = column(&record("jbd2-herd"), "sleeps", "256");
    let both = sleeps.iter().map(|cell| {
        let (nolock, lock) = cell.split_once(" / ").expect("two figures");
        let number = |text: &str| text.parse::<f64>().expect("a figure").round();
        (number(nolock), number(lock))
    });
    let (nolock, lock): (Vec<f64>, Vec<f64>) = both.unzip();
    let least = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    let cure = record("jbd2-hand-over");
    let figures = |heading| column(&cure, "wake-ups", heading);
    let (before, after) = (
        figures("wake-ups a write, as shipped"),
        figures("handed over"),
    );
    let wait = figures("mean wait in a start, as shipped");
    let waits = cure.table["wake-ups"].rows.iter().map(|row| row[4].clone());
    let waits: Vec<String> = waits.collect();
    let between = |range: &str| range.replace(" to ", " and ");
    let load = record("jbd2-load");
    let mail = record("mail-2022-jbd2");
    let reported = column(&mail, "rates", "writes a second, two runs");
    let first = |runs: &str| runs.split(',').next().unwrap_or(runs).to_owned();
    let (fast, slow) = (first(&reported[0]), first(&reported[1]));
    let (threads, reserved, block, sixth) = (256, 18, 4096, 6);
    let journal = (threads * reserved * sixth * block) >> 20;
    let sentences = [
        format!(
            "slept {} to {} times for one write with `dioread_nolock`, and about {} to {} times with",
            least(&nolock),
            most(&nolock),
            least(&lock),
            most(&lock)
        ),
        format!(
            "least to most: {} became {} with 16 threads, {} became {} with 64, and {} became {} with 256. The mean wait in a start \
             fell from between {} to between {} with 256 threads",
            before[0],
            after[0],
            before[1],
            after[1],
            before[3],
            after[3],
            between(&wait[3]),
            between(&waits[3])
        ),
        format!(
            "where it makes {} writes a second",
            column(&load, "points", "writes a second")[0]
        ),
        format!("writes a second came down to {slow}."),
        format!("{threads} threads want {journal} MiB."),
    ];
    says("docs/jbd2.md", &sentences);
    let sentence = format!("a mail of 2022 has {slow} writes a second where there were {fast}.");
    says(
        "docs/findings/jbd2-herd.md",
        &[
            sentence,
            format!("want a journal of {journal} MiB at least"),
        ],
    );
    says(
        "README.md",
        &[format!("a report of {slow} writes a second")],
    );
    says("docs/introduction.md", &[format!("{slow} writes a second")]);
}

#[test]
fn what_mails_report() {
    let plug = column(&record("mail-2015-writeback"), "plug", "requests a second");
    let sentence = format!(
        "So {} requests against {} is what a device shows",
        plug[0], plug[1]
    );
    says("docs/writeback.md", &[sentence]);
    let late = column(&record("mail-2010-latency"), "late", "at most");
    let us: f64 = late[0]
        .trim_end_matches(" us")
        .parse()
        .expect("microseconds");
    let sentence = format!("does not explain the {:.0} ms,", us / 1e3);
    says("docs/latency.md", &[sentence]);
}

#[test]
fn a_sentence_that_is_not_there_is_told() {
    let page = "They lost it\nin 14 runs.";
    let said = [
        "lost it in 14 runs".to_owned(),
        "lost it in 15 runs".to_owned(),
    ];
    assert_eq!(missing(page, &said), ["lost it in 15 runs"]);
}
