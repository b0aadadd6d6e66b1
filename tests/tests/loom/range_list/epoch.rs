//! Reclamation for loom: a node is freed as soon as the last pin is gone that was there when it was retired, and who looks at it then is
//! told. Its memory is kept until the schedule ends. As in crossbeam-epoch, to pin and to retire are fences: who pins after a node was
//! retired sees that it was unlinked. Apart from that, loom sees nothing of it: it switches threads only at its own operations.

use std::any::Any;
use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loom::sync::atomic::{Ordering, fence};

/// What is known of pins and nodes in this schedule.
#[derive(Default)]
pub struct Epochs {
    next: u64,
    pins: BTreeSet<u64>,
    /// Nodes that are retired, each with the first pin that came too late for it.
    retired: Vec<(usize, u64)>,
    freed: HashSet<usize>,
    memory: Vec<Arc<dyn Any + Send + Sync>>,
}

static EPOCHS: Mutex<Option<Epochs>> = Mutex::new(None);

fn epochs() -> MutexGuard<'static, Option<Epochs>> {
    EPOCHS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with<R>(act: impl FnOnce(&mut Epochs) -> R) -> R {
    act(epochs().get_or_insert_default())
}

/// A schedule ends: its memory, and how many of its nodes were freed.
///
/// # Panics
/// If a node that was retired has another count.
pub fn end() -> (Epochs, usize) {
    let epochs = epochs().take().unwrap_or_default();
    let counts = epochs.memory.iter().map(Arc::strong_count);
    assert_eq!(counts.max().unwrap_or(1), 1, "a node is never freed");
    let freed = epochs.freed.len();
    (epochs, freed)
}

/// A new pin.
pub fn pin() -> u64 {
    let pin = with(|epochs| {
        epochs.next += 1;
        epochs.pins.insert(epochs.next);
        epochs.next
    });
    fence(Ordering::SeqCst);
    pin
}

/// The pin is gone.
pub fn unpin(pin: u64) {
    with(|epochs| {
        epochs.pins.remove(&pin);
        free(epochs);
    });
}

/// The node is freed when all pins are gone that are there now, or `at_once`.
pub fn retire<T: Send + Sync + 'static>(node: Arc<T>, at_once: bool) {
    fence(Ordering::SeqCst);
    with(|epochs| {
        let late = if at_once { 0 } else { epochs.next + 1 };
        let address = Arc::as_ptr(&node).addr();
        let retires = |(other, _): &(usize, u64)| *other == address;
        let twice = epochs.freed.contains(&address) || epochs.retired.iter().any(retires);
        assert!(!twice, "a node is retired twice");
        epochs.retired.push((address, late));
        epochs.memory.push(node);
        free(epochs);
    });
}

fn free(epochs: &mut Epochs) {
    let first = epochs.pins.first().copied().unwrap_or(u64::MAX);
    let Epochs { retired, freed, .. } = epochs;
    retired.retain(|&(node, late)| {
        let is_kept = late > first;
        if !is_kept {
            freed.insert(node);
        }
        is_kept
    });
}

/// # Panics
/// If the node is freed.
pub fn look(node: usize) {
    // The lock is given back before the panic.
    let is_freed = with(|epochs| epochs.freed.contains(&node));
    assert!(!is_freed, "a node is looked at that has been freed");
}
