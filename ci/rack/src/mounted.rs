//! A file system whose disk is ours.

use std::ffi::CString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use interlock_capture::place;
use interlock_disk::{Device, Disk};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use crate::plan::Fs;

impl Fs {
    /// Bytes of its disk, and how it is made there.
    fn format(self) -> (u64, &'static [&'static str]) {
        match self {
            // What is zeroed later would come between the writes of a plan.
            Fs::Ext4 => (
                128 << 20,
                &[
                    "mkfs.ext4",
                    "-q",
                    "-b",
                    "4096",
                    "-J",
                    "size=4",
                    "-E",
                    "lazy_itable_init=0,lazy_journal_init=0",
                ],
            ),
            Fs::Xfs => (512 << 20, &["mkfs.xfs", "-q", "-f", "-K"]),
        }
    }
}

/// A file system made and mounted on a disk of ours.
pub struct Mounted {
    /// Where.
    pub dir: PathBuf,
    /// Its disk.
    pub disk: Disk,
    device: Option<Device>,
}

impl Mounted {
    /// Makes one of these, below `root`, with mkfs's options and mount's.
    ///
    /// # Errors
    /// If it cannot be made or mounted.
    pub fn new(root: &Path, fs: Fs, options: &str) -> Result<Mounted> {
        let disk = Disk::new();
        let (bytes, format) = fs.format();
        let device = Device::attach(&disk, bytes)?;
        place::make(format, device.path.as_os_str())?;
        let dir = root.join(fs.to_string());
        std::fs::create_dir_all(&dir)?;
        let options = CString::new(options)?;
        mount(
            &device.path,
            &dir,
            fs.to_string(),
            MountFlags::NOATIME,
            Some(options.as_c_str()),
        )
        .with_context(|| format!("{} cannot be mounted", device.path.display()))?;
        Ok(Mounted {
            dir,
            disk,
            device: Some(device),
        })
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.disk.release_all();
        let unmounted = unmount(&self.dir, UnmountFlags::empty());
        if let Err(error) = unmounted {
            eprintln!("{}: {error}", self.dir.display());
        }
        drop(self.device.take());
    }
}
