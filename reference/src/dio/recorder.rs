//! A probe that records what the requests of a file do, for `interlock validate`.

use std::sync::{Mutex, PoisonError};

use super::file::Layout;
use super::machine::{Action, Bio, Call, Extent, Kind, Mode, Part, Request};
use super::policy::Policy;
use super::probe::{Probe, Seen, Side};
use crate::trace::{Head, Recording, Step};

/// Records the steps of a file's requests.
#[derive(Debug, Default)]
pub struct Recorder {
    recording: Recording<(Action, Saw)>,
    calls: Mutex<Vec<Call>>,
}

/// [`Seen`], kept.
#[derive(Debug)]
enum Saw {
    Nothing,
    Held(Mode),
    File(Vec<Extent>, u32, u32),
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
            ..Recorder::default()
        }
    }

    /// The record as a trace of `UnalignedDio`, with `source` for people: of a file that was opened with this layout, to be
    /// judged by this design. The requests are `r1`, `r2`, ... in the order of what they do, so that two records of the same calls
    /// have the same head.
    ///
    /// # Panics
    ///
    /// If the policy is none of [`Policy::NAMED`].
    pub fn to_text(&self, source: &str, policy: Policy, layout: &Layout) -> String {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sorted: Vec<Request> = (0..calls.len()).collect();
        sorted.sort_by_key(|&request| (calls[request], request));
        let mut names = vec![0; calls.len()];
        for (place, &request) in sorted.iter().enumerate() {
            names[request] = place + 1;
        }
        let mut named = Policy::NAMED.iter();
        let (policy, _) = named
            .find(|(_, known)| *known == policy)
            .expect("a policy with a name");
        let fields = sorted.iter().zip(1..);
        let fields: Vec<String> = fields
            .map(|(&request, name)| format!("r{name} |-> {}", call(&calls[request])))
            .collect();
        let head = Head {
            module: "UnalignedDio",
            source,
            constants: &[
                ("Policy", format!("<- {policy}")),
                ("Calls", format!("[{}]", fields.join(", "))),
                ("Extents", extents(&layout.extents)),
                ("Length", layout.length.to_string()),
                ("PerBlock", layout.per_block.to_string()),
                // The oracle's history, which a trace does not show.
                ("Remember", "<- Forget".into()),
            ],
        };
        self.recording.write(&head, |_, (action, saw)| {
            let (action_name, bio) = name(*action);
            let mut args = vec![format!("\"r{}\"", names[action.request()])];
            if let Some(Bio { part, block }) = bio {
                args.extend([format!("\"{}\"", part_name(part)), block.to_string()]);
            }
            Step {
                action: action_name,
                args,
                sees: sees(saw),
            }
        })
    }
}

impl Probe for Recorder {
    fn about(&self, _: Request, _: Side) {
        self.recording.before();
    }

    fn performs(&self, _: Request, _: Bio) {
        self.recording.before();
    }

    fn called(&self, request: Request, call: &Call) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(request, calls.len(), "requests are numbered by their calls");
        calls.push(*call);
    }

    fn step(&self, action: Action, seen: Seen) {
        let saw = match seen {
            Seen::Nothing => Saw::Nothing,
            Seen::Held(mode) => Saw::Held(mode),
            Seen::File { extent, size, dio } => Saw::File(extent.to_vec(), size, dio),
        };
        self.recording.after((action, saw));
    }
}

/// An action's name, and its I/O if it is one's.
fn name(action: Action) -> (&'static str, Option<Bio>) {
    let name = match action {
        Action::Call(_) => "Call",
        Action::Lock(_) => "Lock",
        Action::LockFails(_) => "LockFails",
        Action::Check(_) => "Check",
        Action::Drain(_) => "Drain",
        Action::Begin(_) => "Begin",
        Action::FallBack(_) => "FallBack",
        Action::Map(_) => "Map",
        Action::Retry(_) => "Retry",
        Action::Unlock(_) => "Unlock",
        Action::Fill(_) => "Fill",
        Action::Flush(_) => "Flush",
        Action::Free(_) => "Free",
        Action::Complete(_, part, block) => return ("Complete", Some(Bio { part, block })),
        Action::Fail(_, part, block) => return ("Fail", Some(Bio { part, block })),
        Action::EndIo(_) => "EndIo",
        Action::DioEnd(_) => "DioEnd",
    };
    (name, None)
}

fn part_name(part: Part) -> &'static str {
    match part {
        Part::Head => "head",
        Part::Data => "data",
        Part::Tail => "tail",
        Part::Read => "read",
    }
}

fn sees(saw: &Saw) -> Vec<(String, String)> {
    match saw {
        Saw::Nothing => Vec::new(),
        Saw::Held(mode) => vec![("exclusive".into(), truth(*mode == Mode::Exclusive).into())],
        Saw::File(extent, size, dio) => vec![
            ("extent".into(), extents(extent)),
            ("size".into(), size.to_string()),
            ("dio".into(), dio.to_string()),
        ],
    }
}

/// Each block's state, as a function of TLA+.
fn extents(extents: &[Extent]) -> String {
    let name = |extent: &Extent| match extent {
        Extent::Hole => "hole",
        Extent::Unwritten => "unwritten",
        Extent::Written => "written",
    };
    let pairs = extents.iter().enumerate();
    let pairs = pairs.map(|(block, extent)| format!("{block} :> \"{}\"", name(extent)));
    format!("({})", pairs.collect::<Vec<_>>().join(" @@ "))
}

/// A request, as a record of TLA+.
fn call(call: &Call) -> String {
    let kind = match call.kind {
        Kind::Write => "write",
        Kind::Buffered => "buffered",
        Kind::Read => "read",
        Kind::Punch => "punch",
        Kind::Truncate => "truncate",
    };
    format!(
        "[kind |-> \"{kind}\", from |-> {}, to |-> {}, async |-> {}, nowait |-> {}, cached |-> {}, fails |-> {}]",
        call.from,
        call.to,
        truth(call.is_async),
        truth(call.nowait),
        truth(call.cached),
        truth(call.fails)
    )
}

fn truth(truth: bool) -> &'static str {
    if truth { "TRUE" } else { "FALSE" }
}
