//! What a call gets in place of its bytes.

use std::error::Error;
use std::fmt;
use std::io;

/// An error number, as a system call would return it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Errno {
    /// EAGAIN: the call would have to wait, and was told not to; or the design gives no second try.
    Again,
    /// EFBIG: the range ends behind the largest size that the file can have.
    FileTooBig,
    /// EINVAL: a position or a length is no multiple of the device's sector.
    Invalid,
    /// EIO: the device has failed.
    Io,
    /// ENOSPC: the device ends before the range does.
    NoSpace,
}

impl Errno {
    /// Its name in `errno.h`.
    pub const fn name(self) -> &'static str {
        match self {
            Errno::Again => "EAGAIN",
            Errno::FileTooBig => "EFBIG",
            Errno::Invalid => "EINVAL",
            Errno::Io => "EIO",
            Errno::NoSpace => "ENOSPC",
        }
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Errno::Again => "the call would have to wait",
            Errno::FileTooBig => "the range ends behind the largest possible size",
            Errno::Invalid => "position and length must be multiples of the sector size",
            Errno::Io => "the device has failed",
            Errno::NoSpace => "the device is full",
        };
        write!(f, "{what} ({})", self.name())
    }
}

impl Error for Errno {}

impl From<Errno> for io::Error {
    fn from(errno: Errno) -> io::Error {
        let kind = match errno {
            Errno::Again => io::ErrorKind::WouldBlock,
            Errno::FileTooBig => io::ErrorKind::FileTooLarge,
            Errno::Invalid => io::ErrorKind::InvalidInput,
            Errno::Io => io::ErrorKind::Other,
            Errno::NoSpace => io::ErrorKind::StorageFull,
        };
        io::Error::new(kind, errno)
    }
}
