//! Random requests on small files, by several threads, on a device that delays, reorders and fails: the log is a path of the
//! machine, and every read, and the file at the end, hold byte by byte what the history oracle of `Integrity.tla` allows.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use conformance::dio_log::{
    History, Log, OLD, STALE, agrees, byte_of, machine, name_calls, replay, snapshot,
};
use conformance::fault_device::{Delays, FaultDevice};
use conformance::in_time::{PATIENCE, in_time_or_tell};
use conformance::random::runner;
use interlock::device::{BlockDevice, MemoryDevice};
use interlock::dio::file::{DirectFile, Layout, Options};
use interlock::dio::machine::{Extent, Kind};
use interlock::dio::policy::Policy;
use interlock::dio::workers::Workers;
use interlock::errno::Errno;
use interlock::sys::StdSys;
use proptest::prelude::*;

const SECTOR: usize = 8;
const BLOCKS: usize = 3;
const PER_BLOCK: u32 = 3;
const SECTORS: u32 = BLOCKS as u32 * PER_BLOCK;

/// What a thread calls.
#[derive(Clone, Copy, Debug)]
struct Op {
    kind: Kind,
    from: u32,
    to: u32,
    is_async: bool,
    cached: bool,
    panics: bool,
}

/// A run: what each thread calls, one after the other.
#[derive(Clone, Debug)]
struct Run {
    policy: Policy,
    layout: Layout,
    threads: Vec<Vec<Op>>,
    delays: Delays,
}

type File = DirectFile<FaultDevice<MemoryDevice>, Workers, StdSys, Log>;

fn open(run: &Run) -> File {
    let initial = machine(run.policy, &run.layout, Vec::new()).init();
    let device = MemoryDevice::new(SECTOR, initial.disk.len(), STALE);
    for (sector, content) in initial.disk.iter().enumerate() {
        let byte = [0, OLD].into_iter().find(|byte| agrees(*content, &[*byte]));
        let bytes = [byte.unwrap_or(STALE); SECTOR];
        let written = device.write_at(&bytes, (sector * SECTOR) as u64);
        written.expect("the device is good");
    }
    let device = FaultDevice::new(device, run.delays);
    let (workers, layout) = (Workers::new(4), run.layout.clone());
    let file = DirectFile::on(device, workers, run.policy, layout, Log::default());
    file.expect("the layout is good")
}

/// What a read has returned: its name, its first sector, its bytes.
type Read = (usize, u32, Vec<u8>);

/// Runs a thread's operations, the first of which has this name.
fn operate(file: &File, mut name: usize, ops: &[Op]) -> Vec<Read> {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for op in ops {
        name_calls(name);
        let position = u64::from(op.from) * SECTOR as u64;
        let length = (op.to + 1 - op.from) as usize * SECTOR;
        let data = vec![byte_of(name); length];
        let options = Options {
            cached: op.cached,
            ..Options::default()
        };
        match op.kind {
            Kind::Write if op.panics => {
                let caller = || {
                    name_calls(name);
                    let _completion = file.submit_at(&data, position);
                    // Without the noise of a message.
                    std::panic::resume_unwind(Box::new("with a request in flight"));
                };
                let joined = thread::scope(|scope| scope.spawn(caller).join());
                assert!(joined.is_err());
            }
            Kind::Write if op.is_async => writes.push(file.submit_with(&data, position, options)),
            Kind::Write => judge(file.write_with(&data, position, options).map(drop)),
            Kind::Read => {
                let bytes = match op.is_async {
                    true => file.submit_read_at(length, position).wait_bytes(),
                    false => {
                        let mut bytes = vec![0; length];
                        let read = file.read_at(&mut bytes, position);
                        read.map(|length| bytes[..length].to_vec())
                    }
                };
                judge(bytes.as_ref().map(drop).map_err(|errno| *errno));
                reads.extend(bytes.ok().map(|bytes| (name, op.from, bytes)));
            }
            Kind::Buffered => judge(file.write_buffered_at(&data, position).map(drop)),
            Kind::Punch => judge(file.punch_hole(position, length)),
            Kind::Truncate => judge(file.truncate(position)),
        }
        name += 1;
    }
    for write in writes {
        judge(write.wait().map(drop));
    }
    reads
}

fn judge(result: Result<(), Errno>) {
    assert!(matches!(result, Ok(()) | Err(Errno::Io)), "{result:?}");
}

/// Runs the operations of all threads, until nothing is in flight.
fn operate_all(file: &File, threads: &[Vec<Op>]) -> Vec<Read> {
    let reads = thread::scope(|scope| {
        let mut first = 0;
        let mut running = Vec::new();
        for ops in threads {
            let name = first;
            first += ops.len();
            running.push(scope.spawn(move || operate(file, name, ops)));
        }
        let reads = running.into_iter().map(|thread| thread.join());
        let reads = reads.map(|reads| reads.expect("no thread panics"));
        reads.flatten().collect()
    });
    // Whose caller has panicked may still be in flight.
    while file.snapshot().dio > 0 {
        thread::yield_now();
    }
    reads
}

/// Runs it, and says what is wrong.
fn check(run: &Run) -> Result<(), String> {
    let file = Arc::new(open(run));
    let (called, threads) = (file.clone(), run.threads.clone());
    let tell = || format!("{file:?} by {run:?}");
    let reads = in_time_or_tell(PATIENCE, tell, move || operate_all(&called, &threads));
    let (calls, actions) = file.probe().named();
    let machine = machine(run.policy, &run.layout, calls);
    let states = replay(&machine, &actions)?;
    let (is, expected) = (file.snapshot(), snapshot(&states[actions.len()]));
    if is != expected {
        return Err(format!("the file is {is:?}, expected {expected:?}"));
    }
    let history = History::new(&machine, &states);
    for (name, from, bytes) in reads {
        for (sector, bytes) in (from as usize..).zip(bytes.chunks(SECTOR)) {
            if !history.allows_read(name, sector, bytes) {
                return Err(format!("{name} read {bytes:?} in {sector}: {actions:?}"));
            }
        }
    }
    // Not through the device's faults.
    let mut bytes = vec![0; SECTORS as usize * SECTOR];
    while file.read_at(&mut bytes, 0).is_err() {}
    for (sector, bytes) in bytes.chunks(SECTOR).take(is.size as usize).enumerate() {
        if !history.allows(sector, bytes) {
            return Err(format!("sector {sector} is lost: {bytes:?}: {actions:?}"));
        }
    }
    Ok(())
}

/// Designs that lose nothing.
fn sound() -> impl Strategy<Value = Policy> {
    prop_oneof![
        Just(Policy::FINAL612_CURED),
        Just(Policy::ZEROING73_CURED),
        Just(Policy::XFS_CURED),
        Just(Policy::PRE61),
    ]
}

fn op(faulty: bool) -> impl Strategy<Value = Op> {
    let kind = match faulty {
        // The specification knows no error of a punch, a truncate or a fallback.
        true => prop_oneof![3 => Just(Kind::Write), 1 => Just(Kind::Read)].boxed(),
        false => prop_oneof![
            6 => Just(Kind::Write),
            3 => Just(Kind::Read),
            1 => Just(Kind::Buffered),
            1 => Just(Kind::Punch),
            1 => Just(Kind::Truncate),
        ]
        .boxed(),
    };
    let range = (0..SECTORS, 0..4_u32);
    (kind, range, any::<bool>(), 0..8_u32, 0..16_u32).prop_map(
        move |(kind, (from, more), is_async, cached, panics)| Op {
            kind,
            from,
            to: (from + more).min(SECTORS - 1),
            is_async,
            cached: cached == 0 && !faulty,
            panics: panics == 0,
        },
    )
}

fn run(faulty: bool) -> impl Strategy<Value = Run> {
    let extent = prop_oneof![
        Just(Extent::Hole),
        Just(Extent::Unwritten),
        Just(Extent::Written)
    ];
    let layout = (prop::collection::vec(extent, BLOCKS), 0..=SECTORS);
    let threads = prop::collection::vec(prop::collection::vec(op(faulty), 1..4), 2..4);
    (sound(), layout, threads, any::<u64>()).prop_map(
        move |(policy, (extents, length), mut threads, seed)| {
            // A fallback that does not drain loses what is in flight.
            for op in threads.iter_mut().flatten() {
                op.cached &= policy.fallback.drains();
                if op.kind == Kind::Buffered && !policy.fallback.drains() {
                    op.kind = Kind::Write;
                }
            }
            // Nor does the specification know an error of what a direct write zeroes before it begins.
            let zeroes = faulty && policy.grow.by_direct_writes();
            let length = if zeroes { SECTORS } else { length };
            Run {
                policy,
                layout: Layout {
                    per_block: PER_BLOCK,
                    extents,
                    length,
                },
                threads,
                delays: Delays {
                    seed,
                    delay: Duration::from_micros(200),
                    fails: if faulty { 5 } else { 0 },
                    panics: if faulty { 20 } else { 0 },
                },
            }
        },
    )
}

#[test]
fn sound_designs_lose_nothing() {
    let result = runner(400, 50).run(&run(false), |run| check(&run).map_err(TestCaseError::fail));
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn errors_and_panics_of_the_device_lose_nothing_of_others() {
    std::panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        if !text.contains("the device panics") {
            eprintln!("{text}");
        }
    }));
    let result = runner(300, 50).run(&run(true), |run| check(&run).map_err(TestCaseError::fail));
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// The same runs, of designs that lose data: some run does.
#[test]
fn the_runs_tell_unsound_designs() {
    for policy in [Policy::RFC_ON63, Policy::ALWAYS_SHARED] {
        let with_policy = |run: Run| check(&Run { policy, ..run });
        let result = runner(3000, 50).run(&run(false), |run| {
            with_policy(run).map_err(TestCaseError::fail)
        });
        let error = result.expect_err("a run loses data").to_string();
        let first = error.lines().next().unwrap_or_default();
        println!("{first:.120}");
        assert!(
            first.contains("is lost") || first.contains(" read "),
            "{error}"
        );
    }
}

/// How many runs of two asynchronous writes, one after the other by one thread, it takes until one is lost.
fn found_after(policy: Policy, first: Extent, length: u32, ranges: [(u32, u32); 2]) -> Option<u32> {
    let write = |(from, to)| Op {
        kind: Kind::Write,
        from,
        to,
        is_async: true,
        cached: false,
        panics: false,
    };
    let lost = |&seed: &u32| {
        let run = Run {
            policy,
            layout: Layout {
                per_block: PER_BLOCK,
                extents: vec![first, Extent::Written, Extent::Written],
                length,
            },
            threads: vec![ranges.map(write).to_vec()],
            delays: Delays {
                seed: u64::from(seed) * 0x9E37_79B9,
                delay: Duration::from_micros(500),
                fails: 0,
                panics: 0,
            },
        };
        check(&run).is_err_and(|error| error.contains("is lost"))
    };
    (1..=1000).find(lost)
}

#[test]
fn designs_that_lose_data_are_found() {
    let (a, b, whole) = ((0, 0), (1, 1), (0, 2));
    let (unwritten, written) = (Extent::Unwritten, Extent::Written);
    let (rfc, no_wait, no_drain) = (
        Policy::RFC_ON63,
        Policy::NO_FORCE_WAIT,
        Policy::EXCL_NO_DIO_WAIT,
    );
    for (name, policy, first, length, ranges) in [
        ("RfcOn63, a b", rfc, unwritten, SECTORS, [a, b]),
        ("RfcOn63, a C", rfc, unwritten, SECTORS, [a, whole]),
        ("NoForceWait, a C", no_wait, unwritten, SECTORS, [a, whole]),
        (
            "ExclNoDioWait, C a",
            no_drain,
            unwritten,
            SECTORS,
            [whole, a],
        ),
        (
            "Final65 at EOF, a C",
            Policy::FINAL65,
            written,
            1,
            [a, whole],
        ),
    ] {
        let found = found_after(policy, first, length, ranges);
        println!("{name}: after {found:?} runs");
        assert!(found.is_some(), "{name} loses nothing");
    }
}
