//! The state of the lock, and the five decisions in which the designs differ: the part of `Rwsem.tla` above `TypeOK`.

use super::machine::{Kind, Machine, Pc, State};
use super::policy::{Barge, Enqueue, Place, Policy, Take, Wake};

/// A state seen under a machine's policy. Each method is the operator of that name.
pub(super) struct View<'a> {
    pub machine: &'a Machine,
    pub state: &'a State,
}

impl View<'_> {
    pub fn policy(&self) -> &Policy {
        &self.machine.policy
    }

    pub fn kind(&self, t: usize) -> Kind {
        self.machine.kinds[t]
    }

    pub fn is_reader(&self, t: usize) -> bool {
        self.kind(t) == Kind::Reader
    }

    pub fn holds(&self, t: usize) -> bool {
        matches!(self.state.pc[t], Pc::Hold | Pc::Shared | Pc::Dwake)
    }

    /// `Holders`.
    pub fn holders(&self) -> impl Iterator<Item = usize> {
        (0..self.state.pc.len()).filter(|&t| self.holds(t))
    }

    /// `Holders = {}`.
    pub fn free(&self) -> bool {
        self.holders().next().is_none()
    }

    pub fn write_held(&self) -> bool {
        self.holders()
            .any(|t| !self.is_reader(t) && self.state.pc[t] == Pc::Hold)
    }

    fn read_held(&self) -> bool {
        !self.free() && !self.write_held()
    }

    fn pending_writer(&self) -> bool {
        self.state.queue.iter().any(|&t| !self.is_reader(t))
    }

    pub fn compatible(&self, t: usize) -> bool {
        if self.is_reader(t) && self.policy().shared {
            !self.write_held()
        } else {
            self.free()
        }
    }

    fn front_run(&self, q: &[usize], kind: Kind) -> usize {
        q.iter().take_while(|&&t| self.kind(t) == kind).count()
    }

    // 1. BARGE

    pub fn barges(&self, t: usize) -> bool {
        match self.policy().barge {
            Barge::Nobody => false,
            Barge::Readers => self.is_reader(t),
            Barge::Mrlock => !self.is_reader(t) || !self.pending_writer(),
            Barge::FreeReaders => self.is_reader(t) && self.free() && !self.state.handoff,
        }
    }

    // 2. SPIN

    pub fn spins(&self, t: usize) -> bool {
        match self.kind(t) {
            Kind::Reader => self.policy().spin_readers,
            Kind::Writer => self.policy().spin_writers,
        }
    }

    pub fn may_steal(&self, t: usize) -> bool {
        self.spins(t) && self.compatible(t) && !self.state.handoff
    }

    // 3. PLACE

    /// The queue with `t` in its place.
    pub fn place(&self, t: usize) -> Vec<usize> {
        let q = &self.state.queue;
        let position = match self.policy().place {
            Place::Tail => q.len(),
            Place::JoinReaders => self.behind_readers(t).unwrap_or(q.len()),
            Place::JoinWritersIfReadHeld => self.behind_writers(t, self.read_held()),
            Place::JoinWritersIfWriteHeld => self.behind_writers(t, self.write_held()),
            Place::HeadIfReader if self.is_reader(t) && self.front_run(q, Kind::Reader) > 0 => 0,
            Place::HeadIfReader => q.len(),
        };
        let mut queue = q.clone();
        queue.insert(position, t);
        queue
    }

    /// For a reader while readers wait: the place behind the last of them (`LastReader`).
    fn behind_readers(&self, t: usize) -> Option<usize> {
        let last = || self.state.queue.iter().rposition(|&u| self.is_reader(u));
        Some(self.is_reader(t).then(last)?? + 1)
    }

    fn behind_writers(&self, t: usize, held: bool) -> usize {
        let n = self.front_run(&self.state.queue, Kind::Writer);
        match self.behind_readers(t) {
            Some(position) => position,
            None if !self.is_reader(t) && held && n > 0 => n,
            None => self.state.queue.len(),
        }
    }

    pub fn queues_first(&self, t: usize) -> bool {
        self.policy().enqueue == Enqueue::First && !self.is_reader(t)
    }

    // 4. WAKE

    fn all_readers(&self, q: &[usize]) -> Vec<usize> {
        q.iter().copied().filter(|&t| self.is_reader(t)).collect()
    }

    fn front_readers(&self, q: &[usize]) -> Vec<usize> {
        q[..self.front_run(q, Kind::Reader)].to_vec()
    }

    /// The readers that a lock held for reading lets in.
    pub fn readers_ahead(&self, q: &[usize]) -> Vec<usize> {
        match self.policy().wake {
            Wake::ReadersFirst => self.all_readers(q),
            Wake::AllReaders | Wake::Everybody if self.front_run(q, Kind::Reader) > 0 => {
                self.all_readers(q)
            }
            Wake::FrontBatch | Wake::FrontReaders => self.front_readers(q),
            Wake::AllReaders | Wake::Everybody | Wake::Mrlock => Vec::new(),
        }
    }

    /// Who gets the lock from the task that wakes the queue `q`.
    pub fn granted(&self, q: &[usize]) -> Vec<usize> {
        let Some(&head) = q.first() else {
            return Vec::new();
        };
        let shared = self.policy().shared;
        let readers = self.all_readers(q);
        let serves_reader = self.is_reader(head)
            || (self.policy().wake == Wake::ReadersFirst && !readers.is_empty());
        let open = if serves_reader && shared {
            !self.write_held()
        } else {
            self.free()
        };
        if !open {
            return Vec::new();
        }
        match self.policy().wake {
            Wake::FrontBatch if self.is_reader(head) && shared => self.front_readers(q),
            Wake::FrontBatch => vec![head],
            Wake::ReadersFirst if !readers.is_empty() => readers,
            Wake::ReadersFirst => vec![head],
            Wake::FrontReaders => self.front_readers(q),
            Wake::AllReaders if self.is_reader(head) => readers,
            Wake::Everybody if self.is_reader(head) => q.to_vec(),
            Wake::AllReaders | Wake::Everybody | Wake::Mrlock => Vec::new(),
        }
    }

    /// Who is merely woken, to try for itself.
    pub fn roused(&self, q: &[usize]) -> Vec<usize> {
        let writers = |q: &[usize]| q.iter().copied().filter(|&t| !self.is_reader(t)).collect();
        match self.policy().wake {
            Wake::FrontBatch | Wake::ReadersFirst => Vec::new(),
            Wake::FrontReaders | Wake::AllReaders | Wake::Everybody => {
                writers(&q[..q.len().min(1)])
            }
            Wake::Mrlock if self.pending_writer() => writers(q),
            Wake::Mrlock => q.to_vec(),
        }
    }

    pub fn self_wakes(&self) -> bool {
        matches!(
            self.policy().wake,
            Wake::FrontReaders | Wake::AllReaders | Wake::Everybody
        )
    }

    pub fn skips_wake(&self) -> bool {
        self.policy().skip && self.state.pc.contains(&Pc::Spin)
    }

    // 5. TAKE

    fn retries(&self, t: usize) -> bool {
        match self.policy().take {
            Take::Never => false,
            Take::WritersAnywhere | Take::WritersFirst => !self.is_reader(t),
            Take::Everybody => true,
        }
    }

    pub fn may_take(&self, t: usize) -> bool {
        let first_only = self.policy().take == Take::WritersFirst || self.state.handoff;
        self.retries(t)
            && self.compatible(t)
            && (!first_only || self.state.queue.first() == Some(&t))
    }
}
