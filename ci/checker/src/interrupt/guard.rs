//! A process beside the runner that outlives it, and kills what a killed runner leaves behind.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::net::{SendFlags, send};
use rustix::process::Pid;

/// The guard of this runner, which ends with the runner.
pub(super) struct Guard(UnixStream);

impl Guard {
    /// Starts it, in a process group of its own: a signal to the runner's group is not for it.
    pub(super) fn start() -> io::Result<Guard> {
        // Not a pipe: a guard that is gone must not end a child by SIGPIPE. Neither end is inherited by another program.
        let (ours, its) = UnixStream::pair()?;
        let mut sh = Command::new("/bin/sh");
        sh.args(["-c", include_str!("guard.sh"), "interlock-guard"])
            .current_dir("/")
            .process_group(0)
            .stdin(OwnedFd::from(its))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // It is waited for by none: it ends after the runner.
        sh.spawn()?;
        Ok(Guard(ours))
    }

    /// The runner has started this group.
    pub(super) fn born(&self, group: Pid) {
        tell(&self.0, format_args!("born {group}\n"));
    }

    /// The runner has killed this group.
    pub(super) fn over(&self, group: Pid) {
        tell(&self.0, format_args!("over {group}\n"));
    }
}

/// Without a guard, should somebody have killed it, all else goes on.
fn tell(socket: &UnixStream, change: std::fmt::Arguments) {
    let _ = send(socket, change.to_string().as_bytes(), SendFlags::NOSIGNAL);
}
