//! One entry: a line with the digest of the rest, a line of JSON, and the outputs, compressed.

use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::process::{End, Stop};
use crate::toolchain::hex_sha256;

/// What a program left that ended by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its exit status.
    pub status: ExitStatus,
    /// Wall time.
    pub took: Duration,
    /// CPU time, user and system.
    pub cpu: Duration,
    /// The most memory that was resident, in bytes.
    pub peak: u64,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
    /// The steps that it wrote down, if it was asked to and took any.
    pub edges: Option<Vec<u8>>,
}

/// The line of JSON.
#[derive(Serialize, Deserialize)]
struct Head {
    /// Of the key: an entry under another one's name is not used.
    key: String,
    status: i32,
    wall: f64,
    cpu: f64,
    peak: u64,
    stdout: usize,
    stderr: usize,
    edges: Option<usize>,
}

impl Entry {
    /// What a run leaves that ended so; `None` if it was killed.
    pub fn new(
        end: End,
        stdout: Vec<u8>,
        stderr: Vec<u8>,
        edges: Option<Vec<u8>>,
    ) -> Option<Entry> {
        let Stop::Exited(status) = end.stop else {
            return None;
        };
        Some(Entry {
            status,
            took: end.took,
            cpu: end.cpu,
            peak: end.peak,
            stdout,
            stderr,
            edges,
        })
    }

    /// How the run ended, and what it cost then.
    pub fn end(&self) -> End {
        End {
            stop: Stop::Exited(self.status),
            took: self.took,
            cpu: self.cpu,
            peak: self.peak,
        }
    }

    /// The entry as it is kept, as the answer to this question.
    ///
    /// # Errors
    ///
    /// When it cannot be packed.
    pub fn bytes(&self, key: &Key) -> Result<Vec<u8>> {
        let head = Head {
            key: key.digest().to_owned(),
            status: self.status.into_raw(),
            wall: self.took.as_secs_f64(),
            cpu: self.cpu.as_secs_f64(),
            peak: self.peak,
            stdout: self.stdout.len(),
            stderr: self.stderr.len(),
            edges: self.edges.as_ref().map(Vec::len),
        };
        let mut rest = serde_json::to_vec(&head)?;
        rest.push(b'\n');
        let mut packed = GzEncoder::new(rest, Compression::fast());
        for part in [&self.stdout, &self.stderr].into_iter().chain(&self.edges) {
            packed.write_all(part)?;
        }
        let rest = packed.finish()?;
        let mut bytes = hex_sha256(&rest).into_bytes();
        bytes.push(b'\n');
        bytes.extend(rest);
        Ok(bytes)
    }

    /// Reads what [`Entry::bytes`] has written.
    ///
    /// # Errors
    ///
    /// When it is cut off, was changed, or answers another question.
    pub fn parse(bytes: &[u8], key: &Key) -> Result<Entry> {
        let (digest, rest) = line(bytes).context("it is cut off")?;
        ensure!(
            digest == hex_sha256(rest).as_bytes(),
            "its content is not what was kept: it was cut off or changed"
        );
        let (head, packed) = line(rest).context("it has no head")?;
        let head: Head = serde_json::from_slice(head).context("its head is of another version")?;
        ensure!(head.key == key.digest(), "it answers another question");
        let parts = [head.stdout, head.stderr, head.edges.unwrap_or(0)];
        let length = parts.into_iter().try_fold(0, usize::checked_add);
        let length = length.context("its parts are longer than any file")?;
        let mut all = Vec::new();
        // One more than it says is enough to see that it is longer.
        let most = (length as u64).saturating_add(1);
        GzDecoder::new(packed).take(most).read_to_end(&mut all)?;
        ensure!(all.len() == length, "its parts are not as long as it says");
        let edges = all.split_off(head.stdout + head.stderr);
        let stderr = all.split_off(head.stdout);
        Ok(Entry {
            status: ExitStatus::from_raw(head.status),
            took: Duration::try_from_secs_f64(head.wall)?,
            cpu: Duration::try_from_secs_f64(head.cpu)?,
            peak: head.peak,
            stdout: all,
            stderr,
            edges: head.edges.map(|_| edges),
        })
    }
}

/// The first line, without its end, and the rest.
fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}
