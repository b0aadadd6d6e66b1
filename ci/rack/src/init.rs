//! The guest's first process: mounts what a process expects, loads the modules, and does what it is asked over a virtio port.

use std::ffi::CStr;
use std::fs::{self, File};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use rustix::mount::{MountFlags, mount};
use rustix::system::{RebootCommand, init_module, reboot};

use crate::serve;

/// The port's name on the host.
pub const PORT: &str = "interlock";

/// Where the modules are, in the order in which they are loaded.
pub const MODULES: &str = "/modules";

/// Runs until nothing more is asked, and switches the guest off. It returns only to say why it could not.
pub fn init() -> anyhow::Error {
    let failed = run().err();
    let why = failed.map_or_else(
        || "nothing more is asked".to_owned(),
        |error| format!("{error:#}"),
    );
    println!("interlock: {why}");
    let error = reboot(RebootCommand::PowerOff);
    anyhow::anyhow!("the guest cannot be switched off: {error:?}")
}

fn run() -> Result<()> {
    for (kind, at) in [
        ("proc", "/proc"),
        ("sysfs", "/sys"),
        ("devtmpfs", "/dev"),
        ("tmpfs", "/tmp"),
    ] {
        fs::create_dir_all(at)?;
        let none: Option<&CStr> = None;
        mount("none", at, kind, MountFlags::empty(), none)
            .with_context(|| format!("{at} cannot be mounted"))?;
    }
    // Where captures have their file systems.
    fs::create_dir_all("/mnt")?;
    let mut modules: Vec<PathBuf> = fs::read_dir(MODULES)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    modules.sort();
    for module in modules {
        load(&module)?;
    }
    let port = port()?;
    let mut say = port.try_clone()?;
    let done = serve::serve(&mut BufReader::new(port), &mut say);
    say.flush()?;
    done
}

fn load(module: &Path) -> Result<()> {
    // What makes devices beforehand: as many as are used.
    let parameters = match module.to_string_lossy() {
        name if name.ends_with("-nbd.ko") => c"nbds_max=4 max_part=0",
        _ => c"",
    };
    match init_module(&fs::read(module)?, parameters) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(error) => bail!("{} is not loaded: {error}", module.display()),
    }
}

/// The port over which the host asks.
fn port() -> Result<File> {
    for _ in 0..500 {
        for entry in fs::read_dir("/sys/class/virtio-ports")
            .into_iter()
            .flatten()
        {
            let entry = entry?;
            let name = fs::read_to_string(entry.path().join("name")).unwrap_or_default();
            if name.trim() == PORT {
                let path = Path::new("/dev").join(entry.file_name());
                let port = File::options().read(true).write(true).open(&path);
                return port.with_context(|| format!("{} cannot be opened", path.display()));
            }
        }
        thread::sleep(Duration::from_millis(10));
    }
    bail!("the host offers no port named {PORT}")
}
