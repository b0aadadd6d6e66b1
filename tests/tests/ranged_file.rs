//! The file of real bytes, in real threads: what it refuses, what is left of a call that panics, whom the inode's lock lets in first,
//! and a short stress of the choices that keep what they promise.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use conformance::cast::{Cast, Puppets};
use conformance::in_time::in_time;
use interlock::errno::Errno;
use interlock::range::atomicity::file::{CELL, Io, RangedFile, Shape};
use interlock::range::atomicity::locks::InodeLock;
use interlock::range::atomicity::machine::Step;
use interlock::range::atomicity::policy::{Hold, Kind, Policy};
use interlock::range::atomicity::probe::Probe;
use interlock_rwlock::probe::NoProbe;

const SHAPE: Shape = Shape {
    cells: 16,
    folio_cells: 4,
    segment_cells: 8,
};

#[test]
fn bytes_come_back_as_they_were_written() -> Result<(), Errno> {
    for (name, policy) in Policy::NAMED {
        let file = RangedFile::new(SHAPE, policy);
        let bytes: Vec<u8> = (1..=40).collect();
        file.write(&bytes, 24)?;
        file.direct_write(&bytes[..16], 64)?;
        file.punch_hole(32, 8)?;
        let mut expected = [&[0; 24], &bytes[..], &bytes[..16], &[0; 48]].concat();
        expected[32..40].fill(0);
        let (mut buffered, mut direct) = (vec![1; 128], vec![1; 128]);
        file.read(&mut buffered, 0)?;
        file.direct_read(&mut direct, 0)?;
        assert_eq!(buffered, expected, "{name}");
        assert_eq!(direct, expected, "{name}");
        assert_eq!(file.snapshot(), expected, "{name}");
    }
    Ok(())
}

#[test]
fn segments_of_another_size_keep_the_bytes() -> Result<(), Errno> {
    let file = RangedFile::new(SHAPE, Policy::SEGMENT_BITS);
    file.write(&[1; 64], 32)?;
    file.rescale(2);
    file.write(&[2; 32], 64)?;
    assert_eq!(
        file.snapshot(),
        [[0; 32], [1; 32], [2; 32], [0; 32]].concat()
    );
    assert!(catch_unwind(AssertUnwindSafe(|| file.rescale(0))).is_err());
    file.write(&[3; 128], 0)?;
    assert_eq!(file.snapshot(), [3; 128]);
    Ok(())
}

#[test]
fn what_is_not_in_cells_or_not_in_the_file_is_refused() {
    let file = RangedFile::new(SHAPE, Policy::RANGE_LOCK);
    let mut bytes = [1; 16];
    assert_eq!(file.read(&mut bytes, 4), Err(Errno::Invalid));
    assert_eq!(file.direct_read(&mut bytes[..12], 8), Err(Errno::Invalid));
    assert_eq!(file.read(&mut bytes, 120), Err(Errno::NoSpace));
    assert_eq!(file.write(&[2; 16], 120), Err(Errno::NoSpace));
    assert_eq!(file.direct_write(&[2; 16], 128), Err(Errno::NoSpace));
    assert_eq!(file.punch_hole(u64::MAX - 7, 8), Err(Errno::NoSpace));
    assert_eq!(bytes, [1; 16]);
    assert_eq!(file.write(&[], 128), Ok(()));
    assert_eq!(file.snapshot(), [0; 128]);
}

#[test]
#[should_panic(expected = "a folio and a segment have cells")]
fn a_folio_without_cells_is_refused() {
    RangedFile::new(
        Shape {
            folio_cells: 0,
            ..SHAPE
        },
        Policy::XFS,
    );
}

/// It panics as it is about to copy its second cell.
struct Panics(Mutex<u32>);

impl Probe for Panics {
    fn step(&self, step: Step) {
        let mut copied = self.0.lock().expect("it panics once");
        *copied += u32::from(step == Step::Copy);
        assert!(*copied < 2, "as it was told");
    }
}

#[test]
fn a_call_that_panics_gives_its_locks_back() {
    for (name, policy) in Policy::NAMED {
        let written = in_time(move || {
            let file = RangedFile::new(SHAPE, policy);
            let panics = Panics(Mutex::new(0));
            let io = Io::Write(&[1; 64]);
            let call = catch_unwind(AssertUnwindSafe(|| file.perform(io, 0, &panics)));
            assert!(call.is_err(), "{name}");
            let exclusive = file.punch_hole(0, 32);
            exclusive
                .and(file.write(&[2; 32], 32))
                .map(|()| file.snapshot())
        });
        let bytes = written.expect("it is in the file");
        assert_eq!(bytes[..64], [[0; 32], [2; 32]].concat(), "{name}");
    }
}

/// Until nobody runs.
fn rest(cast: &Cast) {
    while !cast.all_rest() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// One that asks for the inode's lock shared waits behind one that waits for it exclusively.
#[test]
fn the_inodes_lock_is_given_in_the_order_of_the_calls() {
    let order = in_time(|| {
        let cast = Cast::directed();
        let (lock, order) = (
            Arc::new(InodeLock::<Puppets>::new()),
            Arc::new(Mutex::new(Vec::new())),
        );
        let held = lock.lock(Hold::Shared);
        let asks = [Hold::Exclusive, Hold::Shared, Hold::Shared, Hold::Direct];
        let threads = asks.map(|hold| {
            let (lock, order) = (lock.clone(), order.clone());
            let thread = cast.spawn(move || {
                let held = lock.lock(hold);
                order.lock().expect("nobody panics with it").push(hold);
                drop(held);
            });
            rest(&cast);
            thread
        });
        assert_eq!(*order.lock().expect("nobody panics with it"), []);
        drop(held);
        for thread in threads {
            thread.join().expect("it gets in");
        }
        std::mem::take(&mut *order.lock().expect("nobody panics with it"))
    });
    assert_eq!(
        order,
        [Hold::Exclusive, Hold::Shared, Hold::Shared, Hold::Direct]
    );
}

/// It hangs behind its second copy, until the director lets it go.
struct Hangs(Cast, Mutex<(u32, Receiver<()>)>);

impl Probe for Hangs {
    fn step(&self, step: Step) {
        let mut hangs = self.1.lock().expect("one hangs");
        hangs.0 += u32::from(step == Step::Copy);
        if step == Step::Copy && hangs.0 == 2 {
            self.0.rests();
            let let_go = hangs.1.recv();
            let_go.expect("the director is there");
        }
    }
}

/// Wherever in a folio a call begins, and until it has copied all of it. Reads take no other lock.
#[test]
fn a_folio_has_one_lock() {
    in_time(|| {
        let cast = Cast::directed();
        let file: RangedFile<Puppets> = RangedFile::on(SHAPE, Policy::FOLIO_LOCKS);
        let file = Arc::new(file);
        let (lets_go, hung) = channel();
        let probe = Hangs(cast.clone(), Mutex::new((0, hung)));
        let reads = |cells: Range<u64>, probe: Option<Hangs>| {
            let file = file.clone();
            let thread = cast.spawn(move || {
                let mut bytes = vec![1; cells.clone().count() * CELL];
                let (io, position) = (Io::Read(&mut bytes), cells.start * CELL as u64);
                match probe {
                    Some(probe) => file.perform(io, position, &probe),
                    None => file.perform(io, position, &NoProbe),
                }
            });
            rest(&cast);
            thread
        };
        let first = reads(4..7, Some(probe));
        let (same, other) = (reads(7..8, None), reads(8..9, None));
        assert!(!same.is_finished(), "it shares the folio");
        other.join().expect("no panic").expect("it is in the file");
        cast.goes_on();
        lets_go.send(()).expect("it hangs");
        for thread in [first, same] {
            thread.join().expect("no panic").expect("it is in the file");
        }
    });
}

#[test]
fn what_takes_space_away_is_alone_where_there_is_an_inodes_lock() {
    for (name, policy) in Policy::NAMED {
        let alone = policy.inode[Kind::Space as usize] == Some(Hold::Exclusive);
        assert_eq!(alone, !["NoLock", "RangeLock"].contains(&name), "{name}");
    }
}

/// Bytes that are written and read together: so many that a thread is seldom done with them before another comes.
const BLOCK: usize = 512 * CELL;

/// Writes of whole blocks, each of one byte, and reads of one block each: none has two writers' bytes.
fn stress(policy: Policy, direct: bool) {
    let shape = Shape {
        cells: 4 * BLOCK / CELL,
        folio_cells: 128,
        segment_cells: 1024,
    };
    let file = RangedFile::new(shape, policy);
    thread::scope(|scope| {
        for seed in 1..=4u64 {
            let file = &file;
            scope.spawn(move || {
                let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                for _ in 0..500 {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    let (first, byte) = (random % 4, (random >> 8) as u8);
                    let blocks = 1 + (random >> 16) % (4 - first);
                    let position = first * BLOCK as u64;
                    let is_direct = direct && (random >> 24) & 1 == 0;
                    let mut bytes = vec![byte; BLOCK * blocks as usize];
                    let is_write = (random >> 25) & 1 == 0;
                    let done = match (is_write, is_direct) {
                        (true, false) => file.write(&bytes, position),
                        (true, true) => file.direct_write(&bytes, position),
                        (false, false) => file.read(&mut bytes, position),
                        (false, true) => file.direct_read(&mut bytes, position),
                    };
                    assert_eq!(done, Ok(()));
                    for block in bytes.chunks(BLOCK) {
                        assert!(block.iter().all(|byte| *byte == block[0]), "a torn read");
                    }
                }
            });
        }
    });
    for block in file.snapshot().chunks(BLOCK) {
        assert!(block.iter().all(|byte| *byte == block[0]), "mixed writes");
    }
}

#[test]
fn what_is_promised_is_kept_by_threads() {
    in_time(|| {
        for policy in [Policy::XFS, Policy::FOLIO_BATCH, Policy::TWO_STATE] {
            stress(policy, false);
        }
        for policy in [Policy::RANGE_LOCK, Policy::SEGMENT_BITS] {
            stress(policy, true);
        }
    });
}
