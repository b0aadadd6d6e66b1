//! The rules that a file's requests follow beside their [policy](super::policy), as a type, so that tests can put faulty ones in.

/// The steps of a request in which more than the policy's decisions counts. As they stand here they are the specification's.
pub trait Rules: Send + Sync + 'static {
    /// iomap_dio_complete: `EndIo`, then `DioEnd`, so that who has waited in inode_dio_wait sees the blocks converted.
    fn conclude<R>(end_io: impl FnOnce() -> R, dio_end: impl FnOnce()) -> R {
        let result = end_io();
        dio_end();
        result
    }

    /// Whether the end of its I/O converts a request's blocks and moves i_size (ext4_dio_write_end_io): not if some of it has failed.
    fn converts(failed: bool) -> bool {
        !failed
    }

    /// A caller that panics before all its I/O is submitted gives up its share in it, so that the request ends with the rest.
    fn abandon(end: impl FnOnce()) {
        end();
    }
}

/// The specification's.
pub struct Specified;

impl Rules for Specified {}
