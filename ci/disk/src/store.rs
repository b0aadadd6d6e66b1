//! What the disk holds: pages that are not zero.

use std::collections::BTreeMap;

/// Bytes of a page.
const PAGE: usize = 4096;

#[derive(Debug, Default, Clone)]
pub struct Store {
    pages: BTreeMap<u64, Box<[u8; PAGE]>>,
}

impl Store {
    /// `length` bytes from `from` on.
    pub fn read(&self, from: u64, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            let (page, start) = place(from + bytes.len() as u64);
            let end = PAGE.min(start + length - bytes.len());
            match self.pages.get(&page) {
                Some(page) => bytes.extend(&page[start..end]),
                None => bytes.resize(bytes.len() + end - start, 0),
            }
        }
        bytes
    }

    /// Puts these bytes there.
    pub fn write(&mut self, from: u64, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let (page, start) = place(from + done as u64);
            let end = PAGE.min(start + bytes.len() - done);
            let part = &bytes[done..done + end - start];
            // What was never anything but zero takes no memory: mkfs writes much of it.
            if self.pages.contains_key(&page) || part.iter().any(|byte| *byte != 0) {
                let page = self.pages.entry(page);
                page.or_insert_with(|| Box::new([0; PAGE]))[start..end].copy_from_slice(part);
            }
            done += part.len();
        }
    }
}

/// The page of a byte, and where in it that byte is.
fn place(at: u64) -> (u64, usize) {
    (at / PAGE as u64, (at % PAGE as u64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut store = Store::default();
        store.write(4000, &[7; 200]);
        assert_eq!(store.read(3999, 3), [0, 7, 7]);
        assert_eq!(store.read(4199, 3), [7, 0, 0]);
        assert_eq!(store.pages.len(), 2);
    }

    #[test]
    fn zeroes_replace_and_take_no_memory() {
        let mut store = Store::default();
        store.write(8192, &[0; 8192]);
        assert!(store.pages.is_empty());
        store.write(0, &[7; 512]);
        store.write(256, &[0; 256]);
        assert_eq!(store.read(255, 2), [7, 0]);
    }
}
