//! States that are not a machine's: nothing is enabled in them.

use std::fmt::Debug;

/// Where a state is not the machine's, and what makes it so.
pub type Foreign<S> = (&'static str, fn(&mut S));

/// Asserts that in none of these an action is offered.
///
/// # Panics
/// If one is, or if none is offered in the machine's `own` state either.
#[track_caller]
pub fn assert_refused<S: Clone, A: Debug + PartialEq>(
    own: &S,
    places: &[Foreign<S>],
    offered: impl Fn(&S) -> Vec<A>,
) {
    assert_ne!(offered(own), [], "the machine's own state");
    for (what, puts) in places {
        let mut state = own.clone();
        puts(&mut state);
        assert_eq!(offered(&state), [], "{what}");
    }
}
