//! How long a loop over pages keeps the processor: whole, in pagevecs, and in extents.

use std::time::{Duration, Instant};

use interlock::latency::walk::{Pieces, Walk};

use crate::stats::Waits;

/// Bytes in a page.
const PAGE: usize = 4096;
/// Pages that are copied over and over: 4 MiB from, and as much to.
const BUFFER: usize = 1024;
/// Pages in a pagevec (2.6.34), and in an extent (MAX_WRITEPAGES_EXTENT_LEN with blocks of 4 KiB).
const PAGEVEC: usize = 14;
const EXTENT: usize = 2048;

/// A loop, in pieces as one variant has them.
pub struct Stretches {
    /// Pages of the loop.
    pub pages: usize,
    /// What the table calls the variant.
    pub name: &'static str,
    /// The times between two yield points.
    pub waits: Waits,
}

/// The variants in the order of the table, the first is what ratios are to.
const VARIANTS: [(&str, Pieces); 3] = [
    ("whole, as 2.6.34 submits", Pieces::Whole),
    ("14 pages, as the seed's patch", Pieces::Batches(PAGEVEC)),
    ("2048 pages, as an extent of 3.11", Pieces::Extents(EXTENT)),
];

/// Measures each variant at each size, all in turn in each round.
pub fn measure(rounds: usize) -> Vec<Stretches> {
    let from = vec![7_u8; BUFFER * PAGE];
    // Not zeros, whose pages are not there before the first write.
    let mut to = vec![1_u8; BUFFER * PAGE];
    let mut measured = Vec::new();
    for pages in [1 << 10, 1 << 14, 1 << 18] {
        let mut waits = VARIANTS.map(|_| Waits::default());
        for _ in 0..rounds {
            for ((_, pieces), waits) in VARIANTS.iter().zip(&mut waits) {
                walk(Walk::new(pages, *pieces), &from, &mut to, waits);
            }
        }
        for ((name, _), waits) in VARIANTS.into_iter().zip(waits) {
            measured.push(Stretches { pages, name, waits });
        }
    }
    measured
}

/// Copies each page, and adds the times between two yield points.
fn walk(walk: Walk, from: &[u8], to: &mut [u8], waits: &mut Waits) {
    let mut began = Instant::now();
    let copy = |(): &mut (), page: usize| {
        let at = page % BUFFER * PAGE;
        to[at..at + PAGE].copy_from_slice(&from[at..at + PAGE]);
        std::hint::black_box(&to[at]);
    };
    walk.run(
        || (),
        copy,
        || {
            let stretch: Duration = began.elapsed();
            waits.add(stretch);
            std::thread::yield_now();
            began = Instant::now();
        },
    );
}
