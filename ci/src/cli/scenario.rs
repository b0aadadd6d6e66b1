//! `interlock scenario`.

use anyhow::{Result, ensure};
use clap::Args;
use interlock_checker::toolchain;
use interlock_simulation::{self as scenario, Cure};

#[derive(Args)]
pub struct Scenario {
    /// The area's name
    #[arg(value_parser = ["jbd2"])]
    area: String,
    /// Two points and few writes (seconds)
    #[arg(long)]
    quick: bool,
    /// One point: so many threads
    #[arg(long, value_name = "N", requires = "journal", value_parser = clap::value_parser!(u16).range(1..=8192))]
    threads: Option<u16>,
    /// One point: a journal of so many MiB
    #[arg(long, value_name = "MiB", requires = "threads", value_parser = clap::value_parser!(u32).range(4..=16384))]
    journal: Option<u32>,
    /// Who is woken up when reserved credits are given back [default: each of the two]
    #[arg(long, value_enum)]
    policy: Option<WakeName>,
    /// The largest transaction is a third of the log, or a quarter as up to Linux 6.10
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(3..=4))]
    fraction: u32,
    /// Print Markdown
    #[arg(long)]
    markdown: bool,
    /// Draw docs/img/jbd2-stall.svg anew, rather than target/interlock/scenario/jbd2-stall.svg
    #[arg(long, conflicts_with_all = ["quick", "threads", "policy"])]
    keep_plot: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum WakeName {
    /// Today: all who wait
    WakeAll,
    /// The cure: those for whom there are credits
    HandOver,
}

impl Scenario {
    pub fn run(self) -> Result<u8> {
        scenario::scenario(&self.request()?)
    }

    fn request(self) -> Result<scenario::Request> {
        ensure!(
            !self.keep_plot || self.fraction == scenario::setup::FRACTION,
            "the picture that is kept is of a third of the log: leave --fraction out"
        );
        let dir = if self.keep_plot {
            "docs/img"
        } else {
            "target/interlock/scenario"
        };
        Ok(scenario::Request {
            area: self.area,
            quick: self.quick,
            point: self.threads.map(usize::from).zip(self.journal),
            cure: self.policy.map(|policy| match policy {
                WakeName::WakeAll => Cure::WakeAll,
                WakeName::HandOver => Cure::HandOver,
            }),
            fraction: self.fraction,
            form: if self.markdown {
                scenario::report::Form::Markdown
            } else {
                scenario::report::Form::Text
            },
            plot: toolchain::root()?.join(dir).join("jbd2-stall.svg"),
        })
    }
}
