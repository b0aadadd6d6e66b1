//! A probe that records what a lock does, for `interlock validate`; `docs/traces.md` describes the format.
//!
//! Each thread writes into a lane of its own, with the times between which it took the step: one counter is all that the threads
//! share, so that the record does not put them in an order that they did not have.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::probe::Probe;
use super::word::{Action, Counts, Word};

/// Records the steps of a lock.
#[derive(Debug, Default)]
pub struct Recorder {
    clock: AtomicU64,
    lanes: Mutex<Vec<Arc<Lane>>>,
}

/// What one thread has done. Only that thread writes.
#[derive(Debug)]
struct Lane {
    thread: String,
    own: Mutex<Own>,
}

#[derive(Debug, Default)]
struct Own {
    /// The next step is taken no earlier than this.
    from: u64,
    events: Vec<Event>,
}

#[derive(Debug)]
struct Event {
    from: u64,
    to: u64,
    action: &'static str,
    holders: u32,
    queued: u32,
}

thread_local! {
    static LANE: RefCell<Option<Arc<Lane>>> = const { RefCell::new(None) };
}

impl Recorder {
    /// An empty record.
    pub fn new() -> Recorder {
        Recorder::default()
    }

    /// The current thread's steps are those of the task `thread` from now on.
    pub fn join(&self, thread: &str) {
        let lane = Arc::new(Lane {
            thread: thread.to_owned(),
            own: Mutex::new(Own::default()),
        });
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        lanes.push(lane.clone());
        LANE.set(Some(lane));
        drop(lanes);
        self.about();
    }

    /// The current thread is about to use the lock: its next step is not taken before this. Without it the record says less.
    pub fn about(&self) {
        let now = self.clock.load(Ordering::SeqCst);
        with_lane(|own| own.from = own.from.max(now));
    }

    /// The record as a trace of `Rwsem`, with `source` for people. The readers are those of `threads` that begin with `r`, the
    /// writers those that begin with `w`, who may all downgrade.
    pub fn to_text(&self, source: &str, threads: &[String]) -> String {
        let of = |kind: char| {
            let names = threads.iter().filter(|thread| thread.starts_with(kind));
            names.map(String::as_str).collect::<Vec<_>>().join(", ")
        };
        let (readers, writers) = (of('r'), of('w'));
        let mut text = format!(
            "{{\"trace\":1,\"module\":\"Rwsem\",\"source\":\"{source}\",\"constants\":{{\"Readers\":\"{{{readers}}}\",\
             \"Writers\":\"{{{writers}}}\",\"Downgraders\":\"{{{writers}}}\",\"Policy\":\"<- BatchQueue\",\
             \"Watch\":\"{{}}\",\"ByReaders\":\"0\",\"ByWriters\":\"0\"}}}}\n"
        );
        let mut events = 0;
        for lane in self
            .lanes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
        {
            let own = lane.own.lock().unwrap_or_else(PoisonError::into_inner);
            for event in &own.events {
                let Event {
                    from,
                    to,
                    action,
                    holders,
                    queued,
                } = event;
                let thread = &lane.thread;
                let written = writeln!(
                    text,
                    "{{\"thread\":\"{thread}\",\"from\":{from},\"to\":{to},\"action\":\"{action}\",\"args\":[\"{thread}\"],\
                     \"sees\":{{\"holders\":\"{holders}\",\"queued\":\"{queued}\"}}}}"
                );
                written.expect("a String takes all that is written");
                events += 1;
            }
        }
        text + &format!("{{\"events\":{events}}}\n")
    }
}

fn with_lane(change: impl FnOnce(&mut Own)) {
    LANE.with_borrow(|lane| {
        if let Some(lane) = lane {
            change(&mut lane.own.lock().unwrap_or_else(PoisonError::into_inner));
        }
    });
}

impl Probe for Recorder {
    fn step(&self, _before: Word, action: Action, after: Word) {
        let to = self.clock.fetch_add(1, Ordering::SeqCst) + 1;
        let action = match action {
            Action::Enter(_) => "Enter",
            Action::Queue(_) => "Queue",
            Action::Release(_) => "Release",
            Action::Downgrade => "Downgrade",
            Action::Wake => "Wake",
        };
        let Counts {
            active,
            writer,
            ahead,
            readers,
            behind,
        } = after.counts();
        with_lane(|own| {
            own.events.push(Event {
                from: own.from,
                to,
                action,
                holders: active + u32::from(writer),
                queued: ahead + readers + behind,
            });
            own.from = to;
        });
    }
}
