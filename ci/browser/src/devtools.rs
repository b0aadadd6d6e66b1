//! A Chromium, spoken with in the DevTools protocol over two pipes: a message is JSON, and ends with a zero byte.
//!
//! Messages have no types here. Those of a library are one version's of the protocol, and what another version of Chromium says in
//! a form that they do not know is lost, which may have been the fault that was looked for.

use std::env;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The names that it has on systems.
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Without a window, and without what a browser asks the network by itself. No name has an address, whatever a page asks for.
const FLAGS: [&str; 11] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND",
];

/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where it is on the `PATH`.
///
/// # Errors
///
/// When none of the names is there.
pub fn find() -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let places: Vec<PathBuf> = env::split_paths(&path).collect();
    PROGRAMS
        .iter()
        .flat_map(|program| places.iter().map(move |place| place.join(program)))
        .find(|at| at.is_file())
        .with_context(|| format!("there is no {}", PROGRAMS.join(", ")))
}

/// One that runs, until it is dropped.
pub struct Chromium {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    calls: u64,
    /// What it has told unasked, and nobody has taken.
    pub(crate) told: Vec<Value>,
    /// Its files, which are new.
    profile: TempDir,
}

impl Chromium {
    /// Starts `program`.
    ///
    /// # Errors
    ///
    /// When it does not start, or does not answer.
    pub fn start(program: &Path) -> Result<Self> {
        let profile = TempDir::new()?;
        let log = File::create(profile.path().join("log"))?;
        // The browser's pipes are its files 3 and 4.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh"])
            .arg(program)
            .args(FLAGS)
            .arg(format!(
                "--user-data-dir={}",
                profile.path().join("user").display()
            ))
            // It has a socket there, whose path may not be long.
            .current_dir(profile.path())
            .env("TMPDIR", ".")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()?;
        let to = process.stdin.take().context("a pipe")?;
        let from = messages(process.stdout.take().context("a pipe")?);
        let mut chromium = Self {
            process,
            to,
            from,
            calls: 0,
            told: Vec::new(),
            profile,
        };
        let log = chromium.profile.path().join("log");
        chromium
            .call(None, "Browser.getVersion", json!({}))
            .with_context(|| {
                let log = fs::read_to_string(log).unwrap_or_default();
                format!("{} does not start: {log}", program.display())
            })?;
        Ok(chromium)
    }

    /// What it answers: of the browser, or of the page that the session is of.
    pub(crate) fn call(
        &mut self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
    ) -> Result<Value> {
        self.calls += 1;
        let id = self.calls;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = serde_json::to_vec(&message)?;
        bytes.push(0);
        self.to
            .write_all(&bytes)
            .with_context(|| format!("{method}: Chromium is gone"))?;
        let until = Instant::now() + PATIENCE;
        loop {
            let mut answer = self.next(until).with_context(|| method.to_owned())?;
            if answer["id"] != id {
                self.told.push(answer);
            } else if answer["error"].is_null() {
                return Ok(answer["result"].take());
            } else {
                bail!("{method}: {}", answer["error"]);
            }
        }
    }

    /// Goes on until it has told something of a kind.
    pub(crate) fn wait(&mut self, mut is_it: impl FnMut(&[Value]) -> bool) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        while !is_it(&self.told) {
            let told = self.next(until)?;
            self.told.push(told);
        }
        Ok(())
    }

    fn next(&self, until: Instant) -> Result<Value> {
        let left = until.saturating_duration_since(Instant::now());
        self.from
            .recv_timeout(left)
            .context("Chromium does not answer")
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // Its other processes end with it where it ends by itself.
        let closed = self.call(None, "Browser.close", json!({}));
        if closed.is_err() {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

/// What stands between the zero bytes of a pipe.
fn messages(from: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut bytes = Vec::new();
        while from.read_until(0, &mut bytes).is_ok_and(|read| read > 0) {
            bytes.pop();
            let message = serde_json::from_slice(&bytes);
            bytes.clear();
            if message.is_ok_and(|message| sender.send(message).is_err()) {
                break;
            }
        }
    });
    receiver
}
