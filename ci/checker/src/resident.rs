//! JVMs that stay, for those who run many small models: TLC's code is compiled once.
//!
//! A model of 171 states takes 0.9 CPU seconds on a JVM of its own and 0.1 on one that has run it before; the 245 mutants of `latency`,
//! whose fates are the same on both, 1364 and 220. TLC is written for one run a JVM. What it leaves is put back as it was
//! (`resident/Resident.java`), and a JVM that has ended in an error is not asked again. That the list of what it leaves is whole is not
//! taken for granted: what a row counts is compared with what a JVM of its own has counted (`--bless`), a row that is not as expected
//! is asked again on one, and with `--fresh`, as each night, no row shares a JVM.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::Pid;

use crate::counts::Counts;
use crate::interrupt;
use crate::jvm::Jvm;
use crate::process::{Budget, End, Meter, Stop};

const PROGRAM: &str = include_str!("resident/Resident.java");

/// After so many runs it is started anew: what TLC keeps takes room.
const RUNS: u32 = 500;

/// It starts within so many CPU seconds, or not at all.
const START: u64 = 60;

/// TLC's exit statuses of a run that has an answer: what it asks holds, or an assumption, deadlock, safety or liveness is violated.
const ANSWERS: [i32; 5] = [0, 10, 11, 12, 13];

/// Runs TLC on JVMs that stay, as many as there are runs at once. They start with the first runs, and end with this.
#[derive(Debug)]
pub struct Resident {
    /// A directory of its own: a folder for each JVM, with its program and what TLC unpacks.
    dir: PathBuf,
    started: AtomicU32,
    waiting: Mutex<Vec<Running>>,
}

/// What TLC is to do.
#[derive(Debug)]
pub struct Request<'a> {
    /// A folder in which modules are found, beside the root module's.
    pub library: Option<&'a Path>,
    /// Where standard output goes.
    pub stdout: &'a Path,
    /// Where standard error goes.
    pub stderr: &'a Path,
    /// TLC's arguments, each path absolute.
    pub arguments: &'a [OsString],
    /// What it counts. Who counts formulas, which the arguments ask for, is another JVM.
    pub counts: Counts,
}

impl Resident {
    /// With its files in `dir`.
    pub fn new(dir: PathBuf) -> Resident {
        Resident {
            dir,
            started: AtomicU32::new(0),
            waiting: Mutex::default(),
        }
    }

    /// Starts the first, with so large a heap (MiB).
    ///
    /// # Errors
    ///
    /// When files cannot be written, or the JVM does not start: it needs a JDK, whose compiler reads the program, and the pinned TLC.
    pub fn start(&self, jvm: &Jvm, heap: u64) -> Result<()> {
        if let Some(running) = self.another(jvm, heap, false)? {
            self.waiting().push(running);
        }
        Ok(())
    }

    /// Runs TLC on a JVM with at least so large a heap (MiB).
    ///
    /// # Errors
    ///
    /// Those of [`Resident::start`].
    pub fn run(&self, jvm: &Jvm, heap: u64, request: &Request, budget: Budget) -> Result<End> {
        let formulas = request.counts == Counts::Formulas;
        let running = match self.take(heap, formulas) {
            Some(running) => Some(running),
            None => self.another(jvm, heap, formulas)?,
        };
        let Some(mut running) = running else {
            return Ok(End::INTERRUPTED);
        };
        let end = running.ask(request, budget)?;
        if let Stop::Exited(status) = end.stop
            && status.code().is_some_and(|code| ANSWERS.contains(&code))
        {
            self.waiting().push(running);
        }
        Ok(end)
    }

    /// One that waits; if it is too small or too old, it ends.
    fn take(&self, heap: u64, formulas: bool) -> Option<Running> {
        let mut waiting = self.waiting();
        let place = waiting
            .iter()
            .position(|running| running.formulas == formulas)?;
        let running = waiting.swap_remove(place);
        (running.heap >= heap && running.runs < RUNS).then_some(running)
    }

    /// `None` when a signal came first.
    fn another(&self, jvm: &Jvm, heap: u64, formulas: bool) -> Result<Option<Running>> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        Running::start(&self.dir.join(number.to_string()), jvm, heap, formulas)
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Running>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        // They end, and what they have unpacked goes with them; what cannot be removed stays.
        self.waiting().clear();
        drop(fs::remove_dir_all(&self.dir));
    }
}

/// A JVM that waits for a request.
#[derive(Debug)]
struct Running {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<io::Result<String>>,
    heap: u64,
    /// Whether it counts formulas, in each run.
    formulas: bool,
    runs: u32,
    is_over: bool,
}

/// What it says.
enum Answer {
    Line(String),
    /// Nothing: how it has ended, or is to be ended, and the CPU time that it has used.
    None(Stop, Duration),
}

impl Running {
    /// `None` when a signal came first.
    fn start(dir: &Path, jvm: &Jvm, heap: u64, formulas: bool) -> Result<Option<Running>> {
        let (program, said) = (dir.join("Resident.java"), dir.join("stderr.txt"));
        let write = || {
            fs::create_dir_all(dir)?;
            fs::write(&program, PROGRAM)?;
            File::create(&said)
        };
        let stderr = write().with_context(|| format!("{} cannot be written", dir.display()))?;
        let mut command = jvm.source(heap, dir, &program);
        command
            .args(formulas.then_some("formulas"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr);
        let Some(mut child) = interrupt::spawn(&mut command)? else {
            return Ok(None);
        };
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (requests, stdout) = pipes.context("a child has its pipes")?;
        let (tell, answers) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                if tell.send(line).is_err() {
                    break;
                }
            }
        });
        let mut running = Running {
            child,
            requests,
            answers,
            heap,
            formulas,
            runs: 0,
            is_over: false,
        };
        match running.answer(Budget::cpu(START))? {
            Answer::Line(_) => return Ok(Some(running)),
            Answer::None(Stop::Interrupted, _) => return Ok(None),
            Answer::None(..) => {}
        }
        let why = fs::read_to_string(&said).unwrap_or_default();
        bail!(
            "{} does not run TLC in a JVM that stays, for which it has to be of a JDK: {}",
            jvm.program().display(),
            why.lines().next().unwrap_or("it says nothing")
        )
    }

    /// Has it run TLC. Unless it answers, it is not to be asked again.
    fn ask(&mut self, request: &Request, budget: Budget) -> Result<End> {
        let start = Instant::now();
        self.runs += 1;
        // One that is gone has no answer either.
        let _ = self.requests.write_all(&request.bytes());
        let _ = self.requests.flush();
        let (stop, cpu) = match self.answer(budget)? {
            Answer::Line(line) => Running::read(&line)?,
            Answer::None(stop, cpu) => (stop, cpu),
        };
        Ok(End {
            stop,
            took: start.elapsed(),
            cpu,
            peak: 0,
        })
    }

    /// Waits for its next line.
    fn answer(&mut self, budget: Budget) -> Result<Answer> {
        let mut meter = Meter::from_now(Pid::from_child(&self.child), budget);
        let stop = match meter.recv(&self.answers) {
            Ok(Ok(line)) => return Ok(Answer::Line(line?)),
            Ok(Err(stop)) => stop,
            Err(RecvError) if interrupt::requested() => Stop::Interrupted,
            Err(RecvError) => Stop::Exited(self.end()?),
        };
        Ok(Answer::None(stop, meter.used()))
    }

    /// Kills it, if it is not gone.
    fn end(&mut self) -> io::Result<ExitStatus> {
        if !std::mem::replace(&mut self.is_over, true) {
            interrupt::retire(Pid::from_child(&self.child));
        }
        self.child.wait()
    }

    /// An answer: an exit status, and nanoseconds.
    fn read(answer: &str) -> Result<(Stop, Duration)> {
        let words = answer
            .split_once(' ')
            .with_context(|| format!("an answer is {answer:?}"))?;
        let status = ExitStatus::from_raw(words.0.parse::<i32>()? << 8);
        Ok((Stop::Exited(status), Duration::from_nanos(words.1.parse()?)))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Killed, it ends.
        let _ = self.end();
    }
}

impl Request<'_> {
    fn bytes(&self) -> Vec<u8> {
        let library = self.library.map(Path::as_os_str).unwrap_or_default();
        let files = [library, self.stdout.as_os_str(), self.stderr.as_os_str()];
        let actions = OsStr::new(match self.counts {
            Counts::Actions => "actions",
            Counts::Nothing | Counts::Formulas => "",
        });
        let arguments = [actions, OsStr::new("-tool")].into_iter();
        let arguments = arguments.chain(self.arguments.iter().map(OsString::as_os_str));
        let words: Vec<&OsStr> = files.into_iter().chain(arguments).collect();
        let mut bytes = words.len().to_string().into_bytes();
        for word in words {
            bytes.push(0);
            bytes.extend(word.as_bytes());
        }
        bytes.push(0);
        bytes
    }
}
