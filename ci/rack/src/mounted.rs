//! A file system whose disk is ours.

use std::ffi::CString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use interlock_capture::place;
use interlock_disk::{Device, Disk};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use crate::plan::Fs;

impl Fs {
    /// How it is made, ext4 with a journal of so many MiB.
    pub(crate) fn format(self, journal: u32) -> Vec<String> {
        match self {
            // What is zeroed later would come between the writes of a plan.
            Fs::Ext4 => format!(
                "mkfs.ext4 -q -b 4096 -J size={journal} -E lazy_itable_init=0,lazy_journal_init=0"
            ),
            Fs::Xfs => "mkfs.xfs -q -f -K".to_owned(),
        }
        .split(' ')
        .map(str::to_owned)
        .collect()
    }

    /// Bytes of its disk.
    fn bytes(self) -> u64 {
        match self {
            Fs::Ext4 => 128 << 20,
            Fs::Xfs => 512 << 20,
        }
    }
}

/// MiB of the journal of ext4, where nothing else is asked for.
pub(crate) const JOURNAL: u32 = 4;

/// A file system made and mounted on a disk of ours.
pub struct Mounted {
    /// Where.
    pub dir: PathBuf,
    /// Its disk.
    pub disk: Disk,
    device: Option<Device>,
}

impl Mounted {
    /// Makes one of these, below `root`, with mount's options.
    ///
    /// # Errors
    /// If it cannot be made or mounted.
    pub fn new(root: &Path, fs: Fs, options: &str) -> Result<Mounted> {
        Mounted::made(root, fs, fs.bytes(), JOURNAL, options)
    }

    /// The same of ext4, with so many bytes, and a journal of so many MiB.
    ///
    /// # Errors
    /// As [`Mounted::new`].
    pub fn ext4(root: &Path, bytes: u64, journal: u32, options: &str) -> Result<Mounted> {
        Mounted::made(root, Fs::Ext4, bytes, journal, options)
    }

    /// The ext4 that is on a disk of so many bytes, mounted at `dir`.
    ///
    /// # Errors
    /// If it cannot be mounted.
    pub fn of(dir: &Path, disk: &Disk, bytes: u64, options: &str) -> Result<Mounted> {
        let device = Device::attach(disk, bytes)?;
        Mounted::at(dir, Fs::Ext4, disk, device, options)
    }

    fn made(root: &Path, fs: Fs, bytes: u64, journal: u32, options: &str) -> Result<Mounted> {
        let disk = Disk::new();
        let device = Device::attach(&disk, bytes)?;
        let format = fs.format(journal);
        let format: Vec<&str> = format.iter().map(String::as_str).collect();
        place::make(&format, device.path.as_os_str())?;
        Mounted::at(&root.join(fs.to_string()), fs, &disk, device, options)
    }

    fn at(dir: &Path, fs: Fs, disk: &Disk, device: Device, options: &str) -> Result<Mounted> {
        std::fs::create_dir_all(dir)?;
        let options = CString::new(options)?;
        mount(
            &device.path,
            dir,
            fs.to_string(),
            MountFlags::NOATIME,
            Some(options.as_c_str()),
        )
        .with_context(|| format!("{} cannot be mounted", device.path.display()))?;
        Ok(Mounted {
            dir: dir.to_owned(),
            disk: disk.clone(),
            device: Some(device),
        })
    }

    /// Its device, when it is mounted no more.
    ///
    /// # Errors
    /// If it cannot be unmounted.
    pub fn unmounted(mut self) -> Result<Device> {
        let device = self.device.take().context("it has a device")?;
        unmount(&self.dir, UnmountFlags::empty())?;
        Ok(device)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let Some(device) = self.device.take() else {
            return;
        };
        self.disk.release_all();
        let unmounted = unmount(&self.dir, UnmountFlags::empty());
        if let Err(error) = unmounted {
            eprintln!("{}: {error}", self.dir.display());
        }
        drop(device);
    }
}
