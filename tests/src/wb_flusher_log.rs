//! The steps of a flusher's threads, as a path of the machine, and its invariants on the way.

use std::sync::{Mutex, MutexGuard, PoisonError};

use interlock::writeback::flusher_probe::{Numbers, Probe};
use interlock::writeback::plug::{Action, Machine, Run, State};
use interlock::writeback::plug_policy::Policy;

use interlock_traces::machines::wb_plug::Invariant;

/// What the flusher tells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Entry {
    /// A pass begins over these inodes.
    Begins(Vec<usize>),
    /// A step is taken, and leaves these numbers.
    Step(Action, Numbers),
}

/// When somebody wants the flusher's processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// Never.
    Never,
    /// Behind every inode.
    Always,
}

/// Logs every step, and has the flusher preempted and put to sleep.
pub struct Log {
    entries: Mutex<Vec<Entry>>,
    wants: Wants,
    sleeps: bool,
}

impl Log {
    /// An empty log; `sleeps`: each inode's I/O sleeps.
    pub fn new(wants: Wants, sleeps: bool) -> Log {
        Log {
            entries: Mutex::new(Vec::new()),
            wants,
            sleeps,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The steps until now.
    pub fn taken(&self) -> Vec<Entry> {
        self.lock().clone()
    }
}

impl Probe for Log {
    fn begins(&self, inodes: &[usize]) {
        self.lock().push(Entry::Begins(inodes.to_vec()));
    }

    fn step(&self, action: Action, now: &Numbers) {
        self.lock().push(Entry::Step(action, *now));
    }

    fn sleeps(&self) -> bool {
        self.sleeps
    }

    fn wants(&self) -> bool {
        self.wants == Wants::Always
    }
}

/// The states of a path, the first one included; each keeps these invariants. In each pass the machine has as many inodes as
/// the flusher.
///
/// # Errors
///
/// Inodes that are no neighbours, a step that is not enabled in the machine, or one that breaks an invariant.
pub fn replay(
    policy: Policy,
    slots: usize,
    log: &[Entry],
    invariants: &[Invariant],
) -> Result<Vec<State>, String> {
    let (mut machine, mut first) = (Machine::new(policy, 0, slots), 0);
    let mut states = vec![machine.init()];
    for (place, entry) in log.iter().enumerate() {
        let path = || format!("{:?}", &log[..=place]);
        match entry {
            Entry::Begins(inodes) => {
                first = inodes.first().copied().unwrap_or_default();
                machine.files = inodes.len();
                if !(first..first + inodes.len()).eq(inodes.iter().copied()) {
                    return Err(format!("{inodes:?} are no neighbours"));
                }
            }
            Entry::Step(action, _) => {
                let next = of_pass(*action, first)
                    .and_then(|action| machine.step(&states[states.len() - 1], action));
                let next = next.ok_or_else(|| {
                    format!("{action:?} is not enabled in the machine: {}", path())
                })?;
                let mut broken = invariants
                    .iter()
                    .filter(|invariant| !invariant.holds(&next));
                if let Some(broken) = broken.next() {
                    return Err(format!("{broken:?} is broken after {action:?}: {}", path()));
                }
                states.push(next);
            }
        }
    }
    Ok(states)
}

/// The machine's action, if the pass begins with this inode.
fn of_pass(action: Action, first: usize) -> Option<Action> {
    let of = |inode: usize| inode.checked_sub(first)?.checked_add(1);
    Some(match action {
        Action::Throttle(inode) => Action::Throttle(of(inode)?),
        Action::Complete(Run { first, last }) => Action::Complete(Run {
            first: of(first)?,
            last: of(last)?,
        }),
        plain => plain,
    })
}
