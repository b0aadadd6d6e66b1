//! Threads that read, write, try and downgrade one lock, as fast as they can: what ThreadSanitizer watches (`make tsan`).
//!
//! The lock is a static and the threads are joined plainly, because ThreadSanitizer does not see into the standard library: scoped
//! threads or an `Arc` make it report races that are none.

use std::thread;

use interlock_rwlock::RwLock;
use interlock_rwlock::RwLockWriteGuard;

/// Threads of each kind.
const THREADS: u64 = 2;
/// Holds of each thread.
const TURNS: u64 = 50_000;

/// Writers keep the two numbers equal.
static PAIR: RwLock<[u64; 2]> = RwLock::new([0, 0]);

fn main() {
    let readers = (0..THREADS).map(|_| thread::spawn(read));
    let writers = (0..THREADS).map(|_| thread::spawn(write));
    let threads: Vec<_> = readers.chain(writers).collect();
    for thread in threads {
        thread.join().expect("no thread panics");
    }
    assert_eq!(*PAIR.read(), [THREADS * TURNS; 2], "an increment is lost");
}

fn read() {
    for turn in 0..TURNS {
        let pair = match turn % 3 {
            0 => PAIR.try_read().unwrap_or_else(|| PAIR.read()),
            _ => PAIR.read(),
        };
        assert_eq!(pair[0], pair[1], "a reader sees half a write");
    }
}

fn write() {
    for turn in 0..TURNS {
        let mut pair = match turn % 3 {
            0 => PAIR.try_write().unwrap_or_else(|| PAIR.write()),
            _ => PAIR.write(),
        };
        pair[0] += 1;
        pair[1] += 1;
        if turn % 5 == 0 {
            let pair = RwLockWriteGuard::downgrade(pair);
            assert_eq!(pair[0], pair[1], "a writer slips in as another downgrades");
        }
    }
}
