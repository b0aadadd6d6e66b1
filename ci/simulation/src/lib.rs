//! The shape of a kernel's regression report, in virtual time on the state machine of the journal: how long threads wait to start
//! a handle, today and with the cure, beside what was measured.

mod actors;
mod clock;
pub mod costs;
pub mod goals;
mod phase;
pub mod plot;
pub mod points;
pub mod report;
pub mod setup;
pub mod tally;
mod world;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use interlock::jbd2::policy::Policy;

use points::Point;
use report::Form;
use setup::{Mode, Setup};
use tally::Tally;
pub use world::Watch;
use world::World;

/// The areas that have a scenario.
const AREAS: [&str; 1] = ["jbd2"];

/// Who is woken up when reserved credits are given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cure {
    /// Today: all who wait.
    WakeAll,
    /// The cure: those for whom there are credits.
    HandOver,
}

impl Cure {
    /// What it is called in a report.
    pub fn name(self) -> &'static str {
        match self {
            Cure::WakeAll => "all",
            Cure::HandOver => "hand over",
        }
    }

    fn policy(self) -> Policy {
        match self {
            Cure::WakeAll => Policy::UPSTREAM,
            Cure::HandOver => Policy::HAND_OVER,
        }
    }
}

/// A point, simulated.
#[derive(Debug, Clone)]
pub struct Run {
    /// The point.
    pub point: Point,
    /// Who is woken up.
    pub cure: Cure,
    /// All of what was simulated.
    pub setup: Setup,
    /// What was counted.
    pub tally: Tally,
}

/// What to simulate.
#[derive(Debug, Clone)]
pub struct Request {
    /// The area.
    pub area: String,
    /// Few points, few writes.
    pub quick: bool,
    /// One point alone: threads, and the journal in MiB.
    pub point: Option<(usize, u32)>,
    /// One of the two alone.
    pub cure: Option<Cure>,
    /// The largest transaction is the log divided by this.
    pub fraction: u32,
    /// The form of the tables.
    pub form: Form,
    /// Where the picture goes; none is drawn of one point.
    pub plot: PathBuf,
}

/// Simulates, prints the report, draws the picture.
///
/// # Errors
///
/// When no scenario has this name, a simulation stalls, or the picture cannot be written.
pub fn scenario(request: &Request) -> Result<u8> {
    let area = &request.area;
    ensure!(
        AREAS.contains(&area.as_str()),
        "no scenario is named {area}: there is {}",
        AREAS.join(", ")
    );
    let points = match request.point {
        Some((threads, journal)) => {
            let known = points::ALL.into_iter().find(|point| {
                (point.threads, point.journal, point.mode) == (threads, journal, Mode::Nolock)
            });
            vec![known.unwrap_or(Point::new(threads, journal, Mode::Nolock))]
        }
        None if request.quick => points::QUICK.to_vec(),
        None => points::ALL.to_vec(),
    };
    let mut runs = Vec::new();
    for point in points {
        for cure in [Cure::WakeAll, Cure::HandOver] {
            // Without reservations there is nothing to hand over.
            let is_same = point.mode == Mode::Lock && cure == Cure::HandOver;
            if !is_same && request.cure.is_none_or(|only| only == cure) {
                runs.push(run(point, cure, request)?);
            }
        }
    }
    print!("{}", report::render(&runs, request.form));
    if request.point.is_none() {
        let path = &request.plot;
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        }
        fs::write(path, plot::render(&runs))
            .with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("{}", path.display());
    }
    Ok(0)
}

fn run(mut point: Point, cure: Cure, request: &Request) -> Result<Run> {
    if request.fraction != setup::FRACTION {
        // What was measured is another journal.
        point = Point::new(point.threads, point.journal, point.mode);
    }
    let mut setup = Setup::new(point.threads, point.journal, point.mode);
    setup.policy = cure.policy();
    setup.fraction = request.fraction;
    if request.quick {
        setup.rounds = (1, 3);
    }
    let tally = simulate(&setup).with_context(|| {
        let (threads, journal) = (point.threads, point.journal);
        format!("{threads} threads, {journal} MiB, wake {}", cure.name())
    })?;
    Ok(Run {
        point,
        cure,
        setup,
        tally,
    })
}

/// Runs one simulation; the same for the same setup.
///
/// # Errors
///
/// When nothing is written any more, or the journal's machine does not take a step.
pub fn simulate(setup: &Setup) -> Result<Tally> {
    simulate_watched(setup, &mut |_, _| {})
}

/// The same, with somebody who sees each step's state.
///
/// # Errors
///
/// As [`simulate`].
pub fn simulate_watched(setup: &Setup, watch: &mut Watch<'_>) -> Result<Tally> {
    World::new(setup, watch).run()
}
