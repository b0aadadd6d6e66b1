//! The lines of a file, plain or gzipped, read as a stream.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use flate2::read::MultiGzDecoder;

/// A line longer than this is no line of a trace.
const LONGEST: u64 = 1 << 16;

/// What every gzip file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Opens a file, and unpacks it if it is gzipped.
///
/// # Errors
/// If it cannot be read.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    let read = || format!("{} cannot be read", path.display());
    let file = BufReader::new(File::open(path).with_context(read)?);
    unpacked(file).with_context(read)
}

/// The same of bytes, wherever they come from.
///
/// # Errors
/// If they cannot be read.
pub fn unpacked<'a>(mut bytes: impl BufRead + 'a) -> std::io::Result<Box<dyn BufRead + 'a>> {
    Ok(if bytes.fill_buf()?.starts_with(&GZIP) {
        Box::new(BufReader::new(MultiGzDecoder::new(bytes)))
    } else {
        Box::new(bytes)
    })
}

/// The lines of a text one after the other, in one buffer.
pub struct Lines<R> {
    text: R,
    buffer: Vec<u8>,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    /// Those of `text`.
    pub fn new(text: R) -> Lines<R> {
        Lines {
            text,
            buffer: Vec::new(),
            number: 0,
        }
    }

    /// The next line with its number, from 1, and without its end. Bytes that are no text are replaced.
    ///
    /// # Errors
    /// With the line's number: a line that is too long, and what cannot be read or unpacked.
    pub fn advance(&mut self) -> Result<Option<(usize, String)>> {
        self.buffer.clear();
        self.number += 1;
        let number = self.number;
        let mut limited = (&mut self.text).take(LONGEST);
        let read = limited
            .read_until(b'\n', &mut self.buffer)
            .with_context(|| format!("line {number} cannot be read: is the file whole?"))?;
        ensure!(
            (read as u64) < LONGEST,
            "line {number} has more than {LONGEST} bytes: it is no line of a trace"
        );
        if read == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&self.buffer);
        Ok(Some((number, line.trim_end().to_owned())))
    }
}
