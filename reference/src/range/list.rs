//! A lock of ranges without a mutex around it: `specs/range/RangeList.tla` in threads.
//!
//! The ranges that are held are a list, sorted by their first cells. One is inserted by a compare-and-swap, released by a mark in its
//! own node, and unlinked by whoever walks past. A call costs a step for each range that begins before its own. There is no order
//! among those that wait, so that a range may starve: [`RangeLock`](super::lock::RangeLock) is the lock to use, this one is what it is
//! compared with. As [`RangeList::new`] makes it, it is that of Kogan, Dice and Issa; [`Policy`] has FreeBSD's, and controls.
//!
//! Who waits spins for a while, and sleeps then, at the node that it has met or among the list's sleepers. It keeps no node but that
//! one, and walks again from where its walk began.
//!
//! Left out: calls that do not wait, waits that end, and recursion (who holds a range and asks for one that conflicts with it waits for
//! itself). A holder that panics releases its range as its guard is dropped.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::gate::Gate;
use super::list_patience::{Auxiliary, Turn};
use super::list_policy::{Ask, OnConflict, Place, Policy};
use super::list_sys::{Link, ListSys, Pin};
use super::sys::{Guarded, StdSys};
use super::tree::Mode;

/// A lock of ranges that is a list of them. See the [module](self) for what it guarantees.
///
/// As [`RangeList::new`] makes it, it keeps `specs/range/RangeList.tla#Exclusion`, and not `specs/range/RangeList.tla#EachGetsIn`.
///
/// ```
/// use interlock::range::list::RangeList;
///
/// let file = RangeList::new();
/// let written = file.write(0..4096);
/// let beside = file.read(4096..8192);
/// drop(written);
/// let read = file.read(0..8192);
/// # drop((beside, read));
/// ```
pub struct RangeList<S: ListSys = StdSys> {
    policy: Policy,
    head: S::Link<Node<S>>,
    /// Who sleeps until somebody marks a node.
    sleepers: S::Guarded<Vec<Arc<Gate<S>>>>,
    auxiliary: Auxiliary<S>,
}

/// A range. The list has a count of it from when it is inserted until it is unlinked; who holds the range or waits for it has one too.
struct Node<S: ListSys> {
    ask: Ask,
    /// The node behind it, and its mark.
    next: S::Link<Node<S>>,
    /// Where others wait for its mark.
    released: Gate<S>,
}

impl<S: ListSys> Node<S> {
    fn is_marked(&self) -> bool {
        is_marked(self.next.load())
    }

    /// Marks it, and wakes those that wait there.
    fn release(&self) {
        self.next.mark();
        self.released.open();
    }
}

fn is_marked<T>(pointer: *mut T) -> bool {
    pointer.addr() & 1 != 0
}

fn without_mark<T>(pointer: *mut T) -> *mut T {
    pointer.map_addr(|address| address & !1)
}

/// What a try is at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It looks for its place.
    Insert,
    /// It is in the list, and looks for conflicts once more.
    Validate,
}

impl RangeList {
    /// A lock of which nothing is held, as Kogan, Dice and Issa have it.
    pub fn new() -> Self {
        RangeList::with(Policy::LIST_RW)
    }
}

impl Default for RangeList {
    fn default() -> Self {
        RangeList::new()
    }
}

impl<S: ListSys> RangeList<S> {
    /// A lock of this design.
    pub fn with(policy: Policy) -> Self {
        RangeList {
            policy,
            head: S::Link::new(),
            sleepers: S::Guarded::new(Vec::new()),
            auxiliary: Auxiliary::new(policy.patience),
        }
    }

    /// Locks a range for reading, and waits for it if need be.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn read(&self, range: Range<u64>) -> ListGuard<'_, S> {
        self.lock((range, Mode::Read))
    }

    /// Locks a range for writing, and waits for it if need be.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn write(&self, range: Range<u64>) -> ListGuard<'_, S> {
        self.lock((range, Mode::Write))
    }

    fn lock(&self, ask: Ask) -> ListGuard<'_, S> {
        assert!(
            !ask.0.is_empty(),
            "{:?} is empty: there is nothing to lock",
            ask.0
        );
        let mut turn = Turn::default();
        loop {
            self.auxiliary.begin(&turn);
            let node = Arc::new(Node {
                ask: ask.clone(),
                next: S::Link::new(),
                released: Gate::new(),
            });
            if self.has_got_in(&node, &mut turn) {
                self.auxiliary.enter(turn);
                return ListGuard { list: self, node };
            }
        }
    }

    /// A try. If it fails, the node is not in the list, or marked.
    fn has_got_in(&self, own: &Arc<Node<S>>, turn: &mut Turn<S>) -> bool {
        let mut stage = Stage::Insert;
        while let Some(met) = self.walk(own, &mut stage, turn) {
            let acts = match stage {
                Stage::Insert => self.policy.sleeps,
                Stage::Validate => self.policy.on_conflict(own.ask.1) == OnConflict::Retreat,
            };
            if !acts {
                met.released.wait(None);
                continue;
            }
            let retreats = (stage == Stage::Validate).then_some(&**own);
            if self.policy.sleeps {
                if !self.has_slept(&met, retreats) {
                    continue;
                }
            } else if let Some(own) = retreats {
                own.release();
            }
            if retreats.is_some() {
                self.auxiliary.lose(turn);
            }
            return false;
        }
        true
    }

    /// `Sleep`, and `Retreat` of one that is in the list: sleeps until somebody marks a node, unless the node that it has met is
    /// marked by now.
    fn has_slept(&self, met: &Node<S>, retreats: Option<&Node<S>>) -> bool {
        let gates = self.sleepers.with(|sleepers| {
            if self.policy.rechecks && met.is_marked() {
                return None;
            }
            let woken = retreats.map(|own| {
                own.release();
                std::mem::take(sleepers)
            });
            let gate = Arc::new(Gate::new());
            sleepers.push(Arc::clone(&gate));
            Some((gate, woken.unwrap_or_default()))
        });
        let Some((gate, woken)) = gates else {
            return false;
        };
        woken.iter().for_each(|gate| gate.open());
        gate.wait(None);
        true
    }

    /// `Unlock`.
    fn unlock(&self, node: &Node<S>) {
        if !self.policy.sleeps {
            return node.release();
        }
        let woken = self.sleepers.with(|sleepers| {
            node.release();
            std::mem::take(sleepers)
        });
        woken.iter().for_each(|gate| gate.open());
    }

    /// Walks until the range is held, or one is met that conflicts.
    fn walk(
        &self,
        own: &Arc<Node<S>>,
        stage: &mut Stage,
        turn: &mut Turn<S>,
    ) -> Option<Arc<Node<S>>> {
        let pin = S::Pin::pin();
        let first = |stage| match (stage, own.ask.1) {
            (Stage::Validate, Mode::Read) => &own.next,
            _ => &self.head,
        };
        let mut prev = first(*stage);
        let mut cur = without_mark(prev.load());
        loop {
            // SAFETY: it was read under the pin, from the head, from a node that could be reached then, or from the own one, which is
            // in the list as long as it has no mark.
            let node = (!cur.is_null()).then(|| unsafe { pin.node(cur) });
            let next = node.map_or(std::ptr::null_mut(), |node| node.next.load());
            if is_marked(next) {
                let next = without_mark(next);
                if prev.replace(cur, next).is_ok() {
                    // SAFETY: this is the list's count. `prev` had no mark, so that it was in the list and the one link there that
                    // led to `cur`; `cur` has a mark, so that it is not inserted again.
                    pin.retire(unsafe { Arc::from_raw(cur) });
                    cur = next;
                } else {
                    self.auxiliary.lose(turn);
                    prev = first(*stage);
                    cur = without_mark(prev.load());
                }
                continue;
            }
            let ask = node.map(|node| &node.ask);
            let place = match *stage {
                Stage::Insert => self.policy.place(ask, &own.ask),
                Stage::Validate => {
                    let is_own = std::ptr::eq(cur, Arc::as_ptr(own));
                    self.policy.place_inside(ask, is_own, &own.ask)
                }
            };
            match (place, node, *stage) {
                (Place::Before, Some(node), _) => (prev, cur) = (&node.next, next),
                (Place::Conflict, Some(_), _) => {
                    // SAFETY: the list's count keeps it as long as the pin is there.
                    unsafe { Arc::increment_strong_count(cur) };
                    // SAFETY: this is the count that was just added.
                    return Some(unsafe { Arc::from_raw(cur) });
                }
                (_, _, Stage::Validate) => return None,
                (_, _, Stage::Insert) => {
                    own.next.store(cur);
                    match prev.replace(cur, Arc::as_ptr(own).cast_mut()) {
                        Ok(()) => {
                            // The list's count. Nobody unlinks the node before it has a mark.
                            let _ = Arc::into_raw(Arc::clone(own));
                            if !self.policy.validates(own.ask.1) {
                                return None;
                            }
                            // Of two that insert and validate, one sees the other.
                            S::fence();
                            *stage = Stage::Validate;
                            prev = first(*stage);
                            cur = without_mark(prev.load());
                        }
                        Err(now) => {
                            self.auxiliary.lose(turn);
                            if is_marked(now) {
                                prev = first(*stage);
                                cur = without_mark(prev.load());
                            } else {
                                cur = now;
                            }
                        }
                    }
                }
            }
        }
    }
}

impl<S: ListSys> Drop for RangeList<S> {
    fn drop(&mut self) {
        let mut cur = without_mark(self.head.load());
        while !cur.is_null() {
            // SAFETY: the list's count of what is linked, which nobody else has: `self` is exclusive, so that no guard and no walk is
            // left.
            let node = unsafe { Arc::from_raw(cur) };
            cur = without_mark(node.next.load());
        }
    }
}

/// A range that is held, until this is dropped.
#[must_use = "the range is released at once"]
pub struct ListGuard<'a, S: ListSys = StdSys> {
    list: &'a RangeList<S>,
    node: Arc<Node<S>>,
}

impl<S: ListSys> ListGuard<'_, S> {
    /// The range.
    pub fn range(&self) -> Range<u64> {
        self.node.ask.0.clone()
    }

    /// What it is held for.
    pub fn mode(&self) -> Mode {
        self.node.ask.1
    }
}

impl<S: ListSys> Drop for ListGuard<'_, S> {
    fn drop(&mut self) {
        self.list.unlock(&self.node);
    }
}

impl<S: ListSys> fmt::Debug for ListGuard<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {:?}", self.mode(), self.node.ask.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_list_goes_with_it() {
        let list: RangeList = RangeList::new();
        let guard = list.write(0..1);
        let node = Arc::downgrade(&guard.node);
        drop(guard);
        assert!(node.upgrade().is_some(), "it is unlinked by who comes next");
        drop(list);
        assert!(node.upgrade().is_none());
    }
}
