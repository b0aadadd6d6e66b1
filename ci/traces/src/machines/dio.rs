//! From the values of `UnalignedDio.tla` to the machine: its requests, states and actions.

mod constants;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail};
use interlock::dio::machine::{
    Action, Bio, Content, Extent, Io, Machine, Mode, Outcome, Part, Pc, Plan, Progress, Request,
    State,
};
use interlock::dio::policy::Policy;
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;
use super::named::{name_of, one_of};
use super::traced::{Seen, Traced};
use super::values::{constant, field, members, number, pairs, truth};

const PARTS: [(&str, Part); 4] = [
    ("head", Part::Head),
    ("data", Part::Data),
    ("tail", Part::Tail),
    ("read", Part::Read),
];

pub(super) const EXTENTS: [(&str, Extent); 3] = [
    ("hole", Extent::Hole),
    ("unwritten", Extent::Unwritten),
    ("written", Extent::Written),
];

/// A machine and the names of its requests.
#[derive(Debug, Clone)]
pub struct Dio {
    /// The machine.
    pub machine: Machine,
    /// Each request's name in the specification.
    pub requests: Vec<String>,
}

impl Dio {
    /// The machine with these constants of module MCUnalignedDio or MCDioAgain: `Policy`, `Calls`, `Extents`, `Length`, `PerBlock`,
    /// and, if they are there, `Repeats` and `Fifo`.
    ///
    /// # Errors
    /// If one is missing, no operator of that name is known here, or a value is not one that it may have.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<Dio> {
        let constant = |name: &str| constant(constants, name);
        let policy = constant("Policy")?;
        let named = Policy::NAMED.iter().find(|(name, _)| *name == policy);
        let (_, policy) = named.with_context(|| format!("there is no policy {policy}"))?;
        let calls = constants::calls(constant("Calls")?).context("Calls")?;
        let (requests, calls): (Vec<_>, Vec<_>) = calls.into_iter().unzip();
        let extents = constants::extents(constant("Extents")?).context("Extents")?;
        let length = constant("Length")?.parse().context("Length")?;
        let per_block = constant("PerBlock")?.parse().context("PerBlock")?;
        let mut machine = Machine::new(*policy, calls, extents, length, per_block);
        if let Some(repeats) = constants.get("Repeats") {
            machine.repeats = constants::repeats(repeats, &requests).context("Repeats")?;
        }
        machine.fifo = constants.get("Fifo").is_some_and(|fifo| fifo == "InOrder");
        constants::check(&machine, &requests)?;
        Ok(Dio { machine, requests })
    }

    fn request(&self, value: &Value) -> Result<Request> {
        let name = value.label();
        let place = self.requests.iter().position(|request| *request == name);
        place.with_context(|| format!("there is no request {name}"))
    }

    fn content(&self, value: &Value) -> Result<Content> {
        let of = [
            ("zero", Content::Zero),
            ("stale", Content::Stale),
            ("old", Content::Old),
        ];
        one_of(&of, value).or_else(|_| Ok(Content::Of(self.request(value)?)))
    }

    /// Gives the variable `name` its value, or that part of it which there is.
    fn set(&self, state: &mut State, name: &str, value: &Value) -> Result<()> {
        match name {
            "current" | "older" | "may" => return Ok(()),
            "size" => {
                state.size = number(value)?;
                return Ok(());
            }
            "dio" => {
                state.dio = number(value)?;
                return Ok(());
            }
            "cache" => {
                state.cache = function(value, |value| self.content(value))?;
                return Ok(());
            }
            _ => {}
        }
        for (of, value) in pairs(value)? {
            match name {
                "extent" => *place(&mut state.extent, &of)? = one_of(&EXTENTS, value)?,
                "disk" => *place(&mut state.disk, &of)? = self.content(value)?,
                _ => self.set_of(&mut state.requests[self.request(&of)?], name, value)?,
            }
        }
        Ok(())
    }

    /// Gives a request's part of the variable `name` its value.
    fn set_of(&self, request: &mut Progress, name: &str, value: &Value) -> Result<()> {
        match name {
            "pc" => request.pc = pc(value)?,
            "held" => request.held = held(value)?,
            "ahead" => request.ahead = set_of(value, |value| self.request(value))?,
            "plan" => request.plan = plan(value)?,
            "next" => request.next = number(value)?,
            "bios" => request.bios = set_of(value, bio)?,
            "convert" => request.convert = set_of(value, number)?,
            "io" => request.io = io(value)?,
            "failed" => request.failed = truth(value)?,
            "buffer" => request.buffer = function(value, |value| self.content(value))?,
            "retries" => request.retries = number(value)?,
            "result" => request.result = outcome(value)?,
            _ => bail!("there is no variable {name}"),
        }
        Ok(())
    }

    /// A sector's content as in the specification.
    fn show_content(&self, content: &Content) -> String {
        match content {
            Content::Of(request) => self.requests[*request].clone(),
            other => format!("{other:?}"),
        }
    }

    /// What of a request is not as at the start, after its name.
    fn show_request(&self, name: &str, request: &Progress) -> String {
        let Progress {
            pc,
            held,
            ahead,
            plan,
            next,
            bios,
            convert,
            io,
            failed,
            buffer,
            retries,
            result,
        } = request;
        let mut shown = format!("{name} {pc:?}");
        let mut add = |differs: bool, what: String| {
            if differs {
                shown += " ";
                shown += &what;
            }
        };
        add(
            held.is_some(),
            held.map_or(String::new(), |mode| format!("holds {mode:?}")),
        );
        for &other in ahead {
            add(true, format!("behind {}", self.requests[other]));
        }
        add(plan.mode == Mode::Exclusive, "wants Exclusive".to_owned());
        add(plan.drain, "drain".to_owned());
        add(plan.wait, "wait".to_owned());
        add(!plan.saw.is_empty(), format!("saw {:?}", plan.saw));
        add(plan.buffered, "buffered".to_owned());
        add(*next > 0, format!("next {next}"));
        for Bio { part, block } in bios {
            add(true, format!("{part:?}/{block}"));
        }
        add(!convert.is_empty(), format!("convert {convert:?}"));
        add(*io != Io::None, format!("{io:?}"));
        add(*failed, "failed".to_owned());
        for (sector, content) in buffer {
            add(true, format!("{sector}:{}", self.show_content(content)));
        }
        add(*retries > 0, format!("retries {retries}"));
        add(*result != Outcome::None, format!("got {result:?}"));
        shown
    }
}

impl Traced for Dio {
    const SEES: &'static [Seen] = &[
        Seen {
            name: "extent",
            what: "each block's state",
        },
        Seen {
            name: "size",
            what: "i_size, in sectors",
        },
        Seen {
            name: "dio",
            what: "i_dio_count",
        },
        Seen {
            name: "exclusive",
            what: "whether a request holds i_rwsem exclusively",
        },
    ];

    fn sees(&self, state: &State, name: &str) -> Option<Value> {
        let exclusively = |request: &Progress| request.held == Some(Mode::Exclusive);
        Some(match name {
            "dio" => Value::Int(state.dio.into()),
            "size" => Value::Int(state.size.into()),
            "extent" => {
                let blocks = (0..).map(Value::Int).zip(&state.extent);
                let named = blocks.map(|(block, extent)| (block, name_of(&EXTENTS, *extent)));
                Value::function(named.collect())
            }
            "exclusive" => Value::Bool(state.requests.iter().any(exclusively)),
            _ => return None,
        })
    }
}

/// What is not there is as it was at the start: `Changes` of MCUnalignedDio leaves it out.
impl Counterpart for Dio {
    type State = State;
    type Action = Action;

    fn init(&self) -> State {
        self.machine.init()
    }

    fn candidates(&self) -> Vec<Action> {
        self.machine.candidates()
    }

    fn step(&self, state: &State, action: Action) -> Option<State> {
        self.machine.step(state, action)
    }

    fn state(&self, vars: &BTreeMap<String, Value>) -> Result<State> {
        let mut state = self.machine.init();
        for (name, value) in vars {
            self.set(&mut state, name, value)
                .with_context(|| name.clone())?;
        }
        Ok(state)
    }

    fn action(&self, step: &Step) -> Result<Action> {
        let of_bio: Option<fn(Request, Part, u32) -> Action> = match step.action.as_str() {
            "Complete" => Some(Action::Complete),
            "Fail" => Some(Action::Fail),
            _ => None,
        };
        match (of_bio, &step.args[..]) {
            (Some(action), [request, part, block]) => Ok(action(
                self.request(request)?,
                one_of(&PARTS, part)?,
                number(block)?,
            )),
            (None, [request]) => {
                let request = self.request(request)?;
                let named = |action: &Action| {
                    action.request() == request
                        && self.label(*action).split('(').next() == Some(&step.action)
                };
                let action = self.candidates().into_iter().find(named);
                action.with_context(|| format!("there is no action {}", step.action))
            }
            _ => bail!("{} has {} arguments", step.action, step.args.len()),
        }
    }

    fn show(&self, state: &State) -> String {
        let requests = self.requests.iter().zip(&state.requests);
        let requests: Vec<String> = requests
            .map(|(name, request)| self.show_request(name, request))
            .collect();
        let extents: Vec<String> = state.extent.iter().map(|of| format!("{of:?}")).collect();
        let disk: Vec<String> = state.disk.iter().map(|of| self.show_content(of)).collect();
        let dirty = state.cache.iter();
        let dirty: Vec<String> = dirty
            .map(|(sector, of)| format!(" {sector}:{}", self.show_content(of)))
            .collect();
        let dirty = match &dirty[..] {
            [] => String::new(),
            _ => format!(", dirty{}", dirty.concat()),
        };
        format!(
            "[{}; {}: {}; size {}, dio {}{dirty}]",
            requests.join(", "),
            extents.join(" "),
            disk.join(" "),
            state.size,
            state.dio
        )
    }

    fn label(&self, action: Action) -> String {
        let name = format!("{action:?}");
        let name = name.split('(').next().unwrap_or_default();
        let request = &self.requests[action.request()];
        match action {
            Action::Complete(_, part, block) | Action::Fail(_, part, block) => {
                format!("{name}({request}, {part:?}, {block})")
            }
            _ => format!("{name}({request})"),
        }
    }
}

/// A function from numbers.
fn function<T>(value: &Value, of: impl Fn(&Value) -> Result<T>) -> Result<BTreeMap<u32, T>> {
    let pair = |(key, value): (Value, &Value)| Ok((number(&key)?, of(value)?));
    pairs(value)?.into_iter().map(pair).collect()
}

/// What a function from the numbers 0, 1, ... has at this place.
fn place<'a, T>(items: &'a mut [T], at: &Value) -> Result<&'a mut T> {
    let item = items.get_mut(number::<usize>(at)?);
    item.with_context(|| format!("there is no {at}"))
}

/// A set of such.
fn set_of<T: Ord>(value: &Value, of: impl Fn(&Value) -> Result<T>) -> Result<BTreeSet<T>> {
    members(value)?.iter().map(of).collect()
}

fn bio(value: &Value) -> Result<Bio> {
    Ok(Bio {
        part: one_of(&PARTS, field(value, "part")?)?,
        block: number(field(value, "block")?)?,
    })
}

fn plan(value: &Value) -> Result<Plan> {
    let truth = |name: &str| truth(field(value, name)?);
    Ok(Plan {
        mode: held(field(value, "mode")?)?.context("it wants no lock")?,
        drain: truth("drain")?,
        wait: truth("wait")?,
        saw: function(field(value, "saw")?, |value| one_of(&EXTENTS, value))?,
        buffered: truth("buffered")?,
    })
}

fn held(value: &Value) -> Result<Option<Mode>> {
    let of = [
        ("none", None),
        ("shared", Some(Mode::Shared)),
        ("exclusive", Some(Mode::Exclusive)),
    ];
    one_of(&of, value)
}

fn io(value: &Value) -> Result<Io> {
    let of = [
        ("none", Io::None),
        ("flying", Io::Flying),
        ("converted", Io::Converted),
        ("ended", Io::Ended),
    ];
    one_of(&of, value)
}

fn outcome(value: &Value) -> Result<Outcome> {
    let of = [
        ("none", Outcome::None),
        ("ok", Outcome::Ok),
        ("EAGAIN", Outcome::Eagain),
        ("EIO", Outcome::Eio),
    ];
    one_of(&of, value)
}

fn pc(value: &Value) -> Result<Pc> {
    let of = [
        ("idle", Pc::Idle),
        ("lock", Pc::Lock),
        ("check", Pc::Check),
        ("drain", Pc::Drain),
        ("begin", Pc::Begin),
        ("map", Pc::Map),
        ("io", Pc::Io),
        ("again", Pc::Again),
        ("fill", Pc::Fill),
        ("flush", Pc::Flush),
        ("free", Pc::Free),
        ("unlock", Pc::Unlock),
        ("queued", Pc::Queued),
        ("done", Pc::Done),
    ];
    one_of(&of, value)
}
