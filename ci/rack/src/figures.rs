//! What several runs have measured: their median, the least and the most.

/// Least to most.
pub fn sorted(all: &[f64]) -> Vec<f64> {
    let mut sorted = all.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The median; the greater of both in the middle of an even number.
///
/// # Panics
/// If there are none.
pub fn median(all: &[f64]) -> f64 {
    sorted(all)[all.len() / 2]
}

/// The least and the most of these figures: `0.99 to 1.07`; one, if they are written alike.
pub fn between(all: &[f64], digits: usize) -> String {
    let [least, most] = [f64::min, f64::max].map(|of| {
        let found = all.iter().copied().reduce(of);
        format!("{:.digits$}", found.unwrap_or_default())
    });
    if least == most {
        least
    } else {
        format!("{least} to {most}")
    }
}
