//! Threads that read and write one range of a file at once, as often as they can.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};

use interlock_checker::interrupt;

use super::folios::Folios;
use super::words::{Tally, fill};
use crate::aligned::Aligned;

/// What is read and written: a file; in tests, what tears as it is told to.
pub trait Bytes: Sync {
    /// As [`FileExt::read_at`].
    ///
    /// # Errors
    /// As that.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// As [`FileExt::write_at`].
    ///
    /// # Errors
    /// As that.
    fn write_at(&self, buffer: &[u8], offset: u64) -> io::Result<usize>;
}

impl Bytes for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        FileExt::read_at(self, buffer, offset)
    }

    fn write_at(&self, buffer: &[u8], offset: u64) -> io::Result<usize> {
        FileExt::write_at(self, buffer, offset)
    }
}

/// A range of a file, and how long it is fought for.
#[derive(Debug)]
pub struct Ground<'a> {
    /// Its first byte.
    pub offset: u64,
    /// Bytes.
    pub length: usize,
    /// The file's folios, as far as they are known.
    pub folios: &'a Folios,
    /// It ends after this time.
    pub time: Duration,
    /// Or when so much has been read.
    pub reads: u64,
}

impl Ground<'_> {
    fn buffer(&self) -> Aligned {
        Aligned::of(&vec![0; self.length])
    }

    fn read(&self, file: &dyn Bytes, buffer: &mut Aligned, tally: &mut Tally) -> Result<()> {
        let got = file.read_at(buffer, self.offset).context("a read")?;
        ensure!(
            got == self.length,
            "a read of {} bytes got {got}",
            self.length
        );
        tally.see(buffer, self.offset, self.folios);
        Ok(())
    }

    fn write(&self, file: &dyn Bytes, buffer: &Aligned) -> Result<()> {
        let put = file.write_at(buffer, self.offset).context("a write")?;
        ensure!(
            put == self.length,
            "a write of {} bytes put {put}",
            self.length
        );
        Ok(())
    }

    fn is_over(&self, since: Instant, tally: &Tally) -> bool {
        tally.reads >= self.reads || since.elapsed() >= self.time || interrupt::requested()
    }
}

/// One writes the range again and again, each time with another number, and the others read it.
///
/// # Errors
/// If a read or write fails, or is short.
pub fn reads_beside_a_write(
    readers: &[&dyn Bytes],
    writer: &dyn Bytes,
    ground: &Ground<'_>,
) -> Result<Tally> {
    let (over, since) = (AtomicBool::new(false), Instant::now());
    let write = || {
        let (mut buffer, mut tally) = (ground.buffer(), Tally::default());
        while !over.load(Ordering::Relaxed) {
            tally.writes += 1;
            fill(&mut buffer, tally.writes);
            ground.write(writer, &buffer)?;
        }
        anyhow::Ok(tally)
    };
    let read = |reader: &dyn Bytes| {
        let (mut buffer, mut tally) = (ground.buffer(), Tally::default());
        while !over.load(Ordering::Relaxed) && !ground.is_over(since, &tally) {
            ground.read(reader, &mut buffer, &mut tally)?;
        }
        anyhow::Ok(tally)
    };
    // Who ends, ends it for all.
    let ends = |done: Result<Tally>| {
        over.store(true, Ordering::Relaxed);
        done
    };
    thread::scope(|scope| {
        let writer = scope.spawn(|| ends(write()));
        let readers = readers
            .iter()
            .map(|reader| scope.spawn(|| ends(read(*reader))));
        let threads: Vec<_> = readers
            .collect::<Vec<_>>()
            .into_iter()
            .chain([writer])
            .collect();
        let mut tally = Tally::default();
        for thread in threads {
            let joined = thread.join();
            tally.add(&joined.map_err(|_| anyhow!("a thread has panicked"))??);
        }
        Ok(tally)
    })
}

/// Two write the range at once, each with a number of its own; when both have, it is read. Then they begin anew.
///
/// # Errors
/// If a read or write fails, or is short.
pub fn two_writes(
    writers: [&dyn Bytes; 2],
    reader: &dyn Bytes,
    ground: &Ground<'_>,
) -> Result<Tally> {
    let (begun, ended, over) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let [one, other] = writers;
    let follow = || {
        let mut buffer = ground.buffer();
        for round in 1.. {
            fill(&mut buffer, 2 * round + 1);
            while begun.load(Ordering::Acquire) < round {
                if over.load(Ordering::Relaxed) {
                    return anyhow::Ok(());
                }
                relax();
            }
            ground.write(other, &buffer)?;
            ended.store(round, Ordering::Release);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let follower = scope.spawn(follow);
        let lead = || {
            let (since, mut tally) = (Instant::now(), Tally::default());
            let mut buffer = ground.buffer();
            while !ground.is_over(since, &tally) {
                let round = tally.reads + 1;
                fill(&mut buffer, 2 * round);
                begun.store(round, Ordering::Release);
                ground.write(one, &buffer)?;
                while ended.load(Ordering::Acquire) < round {
                    if follower.is_finished() {
                        return Ok(tally);
                    }
                    relax();
                }
                tally.writes += 2;
                ground.read(reader, &mut buffer, &mut tally)?;
            }
            anyhow::Ok(tally)
        };
        let led = lead();
        over.store(true, Ordering::Relaxed);
        let followed = follower.join();
        followed.map_err(|_| anyhow!("a thread has panicked"))??;
        led
    })
}

/// The other one is at it; where there is one processor alone, it needs that.
fn relax() {
    for _ in 0..100 {
        std::hint::spin_loop();
    }
    thread::yield_now();
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError, RwLock};

    use conformance::in_time::{PATIENCE, in_time};

    use super::super::words::{PAGE, Place};
    use super::*;

    const LENGTH: usize = 4 * PAGE as usize;

    fn ground(folios: &Folios) -> Ground<'_> {
        Ground {
            offset: PAGE,
            length: LENGTH,
            folios,
            // Who is at it so long hangs, and has not read so much.
            time: Duration::from_secs(600),
            reads: 200,
        }
    }

    /// A file that one lock guards as a whole, with a fault that keeps writes from its end.
    struct Locked {
        bytes: RwLock<Vec<u8>>,
        /// So many bytes are left as the very first write has them.
        keeps: usize,
        first: Mutex<bool>,
    }

    impl Locked {
        fn keeping(keeps: usize) -> Locked {
            Locked {
                bytes: RwLock::new(vec![0; LENGTH + PAGE as usize]),
                keeps,
                first: Mutex::new(true),
            }
        }
    }

    impl Bytes for Locked {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            let bytes = self.bytes.read().unwrap_or_else(PoisonError::into_inner);
            buffer.copy_from_slice(&bytes[offset as usize..][..buffer.len()]);
            Ok(buffer.len())
        }

        fn write_at(&self, buffer: &[u8], offset: u64) -> io::Result<usize> {
            let mut bytes = self.bytes.write().unwrap_or_else(PoisonError::into_inner);
            let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
            let put = buffer.len() - if *first { 0 } else { self.keeps };
            *first = false;
            bytes[offset as usize..][..put].copy_from_slice(&buffer[..put]);
            Ok(buffer.len())
        }
    }

    /// What fails at its n-th write.
    struct Fails(AtomicU64);

    impl Bytes for Fails {
        fn read_at(&self, buffer: &mut [u8], _: u64) -> io::Result<usize> {
            Ok(buffer.len())
        }

        fn write_at(&self, buffer: &[u8], _: u64) -> io::Result<usize> {
            match self.0.fetch_sub(1, Ordering::Relaxed) {
                1 => Err(io::Error::other("the disk is gone")),
                _ => Ok(buffer.len()),
            }
        }
    }

    #[test]
    fn what_a_lock_guards_is_not_torn() {
        let (file, folios) = (Locked::keeping(0), Folios::default());
        let tally = reads_beside_a_write(&[&file, &file], &file, &ground(&folios)).unwrap();
        assert!(tally.reads >= 200 && tally.torn() == 0, "{tally:?}");
        let tally = two_writes([&file, &file], &file, &ground(&folios)).unwrap();
        assert_eq!((tally.reads, tally.writes, tally.torn()), (200, 400, 0));
    }

    /// The end that writes do not reach stays with the first of them: all later rounds are mixed, where it begins.
    #[test]
    fn two_writes_that_leave_a_part_are_mixed() {
        for (keeps, place) in [(8, Place::Page), (2 * PAGE as usize, Place::Border)] {
            let (file, folios) = (Locked::keeping(keeps), Folios::at([(1, 2), (3, 2)]));
            let tally = two_writes([&file, &file], &file, &ground(&folios)).unwrap();
            assert_eq!((tally.reads, tally.torn_in(place)), (200, 200));
        }
    }

    /// The writes that are there before the reader comes leave it nothing whole to read.
    #[test]
    fn a_read_of_two_writes_is_torn() {
        let (file, folios) = (Locked::keeping(8), Folios::default());
        file.write_at(&[0; LENGTH], PAGE).unwrap();
        file.write_at(&[1; LENGTH], PAGE).unwrap();
        let tally = reads_beside_a_write(&[&file], &file, &ground(&folios)).unwrap();
        assert_eq!((tally.reads, tally.torn_in(Place::Page)), (200, 200));
    }

    /// What fails if it is read before two writes more have ended.
    #[derive(Default)]
    struct Counts {
        writes: AtomicU64,
        reads: AtomicU64,
    }

    impl Bytes for Counts {
        fn read_at(&self, buffer: &mut [u8], _: u64) -> io::Result<usize> {
            let due = 2 * (1 + self.reads.fetch_add(1, Ordering::SeqCst));
            match self.writes.load(Ordering::SeqCst) {
                ended if ended == due => Ok(buffer.len()),
                ended => Err(io::Error::other(format!("{ended} writes, not {due}"))),
            }
        }

        fn write_at(&self, buffer: &[u8], _: u64) -> io::Result<usize> {
            thread::yield_now();
            self.writes.fetch_add(1, Ordering::SeqCst);
            Ok(buffer.len())
        }
    }

    #[test]
    fn two_writes_are_read_when_both_have_ended() {
        let (file, folios) = (Counts::default(), Folios::default());
        let tally = two_writes([&file, &file], &file, &ground(&folios)).unwrap();
        assert_eq!((tally.reads, tally.writes), (200, 400));
    }

    #[test]
    fn who_fails_ends_it_for_all() {
        in_time(|| {
            let (whole, folios) = (Locked::keeping(0), Folios::default());
            let mut ground = ground(&folios);
            ground.reads = u64::MAX;
            // It is a hang long before that.
            ground.time = 10 * PATIENCE;
            let fails = || Fails(AtomicU64::new(3));
            for done in [
                reads_beside_a_write(&[&whole], &fails(), &ground),
                two_writes([&whole, &fails()], &whole, &ground),
                two_writes([&fails(), &whole], &whole, &ground),
            ] {
                let told = format!("{:#}", done.unwrap_err());
                assert_eq!(told, "a write: the disk is gone");
            }
        });
    }
}
