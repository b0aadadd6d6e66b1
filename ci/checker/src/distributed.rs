//! `interlock check --distributed`: a model that outgrows one machine, in the distributed mode of TLC that the pinned jar has.
//!
//! A server keeps the queue and the fingerprints; workers, here or on other hosts, compute successors. This mode passes over every
//! property but invariants and deadlock without a word, does not say which of these is violated, and ends with status 0 all the same;
//! how many states are generated varies. So only models that are to hold, and have no property, are run, and of their counts only that
//! of distinct states is compared. A worker that is lost costs nothing but what it was about to send.

use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use interlock_tla::messages::Output;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::cfg;
use crate::engines::Engines;
use crate::interrupt;
use crate::judge;
use crate::manifest::{Engine, Expect, Manifest, Model};
use crate::note;
use crate::process::{End, Stop};
use crate::progress::Progress;
use crate::report::{Row, Status};
use crate::run;
use crate::toolchain::{self, Toolchain};
use crate::verdict::{self, Outcome, Verdict};

/// So often the processes are looked at.
const POLL: Duration = Duration::from_millis(200);
/// So long a server without a worker may take to end.
const GRACE: Duration = Duration::from_secs(60);
/// The configuration's name, which no module has.
const CFG: &str = "distributed.cfg";
/// How the server begins to say that it cannot ask a worker, which is lost, how much it had cached.
const LOST_WORKER: &str = "Failed to read remote worker cache statistic";
/// What the server dies of that asks one of its threads, which has just ended, how many states it has: `getCurrentSize` of
/// `TLCServerThread` takes no lock. It says nothing of the model.
const DIED_AT_THE_END: &str = "because \"this.states\" is null";
/// So often a model is run whose server dies of that.
const ATTEMPTS: usize = 4;
/// What the server says once workers may come.
const READY: &str = "@!@!@STARTMSG 7000";

/// Who works.
#[derive(Debug, Clone)]
pub struct Distributed {
    /// How many workers are started here.
    pub workers: usize,
    /// Other hosts, on which the user starts one each.
    pub hosts: Vec<String>,
    /// The name or IPv4 address by which all of them reach this machine.
    pub address: String,
}

/// Checks that this mode can decide these models.
///
/// # Errors
///
/// When one is not TLC's, is to be violated, or has a property.
pub fn allow(models: &[&Model]) -> Result<()> {
    for model in models {
        let name = &model.name;
        ensure!(
            model.engine == Engine::Tlc,
            "{name} is of {}, and only TLC has a distributed mode (add --engine tlc)",
            model.engine.name()
        );
        ensure!(
            model.expect == Expect::Holds,
            "{name} is to be violated, and TLC's distributed mode does not say of what (leave {name} or --distributed out)"
        );
        if let Some(property) = &model.property {
            bail!(
                "{name} has the property {property}, which TLC's distributed mode passes over (leave {name} or --distributed out)"
            );
        }
    }
    Ok(())
}

/// Runs and judges the models, one after the other, each in `out/run/<model>/`; `None` of one that was not judged, since a signal
/// came. `out` is absolute.
pub fn rows(
    engines: &Engines,
    models: &[&Model],
    out: &Path,
    distributed: &Distributed,
) -> Result<Vec<Option<Row>>> {
    let toolchain = engines.tools.tlc.as_ref().context("TLC is not here")?;
    let mut progress = Progress::new(models.len(), true);
    let rows = models.iter().map(|model| {
        if interrupt::requested() {
            return None;
        }
        progress.started(&model.name);
        let start = Instant::now();
        let dir = out.join("run").join(&model.name);
        let found = check(toolchain, engines.manifest, model, &dir, distributed);
        let judged = found.map(|found| judged(model, &found, &dir));
        let row = judged.unwrap_or_else(|error| Row {
            status: Status::Error,
            found: "error".into(),
            sentences: vec![format!("{error:#}")],
            ..Row::new(model, start.elapsed())
        });
        if interrupt::requested() {
            return None;
        }
        progress.done(&row);
        Some(row)
    });
    Ok(rows.collect())
}

fn judged(model: &Model, found: &Found, dir: &Path) -> Row {
    let verdict = &found.verdict;
    let mut row = Row {
        status: Status::AsExpected,
        found: judge::found(&verdict.outcome),
        distinct: verdict.totals.map(|totals| totals.distinct),
        dir: dir.to_owned(),
        ..Row::new(model, verdict.took)
    };
    let output = dir.join("stdout.txt");
    if found.is_violated {
        row.found = "violated".into();
        row.add_fault(Some(format!(
            "expected: {}; TLC found a behaviour that violates an invariant or ends in a deadlock, and in this mode does not say \
             which: see {} (without --distributed it does)",
            row.expected,
            output.display()
        )));
        return row;
    }
    match &verdict.outcome {
        Outcome::Error { why } | Outcome::Inconclusive { why } => {
            row.status = Status::Error;
            row.sentences
                .push(format!("{why}. See {}", output.display()));
        }
        _ if row.distinct != model.distinct => {
            let count = |count: Option<u64>| count.map_or("nothing".into(), |n| n.to_string());
            row.add_fault(Some(format!(
                "distinct is {}, but the lock says {}",
                count(row.distinct),
                count(model.distinct)
            )));
        }
        _ => {}
    }
    row
}

/// What a run found.
struct Found {
    verdict: Verdict,
    /// Whether it shows a behaviour that violates something.
    is_violated: bool,
}

/// Where the server is found.
struct Place {
    address: String,
    port: u16,
}

fn check(
    toolchain: &Toolchain,
    manifest: &Manifest,
    model: &Model,
    dir: &Path,
    distributed: &Distributed,
) -> Result<Found> {
    for _ in 1..ATTEMPTS {
        let found = attempt(toolchain, manifest, model, dir, distributed)?;
        if interrupt::requested() || !died_at_the_end(&run::read(&dir.join("stdout.txt"))?) {
            return Ok(found);
        }
        note!("{}: TLC's server died as it ended; once more", model.name);
    }
    attempt(toolchain, manifest, model, dir, distributed)
}

/// Is it the server's death at the end that is told here?
fn died_at_the_end(stdout: &str) -> bool {
    stdout.contains(DIED_AT_THE_END)
}

fn attempt(
    toolchain: &Toolchain,
    manifest: &Manifest,
    model: &Model,
    dir: &Path,
    distributed: &Distributed,
) -> Result<Found> {
    let start = Instant::now();
    run::clear(dir)?;
    let scratch = dir.join("scratch");
    fs::create_dir_all(scratch.join("tmp"))
        .with_context(|| format!("{} cannot be made", scratch.display()))?;
    let place = Place {
        address: distributed.address.clone(),
        port: free_port()?,
    };
    let ended = serve(toolchain, manifest, model, dir, &place, distributed);
    fs::remove_dir_all(&scratch)
        .with_context(|| format!("{} cannot be removed", scratch.display()))?;
    let status = ended?;
    let output = said(&run::read(&dir.join("stdout.txt"))?);
    let end = End {
        stop: match status {
            _ if interrupt::requested() => Stop::Interrupted,
            Some(status) => Stop::Exited(status),
            None => bail!("every worker has ended before the model was checked"),
        },
        took: start.elapsed(),
        cpu: Duration::ZERO,
        peak: 0,
    };
    let stderr = run::read(&dir.join("stderr.txt"))?;
    Ok(Found {
        verdict: Verdict::new(model, end, &output, &stderr, false),
        is_violated: status.is_some_and(|status| status.success())
            && verdict::shows_behavior(&output),
    })
}

/// What the server has said, but for its warning that a worker is not there any more, which says itself that it does not matter.
fn said(text: &str) -> Output {
    let mut output = Output::parse(text);
    output
        .messages
        .retain(|message| !message.body.starts_with(LOST_WORKER));
    output
}

/// Runs the server and the workers until the server ends; `None` if it does not, since it has no worker any more. None of them is
/// left.
fn serve(
    toolchain: &Toolchain,
    manifest: &Manifest,
    model: &Model,
    dir: &Path,
    place: &Place,
    distributed: &Distributed,
) -> Result<Option<ExitStatus>> {
    let scratch = dir.join("scratch");
    let modules = modules(manifest, model, &scratch)?;
    let mut server = java(toolchain, model, place);
    server
        .arg(tmp(&scratch.join("tmp")))
        .arg("-cp")
        .arg(&toolchain.jar.path)
        .args(["tlc2.tool.distributed.TLCServer", "-tool", "-fp", "0"])
        .args(["-checkpoint", "0", "-metadir"])
        .arg(scratch.join("meta"))
        .args(["-config", CFG])
        .arg(format!("{}.tla", model.module))
        .current_dir(modules);
    let stdout = dir.join("stdout.txt");
    server
        .stdout(run::create(&stdout)?)
        .stderr(run::create(&dir.join("stderr.txt"))?);
    let mut server = Process::start(&mut server)?;
    let mut workers = Vec::new();
    let mut is_ready = false;
    let mut alone: Option<Instant> = None;
    loop {
        if server.has_ended()? {
            return Ok(Some(server.end()?));
        }
        if !is_ready && run::read(&stdout)?.contains(READY) {
            is_ready = true;
            for host in &distributed.hosts {
                note!("{}", remote(place, host));
            }
            for number in 1..=distributed.workers {
                workers.push(worker(toolchain, model, dir, place, number)?);
            }
        }
        let mut is_working = !is_ready || !distributed.hosts.is_empty();
        for worker in &workers {
            is_working |= !worker.has_ended()?;
        }
        let since = *alone.get_or_insert_with(Instant::now);
        if is_working {
            alone = None;
        } else if since.elapsed() > GRACE {
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

/// A folder with all that a worker asks the server for, which looks for it beside the model's module alone.
fn modules(manifest: &Manifest, model: &Model, scratch: &Path) -> Result<PathBuf> {
    let (from, to) = (manifest.specs.join(&model.area), scratch.join("modules"));
    let copy = || -> std::io::Result<()> {
        fs::create_dir_all(&to)?;
        fs::write(to.join(CFG), cfg::text(model, false))?;
        for file in fs::read_dir(&from)? {
            let path = file?.path();
            if path.extension().is_some_and(|extension| extension == "tla") {
                fs::copy(&path, to.join(path.file_name().unwrap_or_default()))?;
            }
        }
        Ok(())
    };
    let (shown, copied) = (from.display(), to.display());
    copy().with_context(|| format!("the modules of {shown} cannot be copied to {copied}"))?;
    Ok(to)
}

fn worker(
    toolchain: &Toolchain,
    model: &Model,
    dir: &Path,
    place: &Place,
    number: usize,
) -> Result<Process> {
    let scratch = dir.join("scratch").join(format!("worker-{number}"));
    fs::create_dir_all(&scratch)
        .with_context(|| format!("{} cannot be made", scratch.display()))?;
    let log = run::create(&dir.join(format!("worker-{number}.txt")))?;
    let mut worker = java(toolchain, model, place);
    worker
        .arg(tmp(&scratch))
        .arg("-Dtlc2.tool.distributed.TLCWorker.threadCount=1")
        .arg("-cp")
        .arg(&toolchain.jar.path)
        .arg("tlc2.tool.distributed.TLCWorker")
        .arg(&place.address)
        .current_dir(&scratch)
        .stdout(log.try_clone()?)
        .stderr(log);
    Process::start(&mut worker)
}

/// The command line that starts a worker on another host: it needs Java and the same jar there, and gets the modules from the server.
fn remote(place: &Place, host: &str) -> String {
    let options = options(host, place.port).join(" ");
    format!(
        "on {host}: java {options} -cp tla2tools.jar tlc2.tool.distributed.TLCWorker {}",
        place.address
    )
}

fn java(toolchain: &Toolchain, model: &Model, place: &Place) -> Command {
    let mut java = toolchain::java(&toolchain.java.path);
    java.args(["-XX:+UseSerialGC", "-Xss16m"])
        .arg(format!("-Xmx{}m", model.heap))
        .args(options(&place.address, place.port))
        .stdin(Stdio::null());
    java
}

/// How the others reach a process on `host`.
fn options(host: &str, port: u16) -> [String; 3] {
    [
        format!("-Djava.rmi.server.hostname={host}"),
        format!("-Dtlc2.tool.distributed.TLCServer.port={port}"),
        "-Djava.net.preferIPv4Stack=true".into(),
    ]
}

fn tmp(dir: &Path) -> OsString {
    let mut option = OsString::from("-Djava.io.tmpdir=");
    option.push(dir);
    option
}

/// One that nobody uses now.
fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).context("no port is free")?;
    Ok(listener.local_addr()?.port())
}

/// A child in a process group of its own, which does not outlive this.
struct Process {
    child: Child,
    is_over: bool,
}

impl Process {
    fn start(command: &mut Command) -> Result<Process> {
        let child = interrupt::spawn(command)
            .with_context(|| format!("{} does not start", command.get_program().display()))?;
        Ok(Process {
            child: child.context("interrupted")?,
            is_over: false,
        })
    }

    /// Whether it has ended by itself. It is not reaped: its group's number stays its own until all of the group is dead.
    fn has_ended(&self) -> Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let ended = waitid(WaitId::Pid(Pid::from_child(&self.child)), options)?;
        Ok(ended.is_some())
    }

    /// Kills what is left of it. How it has ended.
    fn end(&mut self) -> Result<ExitStatus> {
        if !self.is_over {
            self.is_over = true;
            interrupt::retire(Pid::from_child(&self.child));
        }
        Ok(self.child.wait()?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It is dead; there is nothing to do about one that cannot be waited for.
        let _ = self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_is_lost_is_no_warning() {
        let warning =
            |body: &str| format!("@!@!@STARTMSG 1000:3 @!@!@\n{body}\n@!@!@ENDMSG 1000 @!@!@\n");
        let lost = "Failed to read remote worker cache statistic (Expect to see a negative chache hit rate. Does not invalidate \
                    model checking results)";
        assert_eq!(said(&warning(lost)).messages, []);
        assert_eq!(said(&warning("Symmetry beside liveness")).messages.len(), 1);
    }

    #[test]
    fn a_server_that_dies_at_the_end_is_told_from_one_that_dies_of_the_model() {
        let died = "The exception was a java.lang.NullPointerException\n: Cannot read the array length because ";
        assert!(died_at_the_end(&format!("{died}\"this.states\" is null")));
        assert!(!died_at_the_end(&format!("{died}\"values\" is null")));
    }

    #[test]
    fn a_worker_elsewhere_is_told_who_it_is_and_where_the_server_is() {
        let place = Place {
            address: "192.0.2.1".into(),
            port: 10_997,
        };
        assert_eq!(
            remote(&place, "node7"),
            "on node7: java -Djava.rmi.server.hostname=node7 -Dtlc2.tool.distributed.TLCServer.port=10997 \
             -Djava.net.preferIPv4Stack=true -cp tla2tools.jar tlc2.tool.distributed.TLCWorker 192.0.2.1"
        );
    }
}
