//! The disk as a block device of the running kernel: drivers/block/nbd.c, set up by its ioctls.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use anyhow::{Context as _, Result, anyhow};
use rustix::ioctl::{IntegerSetter, NoArg, Opcode, ioctl};

use crate::disk::Disk;
use crate::wire;

/// Bytes of a logical sector: the least that a direct write may be of.
pub const SECTOR: u64 = 512;

const SET_SOCK: Opcode = 0xab00;
const SET_BLKSIZE: Opcode = 0xab01;
const DO_IT: Opcode = 0xab03;
const CLEAR_SOCK: Opcode = 0xab04;
const SET_SIZE_BLOCKS: Opcode = 0xab07;
const DISCONNECT: Opcode = 0xab08;
const SET_FLAGS: Opcode = 0xab0a;

/// A block device that is this disk, as long as it lives.
pub struct Device {
    /// `/dev/nbd0`.
    pub path: PathBuf,
    device: File,
    disk: Disk,
    serving: Vec<JoinHandle<io::Result<()>>>,
}

impl Device {
    /// Makes the disk a block device of so many bytes.
    ///
    /// # Errors
    /// Without root, without the module nbd, and if all of its devices are used.
    pub fn attach(disk: &Disk, bytes: u64) -> Result<Device> {
        let (path, device) = unused()?;
        let (ours, kernels) = UnixStream::pair()?;
        // Whoever lost a race for the device is refused here.
        set::<SET_SOCK>(&device, usize::try_from(kernels.as_raw_fd())?)
            .with_context(|| format!("{} does not take a socket", path.display()))?;
        set::<SET_BLKSIZE>(&device, SECTOR as usize)?;
        set::<SET_SIZE_BLOCKS>(&device, usize::try_from(bytes / SECTOR)?)?;
        set::<SET_FLAGS>(&device, wire::FLAGS)?;
        let served = disk.clone();
        let server = thread::Builder::new().name("disk".to_owned());
        let server = server.spawn(move || served.serve(ours))?;
        let held = device.try_clone()?;
        let client = thread::Builder::new().name("nbd".to_owned());
        let client = client.spawn(move || {
            // It returns when the device is disconnected.
            let done = act::<DO_IT>(&held);
            drop(kernels);
            done
        })?;
        let device = Device {
            path,
            device,
            disk: disk.clone(),
            serving: vec![server, client],
        };
        device.ready()?;
        Ok(device)
    }

    /// Waits until the kernel knows the size.
    fn ready(&self) -> Result<()> {
        for _ in 0..500 {
            if size(&self.path)? > 0 && pid(&self.path).exists() {
                return Ok(());
            }
            thread::sleep(std::time::Duration::from_millis(10));
        }
        Err(anyhow!("{} does not come up", self.path.display()))
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.disk.release_all();
        let disconnected = act::<DISCONNECT>(&self.device);
        if let Err(error) = disconnected.and_then(|()| act::<CLEAR_SOCK>(&self.device)) {
            eprintln!("{}: {error}", self.path.display());
        }
        for thread in self.serving.drain(..) {
            match thread.join() {
                Ok(Ok(())) => {}
                Ok(Err(error)) => eprintln!("{}: {error}", self.path.display()),
                Err(_) => eprintln!("{}: its server has panicked", self.path.display()),
            }
        }
    }
}

/// A device that nobody has.
fn unused() -> Result<(PathBuf, File)> {
    for number in 0..16 {
        let path = PathBuf::from(format!("/dev/nbd{number}"));
        if !path.exists() {
            break;
        }
        if size(&path)? == 0 && !pid(&path).exists() {
            let device = File::options().read(true).write(true).open(&path);
            let device = device.with_context(|| format!("{} cannot be opened", path.display()))?;
            return Ok((path, device));
        }
    }
    Err(anyhow!(
        "there is no free network block device: `modprobe nbd` makes some"
    ))
}

/// In sectors.
fn size(device: &Path) -> Result<u64> {
    let text = fs::read_to_string(attribute(device, "size"))?;
    text.trim().parse().context("the size of a block device")
}

/// Is there while somebody serves the device.
fn pid(device: &Path) -> PathBuf {
    attribute(device, "pid")
}

fn attribute(device: &Path, name: &str) -> PathBuf {
    let block = Path::new("/sys/block");
    block
        .join(device.file_name().unwrap_or_default())
        .join(name)
}

fn set<const OPCODE: Opcode>(device: &File, value: usize) -> io::Result<()> {
    // SAFETY: the ioctls of nbd whose numbers are above take an integer, and touch no memory of this process.
    unsafe { ioctl(device, IntegerSetter::<OPCODE>::new_usize(value)) }.map_err(Into::into)
}

fn act<const OPCODE: Opcode>(device: &File) -> io::Result<()> {
    // SAFETY: the ioctls of nbd whose numbers are above take no argument, and touch no memory of this process.
    unsafe { ioctl(device, NoArg::<OPCODE>::new()) }.map_err(Into::into)
}
