//! The word of a lock that is biased to readers: how many are counted in it, and whether it is closed. Functions of a `u64`, which
//! `specs/range/RangeBias.tla` has as `open` and the size of `inside`.
//!
//! ```text
//! Enter:  closed?  ->  nothing, else count + 1
//! Leave:  count - 1                               it was the last, and the word is closed: Drain
//! Close:  closed                                  somebody is counted: the crowd goes into the tree
//! Open:   open
//! ```

/// The word is closed: readers go to the tree.
pub const CLOSED: u64 = 1;
/// One reader that is counted.
pub const ONE: u64 = 2;

/// `Enter`: one more, if the word is open. 2^63 readers do not fit, nor do they come.
#[inline]
pub const fn enter(word: u64) -> Option<u64> {
    if word & CLOSED != 0 {
        None
    } else {
        Some(word + ONE)
    }
}

/// `Leave`, by the word before [`ONE`] is subtracted: is it the last of a word that is closed?
#[inline]
pub const fn is_last(before: u64) -> bool {
    before == ONE | CLOSED
}

/// `Close`, if the word is open.
#[inline]
pub const fn close(word: u64) -> Option<u64> {
    if word & CLOSED != 0 {
        None
    } else {
        Some(word | CLOSED)
    }
}

/// `Close`, if the word is open and nobody is counted.
#[inline]
pub const fn close_empty(word: u64) -> Option<u64> {
    if word == 0 { Some(CLOSED) } else { None }
}

/// `Open`.
#[inline]
pub const fn open(word: u64) -> u64 {
    word & !CLOSED
}

/// Is anybody counted?
#[inline]
pub const fn is_crowded(word: u64) -> bool {
    word >= ONE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_counted_while_the_word_is_open_and_leaves_it_whenever_it_likes() {
        let crowd = enter(enter(0).expect("it is open")).expect("it is open");
        assert_eq!((crowd, is_crowded(crowd)), (2 * ONE, true));
        let closed = close(crowd).expect("it is open");
        assert_eq!((enter(closed), close(closed)), (None, None));
        assert_eq!(open(closed), crowd);
        assert!(!is_last(closed) && is_last(closed - ONE) && !is_last(ONE));
        assert!(is_crowded(closed) && !is_crowded(CLOSED));
        assert_eq!((close_empty(0), close_empty(crowd)), (Some(CLOSED), None));
    }
}
