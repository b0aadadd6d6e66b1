//! A place of one's own: file systems that nobody else sees, in memory, and that are gone with the process.
//!
//! The process runs in a mount namespace of its own. There a tmpfs covers `/mnt`; images, mount points and tracefs are below it.
//! When the process ends, however it does, the namespace goes with its mounts, the loop devices with the mounts that they serve, and
//! the images with the tmpfs. Nothing else is ever mounted, written to or formatted.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use interlock_checker::interrupt;
use interlock_traces::kernel::family::Family;

/// What the tmpfs covers, in this process's namespace alone.
const ROOT: &str = "/mnt";

/// Set in the process that is in a namespace of its own.
const INSIDE: &str = "INTERLOCK_CAPTURE_INSIDE";

/// Who captures has to be root.
///
/// # Errors
/// If this is not.
pub fn is_root() -> Result<()> {
    ensure!(
        rustix::process::geteuid().is_root(),
        "a capture mounts file systems and reads tracefs: it needs root"
    );
    Ok(())
}

/// Goes on in a mount namespace of its own: starts this program anew there, with the same arguments.
///
/// # Errors
/// Without root, and where no namespace can be made.
pub fn enter() -> Result<()> {
    is_root()?;
    if std::env::var_os(INSIDE).is_some() {
        return cover();
    }
    goes_on_in("private")
}

/// Starts this program anew in a mount namespace that hears of others' mounts so.
fn goes_on_in(propagation: &str) -> Result<()> {
    let namespace = ["--mount", "--propagation", propagation, "--"];
    run("unshare", namespace.into_iter().chain(["true"]))
        .context("no mount namespace can be made")?;
    let program = std::env::current_exe().context("this program has no path")?;
    let error = Command::new("unshare")
        .args(namespace)
        .arg(program)
        .args(std::env::args_os().skip(1))
        .env(INSIDE, "1")
        .exec();
    Err(error).context("unshare (of util-linux) does not start")
}

/// Covers `/mnt` with a tmpfs: in a namespace of one's own, or on a machine of one's own.
///
/// # Errors
/// If it cannot be mounted.
pub fn cover() -> Result<()> {
    run(
        "mount",
        ["-t", "tmpfs", "-o", "mode=700", "interlock", ROOT],
    )?;
    Ok(())
}

/// Runs a program to its end.
///
/// # Errors
/// As [`run_to_end`].
pub fn run<S: AsRef<OsStr>>(program: &str, args: impl IntoIterator<Item = S>) -> Result<()> {
    run_to_end(Command::new(program).args(args)).map(drop)
}

/// Runs a command to its end: what it prints.
///
/// # Errors
/// If it does not start, or fails: with what it said.
pub fn run_to_end(command: &mut Command) -> Result<String> {
    ensure!(!interrupt::requested(), "interrupted");
    let program = command.get_program().to_string_lossy().into_owned();
    // In a process group of its own, so that Ctrl-C does not end it half way.
    let output = command.process_group(0).output().with_context(|| {
        let package = match &program[..] {
            "mkfs.xfs" => " (of xfsprogs)",
            "mkfs.ext4" => " (of e2fsprogs)",
            "mkfs.btrfs" => " (of btrfs-progs)",
            "mount" | "umount" | "unshare" => " (of util-linux)",
            _ => "",
        };
        format!("{program}{package} does not start")
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{program} fails: {}", said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Makes a file system on `device`: `format` is the program with its options. What the program has learnt since the running kernel is
/// left out, as the table of its release says, if there is one.
///
/// # Errors
/// If the program fails.
pub fn make(format: &[&str], device: &OsStr) -> Result<()> {
    let [program, args @ ..] = format else {
        bail!("no program to make a file system");
    };
    let family = Family::of(&crate::release()).ok();
    let older = family
        .as_ref()
        .and_then(|family| family.constants.get(*program));
    let older = older.into_iter().flat_map(|older| older.split(' '));
    let args = args.iter().copied().chain(older).map(OsStr::new);
    run(program, args.chain([device]))?;
    Ok(())
}

/// Mounts a file system in memory, a tmpfs of one's own: where.
///
/// # Errors
/// If it cannot be mounted.
pub fn in_memory(name: &str, options: &str) -> Result<PathBuf> {
    let dir = Path::new(ROOT).join(name);
    std::fs::create_dir(&dir)?;
    let args = ["-t", "tmpfs", "-o", options, "interlock"].map(OsStr::new);
    run("mount", args.into_iter().chain([dir.as_os_str()]))?;
    Ok(dir)
}

/// A file system of one's own.
#[derive(Debug)]
pub struct Image {
    /// Where it is mounted.
    pub dir: PathBuf,
    /// How it was made and mounted, for the trace's head.
    pub made: String,
    file: PathBuf,
    options: String,
    mounted: bool,
}

impl Image {
    /// Makes a file system of so many MiB, and mounts it. `format` is the program with its options.
    ///
    /// # Errors
    /// If it cannot be made or mounted.
    pub fn new(name: &str, size: u64, format: &[&str], options: &str) -> Result<Image> {
        let file = Path::new(ROOT).join(format!("{name}.img"));
        let image = std::fs::File::create(&file)
            .with_context(|| format!("{} cannot be made", file.display()))?;
        image.set_len(size << 20)?;
        make(format, file.as_os_str())?;
        let mut image = Image {
            dir: Path::new(ROOT).join(name),
            made: format!("{} ; mount -o {options}", format.join(" ")),
            file,
            options: options.to_owned(),
            mounted: false,
        };
        std::fs::create_dir(&image.dir)?;
        image.mount()?;
        Ok(image)
    }

    fn mount(&mut self) -> Result<()> {
        // A loop device that mount sets up goes with the mount.
        let options = format!("loop,{}", self.options);
        let args = [OsStr::new("-o"), options.as_ref()];
        run(
            "mount",
            args.into_iter()
                .chain([self.file.as_os_str(), self.dir.as_os_str()]),
        )?;
        self.mounted = true;
        Ok(())
    }

    /// Mounts it anew: nothing of it is cached any more.
    ///
    /// # Errors
    /// If that fails.
    pub fn remount(&mut self) -> Result<()> {
        run("umount", [&self.dir])?;
        self.mounted = false;
        self.mount()
    }

    /// The major and minor number of its device.
    ///
    /// # Errors
    /// If it is not mounted.
    pub fn device(&self) -> Result<(u32, u32)> {
        let device = std::os::linux::fs::MetadataExt::st_dev(&std::fs::metadata(&self.dir)?);
        Ok((rustix::fs::major(device), rustix::fs::minor(device)))
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // The namespace takes with it what stays; what goes now makes room in memory for the next image.
        if self.mounted {
            let unmounted = Command::new("umount").arg(&self.dir).status();
            if !unmounted.is_ok_and(|status| status.success()) {
                return;
            }
        }
        let removed = std::fs::remove_dir(&self.dir);
        if let Err(error) = removed.and_then(|()| std::fs::remove_file(&self.file)) {
            eprintln!("{}: {error}", self.file.display());
        }
    }
}

/// Where tracefs is, mounted for this process alone, once.
///
/// # Errors
/// If the kernel has none, or does not let it be mounted.
pub fn tracefs() -> Result<PathBuf> {
    let dir = Path::new(ROOT).join("tracing");
    if dir.join("instances").exists() {
        return Ok(dir);
    }
    std::fs::create_dir(&dir)?;
    let args = ["-t", "tracefs", "interlock"].map(OsStr::new);
    run("mount", args.into_iter().chain([dir.as_os_str()])).context("there is no tracefs here")?;
    Ok(dir)
}

/// Where tracefs is for everybody. Where it is not mounted, this program goes on in a mount namespace in which it is: what others
/// unmount is unmounted there too.
///
/// # Errors
/// If the kernel has none, or does not let it be mounted.
pub fn tracefs_of_all() -> Result<PathBuf> {
    let dir = PathBuf::from("/sys/kernel/tracing");
    if !dir.join("instances").exists() {
        if std::env::var_os(INSIDE).is_none() {
            goes_on_in("slave")?;
        }
        let args = ["-t", "tracefs", "interlock"].map(OsStr::new);
        run("mount", args.into_iter().chain([dir.as_os_str()]))
            .context("there is no tracefs here")?;
    }
    Ok(dir)
}
