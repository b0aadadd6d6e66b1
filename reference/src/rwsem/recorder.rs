//! A probe that records what a lock does, for `interlock validate`.

use interlock_rwlock::layout::Layout;
use interlock_rwlock::probe::Probe;
use interlock_rwlock::word::{Action, Counts, WordOf};

use crate::trace::{Head, Recording, Step};

/// Records the steps of a lock.
#[derive(Debug, Default)]
pub struct Recorder {
    recording: Recording<(Action, Counts)>,
}

impl Recorder {
    /// An empty record.
    pub fn new() -> Recorder {
        Recorder::default()
    }

    /// An empty record, of threads that `me` tells apart.
    pub fn of(me: fn() -> usize) -> Recorder {
        Recorder {
            recording: Recording::of(me),
        }
    }

    /// The current thread's steps are those of the task `task` from now on.
    pub fn join(&self, task: &str) {
        self.recording.join(task);
    }

    /// The current thread is about to use the lock: its next step is not taken before this. Without it the record says less.
    pub fn about(&self) {
        self.recording.before();
    }

    /// The record as a trace of `Rwsem`, with `source` for people. The readers are those of `tasks` that begin with `r`, the
    /// writers those that begin with `w`, who may all downgrade.
    pub fn to_text(&self, source: &str, tasks: &[&str]) -> String {
        let of = |kind: char| {
            let names = tasks.iter().copied().filter(|task| task.starts_with(kind));
            format!("{{{}}}", names.collect::<Vec<_>>().join(", "))
        };
        let head = Head {
            module: "Rwsem",
            source,
            constants: &[
                ("Readers", of('r')),
                ("Writers", of('w')),
                ("Downgraders", of('w')),
                ("Policy", "<- BatchQueue".into()),
            ],
        };
        self.recording.write(&head, |task, (action, after)| {
            let holders = after.active + u32::from(after.writer);
            let queued = after.ahead + after.readers + after.behind;
            Step {
                action: name(*action),
                args: vec![task.to_owned()],
                sees: vec![
                    ("holders".into(), holders.to_string()),
                    ("queued".into(), queued.to_string()),
                ],
            }
        })
    }
}

fn name(action: Action) -> &'static str {
    match action {
        Action::Enter(_) => "Enter",
        Action::Queue(_) => "Queue",
        Action::Release(_) => "Release",
        Action::Downgrade => "Downgrade",
        Action::Wake => "Wake",
        Action::Rouse => "Rouse",
        Action::Take => "Take",
        Action::Miss => "Miss",
    }
}

impl<L: Layout> Probe<L> for Recorder {
    fn step(&self, _before: WordOf<L>, action: Action, after: WordOf<L>) {
        self.recording.after((action, after.counts()));
    }
}
