//! A call of a plan, made by a thread of its own: the system call, or io_submit, or io_uring.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::os::unix::fs::FileExt as _;

use anyhow::{Context as _, Result};
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::{ReadWriteFlags, preadv2, pwritev2};

use interlock_capture::aligned::Aligned;

use crate::content::Content;
use crate::plan::{By, Call, What};

/// The file of a plan, opened twice.
#[derive(Debug)]
pub struct Opened {
    /// With O_DIRECT.
    pub direct: File,
    /// Without.
    pub buffered: File,
}

/// Makes the call, and waits for its end. `submitted` is told when an asynchronous one has been taken.
///
/// What a read has read; nothing of others. An error of the kernel's is the inner one.
///
/// # Errors
/// If the call cannot be made at all.
pub fn make(
    call: &Call,
    file: &Opened,
    submitted: impl FnOnce(),
) -> Result<io::Result<Vec<Content>>> {
    let length = usize::try_from(call.to - call.from)?;
    let content = match call.writes() {
        true => Content::Of(call.name.clone()),
        false => Content::Zero,
    };
    let mut buffer = Aligned::of(&content.bytes(length));
    let done = match call.what {
        What::Buffered => file.buffered.write_at(&buffer, call.from),
        What::Truncate => file.buffered.set_len(call.from).map(|()| length),
        What::Punch => punch(&file.buffered, call).map(|()| length),
        What::Write | What::Read => match call.by {
            By::Sync => sync(call, &file.direct, &mut buffer),
            By::Aio => aio(call, &file.direct, &mut buffer, submitted)?,
            By::Uring => uring(call, &file.direct, &mut buffer, submitted)?,
        },
    };
    Ok(done.and_then(|done| {
        if done < length {
            // A read stops at EOF.
            if call.what == What::Read {
                return Ok(Content::read(&buffer[..done]));
            }
            return Err(io::Error::other(format!("{done} bytes of {length}")));
        }
        Ok(match call.what {
            What::Read => Content::read(&buffer),
            _ => Vec::new(),
        })
    }))
}

fn punch(file: &File, call: &Call) -> io::Result<()> {
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    Ok(fallocate(file, flags, call.from, call.to - call.from)?)
}

fn flags(call: &Call) -> ReadWriteFlags {
    match call.nowait {
        true => ReadWriteFlags::NOWAIT,
        false => ReadWriteFlags::empty(),
    }
}

fn sync(call: &Call, file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    let flags = flags(call);
    Ok(match call.what {
        What::Read => preadv2(file, &mut [io::IoSliceMut::new(buffer)], call.from, flags)?,
        _ => pwritev2(file, &[io::IoSlice::new(buffer)], call.from, flags)?,
    })
}

/// `struct io_event` of linux/aio_abi.h.
#[repr(C)]
#[derive(Default)]
struct Completed {
    data: u64,
    block: u64,
    result: i64,
    second: i64,
}

/// By io_submit(2), with a context of its own.
fn aio(
    call: &Call,
    file: &File,
    buffer: &mut [u8],
    submitted: impl FnOnce(),
) -> Result<io::Result<usize>> {
    let mut context: libc::c_ulong = 0;
    // SAFETY: io_setup writes the context's number, and nothing else.
    check(unsafe { libc::syscall(libc::SYS_io_setup, 1, &raw mut context) }).context("io_setup")?;
    // SAFETY: a control block is numbers, of which 0 is a value.
    let mut block: libc::iocb = unsafe { std::mem::zeroed() };
    block.aio_lio_opcode = match call.what {
        What::Read => 0,
        _ => 1,
    };
    block.aio_fildes = u32::try_from(file.as_raw_fd())?;
    block.aio_buf = buffer.as_mut_ptr() as u64;
    block.aio_nbytes = buffer.len() as u64;
    block.aio_offset = i64::try_from(call.from)?;
    block.aio_rw_flags = flags(call).bits() as i32;
    let blocks = [&raw mut block];
    // SAFETY: the control block and the buffer live until io_destroy below has waited for the request.
    let taken = check(unsafe { libc::syscall(libc::SYS_io_submit, context, 1, blocks.as_ptr()) });
    let done = taken.and_then(|_| {
        submitted();
        let mut event = Completed::default();
        loop {
            let no_limit = std::ptr::null::<libc::timespec>();
            // SAFETY: it writes one event at most.
            let got = check(unsafe {
                libc::syscall(
                    libc::SYS_io_getevents,
                    context,
                    1,
                    1,
                    &raw mut event,
                    no_limit,
                )
            });
            match got {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                got => break got.and_then(|_| result(event.result)),
            }
        }
    });
    // SAFETY: it waits for what is in flight, so that nothing uses the buffer from here on.
    check(unsafe { libc::syscall(libc::SYS_io_destroy, context) }).context("io_destroy")?;
    Ok(done)
}

/// By io_uring, with a ring of its own.
fn uring(
    call: &Call,
    file: &File,
    buffer: &mut [u8],
    submitted: impl FnOnce(),
) -> Result<io::Result<usize>> {
    let mut ring = io_uring::IoUring::new(1).context("io_uring_setup")?;
    let fd = io_uring::types::Fd(file.as_raw_fd());
    let length = u32::try_from(buffer.len())?;
    let flags = flags(call).bits() as i32;
    let entry = match call.what {
        What::Read => io_uring::opcode::Read::new(fd, buffer.as_mut_ptr(), length)
            .offset(call.from)
            .rw_flags(flags)
            .build(),
        _ => io_uring::opcode::Write::new(fd, buffer.as_ptr(), length)
            .offset(call.from)
            .rw_flags(flags)
            .build(),
    };
    // SAFETY: the buffer and the file live until the completion below has been seen.
    unsafe { ring.submission().push(&entry) }.context("the ring is full")?;
    ring.submit().context("io_uring_enter")?;
    submitted();
    loop {
        if let Some(done) = ring.completion().next() {
            return Ok(result(i64::from(done.result())));
        }
        submit_and_wait(&mut ring);
    }
}

/// Submits what is in the ring, and waits for a completion, or until it is interrupted. Ends the process if it cannot wait.
pub(crate) fn submit_and_wait(ring: &mut io_uring::IoUring) {
    match ring.submit_and_wait(1) {
        Err(error) if error.kind() != io::ErrorKind::Interrupted => {
            // A request may still use its buffer.
            eprintln!("io_uring_enter: {error}");
            std::process::abort();
        }
        _ => {}
    }
}

/// What a system call has returned, or its error.
fn check(returned: libc::c_long) -> io::Result<i64> {
    match returned {
        0.. => Ok(returned),
        _ => Err(io::Error::last_os_error()),
    }
}

/// What a completion says: bytes, or a negative error.
fn result(says: i64) -> io::Result<usize> {
    match usize::try_from(says) {
        Ok(bytes) => Ok(bytes),
        Err(_) => Err(io::Error::from_raw_os_error(-(says as i32))),
    }
}

/// What the file holds from its first byte on, read past the page cache: `most` bytes, or as many as there are.
///
/// # Errors
/// If it cannot be read.
pub fn read_all(file: &Opened, most: u64) -> Result<Vec<u8>> {
    let length = usize::try_from(most)?;
    let mut buffer = Aligned::of(&vec![0; length]);
    let read = file.direct.read_at(&mut buffer, 0)?;
    Ok(buffer[..read].to_vec())
}

/// fsync, of the same file.
///
/// # Errors
/// Its own.
pub fn sync_file(file: &Opened) -> io::Result<()> {
    let file: BorrowedFd<'_> = file.buffered.as_fd();
    Ok(rustix::fs::fsync(file)?)
}
