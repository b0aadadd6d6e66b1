//! What ThreadSanitizer watches (`make tsan`): threads on each lock, the file, the journal and the flusher, as fast as they can. The
//! same on a system that orders nothing is what it must report, or it has seen nothing.
//!
//! ```text
//! threads SUBJECT ordered|racy
//! threads                         the subjects' names
//! ```

mod racy;
mod subjects;

use std::process::ExitCode;

use self::racy::Racy;
use interlock_rwlock::queued;

/// One that is watched, on the published system, and on one that orders nothing.
type Subject = (&'static str, fn(), fn());

const SUBJECTS: [Subject; 7] = [
    (
        "rwlock",
        subjects::rwlock::<interlock_rwlock::sys::StdSys>,
        subjects::rwlock::<Racy>,
    ),
    (
        "queued",
        subjects::queued::<queued::sys::StdSys>,
        subjects::queued::<Racy>,
    ),
    (
        "ranges",
        subjects::ranges::<interlock::range::sys::StdSys>,
        subjects::ranges::<Racy>,
    ),
    (
        "list",
        subjects::list::<interlock::range::sys::StdSys>,
        subjects::list::<Racy>,
    ),
    (
        "file",
        subjects::file::<interlock::sys::StdSys>,
        subjects::file::<Racy>,
    ),
    (
        "journal",
        subjects::journal::<interlock::sys::StdSys>,
        subjects::journal::<Racy>,
    ),
    (
        "flusher",
        subjects::flusher::<interlock::sys::StdSys>,
        subjects::flusher::<Racy>,
    ),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let find = |name| SUBJECTS.iter().find(|subject| subject.0 == name);
    match args[..] {
        [] => SUBJECTS.iter().for_each(|(name, ..)| println!("{name}")),
        [name, order @ ("ordered" | "racy")] if find(name).is_some() => {
            let (_, ordered, racy) = find(name).expect("it is there");
            match order {
                "ordered" => ordered(),
                _ => racy(),
            }
        }
        _ => {
            eprintln!("usage: threads [SUBJECT ordered|racy]; without arguments it lists subjects");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
