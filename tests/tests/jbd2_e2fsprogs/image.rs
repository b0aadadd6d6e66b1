//! Images of ext4 in temporary files, and the tools of e2fsprogs.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use interlock::device::FileDevice;
use interlock::jbd2::log::area::LogArea;
use interlock::jbd2::log::superblock::Features;
use interlock_judges::E2FSPROGS;
use tempfile::{NamedTempFile, TempPath};

/// Whether e2fsprogs is here. Says so if it is not.
///
/// # Panics
///
/// It is not, and is required.
pub fn is_ready() -> bool {
    let missing = ["debugfs", "e2fsck", "mke2fs"]
        .into_iter()
        .find(|tool| path(tool).is_none());
    E2FSPROGS.is_here(missing.map_or(Ok(()), |tool| Err(format!("{tool} is missing"))))
}

fn path(tool: &str) -> Option<PathBuf> {
    let dirs = std::env::var_os("PATH").unwrap_or_default();
    let dirs = std::env::split_paths(&dirs).chain(["/usr/sbin".into(), "/sbin".into()]);
    dirs.map(|dir| dir.join(tool)).find(|path| path.is_file())
}

/// Runs a tool in the folder of the temporary files: debugfs takes no name with a space in it, and a folder may have one.
fn run(tool: &str, arguments: &[&str], image: &Path) -> Output {
    let path = path(tool).expect("it is here");
    let output = Command::new(path)
        .args(arguments)
        .arg(image)
        .env("LC_ALL", "C")
        .current_dir(FOLDER)
        .output();
    output.expect("it can be run")
}

/// An image in a temporary file, which goes when it is dropped.
pub struct Image {
    pub path: TempPath,
    pub block_size: usize,
    /// Where the journal's blocks are.
    pub area: LogArea,
}

/// Where temporary files are: there is room for them where there is for what was built.
const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

fn new_file() -> NamedTempFile {
    let file = tempfile::Builder::new()
        .prefix("e2fsprogs-")
        .tempfile_in(FOLDER);
    file.expect("a temporary file")
}

/// A temporary file.
pub struct Scratch(TempPath);

impl Scratch {
    /// With these bytes.
    pub fn new(bytes: &[u8]) -> Self {
        let mut file = new_file();
        file.write_all(bytes).expect("there is room");
        Scratch(file.into_temp_path())
    }

    /// Its name, for [`Image::debugfs`].
    pub fn name(&self) -> &str {
        let name = self.0.file_name().and_then(|name| name.to_str());
        name.expect("letters and digits")
    }
}

impl Image {
    /// A file system of 1024 blocks of journal and 3072 others, whose journal may have these features, with a file `data` of so
    /// many blocks.
    pub fn new(block_size: usize, features: Features, data_blocks: usize) -> Self {
        let file = new_file();
        file.as_file()
            .set_len(4096 * block_size as u64)
            .expect("there is room");
        let mut image = Image {
            path: file.into_temp_path(),
            block_size,
            area: LogArea::new(block_size, Vec::new()),
        };
        let has = |has, name: &str| {
            if has {
                name.to_string()
            } else {
                format!("^{name}")
            }
        };
        let options = [
            has(features.is_64bit, "64bit"),
            has(features.csum_v3, "metadata_csum"),
        ];
        let (size, journal) = (block_size.to_string(), (block_size / 1024).to_string());
        let output = run(
            "mke2fs",
            &[
                "-q",
                "-F",
                "-t",
                "ext4",
                "-b",
                &size,
                "-O",
                &options.join(","),
                "-J",
                &format!("size={journal}"),
                "-E",
                "lazy_itable_init=0,lazy_journal_init=0",
                "-N",
                "512",
            ],
            &image.path,
        );
        assert!(output.status.success(), "{output:?}");
        let data = (0..data_blocks * block_size).map(|byte| (byte % 251) as u8);
        let data = Scratch::new(&data.collect::<Vec<u8>>());
        image.debugfs(&[&format!("write {} data", data.name())]);
        let journal = image.blocks("<8>");
        assert_eq!(journal.len(), 1024);
        let runs = journal.iter().map(|block| *block..*block + 1).collect();
        image.area = LogArea::new(block_size, runs);
        image
    }

    /// A copy of it.
    pub fn copy(&self) -> Self {
        let path = new_file().into_temp_path();
        fs::copy(&self.path, &path).expect("there is room");
        Image {
            path,
            block_size: self.block_size,
            area: self.area.clone(),
        }
    }

    /// Runs commands of debugfs, none of which may complain, and returns what it prints.
    pub fn debugfs(&self, commands: &[&str]) -> String {
        let (text, complaints) = self.try_debugfs(commands);
        assert_eq!(complaints, "", "{commands:?}");
        text
    }

    /// Runs commands of debugfs, and returns what it prints, and what it complains of.
    pub fn try_debugfs(&self, commands: &[&str]) -> (String, String) {
        let script = Scratch::new(commands.join("\n").as_bytes());
        let output = run("debugfs", &["-w", "-f", script.name()], &self.path);
        let errors = String::from_utf8_lossy(&output.stderr);
        // Behind its version.
        let complaints: Vec<&str> = errors.lines().skip(1).collect();
        let text = String::from_utf8_lossy(&output.stdout);
        (text.into_owned(), complaints.join("\n"))
    }

    /// The blocks of a file.
    pub fn blocks(&self, file: &str) -> Vec<u64> {
        let text = self.debugfs(&[&format!("blocks {file}")]);
        let line = text.lines().nth(1).unwrap_or_default();
        let blocks = line
            .split_whitespace()
            .map(|block| block.parse().expect("a number"));
        blocks.collect()
    }

    /// The device.
    pub fn device(&self) -> FileDevice {
        let file = OpenOptions::new().read(true).write(true).open(&self.path);
        FileDevice::new(file.expect("it is there"), 512).expect("it has a length")
    }

    /// What a block holds.
    pub fn block(&self, number: u64) -> Vec<u8> {
        let mut bytes = vec![0; self.block_size];
        let file = File::open(&self.path).expect("it is there");
        let read = file.read_exact_at(&mut bytes, number * self.block_size as u64);
        read.expect("it has the block");
        bytes
    }

    /// All of it.
    pub fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).expect("it is there")
    }

    /// Runs e2fsck, which may change something, but must leave nothing uncorrected.
    pub fn e2fsck(&self, options: &[&str]) {
        let output = run("e2fsck", options, &self.path);
        let is_good = output.status.code().is_some_and(|code| code <= 1);
        assert!(is_good, "{options:?}: {output:?}");
    }

    /// e2fsck finds nothing wrong.
    pub fn assert_clean(&self) {
        let output = run("e2fsck", &["-fn"], &self.path);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{text}");
    }
}
