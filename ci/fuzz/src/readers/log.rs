//! A journal's log: its superblock, and recovery.

use interlock::device::{BlockDevice, MemoryDevice};
use interlock::jbd2::log::area::LogArea;
use interlock::jbd2::log::create::create;
use interlock::jbd2::log::encode::encode;
use interlock::jbd2::log::recovery::{recover, scan};
use interlock::jbd2::log::superblock::{Features, Superblock};

use crate::Target;

/// The bytes are a device: a log of [`LOG`] blocks, and other blocks.
pub const TARGET: Target = Target {
    name: "log",
    read,
    seeds,
};

const SIZE: usize = 1024;
const LOG: u64 = 12;
const BLOCKS: usize = 24;

fn device(bytes: &[u8]) -> MemoryDevice {
    let device = MemoryDevice::new(SIZE, BLOCKS, 0);
    let mut image = bytes.to_vec();
    image.resize(SIZE * BLOCKS, 0);
    device.write_at(&image, 0).expect("it has the room");
    device
}

fn image(device: &MemoryDevice) -> Vec<u8> {
    let mut bytes = vec![0; SIZE * BLOCKS];
    device.read_at(&mut bytes, 0).expect("it has the bytes");
    bytes
}

/// In two runs, the later blocks first: a log block is no device block.
fn area() -> LogArea {
    LogArea::new(SIZE, vec![0..1, LOG / 2..LOG, 1..LOG / 2])
}

fn read(bytes: &[u8]) {
    if let Ok(superblock) = Superblock::read(bytes) {
        let again = Superblock::read(&superblock.bytes());
        assert_eq!(again.as_ref(), Ok(&superblock));
    }
    let (device, area) = (device(bytes), area());
    let before = image(&device);
    let found = scan(&device, &area);
    assert!(image(&device) == before, "a scan writes nothing");
    let recovered = recover(&device, &area);
    match (found, recovered) {
        (Err(error), recovered) => {
            assert_eq!(recovered, Err(error));
            assert!(image(&device) == before, "nothing is written of a bad log");
        }
        (Ok(found), recovered) => {
            let recovered = recovered.expect("it was scanned");
            assert_eq!(recovered.blocks, found.blocks);
            assert_eq!(recovered.transactions, found.transactions);
            let after = scan(&device, &area).expect("it was recovered");
            assert_eq!((after.superblock.start, after.transactions), (0, 0));
            assert_eq!(after.next_tid, recovered.next_tid);
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let all = [(false, false), (true, false), (false, true), (true, true)];
    let seed = |(is_64bit, csum_v3)| {
        let features = Features {
            revoke: true,
            is_64bit,
            csum_v3,
        };
        let (device, area) = (device(&[]), area());
        let made = create(&device, &area, features, [7; 16]);
        let mut superblock = made.expect("the area is large enough");
        // The second transaction goes round.
        superblock.start = 6;
        superblock.sequence = 9;
        let stored = superblock.store(&device, &area);
        stored.expect("the device is good");
        let block = |name: u8| vec![name; SIZE];
        let escaped = [&[0xC0, 0x3B, 0x39, 0x98][..], &[1; SIZE - 4]].concat();
        let (first, second) = (block(1), block(2));
        let transactions = [
            encode(&superblock, 9, &[(14, &first), (15, &escaped)], &[16], 1),
            encode(&superblock, 10, &[(16, &second)], &[14], 2),
        ];
        let places = (6..12).chain(1..);
        for (place, block) in places.zip(transactions.concat()) {
            let written = area.write(&device, place, &block);
            written.expect("the log has room");
        }
        image(&device)
    };
    all.map(seed).into()
}
