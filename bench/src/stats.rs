//! Medians, and a histogram of waits that costs the measured thread a few nanoseconds.

use std::time::Duration;

/// Buckets per power of two: a bucket is at most 1/16 wide.
const PARTS: u64 = 16;
/// Powers of two of nanoseconds that are told apart, some 18 minutes; a longer wait counts as that.
const POWERS: u64 = 40;

/// The median of the values: the mean of the middle two if their number is even.
///
/// # Panics
/// If there are no values.
pub fn median(mut values: Vec<f64>) -> f64 {
    assert!(!values.is_empty(), "no values have no median");
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) {
        f64::midpoint(values[middle - 1], values[middle])
    } else {
        values[middle]
    }
}

/// What rounds have measured.
#[derive(Clone, Copy)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// The median.
    pub median: f64,
    /// The most.
    pub most: f64,
}

impl Spread {
    /// Of the rounds' values.
    ///
    /// # Panics
    /// If there are no values.
    pub fn new(values: Vec<f64>) -> Self {
        Spread {
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            median: median(values),
        }
    }
}

/// How long threads waited. The longest wait is exact; percentiles are at most 1/16 too high.
#[derive(Clone)]
pub struct Waits {
    counts: Vec<u64>,
    total: u64,
    worst: Duration,
}

impl Default for Waits {
    fn default() -> Self {
        Waits {
            counts: vec![0; bucket(1 << POWERS) + 1],
            total: 0,
            worst: Duration::ZERO,
        }
    }
}

impl Waits {
    /// Adds a wait.
    pub fn add(&mut self, wait: Duration) {
        let nanos = (wait.as_nanos() as u64).min(1 << POWERS);
        self.counts[bucket(nanos)] += 1;
        self.total += 1;
        self.worst = self.worst.max(wait);
    }

    /// Adds the waits of another thread.
    pub fn merge(&mut self, other: &Waits) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
        self.worst = self.worst.max(other.worst);
    }

    /// The shortest wait that at least `share` (0 to 1) of all waits do not exceed, at most 1/16 too high; zero if there are none.
    pub fn percentile(&self, share: f64) -> Duration {
        let rank = ((self.total as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Duration::from_nanos(last(index)).min(self.worst);
            }
        }
        self.worst
    }

    /// The longest wait.
    pub fn worst(&self) -> Duration {
        self.worst
    }
}

/// The bucket of a number of nanoseconds: itself below `PARTS`, then `PARTS` buckets a power of two.
fn bucket(nanos: u64) -> usize {
    if nanos < PARTS {
        return nanos as usize;
    }
    let shift = nanos.ilog2() - PARTS.ilog2();
    (u64::from(shift) * PARTS + (nanos >> shift)) as usize
}

/// The largest number of nanoseconds in a bucket.
fn last(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < PARTS {
        return bucket;
    }
    let shift = bucket / PARTS - 1;
    ((bucket % PARTS + PARTS + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_of_the_sorted_values() {
        assert_eq!(median(vec![9.0, 1.0, 5.0]), 5.0);
        assert_eq!(median(vec![9.0, 1.0, 5.0, 7.0]), 6.0);
        assert_eq!(median(vec![3.0]), 3.0);
    }

    #[test]
    fn a_spread_has_the_least_the_median_and_the_most() {
        let Spread {
            least,
            median,
            most,
        } = Spread::new(vec![9.0, 1.0, 5.0, 7.0]);
        assert_eq!((least, median, most), (1.0, 6.0, 9.0));
    }

    #[test]
    fn every_number_is_in_the_one_bucket_that_ends_at_or_just_above_it() {
        let numbers = (0..10_000).chain((5..=POWERS).flat_map(|power| {
            let power = 1 << power;
            [power - 1, power, power + 1, power + power / 3]
        }));
        for n in numbers {
            let last = last(bucket(n));
            assert!(n <= last && last - n <= n / PARTS, "{n} counts as {last}");
            assert_eq!(bucket(last), bucket(n));
            assert_eq!(bucket(last + 1), bucket(n) + 1);
        }
    }

    #[test]
    fn percentiles_are_at_most_a_sixteenth_too_high() {
        let mut odd = Waits::default();
        let mut even = Waits::default();
        for micros in 1..=1000_u64 {
            let side = if micros % 2 == 0 { &mut even } else { &mut odd };
            side.add(Duration::from_micros(micros));
        }
        odd.merge(&even);
        for (share, micros) in [(0.001, 1), (0.5, 500), (0.99, 990), (1.0, 1000)] {
            let exact = Duration::from_micros(micros);
            let found = odd.percentile(share);
            assert!(
                found >= exact && found <= exact * 17 / 16,
                "{share}: {found:?}"
            );
        }
        assert_eq!(odd.worst(), Duration::from_millis(1));
    }

    #[test]
    fn one_wait_is_its_own_percentile_and_none_is_zero() {
        let mut waits = Waits::default();
        assert_eq!(waits.percentile(0.99), Duration::ZERO);
        waits.add(Duration::from_secs(4000));
        assert_eq!(waits.worst(), Duration::from_secs(4000));
        waits = Waits::default();
        waits.add(Duration::from_nanos(1001));
        assert_eq!(waits.percentile(0.5), Duration::from_nanos(1001));
    }
}
