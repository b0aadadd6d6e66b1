//! A probe that records what the tasks of a journal do, for `interlock validate`.

use super::machine::{Credits, Machine, Pc, Task};
use super::numbers::Numbers;
use super::policy::Policy;
use super::probe::{Probe, Step, Who};
use crate::trace::{self, Head, Recording};

/// Records the steps of a journal's tasks and of its commits.
#[derive(Debug, Default)]
pub struct Recorder {
    recording: Recording<(Step, Seen)>,
}

/// Of the numbers that a step has left, those that a trace shows.
#[derive(Debug)]
struct Seen {
    free: Credits,
    reserved: Credits,
    out: Credits,
    updates: u32,
}

impl Recorder {
    /// An empty record.
    pub fn new() -> Recorder {
        Recorder::default()
    }

    /// The record as a trace of `Jbd2Credits`, with `source` for people: of a journal of the machine's policy and sizes, whose
    /// handles have the sizes of its load. `task` says who is which of its tasks; these are p1, p2, ..., w1, w2, ..., and the
    /// workers of the latter.
    ///
    /// A step that is no action of the specification leaves no event. What comes after one that has changed a number is no
    /// behaviour: a trace of a journal that was aborted from outside, or whose reservations were freed, is refused.
    ///
    /// # Panics
    ///
    /// If the machine's policy is none of [`Policy::NAMED`].
    pub fn to_text(&self, source: &str, machine: &Machine, task: impl Fn(Who) -> Task) -> String {
        let head = Head {
            module: "Jbd2Credits",
            source,
            constants: &constants(machine),
        };
        self.recording
            .write(&head, |_, (step, seen)| event(*step, seen, &task))
    }
}

impl Probe for Recorder {
    fn about(&self, _: Option<Who>) {
        self.recording.before();
    }

    fn step(&self, step: Step, now: &Numbers) {
        let seen = Seen {
            free: now.free,
            reserved: now.reserved,
            out: now.running.out,
            updates: now.running.updates,
        };
        self.recording.after((step, seen));
    }
}

fn constants(machine: &Machine) -> [(&'static str, String); 15] {
    let Machine {
        policy,
        sizes,
        load,
    } = machine;
    let named = Policy::NAMED.iter().find(|(_, named)| named == policy);
    let (policy, _) = named.expect("a policy that has a name");
    let names = |tasks: usize, task: fn(usize) -> Task| {
        let names: Vec<String> = (0..tasks).map(|number| name(task(number))).collect();
        format!("{{{}}}", names.join(", "))
    };
    [
        ("Policy", format!("<- {policy}")),
        ("Plain", names(load.plain, Task::Plain)),
        ("Pages", names(load.pages, Task::Pages)),
        ("Cost", load.cost.to_string()),
        ("Uses", load.uses.to_string()),
        ("Extra", load.extra.to_string()),
        ("ConvertExtra", load.convert_extra.to_string()),
        ("PageCost", load.page_cost.to_string()),
        ("PageUses", load.page_uses.to_string()),
        ("Reserve", load.reserve.to_string()),
        ("ConvertUses", load.convert_uses.to_string()),
        ("Log", sizes.log.to_string()),
        ("Max", sizes.max.to_string()),
        ("Overhead", sizes.overhead.to_string()),
        ("Slack", sizes.slack.to_string()),
    ]
}

/// The task, as TLA+ writes it.
fn name(task: Task) -> String {
    match task {
        Task::Plain(p) => format!("p{}", p + 1),
        Task::Pages(w) => format!("w{}", w + 1),
        Task::Worker(w) => format!("<<\"kworker\", w{}>>", w + 1),
    }
}

/// The step as the specification has it; none if it has no such action.
fn event(step: Step, seen: &Seen, task: impl Fn(Who) -> Task) -> Option<trace::Step> {
    let (action, who, does) = match step {
        Step::Start { who, .. } | Step::StartReserved { who, .. } => ("Start", Some(who), None),
        Step::Try(who, pc) => ("Try", Some(who), Some(pc)),
        Step::Fail(who) => ("Fail", Some(who), Some(Pc::Undo)),
        Step::Undo(who) => ("Undo", Some(who), Some(Pc::WaitReserved)),
        Step::Look(who) => ("Look", Some(who), Some(Pc::Try)),
        Step::Refuse(who) => ("Refuse", Some(who), Some(Pc::Refused)),
        Step::TryReserved(who, pc) => ("TryReserved", Some(who), Some(pc)),
        Step::Extend { who, granted, .. } => {
            let pc = if granted { Pc::Extended } else { Pc::Denied };
            ("Extend", Some(who), Some(pc))
        }
        Step::Restart { who, .. } => ("Restart", Some(who), None),
        Step::Stop(who) => ("Stop", Some(who), None),
        Step::Submit(who) => ("Submit", Some(who), None),
        Step::Unreserve(who) => ("Unreserve", Some(who), None),
        Step::Convert(who) => ("Convert", Some(who), None),
        Step::LockCheckpoint(who) => ("LockCheckpoint", Some(who), None),
        Step::MakeSpace(who, pc) => ("MakeSpace", Some(who), Some(pc)),
        Step::FindNewer(who) => ("FindNewer", Some(who), None),
        Step::FindCommitting(who) => ("FindCommitting", Some(who), None),
        Step::AskCommit => ("AskCommit", None, None),
        Step::CommitLock => ("CommitLock", None, None),
        Step::CommitSwitch => ("CommitSwitch", None, None),
        Step::CommitFlush => ("CommitFlush", None, None),
        Step::CommitWrite => ("CommitWrite", None, None),
        Step::CommitEnd => ("CommitEnd", None, None),
        Step::FreeReserved(_) | Step::CheckpointFails(_) | Step::Abort | Step::Close => {
            return None;
        }
    };
    let who = who.map(|who| name(task(who)));
    let numbers = [
        ("free", seen.free.to_string()),
        ("reserved", seen.reserved.to_string()),
        ("out", seen.out.to_string()),
        ("updates", seen.updates.to_string()),
    ];
    let numbers = numbers.map(|(name, number)| (name.to_owned(), number));
    let does = who.clone().zip(does.map(|pc| format!("\"{}\"", pc.name())));
    Some(trace::Step {
        action,
        args: who.into_iter().collect(),
        sees: numbers.into_iter().chain(does).collect(),
    })
}
