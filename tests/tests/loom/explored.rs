//! Every schedule of a model, run by loom, and each path of them judged: schedules whose logs are alike are one path.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// What an exploration was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Figures {
    pub iterations: usize,
    pub paths: usize,
}

/// What the table of a head says of a model with this bound, behind its name and the bound.
///
/// # Panics
/// If it says nothing.
pub fn figures_of(head: &str, name: &str, preemptions: Option<usize>) -> Figures {
    let bound = preemptions.map_or("none".to_owned(), |bound| bound.to_string());
    let rows = head.lines().filter_map(|line| line.strip_prefix("//! |"));
    let mut rows = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    let row = rows.find(|row| row[0] == name && row[1] == bound);
    let number = |text: &str| text.replace(' ', "").parse().ok();
    let figures = row.as_ref().and_then(|row| {
        Some(Figures {
            iterations: number(row[2])?,
            paths: number(row[3])?,
        })
    });
    figures.unwrap_or_else(|| panic!("the head has no figures of {name}, bound {bound}"))
}

/// The hashes of what was seen.
#[derive(Default)]
pub struct Seen(HashSet<u64>);

impl Seen {
    /// Nothing like it was seen before.
    pub fn is_new(&mut self, value: &impl Hash) -> bool {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        self.0.insert(hasher.finish())
    }
}

/// Runs every schedule with at most `preemptions` preemptions, all if `None`. `run` is one execution; it returns its log, and what
/// else it has left. `judge` gets these of each path, and what it has found in others; it does nothing that loom schedules, which
/// would be done in some executions alone.
pub fn explore<L: Hash, E, F: Default + Send + 'static>(
    name: &str,
    preemptions: Option<usize>,
    run: impl Fn() -> (L, E) + Send + Sync + 'static,
    judge: impl Fn(L, &E, &mut F) + Send + Sync + 'static,
) -> (Figures, F) {
    let known = Arc::new(Mutex::new((0, Seen::default(), F::default())));
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    let began = Instant::now();
    {
        let known = known.clone();
        builder.check(move || {
            // The end goes last: what it drops may be threads, which loom runs on.
            let (log, end) = run();
            let (iterations, seen, found) = &mut *known.lock().expect("no check has failed before");
            *iterations += 1;
            if seen.is_new(&log) {
                judge(log, &end, found);
            }
        });
    }
    let (iterations, Seen(paths), found) =
        std::mem::take(&mut *known.lock().expect("no check has failed"));
    let paths = paths.len();
    let figures = Figures { iterations, paths };
    let seconds = began.elapsed().as_secs_f64();
    println!("{name}: bound {preemptions:?}, {figures:?} in {seconds:.1} s");
    (figures, found)
}

/// Keeps which of `sights` one is.
pub fn look<S: Copy + PartialEq>(sights: &[S], is: impl Fn(&S) -> bool, shown: &mut Vec<S>) {
    let seen = |sight: &&S| !shown.contains(sight) && is(sight);
    let seen: Vec<S> = sights.iter().filter(seen).copied().collect();
    shown.extend(seen);
}

/// Some path must have shown each of `sights`.
pub fn assert_shown<S: PartialEq + Debug>(name: &str, sights: &[S], shown: &[S]) {
    for sight in sights {
        assert!(shown.contains(sight), "{name}: no path shows {sight:?}");
    }
}
