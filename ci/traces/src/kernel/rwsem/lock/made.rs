//! The trace of the specification that a lock's events are.

use std::collections::BTreeMap;

use super::super::Inode;
use super::Lock;
use super::unseen::WRITER;
use crate::kernel::Source;
use crate::recording::{self, Head, Trace};

/// What leaves no event.
const SILENT: [&str; 6] = [
    "Spin",
    "Sleep",
    "DowngradeWake",
    "Wake",
    "SkipWake",
    "Expire",
];

impl Lock {
    /// The trace of what has happened.
    pub(in super::super) fn into_trace(mut self, source: &Source, (dev, ino): &Inode) -> Trace {
        self.waited_before();
        self.wait_to_the_end();
        // As the file has them; a thread's own are in this order.
        self.events.sort_by_key(|event| event.to);
        let writer = self.name(WRITER);
        let of = |kind: char| {
            let args = self.events.iter().filter_map(|event| event.args.first());
            let unseen = self.unseen.then_some(&writer);
            let mut names: Vec<&str> = args.chain(unseen).map(String::as_str).collect();
            names.retain(|name| name.starts_with(kind));
            names.sort_unstable();
            names.dedup();
            format!("{{{}}}", names.join(", "))
        };
        let policy = source.judged.constants.get("rwsem");
        let constants = [
            ("Readers", of('r')),
            ("Writers", of('w')),
            ("Downgraders", of('w')),
            (
                "Policy",
                format!("<- {}", policy.map_or("", String::as_str)),
            ),
        ];
        let tasks: BTreeMap<usize, u32> =
            self.numbers.iter().map(|(task, n)| (*n, *task)).collect();
        let tasks: Vec<String> = tasks
            .iter()
            .map(|(n, task)| format!("t{n} is {task}"))
            .collect();
        // What was done before the trace is told with its first line.
        let first = self.events.iter().find(|event| event.to > 0);
        let first = first.map_or(1, |event| event.to as usize);
        let lines = self.events.iter().map(|event| first.max(event.to as usize));
        let lines: Vec<usize> = lines.collect();
        let known = self.known.map(|line| line.max(self.strange).max(first));
        Trace {
            head: Head {
                trace: recording::VERSION,
                module: "Rwsem".into(),
                source: format!(
                    "Linux {}, the IOLOCK of dev {dev} ino {ino:#x}; {}",
                    source.family.kernel,
                    tasks.join(", ")
                ),
                constants: constants.map(|(name, is)| (name.into(), is)).into(),
                silent: [SILENT.map(str::to_owned).into(), self.unseen_steps()].concat(),
            },
            file: source.file.clone(),
            line: lines.first().copied().unwrap_or_default(),
            lines,
            known: known.filter(|_| self.known > Some(0)),
            events: self.events,
        }
    }
}
