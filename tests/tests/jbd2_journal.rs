//! The journal as a file system uses it.

use std::sync::Arc;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use conformance::in_time::{PATIENCE, in_time_or_tell};
use interlock::device::{BlockDevice, MemoryDevice};
use interlock::errno::Errno;
use interlock::jbd2::journal::error::JournalError;
use interlock::jbd2::journal::{Division, Journal};
use interlock::jbd2::log::area::LogArea;
use interlock::jbd2::log::create::create;
use interlock::jbd2::log::error::LogError;
use interlock::jbd2::log::recovery::scan;
use interlock::jbd2::log::superblock::Features;
use interlock::jbd2::policy::Policy;
use interlock::jbd2::probe::NoProbe;
use interlock::jbd2::refused::{Reason, Refused};
use interlock::jbd2::rules::{HandOver, Release, Rules, WakeAll};
use interlock::sys::StdSys;

const BLOCK: usize = 1024;
const BLOCKS: u64 = 64;

/// A device that a test looks at while a journal has it.
#[derive(Clone)]
struct Shared {
    memory: Arc<MemoryDevice>,
    /// It has no space for what lies before the log.
    is_homeless: bool,
}

impl BlockDevice for Shared {
    fn sector_size(&self) -> usize {
        self.memory.sector_size()
    }

    fn sectors(&self) -> u64 {
        self.memory.sectors()
    }

    fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        self.memory.read_at(bytes, position)
    }

    fn write_at(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        if self.is_homeless && position < BLOCKS * BLOCK as u64 {
            return Err(Errno::NoSpace);
        }
        self.memory.write_at(bytes, position)
    }
}

impl Shared {
    /// An empty log of so many blocks behind the file system's.
    fn with_log(log: u64, features: Features) -> (Shared, LogArea) {
        let sectors = (BLOCKS + log) as usize * BLOCK / 512;
        let device = Shared {
            memory: Arc::new(MemoryDevice::new(512, sectors, 0)),
            is_homeless: false,
        };
        let blocks = BLOCKS..BLOCKS + log;
        let area = LogArea::new(BLOCK, vec![blocks]);
        create(&device, &area, features, [3; 16]).expect("an empty log");
        (device, area)
    }

    fn home(&self, block: u64) -> Vec<u8> {
        let mut bytes = vec![0; BLOCK];
        self.read_at(&mut bytes, block * BLOCK as u64)
            .expect("a block");
        bytes
    }
}

const ALL: Features = Features {
    revoke: true,
    is_64bit: true,
    csum_v3: true,
};

fn open<R: Rules>(
    device: &Shared,
    area: &LogArea,
) -> Result<Journal<Shared, R, StdSys>, JournalError> {
    let division = Division {
        fraction: 3,
        slack: 8,
    };
    Journal::open_with(device.clone(), area.clone(), division, NoProbe)
}

#[test]
fn changes_are_seen_at_once_and_are_home_after_a_checkpoint() -> Result<(), JournalError> {
    let (device, area) = Shared::with_log(64, ALL);
    let journal = open::<HandOver>(&device, &area)?;
    let mut handle = journal.start(2, 0)?;
    handle.dirty_metadata(5, &[1; BLOCK])?;
    assert_eq!(handle.get_write_access(5)?, [1; BLOCK]);
    assert_eq!((handle.credits(), handle.tid()), (1, Some(1)));
    handle.dirty_metadata(5, &[2; BLOCK])?;
    assert_eq!(handle.credits(), 1, "the transaction has the block");
    drop(handle);
    assert_eq!(journal.force_commit()?, Some(1));
    assert_eq!(journal.force_commit()?, None);
    assert_eq!(
        (journal.read(5)?, device.home(5)),
        (vec![2; BLOCK], vec![0; BLOCK])
    );
    journal.checkpoint()?;
    assert_eq!(device.home(5), [2; BLOCK]);
    journal.close()?;
    let clean = scan(&device, &area)?;
    assert_eq!((clean.superblock.start, clean.transactions), (0, 0));
    Ok(())
}

/// The first revoke of a transaction needs a block of the log; those that have room in it need none.
#[test]
fn revokes_of_one_block_of_the_log_take_its_credit_once() -> Result<(), JournalError> {
    let (device, area) = Shared::with_log(64, ALL);
    let journal = open::<HandOver>(&device, &area)?;
    let mut handle = journal.start(1, 0)?;
    handle.revoke(5)?;
    assert_eq!(handle.credits(), 0);
    handle.revoke(6)?;
    handle.revoke(6)?;
    assert_eq!(handle.credits(), 0);
    drop(handle);
    journal.force_commit()?;
    let mut handle = journal.start(1, 0)?;
    handle.dirty_metadata(5, &[1; BLOCK])?;
    assert!(matches!(handle.revoke(6), Err(JournalError::NoCredits)));
    Ok(())
}

/// h_commit_sec: recovery takes a record that is older than the one before it for one of another time.
#[test]
fn a_commit_record_says_when_it_was_written() -> Result<(), JournalError> {
    const COMMIT: [u8; 8] = [0xc0, 0x3b, 0x39, 0x98, 0, 0, 0, 2];
    let now = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.expect("it is later than 1970").as_secs()
    };
    let (device, area) = Shared::with_log(64, ALL);
    let journal = open::<HandOver>(&device, &area)?;
    let mut handle = journal.start(1, 0)?;
    handle.dirty_metadata(5, &[1; BLOCK])?;
    drop(handle);
    let before = now();
    journal.force_commit()?;
    let after = now();
    let log = (BLOCKS..BLOCKS + 64).map(|block| device.home(block));
    let records: Vec<_> = log.filter(|block| block.starts_with(&COMMIT)).collect();
    assert_eq!(records.len(), 1);
    let seconds = u64::from_be_bytes(records[0][48..56].try_into().expect("eight bytes"));
    assert!((before..=after).contains(&seconds), "{seconds}");
    Ok(())
}

#[test]
fn what_was_committed_is_found_again() -> Result<(), JournalError> {
    let (device, area) = Shared::with_log(64, ALL);
    let journal = open::<HandOver>(&device, &area)?;
    for (round, block) in (1..=3).zip([7, 9, 7]) {
        let mut handle = journal.start(1, 0)?;
        handle.dirty_metadata(block, &[round; BLOCK])?;
        drop(handle);
        journal.force_commit()?;
    }
    let mut handle = journal.start(1, 0)?;
    handle.dirty_metadata(9, &[9; BLOCK])?;
    drop(handle);
    // Not committed, not checkpointed: a crash.
    drop(journal);
    let journal = open::<WakeAll>(&device, &area)?;
    assert_eq!(journal.replay().transactions, 3);
    assert_eq!(
        (device.home(7), device.home(9)),
        (vec![3; BLOCK], vec![2; BLOCK])
    );
    let mut handle = journal.start(1, 0)?;
    assert_eq!(handle.get_write_access(7)?, [3; BLOCK]);
    handle.dirty_metadata(8, &[8; BLOCK])?;
    drop(handle);
    assert_eq!(
        journal.force_commit()?,
        Some(5),
        "one number is left out after a recovery"
    );
    Ok(())
}

#[test]
fn a_handle_has_its_credits_and_no_more() -> Result<(), JournalError> {
    let (device, area) = Shared::with_log(64, ALL);
    let journal = open::<HandOver>(&device, &area)?;
    let mut handle = journal.start(1, 0)?;
    handle.dirty_metadata(1, &[1; BLOCK])?;
    assert_eq!(
        handle.dirty_metadata(2, &[1; BLOCK]),
        Err(JournalError::NoCredits)
    );
    assert_eq!(handle.revoke(2), Err(JournalError::NoCredits));
    assert!(handle.extend(1));
    handle.dirty_metadata(2, &[1; BLOCK])?;
    assert!(!handle.extend(1000));
    let tid = handle.tid();
    handle.restart(1)?;
    assert!(
        handle.tid() >= tid,
        "the same one if its commit has not begun"
    );
    handle.dirty_metadata(3, &[1; BLOCK])?;
    let short = handle
        .dirty_metadata(3, &[1; 7])
        .expect_err("7 bytes are no block");
    assert_eq!(short.to_string(), "a block has 1024 bytes, not 7");
    drop(handle);
    let large = journal
        .start(1000, 0)
        .map(|_| ())
        .expect_err("no transaction has 1000 credits");
    assert_eq!(
        large.to_string(),
        "a handle of 1000 credits is too large: 19 is the most"
    );
    let reserves = journal
        .start(1, 10)
        .map(|_| ())
        .expect_err("half of 19 is 9");
    assert_eq!(
        reserves.to_string(),
        "a reservation of 10 credits is too large: 9 is the most"
    );
    Ok(())
}

#[test]
fn a_reservation_outlives_its_handle() -> Result<(), JournalError> {
    let (device, area) = Shared::with_log(64, ALL);
    let journal = open::<HandOver>(&device, &area)?;
    let mut handle = journal.start(1, 2)?;
    handle.dirty_metadata(1, &[1; BLOCK])?;
    assert_eq!(
        handle.restart(1),
        Err(JournalError::Refused(Refused::HasReservation))
    );
    let reservation = handle.stop().expect("it was asked for");
    journal.force_commit()?;
    let mut later = reservation.start()?;
    assert_eq!(later.credits(), 2);
    later.dirty_metadata(2, &[2; BLOCK])?;
    drop(later);
    assert_eq!(journal.force_commit()?, Some(2));
    // One that is given back can be had again, again and again.
    for _ in 0..20 {
        drop(journal.start(1, 9)?.stop());
    }
    Ok(())
}

#[test]
fn a_log_says_what_it_cannot_hold() -> Result<(), JournalError> {
    let plain = Features {
        revoke: false,
        is_64bit: false,
        csum_v3: false,
    };
    let (device, area) = Shared::with_log(64, plain);
    let journal = open::<HandOver>(&device, &area)?;
    let mut handle = journal.start(2, 0)?;
    assert_eq!(handle.revoke(1), Err(JournalError::NoRevokes));
    let block = 1 << 32;
    assert_eq!(
        handle.dirty_metadata(block, &[0; BLOCK]),
        Err(JournalError::LargeNumber { block })
    );
    drop((handle, journal));
    let (device, area) = Shared::with_log(12, plain);
    let small = open::<HandOver>(&device, &area)
        .map(|_| ())
        .expect_err("12 blocks");
    assert_eq!(
        small.to_string(),
        "a log of 11 blocks has no room for a transaction (make the journal larger)"
    );
    let mut before = vec![0; (BLOCKS + 12) as usize * BLOCK];
    device
        .write_at(&[0xFF; 4], BLOCKS * BLOCK as u64)
        .expect("a broken magic");
    device.read_at(&mut before, 0).expect("the whole device");
    let broken = open::<HandOver>(&device, &area)
        .map(|_| ())
        .expect_err("no journal");
    assert!(
        matches!(broken, JournalError::Log(LogError::NoJournal(_))),
        "{broken}"
    );
    let mut after = vec![1; before.len()];
    device.read_at(&mut after, 0).expect("the whole device");
    assert!(before == after, "nothing is written");
    Ok(())
}

/// It needs a transaction, what is kept back, a descriptor and a commit record: 9 + 8 + 2 blocks, behind the superblock.
#[test]
fn the_smallest_log_is_one() {
    let division = Division {
        fraction: 2,
        slack: 8,
    };
    for (log, is_small) in [(20, false), (19, true)] {
        let (device, area) = Shared::with_log(log, ALL);
        let opened = Journal::<_>::open_with(device, area, division, NoProbe);
        assert_eq!(opened.is_err(), is_small, "{log}");
    }
}

/// Its commit thread has ended, and the device is nobody's but its owner's.
#[test]
fn a_journal_that_is_closed_or_dropped_leaves_nothing_behind() -> Result<(), JournalError> {
    for closes in [false, true] {
        let (device, area) = Shared::with_log(64, ALL);
        let journal = open::<HandOver>(&device, &area)?;
        drop(journal.start(1, 0)?.stop());
        if closes {
            journal.close()?;
        } else {
            drop(journal);
        }
        assert_eq!(Arc::strong_count(&device.memory), 1, "{closes}");
    }
    Ok(())
}

#[test]
fn an_aborted_journal_says_why() -> Result<(), JournalError> {
    let (device, area) = Shared::with_log(64, ALL);
    let journal = open::<HandOver>(&device, &area)?;
    let mut handle = journal.start(2, 0)?;
    journal.abort("the file system is broken");
    let why = JournalError::Refused(Refused::Aborted(Reason::Called(
        "the file system is broken",
    )));
    assert_eq!(handle.dirty_metadata(1, &[1; BLOCK]), Err(why.clone()));
    assert_eq!(handle.get_write_access(1), Err(why.clone()));
    drop(handle);
    assert_eq!(journal.start(1, 0).map(|_| ()), Err(why.clone()));
    assert_eq!(journal.force_commit(), Err(why.clone()));
    assert_eq!(journal.close(), Err(why));
    let errno = scan(&device, &area)?.superblock.errno;
    assert_eq!(errno.cast_signed(), -5, "the next mount sees EIO");
    Ok(())
}

#[test]
fn a_checkpoint_that_fails_says_what_the_device_says() -> Result<(), JournalError> {
    let (mut device, area) = Shared::with_log(64, ALL);
    device.is_homeless = true;
    let journal = open::<HandOver>(&device, &area)?;
    let mut handle = journal.start(1, 0)?;
    handle.dirty_metadata(5, &[1; BLOCK])?;
    drop(handle);
    journal.force_commit()?;
    let why = JournalError::Refused(Refused::Aborted(Reason::Device(Errno::NoSpace)));
    assert_eq!(journal.checkpoint(), Err(why));
    Ok(())
}

/// Of whoever hangs: the numbers, who waits, and the blocks of each transaction.
#[test]
fn a_journal_shows_what_it_has() -> Result<(), JournalError> {
    let (device, area) = Shared::with_log(64, ALL);
    let journal = open::<HandOver>(&device, &area)?;
    let mut handle = journal.start(3, 0)?;
    handle.dirty_metadata(5, &[1; BLOCK])?;
    handle.revoke(6)?;
    let shown = format!("{journal:?}");
    for part in [
        "Journal { numbers: Numbers { running: Transaction { tid: 1, state: Running, ",
        "waiting: [",
        "buffers: Buffers { open: [(1, Changes { blocks: [5], revoked: {6} })], logged: [], writing: {}, .. } }",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    Ok(())
}

/// Nobody waits for space in the log, nor makes any.
struct WaitsForNoSpace;

impl Rules for WaitsForNoSpace {
    const POLICY: Policy = Policy {
        tests: [true, true, false, true],
        ..Policy::HAND_OVER
    };

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        HandOver::wakes(release)
    }
}

#[test]
fn a_transaction_that_the_log_has_no_room_for_is_not_begun() -> Result<(), JournalError> {
    let (device, area) = Shared::with_log(40, ALL);
    let log = || {
        let mut log = vec![0; 39 * BLOCK];
        device
            .read_at(&mut log, (BLOCKS + 1) * BLOCK as u64)
            .expect("the log behind its superblock");
        log
    };
    let journal = open::<WaitsForNoSpace>(&device, &area)?;
    let mut version = 0;
    let (before, why) = loop {
        version += 1;
        let mut handle = journal.start(7, 0)?;
        for block in 0..7 {
            handle.dirty_metadata(block, &[version; BLOCK])?;
        }
        drop(handle);
        let before = log();
        if let Err(why) = journal.force_commit() {
            break (before, why);
        }
    };
    let full = Refused::Aborted(Reason::LogFull);
    assert_eq!(why, JournalError::Refused(full));
    assert!(before == log(), "nothing is written into the log");
    drop(journal);
    let journal = open::<HandOver>(&device, &area)?;
    assert_eq!(version, 5, "four transactions of nine blocks fit into 39");
    assert_eq!(journal.read(6)?, [version - 1; BLOCK]);
    Ok(())
}

/// How many rounds each thread has, of a handle with a reservation and the reserved one.
const ROUNDS: u32 = 60;
const THREADS: u64 = 8;
/// How many commits the first thread asks for and waits for, each behind changes of its own: so many transactions there are,
/// whoever runs when, and the log is written over and over.
const COMMITS: u32 = 20;

/// A log in which two reservations fit, and eight threads.
fn stress<R: Rules>() -> Result<(), JournalError> {
    let (device, area) = Shared::with_log(48, ALL);
    let journal = Arc::new(open::<R>(&device, &area)?);
    let stressed = journal.clone();
    let tell = || format!("{journal:?}");
    in_time_or_tell(PATIENCE, tell, move || fight(&stressed))?;
    drop(journal);
    let found = scan(&device, &area)?;
    assert!(
        found.next_tid > COMMITS,
        "only {} transactions",
        found.next_tid
    );
    let journal = open::<R>(&device, &area)?;
    for block in 0..2 * THREADS {
        let expected = ROUNDS.to_be_bytes().repeat(BLOCK / 4);
        assert_eq!(journal.read(block)?, expected, "block {block}");
    }
    Ok(())
}

fn fight<R: Rules>(journal: &Arc<Journal<Shared, R, StdSys>>) -> Result<(), JournalError> {
    let writers: Vec<_> = (0..THREADS)
        .map(|thread| {
            let journal = journal.clone();
            let commits = if thread == 0 { ROUNDS / COMMITS } else { 7 };
            thread::spawn(move || -> Result<(), JournalError> {
                for round in 1..=ROUNDS {
                    let bytes = round.to_be_bytes().repeat(BLOCK / 4);
                    let mut handle = journal.start(2, 3)?;
                    handle.dirty_metadata(2 * thread, &bytes)?;
                    let reservation = handle.stop().expect("it was asked for");
                    let mut later = reservation.start()?;
                    later.dirty_metadata(2 * thread + 1, &bytes)?;
                    drop(later);
                    if round.is_multiple_of(commits) {
                        journal.force_commit()?;
                    }
                }
                Ok(())
            })
        })
        .collect();
    for writer in writers {
        writer.join().expect("a writer that does not panic")?;
    }
    journal.force_commit()?;
    Ok(())
}

#[test]
fn every_thread_makes_progress_in_a_small_journal() -> Result<(), JournalError> {
    stress::<HandOver>()?;
    stress::<WakeAll>()
}
