//! The log on disk, as the kernel and e2fsprogs read and write it: its superblock, its blocks, and recovery.

pub mod area;
mod block;
pub mod create;
pub mod encode;
pub mod error;
pub mod recovery;
pub mod superblock;
mod tag;
