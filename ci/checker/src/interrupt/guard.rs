//! A process beside the runner that outlives it, and kills what a killed runner leaves behind.

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::net::{SendFlags, send};
use rustix::process::{Pid, getpid};

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

    /// Has the child of `command` tell its group, which is its own number, before it becomes its program: no moment is left in
    /// which it runs and would outlive a killed runner.
    pub(super) fn announce(&self, command: &mut Command) -> io::Result<()> {
        tell(&self.0, format_args!("next\n"));
        let socket = self.0.try_clone()?;
        let tell = move || {
            tell(&socket, format_args!("born {}\n", getpid()));
            Ok(())
        };
        // SAFETY: between fork and exec, it writes a number to the stack and sends it, which allocates and locks nothing.
        unsafe { command.pre_exec(tell) };
        Ok(())
    }

    /// The child of the last [`Guard::announce`] did not come to be.
    pub(super) fn void(&self) {
        tell(&self.0, format_args!("void\n"));
    }

    /// The runner has killed this group.
    pub(super) fn over(&self, group: Pid) {
        tell(&self.0, format_args!("over {group}\n"));
    }
}

/// Without a guard, should somebody have killed it, all else goes on.
fn tell(socket: &UnixStream, change: std::fmt::Arguments) {
    let mut line = [0; 32];
    let mut rest = &mut line[..];
    if rest.write_fmt(change).is_ok() {
        let unused = rest.len();
        let _ = send(socket, &line[..line.len() - unused], SendFlags::NOSIGNAL);
    }
}
