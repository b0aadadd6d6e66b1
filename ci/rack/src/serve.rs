//! Does what is asked, one thing after the other, on the running kernel.

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use crate::chance::Chance;
use crate::mounted::Mounted;
use crate::order::{Order, Report, hear, say};
use crate::plan::Fs;
use crate::play::{Aim, play};

/// Where the file systems are mounted.
const ROOT: &str = "/tmp/interlock";

/// The longest that a random completion takes.
const LONGEST: Duration = Duration::from_millis(20);

/// Does what is asked until nothing more is.
///
/// # Errors
/// If nobody can be heard or told. What cannot be done is said.
pub fn serve(from: &mut impl BufRead, to: &mut impl Write) -> Result<()> {
    say(to, &Report::Up(release()))?;
    let mut mounted: Vec<(Fs, Mounted)> = Vec::new();
    while let Some(order) = hear::<Order>(from)? {
        let report = match order {
            Order::Play(plan, seed) => {
                let place = match mounted.iter().position(|(fs, _)| *fs == plan.fs) {
                    Some(place) => Ok(place),
                    None => Mounted::new(Path::new(ROOT), plan.fs, "").map(|new| {
                        mounted.push((plan.fs, new));
                        mounted.len() - 1
                    }),
                };
                let played = place.and_then(|place| {
                    let Mounted { disk, dir, .. } = &mounted[place].1;
                    play(&plan, disk, dir, aim(seed))
                });
                played.map(Report::Played)
            }
            Order::Work(workload) => workload.run(Path::new(ROOT)).map(Report::Worked),
            Order::Capture(areas) => crate::traces::record(&areas, to).map(|()| Report::Done),
        };
        say(
            to,
            &report.unwrap_or_else(|error| Report::Failed(format!("{error:#}"))),
        )?;
    }
    Ok(())
}

fn aim(seed: Option<u64>) -> Aim {
    match seed {
        None => Aim::Plan,
        Some(seed) => {
            let mut chance = Chance::new(seed);
            Aim::Delays(Box::new(move || {
                let most = LONGEST.as_micros() as u64;
                Duration::from_micros(chance.below(most + 1))
            }))
        }
    }
}

/// The running kernel's.
fn release() -> String {
    let uname = rustix::system::uname();
    uname.release().to_string_lossy().into_owned()
}
