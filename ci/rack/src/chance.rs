//! Chance that a seed decides, the same on every machine and with every release of a library: splitmix64 (Steele, Lea, Flood 2014).

/// A source of numbers.
#[derive(Debug, Clone)]
pub struct Chance {
    state: u64,
}

impl Chance {
    /// Of this seed.
    pub fn new(seed: u64) -> Chance {
        Chance { state: seed }
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        (u128::from(self.next()) * u128::from(end) >> 64) as u64
    }

    /// One of these, of which there is one at least.
    pub fn of<T: Copy>(&mut self, these: &[T]) -> T {
        these[self.below(these.len() as u64) as usize]
    }

    /// Whether something happens that does once in so many times.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides() {
        let mut chance = Chance::new(0);
        // The first number of the published generator from 0.
        assert_eq!(chance.next(), 0xe220_a839_7b1d_cdaf);
        let mut numbers: Vec<u64> = (0..200).map(|_| chance.below(3)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers, [0, 1, 2]);
    }
}
