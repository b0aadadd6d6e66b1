//! What is seen while models run: a bar on a terminal, plain lines elsewhere. Both go to standard error.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::note;
use crate::report::Row;

/// So often a line says how far it is, where there is no terminal.
const EVERY: Duration = Duration::from_secs(30);

/// The progress of a check.
#[derive(Debug)]
pub struct Progress {
    total: usize,
    done: usize,
    faults: usize,
    running: BTreeSet<String>,
    shown: Shown,
}

#[derive(Debug)]
enum Shown {
    Bar(ProgressBar),
    /// A line each model.
    Lines,
    /// A line now and then, and one for each model that is not as expected.
    Pulse(Pulse),
}

impl Progress {
    /// Of `total` models; `verbose` has a line for each where there is no terminal.
    pub fn new(total: usize, verbose: bool) -> Progress {
        let terminal = std::io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        let shown = match (terminal, verbose) {
            (true, _) => Shown::Bar(bar(total)),
            (false, true) => Shown::Lines,
            (false, false) => Shown::Pulse(Pulse::new(EVERY, Instant::now())),
        };
        Progress {
            total,
            done: 0,
            faults: 0,
            running: BTreeSet::new(),
            shown,
        }
    }

    /// How long nothing need be shown unless something happens.
    pub fn patience(&self) -> Duration {
        match &self.shown {
            Shown::Bar(_) | Shown::Lines => EVERY,
            Shown::Pulse(pulse) => pulse.next.saturating_duration_since(Instant::now()),
        }
    }

    /// Time has passed.
    pub fn tick(&mut self) {
        if let Shown::Pulse(pulse) = &mut self.shown
            && pulse.beats(Instant::now())
        {
            note!("{}", self.far());
        }
    }

    /// A model starts.
    pub fn started(&mut self, model: &str) {
        self.running.insert(model.to_owned());
        self.show();
    }

    /// A model is judged. Unless every model has a line, only what is not as expected leaves one.
    pub fn done(&mut self, row: &Row) {
        self.done += 1;
        self.running.remove(&row.model);
        let is_fault = row.status.is_fault();
        self.faults += usize::from(is_fault);
        let states = row
            .distinct
            .map(|states| format!(", {states} states"))
            .unwrap_or_default();
        let mark = if is_fault { "NOT AS EXPECTED: " } else { "" };
        let took = match row.evidence {
            true => "from evidence".to_owned(),
            false => format!("{:.1} s", row.seconds),
        };
        let line = format!(
            "[{:>3}/{}] {mark}{}: {}{states}, {took}",
            self.done, self.total, row.model, row.found
        );
        match &self.shown {
            Shown::Bar(bar) => {
                bar.inc(1);
                if is_fault {
                    bar.println(line);
                }
            }
            Shown::Lines => note!("{line}"),
            Shown::Pulse(_) if is_fault => note!("{line}"),
            Shown::Pulse(_) => {}
        }
        self.show();
        self.tick();
    }

    fn show(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.set_message(self.running());
        }
    }

    /// `[ 45/963] 0 not as expected; running: A, B`
    fn far(&self) -> String {
        format!(
            "[{:>3}/{}] {} not as expected; running: {}",
            self.done,
            self.total,
            self.faults,
            self.running()
        )
    }

    fn running(&self) -> String {
        let running: Vec<&str> = self.running.iter().map(String::as_str).collect();
        running.join(", ")
    }
}

fn bar(total: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {wide_msg}");
    let bar = ProgressBar::new(total as u64);
    bar.set_style(
        style
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> "),
    );
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

/// A beat now and then.
#[derive(Debug)]
struct Pulse {
    every: Duration,
    next: Instant,
}

impl Pulse {
    fn new(every: Duration, now: Instant) -> Pulse {
        Pulse {
            every,
            next: now + every,
        }
    }

    /// Whether it beats; then it rests for a while.
    fn beats(&mut self, now: Instant) -> bool {
        let beats = now >= self.next;
        if beats {
            self.next = now + self.every;
        }
        beats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pulse_beats_now_and_then() {
        let start = Instant::now();
        let second = |n| start + Duration::from_secs(n);
        let mut pulse = Pulse::new(Duration::from_secs(30), start);
        let beats: Vec<u64> = (0..100).filter(|n| pulse.beats(second(*n))).collect();
        assert_eq!(beats, [30, 60, 90]);
    }
}
