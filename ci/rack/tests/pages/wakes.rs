//! What the pages say of how kernels wake those who wait for reserved credits is what was judged.

use interlock_rack::cures::record::Spoken;

use crate::{SOURCES, built, listed, says};

/// What a kernel has told of those who reserve.
fn spoken(version: &str, cure: &str) -> Spoken {
    built(version, cure).spoken.expect("it was judged")
}

/// How long the traces are of which this way, and no other, accepts all.
fn events(cure: &str, way: &str) -> String {
    let events = SOURCES.map(|version| {
        let spoken = spoken(version, cure);
        assert_eq!(spoken.accepted().collect::<Vec<_>>(), [way], "{version}");
        spoken.events.to_string()
    });
    listed(&[&events[0], &events[1]])
}

#[test]
fn a_kernel_that_checks_itself_is_silent() {
    let did = built("6.12-checked", "jbd2-speaks");
    assert_eq!(did.complaints, [""; 0]);
    let spoken = did.spoken.expect("it was judged");
    assert_eq!(spoken.accepted().collect::<Vec<_>>(), ["hand-off"]);
    says(
        "docs/findings/jbd2-herd.md",
        &format!(
            "Built with lockdep and KASAN as well, {} with the patch complains of nothing beside 16 threads ({} events, which `HandOff` \
             accepts).",
            did.release, spoken.events,
        ),
    );
}

#[test]
fn each_kernel_wakes_as_its_model_does() {
    let releases = SOURCES.map(|version| built(version, "speaks").release);
    let kernels = listed(&[&releases[0], &releases[1]]);
    let (shipped, handed) = (events("speaks", "all"), events("jbd2-speaks", "hand-off"));
    says(
        "docs/jbd2.md",
        &format!(
            "What 16 threads did there in a journal of 4 MiB is a behaviour of `WakeAll` and of no other way to wake ({shipped} events); \
             with the hand-over it is one of `HandOff`, and of no other ({handed})."
        ),
    );
    says(
        "docs/jbd2.md",
        &format!("{kernels} were built to tell each step"),
    );
    says(
        "docs/findings/jbd2-herd.md",
        &format!(
            "Kernels that tell each step of those who reserve credits ({kernels}) wake as the model of each does, and as no other: as \
             shipped `WakeAll` accepts {shipped} events, with the patch `HandOff` {handed}."
        ),
    );
}
