//! The ranges of a lock: the latest as they came, all others in a tree, sorted by their first cells, whose nodes know how far the ranges
//! below them go: Cormen et al., section 14.3, as the kernel's interval trees, but balanced as a treap.
//!
//! Most ranges are released soon. One that is among the latest [`YOUNG`] is never put into the tree: it costs the look into it alone,
//! and a step for each of those.
//!
//! A node's priority is a hash of its key, so that the tree is the same for the same ranges, however they came. All nodes lie in one
//! vector, and those that are free are used again: once as many ranges were there as ever are, no call allocates.

use std::ops::Range;

use super::tree::{Entry, Place, overlap};

/// A node's index; [`NIL`] is none's.
type Index = u32;
const NIL: Index = Index::MAX;

/// Where a range begins, and its ticket: no two have both.
type Key = (u64, u64);

#[derive(Debug, Clone)]
struct Node {
    entry: Entry,
    /// The end of the range below, or here, that goes farthest; 0 if the node is free.
    reach: u64,
    /// No node below has a higher one.
    priority: u64,
    left: Index,
    right: Index,
}

impl Node {
    fn key(&self) -> Key {
        key(&self.entry.place)
    }
}

fn key(place: &Place) -> Key {
    (place.range.start, place.ticket)
}

/// SplitMix64's, of both.
fn priority((start, ticket): Key) -> u64 {
    let mut hash = start ^ ticket.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// So many ranges are not in the tree.
const YOUNG: usize = 16;

/// The entries of a lock.
#[derive(Debug, Clone)]
pub(super) struct Intervals {
    young: Vec<Entry>,
    nodes: Vec<Node>,
    free: Vec<Index>,
    root: Index,
    /// Nodes above one that is removed, which may reach less far then. Empty between two calls.
    above: Vec<Index>,
}

impl Intervals {
    /// None.
    pub(super) fn new() -> Self {
        Intervals {
            young: Vec::with_capacity(YOUNG),
            nodes: Vec::new(),
            free: Vec::new(),
            root: NIL,
            above: Vec::new(),
        }
    }

    /// All of them, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        let used = self.nodes.iter().filter(|node| node.reach > 0);
        used.map(|node| &node.entry).chain(&self.young)
    }

    /// Sees each entry that overlaps the range. Its place must stay as it is.
    #[inline]
    pub(super) fn overlapping(&mut self, range: &Range<u64>, mut see: impl FnMut(&mut Entry)) {
        for entry in &mut self.young {
            if overlap(range, &entry.place.range) {
                see(entry);
            }
        }
        if self.root != NIL {
            overlapping(&mut self.nodes, self.root, range, &mut see);
        }
    }

    /// Puts an entry in. Its range must not be empty.
    #[inline]
    pub(super) fn insert(&mut self, entry: Entry) {
        if self.young.len() == YOUNG {
            while let Some(old) = self.young.pop() {
                self.plant(old);
            }
        }
        self.young.push(entry);
    }

    /// Takes an entry out by its place: how many it waits for, if it was there.
    #[inline]
    pub(super) fn remove(&mut self, place: &Place) -> Option<usize> {
        let mut young = self.young.iter();
        match young.rposition(|entry| key(&entry.place) == key(place)) {
            Some(at) => {
                let blocking = self.young[at].blocking;
                // The last one, as most are, is not moved: it was written a moment ago, and to read it would wait for that.
                if at + 1 == self.young.len() {
                    self.young.truncate(at);
                } else {
                    self.young.swap_remove(at);
                }
                Some(blocking)
            }
            None => self.uproot(place),
        }
    }

    /// Puts an entry into the tree.
    fn plant(&mut self, entry: Entry) {
        let key = key(&entry.place);
        let reach = entry.place.range.end;
        let priority = priority(key);
        let (mut parent, mut is_left) = (NIL, false);
        let mut at = self.root;
        while let Some(node) = self.nodes.get_mut(at as usize)
            && node.priority >= priority
        {
            node.reach = node.reach.max(reach);
            is_left = key < node.key();
            parent = at;
            at = if is_left { node.left } else { node.right };
        }
        let (left, right) = self.split(at, key);
        let node = Node {
            entry,
            reach: reach.max(self.reach(left)).max(self.reach(right)),
            priority,
            left,
            right,
        };
        let new = match self.free.pop() {
            Some(free) => {
                self.nodes[free as usize] = node;
                free
            }
            None => {
                self.nodes.push(node);
                Index::try_from(self.nodes.len() - 1).expect("fewer than 2^32 ranges")
            }
        };
        self.hang(parent, is_left, new);
    }

    /// The same, out of the tree.
    fn uproot(&mut self, place: &Place) -> Option<usize> {
        let key = key(place);
        let end = place.range.end;
        let (mut parent, mut is_left) = (NIL, false);
        let mut at = self.root;
        let (left, right) = loop {
            let Some(node) = self.nodes.get(at as usize) else {
                self.above.clear();
                return None;
            };
            if node.key() == key {
                break (node.left, node.right);
            }
            // Those from the first one on that reaches no farther; all others do so for another's sake.
            if node.reach == end {
                self.above.push(at);
            }
            is_left = key < node.key();
            parent = at;
            at = if is_left { node.left } else { node.right };
        };
        let joined = self.join(left, right);
        self.hang(parent, is_left, joined);
        while let Some(above) = self.above.pop() {
            self.measure(above);
        }
        self.free.push(at);
        let gone = &mut self.nodes[at as usize];
        gone.reach = 0;
        Some(gone.entry.blocking)
    }

    fn hang(&mut self, parent: Index, is_left: bool, child: Index) {
        match self.nodes.get_mut(parent as usize) {
            None => self.root = child,
            Some(parent) if is_left => parent.left = child,
            Some(parent) => parent.right = child,
        }
    }

    /// Parts a tree in what comes before the key, and what comes behind.
    fn split(&mut self, at: Index, key: Key) -> (Index, Index) {
        let Some(node) = self.nodes.get(at as usize) else {
            return (NIL, NIL);
        };
        let (left, right) = (node.left, node.right);
        if node.key() < key {
            let (before, behind) = self.split(right, key);
            self.nodes[at as usize].right = before;
            self.measure(at);
            (at, behind)
        } else {
            let (before, behind) = self.split(left, key);
            self.nodes[at as usize].left = behind;
            self.measure(at);
            (before, at)
        }
    }

    /// Makes one tree of two, of which the first is before the other.
    fn join(&mut self, before: Index, behind: Index) -> Index {
        let (Some(first), Some(second)) = (
            self.nodes.get(before as usize),
            self.nodes.get(behind as usize),
        ) else {
            return before.min(behind);
        };
        if first.priority >= second.priority {
            let joined = self.join(first.right, behind);
            self.nodes[before as usize].right = joined;
            self.measure(before);
            before
        } else {
            let joined = self.join(before, second.left);
            self.nodes[behind as usize].left = joined;
            self.measure(behind);
            behind
        }
    }

    fn reach(&self, at: Index) -> u64 {
        self.nodes.get(at as usize).map_or(0, |node| node.reach)
    }

    /// How far a node reaches, by its children.
    fn measure(&mut self, at: Index) {
        let node = &self.nodes[at as usize];
        let below = self.reach(node.left).max(self.reach(node.right));
        let reach = node.entry.place.range.end.max(below);
        self.nodes[at as usize].reach = reach;
    }
}

fn overlapping(
    nodes: &mut [Node],
    mut at: Index,
    range: &Range<u64>,
    see: &mut impl FnMut(&mut Entry),
) {
    while let Some(node) = nodes.get_mut(at as usize)
        && range.start < node.reach
    {
        let (left, right) = (node.left, node.right);
        if range.end <= node.entry.place.range.start {
            at = left;
            continue;
        }
        if range.start < node.entry.place.range.end {
            see(&mut node.entry);
        }
        if nodes
            .get(left as usize)
            .is_some_and(|left| range.start < left.reach)
        {
            overlapping(nodes, left, range, see);
        }
        at = right;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::range::tree::Mode;

    fn entry(ticket: u64, range: Range<u64>) -> Entry {
        Entry {
            place: Place {
                ticket,
                range,
                mode: Mode::Read,
            },
            blocking: 0,
            passed: 0,
        }
    }

    /// Every node below, in order, and how far they reach.
    fn walk(of: &Intervals, at: Index, keys: &mut Vec<Key>) -> u64 {
        let Some(node) = of.nodes.get(at as usize) else {
            return 0;
        };
        for child in [node.left, node.right] {
            let child = of.nodes.get(child as usize);
            assert!(child.is_none_or(|child| child.priority <= node.priority));
        }
        let left = walk(of, node.left, keys);
        keys.push(node.key());
        let right = walk(of, node.right, keys);
        assert_eq!(node.reach, left.max(right).max(node.entry.place.range.end));
        node.reach
    }

    /// What keeps the tree shallow: the first number that SplitMix64 gives from 0, of a start, a ticket, or both.
    #[test]
    fn priorities_are_those_of_the_published_generator() {
        const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
        for key in [(GAMMA, 0), (0, 1), (GAMMA ^ GAMMA.wrapping_mul(2), 2)] {
            assert_eq!(priority(key), 0xe220_a839_7b1d_cdaf, "{key:x?}");
        }
    }

    #[test]
    fn nodes_are_in_order_know_how_far_the_ranges_below_go_and_are_used_again() {
        let mut intervals = Intervals::new();
        let mut there: Vec<Entry> = Vec::new();
        let mut most = 0;
        for ticket in 0..3000 {
            let random = priority((ticket, 1));
            // Grows to a hundred or two, and shrinks again.
            if random % 100 < if ticket < 1500 { 55 } else { 40 } || there.is_empty() {
                let start = (random >> 8) % 200;
                let new = entry(ticket, start..start + 1 + (random >> 32) % 40);
                intervals.insert(new.clone());
                there.push(new);
                most = most.max(there.len());
            } else {
                let gone = there.swap_remove((random >> 8) as usize % there.len());
                assert_eq!(intervals.remove(&gone.place), Some(0));
                assert_eq!(intervals.remove(&gone.place), None);
            }
            let mut keys = Vec::new();
            walk(&intervals, intervals.root, &mut keys);
            assert!(keys.is_sorted() && keys.len() + intervals.young.len() == there.len());
            assert_eq!(intervals.iter().count(), there.len());
        }
        assert!((4 * YOUNG..=most).contains(&intervals.nodes.len()));
    }
}
