//! Requests of a network block device's client, which the disk in memory serves.

use std::io::{Cursor, ErrorKind};

use interlock_disk::{Command, MOST, Request};

use crate::Target;

/// The bytes are what the client sends.
pub const TARGET: Target = Target {
    name: "nbd",
    read,
    seeds,
};

fn read(bytes: &[u8]) {
    let mut rest = Cursor::new(bytes);
    loop {
        match Request::read(&mut rest) {
            Ok(Some(request)) => {
                let end = request.from.checked_add(u64::from(request.length));
                assert!(request.length <= MOST && end.is_some(), "{request:?}");
                let follows = match request.command {
                    Command::Write => u64::from(request.length),
                    _ => 0,
                };
                rest.set_position(rest.position() + follows);
            }
            Ok(None) => return,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::InvalidData);
                assert!(error.to_string().contains("NBD"), "{error}");
                return;
            }
        }
    }
}

/// A write, a read of what it has written, a flush, and the end.
fn seeds() -> Vec<Vec<u8>> {
    let request = |command: u16, from: u64, length: u32| {
        let mut bytes = 0x2560_9513_u32.to_be_bytes().to_vec();
        bytes.extend(0_u16.to_be_bytes());
        bytes.extend(command.to_be_bytes());
        bytes.extend(7_u64.to_be_bytes());
        bytes.extend(from.to_be_bytes());
        bytes.extend(length.to_be_bytes());
        bytes
    };
    let mut all = request(1, 4096, 16);
    all.extend([7; 16]);
    all.extend(request(0, 4096, 16));
    all.extend(request(3, 0, 0));
    all.extend(request(2, 0, 0));
    vec![all, request(0, u64::MAX - 16, 16), request(1, 0, MOST)]
}
