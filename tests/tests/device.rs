//! Devices: their size, what is written is read, and what is beyond their end fails; and the errors as the operating system has them.

use std::fs::File;
use std::io;

use interlock::device::{BlockDevice, FileDevice, MemoryDevice};
use interlock::errno::Errno;

const SECTOR: usize = 512;

/// A device of eight sectors that are all zero.
fn holds_what_is_written(device: &impl BlockDevice) {
    assert_eq!((device.sector_size(), device.sectors()), (SECTOR, 8));
    let end = 8 * SECTOR as u64;
    let mut bytes = [1; 2 * SECTOR];
    let read = device.read_at(&mut bytes, end - 2 * SECTOR as u64);
    assert_eq!((read, bytes), (Ok(()), [0; 2 * SECTOR]));
    let written = device.write_at(&[7; SECTOR], end - SECTOR as u64);
    assert_eq!(written, Ok(()));
    assert_eq!(device.flush(), Ok(()));
    let read = device.read_at(&mut bytes, end - 2 * SECTOR as u64);
    assert_eq!(read, Ok(()));
    assert_eq!(bytes.split_at(SECTOR), (&[0; SECTOR][..], &[7; SECTOR][..]));
    assert_eq!(device.read_at(&mut bytes, end), Err(Errno::Io));
}

#[test]
fn memory_is_a_device() {
    let device = MemoryDevice::new(SECTOR, 8, 0);
    holds_what_is_written(&device);
    let beyond = device.write_at(&[7; SECTOR], 8 * SECTOR as u64);
    assert_eq!(beyond, Err(Errno::Io));
}

/// Its last part is no sector.
#[test]
fn a_file_is_a_device() {
    let file = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary file");
    file.set_len(8 * SECTOR as u64 + 100)
        .expect("there is room");
    holds_what_is_written(&FileDevice::new(file, SECTOR).expect("it has a length"));
}

/// It is open for reading alone, and has nothing that could be made durable.
#[test]
fn what_the_operating_system_refuses_is_an_error() {
    let open = || File::open("/dev/null").expect("it is everywhere");
    let device = FileDevice::new(open(), SECTOR).expect("it has a length");
    assert_eq!(device.sectors(), 0);
    assert_eq!(device.write_at(&[7; SECTOR], 0), Err(Errno::Io));
    assert_eq!(device.flush(), Err(Errno::Io));
    let empty = FileDevice::new(open(), 0).err().expect("no bytes");
    assert_eq!(empty.kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn an_error_has_a_name_a_text_and_a_kind() {
    for (errno, name, text, kind) in [
        (
            Errno::Again,
            "EAGAIN",
            "the call would have to wait",
            io::ErrorKind::WouldBlock,
        ),
        (
            Errno::FileTooBig,
            "EFBIG",
            "the range ends behind the largest possible size",
            io::ErrorKind::FileTooLarge,
        ),
        (
            Errno::Invalid,
            "EINVAL",
            "position and length must be multiples of the sector size",
            io::ErrorKind::InvalidInput,
        ),
        (
            Errno::Io,
            "EIO",
            "the device has failed",
            io::ErrorKind::Other,
        ),
        (
            Errno::NoSpace,
            "ENOSPC",
            "the device is full",
            io::ErrorKind::StorageFull,
        ),
    ] {
        assert_eq!(errno.to_string(), format!("{text} ({name})"));
        let error = io::Error::from(errno);
        assert_eq!((error.kind(), error.to_string()), (kind, errno.to_string()));
    }
}
