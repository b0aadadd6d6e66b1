//! A guest: QEMU with a kernel of the rack, asked and heard over a virtio port.

use std::ffi::OsString;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use interlock_checker::interrupt;
use rustix::process::Pid;

use crate::console;
use crate::init;
use crate::initramfs;
use crate::kernels::Kernel;
use crate::order::{Order, Report, hear, say};
use crate::packages;
use crate::program;
use crate::qemu::{self, QEMU, over};

/// The command by which this program does on this machine what a guest is asked.
pub const SERVE: &str = "serve";

/// How long a guest may take to come up.
const UP: Duration = Duration::from_secs(120);

/// A guest that runs. It ends when this is dropped.
pub struct Guest {
    /// Its kernel's release.
    pub release: String,
    /// What programs are missing in it.
    pub missing: Vec<String>,
    /// What its console shows.
    pub console: PathBuf,
    child: Child,
    orders: ChildStdin,
    reports: Receiver<Result<Report>>,
    /// What QEMU reads goes with it.
    work: Option<tempfile::TempDir>,
}

impl Guest {
    /// Boots the kernel. What is kept of it lies below `kept`, the console's text in `out`.
    ///
    /// # Errors
    /// Where QEMU or the kernel cannot be had, and if the guest does not come up.
    pub fn boot(kernel: &Kernel, kept: &Path, out: &Path) -> Result<Guest> {
        if kernel.is_host() {
            return Guest::host();
        }
        let here = packages::find(kernel, kept)?;
        fs::create_dir_all(out)?;
        let work = tempfile::tempdir()?;
        let initrd = work.path().join("initramfs");
        let missing = initramfs::write(&initrd, &here.modules, &program::compiled(kept)?)?;
        let console = out.join(format!("{}.console", kernel.version));
        let mut command = qemu::machine(1536);
        command
            .args(["-smp", &kernel.processors.to_string()])
            .args(qemu::options(&here.image, kernel.paced))
            .arg("-kernel")
            .arg(&here.image)
            .arg("-initrd")
            .arg(&initrd)
            .args([
                "-append",
                "console=ttyS0 panic=-1 oops=panic quiet loglevel=5 tsc=reliable nokaslr mitigations=off",
            ])
            .arg("-serial")
            .arg(to_file(&console))
            .args([
                "-device",
                "virtio-serial-pci",
                "-chardev",
                "stdio,id=orders,signal=off",
            ])
            .arg("-device")
            .arg(format!("virtserialport,chardev=orders,name={}", init::PORT));
        let mut guest = Guest::start(command, console)?;
        guest.missing = missing;
        guest.work = Some(work);
        match guest.hear(UP)? {
            Report::Up(_) => guest.release = here.release,
            other => bail!("the guest says {other:?} instead of coming up"),
        }
        Ok(guest)
    }

    /// This machine's own kernel: asked in a process of its own, in a mount namespace of its own.
    fn host() -> Result<Guest> {
        let mut command =
            Command::new(std::env::current_exe().context("this program has no path")?);
        command.arg(SERVE);
        let mut guest = Guest::start(command, PathBuf::from("/dev/null"))?;
        match guest.hear(UP)? {
            Report::Up(release) => guest.release = release,
            other => bail!("this kernel's process says {other:?} instead of coming up"),
        }
        Ok(guest)
    }

    fn start(mut command: Command, console: PathBuf) -> Result<Guest> {
        let program = command.get_program().to_string_lossy().into_owned();
        let piped = [Stdio::piped(), Stdio::piped(), Stdio::piped()];
        let [stdin, stdout, stderr] = piped;
        let spawned = interrupt::spawn(command.stdin(stdin).stdout(stdout).stderr(stderr))
            .with_context(|| {
                format!("{program} does not start (it is of package qemu-system-x86)")
            })?;
        let Some(mut child) = spawned else {
            bail!("interrupted");
        };
        let orders = child.stdin.take().context("a pipe to the guest")?;
        let stdout = child.stdout.take().context("a pipe from the guest")?;
        let (heard, reports) = channel();
        thread::spawn(move || {
            let mut from = BufReader::new(stdout);
            while let Some(report) = hear::<Report>(&mut from).transpose() {
                let over = report.is_err();
                if heard.send(report).is_err() || over {
                    break;
                }
            }
        });
        Ok(Guest {
            release: String::new(),
            missing: Vec::new(),
            console,
            child,
            orders,
            reports,
            work: None,
        })
    }

    /// Asks for something.
    ///
    /// # Errors
    /// If the guest is gone.
    pub fn ask(&mut self, order: &Order) -> Result<()> {
        say(&mut self.orders, order).map_err(|_| self.lost())
    }

    /// What it says next, within this time.
    ///
    /// # Errors
    /// If it says nothing, or is gone: with where its console is, and the console's last lines.
    pub fn hear(&mut self, limit: Duration) -> Result<Report> {
        let end = Instant::now() + limit;
        loop {
            let slice =
                Duration::from_millis(200).min(end.saturating_duration_since(Instant::now()));
            match self.reports.recv_timeout(slice) {
                Ok(report) => return report,
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if interrupt::requested() {
                bail!("interrupted");
            }
            if Instant::now() >= end {
                bail!(
                    "the guest hangs: nothing for {} s. {}",
                    limit.as_secs(),
                    self.last_words()
                );
            }
        }
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// As [`Guest::ask`] and [`Guest::hear`], and if the guest could not do it.
    pub fn answer(&mut self, order: &Order, limit: Duration) -> Result<Report> {
        self.ask(order)?;
        match self.hear(limit)? {
            Report::Failed(why) => bail!("{why}"),
            report => Ok(report),
        }
    }

    fn lost(&mut self) -> anyhow::Error {
        let mut said = String::new();
        if over(&self.child)
            && let Some(stderr) = &mut self.child.stderr
        {
            let _ = std::io::Read::read_to_string(stderr, &mut said);
        }
        let said = said.trim();
        let qemu = if said.is_empty() {
            String::new()
        } else {
            format!(" QEMU: {said}.")
        };
        anyhow::anyhow!("the guest is lost.{qemu} {}", self.last_words())
    }

    /// What its kernel complains of, a line each.
    pub fn complaints(&self) -> Vec<String> {
        console::complaints(&self.said())
    }

    fn said(&self) -> String {
        let text = fs::read(&self.console).unwrap_or_default();
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The end of its console, which is kept under another name: the next guest writes to one of the same.
    fn last_words(&mut self) -> String {
        let kept = self.console.with_extension("lost.console");
        if fs::rename(&self.console, &kept).is_ok() {
            self.console = kept;
        }
        let text = self.said();
        let lines: Vec<&str> = text.lines().collect();
        let last = lines[lines.len().saturating_sub(3)..].join(" | ");
        format!("Its console ({}) ends: {last}", self.console.display())
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        interrupt::retire(Pid::from_child(&self.child));
        if let Err(error) = self.child.wait() {
            eprintln!("{QEMU}: {error}");
        }
    }
}

/// QEMU's name for a serial line into a file. It takes all that is behind the colon for the path, commas too, which other options want
/// twice.
fn to_file(path: &Path) -> OsString {
    let mut named = OsString::from("file:");
    named.push(path);
    named
}
