//! Measures the reference's locks against others.

fn main() {}
