//! What a task of the kernel is doing.

use super::Name;
use super::begin::Extent;

/// A way to hold a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// For reading.
    Shared,
    /// For writing.
    Exclusive,
}

impl Mode {
    /// As in the specification.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Shared => "shared",
            Mode::Exclusive => "exclusive",
        }
    }

    /// Of `contention_begin`, if it is of a sleeping reader/writer lock.
    pub fn of_contention(flags: &str) -> Option<Mode> {
        match flags {
            "READ" => Some(Mode::Shared),
            "WRITE" => Some(Mode::Exclusive),
            _ => None,
        }
    }

    /// Of `xfs_ilock`, if i_rwsem is among the locks.
    pub fn of_ilock(flags: &str) -> Option<Mode> {
        let mut flags = flags.split('|');
        flags.find_map(|flag| match flag {
            "IOLOCK_SHARED" => Some(Mode::Shared),
            "IOLOCK_EXCL" => Some(Mode::Exclusive),
            _ => None,
        })
    }
}

/// A task queues for a lock.
#[derive(Debug, Clone)]
pub struct Wait {
    /// The lock's address.
    pub lock: String,
    /// How it is asked for.
    pub mode: Mode,
    /// The line of the task's event before it.
    pub before: usize,
    /// The line from which on.
    pub from: usize,
    /// The line by which it is granted.
    pub to: Option<usize>,
}

/// What a task has done before its request begins.
#[derive(Debug, Clone, Copy)]
pub enum Did {
    /// ext4 has looked up blocks, and found this.
    LookUp(Extent),
    /// XFS asks for the lock.
    Lock(Mode),
    /// XFS has given it up.
    Unlock,
}

/// The same, and when.
#[derive(Debug, Clone)]
pub struct Ask {
    /// What.
    pub did: Did,
    /// Of which file.
    pub file: Name,
    /// Its line.
    pub line: usize,
    /// The line of the task's event before it.
    pub before: usize,
    /// The task has queued for the lock: before ext4's look-up, behind XFS's asking.
    pub wait: Option<Wait>,
    /// The line by which XFS has the lock.
    pub until: Option<usize>,
}

impl Ask {
    /// Where it begins.
    pub fn from(&self) -> usize {
        let wait = self.wait.as_ref().map(|wait| wait.from);
        wait.map_or(self.line, |from| from.min(self.line))
    }
}

/// How far a request's caller is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Has begun its I/O: the place of this step, whose end is still to be seen.
    Begun(usize),
    /// Maps blocks, and waits for its I/O.
    Maps,
    /// A truncate: has started its handle, at this line.
    Frees(usize),
    /// XFS: was refused, at this line, and is to give up the lock.
    Refused(usize),
    /// XFS: has given it up, to try again.
    Again,
    /// XFS: has ended or is queued, at this line, and is to give up the lock.
    Leaves(usize),
}

/// A request that its caller has not left.
#[derive(Debug, Clone)]
pub struct Current {
    /// Its file.
    pub file: Name,
    /// Its place.
    pub place: usize,
    /// How far it is.
    pub phase: Phase,
    /// How it holds the lock, where that is shown.
    pub held: Option<Mode>,
}

/// A task.
#[derive(Debug, Default)]
pub struct Task {
    /// What the trace calls it.
    pub name: String,
    /// The line of its last event that is not of the scheduler's or of a lock's, which may be within a step.
    pub last: usize,
    /// The line at which it has last completed a request.
    pub completed: usize,
    /// The lock that it has queued for last.
    pub waits: Option<Wait>,
    /// What it has done since its last request.
    pub asked: Vec<Ask>,
    /// The size to which it truncates a file, by its last mark.
    pub truncates: Option<u64>,
    /// Its request.
    pub current: Option<Current>,
    /// Its last inode_dio_wait since it was asked to do anything, from and to these lines.
    pub drains: Option<(usize, usize)>,
    /// A step that has ended by its next event: file, window, place.
    pub unlocks: Option<(Name, usize, usize)>,
}

impl Task {
    /// It has done something that may belong to a request.
    pub fn ask(&mut self, did: Did, file: Name, wait: Option<Wait>, line: usize) {
        self.asked.push(Ask {
            did,
            file,
            line,
            before: wait.as_ref().map_or(self.last, |wait| wait.before),
            wait,
            until: None,
        });
    }

    /// The line by which it has the lock of a request that begins at this one: who drains has it.
    pub fn locked_by(&self, line: usize) -> usize {
        self.drains.map_or(line, |(from, _)| from)
    }

    /// XFS's lock that it asks for and is not known to have.
    pub fn asks_for(&mut self) -> Option<&mut Ask> {
        let last = self.asked.last_mut()?;
        (matches!(last.did, Did::Lock(_)) && last.until.is_none()).then_some(last)
    }
}
