//! The points that were measured: Linux 6.18, 2 processors, fio with buffered random writes of 16 KiB and an fsync after each; and
//! the figures of the report of 2022 (4.14, 5.10).

use super::setup::Mode;

/// The least and the most of some runs.
pub type Range = (f64, f64);

/// What a kernel did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kernel {
    /// Writes a second.
    pub rate: Range,
    /// The mean time in a handle's start, in milliseconds.
    pub start: Range,
}

/// Threads, a journal, and how files are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Threads.
    pub threads: usize,
    /// The journal in MiB.
    pub journal: u32,
    /// How they write.
    pub mode: Mode,
    /// The measured kernel.
    pub kernel: Option<Kernel>,
    /// The report of 2022.
    pub seed: Option<Kernel>,
    /// A constant of the simulated machine is fitted to the measured rate; elsewhere it is predicted.
    pub is_fitted: bool,
}

impl Point {
    /// A point of which nothing is measured.
    pub const fn new(threads: usize, journal: u32, mode: Mode) -> Point {
        Point {
            threads,
            journal,
            mode,
            kernel: None,
            seed: None,
            is_fitted: false,
        }
    }

    const fn measured(self, rate: Range, start: Range) -> Point {
        Point {
            kernel: Some(Kernel { rate, start }),
            ..self
        }
    }

    const fn of_seed(self, rate: f64, start: f64) -> Point {
        Point {
            seed: Some(Kernel {
                rate: (rate, rate),
                start: (start, start),
            }),
            ..self
        }
    }

    const fn fitted(self) -> Point {
        Point {
            is_fitted: true,
            ..self
        }
    }
}

/// Every measured point, those of the report first.
pub const ALL: [Point; 7] = [
    Point::new(2048, 128, Mode::Nolock)
        .measured((394.0, 1692.0), (313.0, 1368.0))
        .of_seed(315.0, 154.0),
    Point::new(2048, 128, Mode::Lock)
        .measured((13_600.0, 20_100.0), (2.9, 3.2))
        .of_seed(20_026.0, 0.27)
        .fitted(),
    Point::new(2048, 512, Mode::Nolock).measured((2645.0, 2645.0), (85.0, 85.0)),
    Point::new(2048, 1024, Mode::Nolock)
        .measured((7_800.0, 11_200.0), (0.22, 0.29))
        .fitted(),
    Point::new(256, 128, Mode::Nolock).measured((15_200.0, 19_200.0), (0.07, 0.29)),
    Point::new(256, 16, Mode::Nolock).measured((5_900.0, 14_300.0), (2.6, 8.8)),
    Point::new(256, 4, Mode::Nolock).measured((3_200.0, 7_800.0), (10.0, 23.0)),
];

/// What was traced at the first of them.
pub const TRACED: &str = "Traced on Linux 6.18 with 2048 threads and 128 MiB, nolock: about 260 wake-ups a write; of all waiting 63.5 % \
    for reserved credits, 8 % for space, 6 % for a transaction that is locked.";

/// Those that are simulated in seconds: one above the threshold, one below.
pub const QUICK: [Point; 2] = [ALL[5], ALL[4]];
