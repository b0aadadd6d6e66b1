//! What a recording says of threads that one thread plays: whose steps they are, and between which times each was taken.

use std::cell::Cell;

use interlock::trace::{Head, Recording, Step};

thread_local! {
    /// Whom this thread plays.
    static PLAYS: Cell<usize> = const { Cell::new(0) };
}

const HEAD: Head = Head {
    module: "M",
    source: "a \"test\"\n",
    constants: &[],
};

/// The lines of the record but the first; the step `None` is left out.
fn lines(recording: &Recording<Option<u8>>) -> Vec<String> {
    let text = recording.write(&HEAD, |thread, event| {
        event.map(|number| Step {
            action: "Acts",
            args: vec![thread.to_owned(), number.to_string()],
            sees: vec![("pc".to_owned(), "\\".to_owned())],
        })
    });
    text.lines().map(str::to_owned).collect()
}

fn line(thread: &str, from: u64, to: u64, number: u8) -> String {
    format!(
        r#"{{"thread":"{thread}","from":{from},"to":{to},"action":"Acts","args":["{thread}","{number}"],"sees":{{"pc":"\\"}}}}"#
    )
}

#[test]
fn a_step_is_taken_between_the_last_one_and_its_end() {
    let recording = Recording::of(|| PLAYS.get());
    for (plays, number) in [(1, 1), (2, 2), (1, 3), (2, 4)] {
        PLAYS.set(plays);
        recording.after(Some(number));
    }
    recording.after(None);
    assert_eq!(
        lines(&recording),
        [
            r#"{"trace":1,"module":"M","source":"a \"test\"\u000a","constants":{}}"#,
            &line("t1", 1, 1, 1),
            &line("t1", 2, 3, 3),
            &line("t2", 1, 2, 2),
            &line("t2", 3, 4, 4),
            r#"{"events":4}"#,
        ]
    );
}

/// What is over when it is about to take it was before it.
#[test]
fn who_tells_when_it_begins_is_known_better() {
    let recording = Recording::of(|| PLAYS.get());
    PLAYS.set(1);
    recording.after(Some(1));
    recording.after(Some(2));
    PLAYS.set(2);
    recording.before();
    recording.after(Some(3));
    PLAYS.set(3);
    recording.join("late");
    recording.after(Some(4));
    recording.before();
    recording.after(Some(5));
    assert_eq!(
        lines(&recording)[1..],
        [
            line("t1", 1, 1, 1),
            line("t1", 2, 2, 2),
            line("t2", 3, 3, 3),
            line("late", 4, 4, 4),
            line("late", 5, 5, 5),
            r#"{"events":5}"#.to_owned(),
        ]
    );
}

/// A thread that joins anew has a strand of its own from then on.
#[test]
fn a_thread_that_joins_has_its_name() {
    let recording = Recording::new();
    recording.after(Some(1));
    recording.join("second");
    recording.after(Some(2));
    let expected = [line("t1", 1, 1, 1), line("second", 2, 2, 2)];
    assert_eq!(lines(&recording)[1..3], expected);
}
