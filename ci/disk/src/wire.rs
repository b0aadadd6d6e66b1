//! The transmission phase of the NBD protocol, with simple replies (doc/proto.md of the NetworkBlockDevice project).

use std::io::{self, Read, Write};

const REQUEST: u32 = 0x2560_9513;
const REPLY: u32 = 0x6744_6698;

/// The export has flags, and takes NBD_CMD_FLUSH.
pub const FLAGS: usize = 1 | 4;

/// EIO, as the protocol has it.
pub const EIO: u32 = 5;

/// Bytes that a request is about at most: what the protocol lets a client send that was told no other limit.
pub const MOST: u32 = 1 << 25;

/// What the client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Bytes of the disk.
    Read,
    /// Bytes, which follow.
    Write,
    /// Nothing more.
    Disconnect,
    /// That what was answered is kept.
    Flush,
}

/// A request. Its data follow it, if it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// What is to be done.
    pub command: Command,
    /// What the client knows it by.
    pub cookie: u64,
    /// The first byte.
    pub from: u64,
    /// How many bytes.
    pub length: u32,
}

impl Request {
    /// The next one. `None`: the client is gone.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is none, or is about more than [`MOST`] bytes or about some behind the last that can be numbered.
    pub fn read(from: &mut impl Read) -> io::Result<Option<Request>> {
        let mut bytes = [0; 28];
        match from.read_exact(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
        if number(&bytes[..4]) != u64::from(REQUEST) {
            return Err(invalid("no request of NBD begins so"));
        }
        let command = match number(&bytes[6..8]) {
            0 => Command::Read,
            1 => Command::Write,
            2 => Command::Disconnect,
            3 => Command::Flush,
            other => return Err(invalid(&format!("NBD command {other} was not offered"))),
        };
        let request = Request {
            command,
            cookie: number(&bytes[8..16]),
            from: number(&bytes[16..24]),
            length: number(&bytes[24..]) as u32,
        };
        if request.length > MOST {
            return Err(invalid(&format!(
                "NBD request of {} bytes: {MOST} at most",
                request.length
            )));
        }
        if request
            .from
            .checked_add(u64::from(request.length))
            .is_none()
        {
            return Err(invalid(&format!(
                "NBD request at byte {}: no disk is that long",
                request.from
            )));
        }
        Ok(Some(request))
    }
}

/// Answers the request of that cookie; `data` are a read's.
pub fn reply(to: &mut impl Write, cookie: u64, error: u32, data: &[u8]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(16 + data.len());
    bytes.extend(REPLY.to_be_bytes());
    bytes.extend(error.to_be_bytes());
    bytes.extend(cookie.to_be_bytes());
    bytes.extend(data);
    to.write_all(&bytes)
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}
