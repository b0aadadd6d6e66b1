//! QEMU, and whether KVM works here. `/dev/kvm` may be there and run no kernel, where the machine is a guest itself.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use interlock_checker::interrupt;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// The program.
pub const QEMU: &str = "qemu-system-x86_64";

/// As many processors guests have where nothing says otherwise.
pub fn processors() -> u32 {
    2
}

/// The machine, with so many MiB of memory and nothing that is not asked for. It ends when its kernel restarts it.
pub fn machine(mebibytes: u32) -> Command {
    let mut command = Command::new(QEMU);
    command
        .args(["-M", "q35", "-m"])
        .arg(mebibytes.to_string())
        .args(["-nodefaults", "-display", "none", "-no-reboot"]);
    command
}

/// A kernel without a file system panics in this time under KVM; under TCG it may take longer.
const LIMIT: Duration = Duration::from_secs(8);

/// Without cx16: a double fault at cmpxchg16b was seen under TCG.
const TCG: &str = "max,-cx16";

/// With these the guest's clock counts instructions, a nanosecond each, of one processor after the other; where all of them wait, it goes
/// on to what is due next. What else this machine does is not in its times.
const PACED: &[&str] = &[
    "-accel",
    "tcg,thread=single",
    "-cpu",
    TCG,
    "-icount",
    "shift=0,sleep=off",
];

/// The options that choose how the guest's processors run: KVM if this kernel's image comes as far as its panic with it. KVM counts no
/// instructions: what is `paced` runs without.
pub fn options(image: &Path, paced: bool) -> &'static [&'static str] {
    static WORKS: OnceLock<bool> = OnceLock::new();
    if paced {
        return PACED;
    }
    match *WORKS.get_or_init(|| Path::new("/dev/kvm").exists() && works(image)) {
        true => &["-accel", "kvm", "-cpu", "max"],
        false => &["-accel", "tcg,thread=multi", "-cpu", TCG],
    }
}

fn works(image: &Path) -> bool {
    let mut command = machine(512);
    command
        .args([
            "-accel", "kvm", "-cpu", "max", "-append", "panic=-1", "-kernel",
        ])
        .arg(image)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let Ok(Some(mut child)) = interrupt::spawn(&mut command) else {
        return false;
    };
    let began = Instant::now();
    let works = loop {
        if over(&child) {
            break true;
        }
        if began.elapsed() >= LIMIT || interrupt::requested() {
            break false;
        }
        thread::sleep(Duration::from_millis(20));
    };
    interrupt::retire(Pid::from_child(&child));
    let ended = child.wait();
    works && ended.is_ok_and(|status| status.success())
}

/// Whether a child has ended. It is not reaped, so that its number stays its own.
pub(crate) fn over(child: &Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let ended = waitid(WaitId::Pid(Pid::from_child(child)), options);
    matches!(ended, Ok(Some(_)))
}
