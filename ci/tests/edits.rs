//! `interlock edits`: what is accepted of edited traces of kernels is listed.

mod runner;

use std::fs;

use interlock_traces::edits_page::{self, Found, Kept, LIST, List, PAGE};
use interlock_traces::recording;
use interlock_traces::validate::edits::{self, Edit};
use interlock_traces::validate::protocol::PROTOCOLS;
use interlock_traces::validate::search;
use runner::root;

/// Short ones, of each area.
const SAMPLE: [&str; 6] = [
    "i_c_lock_J4_w16",
    "ii_ext4_growing_512",
    "ii_ext4_unwritten_1024_stack",
    "iii_xfs_demote",
    "iv_xfs_sync_120files",
    "k72_dio_growing",
];

fn kept(name: &str) -> Kept {
    let kept = edits_page::kept(&root()).expect("the traces");
    let found = kept.into_iter().find(|kept| kept.name == name);
    found.unwrap_or_else(|| panic!("there is no {name}"))
}

#[test]
fn what_is_accepted_is_listed() {
    let list = List::read(&root()).expect("the list");
    for name in SAMPLE {
        let found = edits_page::find(&kept(name), 1).expect(name);
        assert!(!found.is_empty());
        assert!(list.differs(&found, false).is_empty(), "{name}");
        let page = page();
        for found in found {
            assert!(page.contains(&found.row()), "{name}: {}", found.row());
        }
    }
}

fn page() -> String {
    fs::read_to_string(root().join(PAGE)).expect("the page")
}

/// The page was written with this list, of these traces.
#[test]
fn the_page_is_of_the_list() {
    let (page, kept) = (page(), edits_page::kept(&root()).expect("the traces"));
    let list = List::read(&root()).expect("the list");
    let none: Vec<String> = Vec::new();
    assert_eq!(edits_page::stale(&page, &kept, &list), none);
    // A class that is gone, one that is new, another reason, and a trace.
    let text = fs::read_to_string(root().join(LIST)).expect("the list");
    for (from, to) in [
        ("    \"drop Issue\",\n", ""),
        ("\"drop Issue\"", "\"drop Issue\", \"drop Bio\""),
        ("The request waits on", "It waits on"),
    ] {
        let other = List::parse(&text.replace(from, to)).expect("a list");
        let told = edits_page::stale(&page, &kept, &other);
        assert!(
            told.iter()
                .all(|line| line.contains("ObservedPlug: `drop ")),
            "{told:?}"
        );
        assert!(!told.is_empty(), "{from}");
    }
    let without = page.replace("| k61_writeback |", "| k60_writeback |");
    let told = edits_page::stale(&without, &kept, &list);
    assert_eq!(told, ["kept, and not on the page: k61_writeback"]);
    let sampled = page.replace("--keep", "--every 97 --keep");
    let told = edits_page::stale(&sampled, &kept, &list);
    assert_eq!(told, ["the page begins otherwise"]);
}

/// What is not listed is told, and what is listed and refused.
#[test]
fn a_list_that_says_too_little_or_too_much_is_told() {
    let found: Vec<Found> = edits_page::find(&kept("iii_xfs_demote"), 1).expect("a trace");
    let is_accepted = |edit| {
        let figures = found.iter().flat_map(|found| &found.figures);
        let mut of_edit = figures.filter(move |(class, _)| class.edit == edit);
        of_edit.any(|(_, figures)| figures.refused < figures.tried)
    };
    assert!(is_accepted(Edit::Drop));
    let nothing = List::default().differs(&found, true);
    assert!(nothing.contains(&"Rwsem: `drop See` is accepted, and not listed".to_owned()));
    let text = "[[accepted]]\nmodule = \"Rwsem\"\nreason = \"r\"\nclasses = [\"drop See\", \"drop Release\"]\n";
    let list = List::parse(text).expect("a list");
    let differs = list.differs(&found, true);
    assert!(differs.contains(&"Rwsem: `drop Release` is listed, and never accepted".to_owned()));
    assert!(!differs.iter().any(|line| line.contains("`drop See`")));
    for bad in [
        text.replace("\"r\"", "\" \""),
        text.replace("drop See", "lose See"),
        text.replace("drop See", "drop Release"),
    ] {
        assert!(List::parse(&bad).is_err(), "{bad}");
    }
}

/// What is searched again of an edited trace is what is found from its beginning: of each specification's legal trace, and of one of a
/// kernel, with events whose times overlap.
#[test]
fn an_edited_trace_is_judged_as_from_its_beginning() {
    let mut traces = Vec::new();
    for protocol in PROTOCOLS {
        let legal = recording::read("legal".as_ref(), protocol.legal.as_bytes()).expect("legal");
        traces.extend(legal.into_iter().map(|trace| (protocol, trace)));
    }
    let of_kernel = edits_page::traces(&kept("ii_ext4_growing_512"), &mut |protocol, trace| {
        traces.push((protocol, trace));
        Ok(())
    });
    of_kernel.expect("a trace");
    for (protocol, trace) in traces {
        let (mut accepted, mut refused) = (0, 0);
        let found = protocol.search_again(&trace, &mut |again| {
            for edited in edits::of(&trace, 1) {
                let is_accepted = |found| matches!(found, Ok(search::Found::Accepted));
                let is = is_accepted(again(&edited.trace));
                let whole = is_accepted(protocol.search(&edited.trace));
                let place = trace.place(edited.place);
                assert_eq!(is, whole, "{place}: {} {}", edited.edit, edited.field);
                *if is { &mut accepted } else { &mut refused } += 1;
            }
            Ok(())
        });
        assert_eq!(found.expect("a search"), search::Found::Accepted);
        assert!(accepted > 0 && refused > 0, "{}", trace.name());
    }
}
