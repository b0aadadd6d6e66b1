//! A device that delays, and so reorders, and fails.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use interlock::device::BlockDevice;
use interlock::errno::Errno;

/// Another device, with faults. An I/O that is delayed is overtaken by those that other workers do meanwhile.
pub struct FaultDevice<D> {
    device: D,
    delays: Delays,
    random: Mutex<u64>,
}

/// The faults of a [`FaultDevice`].
#[derive(Debug, Clone, Copy)]
pub struct Delays {
    /// Where the random numbers begin. The same seed gives the same numbers, but threads draw them in any order.
    pub seed: u64,
    /// Each I/O is delayed by a random time shorter than this.
    pub delay: Duration,
    /// One of so many I/Os fails, and changes nothing; 0: none does.
    pub fails: u64,
    /// One of so many I/Os panics, and changes nothing; 0: none does.
    pub panics: u64,
}

impl<D> FaultDevice<D> {
    /// The device with these faults.
    pub fn new(device: D, delays: Delays) -> Self {
        FaultDevice {
            device,
            delays,
            random: Mutex::new(delays.seed | 1),
        }
    }

    /// A number of Marsaglia's xorshift64.
    fn draw(&self) -> u64 {
        let mut state = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state >> 16
    }

    /// True: the I/O fails.
    fn meddle(&self) -> bool {
        let hits = |one_in: u64| one_in > 0 && self.draw().is_multiple_of(one_in);
        let nanos = self.delays.delay.as_nanos() as u64;
        if nanos > 0 {
            thread::sleep(Duration::from_nanos(self.draw() % nanos));
        }
        assert!(!hits(self.delays.panics), "the device panics");
        hits(self.delays.fails)
    }
}

impl<D: BlockDevice> BlockDevice for FaultDevice<D> {
    fn sector_size(&self) -> usize {
        self.device.sector_size()
    }

    fn sectors(&self) -> u64 {
        self.device.sectors()
    }

    fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        match self.meddle() {
            true => Err(Errno::Io),
            false => self.device.read_at(bytes, position),
        }
    }

    fn write_at(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        match self.meddle() {
            true => Err(Errno::Io),
            false => self.device.write_at(bytes, position),
        }
    }
}
