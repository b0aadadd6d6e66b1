//! Logs with a flipped bit: e2fsprogs ends them where they end here, and complains where an error is told here.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

use conformance::jbd2_history::expected;
use interlock::jbd2::log::recovery::{recover, scan};
use interlock::jbd2::log::superblock::{Features, Superblock};

use crate::assert_same_blocks;
use crate::image::{Image, is_ready};
use crate::ours::{Dice, history, write};

fn flip(image: &Image, log_block: u32, bit: u64) {
    let position = image.area.position(log_block).expect("it is in the log") + bit / 8;
    let file = OpenOptions::new().read(true).write(true).open(&image.path);
    let (file, mut byte) = (file.expect("it is there"), [0]);
    file.read_exact_at(&mut byte, position)
        .expect("it has the byte");
    byte[0] ^= 1 << (bit % 8);
    file.write_all_at(&byte, position).expect("it has the byte");
}

#[test]
fn e2fsprogs_agrees_on_flipped_bits() {
    if !is_ready() {
        return;
    }
    let (mut whole, mut shorter, mut told) = (0, 0, 0);
    let mut dice = Dice(0x0BAD_CAFE_0BAD_CAFE);
    for _ in 0..6 {
        let image = Image::new(1024, Features::ALL, 12);
        image.debugfs(&["feature needs_recovery"]);
        let file = image.blocks("data");
        let made = Superblock::load(&image.device(), &image.area);
        let mut superblock = made.expect("mke2fs has made it");
        (superblock.start, superblock.features) = (1, Features::ALL);
        let changes = history(&mut dice, 1024, &file, Features::ALL);
        write(&image, &superblock, &changes, None);
        let found = scan(&image.device(), &image.area).expect("the log is good");
        assert_eq!(found.blocks, expected(&changes));
        for _ in 0..40 {
            let ours = image.copy();
            let log_block = dice.below(u64::from(found.head)) as u32;
            let bits = [96 * 8, 1024 * 8][dice.below(2) as usize];
            flip(&ours, log_block, dice.below(bits));
            let theirs = ours.copy();
            let (_, complaints) = theirs.try_debugfs(&["jr"]);
            match recover(&ours.device(), &ours.area) {
                Ok(replay) => {
                    assert_eq!(complaints, "", "log block {log_block}");
                    assert_same_blocks("debugfs", &theirs, &replay.blocks);
                    for number in &file {
                        assert!(
                            ours.block(*number) == theirs.block(*number),
                            "block {number}"
                        );
                    }
                    match replay.transactions == found.transactions {
                        true => whole += 1,
                        false => shorter += 1,
                    }
                }
                Err(error) => {
                    assert!(
                        complaints.contains("while recovering journal"),
                        "{error}: {complaints}"
                    );
                    told += 1;
                }
            }
        }
    }
    println!(
        "flipped bits: {whole} change nothing, {shorter} end the log, {told} are told, as by debugfs"
    );
    assert!(shorter > 0 && told > 0);
}
