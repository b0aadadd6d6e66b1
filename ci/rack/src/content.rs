//! What a sector of 512 bytes holds: whoever writes one fills it with its name.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::plan::SECTOR;

/// What a sector of a plan's begins with; the name of its writer follows.
const MARK: &[u8] = b"interlock:";

/// The name that the file's content at the start bears.
const OLD: &str = "=";

/// What a sector holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Content {
    /// Zeroes.
    Zero,
    /// What was in the file at the start.
    Old,
    /// What this call has written.
    Of(String),
    /// What nobody has written.
    Garbage,
}

impl Content {
    /// The bytes of `length`, a multiple of 512; nothing has garbage's.
    pub fn bytes(&self, length: usize) -> Vec<u8> {
        let name = match self {
            Content::Zero | Content::Garbage => return vec![0; length],
            Content::Old => OLD,
            Content::Of(name) => name,
        };
        let mut sector = [MARK, name.as_bytes(), b"\n"].concat();
        sector.resize(SECTOR as usize, name.as_bytes()[0]);
        sector.repeat(length / SECTOR as usize)
    }

    /// What each sector of these bytes holds.
    pub fn read(bytes: &[u8]) -> Vec<Content> {
        let sectors = bytes.chunks(SECTOR as usize);
        sectors.map(Content::of).collect()
    }

    fn of(sector: &[u8]) -> Content {
        if sector.iter().all(|byte| *byte == 0) {
            return Content::Zero;
        }
        let name = sector.strip_prefix(MARK).unwrap_or_default();
        let name = name.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let content = match std::str::from_utf8(name) {
            Ok(OLD) => Content::Old,
            Ok(name) if !name.is_empty() && name.len() < 8 => Content::Of(name.to_owned()),
            _ => return Content::Garbage,
        };
        // One that is torn is nobody's.
        match content.bytes(sector.len()) == sector {
            true => content,
            false => Content::Garbage,
        }
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Content::Zero => f.write_str("0"),
            Content::Old => f.write_str("old"),
            Content::Of(name) => f.write_str(name),
            Content::Garbage => f.write_str("?"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_known_again() {
        for content in [Content::Zero, Content::Old, Content::Of("a1".to_owned())] {
            assert_eq!(
                Content::read(&content.bytes(1024)),
                [content.clone(), content]
            );
        }
    }

    #[test]
    fn a_torn_sector_is_nobodys() {
        let mut bytes = Content::Old.bytes(512);
        bytes[511] = 0;
        assert_eq!(Content::read(&bytes), [Content::Garbage]);
    }
}
