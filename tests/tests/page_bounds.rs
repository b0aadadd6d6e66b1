//! The bounds that tables of the chapters give as formulas: of the page loop beside all states of its machine, and of a budget beside the
//! models.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use conformance::formula::value;
use conformance::latency_histories::Histories;
use interlock::latency::machine::{Flusher, Machine, Sizes};
use interlock::latency::policy::{Policy, Preemption};
use interlock_checker::manifest::{Expect, Manifest};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).expect("a page")
}

/// The rows of the table whose heading begins so.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let table = page.lines().skip_while(|line| !line.starts_with(heading));
    let rows = table.skip(2).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|').map(str::trim);
        cells.map(str::to_owned).collect()
    };
    let rows: Vec<Vec<String>> = rows.map(cells).collect();
    assert!(!rows.is_empty(), "no table {heading}");
    rows
}

/// Sizes without pages that have blocks: N, E and b.
const SIZES: [(u32, u32, u32); 12] = [
    (6, 3, 2),
    (12, 3, 2),
    (12, 4, 3),
    (14, 7, 4),
    (6, 2, 2),
    (12, 6, 2),
    (9, 5, 2),
    (6, 1, 2),
    (12, 1, 2),
    (7, 2, 3),
    (9, 1, 3),
    (6, 2, 1),
];

fn machine((pages, extent, batch): (u32, u32, u32), policy: &str, preemption: &str) -> Machine {
    let named = Policy::NAMED.iter().find(|(name, _)| *name == policy);
    let kind = Preemption::NAMED
        .iter()
        .find(|(name, _)| *name == preemption);
    Machine {
        sizes: Sizes {
            pages,
            mapped: 0,
            batch,
            extent,
        },
        policy: named.unwrap_or_else(|| panic!("no design {policy}")).1,
        preemption: kind.expect("one of three").1,
    }
}

/// The longest stretch of all runs, and how often the flusher is off while a commit waits at most.
fn most(machine: &Machine) -> Histories {
    let first = (machine.init(), Histories::default());
    let (mut seen, mut next) = (HashSet::from([first]), vec![first]);
    let mut most = Histories::default();
    while let Some((state, histories)) = next.pop() {
        most.stretch = most.stretch.max(histories.stretch);
        most.held = most.held.max(histories.held);
        for action in machine.actions(&state) {
            let after = machine.step(&state, action).expect("it is enabled");
            let mut histories = histories;
            histories.count(&state, action, &after);
            if seen.insert((after, histories)) {
                next.push((after, histories));
            }
        }
    }
    most
}

/// A row's design, and whether it is said of such an extent: `` `PerExtent`, E at least b ``.
fn design(cell: &str, (pages, extent, batch): (u32, u32, u32)) -> Option<&str> {
    let (name, condition) = cell.split_once(", ").unwrap_or((cell, ""));
    let is_said = match condition {
        "" => true,
        "E at least b" => extent >= batch,
        "E less than b" => extent < batch && pages > extent,
        _ => panic!("nobody knows when {condition}"),
    };
    is_said.then(|| name.trim_matches('`'))
}

fn letters(machine: &Machine) -> [(char, u32); 4] {
    let Sizes {
        pages,
        mapped,
        batch,
        extent,
    } = machine.sizes;
    [('N', pages), ('M', mapped), ('b', batch), ('E', extent)]
}

/// A formula without what is said of it: `E + 1, whatever M`, `M + 2E + 4 with M pages that have blocks`.
fn formula(cell: &str) -> &str {
    let cell = cell.split(", ").next().unwrap_or(cell);
    cell.split(" with ").next().unwrap_or(cell)
}

#[test]
fn the_stretch_and_the_waits_are_those_of_all_states() {
    let page = page("latency.md");
    let rows = rows(&page, "| design | steps between two preemption points |");
    assert_eq!(rows.len(), 8);
    for row in rows {
        let mut asked = 0;
        for sizes in SIZES {
            let Some(name) = design(&row[0], sizes) else {
                continue;
            };
            let machine = machine(sizes, name, "none");
            let most = most(&machine);
            let value = |cell: &str| value(formula(cell), &letters(&machine));
            for (cell, is) in [(&row[1], most.stretch), (&row[3], most.held)] {
                let bound = value(cell).expect("a formula");
                assert!(is <= bound, "{row:?} {sizes:?}: {is} and {bound}");
                let is_sharp = is == bound || !sizes.0.is_multiple_of(sizes.1);
                assert!(is_sharp, "{row:?} {sizes:?}: {is} and {bound}");
            }
            asked += 1;
        }
        assert!(asked > 3, "{row:?}");
        // `32, 68 (E = 1)`.
        let extent = if row[0].ends_with("less than b") {
            1
        } else {
            3
        };
        let given = |of: fn(&Histories) -> u32| {
            let name = design(&row[0], (6, extent, 2)).expect("it is said of it");
            let most = [6, 12].map(|pages| of(&most(&machine((pages, extent, 2), name, "none"))));
            format!("{}, {}", most[0], most[1])
        };
        let figures = |cell: &str| cell.split(" (").next().unwrap_or_default().to_owned();
        assert_eq!(figures(&row[2]), given(|most| most.stretch), "{row:?}");
        assert_eq!(figures(&row[4]), given(|most| most.held), "{row:?}");
    }
}

#[test]
fn the_stretch_under_each_preemption_is_that_of_all_states() {
    let page = page("latency.md");
    let rows = rows(&page, "| design | `none` | `voluntary` | `full` |");
    assert_eq!(rows.len(), 7);
    for row in rows {
        for (cell, preemption) in row[1..].iter().zip(["none", "voluntary", "full"]) {
            let longest = |sizes| {
                let name = design(&row[0], sizes)?;
                let machine = machine(sizes, name, preemption);
                Some((most(&machine).stretch, letters(&machine)))
            };
            if cell == "grows with N" {
                let [less, more] = [6, 12].map(|pages| longest((pages, 1, 2)).expect("it is said"));
                assert!(less.0 < more.0, "{row:?}");
                continue;
            }
            for (stretch, letters) in SIZES.into_iter().filter_map(longest) {
                let bound = value(formula(cell), &letters).expect("a formula");
                assert!(stretch <= bound, "{row:?} {preemption} {letters:?}");
                let whole = letters[0].1.is_multiple_of(letters[3].1);
                let is_sharp = stretch == bound || !whole;
                assert!(is_sharp, "{row:?} {preemption} {letters:?}: {stretch}");
            }
        }
    }
}

#[test]
fn the_stretch_of_short_extents_where_the_text_says_it() {
    let page = page("latency.md");
    let text = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "`PerExtentPagevec` with E less than b needs 2E + 4";
    assert!(text.contains(said) && text.contains("and so does `SyncStopLate`"));
    for sizes in SIZES
        .into_iter()
        .filter(|(_, extent, batch)| extent < batch)
    {
        for design in ["PerExtentPagevec", "SyncStopLate"] {
            let machine = machine(sizes, design, "none");
            let is = value("2E + 4", &letters(&machine));
            assert_eq!(is, Some(most(&machine).stretch), "{design} {sizes:?}");
        }
    }
    for (sizes, needs) in [((6, 2, 2), 8), ((12, 6, 2), 12)] {
        assert_eq!(most(&machine(sizes, "PerExtent", "none")).stretch, needs);
    }
    assert!(text.contains("With E = 2 `PerExtent` needs 8 steps"));
    assert!(text.contains("with E = 6 and N = 12 it needs 12."));
}

/// Pages that have blocks come on top of the stretch of one design.
#[test]
fn the_stretch_with_pages_that_have_blocks() {
    let page = page("latency.md");
    let rows = rows(&page, "| design | `none` | `voluntary` | `full` |");
    let row = rows
        .iter()
        .find(|row| row[0] == "`BetweenHandles`")
        .expect("a row");
    for (cell, preemption) in row[1..].iter().zip(["none", "voluntary", "full"]) {
        for mapped in [1, 4, 10] {
            let mut machine = machine((14, 3, 2), "BetweenHandles", preemption);
            machine.sizes.mapped = mapped;
            let is = value(formula(cell), &letters(&machine));
            assert_eq!(is, Some(most(&machine).stretch), "{cell} {mapped}");
        }
    }
}

/// What the flusher is about to do behind a step that ends at a preemption point, and behind one that does not, where no loop has a
/// `cond_resched`.
fn next_to_points(policy: Policy) -> [BTreeSet<Flusher>; 2] {
    let mut machine = machine((6, 3, 2), "NoPoint", "voluntary");
    machine.policy = policy;
    machine.sizes.mapped = 1;
    let (mut seen, mut next) = (HashSet::from([machine.init()]), vec![machine.init()]);
    let mut found = [BTreeSet::new(), BTreeSet::new()];
    while let Some(state) = next.pop() {
        for action in machine.actions(&state) {
            let after = machine.step(&state, action).expect("it is enabled");
            if after.next + after.locked + after.bio > 0 && after.flusher != state.flusher {
                found[usize::from(!after.point)].insert(after.flusher);
            }
            if seen.insert(after) {
                next.push(after);
            }
        }
    }
    found
}

#[test]
fn what_begins_with_might_sleep_is_behind_a_preemption_point() {
    let page = page("latency.md");
    let rows = rows(&page, "| what comes next | its `might_sleep` |");
    let step = |words: &str| match words.split(',').next().unwrap_or(words) {
        "a page is collected" => Flusher::Collect,
        "a handle starts" => Flusher::Start,
        "an extent is mapped" => Flusher::Map,
        "a page is submitted" => Flusher::Submit,
        "the bio is sent" => Flusher::Send,
        "a handle is stopped" => Flusher::Stop,
        _ => panic!("nobody knows what {words} is"),
    };
    let [with, without] = [false, true].map(|none| {
        let rows = rows.iter().filter(|row| (row[1] == "none") == none);
        rows.map(|row| step(&row[0])).collect::<BTreeSet<_>>()
    });
    let mut extent = Policy::PER_EXTENT;
    extent.points.collect = false;
    for policy in [Policy::NO_POINT, extent] {
        let [points, others] = next_to_points(policy);
        let said = |of: &BTreeSet<Flusher>, these: &BTreeSet<Flusher>| {
            of.iter()
                .all(|next| *next == Flusher::Idle || these.contains(next))
        };
        assert!(said(&points, &with), "{points:?}");
        assert!(said(&others, &without), "{others:?}");
    }
    assert_eq!((with.len(), without.len()), (5, 1));
}

#[test]
fn the_bounds_of_a_budget_are_the_models() {
    let manifest = Manifest::load(&root().join("specs")).expect("the claims");
    let holds = |model: &str| {
        let found = manifest.model(model);
        let found = found.unwrap_or_else(|| panic!("no model {model}"));
        found.expect == Expect::Holds
    };
    let page = page("rwsem.md");
    let rows = rows(&page, "| who waits | overtaken by so many, in all |");
    for (row, who) in rows.iter().zip(['r', 'w']) {
        assert!(row[0].contains(if who == 'r' { "reader" } else { "writer" }));
        for budget in [1, 2] {
            let letters = [('k', budget), ('R', 2), ('W', 2)];
            let value = |cell: &str| value(cell, &letters).expect("a formula");
            let (all, writers) = (value(&row[1]), value(&row[2]));
            let model = |all: u32, writers: u32| {
                holds(&format!(
                    "Budget{budget}-Overtaking-RRWW-bound-{who}-{all}-{writers}"
                ))
            };
            assert!(model(all, writers));
            assert!(!model(all - 1, writers));
            assert!(!model(all, writers - 1));
        }
        let (without, readers) = match &row[3][..] {
            "nobody" => (0, 0),
            of => {
                let formula = of.trim_end_matches(" readers");
                let value = value(formula, &[('R', 2)]).expect("a formula");
                (value, value)
            }
        };
        assert!(holds(&format!(
            "Budget0-Overtaking-RRWW-bound-{who}-{without}-0"
        )));
        if readers > 0 {
            assert!(!holds(&format!(
                "Budget0-Overtaking-RRWW-bound-{who}-{}-0",
                readers - 1
            )));
        }
    }
    assert_eq!(rows.len(), 2);
}
