//! Does what is asked, one thing after the other, on the running kernel.

use std::fs::{self, File};
use std::io::{self, BufRead, Write};
use std::os::fd::AsFd as _;
use std::path::Path;

use anyhow::Result;

use interlock_capture::place;

use crate::mounted::Mounted;
use crate::order::{Order, Report, hear, say};
use crate::plan::{Fs, Plan};
use crate::play::{Aim, play};
use crate::program;
use crate::traces;

/// Where the file systems are mounted.
const ROOT: &str = "/mnt/interlock";

/// Does on this machine what is asked over stdin, and says over stdout what came of it.
///
/// # Errors
/// Without root, and as [`serve`].
pub fn here() -> Result<()> {
    place::enter()?;
    let mut to = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    // What is printed on the way is nobody's answer.
    rustix::stdio::dup2_stdout(io::stderr())?;
    serve(&mut io::stdin().lock(), &mut to)
}

/// Does what is asked until nothing more is.
///
/// # Errors
/// If nobody can be heard or told. What cannot be done is said.
pub fn serve(from: &mut impl BufRead, to: &mut impl Write) -> Result<()> {
    say(to, &Report::Up(interlock_capture::release()))?;
    let mut mounted = AllMounted::default();
    while let Some(order) = hear::<Order>(from)? {
        let report = match order {
            Order::Play(plan, aim) => mounted.play(&plan, aim),
            Order::Run(words) => program::run(&words).map(Report::Ran),
            Order::Has(function) => has(&function).map(Report::Has),
            Order::Work(workload) => workload.run(Path::new(ROOT)).map(Report::Worked),
            Order::Capture(area) => traces::record(&area, to).map(|()| Report::Done),
        };
        say(
            to,
            &report.unwrap_or_else(|error| Report::Failed(format!("{error:#}"))),
        )?;
    }
    Ok(())
}

/// Whether the kernel has a function: of a module, once that is loaded.
fn has(function: &str) -> Result<bool> {
    let symbols = fs::read_to_string("/proc/kallsyms")?;
    Ok(is_among(function, &symbols))
}

/// Whether a function is among the kernel's symbols, a line each: address, kind, name, module.
fn is_among(function: &str, symbols: &str) -> bool {
    let named = |line: &str| line.split_whitespace().nth(2) == Some(function);
    symbols.lines().any(named)
}

/// The file systems that plans are played on, each made when it is first asked for.
#[derive(Default)]
struct AllMounted {
    mounted: Vec<(Fs, Mounted)>,
}

impl AllMounted {
    fn play(&mut self, plan: &Plan, aim: Aim) -> Result<Report> {
        let place = match self.mounted.iter().position(|(fs, _)| *fs == plan.fs) {
            Some(place) => place,
            None => {
                let new = Mounted::new(Path::new(ROOT), plan.fs, "")?;
                self.mounted.push((plan.fs, new));
                self.mounted.len() - 1
            }
        };
        let Mounted { disk, dir, .. } = &self.mounted[place].1;
        play(plan, disk, dir, aim).map(Report::Played)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_by_its_whole_name() {
        let symbols =
            "0000000000000000 T xfs_iunlock2_remapping\t[xfs]\n0000000000000000 t demote\n";
        assert!(is_among("xfs_iunlock2_remapping", symbols));
        assert!(is_among("demote", symbols));
        assert!(!is_among("xfs_iunlock2", symbols));
        assert!(!is_among("[xfs]", symbols));
    }
}
