//! The table of releases on the page about kernels' traces is that of the families.

use std::fs;

use interlock_traces::kernel::family::Family;

/// Of each release that the page names, one that was measured; of 6.12 one before and one since its update that differs.
const KERNELS: [&str; 9] = [
    "5.10.223", "6.1.176", "6.12.107", "6.12.109", "6.12.110", "6.17.13", "6.18.15", "7.2.13",
    "7.3.4",
];

/// The first cell of the row that a kernel is in.
fn first(kernel: &str) -> &'static str {
    match kernel {
        "6.12.110" | "7.2.13" => "6.12.110 and later of 6.12, 7.2",
        "6.12.107" | "6.12.109" | "6.17.13" | "6.18.15" => "6.12 to 6.12.109, 6.17, 6.18",
        "5.10.223" => "5.10",
        "6.1.176" => "6.1",
        _ => "7.3",
    }
}

/// A row, as the tables of the releases have it.
fn row(kernel: &str) -> String {
    let family = Family::of(kernel).expect("a table");
    let constant = |name| family.constant(name).expect("it says so");
    let begin = family.named("dio_begin").expect("it knows the event");
    let probed = begin.is_some_and(|kind| !kind.probes.is_empty());
    let fraction = match constant("log_divisor") {
        "3" => "a third",
        "4" => "a quarter",
        other => panic!("one part of {other}"),
    };
    format!(
        "| {} | `{}`{} | {fraction} | `{}`, by kprobes |",
        first(kernel),
        constant("dio"),
        if probed { ", by kprobes" } else { "" },
        constant("rwsem")
    )
}

#[test]
fn the_page_has_the_constants_of_each_release() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/kernel-traces.md");
    let page = fs::read_to_string(path).expect("a page");
    let mut rows: Vec<String> = KERNELS.map(row).to_vec();
    for row in &rows {
        assert!(page.contains(row), "the page has no line {row}");
    }
    rows.sort();
    rows.dedup();
    let table = page
        .lines()
        .skip_while(|line| !line.starts_with("| judged by the table of |"));
    let table = table.skip(2).take_while(|line| line.starts_with('|'));
    assert_eq!(table.count(), rows.len());
}
