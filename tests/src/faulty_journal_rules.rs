//! Wrong rules of a journal, each of which the tests must find.

use interlock::jbd2::machine::Credits;
use interlock::jbd2::numbers::Numbers;
use interlock::jbd2::policy::Policy;
use interlock::jbd2::rules::{Event, HandOver, Queue, Release, Rules};

/// The rules that hand credits over, but for one.
macro_rules! fault {
    ($(#[$doc:meta])* $name:ident, $($rule:tt)*) => {
        $(#[$doc])*
        pub struct $name;

        impl Rules for $name {
            const POLICY: Policy = Policy::HAND_OVER;

            fn wakes(release: &Release<'_>) -> Vec<usize> {
                HandOver::wakes(release)
            }

            $($rule)*
        }
    };
}

fault! {
    /// A commit wakes nobody.
    CommitsInSilence,
    fn woken_by(event: Event) -> &'static [Queue] {
        match event {
            Event::Flushed | Event::Ended => &[],
            Event::Asked | Event::Stopped | Event::Over => event.wakes(),
        }
    }
}

fault! {
    /// An abort wakes nobody.
    AbortsInSilence,
    fn woken_by(event: Event) -> &'static [Queue] {
        match event {
            Event::Over => &[],
            Event::Asked | Event::Stopped | Event::Flushed | Event::Ended => event.wakes(),
        }
    }
}

fault! {
    /// A start that fails a test leaves its credits behind.
    LeaksCredits,
    fn undo(_: &mut Numbers, _: Credits, _: Credits) {}
}

fault! {
    /// Revokes are forgotten.
    ForgetsRevokes,
    fn revokes(_: Vec<u64>) -> Vec<u64> {
        Vec::new()
    }
}

fault! {
    /// A commit record is written before what it commits is durable.
    RecordsTooEarly,
    fn commit<E>(
        write: impl FnOnce() -> Result<(), E>,
        write_record: impl FnOnce() -> Result<(), E>,
        flush: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        write()?;
        write_record()?;
        flush()
    }
}

fault! {
    /// A commit ends before its record is durable.
    EndsTooEarly,
    fn commit<E>(
        write: impl FnOnce() -> Result<(), E>,
        write_record: impl FnOnce() -> Result<(), E>,
        flush: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        write()?;
        flush()?;
        write_record()
    }
}

fault! {
    /// The log begins behind a transaction before that is at home.
    MovesTailTooEarly,
    fn checkpoint<E>(
        write_home: impl FnOnce() -> Result<(), E>,
        flush: impl FnOnce() -> Result<(), E>,
        update_tail: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        update_tail()?;
        write_home()?;
        flush()
    }
}

fault! {
    /// A checkpoint does not let go of those who are to revoke its blocks.
    WritesHomeInSilence,
    fn written_home(_: impl FnOnce()) {}
}
