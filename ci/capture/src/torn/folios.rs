//! Which pages of a file are one folio: what the kernel tells when they come into the page cache.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::Result;

use interlock_traces::kernel::family::Kind;

use super::words::PAGE;
use crate::instance::Instance;

/// The event.
const EVENT: &str = "mm_filemap_add_to_page_cache";

/// Of each page of which it is known, the first page of its folio.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folios(BTreeMap<u64, u64>);

impl Folios {
    /// Folios by their first page and how many they have; of one that comes later the pages are its own.
    pub fn at(folios: impl IntoIterator<Item = (u64, u64)>) -> Folios {
        let mut first = BTreeMap::new();
        for (begin, pages) in folios {
            first.extend((begin..begin + pages).map(|page| (page, begin)));
        }
        Folios(first)
    }

    /// Whether a folio begins at this offset, the first byte of a page.
    pub fn begins(&self, at: u64) -> Option<bool> {
        let page = at / PAGE;
        self.0.get(&page).map(|first| *first == page)
    }

    /// Those of a file that come into the page cache while `fill` runs, in threads of this process.
    ///
    /// # Errors
    /// If `fill` fails. Where the kernel does not tell, none is known.
    pub fn while_filling(
        tracefs: Option<&Path>,
        path: &Path,
        fill: impl FnOnce() -> Result<()>,
    ) -> Result<Folios> {
        let kind = Kind {
            event: EVENT.to_owned(),
            fields: BTreeMap::new(),
            probes: Vec::new(),
        };
        let instance = tracefs.and_then(|tracefs| {
            let instance = Instance::new(tracefs).ok()?;
            instance.start(&[&kind], (0, 0), true).ok()?;
            Some(instance)
        });
        fill()?;
        let Some(instance) = instance else {
            return Ok(Folios::default());
        };
        let trace = path.with_extension("trace");
        instance.finish(&trace, &[])?;
        let text = std::fs::read_to_string(&trace)?;
        std::fs::remove_file(&trace)?;
        Ok(Folios::told(&text, std::fs::metadata(path)?.ino()))
    }

    /// As a trace tells it of a file, by its inode alone, since btrfs gives its subvolumes devices of their own:
    /// `.. mm_filemap_add_to_page_cache: dev 7:0 ino c pfn=0x1 ofs=4096 order=1`. Where no order is told, nothing is known.
    fn told(trace: &str, inode: u64) -> Folios {
        let inode = format!("{inode:x}");
        let event = format!(" {EVENT}: ");
        let folios = trace.lines().filter_map(|line| {
            let told = line.split_once(&event)?.1;
            if told.split(' ').nth(3) != Some(&inode) {
                return None;
            }
            let field = |name| told.split(' ').find_map(|word| word.strip_prefix(name));
            let offset: u64 = field("ofs=")?.parse().ok()?;
            let order: u32 = field("order=")?.trim().parse().ok()?;
            Some((offset / PAGE, 1_u64.checked_shl(order)?))
        });
        Folios::at(folios)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = " wl-w0-7 [001] ..... 1.000001: mm_filemap_add_to_page_cache:";

    #[test]
    fn a_trace_tells_folios() {
        let trace = [
            "dev 7:0 ino c pfn=0x1 ofs=4096 order=0",
            "dev 7:0 ino c pfn=0x2 ofs=8192 order=1",
            "dev 7:0 ino cc pfn=0x4 ofs=12288 order=0",
        ];
        let trace: String = trace.map(|told| format!("{HEAD} {told}\n")).concat();
        let folios = Folios::told(&trace, 12);
        assert_eq!(folios, Folios::at([(1, 1), (2, 2)]));
        let begins = |page| folios.begins(page * PAGE);
        assert_eq!([1, 2, 3].map(begins), [Some(true), Some(true), Some(false)]);
        assert_eq!((begins(0), begins(4)), (None, None));
    }

    #[test]
    fn without_an_order_nothing_is_known() {
        let trace = format!("{HEAD} dev 7:0 ino c page=0x1 pfn=0x1 ofs=4096\n");
        assert_eq!(Folios::told(&trace, 12), Folios::default());
    }
}
