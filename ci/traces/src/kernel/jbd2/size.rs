//! How large a journal is, as the comments of a trace tell.

use anyhow::{Context as _, Result, ensure};

use crate::kernel::Source;
use crate::kernel::family::Family;

/// What the comments have told.
#[derive(Debug)]
pub struct Size {
    /// The blocks of the log, by mkfs's options.
    made: Option<u32>,
    /// `j_max_transaction_buffers`, by /proc/fs/jbd2.
    largest: Option<u32>,
    /// The log is so many times as large as that, in the kernel of the trace.
    divisor: u32,
}

impl Size {
    /// Nothing is told yet.
    ///
    /// # Errors
    /// If the table of the kernel lacks the divisor.
    pub fn new(source: &Source) -> Result<Size> {
        Ok(Size {
            made: None,
            largest: None,
            divisor: divisor(&source.family)?,
        })
    }

    /// `mkfs.ext4 -b 4096 -J size=4`, in MiB; `27 transactions (27 requested), each up to 341 blocks`, of /proc/fs/jbd2/*/info.
    ///
    /// # Errors
    /// If the two do not agree.
    pub fn comment(&mut self, text: &str) -> Result<()> {
        if let Some((_, options)) = text.split_once("mkfs.ext4 ") {
            let after = |word: &str| {
                let (_, rest) = options.split_once(word)?;
                rest.split([' ', ',', ';']).next()?.parse::<u32>().ok()
            };
            if let (Some(block), Some(size)) = (after("-b "), after("-J size=")) {
                self.made = size
                    .checked_mul(1 << 20)
                    .and_then(|size| size.checked_div(block));
            }
        }
        if let Some((_, rest)) = text.split_once(", each up to ") {
            let number = rest.split_whitespace().next();
            self.largest = number.and_then(|number| number.parse().ok());
        }
        if let (Some(made), Some(largest)) = (self.made, self.largest) {
            ensure!(
                made / self.divisor == largest,
                "a log of {made} blocks, and transactions of {largest}: this kernel's are of {} (another kernel?)",
                made / self.divisor
            );
        }
        Ok(())
    }

    /// The blocks of the log, at most.
    ///
    /// # Errors
    /// If the comments do not say.
    pub fn log(&self) -> Result<u32> {
        // A division has lost the rest.
        let most = |largest: u32| {
            let log = largest.checked_add(1)?.checked_mul(self.divisor)?;
            log.checked_sub(1)
        };
        self.made.or(self.largest.and_then(most)).context(
            "the size of the log is not known: begin the file with `# jbd2 info: ` and the first line of /proc/fs/jbd2/*/info",
        )
    }

    /// `j_max_transaction_buffers` in this kernel, at most.
    ///
    /// # Errors
    /// If the comments do not say.
    pub fn max(&self, kernel: &Family) -> Result<u32> {
        Ok(self.log()? / divisor(kernel)?)
    }
}

fn divisor(kernel: &Family) -> Result<u32> {
    let divisor = kernel.constant("log_divisor")?;
    let divisor = divisor.parse().ok().filter(|divisor| *divisor > 0);
    divisor.with_context(|| format!("the table of kernel {}: log_divisor", kernel.kernel))
}
