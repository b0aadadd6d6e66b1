//! Direct writes that cover a block in part, many at once, on a device whose I/Os all take the same time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use interlock::device::MemoryDevice;
use interlock::dio::file::{Completion, DirectFile, Layout};
use interlock::dio::machine::Extent;
use interlock::dio::policy::Policy;
use interlock::dio::workers::{Io, Queue};

use crate::stats::median;

/// Bytes in a sector, sectors in a block, sectors in a write: 2 KiB of 4 KiB.
const SECTOR: usize = 512;
const PER_BLOCK: u32 = 8;
const WRITE: usize = 4 * SECTOR;
/// Asynchronous writes in flight, of one submitter.
const DEPTH: usize = 256;
/// Blocks of the file.
const BLOCKS: usize = 4096;
/// How long the device takes for an I/O; it does any number at a time.
pub const LATENCY: Duration = Duration::from_micros(100);

/// What is written, and under which design.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Final65 on written blocks.
    Shared,
    /// Pre61 on written blocks.
    Exclusive,
    /// Final65 on unwritten blocks.
    Unwritten,
}

impl Case {
    /// All of them, in the order of the table.
    pub const ALL: [Case; 3] = [Case::Shared, Case::Exclusive, Case::Unwritten];

    /// What the table calls it.
    pub fn name(self) -> &'static str {
        match self {
            Case::Shared => "Final65, written",
            Case::Exclusive => "Pre61, written",
            Case::Unwritten => "Final65, unwritten",
        }
    }

    /// The same ratio as somebody has measured it.
    pub fn on_a_kernel(self) -> &'static str {
        match self {
            Case::Shared => "1.00",
            Case::Exclusive => "259 (350k to 1350, 8 processors, patched 6.2 to 6.1)",
            Case::Unwritten => "9.6 to 18.4 (6.18, 2 processors)",
        }
    }

    fn policy(self) -> Policy {
        match self {
            Case::Exclusive => Policy::PRE61,
            Case::Shared | Case::Unwritten => Policy::FINAL65,
        }
    }

    fn extent(self) -> Extent {
        match self {
            Case::Unwritten => Extent::Unwritten,
            Case::Shared | Case::Exclusive => Extent::Written,
        }
    }
}

/// How many writes a second a case got, as the median of the rounds.
pub struct Writes {
    /// Which case.
    pub case: Case,
    /// Writes a second.
    pub rate: f64,
}

/// Measures all cases in turn, in each round.
pub fn measure(rounds: usize, time: Duration) -> anyhow::Result<Vec<Writes>> {
    let mut rates = Case::ALL.map(|_| Vec::new());
    for _ in 0..rounds {
        for (case, rates) in Case::ALL.iter().zip(&mut rates) {
            rates.push(round(*case, time)?);
        }
    }
    let summary = |(case, rates): (&Case, Vec<f64>)| Writes {
        case: *case,
        rate: median(rates),
    };
    Ok(Case::ALL.iter().zip(rates).map(summary).collect())
}

/// One round: the first half of one block after the other, until the time is up, or until no block is unwritten any more.
fn round(case: Case, time: Duration) -> anyhow::Result<f64> {
    let device = MemoryDevice::new(SECTOR, BLOCKS * PER_BLOCK as usize, 0);
    let layout = Layout {
        per_block: PER_BLOCK,
        extents: vec![case.extent(); BLOCKS],
        length: BLOCKS as u32 * PER_BLOCK,
    };
    let file = DirectFile::new(device, Latency::new(), case.policy(), layout)?;
    let bytes = vec![1; WRITE];
    let mut flying = VecDeque::<Completion>::new();
    let (mut next, mut done) = (0, 0_usize);
    let began = Instant::now();
    while began.elapsed() < time && (case != Case::Unwritten || next < BLOCKS) {
        if flying.len() == DEPTH {
            flying.pop_front().context("there is one")?.wait()?;
            done += 1;
        }
        let position = (next % BLOCKS) * 2 * WRITE;
        flying.push_back(file.submit_at(&bytes, position as u64));
        next += 1;
    }
    for write in flying {
        write.wait()?;
        done += 1;
    }
    Ok(done as f64 / began.elapsed().as_secs_f64())
}

/// A device's queue: each I/O is performed [`LATENCY`] after it was submitted.
struct Latency {
    backlog: Arc<(Mutex<Backlog>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Backlog {
    due: BinaryHeap<Reverse<Due>>,
    submitted: u64,
    closed: bool,
}

/// An I/O, ordered by when it is due.
struct Due(Instant, u64, Io);

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(other.0, other.1))
    }
}

fn lock(backlog: &Mutex<Backlog>) -> MutexGuard<'_, Backlog> {
    backlog.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Latency {
    fn new() -> Self {
        let backlog = Arc::new((Mutex::new(Backlog::default()), Condvar::new()));
        let own = backlog.clone();
        let thread = Some(thread::spawn(move || perform(&own)));
        Latency { backlog, thread }
    }
}

/// Sleeps are too long by about this.
const SLACK: Duration = Duration::from_micros(60);

/// Performs what is due, the first first.
fn perform((mutex, changed): &(Mutex<Backlog>, Condvar)) {
    let mut backlog = lock(mutex);
    loop {
        let now = Instant::now();
        let first = backlog.due.peek().map(|Reverse(due)| due.0);
        backlog = match first {
            None if backlog.closed => return,
            None => {
                let woken = changed.wait(backlog);
                woken.unwrap_or_else(PoisonError::into_inner)
            }
            Some(due) if due <= now => {
                let io = backlog.due.pop();
                drop(backlog);
                if let Some(Reverse(Due(_, _, io))) = io {
                    io.perform();
                }
                lock(mutex)
            }
            Some(due) if due - now > SLACK => {
                let woken = changed.wait_timeout(backlog, due - now - SLACK);
                woken.unwrap_or_else(PoisonError::into_inner).0
            }
            Some(_) => {
                drop(backlog);
                thread::yield_now();
                lock(mutex)
            }
        };
    }
}

impl Queue for Latency {
    fn submit(&self, io: Io) {
        let (mutex, changed) = &*self.backlog;
        let mut backlog = lock(mutex);
        backlog.submitted += 1;
        let due = Due(Instant::now() + LATENCY, backlog.submitted, io);
        backlog.due.push(Reverse(due));
        // All later ones are due later: only who waits for the first has to know.
        let is_first = backlog.due.len() == 1;
        drop(backlog);
        if is_first {
            changed.notify_one();
        }
    }
}

impl Drop for Latency {
    fn drop(&mut self) {
        let (mutex, changed) = &*self.backlog;
        lock(mutex).closed = true;
        changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
