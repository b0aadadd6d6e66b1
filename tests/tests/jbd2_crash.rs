//! A crash at every write of a random history: recovery yields every transaction whose commit has returned, whole, and no part of
//! any other.

use std::cell::Cell;
use std::collections::BTreeMap;

use conformance::crash::{Pending, Recorder, device};
use conformance::faulty_journal_rules::{ForgetsRevokes, RecordsTooEarly};
use conformance::jbd2_crashes::{
    BLOCK, BLOCKS, Change, DIVISION, History, LOG, area, bytes, empty, superblock,
};
use conformance::random::runner;
use interlock::device::BlockDevice;
use interlock::jbd2::journal::Journal;
use interlock::jbd2::log::recovery::recover;
use interlock::jbd2::log::superblock::Features;
use interlock::jbd2::probe::NoProbe;
use interlock::jbd2::rules::{HandOver, Rules, WakeAll};
use interlock::sys::StdSys;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestError};

#[derive(Debug, Clone, Copy)]
enum Touch {
    Write(u64),
    Revoke(u64),
}

#[derive(Debug, Clone)]
enum Step {
    /// A handle.
    Handle(Vec<Touch>),
    Commit,
    Checkpoint,
    /// Blocks that are revoked for good are used for data.
    Data,
}

fn play<R: Rules>(features: Features, steps: &[Step]) -> History {
    let device = empty(features);
    let journal: Journal<Recorder, R, StdSys> =
        Journal::open_with(device.clone(), area(), DIVISION, NoProbe).expect("a journal");
    let mut history = History::new(device.clone());
    let mut version = 0;
    // Blocks whose last change is a revoke, and its transaction.
    let mut revoked: BTreeMap<u64, u32> = BTreeMap::new();
    let mut acknowledged = 0;
    for step in steps {
        match step {
            Step::Handle(touches) => {
                let mut handle = journal.start(5, 0).expect("a handle");
                let tid = handle.tid().expect("a transaction");
                for touch in touches {
                    version += 1;
                    match *touch {
                        Touch::Write(block) => {
                            let bytes = bytes(block, version);
                            if handle.dirty_metadata(block, &bytes).is_ok() {
                                revoked.remove(&block);
                                history.changes.push(Change::Write(tid, block, bytes));
                            }
                        }
                        Touch::Revoke(block) => {
                            if features.revoke && handle.revoke(block).is_ok() {
                                revoked.insert(block, tid);
                                history.changes.push(Change::Revoke(tid, block));
                            }
                        }
                    }
                }
                drop(handle.stop());
            }
            Step::Commit => {
                if let Some(tid) = journal.force_commit().expect("a commit") {
                    acknowledged = tid;
                    history.acknowledged.push((device.ops(), tid));
                }
            }
            Step::Checkpoint => journal.checkpoint().expect("a checkpoint"),
            Step::Data => {
                let free: Vec<u64> = revoked
                    .iter()
                    .filter(|(_, tid)| **tid <= acknowledged)
                    .map(|(block, _)| *block)
                    .collect();
                for block in free {
                    version += 1;
                    let bytes = bytes(block, version);
                    let from = device.ops();
                    device.write_at(&bytes, block * BLOCK as u64).expect("data");
                    device.flush().expect("durable data");
                    let op = from..device.ops();
                    history.changes.push(Change::Data(op, block, bytes));
                }
            }
        }
    }
    drop(journal);
    history
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let touch = prop_oneof![
        4 => (0..BLOCKS).prop_map(Touch::Write),
        1 => (0..BLOCKS).prop_map(Touch::Revoke),
    ];
    let step = prop_oneof![
        6 => prop::collection::vec(touch, 1..5).prop_map(Step::Handle),
        3 => Just(Step::Commit),
        1 => Just(Step::Checkpoint),
        2 => Just(Step::Data),
    ];
    prop::collection::vec(step, 1..40)
}

fn features() -> impl Strategy<Value = Features> {
    [any::<bool>(), any::<bool>(), any::<bool>()].prop_map(|[revoke, is_64bit, csum_v3]| Features {
        revoke,
        is_64bit,
        csum_v3,
    })
}

/// Every cut of one random history, with all that may become of the writes that were not flushed. How many crashes that were.
fn cut_everywhere<R: Rules>(
    cases: u32,
    features: impl Strategy<Value = Features>,
) -> Result<u64, TestError<(Features, Vec<Step>, u64)>> {
    let crashes = Cell::new(0);
    let program = (features, steps(), any::<u64>());
    let found = runner(cases, 0).run(&program, |(features, steps, seed)| {
        let history = play::<R>(features, &steps);
        let mut random = seed | 1;
        let mut draw = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random >> 16
        };
        for cut in 0..=history.device.ops() {
            for pending in Pending::EACH {
                crashes.set(crashes.get() + 1);
                let crashed = history.crash(cut, pending, &mut draw);
                crashed.map_err(|why| {
                    let ops = history.device.ops();
                    TestCaseError::fail(format!("{pending:?} behind {cut} of {ops} ops: {why}"))
                })?;
            }
        }
        Ok(())
    });
    found.map(|()| crashes.get())
}

#[test]
fn every_acknowledged_transaction_survives_whole() {
    let crashes = cut_everywhere::<HandOver>(200, features());
    let crashes = crashes.unwrap_or_else(|why| panic!("{why}"));
    println!("{crashes} crashes");
    assert!(crashes > 60_000, "only {crashes} crashes");
    let crashes = cut_everywhere::<WakeAll>(20, features());
    crashes.unwrap_or_else(|why| panic!("{why}"));
}

/// The device fails at some write: the journal aborts, says so from then on, and what it had acknowledged survives.
#[test]
fn an_io_error_aborts_the_journal() {
    let full = play::<HandOver>(with_revokes(true), &[]);
    let before = full.device.ops();
    let mut reasons = BTreeMap::new();
    for fails_at in before..before + 24 {
        let device = empty(with_revokes(true));
        let journal: Journal<Recorder, HandOver, StdSys> =
            Journal::open_with(device.clone(), area(), DIVISION, NoProbe).expect("a journal");
        device.fail_at(fails_at);
        let mut acknowledged = 0;
        let refused = loop {
            let version = acknowledged + 1;
            let write = || {
                let mut handle = journal.start(5, 2)?;
                handle.dirty_metadata(3, &bytes(3, version))?;
                drop(handle.stop());
                journal.force_commit()
            };
            match write() {
                Ok(tid) => acknowledged = tid.expect("something was changed"),
                Err(why) => break why,
            }
        };
        let again = journal
            .start(1, 0)
            .map(|_| ())
            .expect_err("an aborted journal");
        assert_eq!(again, refused);
        assert_eq!(journal.force_commit(), Err(refused.clone()));
        assert_eq!(journal.checkpoint(), Err(refused.clone()));
        *reasons.entry(refused.to_string()).or_insert(0) += 1;
        drop(journal);
        let mut image = vec![0; (BLOCKS + LOG) as usize * BLOCK];
        device.read_at(&mut image, 0).expect("the whole device");
        let device = conformance::crash::device(&image);
        let replay = recover(&device, &area()).expect("a log that is whole");
        let mut found = vec![0; BLOCK];
        device
            .read_at(&mut found, 3 * BLOCK as u64)
            .expect("a block");
        let last = replay.next_tid - 2;
        assert!(
            last >= acknowledged && last <= acknowledged + 1,
            "{last}, {acknowledged}"
        );
        assert!(last == 0 || found == bytes(3, last), "after {fails_at}");
    }
    let told = "the journal is aborted: the device has failed (EIO)".to_owned();
    assert_eq!(reasons, BTreeMap::from([(told, 24)]));
}

/// A crash in a recovery: it can be done again.
#[test]
fn a_recovery_can_be_interrupted() {
    let steps: Vec<Step> = (0..9)
        .map(|round| {
            Step::Handle(
                (0..4)
                    .map(|at| Touch::Write((round * 5 + at) % BLOCKS))
                    .collect(),
            )
        })
        .flat_map(|handle| [handle, Step::Commit])
        .collect();
    let history = play::<HandOver>(with_revokes(true), &steps);
    let crashed = history
        .device
        .crashed(history.device.ops(), Pending::All, &(0..0), || 0);
    let recovering = Recorder::new(crashed);
    let replay = recover(&recovering, &area()).expect("a log that is whole");
    assert!(
        replay.transactions > 1,
        "{} transactions",
        replay.transactions
    );
    let expected = history.expected(replay.next_tid - 2, history.device.ops());
    let mut draw = 0;
    for cut in 0..=recovering.ops() {
        for pending in Pending::EACH {
            let image = recovering.crashed(cut, pending, &superblock(), || {
                draw += 1;
                (draw * 0x9E37_79B9) >> 7
            });
            let device = device(&image);
            recover(&device, &area()).expect("a log that is whole");
            for (block, expected) in &expected {
                let mut found = vec![0; BLOCK];
                device
                    .read_at(&mut found, block * BLOCK as u64)
                    .expect("a block");
                assert!(
                    expected.as_ref().is_none_or(|expected| *expected == found),
                    "block {block}, {pending:?} behind {cut} ops"
                );
            }
        }
    }
}

fn with_revokes(csum_v3: bool) -> Features {
    Features {
        revoke: true,
        is_64bit: false,
        csum_v3,
    }
}

/// Each by what is lost, and not by anything else.
#[test]
fn the_crashes_find_the_faults() {
    fn finds<R: Rules>(name: &str, csum_v3: bool, symptom: &str) {
        let found = cut_everywhere::<R>(48, Just(with_revokes(csum_v3)));
        let Err(TestError::Fail(why, _)) = found else {
            panic!("{name}: {found:?}");
        };
        assert!(why.message().contains(symptom), "{name}: {why}");
    }
    const LOST: &str = " is not as transaction ";
    finds::<RecordsTooEarly>("no flush", false, LOST);
    finds::<RecordsTooEarly>("no flush, checksums", true, "wrong checksum of the data");
    finds::<ForgetsRevokes>("no revokes", false, LOST);
    finds::<ForgetsRevokes>("no revokes, checksums", true, LOST);
}
