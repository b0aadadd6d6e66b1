//! TLC's counterexamples are behaviours of the machine: what they end with there they end with here.

use std::path::Path;

use anyhow::{Context as _, Result};
use conformance::corpus;
use conformance::replay::replay;
use interlock::writeback::list_policy::Policy;
use interlock::writeback::lists::Pc;
use interlock_checker::manifest::Manifest;
use interlock_traces::machines::wb_lists::{Invariant, WbLists};

const ENDS: [(&str, Invariant); 5] = [
    ("Upstream-AAF-SyncComplete", Invariant::SyncComplete),
    ("Upstream-AAT-SyncComplete", Invariant::SyncComplete),
    ("NoSyncQueued-AT-SyncComplete", Invariant::SyncComplete),
    ("SkipISyncOnSync-PF-SyncComplete", Invariant::SyncComplete),
    (
        "NoFsyncRequeue-ATF-tag-NoPagesHidden",
        Invariant::NoPagesHidden,
    ),
];

fn lists(name: &str) -> Result<WbLists> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = Manifest::load(&root.join("specs"))?;
    let model = manifest.model(name);
    let model = model.with_context(|| format!("{name} is not in the manifest"))?;
    WbLists::new(&corpus::constants(model))
}

/// Every invariant holds up to the last state, where one does not.
#[test]
fn each_ends_in_what_is_wrong() -> Result<()> {
    for (name, broken) in ENDS {
        let found = replay(&lists(name)?, &corpus::counterexample(name)?)?;
        let (last, before) = found.states.split_last().context("it has no state")?;
        for invariant in Invariant::ALL {
            assert!(before.iter().all(|state| invariant.holds(state)), "{name}");
            assert_eq!(invariant.holds(last), invariant != broken, "{name}");
        }
    }
    Ok(())
}

/// A sync that writes whatever is dirty: one inode is written round after round, and the caller waits in every one.
#[test]
fn a_sync_without_tags_goes_on_for_ever() -> Result<()> {
    let name = "NoTaggedWritepages-P-SyncEnds";
    let found = replay(&lists(name)?, &corpus::counterexample(name)?)?;
    assert!(!found.cycle.is_empty());
    let round = &found.states[found.states.len() - found.cycle.len()..];
    for state in round {
        assert_eq!(state.pc, [Pc::Write, Pc::Idle, Pc::Served]);
    }
    Ok(())
}

/// Under the cure none of them is a behaviour; the first step that is not is told.
#[test]
fn the_cure_does_not_follow() -> Result<()> {
    let others = [
        (
            "Upstream-AAF-SyncComplete",
            "step to state 11: in [fsyncer Write a; caller Queued; b_dirty a; b_io b; pages a1 b1; i_dirty_pages a b; promised_pages a1 b1], StartSync(): \
             TLC [flusher Pick; fsyncer Write a; caller Served; b_dirty a; b_io b; pages a1 b1; i_dirty_pages a b; promised_pages a1 b1]; the machine [flusher Pick; fsyncer Write a; caller Served; b_io a b; pages a1 b1; i_dirty_pages a b; promised_pages a1 b1]",
        ),
        (
            "Upstream-AAT-SyncComplete",
            "step to state 8: in [caller Queued; b_io b; b_time a; pages b1; i_dirty_pages b; i_dirty_time a; promised_pages b1; promised_times a], StartSync(): \
             TLC [flusher Pick; caller Served; b_io b; b_time a; pages b1; i_dirty_pages b; i_dirty_time a; promised_pages b1; promised_times a]; the machine [flusher Pick; caller Served; b_io a b; pages b1; i_dirty_pages b; i_dirty_time a; promised_pages b1; promised_times a]",
        ),
        (
            "NoSyncQueued-AT-SyncComplete",
            "step to state 5: in [flusher Pick; caller Served; b_io a; i_dirty_time a; promised_times a], Dirty(a1): \
             TLC [flusher Pick; caller Served; b_dirty a; pages a1; i_dirty_pages a; i_dirty_time a; fresh a; promised_times a]; the machine [flusher Pick; caller Served; b_io a; pages a1; i_dirty_pages a; i_dirty_time a; promised_times a]",
        ),
        (
            "SkipISyncOnSync-PF-SyncComplete",
            "step to state 6: in [flusher Pick; fsyncer Write p; caller Served; b_io p; fsyncer towrite p1; pages p1; i_dirty_pages p; promised_pages p1], PickBusy(p): \
             TLC [flusher Pick; fsyncer Write p; caller Served; b_dirty p; fsyncer towrite p1; pages p1; i_dirty_pages p; fresh p; promised_pages p1]; the machine [flusher Wait p; fsyncer Write p; caller Served; b_io p; fsyncer towrite p1; pages p1; i_dirty_pages p; promised_pages p1]",
        ),
    ];
    for (name, told) in others {
        let mut lists = lists(name)?;
        lists.machine.policy = Policy::QUEUE_AT_ONCE;
        let error = replay(&lists, &corpus::counterexample(name)?).err();
        let error = error.with_context(|| format!("{name}: it follows"))?;
        println!("{name}\n{error:#}");
        assert_eq!(format!("{error:#}"), told, "{name}");
    }
    Ok(())
}
