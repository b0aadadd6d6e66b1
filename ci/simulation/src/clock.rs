//! Virtual time: processors that run first who has run least, as a fair scheduler does, and what is to happen when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::costs::Nanos;

/// Who runs on a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    /// A thread that writes and syncs.
    Writer(usize),
    /// The kworker of the conversions: "ext4-rsv-conversion" runs one at a time.
    Kworker,
    /// kjournald2.
    Commit,
}

/// What happens at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// The actor has run for what its step costs, which it takes now.
    Ran(Actor),
    /// The I/O that the actor waits for has completed.
    Wrote(Actor),
    /// This writer's data is on disk.
    Data(usize),
}

/// Processors and what is to come; of two events at one time the first to be told happens first.
#[derive(Debug)]
pub struct Clock {
    now: Nanos,
    told: u64,
    events: BinaryHeap<Reverse<(Nanos, u64, Event)>>,
    /// By how long each has run, then by when it came.
    runnable: BinaryHeap<Reverse<(Nanos, u64, Actor)>>,
    /// How long those who ran last had run before.
    floor: Nanos,
    idle: usize,
}

impl Clock {
    /// Time 0, when nothing is to happen.
    pub fn new(processors: usize) -> Clock {
        Clock {
            now: 0,
            told: 0,
            events: BinaryHeap::new(),
            runnable: BinaryHeap::new(),
            floor: 0,
            idle: processors,
        }
    }

    /// The time.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// The event is to happen after so long.
    pub fn tell(&mut self, after: Nanos, event: Event) {
        self.told += 1;
        self.events
            .push(Reverse((self.now + after, self.told, event)));
    }

    /// The next event, at whose time it is now.
    pub fn next(&mut self) -> Option<Event> {
        let Reverse((at, _, event)) = self.events.pop()?;
        self.now = at;
        Some(event)
    }

    /// The actor, which has run for so long, runs as soon as a processor has run those who have run less.
    pub fn enqueue(&mut self, actor: Actor, ran: Nanos) {
        self.told += 1;
        self.runnable.push(Reverse((ran, self.told, actor)));
    }

    /// How long those have run who run now: a scheduler's min_vruntime.
    pub fn floor(&self) -> Nanos {
        self.floor
    }

    /// Somebody waits for a processor.
    pub fn is_contended(&self) -> bool {
        !self.runnable.is_empty()
    }

    /// Who is to run next, on a processor that is idle.
    pub fn dispatch(&mut self) -> Option<Actor> {
        if self.idle == 0 {
            return None;
        }
        let Reverse((ran, _, actor)) = self.runnable.pop()?;
        self.floor = self.floor.max(ran);
        self.idle -= 1;
        Some(actor)
    }

    /// A processor has nobody to run.
    pub fn release(&mut self) {
        self.idle += 1;
    }
}
