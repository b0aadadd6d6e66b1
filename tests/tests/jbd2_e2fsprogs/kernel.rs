//! Logs that the kernel writes on a loop device, recovered here, and those that are written here, recovered by the kernel. Needs
//! root and loop mounts.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use conformance::jbd2_history::{MAGIC, all_features, expected, magic_data};
use interlock::jbd2::log::recovery::scan;
use interlock::jbd2::log::superblock::Superblock;
use interlock_judges::MOUNTS;

use crate::image::{Image, is_ready};
use crate::ours::{DATA, Dice, history, write};
use crate::{SHAPES, features, judge};

/// Whether e2fsprogs is here, and the kernel mounts what that has made. Says so if not.
///
/// # Panics
///
/// If not, and it is required.
fn mounts() -> bool {
    static FIRST: OnceLock<Result<(), String>> = OnceLock::new();
    if !is_ready() {
        return MOUNTS.is_here(Err::<(), _>(
            "e2fsprogs, which makes the images, is missing",
        ));
    }
    let mounts = FIRST.get_or_init(|| {
        let image = Image::new(1024, features(false, SHAPES[0]), 4);
        Mount::new(&image, "noinit_itable").map(drop)
    });
    MOUNTS.is_here(mounts.as_ref())
}

/// A mounted image, which is unmounted when it is dropped.
struct Mount(PathBuf);

impl Mount {
    /// Mounts it, or says why not.
    fn new(image: &Image, options: &str) -> Result<Self, String> {
        let dir = image.path.with_extension("mount");
        fs::create_dir(&dir).map_err(|error| error.to_string())?;
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "ext4", "-o"])
            .arg(format!("loop,{options}"));
        let why = match mount.arg(&image.path).arg(&dir).output() {
            Ok(output) if output.status.success() => return Ok(Mount(dir)),
            Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            Err(error) => format!("mount does not start: {error}"),
        };
        // Nothing is mounted on it.
        let _ = fs::remove_dir(&dir);
        Err(why)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // What cannot be unmounted stays; the images' names tell whose it is.
        let _ = Command::new("umount").arg(&self.0).status();
        let _ = fs::remove_dir(&self.0);
    }
}

/// Makes files and directories, and removes those of the round before, so that blocks are revoked.
fn work(dir: &Path, block_size: usize, round: u32) -> std::io::Result<()> {
    let here = dir.join(format!("round{round}"));
    fs::create_dir(&here)?;
    for place in 0..40 {
        fs::create_dir(here.join(format!("directory{place}")))?;
        let mut file = File::create(here.join(format!("file{place}")))?;
        file.write_all(&magic_data(block_size, place))?;
        // Holes, so that there are many extents.
        file.set_len(u64::from(place) * 64 * 1024)?;
    }
    if let Some(before) = round.checked_sub(1) {
        fs::remove_dir_all(dir.join(format!("round{before}")))?;
    }
    File::open(&here)?.sync_all()
}

#[test]
fn what_the_kernel_writes_is_recovered_here() {
    if !mounts() {
        return;
    }
    let (mut trips, mut transactions, mut blocks) = (0, 0, 0);
    let (mut revoked, mut escaped) = (0, 0);
    for shape in SHAPES {
        for (size, data) in [(1024, "ordered"), (1024, "journal"), (4096, "journal")] {
            let image = Image::new(size, features(false, shape), 4);
            let options = format!("data={data},commit=300,noinit_itable");
            let mount = Mount::new(&image, &options).expect("others can be mounted");
            for round in 0..6 {
                work(&mount.0, size, round).expect("the file system is good");
                // What a power failure would leave.
                let copy = image.copy();
                let found = scan(&copy.device(), &copy.area).expect("the log is good");
                assert!(found.transactions > 0, "the kernel has committed");
                assert_eq!(
                    (
                        found.superblock.features.is_64bit,
                        found.superblock.features.csum_v3
                    ),
                    shape
                );
                let (replay, ours) = judge(&copy, false);
                // Files that were open, or are half freed, are orphans.
                ours.e2fsck(&["-fy"]);
                ours.assert_clean();
                trips += 1;
                transactions += replay.transactions;
                blocks += replay.blocks.len();
                revoked += replay.revoked;
                let contents = replay.blocks.values();
                escaped += contents.filter(|bytes| bytes.starts_with(&MAGIC)).count();
            }
        }
    }
    println!(
        "{trips} logs of the kernel, {transactions} transactions, {blocks} blocks, {revoked} revoked, {escaped} escaped: recovered here as by e2fsck"
    );
    assert!(revoked > 0 && escaped > 0, "the kernel revokes and escapes");
}

#[test]
fn the_kernel_replays_what_is_written_here() {
    if !mounts() {
        return;
    }
    let (mut trips, mut blocks) = (0, 0);
    let mut dice = Dice(0x0FED_CBA9_8765_4321);
    for features in all_features() {
        for size in [1024, 4096] {
            let image = Image::new(size, features, DATA);
            image.debugfs(&["feature needs_recovery"]);
            let file = image.blocks("data");
            let made = Superblock::load(&image.device(), &image.area);
            let mut superblock = made.expect("mke2fs has made it");
            superblock.start = 1 + dice.below(1023) as u32;
            (superblock.sequence, superblock.features) = (500, features);
            let changes = history(&mut dice, size, &file, features);
            let (torn, whole) = changes.split_last().expect("there are three or more");
            write(&image, &superblock, whole, Some(torn));
            let found = expected(whole);
            let mount = Mount::new(&image, "noinit_itable");
            drop(mount.expect("the kernel takes the log"));
            for (number, bytes) in &found {
                assert!(image.block(*number) == *bytes, "block {number}");
            }
            image.assert_clean();
            trips += 1;
            blocks += found.len();
        }
    }
    println!("{trips} logs of ours, {blocks} blocks: replayed by the kernel");
}
