//! The journal itself on an image of ext4, left as a crash leaves it.

use interlock::jbd2::journal::{Division, Journal};
use interlock::jbd2::probe::NoProbe;
use interlock::jbd2::rules::HandOver;
use interlock::sys::StdSys;

use crate::image::{Image, is_ready};
use crate::ours::Dice;
use crate::{SHAPES, features, judge};

/// Blocks of the file that handles write.
const DATA: usize = 60;

#[test]
fn a_journal_that_was_in_use_is_replayed() {
    if !is_ready() {
        return;
    }
    let mut transactions = 0;
    for (shape, seed) in SHAPES.into_iter().zip(1..) {
        for size in [1024, 4096] {
            let mut dice = Dice(0x9E37_79B9 + seed);
            let image = Image::new(size, features(false, shape), DATA);
            let blocks = image.blocks("data");
            image.debugfs(&["feature needs_recovery"]);
            let journal: Journal<_, HandOver, StdSys> = Journal::open_with(
                image.device(),
                image.area.clone(),
                Division::default(),
                NoProbe,
            )
            .expect("a journal of mke2fs");
            for round in 0..40 {
                let mut handle = journal.start(8, 2).expect("a handle");
                for _ in 0..dice.below(9) {
                    let block = blocks[dice.below(DATA as u64) as usize];
                    let mut bytes = handle.get_write_access(block).expect("its bytes");
                    let at = dice.below(size as u64) as usize;
                    bytes[at] = bytes[at].wrapping_add(1);
                    handle
                        .dirty_metadata(block, &bytes)
                        .expect("it has credits");
                }
                if let Some(reservation) = handle.stop() {
                    let mut later = reservation.start().expect("a handle");
                    later
                        .dirty_metadata(blocks[0], &vec![round; size])
                        .expect("it has credits");
                }
                match dice.below(4) {
                    0 => drop(journal.force_commit().expect("a commit")),
                    1 if round == 20 => journal.checkpoint().expect("a checkpoint"),
                    _ => {}
                }
            }
            journal.force_commit().expect("a commit");
            let mut handle = journal.start(1, 0).expect("a handle");
            handle
                .dirty_metadata(blocks[1], &vec![0xEE; size])
                .expect("it has a credit");
            drop(handle);
            let versions: Vec<Vec<u8>> = blocks
                .iter()
                .map(|block| journal.read(*block).expect("its bytes"))
                .collect();
            drop(journal);
            let (replay, ours) = judge(&image, true);
            transactions += replay.transactions;
            for (place, (block, version)) in blocks.iter().zip(&versions).enumerate() {
                let is_uncommitted = place == 1;
                assert_eq!(
                    ours.block(*block) == *version,
                    !is_uncommitted,
                    "block {block}"
                );
            }
            ours.assert_clean();
        }
    }
    println!("8 journals, {transactions} transactions");
    assert!(transactions > 40, "{transactions} transactions");
}
