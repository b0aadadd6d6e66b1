//! `interlock replay`: a counterexample, or a plan, played to a kernel.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use interlock_checker::manifest::Manifest;
use interlock_checker::trace;
use interlock_tla::itf;
use interlock_traces::machines::dio::Dio;

use crate::derive::derive;
use crate::guest::Guest;
use crate::kernels;
use crate::order::{Order, Report};
use crate::plan::{By, Fs, Plan};
use crate::play::Aim;
use crate::played::Played;
use crate::verdict::{Verdict, tell};

/// A plan is played in this time, mkfs included, or the guest hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// What to replay.
#[derive(Debug)]
pub struct Request {
    /// A model of specs/dio, or the file of a plan.
    pub name: String,
    /// The kernels; none: all of the rack.
    pub kernels: Vec<String>,
    /// On another file system than ext4, or XFS where the design is XFS's.
    pub fs: Option<Fs>,
    /// How asynchronous calls are made.
    pub by: By,
    /// How often.
    pub times: u32,
    /// With random times of completion from this seed on, instead of the plan's order.
    pub unaimed: Option<u64>,
    /// Only prints the plan.
    pub print: bool,
    /// Where kernels are kept.
    pub kept: PathBuf,
    /// Where consoles and TLC's files go.
    pub out: PathBuf,
}

/// Replays, and says what came of it. The exit status: 0 if it was played, whatever the verdict; 2 if nowhere.
///
/// # Errors
/// If there is no such model or plan, or the model has no counterexample that can be played.
pub fn replay(root: &Path, request: &Request) -> Result<u8> {
    let plan = plan(root, request)?;
    print!("{plan}");
    if request.print {
        return Ok(0);
    }
    let mut played_somewhere = false;
    for kernel in kernels::chosen(&request.kernels)? {
        println!();
        let mut guest = match Guest::boot(&kernel, &request.kept, &request.out.join("rack")) {
            Ok(guest) => guest,
            Err(error) => {
                println!("{}: NOT RUN: {error:#}", kernel.version);
                continue;
            }
        };
        let mut words = Vec::new();
        for time in 0..request.times {
            let aim = match request.unaimed {
                None => Aim::Plan,
                Some(seed) => Aim::Chance(seed + u64::from(time)),
            };
            let played = match play(&mut guest, &plan, aim) {
                Ok(played) => played,
                Err(error) => {
                    println!("{}: {error:#}", guest.release);
                    words.push("lost");
                    break;
                }
            };
            played_somewhere = true;
            let verdict = Verdict::of(&plan, &played);
            if request.times == 1 {
                print!("{}", tell(&plan, &played));
            }
            if time == 0 || request.times == 1 {
                println!("{}: {verdict}", guest.release);
            }
            words.push(verdict.word());
        }
        if request.times > 1 {
            println!("{}: {}", guest.release, tally(&words));
        }
    }
    Ok(if played_somewhere { 0 } else { 2 })
}

/// Plays a plan in a guest.
///
/// # Errors
/// If it could not be played to its end.
pub fn play(guest: &mut Guest, plan: &Plan, aim: Aim) -> Result<Played> {
    match guest.answer(&Order::Play(plan.clone(), aim), LIMIT)? {
        Report::Played(played) => Ok(played),
        other => bail!("the guest says {other:?}"),
    }
}

/// Words, with how often each came: `reproduced 9 of 10, differs 1`.
fn tally(words: &[&str]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for word in words {
        match counts.iter_mut().find(|(known, _)| known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(word, count)| format!("{word} {count} of {}", words.len()))
        .collect();
    counts.join(", ")
}

/// The plan: of the file that is named, or of the model's counterexample.
///
/// # Errors
/// As [`replay`].
pub fn plan(root: &Path, request: &Request) -> Result<Plan> {
    let path = Path::new(&request.name);
    if path.is_file() {
        let text = fs::read_to_string(path)?;
        let mut plan = Plan::parse(&text).with_context(|| path.display().to_string())?;
        for call in &mut plan.calls {
            if call.by != By::Sync && request.by == By::Uring {
                call.by = By::Uring;
            }
        }
        return Ok(plan);
    }
    let specs = root.join("specs");
    let manifest = Manifest::load(&specs)?;
    let model = manifest.model(&request.name);
    let model = model.with_context(|| {
        format!(
            "{}: neither a plan's file nor a model (`interlock list dio` shows those)",
            request.name
        )
    })?;
    ensure!(
        model.module == "MCUnalignedDio",
        "{}: counterexamples of MCUnalignedDio are played, this one is {}'s",
        model.name,
        model.module
    );
    let traced = trace::trace(root, &specs, &model.name, &request.out)?;
    let Some((_, dir)) = traced.counterexample else {
        bail!(
            "{} {}: there is no counterexample to play",
            model.name,
            traced.found
        );
    };
    let text = fs::read_to_string(dir.join("trace.itf.json"))?;
    let counterexample = itf::from_json(&text)?;
    let mut constants = model.constants.clone();
    for value in constants.values_mut() {
        *value = value.trim_start_matches("<-").trim().to_owned();
    }
    let dio = Dio::new(&constants)?;
    let fs = request.fs.unwrap_or(match model.design.starts_with("Xfs") {
        true => Fs::Xfs,
        false => Fs::Ext4,
    });
    derive(&dio, &counterexample, fs, request.by)
}
