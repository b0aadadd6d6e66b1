//! Memory that direct I/O may use.

use std::ops::{Deref, DerefMut};

/// What its first byte is aligned to, in bytes: a page.
const ALIGNED: usize = 4096;

/// Bytes of which the first lies on a page's.
#[derive(Debug)]
pub struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl Aligned {
    /// With this content.
    pub fn of(content: &[u8]) -> Aligned {
        let mut bytes = vec![0; content.len() + ALIGNED];
        let start = bytes.as_ptr().align_offset(ALIGNED);
        bytes[start..start + content.len()].copy_from_slice(content);
        Aligned {
            bytes,
            start,
            length: content.len(),
        }
    }
}

impl Deref for Aligned {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.length]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}
