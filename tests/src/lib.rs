//! What the tests of the reference against the specifications share.
