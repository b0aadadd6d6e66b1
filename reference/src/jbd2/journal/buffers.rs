//! What transactions have changed: the blocks of those that run, are being committed, or wait for their checkpoint.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::jbd2::numbers::Tid;

/// A block's bytes.
pub(super) type Bytes = Arc<[u8]>;

/// What one transaction changes.
#[derive(Clone, Default)]
pub(super) struct Changes {
    /// The blocks that it writes.
    pub blocks: BTreeMap<u64, Bytes>,
    /// The blocks that no replay may write from an older transaction.
    pub revoked: BTreeSet<u64>,
}

impl Changes {
    fn touches(&self, block: u64) -> bool {
        self.blocks.contains_key(&block) || self.revoked.contains(&block)
    }
}

/// A transaction that is in the log, and not yet in its home blocks.
pub(super) struct Logged {
    pub tid: Tid,
    /// Where it begins, in log blocks.
    pub start: u32,
    pub changes: Changes,
}

/// What a checkpoint of the oldest transaction has to do.
pub(super) enum Plan {
    /// There is none.
    Nothing,
    /// This transaction, which is not committed, has revoked one of its blocks: that commit comes first.
    Newer(Tid),
    /// These blocks are to be written home; the others have newer versions in the log.
    Write(Vec<(u64, Bytes)>),
}

/// The changes of all transactions that are not checkpointed.
pub(super) struct Buffers {
    /// Of those that are not committed, oldest first: two at most.
    pub open: VecDeque<(Tid, Changes)>,
    /// Those that wait for their checkpoint, oldest first.
    pub logged: VecDeque<Logged>,
    /// The blocks that a checkpoint is writing home.
    pub writing: BTreeSet<u64>,
    /// Where the next transaction goes, in log blocks.
    pub head: u32,
    /// The tid of the next transaction.
    pub next: Tid,
}

impl Buffers {
    /// An empty log, in which the transaction `next` will begin at `head`.
    pub fn new(head: u32, next: Tid) -> Self {
        Buffers {
            open: VecDeque::new(),
            logged: VecDeque::new(),
            writing: BTreeSet::new(),
            head,
            next,
        }
    }

    /// The newest version of a block; none if that is on the device.
    pub fn newest(&self, block: u64) -> Option<Bytes> {
        let logged = self.logged.iter().map(|logged| &logged.changes);
        let mut oldest_first = logged.chain(self.open.iter().map(|(_, changes)| changes));
        let newest = oldest_first.rfind(|changes| changes.touches(block))?;
        newest.blocks.get(&block).cloned()
    }

    /// The changes of a transaction that is not committed.
    pub fn of(&mut self, tid: Tid) -> &mut Changes {
        let found = self.open.iter().position(|(other, _)| *other == tid);
        let place = found.unwrap_or_else(|| {
            self.open.push_back((tid, Changes::default()));
            self.open.len() - 1
        });
        &mut self.open[place].1
    }

    /// Whether a checkpoint is writing the block home.
    pub fn is_writing(&self, block: u64) -> bool {
        self.writing.contains(&block)
    }

    /// The transaction is in the log, from the head on, and the next one will begin at `head`. One that has logged nothing needs
    /// no checkpoint.
    pub fn committed(&mut self, tid: Tid, head: u32, is_empty: bool) {
        let changes = std::mem::take(self.of(tid));
        self.open.retain(|(other, _)| *other != tid);
        if !is_empty {
            self.logged.push_back(Logged {
                tid,
                start: self.head,
                changes,
            });
        }
        self.head = head;
        self.next = tid + 1;
    }

    /// What the checkpoint of the oldest transaction has to write; until [`Buffers::checkpointed`], none of that is revoked.
    pub fn plan(&mut self) -> Plan {
        let Some(oldest) = self.logged.front() else {
            return Plan::Nothing;
        };
        let is_newer = |block: &u64| {
            let mut newer = self.logged.iter().skip(1);
            newer.any(|logged| logged.changes.touches(*block))
        };
        let blocks = oldest.changes.blocks.iter();
        let home = blocks.filter(|(block, _)| !is_newer(block));
        let home: Vec<(u64, Bytes)> = home.map(|(block, bytes)| (*block, bytes.clone())).collect();
        let revokes = |changes: &Changes| {
            let mut home = home.iter();
            home.any(|(block, _)| changes.revoked.contains(block))
        };
        if let Some((tid, _)) = self.open.iter().find(|(_, changes)| revokes(changes)) {
            return Plan::Newer(*tid);
        }
        self.writing = home.iter().map(|(block, _)| *block).collect();
        Plan::Write(home)
    }

    /// What was planned is on the device, or has failed.
    pub fn written(&mut self) {
        self.writing.clear();
    }

    /// The oldest transaction is checkpointed.
    pub fn checkpointed(&mut self) {
        self.logged.pop_front();
    }

    /// The log's tail: where the oldest transaction begins that a recovery needs, and its tid.
    pub fn tail(&self) -> (u32, Tid) {
        match self.logged.front() {
            Some(oldest) => (oldest.start, oldest.tid),
            None => (self.head, self.next),
        }
    }
}
