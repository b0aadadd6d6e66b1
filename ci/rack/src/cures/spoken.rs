//! What a kernel tells of those who reserve credits, as a trace of `ReserveWait.tla`; and of which ways to wake it is a behaviour.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use interlock::jbd2::reserve_wait::Wake;
use interlock_checker::toolchain::Toolchain;
use interlock_traces::recording::{Event, Head, Trace, VERSION};
use interlock_traces::validate::protocol::Protocol;
use interlock_traces::validate::search::Found;
use interlock_traces::validate::tlc::Tlc;
use interlock_traces::validate::trial;

use super::record::Spoken;
use crate::workload::spoken::{Did, Told};

/// The area of the specification.
const AREA: &str = "jbd2";

/// Judges what was told by each way to wake, by the machine and by TLC. The traces are kept in `out`.
///
/// # Errors
/// If what was told is no trace, a tool is missing, or machine and TLC do not agree.
pub fn judge(root: &Path, out: &Path, kernel: &str, told: &Told) -> Result<Spoken> {
    let toolchain = Toolchain::find(root)?;
    let scratch = out.join("tlc");
    let tlc = Tlc::new(&toolchain, &scratch);
    fs::create_dir_all(out)?;
    let mut trace = trace(kernel, told)?;
    let protocol = Protocol::of(AREA, &trace)?;
    trial::test(protocol)?;
    let mut spoken = Spoken {
        events: trace.events.len(),
        ..Spoken::default()
    };
    for (way, _) in Wake::NAMED {
        wakes(&mut trace, way);
        fs::write(out.join(format!("{kernel}-{way}.ndjson")), trace.to_text())?;
        let fit = match protocol.search(&trace)? {
            Found::Accepted => None,
            Found::Refused(refusal) => Some(refusal.fit),
            Found::TooWide => bail!("{kernel}: whether it wakes {way} is given up"),
        };
        let by_tlc = tlc.accepted(protocol, &[&trace])?;
        ensure!(
            by_tlc.contains(&0) == fit.is_none(),
            "{kernel}: machine and TLC do not agree whether it wakes {way}: of the events fit by the machine {fit:?}"
        );
        spoken.ways.insert(way.to_owned(), fit);
    }
    Ok(spoken)
}

/// Makes it a trace of this way to wake.
fn wakes(trace: &mut Trace, way: &str) {
    let constants = &mut trace.head.constants;
    constants.insert("Wake".to_owned(), format!("\"{way}\""));
}

/// What was told, as a trace of no way to wake yet. A reservation is a credit there, and who asks for one a thread, which has it until one
/// is given back: which of them that is, nobody can tell.
fn trace(kernel: &str, told: &Told) -> Result<Trace> {
    let size = told.steps.first().context("nothing was told")?.credits;
    let mut turns = Turns::default();
    for step in &told.steps {
        ensure!(
            step.credits == size && step.sum.is_multiple_of(size),
            "reservations are not of one size: {size} and {step:?}"
        );
        turns
            .take(step.did, step.task, step.sum / size)
            .with_context(|| format!("step {} of {}", turns.steps, told.steps.len()))?;
    }
    let threads: Vec<String> = (0..turns.threads).map(name).collect();
    let constants = [
        ("Small", format!("{{{}}}", threads.join(", "))),
        ("Large", "{}".to_owned()),
        ("Half", (told.half / size).to_string()),
        ("MaxHerd", "0".to_owned()),
        ("MaxWakes", "1".to_owned()),
    ];
    Ok(Trace {
        head: Head {
            trace: VERSION,
            module: "ReserveWait".to_owned(),
            source: format!("{kernel}, each {size} credits a reservation"),
            constants: constants
                .map(|(name, value)| (name.to_owned(), value))
                .into(),
            silent: Vec::new(),
        },
        events: turns.events,
        file: kernel.into(),
        line: 1,
        lines: Vec::new(),
        known: None,
    })
}

fn name(thread: usize) -> String {
    format!("t{}", thread + 1)
}

/// The events so far, and who is where.
#[derive(Default)]
struct Turns {
    events: Vec<Event>,
    steps: usize,
    /// So many threads at a time.
    threads: usize,
    idle: BTreeSet<usize>,
    /// The thread as which a task asks.
    asks: BTreeMap<u32, usize>,
    /// The tasks that have added too much.
    failed: BTreeSet<u32>,
    holds: BTreeSet<usize>,
}

impl Turns {
    fn take(&mut self, did: Did, task: u32, reserved: u32) -> Result<()> {
        self.steps += 1;
        let (action, thread) = match did {
            Did::Takes => {
                let thread = self.asks(task);
                self.asks.remove(&task);
                self.holds.insert(thread);
                ("Take", thread)
            }
            Did::Fails => {
                self.failed.insert(task);
                ("Fail", self.asks(task))
            }
            Did::Sleeps => ("Sleep", self.asks(task)),
            Did::Retries => ("Retry", self.asked(task)?),
            Did::Subtracts if self.failed.remove(&task) => ("Undo", self.asked(task)?),
            Did::Subtracts => {
                let thread = self.holds.pop_first().context("nobody has a reservation")?;
                self.idle.insert(thread);
                ("Release", thread)
            }
            // It has had its credits since they were handed over.
            Did::Has => {
                let thread = self.asked(task)?;
                self.asks.remove(&task);
                self.holds.insert(thread);
                return Ok(());
            }
        };
        self.event(task, action, thread, Some(reserved));
        Ok(())
    }

    /// The thread as which a task has asked.
    fn asked(&self, task: u32) -> Result<usize> {
        let thread = self.asks.get(&task).copied();
        thread.with_context(|| format!("task {task} has not asked"))
    }

    /// The same; it may ask only now.
    fn asks(&mut self, task: u32) -> usize {
        if let Some(thread) = self.asks.get(&task) {
            return *thread;
        }
        let thread = self.idle.pop_first().unwrap_or_else(|| {
            self.threads += 1;
            self.threads - 1
        });
        self.asks.insert(task, thread);
        self.event(task, "Start", thread, None);
        thread
    }

    fn event(&mut self, task: u32, action: &str, thread: usize, reserved: Option<u32>) {
        let at = self.events.len() as u64 + 1;
        let sees = reserved.map(|reserved| ("reserved".to_owned(), reserved.to_string()));
        self.events.push(Event {
            thread: format!("task {task}"),
            from: at,
            to: at,
            action: action.to_owned(),
            others: Vec::new(),
            args: vec![name(thread)],
            sees: sees.into_iter().collect(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::spoken::Step;

    /// Tasks that reserve 9 of 20 credits each, so that two may: a reservation is told in credits.
    fn told(steps: &[(Did, u32, u32)]) -> Told {
        Told {
            half: 20,
            steps: steps
                .iter()
                .map(|&(did, task, reserved)| Step {
                    did,
                    task,
                    credits: 9,
                    sum: 9 * reserved,
                })
                .collect(),
        }
    }

    /// The ways to wake of which it is a behaviour.
    fn accepted(told: &Told) -> Vec<&'static str> {
        let mut trace = trace("by hand", told).expect("a trace");
        let ways = Wake::NAMED.into_iter();
        let ways = ways.filter(|(way, _)| {
            wakes(&mut trace, way);
            let protocol = Protocol::of(AREA, &trace).expect("it is known");
            protocol.search(&trace).expect("it is read") == Found::Accepted
        });
        ways.map(|(way, _)| way).collect()
    }

    /// All that wait are woken, and he too who has given nothing back wakes them.
    #[test]
    fn a_herd_is_told_from_the_other_ways_to_wake() {
        let herd = told(&[
            (Did::Takes, 1, 1),
            (Did::Takes, 2, 2),
            (Did::Fails, 3, 3),
            (Did::Subtracts, 3, 2),
            (Did::Sleeps, 3, 2),
            (Did::Fails, 4, 3),
            // Wakes 3.
            (Did::Subtracts, 4, 2),
            (Did::Sleeps, 3, 2),
            (Did::Sleeps, 4, 2),
            // A third task gives it back. Wakes both.
            (Did::Subtracts, 9, 1),
            (Did::Retries, 4, 1),
            (Did::Retries, 3, 1),
            (Did::Takes, 4, 2),
        ]);
        assert_eq!(accepted(&herd), ["all"]);
    }

    #[test]
    fn a_hand_over_is_told_from_the_other_ways_to_wake() {
        let mut steps = vec![
            (Did::Takes, 1, 1),
            (Did::Takes, 2, 2),
            (Did::Sleeps, 3, 2),
            (Did::Sleeps, 4, 2),
            // Goes to 3: as many are reserved or granted as before.
            (Did::Subtracts, 9, 2),
            (Did::Has, 3, 2),
            (Did::Subtracts, 9, 2),
            (Did::Has, 4, 2),
            (Did::Subtracts, 9, 1),
            (Did::Subtracts, 9, 0),
        ];
        assert_eq!(accepted(&told(&steps)), ["hand-off"]);
        // As if it had been granted to nobody.
        steps[4].2 = 1;
        assert!(accepted(&told(&steps)).is_empty());
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        let mut sizes = told(&[(Did::Takes, 1, 1), (Did::Takes, 2, 2)]);
        sizes.steps[1].credits = 8;
        for (told, why) in [
            (told(&[]), "nothing was told"),
            (sizes, "reservations are not of one size"),
            (told(&[(Did::Retries, 1, 0)]), "task 1 has not asked"),
            (told(&[(Did::Subtracts, 1, 0)]), "nobody has a reservation"),
        ] {
            let error = trace("by hand", &told).expect_err(why);
            let error = format!("{error:#}");
            assert!(error.contains(why), "{error}");
        }
    }
}
