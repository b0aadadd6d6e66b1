//! What the chapters say that the kernels of the rack did is what its record has.

mod costs;
mod cures;
mod herd;
mod wakes;

use std::fs;
use std::path::{Path, PathBuf};

use interlock_rack::cures::record::{Built, Record as Cures};
use interlock_rack::record::{Kernel, Record};
use interlock_rack::workload::Measured;
use interlock_rack::workload::lock::Measured as Lock;

/// The sources whose kernels do not check themselves, in guests of two processors, on the machine's clock.
const SOURCES: [&str; 2] = ["6.12", "7.3"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The kernels, the oldest first.
fn kernels() -> Vec<Kernel> {
    let record = Record::load(&root()).expect("it is kept");
    let mut kernels: Vec<Kernel> = record.kernels.into_values().collect();
    kernels.sort_by_key(|kernel| version(&kernel.release));
    kernels
}

fn version(release: &str) -> Vec<u32> {
    let parts = release
        .split('.')
        .map(|part| part.parse().expect("a number"));
    parts.collect()
}

/// Whether a kernel is of this release, `6.12`, or a later one.
fn since(kernel: &Kernel, release: &str) -> bool {
    version(&kernel.release) >= version(release)
}

/// That a page says this, however its lines are broken.
fn says(page: &str, sentence: &str) {
    let text = fs::read_to_string(root().join(page)).expect("a page");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(sentence), "{page} does not say: {sentence}");
}

/// `a, b and c`.
fn listed(words: &[&str]) -> String {
    let (last, rest) = words.split_last().expect("there are some");
    match rest {
        [] => (*last).to_owned(),
        rest => format!("{} and {last}", rest.join(", ")),
    }
}

/// The releases of which this is so.
fn those(kernels: &[Kernel], is: impl Fn(&Kernel) -> bool) -> Vec<&str> {
    let those = kernels.iter().filter(|kernel| is(kernel));
    those.map(|kernel| kernel.release.as_str()).collect()
}

/// The verdicts on a kernel's traces whose names begin so, by the table of a release; by its own without one.
fn accepted(kernel: &Kernel, trace: &str, by: Option<&str>) -> Vec<bool> {
    let traces = kernel
        .traces
        .iter()
        .filter(|(name, _)| name.starts_with(trace));
    let verdicts = traces.filter_map(|(_, judged)| match by {
        None => Some(&judged.own),
        Some(by) => judged.others.get(by),
    });
    verdicts
        .map(|verdict| verdict.starts_with("accepted"))
        .collect()
}

fn all(verdicts: &[bool], wanted: bool) -> bool {
    !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == wanted)
}

fn lock(kernel: &Kernel) -> &Lock {
    let mut locks = kernel
        .workloads
        .iter()
        .filter_map(|measured| match measured {
            Measured::Lock(lock) => Some(lock),
            _ => None,
        });
    locks.next().expect("it was measured")
}

#[test]
fn the_traces_of_the_lock() {
    let kernels = kernels();
    let own = those(&kernels, |kernel| {
        all(&accepted(kernel, "rwsem", None), true)
    });
    assert_eq!(own.len(), kernels.len());
    let sentence = format!(
        "A trace of each of {} is accepted under the design of its own release.",
        listed(&own)
    );
    says("docs/rwsem.md", &sentence);
    let by = |kernel: &Kernel, release| accepted(kernel, "rwsem", Some(release));
    for kernel in &kernels {
        let (spins, hands) = (by(kernel, "5.10"), by(kernel, "6.1"));
        match &kernel.release[..] {
            "4.19.108" => assert!(all(&spins, false) && all(&hands, false)),
            // Whether a reader spins in it is the scheduler's.
            "5.10.223" => says(
                "docs/rwsem.md",
                match all(&hands, true) {
                    true => {
                        "That of 5.10 is accepted under `Handoff511` too, because no reader spins in it"
                    }
                    false => {
                        "That of 5.10 is refused under `Handoff511`, because a reader spins in it"
                    }
                },
            ),
            of => assert!(all(&spins, false) && !hands.contains(&false), "{of}"),
        }
    }
    says(
        "docs/rwsem.md",
        "That of 4.19 is refused under `ReaderSpin53` and `Handoff511`. Those of 6.1 and later are refused under `ReaderSpin53`",
    );
}

/// Rates are not judged; that a page gives their order of magnitude is.
#[test]
fn the_rates_of_the_lock() {
    let kernels = kernels();
    assert_eq!(kernels.len(), 8);
    let mut passed = Vec::new();
    for kernel in &kernels {
        let Lock { alone, crowd } = lock(kernel);
        let ratio = crowd.writers.calls / crowd.readers.calls;
        let halves = (ratio * 2.0).round() / 2.0;
        let (least, most) = match &kernel.release[..] {
            "4.19.108" => (9.5, 20.0),
            "5.10.223" => (4.0, 7.0),
            _ => (1.0, 2.5),
        };
        assert!(
            (least..=most).contains(&halves),
            "{}: {ratio}",
            kernel.release
        );
        if alone.readers.by_writers > 0 {
            passed.push((kernel.release.clone(), alone.readers.by_writers));
        }
    }
    let [(release, most)] = &passed[..] else {
        panic!("not on one kernel: {passed:?}");
    };
    let sentence = format!(
        "shows no such pass on seven of the eight kernels, and {most} at most on {release},"
    );
    says("docs/rwsem.md", &sentence);
    says(
        "docs/rwsem.md",
        "4.19.108 made about 10 to 20 writes for each read, 5.10.223 four to seven, and 6.1.176 to 7.3.4 about one to two and a half.",
    );
}

#[test]
fn the_losses_of_direct_writes() {
    let kernels = kernels();
    let lost = |plan: &str| those(&kernels, |kernel| kernel.plans[plan].lost());
    let short = |releases: &[&str]| {
        let short = releases
            .iter()
            .map(|release| release.rsplit_once('.').expect("three parts").0);
        listed(&short.collect::<Vec<_>>())
    };
    let behind = lost("Final612-XD-eof-KeepsOthers");
    for plan in ["Final612-AC-eof-data", "Final612-XT-eof-KeepsOthers"] {
        assert_eq!(lost(plan), behind, "{plan}");
    }
    let buffered = lost("Final612-AW-eof-KeepsOthers");
    let kept: Vec<&str> = behind
        .iter()
        .filter(|of| !buffered.contains(of))
        .copied()
        .collect();
    let [drains, rest @ ..] = &kept[..] else {
        panic!("no kernel drains");
    };
    let sentence = format!(
        "On {} the writes behind `a` are lost: beside a write of the whole block, beside an append, beside a truncate. {} lose a \
         buffered write behind `a` too; {drains}, {} do not",
        short(&behind),
        listed(&buffered),
        short(rest)
    );
    says("docs/dio.md", &sentence);
    assert_eq!(
        lost("XfsOptimistic-ACT-written-data").first(),
        Some(&"6.1.176")
    );
    says(
        "docs/dio.md",
        "[the truncate](findings/xfs-truncate.md) from 6.1 to 7.3",
    );
    assert_eq!(lost("Since67-KUA-NoLostWrite").len(), kernels.len());
    // Of 4.19 no package is found any more: it was not asked this plan.
    let asked = |kernel: &Kernel| since(kernel, "5.10");
    let loses = |kernel: &Kernel| asked(kernel) && kernel.plans["XfsOptimistic-CT-eof-data"].lost();
    assert_eq!(those(&kernels, loses), those(&kernels, asked));
    says(
        "docs/dio.md",
        "[the truncate that waits](findings/xfs-append.md) on each from 5.10 on.",
    );
    let controls = [
        "AlwaysShared",
        "ExclNoDioWait",
        "NoForceWait",
        "NoRecheckAfterUpgrade",
        "PunchShared",
    ];
    for control in controls {
        let plans = kernels.iter().flat_map(|kernel| &kernel.plans);
        let mut of = plans
            .filter(|(plan, _)| plan.starts_with(&format!("{control}-")))
            .peekable();
        assert!(of.peek().is_some(), "{control}");
        assert!(of.all(|(_, cell)| !cell.lost()), "{control}");
    }
    let names = controls.map(|name| format!("`{name}`"));
    let names = listed(&names.each_ref().map(String::as_str));
    says(
        "docs/dio.md",
        &format!("The plans of {names} lose nothing on any kernel."),
    );
}

/// What was built of a source, `6.12`, with a cure.
fn built(version: &str, cure: &str) -> Built {
    let record = Cures::load(&root()).expect("it is kept");
    record.sources[version][cure].clone()
}

#[test]
fn the_traces_of_direct_writes_the_journal_and_writeback() {
    let kernels = kernels();
    for kernel in kernels.iter().filter(|kernel| since(kernel, "6.1")) {
        assert!(
            all(&accepted(kernel, "dio-", None), true),
            "{}",
            kernel.release
        );
        let by = |release| accepted(kernel, "dio-", Some(release));
        match since(kernel, "6.12") {
            true => assert!(all(&by("6.1"), false), "{}", kernel.release),
            false => assert!(all(&by("6.18"), false) && all(&by("7.3"), false)),
        }
    }
    says(
        "docs/dio.md",
        "of 6.1 to 7.3 are accepted under the design of their own release. Those of 6.1 are refused under the designs of 6.18 and 7.3, \
         and those of 6.12 and later under that of 6.1.",
    );
    let mut smaller = Vec::new();
    for kernel in kernels.iter().filter(|kernel| since(kernel, "5.10")) {
        assert!(
            all(&accepted(kernel, "jbd2-", None), true),
            "{}",
            kernel.release
        );
        if since(kernel, "6.12") {
            smaller.extend(accepted(kernel, "jbd2-", Some("6.1")));
        }
    }
    let refused = smaller.iter().filter(|accepted| !**accepted).count();
    assert!(
        refused < smaller.len() && refused * 2 > smaller.len(),
        "mostly"
    );
    says(
        "docs/jbd2.md",
        "of 5.10 to 7.3 are accepted under the design of their own release. Those of 6.12 and later are mostly refused under the \
         smaller `j_max` of 6.1.",
    );
    let accepted = those(&kernels, |kernel| {
        all(&accepted(kernel, "writeback", None), true)
    });
    let sentence = format!(
        "Traces of writeback of {} are accepted under",
        listed(&accepted)
    );
    says("docs/writeback.md", &sentence);
}

#[test]
fn what_the_workloads_count() {
    for kernel in &kernels() {
        let late = since(kernel, "6.12");
        for measured in &kernel.workloads {
            match measured {
                Measured::Journal(journal) => {
                    assert_eq!(journal.largest, if late { 1024 / 3 } else { 1024 / 4 });
                }
                Measured::Unaligned(unaligned) => {
                    assert_eq!(unaligned.parts, if late { 4 } else { 1 });
                }
                Measured::Lock(_)
                | Measured::Herd(_)
                | Measured::Barriers(_)
                | Measured::Cuts(_)
                | Measured::Costs(_)
                | Measured::Spoken(_) => {}
            }
        }
    }
    says(
        "docs/jbd2.md",
        "judges `j_max`, which is a quarter of the log up to 6.1 and a third from 6.12 on",
    );
    says(
        "docs/dio.md",
        "Four threads write 512 bytes each to one file. Up to 6.1 one of these writes is in flight at a time, and from 6.12 on four are.",
    );
}
