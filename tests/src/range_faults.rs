//! What a wait for a range that ends must not do, in the place of `Tree::interrupt`.

use interlock::range::tree::{Place, Tree};

/// Who gives up as it is granted its range goes without it.
pub fn lose_grant(tree: &mut Tree, place: &Place) -> Option<Vec<u64>> {
    tree.interrupt(place).or_else(|| Some(Vec::new()))
}

/// Who gives up lets nobody in.
pub fn leave_in_silence(tree: &mut Tree, place: &Place) -> Option<Vec<u64>> {
    tree.interrupt(place).map(|_| Vec::new())
}
