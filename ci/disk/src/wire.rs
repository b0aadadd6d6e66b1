//! The transmission phase of the NBD protocol, with simple replies (doc/proto.md of the NetworkBlockDevice project).

use std::io::{self, Read, Write};

const REQUEST: u32 = 0x2560_9513;
const REPLY: u32 = 0x6744_6698;

/// The export has flags, and takes NBD_CMD_FLUSH.
pub const FLAGS: usize = 1 | 4;

/// EIO, as the protocol has it.
pub const EIO: u32 = 5;

/// What the client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Read,
    Write,
    Disconnect,
    Flush,
}

/// A request. Its data follow it, if it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    pub command: Command,
    /// What the client knows it by.
    pub cookie: u64,
    pub from: u64,
    pub length: u32,
}

impl Request {
    /// The next one. `None`: the client is gone.
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
        Ok(Some(Request {
            command,
            cookie: number(&bytes[8..16]),
            from: number(&bytes[16..24]),
            length: number(&bytes[24..]) as u32,
        }))
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
