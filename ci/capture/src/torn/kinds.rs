//! What meets what, and on which file systems.

use super::words::PAGE;

/// How bytes are read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Through the page cache.
    Buffered,
    /// With `O_DIRECT`.
    Direct,
}

impl Way {
    fn says(self) -> &'static str {
        match self {
            Way::Buffered => "buffered",
            Way::Direct => "direct",
        }
    }
}

/// Which operations meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pair {
    /// A read beside a write.
    Read(Way, Way),
    /// Two writes.
    Writes(Way, Way),
}

/// Operations that meet on one range.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Which.
    pub pair: Pair,
    /// The range's first byte.
    pub offset: u64,
    /// Its bytes.
    pub length: u64,
}

impl Kind {
    /// In words.
    pub fn says(&self) -> String {
        let pair = match self.pair {
            Pair::Read(read, write) => {
                format!("{} read beside a {} write", read.says(), write.says())
            }
            Pair::Writes(one, other) => format!("{} write and {} write", one.says(), other.says()),
        };
        format!("{pair}, {} KiB at {}", self.length >> 10, self.offset)
    }

    /// Whether the range is of one page.
    pub fn in_one_page(&self) -> bool {
        self.offset / PAGE == (self.offset + self.length - 1) / PAGE
    }
}

/// All of them. A range that begins at its own size may be one folio, one that begins at an odd page cannot: a folio begins at a
/// multiple of its size. What goes past the page cache is larger, so that it takes several requests to the disk.
pub const KINDS: [Kind; 9] = {
    use Pair::{Read, Writes};
    use Way::{Buffered, Direct};
    const fn kind(pair: Pair, offset: u64, kib: u64) -> Kind {
        Kind {
            pair,
            offset,
            length: kib << 10,
        }
    }
    [
        kind(Read(Buffered, Buffered), 0, 4),
        kind(Read(Buffered, Buffered), 0, 64),
        kind(Read(Buffered, Buffered), PAGE, 64),
        kind(Read(Buffered, Direct), PAGE, 1024),
        kind(Read(Direct, Buffered), PAGE, 1024),
        kind(Read(Direct, Direct), PAGE, 4096),
        kind(Writes(Buffered, Buffered), PAGE, 64),
        kind(Writes(Buffered, Direct), PAGE, 1024),
        kind(Writes(Direct, Direct), PAGE, 4096),
    ]
};

/// From which release on `O_DIRECT` goes through the page cache all the same.
#[derive(Debug, Clone, Copy)]
pub enum Through {
    /// From this one on. Before it, stable updates may do so too: the models say less of what goes past.
    Since(u32, u32),
    /// From none.
    Never,
}

/// A file system, and the choice of locks that stands for it.
#[derive(Debug, Clone, Copy)]
pub struct FileSystem {
    /// Its name.
    pub name: &'static str,
    /// The program that makes it, with its options; a file system in memory needs none.
    pub format: &'static [&'static str],
    /// How it is mounted.
    pub options: &'static str,
    /// The design of `specs/range` that stands for it.
    pub design: &'static str,
    /// Its direct reads.
    pub reads: Through,
    /// Its direct writes.
    pub writes: Through,
    /// Which locks its functions take: those of ext4 and XFS as in 6.18, of tmpfs as in 6.13, of btrfs as in a tree after 6.15.
    pub read: &'static str,
}

/// All of them. tmpfs locks what ext4 does, and each folio as it comes to it besides: what ext4 never tears it does not either.
pub const FILE_SYSTEMS: [FileSystem; 5] = [
    FileSystem {
        name: "ext4",
        format: &["mkfs.ext4", "-q", "-b", "4096"],
        options: "noatime",
        design: "Ext4",
        reads: Through::Never,
        writes: Through::Never,
        read: "filemap_read copies from a folio without its lock; ext4_buffered_write_iter holds i_rwsem exclusive, \
               ext4_dio_read_iter shared, and ext4_dio_write_iter where it overwrites",
    },
    FileSystem {
        name: "xfs",
        format: &["mkfs.xfs", "-q", "-b", "size=4096"],
        options: "noatime",
        design: "Xfs",
        reads: Through::Never,
        writes: Through::Never,
        read: "xfs_file_buffered_read, xfs_file_dio_read and xfs_file_dio_write_aligned hold i_rwsem shared, \
               xfs_file_buffered_write exclusive",
    },
    FileSystem {
        name: "tmpfs",
        format: &[],
        options: "huge=never",
        design: "Ext4",
        reads: Through::Since(0, 0),
        writes: Through::Since(0, 0),
        read: "shmem_file_read_iter locks each folio and copies from it when it has unlocked it; shmem_file_write_iter holds \
               i_rwsem exclusive; both ignore O_DIRECT",
    },
    FileSystem {
        name: "btrfs",
        format: &["mkfs.btrfs", "-q"],
        options: "noatime",
        design: "Btrfs",
        reads: Through::Never,
        writes: Through::Since(6, 15),
        read: "filemap_read copies from a folio without its lock; btrfs_buffered_write holds i_rwsem exclusive, btrfs_direct_read \
               shared, and leaves to filemap_read, without a lock, what a buffered write has not finished; btrfs_direct_write \
               is a buffered write, since what has checksums must not change meanwhile (from 6.15 on)",
    },
    FileSystem {
        name: "btrfs-nodatasum",
        format: &["mkfs.btrfs", "-q"],
        options: "noatime,nodatasum",
        design: "Btrfs",
        reads: Through::Never,
        writes: Through::Never,
        read: "the same, where btrfs_direct_write goes past the page cache, and holds i_rwsem shared within the file",
    },
];

impl FileSystem {
    /// The operations that those of the pair come to on this release: a direct one may go through the page cache.
    pub fn comes_to(&self, pair: Pair, release: (u32, u32)) -> Pair {
        let way = |way, through: Through| match through {
            Through::Since(major, minor) if (major, minor) <= release => Way::Buffered,
            _ => way,
        };
        match pair {
            Pair::Read(read, write) => Pair::Read(way(read, self.reads), way(write, self.writes)),
            Pair::Writes(one, other) => {
                Pair::Writes(way(one, self.writes), way(other, self.writes))
            }
        }
    }
}

/// The release of a kernel: `6.18.44-generic` is of 6.18.
pub fn release(kernel: &str) -> Option<(u32, u32)> {
    let mut parts = kernel.split(['.', '-', '+']).map(str::parse);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Some((major, minor)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direct_write_may_go_through_the_page_cache() {
        let [.., btrfs, without_sums] = FILE_SYSTEMS;
        let pair = Pair::Writes(Way::Direct, Way::Buffered);
        let buffered = Pair::Writes(Way::Buffered, Way::Buffered);
        assert_eq!(btrfs.comes_to(pair, (6, 14)), pair);
        assert_eq!(btrfs.comes_to(pair, (6, 15)), buffered);
        assert_eq!(btrfs.comes_to(pair, (7, 0)), buffered);
        assert_eq!(without_sums.comes_to(pair, (7, 0)), pair);
        let read = Pair::Read(Way::Direct, Way::Direct);
        let read_past = Pair::Read(Way::Direct, Way::Buffered);
        assert_eq!(btrfs.comes_to(read, (6, 15)), read_past);
    }

    #[test]
    fn a_kernel_has_a_release() {
        assert_eq!(release("6.18.44-generic"), Some((6, 18)));
        assert_eq!(release("7.3-rc1"), Some((7, 3)));
        assert_eq!(release("linux"), None);
    }
}
