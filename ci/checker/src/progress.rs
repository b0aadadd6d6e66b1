//! What is seen while models run: a bar on a terminal, plain lines elsewhere. Both go to standard error.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::note;
use crate::report::Row;

/// The progress of a check.
#[derive(Debug)]
pub struct Progress {
    total: usize,
    done: usize,
    running: BTreeSet<String>,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Of `total` models.
    pub fn new(total: usize) -> Progress {
        let terminal = std::io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        let bar = terminal.then(|| {
            let style =
                ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {wide_msg}");
            let bar = ProgressBar::new(total as u64);
            bar.set_style(
                style
                    .unwrap_or_else(|_| ProgressStyle::default_bar())
                    .progress_chars("=> "),
            );
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        Progress {
            total,
            done: 0,
            running: BTreeSet::new(),
            bar,
        }
    }

    /// A model starts.
    pub fn started(&mut self, model: &str) {
        self.running.insert(model.to_owned());
        self.show();
    }

    /// A model is judged. On a terminal only what is not as expected leaves a line.
    pub fn done(&mut self, row: &Row) {
        self.done += 1;
        self.running.remove(&row.model);
        let states = row
            .distinct
            .map(|states| format!(", {states} states"))
            .unwrap_or_default();
        let mark = if row.is_fault() {
            "NOT AS EXPECTED: "
        } else {
            ""
        };
        let line = format!(
            "[{:>3}/{}] {mark}{}: {}{states}, {:.1} s",
            self.done, self.total, row.model, row.found, row.seconds
        );
        match &self.bar {
            None => note!("{line}"),
            Some(bar) => {
                bar.inc(1);
                if row.is_fault() {
                    bar.println(line);
                }
            }
        }
        self.show();
    }

    fn show(&self) {
        if let Some(bar) = &self.bar {
            bar.set_message(
                self.running
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join(", "),
            );
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
