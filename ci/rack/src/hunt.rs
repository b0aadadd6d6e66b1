//! `interlock hunt`: random programs, played to a kernel on a disk with a random order of completion; the history says whether an
//! acknowledged byte is lost or a read has seen what nobody wrote, and the model whether it admits what is left.

pub mod admits;
pub mod model;
pub mod program;
pub mod shrink;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use interlock_checker::{interrupt, note};

use crate::chance::Chance;
use crate::guest::Guest;
use crate::history::{self, Wrong};
use crate::kernels::{self, Kernel};
use crate::order::{Order, Report};
use crate::plan::{BLOCK, Call, Fs, Plan, What};
use crate::play::Aim;
use crate::played::Played;
use crate::verdict::Verdict;
use admits::Answer;

/// A program is played in this time, or the guest hangs.
const LIMIT: Duration = Duration::from_secs(90);

/// How often what was found is told.
const TELL: Duration = Duration::from_secs(30);

/// What to hunt on.
#[derive(Debug)]
pub struct Request {
    /// The kernel.
    pub kernel: String,
    /// The file system.
    pub fs: Fs,
    /// How long.
    pub minutes: u64,
    /// Which programs.
    pub seed: u64,
    /// Where kernels are kept.
    pub kept: PathBuf,
    /// Where plans and consoles go.
    pub out: PathBuf,
}

/// What was seen.
#[derive(Debug, Default)]
struct Count {
    programs: u64,
    wrong: u64,
    mixed: u64,
    not_admitted: u64,
    too_many: u64,
}

/// Hunts. The exit status: 1 if something was found, else 0.
///
/// # Errors
/// If there is no such kernel, or no guest comes up.
pub fn hunt(request: &Request) -> Result<u8> {
    let kernel = kernels::chosen(std::slice::from_ref(&request.kernel))?.remove(0);
    let name = match request.fs {
        Fs::Ext4 => "dio",
        Fs::Xfs => "dio_xfs",
    };
    let version = kernel
        .cure()
        .map_or(&kernel.version[..], |(source, _)| source);
    ensure!(
        !kernel.family(version)?.constant(name)?.is_empty(),
        "no design of {} stands for kernel {}, so that no model can be asked",
        request.fs,
        kernel.version
    );
    let guest = Guest::boot(&kernel, &request.kept, &request.out.join("rack"))?;
    let design = kernel.design(&guest.release, name)?;
    let mut hunt = Hunt {
        guest,
        kernel,
        design,
        request,
        count: Count::default(),
        found: BTreeSet::new(),
    };
    println!(
        "{}, {}, seed {}: {} minutes",
        hunt.guest.release, request.fs, request.seed, request.minutes
    );
    let began = Instant::now();
    let mut told = began;
    let mut chance = Chance::new(request.seed);
    while began.elapsed() < Duration::from_secs(60 * request.minutes) {
        let plan = program::program(&mut chance, request.fs);
        hunt.one(&plan, began)?;
        if interrupt::requested() {
            return Ok(interrupt::EXIT);
        }
        if told.elapsed() > TELL {
            told = Instant::now();
            note!("{} s: {}", began.elapsed().as_secs(), hunt.count.tell());
        }
    }
    hunt.hears_complaints();
    println!("{}", hunt.count.tell());
    Ok(u8::from(!hunt.found.is_empty()))
}

impl Count {
    fn tell(&self) -> String {
        format!(
            "{} programs; wrong: {}, and {} that mix buffered and direct calls in a block; not admitted by the model: {}; not asked: {}",
            self.programs, self.wrong, self.mixed, self.not_admitted, self.too_many
        )
    }
}

struct Hunt<'a> {
    guest: Guest,
    kernel: Kernel,
    design: String,
    request: &'a Request,
    count: Count,
    /// What was found, without the calls' names and places: each is told once.
    found: BTreeSet<String>,
}

impl Hunt<'_> {
    fn one(&mut self, plan: &Plan, began: Instant) -> Result<()> {
        let Some(played) = self.play(plan)? else {
            return Ok(());
        };
        self.count.programs += 1;
        let wrong = history::wrong(plan, &played);
        let answer = admits::ask(&self.design, plan, &played)?;
        self.count.too_many += u64::from(answer == Answer::TooMany);
        let refused = answer == Answer::No;
        if refused {
            self.count.not_admitted += 1;
        }
        if !wrong.is_empty() {
            match mixes(plan, &wrong) {
                true => self.count.mixed += 1,
                false => self.count.wrong += 1,
            }
        }
        let found = !wrong.is_empty() && !mixes(plan, &wrong);
        if !(found || refused) {
            return Ok(());
        }
        let (least, played) = self.least(plan, played, found)?;
        if self.found.insert(shape(&least)) {
            self.tell(&least, &played, found, began)?;
        }
        Ok(())
    }

    /// Plays it. `None`: the guest was lost, and there is a new one.
    fn play(&mut self, plan: &Plan) -> Result<Option<Played>> {
        let order = Order::Play(plan.clone(), Aim::Try);
        match self.guest.answer(&order, LIMIT) {
            Ok(Report::Played(played)) => Ok(Some(played)),
            Ok(other) => anyhow::bail!("the guest says {other:?}"),
            Err(error) if interrupt::requested() => Err(error),
            Err(error) => {
                println!("{plan}{error:#}\n");
                self.found.insert(format!("lost: {}", shape(plan)));
                self.hears_complaints();
                let Request { kept, out, .. } = self.request;
                self.guest = Guest::boot(&self.kernel, kept, &out.join("rack"))?;
                Ok(None)
            }
        }
    }

    /// What the guest's kernel complains of is found too.
    fn hears_complaints(&mut self) {
        for complaint in self.guest.complaints() {
            println!("the kernel complains: {complaint}");
            self.found.insert(complaint);
        }
    }

    /// The least plan that still does it, and how it went when it did: one may need more than one try.
    fn least(&mut self, plan: &Plan, played: Played, found: bool) -> Result<(Plan, Played)> {
        let mut last = played;
        let least = shrink::shrink(plan, |smaller| {
            let Some(played) = self.play(smaller)? else {
                return Ok(false);
            };
            let wrong = history::wrong(smaller, &played);
            let still = match found {
                true => !wrong.is_empty() && !mixes(smaller, &wrong),
                false => admits::ask(&self.design, smaller, &played)? == Answer::No,
            };
            if still {
                last = played;
            }
            Ok(still)
        })?;
        Ok((least, last))
    }

    fn tell(&self, plan: &Plan, played: &Played, found: bool, began: Instant) -> Result<()> {
        let dir = self.request.out.join("hunt");
        fs::create_dir_all(&dir)?;
        let name = format!(
            "{}-{}-{}-{}.plan",
            self.kernel.version,
            self.request.fs,
            self.request.seed,
            self.found.len()
        );
        let path = dir.join(name);
        let admitted = match admits::ask(&self.design, plan, played)? {
            Answer::Yes => format!("{} admits it", self.design),
            Answer::No => format!(
                "{} DOES NOT ADMIT IT: a defect of the model, or a finding",
                self.design
            ),
            Answer::TooMany => format!("{} was not asked: too many states", self.design),
        };
        let what = match found {
            true => Verdict::of(plan, played).to_string(),
            false => "nothing is lost".to_owned(),
        };
        let text = format!(
            "# {}, after {} s; {admitted}\n{plan}",
            self.guest.release,
            began.elapsed().as_secs()
        );
        fs::write(&path, &text).with_context(|| format!("{} cannot be written", path.display()))?;
        println!(
            "{text}{what}\ninterlock replay {} --kernel {}\n",
            path.display(),
            self.kernel.version
        );
        Ok(())
    }
}

/// Whether what is wrong lies in a block that buffered and direct calls both touch, which open(2) advises against.
fn mixes(plan: &Plan, wrong: &[Wrong]) -> bool {
    let touches =
        |call: &Call, block: u64| call.from < (block + 1) * BLOCK && call.to > block * BLOCK;
    wrong.iter().all(|wrong| {
        let block = wrong.sector * crate::plan::SECTOR / BLOCK;
        let touching = |what: fn(What) -> bool| {
            plan.calls
                .iter()
                .any(|call| what(call.what) && touches(call, block))
        };
        touching(|what| what == What::Buffered)
            && touching(|what| matches!(what, What::Write | What::Read))
    })
}

/// What a plan is about: kinds of calls, and steps, by the order in which the calls appear.
fn shape(plan: &Plan) -> String {
    let kinds: Vec<String> = plan
        .calls
        .iter()
        .map(|call| format!("{:?}", call.what))
        .collect();
    kinds.join(" ")
}
