//! Plays a plan to the running kernel: a file on a file system whose disk is ours.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use interlock_capture::threads;
use interlock_disk::Disk;
use rustix::fs::{Advice, FallocateFlags, fadvise, fallocate};
use serde::{Deserialize, Serialize};

use crate::call::{self, Opened};
use crate::chance::Chance;
use crate::content::Content;
use crate::keeper::Keeper;
use crate::plan::{BLOCK, Extent, Plan, Step, What};
use crate::played::{Made, Played, Went};

/// A call that has come neither to the disk nor back after this time is said to wait. It may still come later.
const SETTLE: Duration = Duration::from_millis(300);

/// A step that needs a call at the disk, or back, is not possible after this time.
const STEP: Duration = Duration::from_secs(3);

/// The same of a random program, in which such steps are many.
const TRY: Duration = Duration::from_millis(100);

/// With nothing held back, every call returns in this time, or the kernel hangs.
const END: Duration = Duration::from_secs(30);

/// How often a thing is looked at again.
const LOOK: Duration = Duration::from_millis(1);

/// The longest that a random completion takes.
const LONGEST: Duration = Duration::from_millis(100);

/// What decides when the disk completes what the calls write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Aim {
    /// The plan.
    Plan,
    /// The plan, but for steps that are not possible: those are passed over.
    Try,
    /// Chance, from a seed: each write takes a random time, and a release only waits for its call's return.
    Chance(u64),
}

impl Aim {
    /// How long each write takes, if that is not the plan's.
    fn delays(self) -> Option<Box<dyn FnMut() -> Duration + Send>> {
        let Aim::Chance(seed) = self else {
            return None;
        };
        let mut chance = Chance::new(seed);
        let most = LONGEST.as_micros() as u64;
        Some(Box::new(move || {
            Duration::from_micros(chance.below(most + 1))
        }))
    }
}

/// Plays the plan with a new file in `dir`, which lies on this disk.
///
/// # Errors
/// If the file cannot be prepared, and if a call does not return with nothing held back: the kernel hangs.
pub fn play(plan: &Plan, disk: &Disk, dir: &Path, aim: Aim) -> Result<Played> {
    let path = dir.join("f");
    // One that was not played to its end has left its file.
    if path.exists() {
        fs::remove_file(&path)?;
    }
    let file = Arc::new(prepare(plan, &path).context("the file cannot be prepared")?);
    let (aimed, trying) = (!matches!(aim, Aim::Chance(_)), aim == Aim::Try);
    let keeper = Keeper::new(plan, aim.delays());
    disk.obey(keeper.clone());
    let mut game = Game {
        plan,
        disk,
        keeper,
        file,
        aimed,
        trying,
        limit: if trying { TRY } else { STEP },
        began: Instant::now(),
        progress: Arc::new(Mutex::new(vec![Progress::default(); plan.calls.len() + 1])),
    };
    let steps = game.steps()?;
    game.end()?;
    let disk_log = game.keeper.log(&disk.log());
    disk.obey(|_: &interlock_disk::Write<'_>| interlock_disk::Then::Now);
    let sync = call::sync_file(&game.file)
        .err()
        .map(|error| error.to_string());
    let (size, content) = read_back(plan, &game.file)?;
    let mut calls: Vec<Made> = game.look(|all| all.iter().map(|one| one.made.clone()).collect());
    calls.truncate(plan.calls.len());
    drop(game);
    fs::remove_file(&path)?;
    Ok(Played {
        steps,
        calls,
        disk: disk_log,
        size,
        content,
        sync,
    })
}

/// The file as the plan has it at the start, on the disk and not in the page cache.
fn prepare(plan: &Plan, path: &Path) -> Result<Opened> {
    let buffered = threads::open(path, false)?;
    for (block, extent) in (0..).zip(&plan.blocks) {
        if *extent != Extent::Hole {
            fallocate(&buffered, FallocateFlags::KEEP_SIZE, block * BLOCK, BLOCK)?;
        }
        let end = plan.size.min((block + 1) * BLOCK);
        if *extent == Extent::Written && block * BLOCK < end {
            // In whole sectors; what is behind the size is cut off.
            let bytes = Content::Old.bytes(BLOCK as usize);
            let length = usize::try_from(end - block * BLOCK)?;
            std::os::unix::fs::FileExt::write_all_at(&buffered, &bytes[..length], block * BLOCK)?;
        }
    }
    buffered.set_len(plan.size)?;
    buffered.sync_all()?;
    fadvise(&buffered, 0, None, Advice::DontNeed)?;
    if plan.cloned {
        let clone = threads::open(&path.with_extension("clone"), false)?;
        clone.set_len(0)?;
        rustix::fs::ioctl_ficlone(&clone, &buffered)?;
    }
    // The journal has nothing left to write.
    rustix::fs::syncfs(&buffered)?;
    let direct = threads::open(path, true)?;
    Ok(Opened { direct, buffered })
}

/// The size, and what each sector below it holds on the disk.
fn read_back(plan: &Plan, file: &Opened) -> Result<(u64, Vec<Content>)> {
    let size = file.direct.metadata()?.len();
    let most = plan.blocks.len() as u64 * BLOCK;
    Ok((size, Content::read(&call::read_all(file, most)?)))
}

#[derive(Debug, Clone, Default)]
struct Progress {
    submitted: bool,
    made: Made,
}

struct Game<'a> {
    plan: &'a Plan,
    disk: &'a Disk,
    keeper: Keeper,
    file: Arc<Opened>,
    aimed: bool,
    trying: bool,
    /// See [`STEP`] and [`TRY`].
    limit: Duration,
    began: Instant,
    /// Of each call, and of fsync behind them.
    progress: Arc<Mutex<Vec<Progress>>>,
}

impl Game<'_> {
    /// Takes the steps, up to the first that is not possible, or all that are.
    fn steps(&mut self) -> Result<Vec<Went>> {
        let mut steps = Vec::new();
        for &step in &self.plan.steps {
            let went = self.step(step)?;
            let over = matches!(went, Went::Not(_));
            steps.push(went);
            if over && !self.trying {
                break;
            }
        }
        Ok(steps)
    }

    fn step(&self, step: Step) -> Result<Went> {
        Ok(match step {
            Step::Start(call) => self.start(call)?,
            Step::Release(call) | Step::Fail(call) if self.aimed => {
                self.complete(call, matches!(step, Step::Fail(_)))
            }
            Step::Release(call) | Step::Fail(call) | Step::Returned(call) => {
                match self.wait(self.limit, |game| game.ended(call)) {
                    true => Went::Done,
                    false => Went::Not(format!(
                        "the kernel waited: {} has not returned",
                        self.plan.calls[call].name
                    )),
                }
            }
            Step::Sync => self.sync()?,
        })
    }

    fn start(&self, call: usize) -> Result<Went> {
        let asked = self.plan.calls[call].clone();
        let by_kernel = matches!(asked.what, What::Truncate | What::Punch);
        if asked.is_held() || by_kernel {
            self.keeper.hold(call, by_kernel);
        }
        let name = asked.name.clone();
        self.spawn(call, name, move |file, submitted| {
            call::make(&asked, file, submitted)
        })?;
        let settled = |game: &Self| game.ended(call) || game.at_disk(call);
        self.wait(SETTLE.min(self.limit), settled);
        Ok(if self.ended(call) {
            Went::Done
        } else if self.at_disk(call) || self.look(|all| all[call].submitted) {
            Went::Flying
        } else {
            Went::Waits
        })
    }

    /// A thread that makes this call. Nobody waits for the thread: it may be stuck in the kernel.
    fn spawn(
        &self,
        place: usize,
        name: String,
        make: impl FnOnce(&Opened, &dyn Fn()) -> Result<std::io::Result<Vec<Content>>> + Send + 'static,
    ) -> Result<()> {
        let (file, progress, began) = (self.file.clone(), self.progress.clone(), self.began);
        let now = move || u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.look(|all| all[place].made.started = Some(now()));
        let thread = thread::Builder::new().name(name);
        thread.spawn(move || {
            let mine = |change: &dyn Fn(&mut Progress)| {
                let mut all = progress.lock().unwrap_or_else(PoisonError::into_inner);
                change(&mut all[place]);
            };
            let done = make(&file, &|| mine(&|progress| progress.submitted = true));
            let ended = now();
            mine(&|progress| {
                progress.made.ended = Some(ended);
                match &done {
                    Ok(Ok(read)) => progress.made.read = read.clone(),
                    Ok(Err(error)) => progress.made.error = Some(error.to_string()),
                    Err(error) => progress.made.error = Some(format!("{error:#}")),
                }
            });
        })?;
        Ok(())
    }

    fn complete(&self, call: usize, fail: bool) -> Went {
        let asked = &self.plan.calls[call];
        let there = |game: &Self| game.at_disk(call) || game.ended(call);
        if asked.is_held() && !self.wait(self.limit, there) {
            return Went::Not(format!(
                "the kernel waited: {} is neither at the disk nor back",
                asked.name
            ));
        }
        for number in self.keeper.let_go(call, self.disk) {
            match fail {
                true => self.disk.fail(number),
                false => self.disk.release(number),
            };
        }
        if asked.is_held() {
            self.wait(self.limit, |game| game.ended(call));
        }
        Went::Done
    }

    /// fsync, in a thread as any call.
    fn sync(&self) -> Result<Went> {
        let place = self.plan.calls.len();
        let buffered = (0..place).find(|&call| {
            self.plan.calls[call].what == What::Buffered
                && self.look(|all| all[call].made.started.is_some())
                && !self.wait(self.limit, |game| game.ended(call))
        });
        if let Some(call) = buffered {
            return Ok(Went::Not(format!(
                "the kernel waited: {} has not returned",
                self.plan.calls[call].name
            )));
        }
        self.look(|all| all[place] = Progress::default());
        self.spawn(place, "fsync".to_owned(), |file, _| {
            Ok(call::sync_file(file).map(|()| Vec::new()))
        })?;
        if !self.wait(self.limit, |game| game.ended(place)) {
            return Ok(Went::Not(
                "the kernel waited: fsync has not returned".to_owned(),
            ));
        }
        Ok(match self.look(|all| all[place].made.error.clone()) {
            Some(error) => Went::Said(error),
            None => Went::Done,
        })
    }

    /// Lets everything complete.
    fn end(&self) -> Result<()> {
        for call in 0..self.plan.calls.len() {
            self.keeper.let_go(call, self.disk);
        }
        self.disk.release_all();
        let over = |game: &Self| {
            game.look(|all| {
                all.iter()
                    .all(|one| one.made.started.is_none() || one.made.ended.is_some())
            })
        };
        if !self.wait(END, over) {
            let stuck = self.look(|all| {
                let calls = self
                    .plan
                    .calls
                    .iter()
                    .map(|call| &call.name[..])
                    .chain(["fsync"]);
                let calls = calls.zip(all.iter());
                calls
                    .filter(|(_, one)| one.made.started.is_some() && one.made.ended.is_none())
                    .map(|(name, _)| name.to_owned())
                    .collect::<Vec<_>>()
            });
            bail!(
                "the kernel hangs: with nothing held back {} does not return",
                stuck.join(", ")
            );
        }
        ensure!(
            self.disk.held().is_empty(),
            "the disk still holds something back"
        );
        Ok(())
    }

    fn look<T>(&self, at: impl FnOnce(&mut Vec<Progress>) -> T) -> T {
        at(&mut self.progress.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn ended(&self, call: usize) -> bool {
        self.look(|all| all[call].made.ended.is_some())
    }

    fn at_disk(&self, call: usize) -> bool {
        !self.keeper.held(call, self.disk).is_empty()
    }

    /// Whether it became so within this time.
    fn wait(&self, limit: Duration, so: impl Fn(&Self) -> bool) -> bool {
        let began = Instant::now();
        loop {
            if so(self) {
                return true;
            }
            if began.elapsed() > limit {
                return false;
            }
            thread::sleep(LOOK);
        }
    }
}
