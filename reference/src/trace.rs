//! Records what threads do, for `interlock validate`; `docs/traces.md` describes the format. A protocol's recorder is a probe that
//! keeps [`Recording`].
//!
//! Each thread writes into a strand of its own, with the times between which it took the step: one counter is all that the threads
//! share, so that the record does not put them in an order that they did not have. Its atomics are the standard library's under
//! loom too: a record must add no schedules.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// The steps of threads, each an `E` until the record is [written](Recording::write).
#[derive(Debug)]
pub struct Recording<E> {
    /// Tells the current thread from others.
    me: fn() -> usize,
    /// How many steps have been taken.
    clock: AtomicU64,
    /// Locked for writing only while a thread joins.
    strands: RwLock<Vec<Strand<E>>>,
}

#[derive(Debug)]
struct Strand<E> {
    owner: usize,
    thread: String,
    /// Only the owner locks it, but for who writes the record.
    own: Mutex<Own<E>>,
}

#[derive(Debug)]
struct Own<E> {
    /// The next step is taken no earlier than this.
    from: u64,
    /// Each with its times.
    events: Vec<(u64, u64, E)>,
}

/// The first line of a trace.
#[derive(Debug, Clone)]
pub struct Head<'a> {
    /// The specification.
    pub module: &'a str,
    /// What was recorded, and how: for people.
    pub source: &'a str,
    /// The specification's constants and their values, as in `specs/*/models.toml`.
    pub constants: &'a [(&'a str, String)],
}

/// A step as a trace has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The action's name.
    pub action: &'static str,
    /// Its arguments, as TLA+ writes them.
    pub args: Vec<String>,
    /// What was seen of the state right after it: names of `Trace<Module>.tla`, and values as TLA+ writes them.
    pub sees: Vec<(String, String)>,
}

impl<E> Default for Recording<E> {
    fn default() -> Self {
        Recording::of(this_thread)
    }
}

/// A number that no other thread of the standard library has.
fn this_thread() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static THIS: usize = THREADS.fetch_add(1, Ordering::Relaxed);
    }
    THIS.with(|this| *this)
}

impl<E> Recording<E> {
    /// An empty record, of the standard library's threads.
    pub fn new() -> Self {
        Recording::default()
    }

    /// An empty record, of threads that `me` tells apart.
    pub fn of(me: fn() -> usize) -> Self {
        Recording {
            me,
            clock: AtomicU64::new(0),
            strands: RwLock::default(),
        }
    }

    /// The current thread's steps are those of `thread` from now on. A thread that does not join is `t1`, `t2`, ..., by the
    /// number of the strand.
    pub fn join(&self, thread: &str) {
        self.open(|_| thread.to_owned());
        self.before();
    }

    /// The current thread is about to take its next step, and has not taken it yet. Without this the record says less.
    pub fn before(&self) {
        // Whatever has a time up to `now` is over.
        let now = self.clock.load(Ordering::SeqCst);
        self.with_own(|own| own.from = own.from.max(now + 1));
    }

    /// The current thread has taken a step. For two steps of which one had to come first, the one's `after` comes before the
    /// other's step.
    pub fn after(&self, event: E) {
        let to = self.clock.fetch_add(1, Ordering::SeqCst) + 1;
        self.with_own(|own| {
            own.events.push((own.from, to, event));
            own.from = to + 1;
        });
    }

    /// The record as a trace, strand after strand. `step` says what an event of a thread is; if it says none, the event is left out.
    pub fn write<S: Into<Option<Step>>>(
        &self,
        head: &Head,
        step: impl Fn(&str, &E) -> S,
    ) -> String {
        let Head {
            module,
            source,
            constants,
        } = head;
        let constants = object(constants.iter().map(|(name, value)| (*name, value)));
        let mut lines = vec![format!(
            "{{\"trace\":1,\"module\":{},\"source\":{},\"constants\":{constants}}}\n",
            string(module),
            string(source)
        )];
        for strand in self
            .strands
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
        {
            let own = strand.lock();
            let events = own.events.iter();
            lines.extend(events.filter_map(|(from, to, event)| {
                let thread = &strand.thread;
                let step = step(thread, event).into()?;
                Some(line(thread, *from, *to, &step))
            }));
        }
        let events = lines.len() - 1;
        lines.concat() + &format!("{{\"events\":{events}}}\n")
    }

    fn open(&self, name: impl FnOnce(usize) -> String) {
        // At any time since the record began.
        let own = Own {
            from: 1,
            events: Vec::new(),
        };
        let mut strands = self.strands.write().unwrap_or_else(PoisonError::into_inner);
        let thread = name(strands.len() + 1);
        strands.push(Strand {
            owner: (self.me)(),
            thread,
            own: Mutex::new(own),
        });
    }

    /// What the current thread writes, in its newest strand.
    fn with_own(&self, change: impl FnOnce(&mut Own<E>)) {
        let owner = (self.me)();
        loop {
            let strands = self.strands.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(strand) = strands.iter().rev().find(|strand| strand.owner == owner) {
                return change(&mut strand.lock());
            }
            drop(strands);
            self.open(|number| format!("t{number}"));
        }
    }
}

impl<E> Strand<E> {
    fn lock(&self) -> MutexGuard<'_, Own<E>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn line(thread: &str, from: u64, to: u64, step: &Step) -> String {
    let args: Vec<String> = step.args.iter().map(|arg| string(arg)).collect();
    let sees = object(step.sees.iter().map(|(name, value)| (name.as_str(), value)));
    format!(
        "{{\"thread\":{},\"from\":{from},\"to\":{to},\"action\":{},\"args\":[{}],\"sees\":{sees}}}\n",
        string(thread),
        string(step.action),
        args.join(",")
    )
}

/// An object of JSON whose values are strings.
fn object<'a>(fields: impl Iterator<Item = (&'a str, &'a String)>) -> String {
    let fields = fields.map(|(name, value)| format!("{}:{}", string(name), string(value)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

/// A string of JSON.
fn string(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\0'..' ' => {
                let written = write!(quoted, "\\u{:04x}", u32::from(character));
                written.expect("a String takes all that is written");
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
